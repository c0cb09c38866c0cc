// Images in a conversion: PNG, JPEG, WebP and KTX2 are kept, other kinds become PNG or are reported as lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"
#include "gltf_text.h"
#include "image_files.h"

static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const float coordinates[6] = { 0, 0, 1, 0, 0, 1 };

// A triangle that shows the image; a second image is used by nothing.
static sn_model *model_with(const picture *p)
{
    gltf_draft *draft = draft_start();
    int positions = draft_floats(draft, "VEC3", 3, corners), uvs = draft_floats(draft, "VEC2", 3, coordinates);
    int view = draft_view(draft, p->data, p->size, ""), unused = draft_view(draft, "BLP1", 4, "");
    return load_draft(draft,
                      "'images':[{'bufferView':%d,'name':'skin'},{'bufferView':%d}],'textures':[{'source':0}],"
                      "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}],'nodes':[{'mesh':0}],'"
                      "scenes':[{'nodes':[0]}],"
                      "'meshes':[{'primitives':[{'material':0,'attributes':{'POSITION':%d,'TEXCOORD_0':%d}}]}]",
                      view, unused, positions, uvs);
}

typedef struct saving {
    saved_files files;
    int losses;
    char last[200];
} saving;

static bool write_file(void *user, const char *name, const void *data, size_t size)
{
    return saved_write(&((saving *)user)->files, name, data, size);
}

static void keep_loss(void *user, const sn_warning *loss)
{
    saving *s = user;
    s->losses++;
    snprintf(s->last, sizeof s->last, "%s %s: %s", sn_warning_name(loss->code), loss->path, loss->message);
}

static sn_status save(const sn_model *model, saving *s, counting_heap *heap)
{
    memset(s, 0, sizeof *s);
    sn_save_opts opts = { .allocator = counting_allocator(heap), .report = keep_loss, .write = write_file, .user = s };
    sn_status status = sn_save_file(model, "x.glb", &opts, NULL);
    assert_int_equal(heap->live_blocks, 0);
    return status;
}

static void expect_png(const picture *p, uint32_t width, uint32_t height, const uint32_t *wanted)
{
    static saving s;
    static picture png;
    counting_heap heap = { 0 };
    sn_model *model = model_with(p);
    assert_int_equal(save(model, &s, &heap), SN_OK);
    assert_int_equal(s.losses, 0);
    for (uint64_t k = 1, calls = heap.calls; k <= calls; k++) {
        static saving failing;
        counting_heap fails = { .fail_at = k };
        assert_int_equal(save(model, &failing, &fails), SN_ERR_MEMORY);
        saved_free(&failing.files);
    }
    sn_model_free(model);
    model = load_bytes(s.files.files[0].data, s.files.files[0].size, NULL);
    assert_int_equal(model->image_count, 1);
    assert_string_equal(model->images[0].name, "skin");
    assert_string_equal(model->images[0].mime_type, "image/png");
    picture_clear(&png);
    picture_bytes(&png, model->images[0].data, (size_t)model->images[0].size);
    picture_expect(&png, width, height, wanted);
    sn_model_free(model);
    saved_free(&s.files);
}

static void old_images_become_png(void **state)
{
    (void)state;
    static picture p;
    picture_tga(&p, 2, 2, 1, 32, 8);
    picture_bytes(&p, "\1\2\3\4\5\6\7\10", 8);
    expect_png(&p, 2, 1, (const uint32_t[]){ 0x03020104, 0x07060508 });
    picture_dds(&p, 1, 1, "DXT1");
    picture_bytes(&p, "\0\xF8\0\0\0\0\0\0", 8);
    expect_png(&p, 1, 1, (const uint32_t[]){ 0xFF0000FF });
    picture_blp(&p, (blp_wish){ .version = 1,
                                .content = 1,
                                .alpha_bits = 8,
                                .width = 2,
                                .height = 1,
                                .head = "\1\2\3\0\4\5\6\0",
                                .head_size = 8 });
    picture_blp_level(&p, 0, "\1\0\x80\x40", 4);
    expect_png(&p, 2, 1, (const uint32_t[]){ 0x06050480, 0x03020140 });
}

