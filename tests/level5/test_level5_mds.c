// Parsing MDS files: nodes, meshes, damaged and hostile files.
#include "level5_file.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { MDS = 'M' | 'D' << 8 | 'S' << 16, MDT = 'M' | 'D' << 8 | 'T' << 16, ONE_NODE = 16 + 112 };

static level5_file *open_mds(uint32_t node_count)
{
    level5_file *file = level5_file_open();
    level5_put_words(file, (const uint32_t[]){ MDS, 1, node_count, 16 }, 4);
    return file;
}

// A node whose mesh has three positions, these faces, and optionally four colours.
static level5_file *open_faces(const uint32_t *words, uint32_t count, uint32_t stated, bool has_colors)
{
    level5_file *file = open_mds(1);
    level5_put_node(file, 0, "tri", ONE_NODE, -1);
    uint32_t colors = has_colors ? 112 : 0, faces = has_colors ? 176 : 112;
    level5_put_words(file,
                     (const uint32_t[]){ MDT, 64, faces + 4 * count, 3, 64, 0, 0, has_colors ? 4 : 0, colors, stated,
                                         faces, 0, 0, 0, 0, 7 },
                     16);
    for (uint32_t i = 0; i < (has_colors ? 28 : 12); i++) sni_write_f32(&file->out, (float)i);
    level5_put_words(file, words, count);
    return file;
}

static const level5_mesh *parse_mesh(level5_file *file)
{
    const level5_mds *mds = &level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds;
    assert_int_equal(mds->mesh_count, 1);
    return &mds->meshes[0];
}

static void nodes_are_read(void **state)
{
    (void)state;
    level5_file *file = open_mds(2);
    level5_put_node(file, 7, "root", 0, -1);
    level5_put_node(file, 9, "a name that fills all 32 bytes!!", 0, 0);
    const level5_mds *mds = &level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds;
    assert_int_equal(mds->version, 1);
    assert_int_equal(mds->node_count, 2);
    assert_int_equal(mds->mesh_count, 0);
    assert_int_equal(mds->gap_count, 0);
    assert_true(level5_str_is(mds->nodes[0].name, "root"));
    assert_true(level5_str_is(mds->nodes[1].name, "a name that fills all 32 bytes!!"));
    assert_int_equal(mds->nodes[1].index, 9);
    assert_int_equal(mds->nodes[1].parent, 0);
    assert_int_equal(mds->nodes[0].parent, -1);
    assert_int_equal(mds->nodes[1].mesh, LEVEL5_NONE);
    assert_true(mds->nodes[1].matrix[0] == 1 && mds->nodes[1].matrix[12] == 9 && mds->nodes[1].matrix[15] == 1);
    assert_null(file->load.diag.first);
    level5_file_locate(file, 3, "");
    level5_file_locate(file, 16, "NODE[0] \"root\"");
    level5_file_locate(file, 16 + 223, "NODE[1] \"a name that fills all 32 bytes!!\"");
    level5_file_close(file);
}

// Dark Cloud 2 uses the sizes of nodes to find the next one; the bytes between them are kept.
static void nodes_may_be_longer(void **state)
{
    (void)state;
    level5_file *file = open_mds(2);
    level5_put_node(file, 0, "a", 0, -1);
    sni_patch_u32(&file->out, 20, 120);
    sni_write_fill(&file->out, 0xEE, 8);
    level5_put_node(file, 1, "b", 0, 0);
    const level5_mds *mds = &level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds;
    assert_true(level5_str_is(mds->nodes[1].name, "b"));
    assert_int_equal(mds->gap_count, 1);
    assert_int_equal(mds->gaps[0].offset, 128);
    assert_int_equal(mds->gaps[0].bytes.count, 8);
    assert_null(file->load.diag.first);
    level5_file_close(file);
    static const uint32_t lies[] = { 0, 111, 500, 0xFFFFFFFF };
    file = open_mds(2);
    for (uint32_t i = 0; i < 2; i++) level5_put_node(file, i, "a", 0, -1);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        sni_patch_u32(&file->out, 20, lies[i]);
        level5_file_parse(file, LEVEL5_KIND_MDS);
        assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, "NODE[0]"));
    }
    level5_file_close(file);
}

