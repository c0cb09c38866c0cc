// Configurations: what was read goes out as it came, what was made is put into the file's grammar.
#include "format/level5/level5_parse.h"

#include <stdio.h>

// The games know no exponents, and take a number for a float by its point.
static void write_float(float value, sni_writer *out)
{
    char text[64];
    size_t size = sni_format_float(value, text);
    if (memchr(text, 'e', size)) {
        size = (size_t)snprintf(text, sizeof text, "%.9f", (double)value);
        text[size - 10] = '.';  // whatever the locale has there
    }
    sni_write_bytes(out, text, size);
    if (!memchr(text, '.', size)) sni_write_text(out, ".0");
}

static void write_number(const level5_value *value, sni_writer *out)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value->number);
    if (value->kind == LEVEL5_INT) sni_write_text(out, text);
    else write_float(value->real, out);
}

static void write_quote(sni_str text, sni_writer *out)
{
    sni_write_u8(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '"') sni_write_u8(out, '\\');
        sni_write_u8(out, (uint8_t)text.at[i]);
    }
    sni_write_u8(out, '"');
}

static void write_command(const level5_command *command, bool has_semicolons, sni_writer *out)
{
    sni_write_bytes(out, command->tag.at, command->tag.size);
    for (uint32_t i = 0; i < command->arg_count; i++) {
        sni_write_text(out, i == 0 ? " " : ", ");
        if (command->args[i].kind == LEVEL5_TEXT) write_quote(command->args[i].text, out);
        else write_number(&command->args[i], out);
    }
    if (has_semicolons) sni_write_text(out, ";");
    if (command->comment.size > 0) {
        sni_write_text(out, " // ");
        sni_write_bytes(out, command->comment.at, command->comment.size);
    }
    sni_write_text(out, "\r\n");
}

static uint16_t find_number(sni_str tag)
{
    for (int32_t i = 0; level5_tag_at(i); i++)
        if (sni_str_is_nocase(tag, level5_tag_at(i))) return (uint16_t)i;
    uint16_t number = 0;
    for (size_t i = 1; i < tag.size && tag.at[i] >= '0' && tag.at[i] <= '9'; i++)
        number = (uint16_t)(number * 10 + (tag.at[i] - '0'));
    return number;
}

static void write_compiled(const level5_command *command, sni_writer *out)
{
    static const uint8_t types[] = { [LEVEL5_INT] = 1, [LEVEL5_FLOAT] = 2, [LEVEL5_TEXT] = 3 };
    sni_write_u16(out, find_number(command->tag));
    sni_write_u16(out, (uint16_t)command->arg_count);
    for (uint32_t i = 0; i < command->arg_count; i++) sni_write_u8(out, types[command->args[i].kind]);
    sni_write_align(out, 4, 0);
    for (uint32_t i = 0; i < command->arg_count; i++) {
        const level5_value *value = &command->args[i];
        if (value->kind == LEVEL5_INT) sni_write_u32(out, (uint32_t)value->number);
        else if (value->kind == LEVEL5_FLOAT) sni_write_f32(out, value->real);
        else sni_write_bytes(out, value->text.at, value->text.size), sni_write_u8(out, 0), sni_write_align(out, 4, 0);
    }
}

void level5_write_config(const level5_config *config, sni_writer *out)
{
    bool is_made = config->command_count > 0 && !config->commands[0].source.at;
    if (config->is_compiled && is_made) sni_write_bytes(out, "BIN", 4);
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        if (command->source.at) sni_write_bytes(out, command->source.at, command->source.size);
        else if (config->is_compiled) write_compiled(command, out);
        else write_command(command, config->has_semicolons, out);
    }
    sni_write_bytes(out, config->rest.at, config->rest.size);
}
