// Parsing packs and image archives.
#include "io/level5_pack.h"
#include "level5_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void put_entry(level5_file *file, const char *name, uint32_t size, uint32_t distance)
{
    level5_put_field(file, name, 64, 0xCD);
    level5_put_words(file, (const uint32_t[]){ 80, size, distance, 0xDEADBEEF }, 4);
}

static void put_data(level5_file *file, char byte, size_t size)
{
    sni_write_fill(&file->out, (uint8_t)byte, size);
    sni_write_align(&file->out, 16, 0xEE);
}

static sni_bytes bytes_of(const level5_file *file) { return (sni_bytes){ file->out.data, file->out.size }; }

static void entries_are_a_chain(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    put_entry(file, "INFO.CFG", 5, 96);
    put_data(file, 'c', 5);
    put_entry(file, "chara\\c01.mds", 32, 112);
    put_data(file, 'm', 32);
    sni_write_fill(&file->out, 0, 80);
    sni_write_fill(&file->out, 0xAA, 7);
    const level5_pack *pack = &level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack;
    assert_int_equal(pack->entry_count, 2);
    assert_true(level5_str_is(pack->entries[0].name, "INFO.CFG"));
    assert_true(level5_str_is(pack->entries[1].name, "chara\\c01.mds"));
    assert_int_equal(pack->entries[0].data.count, 5);
    assert_int_equal(pack->entries[1].data.count, 32);
    assert_int_equal(pack->entries[1].data.data[31], 'm');
    assert_null(file->load.diag.first);
    assert_true(sni_level5_pack_is(bytes_of(file)));
    level5_file_locate(file, 4, "ENTRY[0] \"INFO.CFG\"");
    level5_file_locate(file, 85, "");
    level5_file_locate(file, 96 + 80, "ENTRY[1] \"chara\\c01.mds\"");
    level5_file_close(file);
}

static void chains_end_in_many_ways(void **state)
{
    (void)state;
    static const struct {
        uint32_t size, distance;
        bool is_entry;
    } last[] = {
        { 0xFFFFFFFF, 96, false }, { 0, 0xFFFFFFFF, false }, { 0, 0, false },
        { 16, 0, true },           { 16, 0xFFFFFFFF, true }, { 16, 96, true },
    };
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        level5_file *file = level5_file_open();
        put_entry(file, "a", 16, 96);
        put_data(file, 'a', 16);
        put_entry(file, "b", last[i].size, last[i].distance);
        put_data(file, 'b', 16);
        const level5_pack *pack = &level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack;
        assert_int_equal(pack->entry_count, last[i].is_entry ? 2 : 1);
        if (last[i].is_entry) assert_int_equal(pack->entries[1].data.count, 16);
        assert_null(file->load.diag.first);
        assert_true(sni_level5_pack_is(bytes_of(file)));
        level5_file_close(file);
    }
}

// A truncated entry is reported; entries never share bytes, so that nested packs cannot grow.
static void sizes_stay_within_the_chain(void **state)
{
    (void)state;
    static const struct {
        uint32_t data, size, distance, entries, first_bytes;
    } bad[] = {
        { 80, 17, 96, 2, 16 },       { 80, 0xFFFFFFFE, 96, 2, 16 },
        { 80, 16, 79, 1, 16 },       { 80, 500, 0x7FFFFFFF, 1, 192 - 80 },
        { 80, 500, 0, 1, 192 - 80 }, { 80, 16, 1, 1, 16 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        level5_file *file = level5_file_open();
        put_entry(file, "first", bad[i].size, bad[i].distance);
        put_data(file, 'a', 16);
        put_entry(file, "second", 16, 96);
        put_data(file, 'b', 16);
        sni_patch_u32(&file->out, 64, bad[i].data);
        const level5_pack *pack = &level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack;
        assert_int_equal(pack->entry_count, bad[i].entries);
        assert_int_equal(pack->entries[0].data.count, bad[i].first_bytes);
        assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "ENTRY[0] \"first\""));
        assert_false(sni_level5_pack_is(bytes_of(file)));
        level5_file_close(file);
    }
}