static void headers_are_checked(void **state)
{
    (void)state;
    level5_file *file = open_mds(3);
    level5_put_node(file, 0, "a", 0, -1);
    sn_error error = level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_TRUNCATED);
    assert_string_equal(error.message, "3 items need 112 bytes each, 112 remain");
    sni_patch_u32(&file->out, 8, 0xFFFFFFFF);
    level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_TRUNCATED);
    sni_patch_u32(&file->out, 8, 1);
    sni_patch_u32(&file->out, 12, 0);
    assert_int_equal(level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds.node_count, 1);
    assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SIZE, ""));
    sni_patch_u32(&file->out, 4, 2);
    assert_string_equal(level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_UNSUPPORTED).message,
                        "MDS version 2; only version 1 is supported");
    sni_patch_u32(&file->out, 0, 0);
    level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_FORMAT);
    file->out.size = 15;
    sni_patch_u32(&file->out, 0, MDS);
    sni_patch_u32(&file->out, 4, 1);
    level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_TRUNCATED);
    level5_file_close(file);
}

// Flags in Dark Cloud 2's format: triangles of position, normal and texture; a strip with colours; positions only;
// position and texture.
static void flags_set_the_corners(void **state)
{
    (void)state;
    static const uint32_t faces[] = {
        0xCDCDCDCD, 16, 4, 0, 3, 3, 5, 0, 10, 20, 1, 11, 21,    2, 12, 22, 0x104, 3, (uint32_t)-1,
        0,          1,  2, 3, 0, 1, 2, 3, 0,  1,  2, 3,  0x213, 3, 0,  0,  1,     2, 0x204,
        3,          0,  0, 9, 1, 9, 2, 9
    };
    level5_file *file = open_faces(faces, sizeof faces / 4, sizeof faces, false);
    const level5_mesh *mesh = parse_mesh(file);
    const level5_primitive *p = mesh->primitives;
    assert_int_equal(mesh->face_format, LEVEL5_FACES_DC2);
    assert_int_equal(mesh->primitive_count, 4);
    static const int32_t expected[4][4] = { { 3, 1, 2, -1 }, { 4, 1, 2, 3 }, { 1, -1, -1, -1 }, { 2, -1, 1, -1 } };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(p[i].stride, expected[i][0]);
        assert_int_equal(p[i].normal_at, expected[i][1]);
        assert_int_equal(p[i].uv_at, expected[i][2]);
        assert_int_equal(p[i].color_at, expected[i][3]);
        assert_int_equal(p[i].corner_count, 3);
    }
    assert_int_equal(p[0].material, 5);
    assert_int_equal(p[1].material, -1);
    assert_int_equal(sni_load_u32(p[0].corners.data + 4 * 7), 12);
    assert_int_equal(sni_load_u32(p[3].corners.data + 4 * 4), 2);
    assert_int_equal(mesh->positions.count, 3);
    assert_true(level5_read_vector(mesh->positions, 2).y == 9);
    assert_null(file->load.diag.first);
    level5_file_locate(file, ONE_NODE + 4, "MDT[0]");
    level5_file_locate(file, ONE_NODE + 64, "MDT[0]/POSITIONS");
    level5_file_locate(file, ONE_NODE + 112, "MDT[0]/FACES");
    level5_file_close(file);
}

// Corners of Dark Cloud 1 have a colour if the mesh has colours, whatever the flags.
static void dark_cloud_1_corners_have_colors_if_the_mesh_has(void **state)
{
    (void)state;
    static const uint32_t faces[] = { 0, 16, 1, 0, 4, 4, 0, 0, 1, 2, 3, 1, 1, 2, 3, 2, 1, 2, 3, 0, 1, 2, 3 };
    level5_file *file = open_faces(faces, sizeof faces / 4, sizeof faces, true);
    const level5_mesh *mesh = parse_mesh(file);
    assert_int_equal(mesh->face_format, LEVEL5_FACES_DC1);
    assert_int_equal(mesh->primitives[0].stride, 4);
    assert_int_equal(mesh->primitives[0].color_at, 3);
    assert_int_equal(mesh->colors.count, 4);
    level5_file_close(file);
}

static void stated_sizes_may_be_off_by_a_header(void **state)
{
    (void)state;
    static const uint32_t faces[] = { 0, 16, 1, 0, 3, 3, 0, 0, 1, 2, 1, 1, 2, 2, 1, 2, 0, 0, 0, 0, 0 };
    static const struct {
        uint32_t stated;
        level5_face_format format;
    } sizes[] = {
        { 64, LEVEL5_FACES_DC2 },     { 48, LEVEL5_FACES_DC2 },     { 80, LEVEL5_FACES_DC2 },
        { 47, LEVEL5_FACES_UNKNOWN }, { 81, LEVEL5_FACES_UNKNOWN }, { 12, LEVEL5_FACES_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        level5_file *file = open_faces(faces, sizeof faces / 4, sizes[i].stated, false);
        assert_int_equal(parse_mesh(file)->face_format, sizes[i].format);
        assert_int_equal(level5_file_warnings(file, SNI_WARN_LEVEL5_FACES), sizes[i].format == LEVEL5_FACES_UNKNOWN);
        level5_file_close(file);
    }
}

static void collision_meshes_are_recognised(void **state)
{
    (void)state;
    static const uint32_t faces[] = { 0, 16, 2, 0, 0, 2, 0, 1, 2, (uint32_t)-1, 0, 0, 2, 1, 0, 0 };
    level5_file *file = open_faces(faces, sizeof faces / 4, sizeof faces, false);
    const level5_mesh *mesh = parse_mesh(file);
    assert_int_equal(mesh->face_format, LEVEL5_FACES_UNKNOWN);
    assert_int_equal(mesh->primitive_count, 0);
    assert_int_equal(mesh->faces.count, sizeof faces);
    assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_FACES, "MDT[0]/FACES"));
    level5_file_close(file);
}

