// Configurations in both grammars and in the compiled form.
#include "level5_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const level5_config *parse_bytes(level5_file *file, const void *bytes, size_t size)
{
    file->out.size = 0;
    sni_write_bytes(&file->out, bytes, size);
    return &level5_file_parse(file, LEVEL5_KIND_CONFIG)->as.config;
}

static const level5_config *parse_text(level5_file *file, const char *text)
{
    return parse_bytes(file, text, strlen(text));
}

static void is_int(const level5_value *value, int32_t number)
{
    assert_int_equal(value->kind, LEVEL5_INT);
    assert_int_equal(value->number, number);
    assert_true(value->real == (float)number);
}

static void is_float(const level5_value *value, float real)
{
    assert_int_equal(value->kind, LEVEL5_FLOAT);
    assert_true(value->real == real);
}

static void is_text(const level5_value *value, const char *text)
{
    assert_int_equal(value->kind, LEVEL5_TEXT);
    assert_true(level5_str_is(value->text, text));
}

static void dark_cloud_2_commands_end_with_a_semicolon(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config *config = parse_text(file, "V2; IMG 0, \"a.img\"; IMG_END;\r\nMODEL\t\"a.mds\" ;\nKEY "
                                                   "\"walk\",1,\n 21, 0.50; // slowly\n ROTATION -1,-0.25,+3.;\n");
    assert_true(config->has_semicolons);
    assert_false(config->is_compiled);
    assert_int_equal(config->command_count, 6);
    assert_true(level5_str_is(config->commands[0].tag, "V2"));
    assert_int_equal(config->commands[0].arg_count, 0);
    const level5_command *img = &config->commands[1], *key = &config->commands[4], *rotation = &config->commands[5];
    assert_int_equal(img->arg_count, 2);
    is_int(&img->args[0], 0);
    is_text(&img->args[1], "a.img");
    assert_int_equal(key->arg_count, 4);
    is_text(&key->args[0], "walk");
    is_int(&key->args[2], 21);
    is_float(&key->args[3], 0.5f);
    assert_true(level5_str_is(key->comment, "slowly"));
    is_int(&rotation->args[0], -1);
    is_float(&rotation->args[1], -0.25f);
    is_float(&rotation->args[2], 3.0f);
    assert_int_equal(rotation->args[2].number, 3);
    assert_null(file->load.diag.first);
    level5_file_locate(file, 4, "COMMAND[1] \"IMG\"");
    level5_file_close(file);
}

static void dark_cloud_1_commands_end_at_the_next_tag(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config *config = parse_text(file,
                                             "//\x83\x65\x83\x58\x83\x67\r\nIMG 0,\"c01d.img\",\r\nIMG_END\r\nmodel "
                                             "\"c01d.mds\"\r\nMOTION 0, \"c01d.mot\", \"c01d.bbp\", \"c01d.wgt\"\r\n"
                                             "KEY_START 0\r\nKEY 1, 40, 0.3\t// stand\r\nKEY 50,\t70,\t0.5 /* walk "
                                             "*/\r\nKEY 80, 81, 1 //\r\nMOTION_END");
    assert_false(config->has_semicolons);
    assert_int_equal(config->command_count, 9);
    assert_true(level5_str_is(config->commands[2].tag, "MODEL"));
    is_text(&config->commands[2].args[0], "c01d.mds");
    assert_int_equal(config->commands[0].arg_count, 2);
    assert_int_equal(config->commands[3].arg_count, 4);
    assert_int_equal(config->commands[1].arg_count, 0);
    is_float(&config->commands[5].args[2], 0.3f);
    assert_true(level5_str_is(config->commands[5].comment, "stand"));
    assert_true(level5_str_is(config->commands[6].comment, "walk"));
    assert_true(level5_str_is(config->commands[7].comment, ""));
    assert_true(level5_str_is(config->commands[8].tag, "MOTION_END"));
    assert_null(file->load.diag.first);
    level5_file_close(file);
}

// A comment on a separate line belongs to no command.
static void comments_belong_to_their_line(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config
        *config = parse_text(file, "KEY 1,2,3.0\n// other\nKEY 4,5,6.0 /* a; ; b */ // c\n/* MODEL \"x\"; */ KEY_END");
    assert_false(config->has_semicolons);
    assert_int_equal(config->command_count, 3);
    assert_int_equal(config->commands[0].comment.size, 0);
    assert_true(level5_str_is(config->commands[1].comment, "a; ; b"));
    level5_file_close(file);
}

