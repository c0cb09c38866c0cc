// Packs as archives of the tool: what is listed, read and refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/archive.h"
#include "base/writer.h"

typedef struct desk {
    char        path[64];
    sni_heap    heap;
    sni_arena   arena;
    sni_writer  out;
    cli_archive archive;
    sni_diag    diag;
} desk;

static int set_up(void **state)
{
    static desk shared;
    shared = (desk){ .path = "/tmp/sinew_pack_XXXXXX" };
    int file = mkstemp(shared.path);
    if (file < 0) return -1;
    close(file);
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_arena_init(&shared.arena, &shared.heap);
    sni_writer_init(&shared.out, &shared.heap);
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    desk *d = *state;
    sni_writer_free(&d->out);
    sni_arena_free(&d->arena);
    return d->heap.used == 0 ? unlink(d->path) : -1;
}

static void put_entry(desk *d, const char *name, const char *data)
{
    uint32_t size = (uint32_t)strlen(data), room = (size + 15) & ~15u;
    sni_write_bytes(&d->out, name, strlen(name));
    sni_write_fill(&d->out, 0, 64 - strlen(name));
    sni_write_words(&d->out, (const uint32_t[]){ 80, size, 80 + room, 0 }, 4);
    sni_write_bytes(&d->out, data, size);
    sni_write_fill(&d->out, 0, room - size);
}

static bool open_pack(desk *d)
{
    FILE *file = fopen(d->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(d->out.data, 1, d->out.size, file), d->out.size);
    assert_int_equal(fclose(file), 0);
    sni_diag_init(&d->diag, NULL);
    return cli_archive_open(&d->archive, d->path, &d->arena, &d->diag);
}

static void holds(desk *d, const char *name, const char *text)
{
    cli_entry entry;
    sni_bytes bytes;
    assert_true(cli_archive_find_path(&d->archive, name, &entry));
    assert_true(cli_archive_read(&d->archive, &entry, &d->arena, &d->diag, &bytes));
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
}

static void members_are_found_by_name(void **state)
{
    desk *d = *state;
    put_entry(d, "INFO.CFG", "MODEL");
    put_entry(d, "chara\\cat.mds", "a cat");
    put_entry(d, "info.cfg", "the second is hidden");
    put_entry(d, "\x94\x4C.mds", "neko");
    put_entry(d, "../out.mds", "by its last part");
    put_entry(d, "C:\\..", "no");
    sni_write_fill(&d->out, 0, 80);
    assert_true(open_pack(d));
    assert_string_equal(d->archive.kind->title, "Level-5 pack");
    assert_int_equal(d->archive.entries.count, 4);
    assert_int_equal(d->archive.refused_count, 1);
    holds(d, "out.mds", "by its last part");
    holds(d, "info.cfg", "MODEL");
    holds(d, "chara/CAT.mds", "a cat");
    holds(d, "\xE7\x8C\xAB.mds", "neko");
    cli_archive_close(&d->archive);
}

static void other_files_are_none(void **state)
{
    desk *d = *state;
    sni_write_fill(&d->out, 'x', 100);
    assert_false(open_pack(d));
    d->out.size = 0;
    assert_false(open_pack(d));
    assert_false(cli_archive_is("x.chr"));
    assert_true(cli_archive_is_model("x.CHR"));
    assert_false(cli_archive_is_model("x.mds"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(members_are_found_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
