#include <string.h>

#include "base/text.h"
#include "cli/view/keys.h"
#include "job.h"

enum { OPTION_COLUMNS = 28 };

static void print_examples(cli_out *out, const char *const examples[CLI_EXAMPLE_COUNT])
{
    cli_print_styled(out, CLI_BOLD, "\nExamples:\n");
    for (int i = 0; i < CLI_EXAMPLE_COUNT; i++) cli_print(out, "  %s\n", examples[i]);
}

static void print_option(cli_out *out, const cli_option_row *row)
{
    char text[64], letter[8] = "    ";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(text, sizeof text, "%s--%s%s%s", letter, row->name, row->value ? " " : "", row->value ? row->value : "");
    cli_print(out, "  %-*s%s\n", OPTION_COLUMNS, text, row->summary);
    if (row->choices) cli_print(out, "  %-*sone of: %s\n", OPTION_COLUMNS, "", row->choices);
}

// What the window's keys do.
static void print_keys(cli_out *out)
{
    cli_print_styled(out, CLI_BOLD, "\nKeys:\n");
    for (uint32_t i = 0; i < cli_key_count; i++) {
        const cli_key_row *row = &cli_keys[i];
        if (!row->shown) cli_print(out, "%s  %s\n", i ? "\n" : "", row->text);
        else cli_print(out, "    %-12s%s\n", row->shown, row->text);
    }
}

static void print_verb_help(cli_out *out, cli_verb verb)
{
    const cli_verb_row *row = &cli_verbs[verb];
    cli_print_styled(out, CLI_BOLD, "Usage:");
    cli_print(out, " sinew %s [OPTION]... %s\n\n%s\n", row->name, row->operands, row->text);
    for (int group = 0; group < CLI_HIDDEN; group++) {
        int i = cli_next_option(verb, (cli_group)group, -1);
        if (i == CLI_OPTION_COUNT) continue;
        cli_style_begin(out, CLI_BOLD);
        cli_print(out, "\n%s:\n", cli_groups[group]);
        cli_style_end(out, CLI_BOLD);
        for (; i < CLI_OPTION_COUNT; i = cli_next_option(verb, (cli_group)group, i)) print_option(out, &cli_options[i]);
    }
    if (verb == CLI_VIEW) print_keys(out);
    print_examples(out, row->examples);
}

static void print_endings(cli_out *out, const char *title, const char *extensions, const char *note)
{
    cli_print(out, "  %-*s", OPTION_COLUMNS, title);
    for (const char *at = extensions; *at;) {
        size_t size = strcspn(at, " ");
        cli_print(out, "%s.%.*s", at == extensions ? "" : " ", (int)size, at);
        at += size + (at[size] == ' ');
    }
    cli_print(out, "%s\n", note);
}

static void print_formats(cli_out *out)
{
    sn_format format;
    sn_archive_format archive;
    cli_print_styled(out, CLI_BOLD, "\nReads:\n");
    for (uint32_t i = 0; sn_format_at(i, &format); i++) print_endings(out, format.title, format.extensions, "");
    for (uint32_t i = 0; sn_archive_format_at(i, &archive); i++) {
        print_endings(out, archive.title, archive.extensions, archive.is_model ? " (with --archive)" : "");
    }
}

static void print_general_help(cli_out *out)
{
    cli_print_styled(out, CLI_BOLD, "Usage:");
    cli_print(out, " sinew COMMAND [OPTION]... FILE...\n"
                   "       sinew FILE...                   same as sinew view; without a display, sinew info\n\n"
                   "Loads skeletal models from classic games. Inspects, checks, converts and renders them.\n"
                   "If FILE is -, sinew reads standard input.\n");
    print_formats(out);
    cli_print_styled(out, CLI_BOLD, "\nCommands:\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++)
        cli_print(out, "  %-*s%s\n", OPTION_COLUMNS, cli_verbs[i].name, cli_verbs[i].summary);
    cli_print_styled(out, CLI_BOLD, "\nOptions of every command:\n");
    print_option(out, &cli_options[CLI_OPTION_HELP]);
    print_option(out, &cli_options[CLI_OPTION_VERSION]);
    cli_print_styled(out, CLI_BOLD, "\nExit codes:\n");
    for (int i = 0; i < CLI_EXIT_COUNT; i++) cli_print(out, "  %d  %s\n", i, cli_exit_texts[i]);
    print_examples(out, cli_examples);
}

static int complain_of_topic(const char *topic)
{
    char shown[64];
    sni_text_printable(topic, shown, sizeof shown);
    const char *nearest = cli_nearest_verb(topic);
    if (nearest) cli_complain("unknown command '%s'; did you mean '%s'?", shown, nearest);
    else cli_complain("unknown command '%s'; see 'sinew help'", shown);
    return CLI_EXIT_USAGE;
}

// "sinew help pose", "sinew pose --help", "sinew --help".
int cli_run_help(const cli_args *args, cli_out *out)
{
    int verb = args->has_verb ? (int)args->verb : -1;
    if (cli_has(args, CLI_OPTION_MAN)) {
        cli_print_man(out);
        return CLI_EXIT_OK;
    }
    if (cli_has(args, CLI_OPTION_COMPLETION)) {
        cli_print_completion(out, args->values[CLI_OPTION_COMPLETION]);
        return CLI_EXIT_OK;
    }
    bool is_asked_directly = verb == CLI_HELP && !cli_has(args, CLI_OPTION_HELP);
    if (is_asked_directly) {
        verb = args->file_count > 0 ? cli_find_verb(args->files[0]) : -1;
        if (args->file_count > 0 && verb < 0) return complain_of_topic(args->files[0]);
    }
    if (verb < 0) print_general_help(out);
    else print_verb_help(out, (cli_verb)verb);
    return CLI_EXIT_OK;
}
