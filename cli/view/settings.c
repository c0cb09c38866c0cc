// Settings between runs: a text file with one setting per line, in the XDG configuration folder.
#include "view.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MIN = 160, SIDE_MAX = 16384, SETTINGS_BYTES = 1 << 16 };

typedef struct named {
    const char *name;
    uint32_t flag;
} named;

static const named shows[] = {
    { "bones", SN_SHOW_SKELETON },          { "names", SN_SHOW_NAMES },         { "axes", SN_SHOW_AXES },
    { "attachments", SN_SHOW_ATTACHMENTS }, { "wireframe", SN_SHOW_WIREFRAME }, { "normals", SN_SHOW_NORMALS },
    { "bounds", SN_SHOW_BOUNDS },           { "ground", SN_SHOW_GRID },         { "shadows", SN_SHOW_SHADOW },
    { "untextured", SN_SHOW_UNTEXTURED },   { "lights", SN_SHOW_LIGHTS },       { NULL, 0 },
};

static const named panels[] = {
    { "tree", CLI_PANEL_TREE },         { "clips", CLI_PANEL_CLIPS },
    { "timeline", CLI_PANEL_TIMELINE }, { "information", CLI_PANEL_INFORMATION },
    { "findings", CLI_PANEL_FINDINGS }, { NULL, 0 },
};

static sni_str next_word(sni_str *line)
{
    while (line->size > 0 && *line->at == ' ') line->at++, line->size--;
    size_t size = 0;
    while (size < line->size && line->at[size] != ' ') size++;
    sni_str word = sni_str_make(line->at, size);
    line->at += size, line->size -= size;
    return word;
}

static bool next_number(sni_str *line, int32_t *number)
{
    sni_str word = next_word(line);
    bool is_negative = word.size > 0 && *word.at == '-';
    if (is_negative) word.at++, word.size--;
    if (word.size == 0 || word.size > 6) return false;
    int32_t read = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] < '0' || word.at[i] > '9') return false;
        read = read * 10 + (word.at[i] - '0');
    }
    *number = is_negative ? -read : read;
    return true;
}

static uint32_t read_flags(sni_str line, const named *names)
{
    uint32_t flags = 0;
    for (sni_str word = next_word(&line); word.size > 0; word = next_word(&line))
        for (const named *name = names; name->name; name++)
            if (sni_str_is(word, name->name)) flags |= name->flag;
    return flags;
}

static bool is_side(int32_t side) { return side >= SIDE_MIN && side <= SIDE_MAX; }

static void parse_line(cli_settings *settings, sni_str line)
{
    sni_str key = next_word(&line);
    int32_t a, b;
    if (sni_str_is(key, "show")) settings->show = read_flags(line, shows);
    else if (sni_str_is(key, "panels")) settings->panels = read_flags(line, panels);
    else if (sni_str_is(key, "size") && next_number(&line, &a) && next_number(&line, &b) && is_side(a) && is_side(b))
        settings->width = (uint32_t)a, settings->height = (uint32_t)b;
    else if (sni_str_is(key, "place") && next_number(&line, &a) && next_number(&line, &b))
        settings->x = a, settings->y = b, settings->has_position = true;
    else if (sni_str_is(key, "loop")) {
        sni_str word = next_word(&line);
        for (int i = 0; i < CLI_LOOP_COUNT; i++)
            if (sni_str_is(word, cli_loop_names[i])) settings->loop = (cli_loop)i;
    }
}

void cli_settings_parse(cli_settings *settings, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && text[end] != '\n') end++;
        parse_line(settings, sni_str_make(text + at, end - at));
        at = end + 1;
    }
}

static void put_flags(sni_writer *out, const char *key, uint32_t flags, const named *names)
{
    sni_write_text(out, key);
    for (const named *name = names; name->name; name++) {
        if (!(flags & name->flag)) continue;
        sni_write_text(out, " ");
        sni_write_text(out, name->name);
    }
    sni_write_text(out, "\n");
}

void cli_settings_format(const cli_settings *settings, sni_writer *out)
{
    char line[96];
    snprintf(line, sizeof line, "size %u %u\n", settings->width, settings->height);
    sni_write_text(out, line);
    snprintf(line, sizeof line, "place %d %d\n", settings->x, settings->y);
    if (settings->has_position) sni_write_text(out, line);
    put_flags(out, "show", settings->show, shows);
    put_flags(out, "panels", settings->panels, panels);
    snprintf(line, sizeof line, "loop %s\n", cli_loop_names[settings->loop]);
    sni_write_text(out, line);
}

static bool find_file(char path[PATH_MAX])
{
    char folder[PATH_MAX];
    if (!cli_config_folder(folder, sizeof folder)) return false;
    int size = snprintf(path, PATH_MAX, "%s/view.conf", folder);
    return size > 0 && size < PATH_MAX;
}

void cli_settings_load(cli_settings *settings)
{
    char path[PATH_MAX];
    sn_bytes bytes = { 0 };
    settings->is_first_run = !find_file(path) || sn_file_read(path, SETTINGS_BYTES, NULL, &bytes, NULL) != SN_OK;
    if (!settings->is_first_run) cli_settings_parse(settings, (const char *)bytes.data, bytes.size);
    sn_bytes_free(&bytes);
}

bool cli_settings_save(const cli_settings *settings, sn_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX];
    sn_error failure = { 0 };
    sni_heap heap;
    sni_writer text;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_writer_init(&text, &heap);
    if (!cli_config_folder(folder, sizeof folder) || !find_file(path)) return true;  // no home folder: nothing to save
    cli_settings_format(settings, &text);
    bool is_saved = !text.failed && sn_folder_create(folder, &failure) == SN_OK &&
                    sn_file_write(path, text.data, text.size, &failure) == SN_OK;
    sni_writer_free(&text);
    if (error) *error = failure;
    return is_saved;
}