static void data_may_have_another_offset(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    put_entry(file, "a", 16, 112);
    put_data(file, 'x', 16);
    put_data(file, 'y', 16);
    static const struct {
        uint32_t place, byte;
    } places[] = { { 80, 'x' }, { 96, 'y' }, { 97, 'x' }, { 0, 'x' }, { 0xFFFFFFFF, 'x' } };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        sni_patch_u32(&file->out, 64, places[i].place);
        const level5_pack *pack = &level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack;
        assert_int_equal(pack->entries[0].data.count, 16);
        assert_int_equal(pack->entries[0].data.data[15], places[i].byte);
    }
    level5_file_close(file);
}

static void other_bytes_have_no_entries(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack.entry_count, 0);
    sni_write_fill(&file->out, 0, 80);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack.entry_count, 0);
    assert_false(sni_level5_pack_is(bytes_of(file)));
    file->out.size = 0;
    sni_write_fill(&file->out, 'a', 79);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_PACK)->as.pack.entry_count, 0);
    level5_file_close(file);
}

static void new_packs_read_back(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    level5_entry entries[2] = { { .name = sni_str_make("a.mds", 5), .data = { (const uint8_t *)"hello", 5 } },
                                { .name = sni_str_make("b", 1) } };
    level5_doc made = { .kind = LEVEL5_KIND_PACK, .as.pack = { .entries = entries, .entry_count = 2 } };
    const level5_pack *pack = &level5_file_make(file, &made)->as.pack;
    assert_int_equal(pack->entry_count, 2);
    assert_memory_equal(pack->entries[0].data.data, "hello", 5);
    assert_int_equal(file->out.size, 96 + 80 + 80);
    assert_true(sni_level5_pack_is(bytes_of(file)));
    level5_file_close(file);
}

// --- Pictures ---

static void put_magic(level5_file *file, const char *magic, uint32_t a, uint32_t b)
{
    sni_write_bytes(&file->out, magic, 4);
    level5_put_words(file, (const uint32_t[]){ a, b, 0xCDCDCDCD }, 3);
}

static void pictures_without_sizes_end_at_the_next(void **state)
{
    (void)state;
    static const char *const magics[] = { "IMG", "IM2" };
    for (int i = 0; i < 2; i++) {
        level5_file *file = level5_file_open();
        put_magic(file, magics[i], 3, 77);
        const uint32_t places[3] = { 16 + 3 * 48 + 16, 16 + 3 * 48, 5000 };
        for (int k = 0; k < 3; k++) {
            level5_put_field(file, k == 0 ? "skin" : k == 1 ? "#cloth" : "gone", 32, 0xCD);
            level5_put_words(file, (const uint32_t[]){ places[k], 1, 2, 3 }, 4);
        }
        put_data(file, 'b', 16);
        put_data(file, 'a', 32);
        const level5_img *img = &level5_file_parse(file, LEVEL5_KIND_IMG)->as.img;
        assert_int_equal(img->kind, i == 0 ? LEVEL5_IMG : LEVEL5_IM2);
        assert_int_equal(img->picture_count, 3);
        assert_true(level5_str_is(img->pictures[0].name, "skin"));
        assert_int_equal(img->pictures[0].data.count, 32);
        assert_int_equal(img->pictures[1].data.count, 16);
        assert_int_equal(img->pictures[1].data.data[0], 'b');
        assert_int_equal(img->pictures[0].is_swizzled, i == 1);
        assert_false(img->pictures[1].is_script);
        assert_int_equal(img->pictures[0].wrap_u, SN_CLAMP);
        assert_int_equal(img->pictures[2].data.count, 0);
        assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "PICTURE[2]"));
        level5_file_locate(file, 16, "PICTURE[0] \"skin\"");
        level5_file_locate(file, places[1], "PICTURE[1] \"#cloth\"");
        level5_file_close(file);
    }
}

static void put_picture(level5_file *file, const char *name, uint32_t place, uint32_t swizzled, uint32_t empty,
                        uint32_t size, uint32_t clamp)
{
    level5_put_field(file, name, 32, 0xCD);
    level5_put_words(file, (const uint32_t[]){ 64, place, swizzled, (uint32_t)-1, empty, size, clamp, 0 }, 8);
}