static void materials_are_read(void **state)
{
    (void)state;
    level5_file *file = open_mds(1);
    level5_put_node(file, 0, "m", ONE_NODE, -1);
    level5_put_words(file, (const uint32_t[]){ MDT, 64, 64 + 3 * 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 64, 0 }, 16);
    static const char *const names[] = { "skin", "a texture's name of 44 bytes without its NUL",
                                         "a texture's name of 43 bytes with its own N" };
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 13; k++) sni_write_f32(&file->out, (float)(100 * i + k));
        level5_put_field(file, names[i], 44, 0xCD);
    }
    const level5_mesh *mesh = parse_mesh(file);
    assert_int_equal(mesh->materials.count, 3);
    level5_material material = level5_read_material(mesh, 1);
    assert_true(material.diffuse[3] == 103 && material.ambient[0] == 104 && material.specular[3] == 111);
    assert_true(level5_str_is(level5_read_material(mesh, 0).texture, "skin"));
    assert_true(level5_str_is(material.texture, "a texture's name of 44 bytes wit"));
    assert_true(level5_str_is(level5_read_material(mesh, 2).texture, names[2]));
    level5_file_close(file);
}

static void nodes_share_meshes(void **state)
{
    (void)state;
    const uint32_t at = 16 + 3 * 112;
    level5_file *file = open_mds(3);
    level5_put_node(file, 0, "a", at + 64, -1);
    level5_put_node(file, 1, "b", at, 0);
    level5_put_node(file, 2, "c", at + 64, 0);
    for (int i = 0; i < 2; i++) level5_put_words(file, (const uint32_t[16]){ MDT, 64, 64 }, 16);
    const level5_mds *mds = &level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds;
    assert_int_equal(mds->mesh_count, 2);
    assert_int_equal(mds->nodes[0].mesh, 1);
    assert_int_equal(mds->nodes[1].mesh, 0);
    assert_int_equal(mds->nodes[2].mesh, 1);
    assert_null(file->load.diag.first);
    level5_file_close(file);
}

static void bad_mesh_offsets(void **state)
{
    (void)state;
    level5_file *file = open_mds(1);
    level5_put_node(file, 0, "ghost", 32, -1);
    const level5_mds *mds = &level5_file_parse(file, LEVEL5_KIND_MDS)->as.mds;
    assert_int_equal(mds->nodes[0].mesh, LEVEL5_NONE);
    assert_true(level5_file_warns(file, SNI_WARN_REFERENCE, "NODE[0] \"ghost\""));
    static const uint32_t outside[] = { 65, 128, 129, 0xFFFFFFFF };
    for (size_t i = 0; i < 4; i++) {
        sni_patch_u32(&file->out, 16 + 40, outside[i]);
        sn_error error = level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_TRUNCATED);
        assert_string_equal(error.path, "NODE[0] \"ghost\"");
    }
    level5_file_close(file);
}

// Bad positions or faces are an error, other bad arrays are left out; a mesh ends where the next one begins.
static void arrays_stay_within_their_mesh(void **state)
{
    (void)state;
    static const uint32_t faces[] = { 0, 16, 0, 0 };
    static const struct {
        uint32_t word, count, offset;
        const char *path;
        bool is_error;
    } bad[] = {
        { 3, 4, 64 + 16, "MDT[0]/POSITIONS", true },    { 3, 0x10000000, 64, "MDT[0]/POSITIONS", true },
        { 3, 1, 0x7FFFFFFF, "MDT[0]/POSITIONS", true }, { 9, 17, 112, "MDT[0]/FACES", true },
        { 5, 5, 64, "MDT[0]/NORMALS", false },          { 7, 5, 64, "MDT[0]/COLORS", false },
        { 11, 5, 64, "MDT[0]/TEXCOORDS", false },       { 13, 1, 64, "MDT[0]/MATERIALS", false },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        level5_file *file = open_faces(faces, 4, sizeof faces, false);
        sni_patch_u32(&file->out, ONE_NODE + 4 * bad[i].word, bad[i].count);
        sni_patch_u32(&file->out, ONE_NODE + 4 * bad[i].word + 4, bad[i].offset);
        if (bad[i].is_error) {
            assert_string_equal(level5_file_refuse(file, LEVEL5_KIND_MDS, SN_ERR_TRUNCATED).path, bad[i].path);
        } else {
            level5_file_parse(file, LEVEL5_KIND_MDS);
            assert_true(level5_file_warns(file, SNI_WARN_LEVEL5_SECTION, bad[i].path));
        }
        level5_file_close(file);
    }
}

