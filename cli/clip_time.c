#include "clip_time.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "elements.h"

enum { NAME_COLUMNS = 48, LISTED_CLIPS = 12, NUMBER_BYTES = 64 };

static bool is_digits(const char *text) { return text[0] && text[strspn(text, "0123456789")] == 0; }

static bool begins(const char *name, const char *wanted)
{
    size_t size = strlen(wanted);
    return strlen(name) >= size && sni_str_equal_nocase(sni_str_make(name, size), sni_str_make(wanted, size));
}

static bool contains(const char *name, const char *wanted)
{
    while (*name && !begins(name, wanted)) name++;
    return *name != 0;
}

typedef bool (*cli_match)(const char *name, const char *wanted);

// The only clip whose name matches; -1: none, or several.
static int32_t find_only(const sn_model *model, const char *wanted, cli_match matches)
{
    int32_t found = -1;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        if (!matches(model->clips[i].name, wanted)) continue;
        if (found >= 0) return -1;
        found = (int32_t)i;
    }
    return found;
}

// By name; by number; by name in any case; then by the beginning or a part of one name only.
static int32_t find_clip(const sn_model *model, const char *wanted)
{
    int32_t clip = sn_model_find_clip(model, wanted);
    if (clip >= 0 || !wanted[0]) return clip;
    if (is_digits(wanted)) {
        uint64_t index = 0;
        for (const char *at = wanted; *at && index < model->clip_count; at++)
            index = index * 10 + (uint64_t)(*at - '0');
        return index < model->clip_count ? (int32_t)index : -1;
    }
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (sni_text_compare_nocase(model->clips[i].name, wanted) == 0) return (int32_t)i;
    clip = find_only(model, wanted, begins);
    return clip >= 0 ? clip : find_only(model, wanted, contains);
}

// A name of up to a line, in lower case.
static const char *lower(const char *name, char out[NAME_COLUMNS])
{
    size_t size = cli_cut(name, NAME_COLUMNS - 1);
    for (size_t i = 0; i < size; i++) out[i] = sni_lower(name[i]);
    out[size] = 0;
    return out;
}

static bool is_near(const char *name, const char *wanted)
{
    char a[NAME_COLUMNS], b[NAME_COLUMNS];
    return cli_is_near(lower(wanted, a), lower(name, b));
}

// "0 'Stand', 3 'Walk' … 4 more": the clips that match, or all for NULL. "" when there are none; NULL: no memory.
static const char *list_clips(cli_job *job, const char *wanted, cli_match matches)
{
    const sn_model *model = job->model;
    const char *list = "";
    uint32_t listed = 0, rest = 0;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        if (matches && !matches(model->clips[i].name, wanted)) continue;
        if (listed == LISTED_CLIPS) {
            rest++;
            continue;
        }
        const char *name = cli_shorten(&job->arena, model->clips[i].name, NAME_COLUMNS);
        list = cli_join(&job->arena, list, ", ", name ? cli_format(&job->arena, "%u '%s'", i, name) : NULL);
        listed++;
    }
    return rest > 0 ? cli_join(&job->arena, list, " ", cli_format(&job->arena, "… %u more", rest)) : list;
}

int cli_complain_of_clip(cli_job *job)
{
    const char *wanted = job->args->values[CLI_OPTION_CLIP];
    const sn_model *model = job->model;
    const char *shown = cli_shorten(&job->arena, wanted, NAME_COLUMNS), *all = list_clips(job, wanted, NULL);
    const char *several = wanted[0] ? list_clips(job, wanted, begins) : "";
    if (several && !several[0] && wanted[0]) several = list_clips(job, wanted, contains);
    const char *near = list_clips(job, wanted, is_near);
    if (!shown || !all || !several || !near) return CLI_EXIT_MEMORY;
    if (model->clip_count == 0) cli_complain("%s: no clip '%s'; the model has no clips", job->shown, shown);
    else if (several[0]) cli_complain("%s: several clips match '%s': %s", job->shown, shown, several);
    else if (near[0]) cli_complain("%s: no clip '%s'; did you mean %s?", job->shown, shown, near);
    else cli_complain("%s: no clip '%s'; the model has %s", job->shown, shown, all);
    return CLI_EXIT_USAGE;
}

static size_t skip_digits(const char *text, size_t at) { return at + strspn(text + at, "0123456789"); }

// A JSON number, and besides it what people type: ".5", "1.", "+1", "01".
static bool is_number(const char *text)
{
    size_t at = text[0] == '-' || text[0] == '+', first = at;
    at = skip_digits(text, at);
    size_t digits = at - first;
    if (text[at] == '.') {
        size_t end = skip_digits(text, at + 1);
        digits += end - at - 1;
        at = end;
    }
    if (digits == 0) return false;
    if (text[at] == 'e' || text[at] == 'E') {
        at++;
        if (text[at] == '-' || text[at] == '+') at++;
        if (skip_digits(text, at) == at) return false;
        at = skip_digits(text, at);
    }
    return text[at] == 0;
}

// As a JSON number: a digit before and after the point, no plus, no leading zeros.
static size_t to_json_number(const char *text, char out[NUMBER_BYTES])
{
    size_t used = 0;
    if (*text == '-') out[used++] = '-';
    if (*text == '-' || *text == '+') text++;
    while (text[0] == '0' && strspn(text + 1, "0123456789") > 0) text++;
    if (*text == '.') out[used++] = '0';
    for (; *text; text++) {
        bool is_bare_point = *text == '.' && strspn(text + 1, "0123456789") == 0;
        if (!is_bare_point) out[used++] = *text;
    }
    return used;
}

bool cli_parse_float(const char *text, float *value)
{
    char number[NUMBER_BYTES];
    if (strlen(text) >= NUMBER_BYTES - 2 || !is_number(text)) return false;
    size_t size = to_json_number(text, number);
    *value = sni_parse_float(number, size);
    return isfinite(*value);
}

bool cli_check_clip_time(const cli_args *args)
{
    const char *time = args->values[CLI_OPTION_TIME];
    float seconds;
    if (time && !cli_has(args, CLI_OPTION_CLIP)) {
        cli_complain("'--time' needs '--clip': the rest pose has no time");
        return false;
    }
    if (!time || cli_parse_float(time, &seconds)) return true;
    char shown[NUMBER_BYTES];
    sni_text_printable(time, shown, sizeof shown);
    cli_complain("'--time' needs a number of seconds, not '%s'", shown);
    return false;
}

bool cli_read_clip_time(cli_job *job, cli_clip_time *clip_time)
{
    const char *clip = job->args->values[CLI_OPTION_CLIP], *time = job->args->values[CLI_OPTION_TIME];
    bool is_rest = !clip || (strcmp(clip, "rest") == 0 && sn_model_find_clip(job->model, clip) < 0);
    *clip_time = (cli_clip_time){ is_rest ? -1 : find_clip(job->model, clip), 0.0f };
    if (time) cli_parse_float(time, &clip_time->seconds);
    return is_rest || clip_time->clip >= 0;
}

const char *cli_describe_clip_time(cli_job *job, cli_clip_time clip_time)
{
    if (clip_time.clip < 0) return "at rest";
    const sn_clip *clip = &job->model->clips[clip_time.clip];
    const char *label = cli_name_or(&job->arena, clip->name, "clip", (uint32_t)clip_time.clip);
    const char *name = label ? cli_shorten(&job->arena, label, NAME_COLUMNS) : NULL;
    const char *seconds = cli_number(&job->arena, clip_time.seconds);
    return name && seconds ? cli_format(&job->arena, "'%s' at %s s", name, seconds) : "";
}
