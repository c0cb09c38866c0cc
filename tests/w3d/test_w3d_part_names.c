// sn_part_names: what ties W3D files together, read from the headers only.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sinew/files.h>

#include "w3d_scene.h"

static const scene_pivot root[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } } };

typedef struct heard {
    char text[256];
    uint32_t count;
} heard;

static void hear(void *user, const char *name)
{
    heard *all = user;
    const size_t size = strlen(all->text);
    snprintf(all->text + size, sizeof all->text - size, "%s%s", size ? " " : "", name);
    all->count++;
}

// The names of a file with these bytes.
static heard names_of(const void *data, size_t size, const char *extension)
{
    char path[64];
    sn_error error;
    heard all = { .count = 0 };
    snprintf(path, sizeof path, "part_names_%d.%s", (int)getpid(), extension);
    assert_int_equal(sn_file_write(path, data, size, &error), SN_OK);
    assert_int_equal(sn_part_names(NULL, path, hear, &all, &error), SN_OK);
    unlink(path);
    return all;
}

// One of each kind. The header of the HLOD is not its first child.
static void *make_file(size_t *size)
{
    w3d_file *file = w3d_file_open();
    w3d_tree *tree = &file->tree;
    put_triangle(tree, "MODEL", "MESH");
    put_hierarchy(tree, "OWN_SKL", 0x40001, root, 1);
    open_animation(tree, "WALK", "RAW_SKL", 1, 30);
    w3d_close_chunk(tree);
    open_compressed(tree, "RUN", "PACKED_SKL", 1, 30, 0);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_MORPH_ANIMATION);
    w3d_open_chunk(tree, W3D_MORPH_HEADER);
    w3d_put_u32(tree, 0x10000);
    w3d_put_name(tree, "TALK", 16);
    w3d_put_name(tree, "MORPH_SKL", 16);
    w3d_close_chunk(tree);
    for (int i = 0; i < 2; i++) {
        w3d_open_chunk(tree, W3D_MORPH_CHANNEL);
        w3d_put_text_chunk(tree, W3D_MORPH_POSE, i ? "SKL.BROW" : "SKL.MOUTH");
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_HMODEL);
    w3d_open_chunk(tree, W3D_HMODEL_HEADER);
    w3d_put_u32(tree, 0x40002);
    w3d_put_name(tree, "OLD", 16);
    w3d_put_name(tree, "OLD_SKL", 16);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_HLOD);
    w3d_put_text_chunk(tree, 0x7777, "something else");
    w3d_open_chunk(tree, W3D_HLOD_HEADER);
    w3d_put_u32(tree, 0x10000);
    w3d_put_u32(tree, 0);
    w3d_put_name(tree, "MODEL", 16);
    w3d_put_name(tree, "SIXTEEN_LETTERS_", 16);  // no NUL behind it
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    void *data = copy_scene(file, size);
    w3d_file_close(file);
    return data;
}

static void every_kind_is_found(void **state)
{
    (void)state;
    size_t size;
    void *data = make_file(&size);
    const heard all = names_of(data, size, "w3d");
    assert_string_equal(all.text, "OWN_SKL RAW_SKL PACKED_SKL MORPH_SKL MOUTH BROW OLD_SKL SIXTEEN_LETTERS_");
    assert_int_equal(names_of(data, size, "W3D").count, 8);
    assert_int_equal(names_of(data, size, "mdx").count, 0);  // formats whose files join by other rules
    free(data);
}

// Whatever the bytes are, nothing fails, and a shorter file has no more names.
static void damage_is_harmless(void **state)
{
    (void)state;
    size_t size;
    uint8_t *data = make_file(&size);
    for (size_t cut = 0; cut < size; cut++) assert_true(names_of(data, cut, "w3d").count <= 8);
    for (size_t at = 0; at < size; at += 3) {
        const uint8_t old = data[at];
        data[at] = 0xff;
        names_of(data, size, "w3d");
        data[at] = old;
    }
    free(data);
}

static void a_file_that_is_not_there_has_none(void **state)
{
    (void)state;
    sn_error error;
    heard all = { .count = 0 };
    assert_int_equal(sn_part_names(NULL, "nowhere/x.w3d", hear, &all, &error), SN_OK);
    assert_int_equal(all.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found),
        cmocka_unit_test(damage_is_harmless),
        cmocka_unit_test(a_file_that_is_not_there_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
