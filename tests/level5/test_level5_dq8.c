// MDS and MOT of Dragon Quest VIII: parsing, the model, damaged and hostile files.
#include "check_model.h"
#include "hand_models.h"
#include "level5_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    MDS = 'M' | 'D' << 8 | 'S' << 16,
    MDT = 'M' | 'D' << 8 | 'T' << 16,
    NODES = 80,
    MATERIALS = NODES + 3 * 160,
    NAMES = MATERIALS + 96,
    MESHES = NAMES + 32,
    ARRAYS = 256,
    GROUPS = ARRAYS + 112,
    GROUP_BYTES = 80,
    MESH_BYTES = GROUPS + GROUP_BYTES + 32
};

static void put_u16s(level5_file *file, const int32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) sni_write_u16(&file->out, (uint16_t)values[i]);
}

static void put_matrix(level5_file *file, float x, float y)
{
    level5_put_floats(file, (const float[16]){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 0, 1 }, 16);
}

// A root, a bone one unit to the right, a mesh one unit above.
static void put_nodes(level5_file *file)
{
    static const struct {
        uint32_t name;
        int32_t mesh, parent;
        float x, y, bind_x;
    } nodes[3] = { { 0, -1, -1, 0, 0, 0 }, { 5, -1, 0, 1, 0, 1 }, { 10, 0, 0, 0, 1, 0 } };
    for (int i = 0; i < 3; i++) {
        level5_put_words(file,
                         (const uint32_t[8]){ nodes[i].name, 0, 0, (uint32_t)nodes[i].mesh, (uint32_t)nodes[i].parent },
                         8);
        put_matrix(file, nodes[i].x, nodes[i].y);
        put_matrix(file, nodes[i].bind_x, 0);
    }
}