// The second byte of a Shift-JIS character may be a backslash, which escapes nothing; half-width katakana are single
// bytes.
static void quotes_handle_shift_jis(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config
        *config = parse_text(file, "KEY \"\x83\x5C\",1,2,1.0; KEY \"\xB1\\\"\",1,2,1.0; KEY \"a;//b\\c\", 1,1,1.;");
    assert_int_equal(config->command_count, 3);
    is_text(&config->commands[0].args[0], "\x83\x5C");
    is_text(&config->commands[1].args[0], "\xB1\"");
    is_text(&config->commands[2].args[0], "a;//b\\c");
    assert_int_equal(config->commands[2].arg_count, 4);
    level5_file_close(file);
}

static void unterminated_quotes_end_with_their_line(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config *config = parse_text(file, "MODEL \"a.mds\r\nKEY 1,2,1.0 /* the end");
    assert_int_equal(config->command_count, 2);
    assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_TEXT), 2);
    parse_text(file, "MODEL \"");
    parse_text(file, "MODEL \"\x83");
    parse_text(file, "MODEL \"\\");
    level5_file_close(file);
}

static void missing_semicolons_are_accepted_at_a_line_end(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config *config = parse_text(file, "V2\nIMG 0, \"a.img\"\n  IMG_END; FLAG ON,\nOFF;\nnote x;");
    assert_int_equal(config->command_count, 5);
    assert_int_equal(config->commands[1].arg_count, 2);
    assert_int_equal(config->commands[3].arg_count, 2);
    is_text(&config->commands[3].args[1], "OFF");
    assert_true(level5_str_is(config->commands[4].tag, "NOTE"));
    level5_file_close(file);
}

static void odd_numbers(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    const level5_config *config = parse_text(file,
                                             "K .5, -.5, 1.5f, 99999999999, -99999999999, 007, 1.2.3, 12ab, -, 1e5, "
                                             "99999999999999999999999999999999999999999999.0");
    const level5_value *args = config->commands[0].args;
    assert_int_equal(config->commands[0].arg_count, 11);
    is_float(&args[0], 0.5f);
    is_float(&args[1], -0.5f);
    is_float(&args[2], 1.5f);
    assert_int_equal(args[3].number, INT32_MAX);
    assert_int_equal(args[4].number, -INT32_MAX);
    is_int(&args[5], 7);
    for (int i = 6; i < 10; i++) assert_int_equal(args[i].kind, LEVEL5_TEXT);
    assert_int_equal(args[10].number, INT32_MAX);
    assert_true(args[10].real > 3e38f && args[10].real < (float)1e39);
    level5_file_close(file);
}

static void text_outside_commands_is_kept(void **state)
{
    (void)state;
    static const char *const texts[] = { "",     " ",           "\n",        ";",    ",,;;",   "\"quote\"", "12",
                                         "/",    "//",          "/*",        "/**/", "/*/",    "KEY",       "KEY;",
                                         "KEY,", ";;KEY 1;;2;", "\x83\x5C;", "#x",   "A/B//C", "A\"b\"c\"d" };
    level5_file *file = level5_file_open();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) parse_text(file, texts[i]);
    parse_bytes(file, "K 1\0;\0\0", 7);
    const level5_config *marked = parse_text(file, "\xEF\xBB\xBFKEY 1;");
    assert_int_equal(marked->command_count, 1);
    assert_true(sni_str_is(marked->commands[0].tag, "KEY"));
    level5_file_close(file);
}

