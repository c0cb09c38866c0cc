// info.cfg: commands, as text in the grammar of either game or in DC2's compiled form. Text is Shift-JIS: the second
// byte of a character may be a backslash, but never a quote, a slash or a line end.
#include "format/level5/level5_parse.h"

#include <float.h>
#include <stdio.h>

// --- Tags ---

// Compiled files store the index of a tag in this table. The last seven are DC1's and have no number.
enum { COMPILED_TAGS = 39 };
// clang-format off
static const char *const tags[] = {
    "V2", "NAME", "IMG", "IMG_END", "BODY_SIZE", "SCALE", "MATERIAL_ANIME", "POLY_NUM", "MODEL", "SHADOW_MODEL",
    "OBJECT_NAME", "OBJECT_NAME2", "MOTION", "SHADOW_MOTION", "OUTLINE", "VERTEX_ANIME", "SHAPE_ANIME", "KEY_START",
    "KEY", "KEY_END", "SEQ_START", "SEQ", "SEQ_END", "CLOTH_START", "CLOTH", "CLOTH_END", "POSITION", "ROTATION",
    "SE_START", "SE", "SELP", "SE_END", "MOTION_END", "EFFECT_START", "EFFECT", "EFFECT_END", "LOD_MODEL_START",
    "LOD_MODEL", "LOD_MODEL_END",
    "SHADOW_VERTEX_ANIME", "ALLOC_MDT", "ALLOC_DBUFF", "ALLOC_SHADOW_MDT", "ALLOC_SHADOW_DBUFF", "FOOT", "EVENT",
};
// clang-format on

const char *level5_tag_at(int32_t number) { return number >= 0 && number < COMPILED_TAGS ? tags[number] : NULL; }

// --- Tokens ---

typedef enum token_kind {
    TOKEN_END,
    TOKEN_LINE,
    TOKEN_WORD,
    TOKEN_QUOTE,
    TOKEN_COMMENT,
    TOKEN_COMMA,
    TOKEN_SEMICOLON
} token_kind;
typedef struct token {
    token_kind kind;
    const char *start, *end;
} token;
typedef struct lexer {
    const char *start, *at, *end;
    sni_diag *diag;  // NULL: no warnings
} lexer;

static bool is_blank(char c) { return (unsigned char)c <= ' ' && c != '\n'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool is_lead(unsigned char c) { return (c >= 0x80 && c <= 0xA0) || c >= 0xE0; }  // katakana have one byte

static bool has_pair(const lexer *lex, char first, char second)
{
    return lex->end - lex->at >= 2 && lex->at[0] == first && lex->at[1] == second;
}

static bool at_comment(const lexer *lex) { return has_pair(lex, '/', '/') || has_pair(lex, '/', '*'); }

static lexer start_lexer(sni_bytes bytes, sni_diag *diag)
{
    const char *text = (const char *)bytes.data;
    bool has_bom = bytes.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    return (lexer){ text, text + (has_bom ? 3 : 0), text + bytes.size, diag };
}

static void warn_unterminated(const lexer *lex, const char *start, const char *what)
{
    if (lex->diag) sni_warn(lex->diag, SNI_WARN_LEVEL5_TEXT, (uint64_t)(start - lex->start), "unterminated %s", what);
}

static void skip_comment(lexer *lex)
{
    const char *start = lex->at;
    bool is_block = lex->at[1] == '*';
    lex->at += 2;
    while (lex->at < lex->end && !(is_block ? has_pair(lex, '*', '/') : *lex->at == '\n' || *lex->at == '\r'))
        lex->at++;
    if (!is_block) return;
    if (lex->at == lex->end) warn_unterminated(lex, start, "comment");
    else lex->at += 2;
}

static void skip_quote(lexer *lex)
{
    const char *start = lex->at++;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n') {
        bool is_pair = is_lead((unsigned char)*lex->at) || has_pair(lex, '\\', '"');
        lex->at += is_pair && lex->end - lex->at >= 2 && lex->at[1] != '\n' ? 2 : 1;
    }
    if (lex->at < lex->end && *lex->at == '"') lex->at++;
    else warn_unterminated(lex, start, "quote");
}