// A square of two by two, skinned to the root on the left and to the bone on the right.
static void put_mesh(level5_file *file)
{
    const size_t start = file->out.size;
    sni_write_fill(&file->out, 0, ARRAYS);
    static const int32_t positions[12] = { 0, 0, 0, 32767, 0, 0, 0, 32767, 0, 32767, 32767, 0 };
    put_u16s(file, positions, 12);  // 24 bytes
    sni_write_bytes(&file->out, "\x80\x40\x00\x00\x80\x80", 6);
    sni_write_bytes(&file->out, "\0\0\x7F\0\0\x7F\x7F\x7F", 8);
    sni_write_fill(&file->out, 0, 2);  // 40
    for (int i = 0; i < 4; i++) put_u16s(file, (const int32_t[4]){ i & 1 ? 0 : 32767, i & 1 ? 32767 : 0, 0, 0 }, 4);
    for (int i = 0; i < 4; i++) put_u16s(file, (const int32_t[4]){ 0, 1, -1, 500 }, 4);
    sni_write_fill(&file->out, 0, 8);  // 112
    level5_put_words(file, (const uint32_t[11]){ GROUP_BYTES, 4 | 4 << 16, 0, 0, 44, 0, 0, 0, 0, 52, 60 }, 11);
    for (int i = 0; i < 2; i++) put_u16s(file, (const int32_t[4]){ 0, 1, 2, 3 }, 4);
    put_u16s(file, (const int32_t[4]){ 0, 1, 0, 1 }, 4);
    sni_write_fill(&file->out, 0, start + GROUPS + GROUP_BYTES - file->out.size);
    level5_put_words(file, (const uint32_t[8]){ 32, 4, 0, 0, 32 }, 8);
    static const struct {
        uint32_t at, value;
    } words[] = { { 0, MDT },   { 8, ARRAYS }, { 12, MESH_BYTES }, { 0x70, 2 },  { 0x74, GROUPS },
                  { 0x90, 4 },  { 0x94, 0 },   { 0x98, 2 },        { 0x9C, 24 }, { 0xA0, 4 },
                  { 0xA4, 30 }, { 0xB0, 1 },   { 0xB4, 40 },       { 0xB8, 72 } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sni_patch_u32(&file->out, start + words[i].at, words[i].value);
    static const uint32_t two = 0x40000000, one = 0x3F800000;
    for (size_t i = 0; i < 3; i++) sni_patch_u32(&file->out, start + 0x20 + 4 * i, two);
    for (size_t i = 0; i < 2; i++) sni_patch_u32(&file->out, start + 0x50 + 4 * i, one);
}

static level5_file *open_mds(void)
{
    level5_file *file = level5_file_open();
    level5_put_words(file,
                     (const uint32_t[20]){ MDS, 200, 80, 3, 0, 160, NODES, 0, 1, MESHES, 0, 1, 96, MATERIALS, NAMES,
                                           32 },
                     20);
    put_nodes(file);
    level5_put_floats(file, (const float[12]){ 1, 0.5f, 0.25f, 1 }, 12);
    level5_put_words(file, (const uint32_t[12]){ 15, 21 }, 12);
    sni_write_bytes(&file->out, "root\0bone\0mesh\0cloth\0silk\0\0\0\0\0\0", 32);
    put_mesh(file);
    assert_int_equal(file->out.size, MESHES + MESH_BYTES);
    return file;
}

static void meshes_hold_their_weights(void **state)
{
    (void)state;
    level5_file *file = open_mds();
    const level5_doc *doc = level5_file_parse(file, LEVEL5_KIND_MDS);
    assert_int_equal(doc->kind, LEVEL5_KIND_DQ8_MDS);
    const level5_dq8_mds *mds = &doc->as.dq8_mds;
    assert_int_equal(mds->nodes.count, 3);
    assert_int_equal(mds->materials.count, 1);
    assert_int_equal(mds->mesh_count, 1);
    assert_int_equal(mds->meshes[0].positions.count, 4);
    assert_int_equal(mds->meshes[0].group_count, 1);
    assert_int_equal(mds->meshes[0].groups[0].mode, 4);
    assert_int_equal(mds->meshes[0].groups[0].positions.count, 4);
    assert_int_equal(mds->meshes[0].weights.count, 4);
    assert_null(file->load.diag.first);
    level5_file_locate(file, NODES + 161, "NODE[1]");
    level5_file_locate(file, MATERIALS, "MATERIAL[0]");
    level5_file_locate(file, NAMES + 3, "NAMES");
    level5_file_locate(file, MESHES + 300, "MDT[0]");
    level5_file_close(file);
}

static sn_model *load_model(const level5_file *file, const sni_bytes *motion);

static void models_are_skinned_in_model_space(void **state)
{
    (void)state;
    level5_file *file = open_mds();
    sn_model *model = load_model(file, NULL);
    assert_int_equal(model->node_count, 3);
    assert_string_equal(model->nodes[1].name, "bone");
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].vertex_count, 4);
    assert_int_equal(model->meshes[0].index_count, 6);
    assert_int_equal(model->skin_count, 1);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_string_equal(model->materials[0].name, "silk");
    assert_int_equal(model->warnings[0].code, SNI_WARN_LEVEL5_DQ8);
    sn_vec3 posed[4];
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_solve(pose, NULL);
    sn_skin_part(pose, 0, posed, NULL, NULL);
    assert_vec3(posed[0], 0, 1, 0);  // moved up by the mesh's node
    assert_vec3(posed[3], 2, 3, 0);
    sn_trs up = { { 1, 10, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    sn_pose_set_local(pose, 1, up);
    sn_pose_solve(pose, NULL);
    sn_skin_part(pose, 0, posed, NULL, NULL);
    assert_vec3(posed[0], 0, 1, 0);
    assert_vec3(posed[3], 2, 13, 0);
    sn_pose_free(pose);
    sn_model_free(model);
    level5_file_close(file);
}

static void bad_sizes_are_reported(void **state)
{
    (void)state;
    static const struct {
        uint32_t at, value;
        sn_status status;
        int32_t warning;
    } lies[] = {
        { 20, 112, SN_ERR_UNSUPPORTED, 0 },
        { 48, 97, SN_ERR_UNSUPPORTED, 0 },
        { 12, 0x7FFFFFFF, SN_ERR_TRUNCATED, 0 },
        { 24, 0xFFFFFFFF, SN_ERR_TRUNCATED, 0 },
        { 32, 2, SN_ERR_TRUNCATED, 0 },
        { 32, 0xFFFFFFFF, SN_ERR_TRUNCATED, 0 },
        { 36, 0x7FFFFFFF, SN_ERR_TRUNCATED, 0 },
        { 60, 0xFFFFFFFF, SN_ERR_TRUNCATED, 0 },
        { MESHES + 12, 255, SN_ERR_CORRUPT, 0 },
        { MESHES + 12, MESH_BYTES + 1, SN_ERR_TRUNCATED, 0 },
        { MESHES + 0x90, 0xFFFFFFFF, SN_OK, SNI_WARN_LEVEL5_SECTION },
        { MESHES + 8, 0xFFFFFFFF, SN_OK, SNI_WARN_LEVEL5_SECTION },
        { MESHES + 0xB4, 0xFFFFFFF0, SN_OK, SNI_WARN_LEVEL5_SECTION },
        { MESHES + 0x70, 9, SN_OK, SNI_WARN_LEVEL5_SECTION },
        { MESHES + 0x74, 0xFFFFFFFF, SN_OK, SNI_WARN_LEVEL5_SECTION },
        { MESHES + GROUPS + 4, 4 | 100 << 16, SN_OK, SNI_WARN_LEVEL5_SECTION },
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        level5_file *file = open_mds();
        sni_patch_u32(&file->out, lies[i].at, lies[i].value);
        if (lies[i].status != SN_OK) level5_file_refuse(file, LEVEL5_KIND_MDS, lies[i].status);
        else level5_file_parse(file, LEVEL5_KIND_MDS);
        if (lies[i].warning) assert_in_range(level5_file_warnings(file, lies[i].warning), 1, 3);
        level5_file_close(file);
    }
}

// --- Motion ---

enum { BONE = 64 };

// Node 1: rotated by a quarter turn about z at frame 10 (sparse keys), translated at each frame, not scaled.
static level5_file *open_mot(void)
{
    level5_file *file = level5_file_open();
    level5_put_words(file, (const uint32_t[16]){ 0, 0, 0, 0, 0, 0, 0, 1, BONE }, 16);
    const uint32_t rotation = 48, translation = rotation + 32 + 24, scale = translation + 32 + 16,
                   total = scale + 32 + 8;
    level5_put_words(file, (const uint32_t[12]){ total, 1, 0, 7, 1, rotation, 3, translation, 6, scale }, 12);
    const struct {
        uint32_t count, frames, values;
        float scale;
    } channels[3] = { { 2, 32, 36, 1 }, { 2, 0, 32, 10 }, { 1, 0, 32, 1 } };
    for (int i = 0; i < 3; i++) {
        level5_put_words(file,
                         (const uint32_t[4]){ 0, channels[i].count << 16, channels[i].frames, channels[i].values }, 4);
        for (int k = 0; k < 4; k++) sni_write_f32(&file->out, channels[i].scale);
        if (i == 0) {
            put_u16s(file, (const int32_t[2]){ 0, 10 }, 2);
            put_u16s(file, (const int32_t[8]){ 0, 0, 0, 32767, 0, 0, 23170, -23170 }, 8);  // stored with w negated
            sni_write_fill(&file->out, 0, 4);
        } else if (i == 1) {
            put_u16s(file, (const int32_t[6]){ 0, 0, 0, 32767, 0, -32767 }, 6);
            sni_write_fill(&file->out, 0, 4);
        } else {
            put_u16s(file, (const int32_t[4]){ 32767, 32767, 32767, 0 }, 4);
        }
    }
    assert_int_equal(file->out.size, BONE + total);
    return file;
}

static void channels_are_read(void **state)
{
    (void)state;
    level5_file *file = open_mot();
    const level5_doc *doc = level5_file_parse(file, LEVEL5_KIND_TRACKS);
    assert_int_equal(doc->kind, LEVEL5_KIND_DQ8_MOT);
    const level5_dq8_bone *bone = doc->as.dq8_mot.bones;
    assert_int_equal(doc->as.dq8_mot.bone_count, 1);
    assert_int_equal(bone->node, 1);
    assert_int_equal(bone->channel_count, 3);
    assert_int_equal(bone->channels[0].frames.count, 2);
    assert_null(bone->channels[1].frames.data);
    assert_true(bone->channels[1].scale[2] == 10);
    assert_null(file->load.diag.first);
    const level5_tracks *tracks = &level5_translate(&file->load, doc)->as.tracks;
    assert_int_equal(tracks->track_count, 3);
    level5_key key = level5_read_key(&tracks->tracks[0], 1);
    assert_int_equal(key.frame, 10);
    assert_true(key.value[0] < -0.7f && key.value[1] == 0 && key.value[3] > 0.7f);  // w, x, y, z
    key = level5_read_key(&tracks->tracks[1], 1);
    assert_int_equal(key.frame, 1);
    assert_true(key.value[0] == 10 && key.value[2] == -10);
    assert_int_equal(tracks->tracks[2].type, LEVEL5_SCALE);
    level5_file_locate(file, BONE + 20, "BONE[0]");
    static const struct {
        uint32_t at, value;
    } lies[] = { { 28, 2 }, { BONE + 20, 0xFFFFFFFF }, { BONE + 48 + 4, 500 << 16 }, { BONE + 16, 9 }, { BONE, 64 } };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        uint32_t was = sni_load_u32(file->out.data + lies[i].at);
        sni_patch_u32(&file->out, lies[i].at, lies[i].value);
        if (level5_find_kind((sni_bytes){ file->out.data, file->out.size }, NULL) == LEVEL5_KIND_TRACKS) {
            level5_file_parse(file, LEVEL5_KIND_TRACKS);
            assert_non_null(file->load.diag.first);
        }
        sni_patch_u32(&file->out, lies[i].at, was);
    }
    level5_file_close(file);
}

