// The option table and its parser. They belong to the tool, not to the library, so they are taken in here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cli/options.c"
#include "../cli/parse.c"

enum { MAX_ARGS = 12 };

// Parses a command line, words split at spaces.
typedef struct parsed {
    char text[256];
    char *argv[MAX_ARGS];
    cli_args args;
    bool is_good;
} parsed;

static parsed *parse(parsed *result, const char *line)
{
    int argc = 0;
    snprintf(result->text, sizeof result->text, "%s", line);
    for (char *at = result->text; at && argc < MAX_ARGS;) {
        result->argv[argc++] = at;
        at = strchr(at, ' ');
        if (at) *at++ = 0;
    }
    result->is_good = cli_parse(argc, result->argv, &result->args);
    return result;
}

static void assert_says(const char *line, const char *words)
{
    parsed p;
    assert_false(parse(&p, line)->is_good);
    if (!strstr(p.args.message, words)) fail_msg("%s: \"%s\" does not say \"%s\"", line, p.args.message, words);
}

static void test_table_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        assert_non_null(cli_options[i].name);
        assert_true(strlen(cli_options[i].name) <= CLI_WORD_MAX);
        assert_null(strpbrk(cli_options[i].summary, "'\"`:[]\\$%"));
        assert_int_not_equal(cli_options[i].verbs, 0);
        for (int k = 0; k < i; k++) {
            const bool is_same = strcmp(cli_options[i].name, cli_options[k].name) == 0;
            assert_true(!is_same || !(cli_options[i].verbs & cli_options[k].verbs));  // of different commands
            assert_true(!cli_options[i].letter || cli_options[i].letter != cli_options[k].letter);
        }
    }
    for (int i = 0; i < CLI_VERB_COUNT; i++) {
        assert_int_equal(cli_find_verb(cli_verbs[i].name), i);
        assert_null(strpbrk(cli_verbs[i].summary, "'\"`:[]\\$%"));
        for (int k = 0; k < CLI_EXAMPLE_COUNT; k++) assert_memory_equal(cli_verbs[i].examples[k], "sinew ", 6);
    }
}

static void test_command_and_files(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew tree a.glb --rest b.glb")->is_good);
    assert_int_equal(p.args.verb, CLI_TREE);
    assert_true(p.args.has_verb && cli_has(&p.args, CLI_OPTION_REST) && !cli_has(&p.args, CLI_OPTION_JSON));
    assert_int_equal(p.args.file_count, 2);
    assert_string_equal(p.args.files[0], "a.glb");
    assert_string_equal(p.args.files[1], "b.glb");
}

static void test_bare_file_is_info(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew a.glb tree")->is_good);
    assert_int_equal(p.args.verb, CLI_INFO);
    assert_false(p.args.has_verb);
    assert_int_equal(p.args.file_count, 2);
    assert_true(parse(&p, "sinew -")->is_good);
    assert_string_equal(p.args.files[0], "-");
}

static void test_options_before_the_command(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew convert --skeleton a.chr b.glb -o c.chr")->is_good);
    assert_string_equal(p.args.values[CLI_OPTION_KEEP_SKELETON], "a.chr");
    assert_true(parse(&p, "sinew render --skeleton b.glb -o c.png")->is_good);
    assert_true(cli_has(&p.args, CLI_OPTION_SKELETON) && !cli_has(&p.args, CLI_OPTION_KEEP_SKELETON));
    assert_true(parse(&p, "sinew --clip info pose a.glb")->is_good);  // "info" is the clip
    assert_int_equal(p.args.verb, CLI_POSE);
    assert_string_equal(p.args.values[CLI_OPTION_CLIP], "info");
    assert_int_equal(p.args.file_count, 1);
}

