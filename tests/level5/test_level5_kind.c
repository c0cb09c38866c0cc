// Recognising files: by magic, by structure, by name; and not taking files of other formats.
#include "level5_file.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const void *data, size_t size, const char *name, level5_kind kind, int score)
{
    void *exact = malloc(size + !size);  // exact size, for sanitizers
    assert_non_null(exact);
    memcpy(exact, data, size);
    const sni_bytes bytes = { exact, size };
    assert_int_equal(level5_find_kind(bytes, name), kind);
    assert_int_equal(level5_probe(bytes), score);
    free(exact);
}

static void a_magic_decides(void **state)
{
    (void)state;
    static const uint8_t mds[16] = "MDS", img[16] = "IM3";
    expect(mds, 16, "x.wgt", LEVEL5_KIND_MDS, 100);
    expect(img, 16, NULL, LEVEL5_KIND_IMG, 90);
    expect("MDS", 4, NULL, LEVEL5_UNKNOWN, 0);
    expect("", 0, NULL, LEVEL5_UNKNOWN, 0);
}

static void configurations_begin_with_a_tag(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        level5_kind kind;
        int score;
    } texts[] = {
        { "IMG 0,\"a.img\"\r\n", LEVEL5_KIND_CONFIG, 65 },
        { "// \x83\x65\n/*/ x */ v2;\nMODEL \"A.MDS\";", LEVEL5_KIND_CONFIG, 65 },
        { "KEY_START 0\n", LEVEL5_KIND_CONFIG, 15 },
        { "BODY_SIZE 1,2,3;", LEVEL5_KIND_CONFIG, 15 },
        { "KEY", LEVEL5_UNKNOWN, 0 },
        { "Version {", LEVEL5_UNKNOWN, 0 },
        { "Model \"Boar\" {", LEVEL5_KIND_CONFIG, 15 },
        { "{\"asset\":1}", LEVEL5_UNKNOWN, 0 },
        { "/* KEY 1,2", LEVEL5_UNKNOWN, 0 },
        { "//", LEVEL5_UNKNOWN, 0 },
        { "/*/", LEVEL5_UNKNOWN, 0 },
        { "/", LEVEL5_UNKNOWN, 0 },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i].text, strlen(texts[i].text), NULL, texts[i].kind, texts[i].score);
    expect("anything", 8, "dir/INFO.CFG", LEVEL5_KIND_CONFIG, 0);
    expect("\xEF\xBB\xBFMODEL \"a.mds\"\n\x1A\0\0", 21, NULL, LEVEL5_KIND_CONFIG,
           65);  // with a byte order mark and padding
    expect("MODEL \0\"a.mds\"", 15, NULL, LEVEL5_UNKNOWN, 0);
}

static void tracks_fill_their_file(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_track(file, (const int32_t[]){ 3, 1, LEVEL5_WEIGHTS }, 1, 64);
    level5_put_key(file, 0, 100, 0, 0, 0);
    level5_put_track(file, (const int32_t[]){ 3, 1, LEVEL5_TRANSLATION }, 0, 0);
    expect(file->out.data, file->out.size, NULL, LEVEL5_KIND_TRACKS, 50);
    sni_write_fill(&file->out, 0xCD, 16);
    expect(file->out.data, file->out.size, "x.bin", LEVEL5_KIND_TRACKS, 50);
    sni_write_fill(&file->out, 0xCD, 1);
    expect(file->out.data, file->out.size, NULL, LEVEL5_KIND_TRACKS, 10);
    expect(file->out.data, 63, "x.mot", LEVEL5_KIND_TRACKS, 10);
    sni_patch_u32(&file->out, 8, 13);
    expect(file->out.data, file->out.size, NULL, LEVEL5_UNKNOWN, 0);
    expect(file->out.data, file->out.size, "x.WGT", LEVEL5_KIND_TRACKS, 0);
    level5_file_close(file);
}

static void binds_are_only_matrices(void **state)
{
    (void)state;
    float matrices[2][16] = { { 0 }, { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 } };
    expect(LITTLE_ENDIAN(matrices), sizeof matrices, NULL, LEVEL5_KIND_BINDS, 30);
    expect(LITTLE_ENDIAN(matrices), 64, NULL, LEVEL5_UNKNOWN, 0);
    matrices[0][3] = 1;
    expect(LITTLE_ENDIAN(matrices), sizeof matrices, NULL, LEVEL5_UNKNOWN, 0);
    expect(LITTLE_ENDIAN(matrices), sizeof matrices, "c01.bbp", LEVEL5_KIND_BINDS, 0);
}

static void packs_are_chains(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_put_field(file, "x.mds", 64, 0xCD);
    level5_put_words(file, (const uint32_t[]){ 80, 16, 96, 0 }, 4);
    sni_write_fill(&file->out, 0, 16);
    expect(file->out.data, file->out.size, "x.mds", LEVEL5_KIND_PACK, 60);
    expect(file->out.data, 90, NULL, LEVEL5_KIND_PACK, 12);
    file->out.data[2] = '\t';
    expect(file->out.data, file->out.size, NULL, LEVEL5_UNKNOWN, 0);
    level5_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_magic_decides),        cmocka_unit_test(configurations_begin_with_a_tag),
        cmocka_unit_test(tracks_fill_their_file), cmocka_unit_test(binds_are_only_matrices),
        cmocka_unit_test(packs_are_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
