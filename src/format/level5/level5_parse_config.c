// info.cfg: text of commands, in either game's grammar. Dark Cloud 1 goes on with the next word it knows; Dark Cloud 2
// ends each command with a semicolon. Text is Shift-JIS, whose second bytes may be a backslash but no quote, slash or
// line end.
#include "format/level5/level5_parse.h"

#include <float.h>

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
    sni_diag *diag;
} lexer;

static bool is_blank(char c) { return (unsigned char)c <= ' ' && c != '\n'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool has_two(const lexer *lex, char first, char second)
{
    return lex->end - lex->at >= 2 && lex->at[0] == first && lex->at[1] == second;
}

static void warn_open(const lexer *lex, const char *start, const char *what)
{
    if (lex->diag) sni_warn(lex->diag, SNI_WARN_LEVEL5_TEXT, (uint64_t)(start - lex->start), "a %s does not end", what);
}

static void skip_comment(lexer *lex)
{
    const char *start = lex->at;
    bool is_block = lex->at[1] == '*';
    lex->at += 2;
    while (lex->at < lex->end && !(is_block ? has_two(lex, '*', '/') : *lex->at == '\n' || *lex->at == '\r')) lex->at++;
    if (!is_block) return;
    if (lex->at == lex->end) warn_open(lex, start, "comment");
    else lex->at += 2;
}

// Half-width katakana are single bytes.
static bool is_lead(unsigned char c) { return (c >= 0x80 && c <= 0xA0) || c >= 0xE0; }

static void skip_quote(lexer *lex)
{
    const char *start = lex->at++;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n') {
        bool is_pair = is_lead((unsigned char)*lex->at) || has_two(lex, '\\', '"');
        lex->at += is_pair && lex->end - lex->at >= 2 && lex->at[1] != '\n' ? 2 : 1;
    }
    if (lex->at < lex->end && *lex->at == '"') lex->at++;
    else warn_open(lex, start, "quote");
}

static bool ends_word(char c) { return is_blank(c) || c == '\n' || c == ',' || c == ';' || c == '"'; }

static void skip_word(lexer *lex)
{
    while (lex->at < lex->end && !ends_word(*lex->at) && !has_two(lex, '/', '/') && !has_two(lex, '/', '*')) lex->at++;
}

static token next_token(lexer *lex)
{
    while (lex->at < lex->end && is_blank(*lex->at)) lex->at++;
    token t = { .kind = TOKEN_END, .start = lex->at };
    if (lex->at < lex->end) {
        bool is_comment = has_two(lex, '/', '/') || has_two(lex, '/', '*');
        char c = *lex->at;
        t.kind = is_comment  ? TOKEN_COMMENT
                 : c == '"'  ? TOKEN_QUOTE
                 : c == '\n' ? TOKEN_LINE
                 : c == ','  ? TOKEN_COMMA
                 : c == ';'  ? TOKEN_SEMICOLON
                             : TOKEN_WORD;
        if (is_comment) skip_comment(lex);
        else if (t.kind == TOKEN_QUOTE) skip_quote(lex);
        else if (t.kind == TOKEN_WORD) skip_word(lex);
        else lex->at++;
    }
    t.end = lex->at;
    return t;
}

static bool find_semicolon(lexer lex)
{
    token t;
    lex.diag = NULL;
    do t = next_token(&lex);
    while (t.kind != TOKEN_END && t.kind != TOKEN_SEMICOLON);
    return t.kind == TOKEN_SEMICOLON;
}

// The tag in capitals, as all but one ("v2") are written.
static sni_str read_tag(sni_arena *arena, token t)
{
    sni_str tag = sni_str_make(t.start, (size_t)(t.end - t.start));
    char *copy = sni_copy_text(arena, tag.at, tag.size);
    for (size_t i = 0; copy && i < tag.size; i++)
        if (copy[i] >= 'a' && copy[i] <= 'z') copy[i] = (char)(copy[i] - 32);
    return copy ? sni_str_make(copy, tag.size) : tag;
}

