// RefPack: each command by hand-made bytes, the limits of each, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/writer.h"
#include "io/archive.h"

typedef struct archive_fixture {
    sni_heap heap;
    sni_arena arena;
    sni_writer out;
    sni_diag diag;
} archive_fixture;

static int set_up(void **state)
{
    static archive_fixture shared;
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_arena_init(&shared.arena, &shared.heap);
    sni_writer_init(&shared.out, &shared.heap);
    sni_diag_init(&shared.diag, NULL);
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    archive_fixture *d = *state;
    sni_writer_free(&d->out);
    sni_arena_free(&d->arena);
    return d->heap.used == 0 ? 0 : -1;
}

static bool unpack(archive_fixture *d, const void *packed, size_t size, sni_bytes *bytes)
{
    sni_diag_init(&d->diag, NULL);
    *bytes = (sni_bytes){ NULL, 0 };
    return sni_refpack_unpack((sni_bytes){ packed, size }, &d->arena, &d->diag, bytes);
}

// Four new bytes; one more and three from four back; two more and five from one back; six from fifteen back; two and
// the end.
#define COMMANDS       \
    "\xE0"             \
    "abcd"             \
    "\x01\x03"         \
    "e"                \
    "\x81\x80\x00"     \
    "fg"               \
    "\xC0\x00\x0E\x01" \
    "\xFE"             \
    "yz"
static const char unpacked[] = "abcdebcdfggggggabcdebyz";
enum { UNPACKED = sizeof unpacked - 1 };

#define assert_unpacks(d, packed) assert_unpacked(d, packed, sizeof packed - 1)

static void assert_unpacked(archive_fixture *d, const char *packed, size_t size)
{
    sni_bytes bytes;
    assert_true(sni_refpack_is((sni_bytes){ (const uint8_t *)packed, size }));
    assert_true(unpack(d, packed, size, &bytes));
    assert_int_equal(bytes.size, UNPACKED);
    assert_memory_equal(bytes.data, unpacked, UNPACKED);
}

static void every_command_and_header_is_read(void **state)
{
    archive_fixture *d = *state;
    assert_int_equal(UNPACKED, 23);
    assert_unpacks(d, "\x10\xFB\x00\x00\x17" COMMANDS);
    assert_unpacks(d, "\x11\xFB\x00\x00\x1D\x00\x00\x17" COMMANDS);
    assert_unpacks(d, "\x90\xFB\x00\x00\x00\x17" COMMANDS);
    assert_unpacks(d, "\x91\xFB\x00\x00\x00\x1D\x00\x00\x00\x17" COMMANDS);
    assert_unpacks(d, "EAR\0\x17\0\0\0\x10\xFB\x00\x00\x17" COMMANDS);
    assert_unpacks(d, "\x10\xFB\x00\x00\x17" COMMANDS "behind the end");
}

static void an_end_may_be_missing(void **state)
{
    archive_fixture *d = *state;
    sni_bytes bytes;
    static const char packed[] = "\x10\xFB\x00\x00\x04\xE0"
                                 "abcd";
    assert_true(unpack(d, packed, sizeof packed - 1, &bytes));
    assert_int_equal(bytes.size, 4);
    assert_memory_equal(bytes.data, "abcd", 4);
    assert_true(unpack(d, "\x10\xFB\x00\x00\x00", 5, &bytes));
    assert_int_equal(bytes.size, 0);
}

static uint8_t pattern(size_t i) { return (uint8_t)(i * 7 + i / 251); }

// A pattern of new bytes, a whole number of times the 112 that one command has at most; then one copy.
static void put_pattern(archive_fixture *d, size_t size, size_t copied)
{
    size_t total = size + copied;
    assert_int_equal(size % 112, 0);
    d->out.size = 0;
    sni_write_u8(&d->out, 0x10), sni_write_u8(&d->out, 0xFB);
    for (int i = 2; i >= 0; i--) sni_write_u8(&d->out, (uint8_t)(total >> 8 * i));
    for (size_t i = 0; i < size; i++) {
        if (i % 112 == 0) sni_write_u8(&d->out, 0xFB);
        sni_write_u8(&d->out, pattern(i));
    }
}