static token next_token(lexer *lex)
{
    while (lex->at < lex->end && is_blank(*lex->at)) lex->at++;
    token t = { .kind = TOKEN_WORD, .start = lex->at };
    if (lex->at == lex->end) t.kind = TOKEN_END;
    else if (at_comment(lex)) t.kind = TOKEN_COMMENT, skip_comment(lex);
    else if (*lex->at == '"') t.kind = TOKEN_QUOTE, skip_quote(lex);
    else if (*lex->at == '\n') t.kind = TOKEN_LINE, lex->at++;
    else if (*lex->at == ',') t.kind = TOKEN_COMMA, lex->at++;
    else if (*lex->at == ';') t.kind = TOKEN_SEMICOLON, lex->at++;
    else
        while (lex->at < lex->end && (unsigned char)*lex->at > ' ' && !strchr(",;\"", *lex->at) && !at_comment(lex))
            lex->at++;
    t.end = lex->at;
    return t;
}

static sni_str token_text(token t) { return sni_str_make(t.start, (size_t)(t.end - t.start)); }

bool level5_is_text_config(sni_bytes bytes)
{
    enum { END_OF_TEXT = 0x1A };
    while (bytes.size > 0 && (bytes.data[bytes.size - 1] == 0 || bytes.data[bytes.size - 1] == END_OF_TEXT))
        bytes.size--;
    lexer lex = start_lexer(bytes, NULL);
    token t = next_token(&lex);
    while (t.kind == TOKEN_LINE || t.kind == TOKEN_COMMENT) t = next_token(&lex);
    sni_str word = sni_str_make(t.start, 0);
    while (word.at + word.size < t.end && (is_letter(word.at[word.size]) || strchr("_2", word.at[word.size])))
        word.size++;
    bool is_tag = false;
    for (size_t i = 0; i < sizeof tags / sizeof *tags && !is_tag; i++) is_tag = sni_str_is_nocase(word, tags[i]);
    return is_tag && word.at + word.size < lex.end && !memchr(bytes.data, 0, bytes.size);
}

// --- Values ---

// The tag in capitals; "v2" is the only one that files write otherwise.
static sni_str read_tag(sni_arena *arena, token t)
{
    sni_str tag = token_text(t);
    char *copy = sni_copy_text(arena, tag.at, tag.size);
    for (size_t i = 0; copy && i < tag.size; i++)
        if (copy[i] >= 'a' && copy[i] <= 'z') copy[i] = (char)(copy[i] - 32);
    return copy ? sni_str_make(copy, tag.size) : tag;
}

// Without the quotes and without the backslashes of escaped quotes.
static sni_str read_quote(sni_arena *arena, token t)
{
    bool is_closed = t.end - t.start >= 2 && t.end[-1] == '"';
    sni_str text = sni_str_make(t.start + 1, (size_t)(t.end - t.start) - 1 - is_closed);
    if (!memchr(text.at, '\\', text.size)) return text;
    char *copy = sni_copy_text(arena, text.at, text.size);
    size_t used = 0;
    for (size_t i = 0; copy && i < text.size; i++) {
        bool is_pair = is_lead((unsigned char)copy[i]) && i + 1 < text.size;
        if (is_pair) copy[used++] = copy[i++];
        else if (copy[i] == '\\' && i + 1 < text.size && copy[i + 1] == '"') i++;
        copy[used++] = copy[i];
    }
    return copy ? sni_str_make(copy, used) : text;
}

// Digits with an optional sign, point and suffix 'f'. A point makes it a float.
static bool read_number(token t, level5_value *value)
{
    const char *at = t.start + (*t.start == '+'), *first = at;
    uint32_t digits = 0, points = 0;
    at += at < t.end && *at == '-';
    for (; at < t.end && (is_digit(*at) || *at == '.'); at++) digits += is_digit(*at), points += *at == '.';
    bool has_suffix = at + 1 == t.end && (*at == 'f' || *at == 'F');
    if (digits == 0 || points > 1 || (at != t.end && !has_suffix)) return false;
    float real = sni_parse_float(first, (size_t)(at - first));
    value->kind = points > 0 ? LEVEL5_FLOAT : LEVEL5_INT;
    value->real = real > FLT_MAX ? FLT_MAX : real < -FLT_MAX ? -FLT_MAX : real;
    const char *digit = first + (*first == '-');
    int64_t number = 0;
    for (; digit < at && is_digit(*digit) && number <= INT32_MAX; digit++) number = number * 10 + (*digit - '0');
    if (number > INT32_MAX) number = INT32_MAX;
    value->number = (int32_t)(*first == '-' ? -number : number);
    return true;
}