static bool open_motion(void *user, const char *ref, const void **data, size_t *size)
{
    const sni_bytes *motion = user;
    if (!motion || strcmp(ref, "x.mot") != 0) return false;
    *data = motion->data, *size = motion->size;
    return true;
}

static sn_model *load_model(const level5_file *file, const sni_bytes *motion)
{
    sn_error error;
    sn_load_opts opts = { .name = "x.mds", .open_ref = open_motion, .user = (void *)(uintptr_t)motion };
    sn_model *model = sn_load_memory(file->out.data, file->out.size, &opts, &error);
    if (!model) print_error("%s: %s\n", error.path, error.message);
    assert_non_null(model);
    check_model(model);
    return model;
}

// Neither Dark Cloud reads them, and there is nothing to repair.
static void dark_cloud_refuses_them(void **state)
{
    (void)state;
    level5_file *file = open_mds();
    const sn_load_opts opts = { .name = "x.mds", .game = SN_GAME_DARK_CLOUD_2, .keep_document = true };
    const sn_save_opts repairs = { .game = SN_GAME_DARK_CLOUD_2, .repairs = true };
    bool is_refused = false;
    sn_bytes bytes;
    sn_error error;
    sn_model *model = sn_load_memory(file->out.data, file->out.size, &opts, &error);
    assert_non_null(model);
    for (uint32_t i = 0; i < model->warning_count; i++)
        is_refused |= model->warnings[i].code == SNI_WARN_DARK_CLOUD_FORMAT;
    assert_true(is_refused);
    assert_int_equal(sn_save_memory(model, "mds", &repairs, &bytes, &error), SN_OK);
    assert_int_equal(bytes.size, file->out.size);
    assert_memory_equal(bytes.data, file->out.data, bytes.size);
    sn_bytes_free(&bytes);
    sn_model_free(model);
    level5_file_close(file);
}

// Both files: the clip rotates the bone by a quarter turn to the left.
static void models_move(void **state)
{
    (void)state;
    static uint8_t bytes[1024];
    level5_file *file = open_mot();
    const sni_bytes motion = { bytes, file->out.size };
    memcpy(bytes, file->out.data, file->out.size);
    level5_file_close(file);
    file = open_mds();
    sn_model *model = load_model(file, &motion);
    assert_int_equal(model->clip_count, 1);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, 0, model->clips[0].duration, 0);
    sn_pose_solve(pose, NULL);
    sn_mat34 world = sn_pose_world(pose, 1);
    assert_true(world.m[0][0] < 1e-4f && world.m[0][0] > -1e-4f);
    assert_true(world.m[1][0] > 0.9999f);
    sn_vec3 place = { world.m[0][3], world.m[1][3], world.m[2][3] };
    assert_vec3(place, 10, 0, -10);
    sn_pose_free(pose);
    sn_model_free(model);
    level5_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_hold_their_weights), cmocka_unit_test(models_are_skinned_in_model_space),
        cmocka_unit_test(bad_sizes_are_reported),    cmocka_unit_test(channels_are_read),
        cmocka_unit_test(dark_cloud_refuses_them),   cmocka_unit_test(models_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