static void what_gltf_holds_stays(void **state)
{
    (void)state;
    static saving s;
    static picture p;
    counting_heap heap = { 0 };
    picture_clear(&p);
    picture_bytes(&p, "\x89PNG\r\n\x1A\n\0\0\0\15IHDR\0\0\0\1\0\0\0\1\10\6\0\0\0sum!\0\0\0\1IDAT and then only junk",
                  60);
    sn_model *model = model_with(&p);
    assert_int_equal(save(model, &s, &heap), SN_OK);
    assert_int_equal(s.losses, 0);
    sn_model_free(model);
    model = load_bytes(s.files.files[0].data, s.files.files[0].size, NULL);
    assert_int_equal(model->images[0].size, 60);
    assert_memory_equal(model->images[0].data, p.data, 60);
    sn_model_free(model);
    saved_free(&s.files);
}

// Saved and loaded again: the image, as the file has it.
static sn_model *again(const picture *p, const char *extension)
{
    static saving s;
    counting_heap heap = { 0 };
    sn_model *model = model_with(p);
    assert_int_equal(save(model, &s, &heap), SN_OK);
    assert_int_equal(s.losses, 0);
    sn_model_free(model);
    const saved_file *file = &s.files.files[0];
    char required[64];
    snprintf(required, sizeof required, "\"extensionsRequired\":[\"%s\"]", extension);
    bool is_required = false;
    for (size_t i = 0; extension && i + strlen(required) <= file->size && !is_required; i++)
        is_required = memcmp(file->data + i, required, strlen(required)) == 0;
    assert_int_equal(is_required, extension != NULL);
    model = load_bytes(file->data, file->size, NULL);
    assert_int_equal(model->image_count, 1);
    assert_int_equal(model->materials[0].layers[0].maps[SN_MAP_COLOR].image, 0);
    saved_free(&s.files);
    return model;
}

static void webp_and_ktx2_pass_through_their_extensions(void **state)
{
    (void)state;
    static picture p;
    static const uint8_t webp[30] = "RIFF\x16\0\0\0WEBPVP8L\xa\0\0\0\x2f\0\0\0\0\7\x10\xfd\x8f\xfe";
    picture_clear(&p);
    picture_bytes(&p, webp, sizeof webp);
    sn_model *model = again(&p, "EXT_texture_webp");
    assert_int_equal(model->images[0].size, sizeof webp);
    assert_memory_equal(model->images[0].data, webp, sizeof webp);
    sn_model_free(model);

    picture_clear(&p);
    picture_bytes(&p, "\xABKTX 20\xBB\r\n\x1A\n", 12);
    for (int i = 0; i < 17; i++) picture_u32(&p, i == 2 || i == 3 || i == 7 ? 4 : 0);   // 4 x 4
    picture_u32(&p, 104), picture_u32(&p, 0), picture_u32(&p, 16), picture_u32(&p, 0);  // the place of its level
    picture_u32(&p, 16), picture_u32(&p, 0);
    picture_fill(&p, 7, 16);
    model = again(&p, "KHR_texture_basisu");
    assert_int_equal(model->images[0].size, p.size);
    assert_memory_equal(model->images[0].data, p.data, p.size);
    sn_model_free(model);
}