// Without the quotes, and without the backslashes that stand before others.
static sni_str read_quote(sni_arena *arena, token t)
{
    bool is_closed = t.end - t.start >= 2 && t.end[-1] == '"';
    sni_str text = sni_str_make(t.start + 1, (size_t)(t.end - t.start) - 1 - is_closed);
    if (!memchr(text.at, '\\', text.size)) return text;
    char *copy = sni_copy_text(arena, text.at, text.size);
    size_t used = 0;
    for (size_t i = 0; copy && i < text.size; i++) {
        bool is_lead_byte = is_lead((unsigned char)copy[i]) && i + 1 < text.size;
        if (is_lead_byte) copy[used++] = copy[i++];
        else if (copy[i] == '\\' && i + 1 < text.size && copy[i + 1] == '"') i++;
        copy[used++] = copy[i];
    }
    return copy ? sni_str_make(copy, used) : text;
}

// Digits with a sign or a point; a point makes it a float.
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

// What is being read: values lie in one row until all are there, as the commands do.
typedef struct config_parser {
    level5_parser *p;
    lexer lex;
    level5_config *config;
    sni_list commands, values;
    const char *end;    // of the last command's source
    bool is_open;       // it may have more arguments
    bool is_same_line;  // nothing but blanks and commas since it
    bool is_line_start, is_after_comma;
} config_parser;

static level5_command *last_command(const config_parser *c)
{
    return c->commands.count > 0 ? (level5_command *)c->commands.items + c->commands.count - 1 : NULL;
}

// The last command reaches to the end of this token.
static void extend(config_parser *c, token t)
{
    level5_command *command = last_command(c);
    command->source.size = (size_t)(t.end - command->source.at);
    c->end = t.end;
}

static void begin_command(config_parser *c, token t)
{
    level5_command *command = sni_push(c->p->arena, &c->commands, level5_command);
    if (!command) return;
    command->offset = (uint64_t)(t.start - c->lex.start);
    command->tag = read_tag(c->p->arena, t);
    command->source.at = c->end;
    c->is_open = c->is_same_line = true;
    extend(c, t);
}

static void add_value(config_parser *c, token t)
{
    level5_value *value = c->is_open ? sni_push(c->p->arena, &c->values, level5_value) : NULL;
    if (!value) return;
    if (t.kind == TOKEN_QUOTE || !read_number(t, value)) {
        value->kind = LEVEL5_TEXT;
        value->text = t.kind == TOKEN_QUOTE ? read_quote(c->p->arena, t)
                                            : sni_str_make(t.start, (size_t)(t.end - t.start));
    }
    last_command(c)->arg_count++;
    c->is_same_line = true;
    extend(c, t);
}

// Dark Cloud 1 has quotes and numbers for arguments, so a word is a tag. In Dark Cloud 2 one begins after a semicolon;
// one that begins a line, too, if it looks like a tag: not all files have all their semicolons.
static bool is_tag(const config_parser *c, token t)
{
    if (!is_letter(*t.start)) return false;
    if (!c->config->has_semicolons || !c->is_open) return true;
    return c->is_line_start && !c->is_after_comma && *t.start >= 'A' && *t.start <= 'Z';
}

static void parse_token(config_parser *c, token t)
{
    switch (t.kind) {
    case TOKEN_WORD:
        if (is_tag(c, t)) begin_command(c, t);
        else add_value(c, t);
        break;
    case TOKEN_QUOTE: add_value(c, t); break;
    case TOKEN_COMMA:
        if (c->is_open) extend(c, t);
        break;
    case TOKEN_SEMICOLON:
        if (c->is_open) extend(c, t);
        c->is_open = false;
        break;
    case TOKEN_COMMENT:
        if (!c->is_same_line) break;
        if (last_command(c)->comment.size == 0) last_command(c)->comment = read_comment(t);
        extend(c, t);
        break;
    default: c->is_same_line = false;
    }
    c->is_line_start = t.kind == TOKEN_LINE || (c->is_line_start && t.kind == TOKEN_COMMENT);
    c->is_after_comma = t.kind == TOKEN_COMMA ||
                        (c->is_after_comma && (t.kind == TOKEN_LINE || t.kind == TOKEN_COMMENT));
}

bool level5_parse_config(level5_parser *p, level5_config *config)
{
    const char *text = (const char *)p->bytes.data;
    if (p->bytes.size >= 4 && memcmp(text, "BIN", 4) == 0) return level5_parse_config_bin(p, config);
    config_parser c = { .p = p,
                        .lex = { text, text + level5_text_mark(p->bytes), text + p->bytes.size, p->diag },
                        .config = config,
                        .end = text,
                        .is_line_start = true };
    config->has_semicolons = find_semicolon(c.lex);
    for (token t = next_token(&c.lex); t.kind != TOKEN_END && sni_load_ok(p->load); t = next_token(&c.lex))
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