static void test_values(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew pose --clip=walk --time -0.5 a.glb")->is_good);
    assert_string_equal(p.args.values[CLI_OPTION_CLIP], "walk");
    assert_string_equal(p.args.values[CLI_OPTION_TIME], "-0.5");
    assert_true(parse(&p, "sinew pose -cwalk -t 2 --clip= a.glb")->is_good);  // the last one wins
    assert_string_equal(p.args.values[CLI_OPTION_CLIP], "");
    assert_string_equal(p.args.values[CLI_OPTION_TIME], "2");
    assert_true(parse(&p, "sinew convert -qo run a.glb")->is_good);
    assert_true(cli_has(&p.args, CLI_OPTION_QUIET));
    assert_string_equal(p.args.values[CLI_OPTION_OUTPUT], "run");
}

static void test_options_given_several_times(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew info --search a --archive x --search=b a.glb")->is_good);
    assert_int_equal(cli_value_count(&p.args, CLI_OPTION_SEARCH), 2);
    assert_string_equal(cli_value(&p.args, CLI_OPTION_SEARCH, 0), "a");
    assert_string_equal(cli_value(&p.args, CLI_OPTION_SEARCH, 1), "b");
    assert_null(cli_value(&p.args, CLI_OPTION_SEARCH, 2));
    assert_string_equal(cli_value(&p.args, CLI_OPTION_ARCHIVE, 0), "x");
    assert_int_equal(cli_value_count(&p.args, CLI_OPTION_TEAM), 0);
    char *argv[80] = { "sinew", "info" };
    for (int i = 2; i < 80; i++) argv[i] = "--search=x";
    assert_false(cli_parse(64, argv, &p.args) && cli_parse(80, argv, &p.args));
    assert_non_null(strstr(p.args.message, "more than 64"));
}

static void test_two_dashes_end_the_options(void **state)
{
    (void)state;
    parsed p;
    assert_true(parse(&p, "sinew -- info --json")->is_good);
    assert_false(p.args.has_verb);
    assert_int_equal(p.args.file_count, 2);
    assert_false(cli_has(&p.args, CLI_OPTION_JSON));
}

static void test_no_arguments(void **state)
{
    (void)state;
    cli_args args;
    char *none[1] = { NULL };
    assert_true(cli_parse(0, none, &args));
    assert_int_equal(args.file_count, 0);
}

static void test_complaints(void **state)
{
    (void)state;
    assert_says("sinew info --jsno a", "did you mean '--json'?");
    assert_says("sinew info --jso=x a", "did you mean '--json'?");
    assert_says("sinew tree --re a", "did you mean '--rest'?");
    assert_says("sinew info --completoin a", "'sinew help info' lists them");
    assert_says("sinew info -x a", "unknown option '-x'");
    assert_says("sinew info -ax a", "unknown option '-x'");
    assert_says("sinew info --all=1 a", "takes no value");
    assert_says("sinew pose --obj", "needs a value: FILE");
    assert_says("sinew info --obj x a", "an option of 'sinew pose'");
    assert_says("sinew help --completion tcsh", "one of: bash zsh fish");
    assert_says("sinew help --completion bas", "one of: bash zsh fish");
    assert_says("sinew help --completion=", "one of: bash zsh fish");
    assert_says("sinew chekc a", "did you mean 'check'?");
    assert_says("sinew paint a", "unknown command 'paint'");
    assert_says("sinew info --\x1b[31m\xff a", "'--\\x1b[31m");
}

static void test_long_words_do_no_harm(void **state)
{
    (void)state;
    char word[600] = "--";
    memset(word + 2, 'j', sizeof word - 3);
    char *argv[] = { "sinew", "info", word, NULL };
    cli_args args;
    assert_false(cli_parse(3, argv, &args));
    assert_true(strlen(args.message) < sizeof args.message);
    char *command[] = { "sinew", word + 2, NULL };
    assert_false(cli_parse(2, command, &args));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sound),
        cmocka_unit_test(test_command_and_files),
        cmocka_unit_test(test_bare_file_is_info),
        cmocka_unit_test(test_options_before_the_command),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_options_given_several_times),
        cmocka_unit_test(test_two_dashes_end_the_options),
        cmocka_unit_test(test_no_arguments),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_long_words_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