static void assert_copies(archive_fixture *d, size_t size, const char *command, size_t command_size, size_t copied,
                          size_t distance)
{
    sni_bytes bytes;
    put_pattern(d, size, copied);
    sni_write_bytes(&d->out, command, command_size);
    sni_write_u8(&d->out, 0xFC);
    assert_true(unpack(d, d->out.data, d->out.size, &bytes));
    assert_int_equal(bytes.size, size + copied);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes.data[i], pattern(i));
    for (size_t i = 0; i < copied; i++) assert_int_equal(bytes.data[size + i], pattern(size - distance + i));
}

static void the_longest_copies_from_farthest_back(void **state)
{
    archive_fixture *d = *state;
    assert_copies(d, 112 * 1200, "\x7C\xFF", 2, 10, 1024);
    assert_copies(d, 112 * 1200, "\xBF\x3F\xFF", 3, 67, 16384);
    assert_copies(d, 112 * 1200, "\xDC\xFF\xFF\xFF", 4, 1028, 131072);
    assert_copies(d, 112 * 1200, "\xD0\x00\x00\x00", 4, 5, 65537);
}

static void what_is_cut_short_is_refused(void **state)
{
    archive_fixture *d = *state;
    sni_bytes bytes;
    static const char packed[] = "EAR\0\x17\0\0\0\x11\xFB\x00\x00\x1D\x00\x00\x17" COMMANDS;
    for (size_t size = 0; size < sizeof packed - 1; size++) {
        char exact[sizeof packed];
        memcpy(exact + sizeof exact - size, packed, size);  // no byte behind it
        assert_false(unpack(d, exact + sizeof exact - size, size, &bytes));
        assert_int_equal(d->diag.error.status, SN_ERR_CORRUPT);
        assert_null(bytes.data);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    archive_fixture *d = *state;
    sni_bytes bytes;
    static const struct {
        const char *packed;
        size_t size;
    } bad[] = {
        { "\x10\xFB\x00\x00\x04\x00\x00\xFC", 8 },  // a copy from before the start
        { "\x10\xFB\x00\x00\x06\xE0"
          "abcd"
          "\x00\x04\xFC",
          13 },  // the same, one byte too far
        { "\x10\xFB\x00\x00\x06\xE0"
          "abcd"
          "\x00\x00\xFC",
          13 },  // a copy past the promised end
        { "\x10\xFB\x00\x00\x03\xE0"
          "abcd"
          "\xFC",
          11 },  // new bytes past it
        { "\x10\xFB\x00\x00\x05\xE0"
          "abcd"
          "\xFC",
          11 },  // an end before it
        { "\x10\xFB\xFF\xFF\xFF\xE0"
          "abcd"
          "\xFC",
          11 },  // more than so few bytes can be
        { "\x90\xFB\xFF\xFF\xFF\xFF\xE0"
          "abcd"
          "\xFC",
          12 },
        { "\x10\xFA\x00\x00\x04\xE0"
          "abcd"
          "\xFC",
          11 },  // not packed
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(unpack(d, bad[i].packed, bad[i].size, &bytes));
        assert_int_equal(d->diag.error.status, SN_ERR_CORRUPT);
    }
}

static void files_that_are_not_packed_are_told_apart(void **state)
{
    (void)state;
    static const char *const plain[] = { "", "\x10", "\x10\xFC", "\x20\xFB", "EAR", "DDS ", "BIGF", "\0\0\2\0" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_false(sni_refpack_is((sni_bytes){ (const uint8_t *)plain[i], strlen(plain[i]) }));
    assert_false(sni_refpack_is((sni_bytes){ (const uint8_t *)"EAR\0\1\0\0\0\x20\xFB", 10 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_command_and_header_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_end_may_be_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_copies_from_farthest_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cut_short_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_not_packed_are_told_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
