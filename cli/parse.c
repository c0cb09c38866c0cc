#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options.h"

// Longer words are nobody's typing slip.
enum { CLI_WORD_MAX = 24, CLI_SHOWN_MAX = 64 };

typedef struct cli_parser {
    char **argv;
    int argc, at;
    bool options_ended;
    cli_args *args;
} cli_parser;

static bool parse_fail(cli_args *args, const char *format, ...) SNI_PRINTF(2, 3);
static bool parse_fail(cli_args *args, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(args->message, sizeof args->message, format, list);
    va_end(list);
    sni_text_clean_fixed(args->message, sizeof args->message);
    return false;
}

// What the user typed, made safe and short enough for one line.
static const char *shown(const char *text, char out[CLI_SHOWN_MAX])
{
    sni_text_printable(text, out, CLI_SHOWN_MAX);
    return out;
}

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low = a < b ? a : b;
    return low < c ? low : c;
}

// Letters to add, drop, change or swap with the next one.
static uint32_t word_distance(const char *a, const char *b)
{
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size > CLI_WORD_MAX || b_size > CLI_WORD_MAX) return UINT32_MAX;
    uint32_t rows[CLI_WORD_MAX + 1][CLI_WORD_MAX + 1];
    for (size_t i = 0; i <= a_size; i++) rows[i][0] = (uint32_t)i;
    for (size_t k = 0; k <= b_size; k++) rows[0][k] = (uint32_t)k;
    for (size_t i = 1; i <= a_size; i++) {
        for (size_t k = 1; k <= b_size; k++) {
            uint32_t change = rows[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            rows[i][k] = smallest(change, rows[i - 1][k] + 1, rows[i][k - 1] + 1);
            bool is_swap = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
            if (is_swap && rows[i - 2][k - 2] + 1 < rows[i][k]) rows[i][k] = rows[i - 2][k - 2] + 1;
        }
    }
    return rows[a_size][b_size];
}

// 0 is the same word; UINT32_MAX is too far to suggest. The beginning of a word is near it.
static uint32_t word_farness(const char *typed, const char *word)
{
    size_t size = strlen(typed);
    if (size >= 2 && strncmp(typed, word, size) == 0) return 1;
    uint32_t distance = word_distance(typed, word);
    return distance <= 2 && distance + 1 < strlen(word) ? distance : UINT32_MAX;
}

bool cli_is_near(const char *typed, const char *word) { return word_farness(typed, word) != UINT32_MAX; }

int cli_find_verb(const char *name)
{
    for (int i = 0; i < CLI_VERB_COUNT; i++)
        if (strcmp(cli_verbs[i].name, name) == 0) return i;
    return -1;
}

const char *cli_nearest_verb(const char *word)
{
    const char *nearest = NULL;
    uint32_t best = UINT32_MAX;
    for (int i = 0; i < CLI_VERB_COUNT; i++) {
        uint32_t farness = word_farness(word, cli_verbs[i].name);
        if (farness < best) best = farness, nearest = cli_verbs[i].name;
    }
    return nearest;
}

const char *cli_nearest_option(const char *name, cli_verb verb)
{
    const char *nearest = NULL;
    uint32_t best = UINT32_MAX;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        if (!cli_option_is_of((cli_option)i, verb) || cli_options[i].group == CLI_HIDDEN) continue;
        uint32_t farness = word_farness(name, cli_options[i].name);
        if (farness < best) best = farness, nearest = cli_options[i].name;
    }
    return nearest;
}

// Of two options with the same name, the one of the command.
static int find_long(const char *name, size_t size, cli_verb verb)
{
    int found = -1;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const bool is_named = strlen(cli_options[i].name) == size && memcmp(cli_options[i].name, name, size) == 0;
        if (is_named && (found < 0 || cli_option_is_of((cli_option)i, verb))) found = i;
    }
    return found;
}

static int find_short(char letter)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].letter == letter && letter) return i;
    return -1;
}

// Options may come before the command, so the first operand is searched as the parser will see it.
static int find_first_operand(int argc, char **argv, cli_verb verb)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--") == 0) return -1;  // what follows is a file, whatever its name
        if (arg[0] != '-' || arg[1] == 0) return i;
        bool is_long = arg[1] == '-';
        int option = is_long ? find_long(arg + 2, strlen(arg + 2), verb) : find_short(arg[1]);
        bool is_whole = is_long || arg[2] == 0;
        if (option >= 0 && cli_options[option].value && is_whole) i++;
    }
    return -1;
}

static bool looks_like_file(const char *word) { return strpbrk(word, "./\\") || strcmp(word, "-") == 0; }