static void compiled_commands_have_numbers(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { 'B', 'I', 'N', 0, 0,  0, 0, 0,  // V2
                                     18,  0,   4,   0, 3,  1, 1, 2, 'w',  'a',  'l',  'k',  0,   0xCD, 0xCD, 0xCD,
                                     1,   0,   0,   0, 21, 0, 0, 0, 0,    0,    0,    0x3F,  // KEY
                                     99,  0,   1,   0, 1,  0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 2,   0,    2,    0,
                                     1,   3,   0,   0, 0,  0, 0, 0, 'a',  '.',  'i',  'm',  'g', 0,    0,    0 };
    level5_file *file = level5_file_open();
    const level5_config *config = parse_bytes(file, bytes, sizeof bytes);
    assert_true(config->is_compiled);
    assert_int_equal(config->command_count, 4);
    assert_true(level5_str_is(config->commands[0].tag, "V2"));
    const level5_command *key = &config->commands[1];
    assert_true(level5_str_is(key->tag, "KEY"));
    is_text(&key->args[0], "walk");
    is_int(&key->args[1], 1);
    is_int(&key->args[2], 21);
    is_float(&key->args[3], 0.5f);
    assert_true(level5_str_is(config->commands[2].tag, "#99"));
    is_int(&config->commands[2].args[0], -2);
    assert_true(level5_str_is(config->commands[3].tag, "IMG"));
    is_text(&config->commands[3].args[1], "a.img");
    assert_null(file->load.diag.first);
    for (size_t size = 4; size < sizeof bytes; size++) parse_bytes(file, bytes, size);
    level5_file_close(file);
}

static void compiled_commands_stop_at_a_bad_one(void **state)
{
    (void)state;
    static const uint8_t bad[][8] = {
        { 0xFF, 0xFF, 0, 0 }, { 0, 0, 0xFF, 0xFF }, { 0, 0, 0xFF, 0x7F }, { 0, 0, 1, 0, 9 }, { 0, 0, 1, 0, 2 }
    };
    level5_file *file = level5_file_open();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t bytes[16] = { 'B', 'I', 'N' };
        memcpy(bytes + 8, bad[i], 8);
        assert_int_equal(parse_bytes(file, bytes, sizeof bytes)->command_count, 1);
        assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_LEFTOVER), 1);
    }
    level5_file_close(file);
}

static void new_commands_read_back(void **state)
{
    (void)state;
    level5_value args[] = { { .kind = LEVEL5_TEXT, .text = sni_str_make("a \"b\"", 5) },
                            { .kind = LEVEL5_INT, .number = -3 },
                            { .kind = LEVEL5_FLOAT, .real = 2 },
                            { .kind = LEVEL5_FLOAT, .real = 0.35f },
                            { .kind = LEVEL5_FLOAT, .real = 0.0000152587890625f } };
    level5_command commands[] = {
        { .tag = sni_str_make("KEY", 3), .args = args, .arg_count = 5, .comment = sni_str_make("walk", 4) },
        { .tag = sni_str_make("#77", 3) }
    };
    for (int form = 0; form < 3; form++) {
        level5_file *file = level5_file_open();
        level5_doc made = { .kind = LEVEL5_KIND_CONFIG,
                            .as.config = { .commands = commands,
                                           .command_count = form == 2 ? 2 : 1,
                                           .has_semicolons = form > 0,
                                           .is_compiled = form == 2 } };
        const level5_config *config = &level5_file_make(file, &made)->as.config;
        assert_int_equal(config->command_count, form == 2 ? 2 : 1);
        assert_int_equal(config->has_semicolons, form > 0);
        const level5_value *read = config->commands[0].args;
        assert_int_equal(config->commands[0].arg_count, 5);
        is_text(&read[0], "a \"b\"");
        is_int(&read[1], -3);
        is_float(&read[2], 2);
        is_float(&read[3], 0.35f);
        assert_true(read[4].real > 0.00001525f && read[4].real < 0.00001527f);
        if (form < 2) assert_true(level5_str_is(config->commands[0].comment, "walk"));
        else assert_true(level5_str_is(config->commands[1].tag, "#77"));
        level5_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dark_cloud_2_commands_end_with_a_semicolon),
        cmocka_unit_test(dark_cloud_1_commands_end_at_the_next_tag),
        cmocka_unit_test(comments_belong_to_their_line),
        cmocka_unit_test(quotes_handle_shift_jis),
        cmocka_unit_test(unterminated_quotes_end_with_their_line),
        cmocka_unit_test(missing_semicolons_are_accepted_at_a_line_end),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(text_outside_commands_is_kept),
        cmocka_unit_test(compiled_commands_have_numbers),
        cmocka_unit_test(compiled_commands_stop_at_a_bad_one),
        cmocka_unit_test(new_commands_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
