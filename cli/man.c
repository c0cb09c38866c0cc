// sinew(1), in roff, from the option table: sinew help --man.
#include "cli/view/keys.h"
#include "job.h"

// Text as roff takes it: no line starts with a control character, hyphens stay what can be typed.
static void put_roff(cli_out *out, const char *text)
{
    for (bool is_start = true; *text; text++) {
        if (is_start && (*text == '.' || *text == '\'')) sni_write_text(&out->text, "\\&");
        if (*text == '\\') sni_write_text(&out->text, "\\e");
        else if (*text == '-') sni_write_text(&out->text, "\\-");
        else if (*text == '\'') sni_write_text(&out->text, "\\(aq");
        else sni_write_u8(&out->text, (uint8_t)*text);
        is_start = *text == '\n';
    }
}

static void put_line(cli_out *out, const char *text)
{
    put_roff(out, text);
    cli_print(out, "\n");
}

static void put_option(cli_out *out, const cli_option_row *row)
{
    cli_print(out, ".TP\n");
    if (row->letter) cli_print(out, "\\fB\\-%c\\fR, ", row->letter);
    cli_print(out, "\\fB\\-\\-%s\\fR", row->name);
    if (row->value) cli_print(out, " \\fI%s\\fR", row->value);
    cli_print(out, "\n");
    put_line(out, row->summary);
    if (!row->choices) return;
    cli_print(out, "One of: ");
    put_line(out, row->choices);
}

static void put_keys(cli_out *out)
{
    cli_print(out, ".PP\nKeys of the window:\n");
    for (uint32_t i = 0; i < cli_key_count; i++) {
        if (!cli_keys[i].shown) continue;
        cli_print(out, ".TP\n.B ");
        put_line(out, cli_keys[i].shown);
        put_line(out, cli_keys[i].text);
    }
}

static void put_verb(cli_out *out, cli_verb verb)
{
    const cli_verb_row *row = &cli_verbs[verb];
    cli_print(out, ".SS sinew %s\n", row->name);
    put_line(out, row->text);
    for (int group = 0; group < CLI_HIDDEN; group++) {
        int i = cli_next_option(verb, (cli_group)group, -1);
        if (group > CLI_OWN && i < CLI_OPTION_HELP) cli_print(out, ".PP\n%s:\n", cli_groups[group]);
        for (; i < CLI_OPTION_HELP; i = cli_next_option(verb, (cli_group)group, i)) put_option(out, &cli_options[i]);
    }
    if (verb == CLI_VIEW) put_keys(out);
}

static void put_head(cli_out *out)
{
    cli_print(out, ".TH SINEW 1 \"\" \"sinew %s\" \"User Commands\"\n", SN_VERSION);
    cli_print(out, ".SH NAME\nsinew \\- inspect, check, convert and render skeletal models from classic games\n.SH "
                   "SYNOPSIS\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++) {
        cli_print(out, "%s\\fBsinew %s\\fR [\\fIOPTION\\fR]... ", i ? ".br\n" : "", cli_verbs[i].name);
        put_line(out, cli_verbs[i].operands);
    }
    cli_print(out, ".br\n\\fBsinew\\fR FILE...\n.SH DESCRIPTION\n");
    put_line(out, "Loads skeletal models from classic games. Inspects, checks, converts and renders them.\n"
                  "If FILE is -, sinew reads standard input. Without a command, sinew opens the viewer, or runs info\n"
                  "if there is no display.\n"
                  "Results go to standard output, messages to standard error. A damaged file does not stop the\n"
                  "others. Text from files is escaped before it is printed.");
}

static void put_tail(cli_out *out)
{
    cli_print(out, ".SH EXIT STATUS\n");
    for (int i = 0; i < CLI_EXIT_COUNT; i++) {
        cli_print(out, ".TP\n%d\n", i);
        put_line(out, cli_exit_texts[i]);
    }
    cli_print(out,
              ".SH ENVIRONMENT\n.TP\nNO_COLOR\nany value turns colour off; by default, colour is used on a "
              "terminal unless TERM is dumb\n"
              ".TP\nSINEW_FONT\nfont files for text that is not ASCII, separated by :, instead of common system fonts; "
              "use only trusted files\n"
              ".TP\nSINEW_GAME\nfolders of base games, separated by :, searched after those of --game\n"
              ".TP\nSINEW_SIMD\ninstruction set of bench and view: scalar, sse2, avx2, neon or wasm; "
              "default: the best one of the processor\n"
              ".TP\nXDG_CONFIG_HOME\nfolder of sinew/view.conf, which stores the window settings; default ~/.config\n");
    cli_print(out, ".SH EXAMPLES\n.nf\n");
    for (int i = 0; i < CLI_EXAMPLE_COUNT; i++) put_line(out, cli_examples[i]);
    cli_print(out, ".fi\n");
}

void cli_print_man(cli_out *out)
{
    put_head(out);
    cli_print(out, ".SH OPTIONS OF EVERY COMMAND\n");
    put_option(out, &cli_options[CLI_OPTION_HELP]);
    put_option(out, &cli_options[CLI_OPTION_VERSION]);
    cli_print(out, ".SH COMMANDS\n");
    for (int i = 0; i < CLI_VERB_COUNT; i++) put_verb(out, (cli_verb)i);
    put_tail(out);
}