// Each kind for each target, the file beside the model, and out of memory at every place.
static void textures_become_what_is_asked_for(void **state)
{
    static const struct {
        const char *path, *signature;
        sn_textures textures;
        bool is_held;
    } cases[] = {
        { "x.mdx", "BLP1\1", SN_TEXTURES_BLP, true }, { "x.mdx", "BLP1\0", SN_TEXTURES_BLP_JPEG, true },
        { "x.mdx", "DDS |", SN_TEXTURES_DDS, true },  { "x.mdl", "\0\0\2\0\0", SN_TEXTURES_TGA, true },
        { "x.mdx", NULL, SN_TEXTURES_PNG, false },    { "x.w3d", "DDS |", SN_TEXTURES_DDS, true },
        { "x.w3d", NULL, SN_TEXTURES_BLP, false },    { "x.w3d", NULL, SN_TEXTURES_PNG, false },
        { "x.glb", "glTF\2", SN_TEXTURES_PNG, true }, { "x.glb", NULL, SN_TEXTURES_DDS, false },
        { "x.chr", NULL, SN_TEXTURES_TGA, false },
    };
    static picture p;
    static const uint8_t rows[] = { 0, 10, 20, 30, 255, 40, 50, 60, 128, 70, 80, 90, 0 };
    (void)state;
    picture_png(&p, 3, 1, 8, 6, 0);
    picture_png_pixels(&p, rows, sizeof rows);
    sn_model *model = model_with(&p);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint64_t k = 0, calls = 1; k <= calls; k++) {
            static saving s;
            counting_heap heap = { .fail_at = k };
            memset(&s, 0, sizeof s);
            sn_save_opts opts = { .allocator = counting_allocator(&heap),
                                  .textures = cases[i].textures,
                                  .report = keep_loss,
                                  .write = write_file,
                                  .user = &s };
            sn_error error;
            const sn_status status = sn_save_file(model, cases[i].path, &opts, &error);
            assert_int_equal(heap.live_blocks, 0);
            if (k == 0) {
                calls = heap.calls;
                assert_int_equal(status, cases[i].is_held ? SN_OK : SN_ERR_UNSUPPORTED);
                assert_true(cases[i].is_held || strstr(error.message, "does not read textures as"));
                assert_int_equal(s.files.count > 0, cases[i].is_held);
                if (cases[i].is_held) assert_memory_equal(s.files.files[0].data, cases[i].signature, 5);
            } else {
                assert_int_equal(status, SN_ERR_MEMORY);
            }
            saved_free(&s.files);
        }
    }
    sn_model_free(model);
}

// Profile, gamma, primaries, pixel aspect and animation go; the pixels and everything else stay.
static void what_gltf_ignores_is_left_out(void **state)
{
    (void)state;
    static picture p, wanted;
    static const char *const kept[] = { "tEXt", "tRNS" };
    static const uint8_t rows[] = { 0, 1, 2, 3 };
    for (int with = 1; with >= 0; with--) {
        picture *out = with ? &p : &wanted;
        picture_png(out, 1, 1, 8, 2, 0);
        if (with) {
            picture_chunk(out, "iCCP", "profile\0\0junk", 13);
            picture_chunk(out, "gAMA", "\0\1\x86\xa0", 4);
            picture_chunk(out, "pHYs", "\0\0\0\1\0\0\0\2\0", 9);
            picture_chunk(out, "cHRM", "\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1", 32);
            picture_chunk(out, "acTL", "\0\0\0\1\0\0\0\0", 8);
        }
        picture_chunk(out, "gAMA", "\0\0\xb1\x8f", 4);  // 45455: sRGB
        picture_chunk(out, "pHYs", "\0\0\0\3\0\0\0\3\1", 9);
        for (int i = 0; i < 2; i++) picture_chunk(out, kept[i], "\0\1\0\2\0\4", 6);
        picture_png_pixels(out, rows, sizeof rows);
    }
    sn_model *model = again(&p, NULL);
    assert_int_equal(model->images[0].size, wanted.size);
    assert_memory_equal(model->images[0].data, wanted.data, wanted.size);
    sn_model_free(model);

    // The same for WebP: a chunk, and the flag that announces it.
    static const uint8_t flat[] = "VP8L\xa\0\0\0\x2f\0\0\0\0\7\x10\xfd\x8f\xfe";
    for (int with = 1; with >= 0; with--) {
        picture *out = with ? &p : &wanted;
        picture_clear(out);
        picture_bytes(out, "RIFF", 4);
        picture_u32(out, 4 + 18 + (with ? 12 : 0) + 18);
        picture_bytes(out, "WEBPVP8X\xa\0\0\0", 12);
        picture_bytes(out, with ? "\x30\0\0\0\0\0\0\0\0\0" : "\x10\0\0\0\0\0\0\0\0\0", 10);
        if (with) picture_bytes(out, "ICCP\3\0\0\0abc\0", 12);
        picture_bytes(out, flat, 18);
    }
    model = again(&p, "EXT_texture_webp");
    assert_int_equal(model->images[0].size, wanted.size);
    assert_memory_equal(model->images[0].data, wanted.data, wanted.size);
    sn_model_free(model);
}