static sni_str read_comment(token t)
{
    sni_str text = sni_str_make(t.start + 2, (size_t)(t.end - t.start) - 2);
    while (text.size > 0 && (is_blank(*text.at) || *text.at == '/' || *text.at == '*')) text.at++, text.size--;
    while (text.size > 0 && (is_blank(text.at[text.size - 1]) || strchr("/*\n", text.at[text.size - 1]))) text.size--;
    return text;
}

// --- Commands as text ---

typedef struct text_parser {
    level5_parser *p;
    lexer lex;
    level5_config *config;
    sni_list commands, values;  // values of all commands, in one array until the list is complete
    const char *end;            // of the last command's source
    bool is_open;               // the last command may have more arguments
    bool is_same_line;          // only blanks and commas since the last command
    bool is_line_start, is_after_comma;
} text_parser;

static level5_command *last_command(const text_parser *c)
{
    return c->commands.count > 0 ? (level5_command *)c->commands.items + c->commands.count - 1 : NULL;
}

// Makes a token the end of the last command's source.
static void extend_source(text_parser *c, token t)
{
    level5_command *command = last_command(c);
    command->source.size = (size_t)(t.end - command->source.at);
    c->end = t.end;
}

static void begin_command(text_parser *c, token t)
{
    level5_command *command = sni_push(c->p->arena, &c->commands, level5_command);
    if (!command) return;
    command->offset = (uint64_t)(t.start - c->lex.start);
    command->tag = read_tag(c->p->arena, t);
    command->source.at = c->end;
    c->is_open = c->is_same_line = true;
    extend_source(c, t);
}

static void add_value(text_parser *c, token t)
{
    level5_value *value = c->is_open ? sni_push(c->p->arena, &c->values, level5_value) : NULL;
    if (!value) return;
    if (t.kind == TOKEN_QUOTE || !read_number(t, value)) {
        value->kind = LEVEL5_TEXT;
        value->text = t.kind == TOKEN_QUOTE ? read_quote(c->p->arena, t) : token_text(t);
    }
    last_command(c)->arg_count++;
    c->is_same_line = true;
    extend_source(c, t);
}

// DC1: arguments are quotes and numbers, so every word is a tag. DC2: a tag follows a semicolon. Some files lack
// semicolons, so a capitalised word at the start of a line is a tag too.
static bool is_tag(const text_parser *c, token t)
{
    if (!is_letter(*t.start)) return false;
    if (!c->config->has_semicolons || !c->is_open) return true;
    return c->is_line_start && !c->is_after_comma && *t.start >= 'A' && *t.start <= 'Z';
}

static void parse_token(text_parser *c, token t)
{
    switch (t.kind) {
    case TOKEN_WORD:
        if (is_tag(c, t)) begin_command(c, t);
        else add_value(c, t);
        break;
    case TOKEN_QUOTE: add_value(c, t); break;
    case TOKEN_COMMA:
        if (c->is_open) extend_source(c, t);
        break;
    case TOKEN_SEMICOLON:
        if (c->is_open) extend_source(c, t);
        c->is_open = false;
        break;
    case TOKEN_COMMENT:
        if (!c->is_same_line) break;
        if (last_command(c)->comment.size == 0) last_command(c)->comment = read_comment(t);
        extend_source(c, t);
        break;
    default: c->is_same_line = false;
    }
    c->is_line_start = t.kind == TOKEN_LINE || (c->is_line_start && t.kind == TOKEN_COMMENT);
    c->is_after_comma = t.kind == TOKEN_COMMA ||
                        (c->is_after_comma && (t.kind == TOKEN_LINE || t.kind == TOKEN_COMMENT));
}

