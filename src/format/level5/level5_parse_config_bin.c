// The compiled form of Dark Cloud 2's configurations: "BIN", then commands of a tag's number, how many arguments, the
// type of each, and their values on four bytes. The numbers are places in the game's table of tags, so they hold for
// characters only.
#include "format/level5/level5_parse.h"

#include <stdio.h>

enum { TYPE_INT = 1, TYPE_FLOAT = 2, TYPE_TEXT = 3, OLDER_TAGS = 39 };

static const char *const tags[] = {
    "V2",
    "NAME",
    "IMG",
    "IMG_END",
    "BODY_SIZE",
    "SCALE",
    "MATERIAL_ANIME",
    "POLY_NUM",
    "MODEL",
    "SHADOW_MODEL",
    "OBJECT_NAME",
    "OBJECT_NAME2",
    "MOTION",
    "SHADOW_MOTION",
    "OUTLINE",
    "VERTEX_ANIME",
    "SHAPE_ANIME",
    "KEY_START",
    "KEY",
    "KEY_END",
    "SEQ_START",
    "SEQ",
    "SEQ_END",
    "CLOTH_START",
    "CLOTH",
    "CLOTH_END",
    "POSITION",
    "ROTATION",
    "SE_START",
    "SE",
    "SELP",
    "SE_END",
    "MOTION_END",
    "EFFECT_START",
    "EFFECT",
    "EFFECT_END",
    "LOD_MODEL_START",
    "LOD_MODEL",
    "LOD_MODEL_END",
    // Without a number: Dark Cloud 1's.
    "SHADOW_VERTEX_ANIME",
    "ALLOC_MDT",
    "ALLOC_DBUFF",
    "ALLOC_SHADOW_MDT",
    "ALLOC_SHADOW_DBUFF",
    "FOOT",
    "EVENT",
};

const char *level5_tag_at(int32_t number) { return number >= 0 && number < OLDER_TAGS ? tags[number] : NULL; }

bool level5_is_tag(sni_str word)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (sni_str_is_nocase(word, tags[i])) return true;
    return false;
}

static sni_str name_tag(sni_arena *arena, int32_t number)
{
    char text[16];
    const char *known = level5_tag_at(number);
    if (known) return sni_str_make(known, strlen(known));
    int size = snprintf(text, sizeof text, "#%d", number);
    const char *copy = sni_copy_text(arena, text, (size_t)size);
    return copy ? sni_str_make(copy, (size_t)size) : sni_str_make("", 0);
}

static void skip_padding(sni_reader *in)
{
    uint64_t over = sni_offset(in) % 4;
    if (over > 0) sni_skip(in, 4 - over < sni_rest(in) ? 4 - over : sni_rest(in));
}

static bool read_text(sni_reader *in, level5_value *value)
{
    value->kind = LEVEL5_TEXT;
    value->text = level5_cut_at_nul(in->at, sni_rest(in));
    if (value->text.size == sni_rest(in)) return false;
    sni_skip(in, value->text.size + 1);
    skip_padding(in);
    return true;
}

static int32_t to_int(float real)
{
    return real >= 2147483648.0f ? INT32_MAX : real <= -2147483648.0f ? INT32_MIN : real == real ? (int32_t)real : 0;
}

// False where the file ends before the value, or its type is none.
static bool read_value(sni_reader *in, uint8_t type, level5_value *value)
{
    if (type == TYPE_TEXT) return read_text(in, value);
    if ((type != TYPE_INT && type != TYPE_FLOAT) || sni_rest(in) < 4) return false;
    value->kind = type == TYPE_INT ? LEVEL5_INT : LEVEL5_FLOAT;
    if (type == TYPE_INT) value->number = sni_read_i32(in), value->real = (float)value->number;
    else value->real = sni_read_f32(in), value->number = to_int(value->real);
    return true;
}

static bool read_command(sni_reader *in, sni_arena *arena, level5_command *command)
{
    if (sni_rest(in) < 4) return false;
    int32_t number = (int16_t)sni_read_u16(in), count = (int16_t)sni_read_u16(in);
    if (number < 0 || count < 0 || (size_t)count > sni_rest(in)) return false;
    const uint8_t *types = sni_take(in, (uint64_t)count);
    skip_padding(in);
    command->args = sni_new(arena, level5_value, (uint64_t)count);
    command->tag = name_tag(arena, number);
    if (!command->args) return false;
    command->arg_count = (uint32_t)count;
    for (int32_t i = 0; i < count; i++)
        if (!read_value(in, types[i], &command->args[i])) return false;
    return true;
}

bool level5_parse_config_bin(level5_parser *p, level5_config *config)
{
    sni_list list = { 0 };
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    uint64_t end = 0;
    config->is_compiled = config->has_semicolons = true;
    sni_skip(&in, 4);
    while (sni_ok(&in) && sni_rest(&in) > 0) {
        level5_command command = { .offset = sni_offset(&in) };
        if (!read_command(&in, p->arena, &command)) break;
        level5_command *slot = sni_push(p->arena, &list, level5_command);
        if (!slot) break;
        command.source = sni_str_make((const char *)p->bytes.data + end, (size_t)(sni_offset(&in) - end));
        *slot = command;
        end = sni_offset(&in);
    }
    config->commands = list.items;
    config->command_count = list.count;
    config->rest = sni_str_make((const char *)p->bytes.data + end, p->bytes.size - (size_t)end);
    if (list.count == 0 ? config->rest.size > 4 : config->rest.size > 0)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, end, "%zu bytes behind the last command", config->rest.size);
    return sni_ok(&in);
}