static void what_cannot_be_decoded_is_told_once(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *loss;
    } bad[] = {
        { "RIFF\0\0\0\0WEBP", 12, "LOST_CONTENT images[0]: image \"skin\" is damaged or truncated before its pixels" },
        { "what is this?", 13,
          "LOST_CONTENT images[0] \"skin\": the image cannot be written as PNG: not an image of any kind sinew reads" },
        { "\x89PNG\r\n\x1A\n\0\0\0\15IHDR\0\0\0\1\0\0\0\1\10\6\0\0\0sum!\0\0\1\0tEXt and the file ends", 60,
          "LOST_CONTENT images[0]: image \"skin\" is damaged or truncated before its pixels" },
        { "BLP1", 4, "LOST_CONTENT images[0] \"skin\": the image cannot be written as PNG: 4 bytes needed, 0 remain" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        static saving s;
        static picture p;
        counting_heap heap = { 0 };
        picture_clear(&p);
        picture_bytes(&p, bad[i].bytes, bad[i].size);
        sn_model *model = model_with(&p);
        assert_int_equal(save(model, &s, &heap), SN_OK);
        assert_string_equal(s.last, bad[i].loss);
        assert_int_equal(s.losses, 1);
        sn_model_free(model);
        saved_free(&s.files);
    }
}

// Saves with a cache and compares with a save without.
static uint64_t save_cached(const sn_model *model, sn_image_cache *cache, uint64_t pixels)
{
    static saving plain, cached;
    counting_heap heap = { 0 };
    memset(&plain, 0, sizeof plain), memset(&cached, 0, sizeof cached);
    sn_save_opts opts = { .image_pixels = pixels, .report = keep_loss, .write = write_file, .user = &plain };
    assert_int_equal(sn_save_file(model, "x.glb", &opts, NULL), SN_OK);
    opts.user = &cached;
    opts.image_cache = cache;
    opts.allocator = counting_allocator(&heap);
    assert_int_equal(sn_save_file(model, "x.glb", &opts, NULL), SN_OK);
    assert_int_equal(cached.losses, plain.losses);
    assert_int_equal(cached.files.files[0].size, plain.files.files[0].size);
    assert_memory_equal(cached.files.files[0].data, plain.files.files[0].data, plain.files.files[0].size);
    saved_free(&plain.files), saved_free(&cached.files);
    return heap.calls;
}

// The second save of a texture neither decodes nor encodes it; the files are the same, and so is what is refused.
static void equal_images_are_encoded_once(void **state)
{
    (void)state;
    static picture p, other;
    counting_heap heap = { 0 };
    sn_allocator allocator = counting_allocator(&heap);
    sn_image_cache *cache = sn_image_cache_create(&allocator, 0);
    picture_tga(&p, 2, 2, 1, 32, 8);
    picture_bytes(&p, "\1\2\3\4\5\6\7\10", 8);
    picture_tga(&other, 2, 2, 1, 32, 8);
    picture_bytes(&other, "\1\2\3\4\5\6\7\11", 8);
    sn_model *model = model_with(&p), *with_other = model_with(&other);
    uint64_t first = save_cached(model, cache, 0), second = save_cached(model, cache, 0);
    assert_true(second < first);
    assert_true(save_cached(with_other, cache, 0) == first);
    assert_true(save_cached(model, cache, 1) > 0);  // two pixels are over the budget, cached or not
    sn_image_cache_free(cache);
    assert_int_equal(heap.live_blocks, 0);

    // Full: what was not used for longest goes, and what does not fit is not kept.
    for (uint64_t bytes = 1000; bytes < 40000; bytes += 97) {
        cache = sn_image_cache_create(&allocator, bytes);
        for (int round = 0; cache && round < 2; round++)
            save_cached(model, cache, 0), save_cached(with_other, cache, 0);
        assert_true(heap.live_bytes <= bytes);
        sn_image_cache_free(cache);
        assert_int_equal(heap.live_blocks, 0);
    }
    sn_model_free(model), sn_model_free(with_other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_images_become_png),
        cmocka_unit_test(what_gltf_holds_stays),
        cmocka_unit_test(webp_and_ktx2_pass_through_their_extensions),
        cmocka_unit_test(what_gltf_ignores_is_left_out),
        cmocka_unit_test(textures_become_what_is_asked_for),
        cmocka_unit_test(equal_images_are_encoded_once),
        cmocka_unit_test(what_cannot_be_decoded_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
