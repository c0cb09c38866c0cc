#include "pose.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "shows.h"
#include "table.h"

enum { NAME_COLUMNS = 48, LISTED_CLIPS = 12, NUMBER_BYTES = 64 };

static bool is_digits(const char *text)
{
    return text[0] && text[strspn(text, "0123456789")] == 0;
}

// Digits are a clip's number, unless a clip has that very name.
static int32_t find_clip(const sn_model *model, const char *wanted)
{
    int32_t clip = sn_model_find_clip(model, wanted);
    if (clip >= 0 || !is_digits(wanted)) return clip;
    uint64_t index = 0;
    for (const char *at = wanted; *at && index < model->clip_count; at++) index = index * 10 + (uint64_t)(*at - '0');
    return index < model->clip_count ? (int32_t)index : -1;
}

static int complain_of_clip(cli_job *job, const char *wanted)
{
    const sn_model *model = job->model;
    const char *shown = cli_shorten(&job->arena, wanted, NAME_COLUMNS), *list = "";
    for (uint32_t i = 0; i < model->clip_count && i < LISTED_CLIPS; i++) {
        const char *name = cli_shorten(&job->arena, model->clips[i].name, NAME_COLUMNS);
        list = cli_join(&job->arena, list, ", ", name ? cli_format(&job->arena, "%u '%s'", i, name) : NULL);
    }
    if (model->clip_count > LISTED_CLIPS)
        list = cli_join(&job->arena, list, " ", cli_format(&job->arena, "… %u more", model->clip_count - LISTED_CLIPS));
    if (!shown || !list) return CLI_EXIT_DAMAGED;
    if (model->clip_count == 0) cli_complain("%s: no clip '%s'; the model has none", job->shown, shown);
    else cli_complain("%s: no clip '%s'; there are: %s", job->shown, shown, list);
    return CLI_EXIT_USAGE;
}

static size_t skip_digits(const char *text, size_t at)
{
    return at + strspn(text + at, "0123456789");
}

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

static bool parse_seconds(const char *text, float *seconds)
{
    char number[NUMBER_BYTES];
    if (strlen(text) >= NUMBER_BYTES - 2 || !is_number(text)) return false;
    size_t size = to_json_number(text, number);
    *seconds = sni_parse_float(number, size);
    return isfinite(*seconds);
}

static const char *find_misuse(const cli_args *args)
{
    bool to_file = cli_has(args, CLI_OPTION_OBJ);
    if (to_file && cli_has(args, CLI_OPTION_JSON)) return "'--obj' and '--json' are two answers; ask for one";
    if (to_file && args->file_count > 1) return "'--obj' takes one model at a time";
    if (cli_has(args, CLI_OPTION_TIME) && !cli_has(args, CLI_OPTION_CLIP))
        return "'--time' needs '--clip': the rest pose has no time";
    return NULL;
}

bool cli_check_pose(const cli_args *args)
{
    const char *misuse = find_misuse(args), *time = args->values[CLI_OPTION_TIME];
    float seconds;
    if (misuse) {
        cli_complain("%s", misuse);
        return false;
    }
    if (!time || parse_seconds(time, &seconds)) return true;
    char shown[NUMBER_BYTES];
    sni_text_printable(time, shown, sizeof shown);
    cli_complain("'--time' needs a number of seconds, not '%s'", shown);
    return false;
}

static bool read_moment(cli_job *job, cli_moment *moment)
{
    const char *clip = job->args->values[CLI_OPTION_CLIP], *time = job->args->values[CLI_OPTION_TIME];
    *moment = (cli_moment){ clip ? find_clip(job->model, clip) : -1, 0.0f };
    if (time) parse_seconds(time, &moment->seconds);
    return !clip || moment->clip >= 0;
}

static const char *describe_moment(cli_job *job, cli_moment moment)
{
    if (moment.clip < 0) return "at rest";
    const sn_clip *clip = &job->model->clips[moment.clip];
    const char *label = cli_name_or(&job->arena, clip->name, "clip", (uint32_t)moment.clip);
    const char *name = label ? cli_shorten(&job->arena, label, NAME_COLUMNS) : NULL;
    const char *seconds = cli_number(&job->arena, moment.seconds);
    return name && seconds ? cli_format(&job->arena, "'%s' at %s s", name, seconds) : "";
}

// Decimals that show five digits of the largest coordinate.
static int decimals_for(float largest)
{
    int decimals = 4;
    for (float limit = 10.0f; decimals > 1 && largest >= limit; limit *= 10.0f) decimals--;
    for (float limit = 0.1f; decimals < 9 && largest > 0 && largest < limit; limit /= 10.0f) decimals++;
    return decimals;
}

static const char *coordinate(cli_job *job, float value, int decimals)
{
    double smallest = 0.5 * pow(10.0, -decimals);
    double shown = fabs((double)value) < smallest ? 0.0 : (double)value;      // never "-0.0000"
    if (fabs(shown) >= 1e9) return cli_format(&job->arena, "%.4e", shown);
    return cli_format(&job->arena, "%.*f", decimals, shown);
}

static float largest_coordinate(const sn_model *model, const sn_pose *pose)
{
    float largest = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        for (int r = 0; r < 3; r++) largest = fmaxf(largest, fabsf(world.m[r][3]));
    }
    return largest;
}

static void print_pose(cli_job *job, const sn_pose *pose, cli_moment moment)
{
    const sn_model *model = job->model;
    cli_table table = cli_table_make(&job->arena, "lrrr", model->node_count + 1);
    int decimals = decimals_for(largest_coordinate(model, pose));
    table.has_heading = true;
    cli_table_add(&table, (cli_row){ { "node", "x", "y", "z" } });
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        const char *label = cli_name_or(&job->arena, model->nodes[i].name, "node", i);
        if (!label) return;
        cli_table_add(&table, (cli_row){ { cli_shorten(&job->arena, label, NAME_COLUMNS),
                                           coordinate(job, world.m[0][3], decimals),
                                           coordinate(job, world.m[1][3], decimals),
                                           coordinate(job, world.m[2][3], decimals) } });
    }
    cli_job_begin_text(job);
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, ": %s\n", describe_moment(job, moment));
    cli_table_print(&table, job->out, 2);
}

static int answer(cli_job *job, const sn_pose *pose, cli_moment moment)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    if (obj) return cli_pose_obj(job, pose, obj);
    if (cli_job_has(job, CLI_OPTION_JSON)) cli_pose_json(job, pose, moment);
    else print_pose(job, pose, moment);
    return CLI_EXIT_OK;
}

int cli_run_pose(cli_job *job)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    cli_moment moment;
    if (obj && strcmp(obj, "-") != 0) job->targets[0] = obj;
    if (!cli_job_load(job, false)) return cli_job_fail(job);
    if (!read_moment(job, &moment)) return complain_of_clip(job, job->args->values[CLI_OPTION_CLIP]);
    sn_pose *pose = sn_pose_create(job->model, NULL);
    if (!pose) {
        sni_fail(&job->diag, SN_ERR_MEMORY, 0, "out of memory");
        return CLI_EXIT_DAMAGED;
    }
    sn_pose_sample(pose, moment.clip, moment.seconds, moment.seconds);
    sn_pose_solve(pose, NULL);
    int code = answer(job, pose, moment);
    sn_pose_free(pose);
    return code;
}
