#include "format/mdx/mdx_lex.h"

#include <math.h>

enum { IN_WORD, SEPARATOR, BRACE, QUOTE };

static inline int class_of(char c)
{
    uint8_t byte = (uint8_t)c;
    if (byte <= ' ' || byte == ',' || byte == ':') return SEPARATOR;
    if (byte == '{' || byte == '}') return BRACE;
    return byte == '"' ? QUOTE : IN_WORD;
}

mdx_lexer mdx_lex_make(sni_bytes bytes, sni_diag *diag)
{
    const char *start = (const char *)bytes.data, *at = start;
    if (bytes.size >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0) at += 3;
    return (mdx_lexer){ start, at, start + bytes.size, diag, start, 1 };
}

uint64_t mdx_lex_offset(const mdx_lexer *lex) { return (uint64_t)(lex->at - lex->start); }

uint32_t mdx_lex_line(mdx_lexer *lex)
{
    for (; lex->counted < lex->at; lex->counted++) lex->line += *lex->counted == '\n';
    return lex->line;
}

bool mdx_lex_fail(mdx_lexer *lex, sn_status status, const char *what)
{
    return sni_fail(lex->diag, status, mdx_lex_offset(lex), "line %u: %s", mdx_lex_line(lex), what);
}

static bool is_comment(const mdx_lexer *lex, const char *at)
{
    return *at == '/' && lex->end - at >= 2 && at[1] == '/';
}

// What stands behind "//@" other programs do not see, but we do: facts that MDL has no words for.
static const char *comment_end(const mdx_lexer *lex, const char *at)
{
    if (lex->end - at >= 3 && at[2] == '@') return at + 3;
    const char *newline = memchr(at, '\n', (size_t)(lex->end - at));
    return newline ? newline : lex->end;
}

static inline void skip_separators(mdx_lexer *lex)
{
    const char *at = lex->at;
    while (at < lex->end) {
        if (class_of(*at) == SEPARATOR) at++;
        else if (is_comment(lex, at)) at = comment_end(lex, at);
        else break;
    }
    lex->at = at;
}

char mdx_lex_peek(mdx_lexer *lex)
{
    if (!mdx_lex_ok(lex)) return 0;
    skip_separators(lex);
    return lex->at < lex->end ? *lex->at : 0;
}