static void negative_counts_and_offsets_are_none(void **state)
{
    (void)state;
    static const uint32_t faces[] = { 0, 16, 0, 0 };
    level5_file *file = open_faces(faces, 4, sizeof faces, false);
    sni_patch_u32(&file->out, ONE_NODE + 4 * 3, (uint32_t)-5);
    sni_patch_u32(&file->out, ONE_NODE + 4 * 10, (uint32_t)-112);
    const level5_mesh *mesh = parse_mesh(file);
    assert_int_equal(mesh->positions.count, 0);
    assert_int_equal(mesh->faces.count, 0);
    assert_int_equal(mesh->primitive_count, 0);
    level5_file_close(file);
}

static void primitives_past_the_section_fit_no_format(void **state)
{
    (void)state;
    uint32_t faces[] = { 0, 16, 0xFFFFFFFF, 0, 3, 0, 0, 3, 0, 0, 3, 0 };
    level5_file *file = open_faces(faces, 12, sizeof faces, false);
    assert_int_equal(parse_mesh(file)->face_format, LEVEL5_FACES_UNKNOWN);
    level5_file_close(file);
    faces[2] = 1;
    faces[5] = 0xFFFFFFFF;
    file = open_faces(faces, 12, sizeof faces, false);
    assert_int_equal(parse_mesh(file)->face_format, LEVEL5_FACES_UNKNOWN);
    level5_file_close(file);
}

static void new_documents_read_back(void **state)
{
    (void)state;
    static const float positions[3][4] = { { 0, 0, 0, 1 }, { 1, 0, 0, 1 }, { 0, 1, 0, 1 } };
    static const uint32_t corners[3] = { 0, 1, 2 };
    level5_file *file = level5_file_open();
    level5_primitive primitive = {
        .flags = 0x213, .corner_count = 3, .material = -1, .corners = { LITTLE_ENDIAN(corners), 3 }
    };
    level5_mesh mesh = { .positions = { LITTLE_ENDIAN(positions), 3 }, .primitives = &primitive, .primitive_count = 1 };
    level5_node nodes[2] = {
        { .name = sni_str_make("root", 4), .parent = -1, .mesh = -1, .matrix = { 1 } },
        { .name = sni_str_make("a name of more than thirty-two bytes", 36), .parent = 0, .mesh = 0 }
    };
    level5_doc made = { .kind = LEVEL5_KIND_MDS,
                        .as.mds = { .nodes = nodes, .node_count = 2, .meshes = &mesh, .mesh_count = 1 } };
    const level5_mds *mds = &level5_file_make(file, &made)->as.mds;
    assert_int_equal(file->out.size % 16, 0);
    assert_int_equal(mds->mesh_count, 1);
    assert_int_equal(mds->nodes[1].mesh, 0);
    assert_true(level5_str_is(mds->nodes[1].name, "a name of more than thirty-two "));
    assert_int_equal(mds->meshes[0].primitives[0].stride, 1);
    assert_true(level5_read_vector(mds->meshes[0].positions, 1).x == 1);
    assert_null(file->load.diag.first);
    level5_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_read),
        cmocka_unit_test(nodes_may_be_longer),
        cmocka_unit_test(headers_are_checked),
        cmocka_unit_test(flags_set_the_corners),
        cmocka_unit_test(dark_cloud_1_corners_have_colors_if_the_mesh_has),
        cmocka_unit_test(stated_sizes_may_be_off_by_a_header),
        cmocka_unit_test(collision_meshes_are_recognised),
        cmocka_unit_test(materials_are_read),
        cmocka_unit_test(nodes_share_meshes),
        cmocka_unit_test(bad_mesh_offsets),
        cmocka_unit_test(arrays_stay_within_their_mesh),
        cmocka_unit_test(negative_counts_and_offsets_are_none),
        cmocka_unit_test(primitives_past_the_section_fit_no_format),
        cmocka_unit_test(new_documents_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
