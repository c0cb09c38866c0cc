// An archive that a test writes byte by byte and sinew opens.
#ifndef TEST_ARCHIVE_FIXTURE_H
#define TEST_ARCHIVE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/writer.h"
#include "sinew/files.h"

typedef struct archive_fixture {
    char path[64];
    sni_heap heap;
    sni_writer out;  // the archive's bytes
    sn_archive *archive;
    sn_error error;
} archive_fixture;

static inline int set_up(void **state)
{
    static archive_fixture shared;
    shared = (archive_fixture){ .path = "/tmp/sinew_archive_XXXXXX" };
    int file = mkstemp(shared.path);
    if (file < 0) return -1;
    close(file);
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_writer_init(&shared.out, &shared.heap);
    *state = &shared;
    return 0;
}

static inline int tear_down(void **state)
{
    archive_fixture *d = *state;
    sni_writer_free(&d->out);
    return d->heap.used == 0 ? unlink(d->path) : -1;
}

static inline bool open_archive(archive_fixture *d)
{
    FILE *file = fopen(d->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(d->out.data, 1, d->out.size, file), d->out.size);
    assert_int_equal(fclose(file), 0);
    d->archive = sn_archive_open(d->path, NULL, &d->error);
    return d->archive != NULL;
}

#endif