bool mdx_lex_is_number(mdx_lexer *lex)
{
    char c = mdx_lex_peek(lex);
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

bool mdx_lex_take(mdx_lexer *lex, char brace)
{
    if (mdx_lex_peek(lex) != brace) return false;
    lex->at++;
    return true;
}

bool mdx_lex_open(mdx_lexer *lex)
{
    if (mdx_lex_take(lex, '{')) return true;
    bool is_end = lex->at == lex->end;
    return mdx_lex_fail(lex, is_end ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT,
                        is_end ? "the text ends before a {" : "a { is missing");
}

bool mdx_lex_more(mdx_lexer *lex)
{
    char next = mdx_lex_peek(lex);
    if (next == '}') {
        lex->at++;
        return false;
    }
    return next ? true : mdx_lex_fail(lex, SN_ERR_TRUNCATED, "the text ends inside a block, a } is missing");
}

// Behind separators.
static sni_str take_word(mdx_lexer *lex)
{
    const char *at = lex->at;
    while (at < lex->end && class_of(*at) == IN_WORD && !is_comment(lex, at)) at++;
    sni_str word = { lex->at, (size_t)(at - lex->at) };
    lex->at = at;
    return word;
}

sni_str mdx_lex_word(mdx_lexer *lex) { return mdx_lex_peek(lex) ? take_word(lex) : sni_str_make("", 0); }

// MDL knows no escapes. Names with a quote inside are told apart by what follows: a closing quote ends its word.
static bool is_closing(const mdx_lexer *lex, const char *quote)
{
    const char *next = quote + 1;
    return next == lex->end || class_of(*next) == SEPARATOR || class_of(*next) == BRACE || is_comment(lex, next);
}

sni_str mdx_lex_string(mdx_lexer *lex)
{
    if (mdx_lex_peek(lex) != '"') return mdx_lex_word(lex);
    const char *first = lex->at + 1, *quote = first;
    while ((quote = memchr(quote, '"', (size_t)(lex->end - quote))) && !is_closing(lex, quote)) quote++;
    if (!quote) {
        mdx_lex_fail(lex, SN_ERR_TRUNCATED, "the text ends inside a string, its closing quote is missing");
        return sni_str_make("", 0);
    }
    lex->at = quote + 1;
    return sni_str_make(first, (size_t)(quote - first));
}

static void warn_number(mdx_lexer *lex, uint64_t offset, sni_str word)
{
    int shown = word.size < 24 ? (int)word.size : 24;
    sni_warn(lex->diag, SNI_WARN_MDL_NUMBER, offset, "line %u: \"%.*s\" is no number; read as 0", mdx_lex_line(lex),
             shown, word.at);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

// Numbers that JSON would not write: a plus, leading zeros, nothing before or behind the point.
static bool is_loose_number(const char *at, const char *end)
{
    const char *whole = skip_digits(at, end), *point = whole;
    bool has_digits = whole > at;
    if (point < end && *point == '.') {
        whole = skip_digits(point + 1, end);
        has_digits = has_digits || whole > point + 1;
    }
    if (!has_digits) return false;
    if (whole == end || (*whole != 'e' && *whole != 'E')) return whole == end;
    whole++;
    if (whole < end && (*whole == '+' || *whole == '-')) whole++;
    return whole < end && skip_digits(whole, end) == end;
}

// The value of a word that is not written as JSON would, or not at all a number.
static float loose_float(mdx_lexer *lex)
{
    uint64_t offset = mdx_lex_offset(lex);
    char next = mdx_lex_peek(lex);
    sni_str word = next == '"' ? mdx_lex_string(lex) : mdx_lex_word(lex);
    const char *at = word.at, *end = at + word.size;
    bool is_negative = word.size > 0 && *at == '-';
    if (word.size > 0 && (*at == '-' || *at == '+')) at++;
    float value = is_loose_number(at, end) ? sni_parse_float(at, (size_t)(end - at)) : NAN;
    if (isfinite(value)) return is_negative ? -value : value;
    if (mdx_lex_ok(lex)) warn_number(lex, offset, word);
    return 0;
}

static bool ends_word(const mdx_lexer *lex, const char *at)
{
    return at == lex->end || class_of(*at) != IN_WORD || is_comment(lex, at);
}

float mdx_lex_float(mdx_lexer *lex)
{
    float value;
    if (!mdx_lex_peek(lex)) return 0;
    const char *end = sni_scan_float(lex->at, lex->end, &value);
    if (!end || !ends_word(lex, end) || !isfinite(value)) return loose_float(lex);
    lex->at = end;
    return value;
}

static int64_t bounded(mdx_lexer *lex, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most) return value;
    int64_t nearest = value < least ? least : most;
    sni_warn(lex->diag, SNI_WARN_VALUE_RANGE, mdx_lex_offset(lex), "line %u: %lld is outside %lld to %lld",
             mdx_lex_line(lex), (long long)value, (long long)least, (long long)most);
    return nearest;
}

static int64_t loose_integer(mdx_lexer *lex, int64_t least, int64_t most)
{
    const char *start = lex->at;
    sni_str word = mdx_lex_word(lex);
    if (sni_str_is_nocase(word, "None") || sni_str_is_nocase(word, "Multiple")) return -1;
    lex->at = start;
    double value = (double)loose_float(lex);
    return bounded(lex, value < -9e15 ? INT64_MIN : value > 9e15 ? INT64_MAX : (int64_t)value, least, most);
}

int64_t mdx_lex_integer(mdx_lexer *lex, int64_t least, int64_t most)
{
    enum { MOST_DIGITS = 17 };
    if (!mdx_lex_peek(lex)) return 0;
    const char *first = lex->at + (*lex->at == '-'), *at = first;
    int64_t value = 0;
    for (; at < lex->end && *at >= '0' && *at <= '9' && at - first <= MOST_DIGITS; at++)
        value = value * 10 + (*at - '0');
    if (at == first || at - first > MOST_DIGITS || !ends_word(lex, at)) return loose_integer(lex, least, most);
    if (first != lex->at) value = -value;
    lex->at = at;
    return bounded(lex, value, least, most);
}

uint32_t mdx_lex_u32(mdx_lexer *lex) { return (uint32_t)mdx_lex_integer(lex, INT32_MIN, UINT32_MAX); }

int32_t mdx_lex_i32(mdx_lexer *lex) { return (int32_t)(uint32_t)mdx_lex_integer(lex, INT32_MIN, UINT32_MAX); }

// Steps over any one word, string or brace.
static void skip_token(mdx_lexer *lex)
{
    char next = mdx_lex_peek(lex);
    if (next == '"') mdx_lex_string(lex);
    else if (next == '{' || next == '}') lex->at++;
    else if (next) take_word(lex);
}

void mdx_lex_skip_block(mdx_lexer *lex)
{
    uint64_t depth = 1;
    while (depth > 0 && mdx_lex_ok(lex)) {
        char next = mdx_lex_peek(lex);
        if (!next) mdx_lex_fail(lex, SN_ERR_TRUNCATED, "the text ends inside a block, a } is missing");
        if (next == '{') depth++;
        if (next == '}') depth--;
        skip_token(lex);
    }
}

// A comma or the end of the line, before any other word.
static bool at_statement_end(const mdx_lexer *lex)
{
    for (const char *at = lex->at; at < lex->end; at++) {
        if (*at == ',' || *at == '\n' || *at == '\r' || is_comment(lex, at)) return true;
        if (class_of(*at) != SEPARATOR) return *at == '}';
    }
    return true;
}

void mdx_lex_skip_statement(mdx_lexer *lex)
{
    while (mdx_lex_ok(lex) && !at_statement_end(lex) && mdx_lex_peek(lex) != '{') skip_token(lex);
    if (mdx_lex_take(lex, '{')) mdx_lex_skip_block(lex);
}