static bool parse_text(level5_parser *p, level5_config *config)
{
    text_parser c = { .p = p,
                      .lex = start_lexer(p->bytes, NULL),
                      .config = config,
                      .end = (const char *)p->bytes.data,
                      .is_line_start = true };
    lexer ahead = c.lex;
    token t = next_token(&ahead);
    while (t.kind != TOKEN_END && t.kind != TOKEN_SEMICOLON) t = next_token(&ahead);
    config->has_semicolons = t.kind == TOKEN_SEMICOLON;

    c.lex.diag = p->diag;
    for (t = next_token(&c.lex); t.kind != TOKEN_END && sni_load_ok(p->load); t = next_token(&c.lex))
        parse_token(&c, t);
    config->commands = c.commands.items;
    config->command_count = c.commands.count;
    config->rest = sni_str_make(c.end, (size_t)(c.lex.end - c.end));
    level5_value *values = c.values.items;
    for (uint32_t i = 0; i < config->command_count && values && sni_load_ok(p->load); i++) {
        config->commands[i].args = values;
        values += config->commands[i].arg_count;
    }
    return sni_load_ok(p->load);
}

// --- Compiled commands: "BIN", then per command the number of its tag (u16), the number of arguments (u16), a type
// byte for each, and the values, aligned to four bytes ---

enum { TYPE_INT = 1, TYPE_FLOAT = 2, TYPE_TEXT = 3 };

bool level5_is_compiled_config(sni_bytes bytes)
{
    return bytes.size >= 16 && memcmp(bytes.data, "BIN", 4) == 0 &&
           level5_tag_at((int16_t)sni_load_u16(bytes.data + 4)) && sni_load_u16(bytes.data + 6) <= 64;
}

static void skip_padding(sni_reader *in)
{
    uint64_t over = sni_offset(in) % 4;
    if (over > 0) sni_skip(in, 4 - over < sni_rest(in) ? 4 - over : sni_rest(in));
}

static int32_t to_int(float real)
{
    return real >= 2147483648.0f ? INT32_MAX : real <= -2147483648.0f ? INT32_MIN : real == real ? (int32_t)real : 0;
}

// False where the file ends before the value, or for an unknown type.
static bool read_value(sni_reader *in, uint8_t type, level5_value *value)
{
    if (type == TYPE_TEXT) {
        value->kind = LEVEL5_TEXT;
        value->text = sni_str_until_nul(in->at, sni_rest(in));
        if (value->text.size == sni_rest(in)) return false;
        sni_skip(in, value->text.size + 1);
        skip_padding(in);
        return true;
    }
    if ((type != TYPE_INT && type != TYPE_FLOAT) || sni_rest(in) < 4) return false;
    value->kind = type == TYPE_INT ? LEVEL5_INT : LEVEL5_FLOAT;
    if (type == TYPE_INT) value->number = sni_read_i32(in), value->real = (float)value->number;
    else value->real = sni_read_f32(in), value->number = to_int(value->real);
    return true;
}

static bool read_compiled(sni_reader *in, sni_arena *arena, level5_command *command)
{
    if (sni_rest(in) < 4) return false;
    int32_t number = (int16_t)sni_read_u16(in), count = (int16_t)sni_read_u16(in);
    if (number < 0 || count < 0 || (size_t)count > sni_rest(in)) return false;
    const uint8_t *types = sni_take(in, (uint64_t)count);
    skip_padding(in);
    command->args = sni_new(arena, level5_value, (uint64_t)count);
    if (!command->args) return false;
    command->arg_count = (uint32_t)count;

    const char *tag = level5_tag_at(number);
    char text[16];
    snprintf(text, sizeof text, "#%d", number);
    if (!tag) tag = sni_copy_text(arena, text, strlen(text));
    command->tag = tag ? sni_str_make(tag, strlen(tag)) : sni_str_make("", 0);

    for (int32_t i = 0; i < count; i++)
        if (!read_value(in, types[i], &command->args[i])) return false;
    return true;
}

static bool parse_compiled(level5_parser *p, level5_config *config)
{
    sni_list list = { 0 };
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    uint64_t end = 0;
    config->is_compiled = config->has_semicolons = true;
    sni_skip(&in, 4);
    while (sni_ok(&in) && sni_rest(&in) > 0) {
        level5_command command = { .offset = sni_offset(&in) };
        if (!read_compiled(&in, p->arena, &command)) break;
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
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, end, "%zu bytes after the last command", config->rest.size);
    return sni_ok(&in);
}

bool level5_parse_config(level5_parser *p, level5_config *config)
{
    bool is_compiled = p->bytes.size >= 4 && memcmp(p->bytes.data, "BIN", 4) == 0;
    return is_compiled ? parse_compiled(p, config) : parse_text(p, config);
}
