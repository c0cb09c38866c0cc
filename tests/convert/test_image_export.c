// Images in a conversion: PNG and JPEG are kept, other kinds become PNG or are reported as lost.
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

static void what_cannot_be_decoded_is_told_once(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *loss;
    } bad[] = {
        { "RIFF\0\0\0\0WEBP", 12,
          "LOST_CONTENT images[0] \"skin\": the image cannot become PNG: image/webp is not read by sinew" },
        { "what is this?", 13,
          "LOST_CONTENT images[0] \"skin\": the image cannot become PNG: not an image of any kind sinew reads" },
        { "\x89PNG\r\n\x1A\n\0\0\0\15IHDR\0\0\0\1\0\0\0\1\10\6\0\0\0sum!\0\0\1\0tEXt and the file ends", 60,
          "LOST_CONTENT images[0]: image \"skin\" is damaged or truncated before its pixels" },
        { "BLP1", 4, "LOST_CONTENT images[0] \"skin\": the image cannot become PNG: 4 bytes wanted, 0 remain" },
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_images_become_png),
        cmocka_unit_test(what_gltf_holds_stays),
        cmocka_unit_test(what_cannot_be_decoded_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
