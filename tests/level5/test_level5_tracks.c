// Parsing MOT, WGT and BBP files, also damaged and hostile ones.
#include "level5_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const int32_t weights[3] = { 5, 2, LEVEL5_WEIGHTS }, rotation[3] = { 1, 0, LEVEL5_ROTATION };

static void weights_are_tracks(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, weights, 2, 32 + 64);
    level5_put_key(file, 3, 100, 0, 0, 0);
    level5_put_key(file, 4, 62.5f, -1, -1, -1);
    level5_put_track(file, (const int32_t[3]){ 5, 3, LEVEL5_WEIGHTS }, 0, 32);
    level5_put_track(file, rotation, 1, 0);
    level5_put_key(file, 20, 0, 1, 0, 0);
    const level5_tracks *tracks = &level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks;
    assert_int_equal(tracks->track_count, 3);
    assert_int_equal(tracks->tracks[0].node, 5);
    assert_int_equal(tracks->tracks[0].target, 2);
    assert_int_equal(tracks->tracks[0].type, LEVEL5_WEIGHTS);
    assert_int_equal(tracks->tracks[0].keys.count, 2);
    assert_int_equal(level5_read_key(&tracks->tracks[0], 1).frame, 4);
    assert_true(level5_read_key(&tracks->tracks[0], 1).value[0] == 62.5f);
    assert_int_equal(tracks->tracks[1].keys.count, 0);
    assert_true(level5_read_key(&tracks->tracks[2], 0).value[1] == 1);
    assert_int_equal(tracks->gap_count, 0);
    assert_null(file->load.diag.first);
    level5_file_locate(file, 31, "TRACK[0]");
    level5_file_locate(file, 64, "TRACK[0]/KEY[1]");
    level5_file_locate(file, 96, "TRACK[1]");
    level5_file_locate(file, 999, "");
    level5_file_close(file);
}

// Padding after the last track is normal; more is reported.
static void the_last_track_ends_the_list(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, rotation, 0, 0);
    sni_write_fill(&file->out, 0xCD, 16);
    const level5_tracks *tracks = &level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks;
    assert_int_equal(tracks->track_count, 1);
    assert_int_equal(tracks->gap_count, 1);
    assert_null(file->load.diag.first);
    level5_put_track(file, rotation, 0, 0);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks.track_count, 1);
    assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_LEFTOVER), 1);
    level5_file_close(file);
}

static void the_end_of_the_file_ends_the_list(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks.track_count, 0);
    level5_put_track(file, rotation, 0, 32);
    level5_put_track(file, rotation, 0, 32);
    sni_write_fill(&file->out, 0, 16);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks.track_count, 2);
    level5_file_close(file);
}

// The games use the count; if it leads past the file, the distance to the next track is used.
static void counts_and_distances_disagree(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, rotation, 1, 48);
    level5_put_key(file, 1, 1, 0, 0, 0);
    level5_put_track(file, weights, 0, 0);
    const level5_tracks *tracks = &level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks;
    assert_int_equal(tracks->track_count, 2);
    assert_int_equal(tracks->tracks[1].type, LEVEL5_WEIGHTS);
    assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "TRACK[0]"));
    sni_patch_u32(&file->out, 16, 0x7FFFFFFF);
    sni_patch_u32(&file->out, 20, 64);
    tracks = &level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks;
    assert_int_equal(tracks->track_count, 2);
    assert_int_equal(tracks->tracks[0].keys.count, 1);
    assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "TRACK[0]"));
    level5_file_close(file);
}

// The distance to the next track need not be a multiple of the key size.
static void bytes_between_tracks_are_kept(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, rotation, 9, 80);
    level5_put_key(file, 1, 1, 0, 0, 0);
    sni_write_fill(&file->out, 0xAB, 16);
    level5_put_track(file, weights, 0, 0);
    const level5_tracks *tracks = &level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks;
    assert_int_equal(tracks->track_count, 2);
    assert_int_equal(tracks->tracks[1].offset, 80);
    assert_int_equal(tracks->gap_count, 1);
    level5_file_close(file);
}

static void too_many_keys_are_an_error(void **state)
{
    (void)state;
    static const uint32_t lies[] = { 0, 31, 97, 0xFFFFFFFF };
    for (size_t i = 0; i < 4; i++) {
        level5_file *file = level5_file_open();
        level5_put_track(file, rotation, 0x0FFFFFFF, lies[i]);
        level5_put_key(file, 1, 1, 0, 0, 0);
        level5_put_key(file, 2, 1, 0, 0, 0);
        sn_error error = level5_file_refuse(file, LEVEL5_KIND_TRACKS, SN_ERR_TRUNCATED);
        assert_string_equal(error.path, "TRACK[0]");
        assert_string_equal(error.message, "268435455 keys need 32 bytes each, 64 remain");
        level5_file_close(file);
    }
}

static void headers_have_32_bytes(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, rotation, 0, 32);
    level5_put_track(file, rotation, 0, 0);
    sni_patch_u32(&file->out, 32 + 12, 48);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_TRACKS)->as.tracks.track_count, 1);
    assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_LEFTOVER), 1);
    sni_patch_u32(&file->out, 12, 48);
    assert_string_equal(level5_file_refuse(file, LEVEL5_KIND_TRACKS, SN_ERR_FORMAT).message,
                        "track header of 48 bytes; expected 32");
    level5_file_close(file);
}

static void new_tracks_read_back(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    uint8_t keys[64] = { 7 };
    level5_track tracks[2] = { { .node = 1, .type = LEVEL5_ROTATION, .keys = { keys, 2 } },
                               { .node = 2, .type = LEVEL5_SCALE } };
    level5_doc made = { .kind = LEVEL5_KIND_TRACKS, .as.tracks = { .tracks = tracks, .track_count = 2 } };
    const level5_tracks *read = &level5_file_make(file, &made)->as.tracks;
    assert_int_equal(read->track_count, 2);
    assert_int_equal(read->tracks[0].keys.count, 2);
    assert_int_equal(level5_read_key(&read->tracks[0], 0).frame, 7);
    assert_int_equal(read->tracks[1].next, 0);
    assert_null(file->load.diag.first);
    level5_file_close(file);
}

static void binds_are_matrices(void **state)
{
    (void)state;
    float matrix[16];
    level5_file *file = level5_file_open();
    for (int i = 0; i < 35; i++) sni_write_f32(&file->out, (float)i);
    const level5_binds *binds = &level5_file_parse(file, LEVEL5_KIND_BINDS)->as.binds;
    assert_int_equal(binds->matrices.count, 2);
    level5_read_matrix(binds->matrices, 1, matrix);
    assert_true(matrix[0] == 16 && matrix[15] == 31);
    assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_LEFTOVER), 1);
    level5_file_locate(file, 64, "MATRIX[1]");
    level5_file_locate(file, 128, "");
    file->out.size = 0;
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_BINDS)->as.binds.matrices.count, 0);
    level5_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_tracks),
        cmocka_unit_test(the_last_track_ends_the_list),
        cmocka_unit_test(the_end_of_the_file_ends_the_list),
        cmocka_unit_test(counts_and_distances_disagree),
        cmocka_unit_test(bytes_between_tracks_are_kept),
        cmocka_unit_test(too_many_keys_are_an_error),
        cmocka_unit_test(headers_have_32_bytes),
        cmocka_unit_test(new_tracks_read_back),
        cmocka_unit_test(binds_are_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