static void im3_pictures_have_sizes_and_flags(void **state)
{
    (void)state;
    const uint32_t data = 16 + 4 * 64;
    level5_file *file = level5_file_open();
    put_magic(file, "IM3", 0x1234, 4);
    put_picture(file, "face", data, 1, 0, 20, 0 | 1 << 2);
    put_picture(file, "#anim", data + 32, 0, 0, 16, 5);
    put_picture(file, "target", 0, 0, 1, 0, 3 | 2 << 2);
    put_picture(file, "cut", data + 32, 0, 0, 17, 0);
    put_data(file, 'f', 20);
    put_data(file, 's', 16);
    const level5_img *img = &level5_file_parse(file, LEVEL5_KIND_IMG)->as.img;
    const level5_picture *p = img->pictures;
    assert_int_equal(img->kind, LEVEL5_IM3);
    assert_int_equal(img->picture_count, 4);
    assert_true(p[0].is_swizzled && !p[0].is_script && !p[0].is_empty);
    assert_int_equal(p[0].data.count, 20);
    assert_int_equal(p[0].wrap_u, SN_REPEAT);
    assert_int_equal(p[0].wrap_v, SN_CLAMP);
    assert_true(p[1].is_script);
    assert_true(p[2].is_empty && !p[2].data.data);
    assert_int_equal(p[2].wrap_u, SN_CLAMP);
    assert_int_equal(p[3].data.count, 16);
    assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "PICTURE[3]"));
    assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_SIZE), 1);
    level5_file_close(file);
}

static void picture_counts_are_checked(void **state)
{
    (void)state;
    level5_file *file = level5_file_open();
    put_magic(file, "IMG", 0xFFFFFFFF, 0);
    put_data(file, 0, 48);
    assert_string_equal(level5_file_refuse(file, LEVEL5_KIND_IMG, SN_ERR_TRUNCATED).message,
                        "4294967295 items need 48 bytes each, 48 remain");
    file->out.data[2] = '4';
    level5_file_refuse(file, LEVEL5_KIND_IMG, SN_ERR_FORMAT);
    file->out.size = 15;
    level5_file_refuse(file, LEVEL5_KIND_IMG, SN_ERR_TRUNCATED);
    level5_file_close(file);
}

static void new_archives_read_back(void **state)
{
    (void)state;
    for (int kind = LEVEL5_IMG; kind <= LEVEL5_IM3; kind++) {
        level5_file *file = level5_file_open();
        level5_picture pictures[2] = { { .name = sni_str_make("one", 3),
                                         .data = { (const uint8_t *)"12345", 5 },
                                         .is_swizzled = true,
                                         .wrap_v = SN_CLAMP },
                                       { .name = sni_str_make("two", 3), .data = { (const uint8_t *)"678", 3 } } };
        level5_doc made = { .kind = LEVEL5_KIND_IMG,
                            .as.img = { .kind = (level5_img_kind)kind, .pictures = pictures, .picture_count = 2 } };
        const level5_img *img = &level5_file_make(file, &made)->as.img;
        assert_int_equal(img->kind, kind);
        assert_memory_equal(img->pictures[0].data.data, "12345", 5);
        assert_memory_equal(img->pictures[1].data.data, "678", 3);
        assert_int_equal(img->pictures[0].is_swizzled, kind != LEVEL5_IMG);
        assert_int_equal(img->pictures[0].wrap_u, kind == LEVEL5_IM3 ? SN_REPEAT : SN_CLAMP);
        assert_null(file->load.diag.first);
        level5_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_a_chain),
        cmocka_unit_test(chains_end_in_many_ways),
        cmocka_unit_test(sizes_stay_within_the_chain),
        cmocka_unit_test(data_may_have_another_offset),
        cmocka_unit_test(other_bytes_have_no_entries),
        cmocka_unit_test(new_packs_read_back),
        cmocka_unit_test(pictures_without_sizes_end_at_the_next),
        cmocka_unit_test(im3_pictures_have_sizes_and_flags),
        cmocka_unit_test(picture_counts_are_checked),
        cmocka_unit_test(new_archives_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