// Takes the command out of argv. A bare word that is no command is not taken for a file: "sinew paint x"
// must report that there is no such command.
static bool take_verb(cli_parser *parser)
{
    cli_args *args = parser->args;
    int first = find_first_operand(parser->argc, parser->argv, args->verb);
    if (first < 0) return true;
    const char *word = parser->argv[first];
    int verb = cli_find_verb(word);
    if (verb < 0) {
        if (looks_like_file(word)) return true;
        char text[CLI_SHOWN_MAX];
        shown(word, text);
        const char *nearest = cli_nearest_verb(word);
        if (nearest) return parse_fail(args, "unknown command '%s'; did you mean '%s'?", text, nearest);
        return parse_fail(args, "unknown command '%s'; for a file of that name use './%s'", text, text);
    }
    args->verb = (cli_verb)verb;
    args->has_verb = true;
    memmove(&parser->argv[first], &parser->argv[first + 1], sizeof(char *) * (size_t)(parser->argc - first - 1));
    parser->argc--;
    return true;
}

static const char *first_verb_of(int option)
{
    int verb = 0;
    while (!cli_option_is_of((cli_option)option, (cli_verb)verb)) verb++;
    return cli_verbs[verb].name;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t size = strlen(value);
    for (const char *at = choices; at; at = strchr(at, ' ')) {
        if (*at == ' ') at++;
        if (size > 0 && strncmp(at, value, size) == 0 && (at[size] == ' ' || at[size] == 0)) return true;
    }
    return false;
}

static bool set_option(cli_parser *parser, int option, const char *value)
{
    const cli_option_row *row = &cli_options[option];
    cli_args *args = parser->args;
    char text[CLI_SHOWN_MAX];
    if (!cli_option_is_of((cli_option)option, args->verb))
        return parse_fail(args, "'--%s' is an option of 'sinew %s', not of 'sinew %s'", row->name,
                          first_verb_of(option), cli_verbs[args->verb].name);
    if (!row->value) {
        args->values[option] = "";
        return true;
    }
    if (!value) {
        if (parser->at >= parser->argc) return parse_fail(args, "'--%s' needs a value: %s", row->name, row->value);
        value = parser->argv[parser->at++];
    }
    if (row->choices && !is_choice(row->choices, value))
        return parse_fail(args, "'--%s' cannot be '%s'; it is one of: %s", row->name, shown(value, text), row->choices);
    if (args->given_count == CLI_GIVEN_MAX) return parse_fail(args, "more than %d options with a value", CLI_GIVEN_MAX);
    args->given[args->given_count++] = (cli_given){ (cli_option)option, value };
    args->values[option] = value;
    return true;
}

static bool parse_long(cli_parser *parser, const char *name)
{
    size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;
    int option = find_long(name, size, parser->args->verb);
    char text[CLI_SHOWN_MAX];
    if (option < 0) {
        char word[CLI_WORD_MAX + 1];
        snprintf(word, sizeof word, "%.*s", size > CLI_WORD_MAX ? 0 : (int)size, name);
        const char *nearest = cli_nearest_option(word, parser->args->verb);
        shown(name, text);
        if (nearest) return parse_fail(parser->args, "unknown option '--%s'; did you mean '--%s'?", text, nearest);
        return parse_fail(parser->args, "unknown option '--%s'; 'sinew help %s' lists them", text,
                          cli_verbs[parser->args->verb].name);
    }
    if (value && !cli_options[option].value)
        return parse_fail(parser->args, "'--%s' takes no value", cli_options[option].name);
    return set_option(parser, option, value);
}

static bool parse_short(cli_parser *parser, const char *letters)
{
    for (; *letters; letters++) {
        int option = find_short(*letters);
        char text[CLI_SHOWN_MAX];
        if (option < 0)
            return parse_fail(parser->args, "unknown option '-%s'; 'sinew help %s' lists them", shown(letters, text),
                              cli_verbs[parser->args->verb].name);
        if (cli_options[option].value) return set_option(parser, option, letters[1] ? letters + 1 : NULL);
        if (!set_option(parser, option, NULL)) return false;
    }
    return true;
}

static bool parse_arg(cli_parser *parser)
{
    char *arg = parser->argv[parser->at++];
    bool is_operand = parser->options_ended || arg[0] != '-' || arg[1] == 0;
    if (is_operand) {
        parser->args->files[parser->args->file_count++] = arg;
        return true;
    }
    if (strcmp(arg, "--") == 0) {
        parser->options_ended = true;
        return true;
    }
    return arg[1] == '-' ? parse_long(parser, arg + 2) : parse_short(parser, arg + 1);
}

bool cli_parse(int argc, char **argv, cli_args *args)
{
    memset(args, 0, sizeof *args);
    cli_parser parser = { .argv = argv, .argc = argc, .at = 1, .args = args };
    args->files = argv;  // operands move to the front: never past the one being read
    if (!take_verb(&parser)) return false;
    while (parser.at < parser.argc)
        if (!parse_arg(&parser)) return false;
    args->first_listed = args->file_count;
    return true;
}

const char *cli_value(const cli_args *args, cli_option option, uint32_t index)
{
    for (uint32_t i = 0; i < args->given_count; i++)
        if (args->given[i].option == option && index-- == 0) return args->given[i].value;
    return NULL;
}

uint32_t cli_value_count(const cli_args *args, cli_option option)
{
    uint32_t count = 0;
    while (cli_value(args, option, count)) count++;
    return count;
}
