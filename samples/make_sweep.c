// Sweep samples: glTF, MDX, archives. scene.gltf and the .mdl files are written by hand; the binary files that belong
// to them are made here.
#include "make_sweep.h"

#include "base/writer.h"
#include "blp.h"
#include "format/mdx/mdx_doc.h"
#include "io/file.h"
#include "iso.h"
#include "mpq.h"

#include <stdio.h>
#include <string.h>

typedef struct sweep_maker {
    const char *folder;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_writer out;
} sweep_maker;

static void begin(sweep_maker *m, const char *folder)
{
    *m = (sweep_maker){ .folder = folder };
    sni_diag_init(&m->diag, NULL);
    sni_heap_init(&m->heap, NULL, 64 << 20);
    sni_arena_init(&m->arena, &m->heap);
    sni_writer_init(&m->out, &m->heap);
}

// Frees what the maker has; returns whether everything went well.
static bool end(sweep_maker *m)
{
    bool is_good = !sni_failed(&m->diag) && !m->out.failed;
    if (!is_good) fprintf(stderr, "%s: %s\n", m->folder, m->diag.error.message);
    sni_writer_free(&m->out);
    sni_arena_free(&m->arena);
    return is_good;
}

static void save(sweep_maker *m, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", m->folder, name);
    if (!sni_failed(&m->diag)) sni_file_write(path, m->out.data, m->out.size, &m->diag);
    m->out.size = 0;
}

static sni_bytes read(sweep_maker *m, const char *name)
{
    char path[4096];
    sni_bytes bytes = { 0 };
    snprintf(path, sizeof path, "%s/%s", m->folder, name);
    sni_file_read(path, 1 << 20, &m->arena, &m->diag, &bytes);
    return bytes;
}

// glTF

// Two by two pixels, rows of different filters.
static const uint8_t png[82] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0xfd, 0xd4, 0x9a, 0x73, 0x00,
    0x00, 0x00, 0x19, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 0x0e, 0x00, 0xf1, 0xff, 0x01, 0x0a, 0x14,
    0x1e, 0x05, 0x05, 0x05, 0x04, 0x01, 0x02, 0x03, 0xfa, 0xfb, 0xfc, 0x09, 0x77, 0x03, 0x48, 0x68, 0x7d,
    0x88, 0xe4, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

// In the order of the bufferViews of scene.gltf.
static void write_scene_data(sni_writer *out)
{
    static const float vertices[3][6] = { { 0, 0, 0, 0, 0, 1 }, { 1, 0, 0, 0, 0, 1 }, { 0, 1, 0, 0, 0, 1 } },
                       uvs[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    static const uint8_t joints[3][4] = { { 0, 1 }, { 0 }, { 1 } };
    static const uint16_t weights[3][4] = { { 32768, 32767 }, { 65535 }, { 65535 } }, indices[4] = { 0, 1, 2, 0 };
    static const float binds[2][16] = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
                                        { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1 } };
    static const float times[2] = { 0, 1 }, turns[2][4] = { { 0, 0, 0, 1 }, { 0, 0, 0.6f, 0.8f } };
    static const float spline[6][3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 0 } };
    static const float morphs[2][2] = { { 0, 1 }, { 1, 0 } }, sparse[3] = { 0, 0, 1 };
    sni_write_words(out, vertices, 18);
    sni_write_words(out, uvs, 6);
    sni_write_bytes(out, joints, sizeof joints);
    for (int i = 0; i < 12; i++) sni_write_u16(out, weights[i / 4][i % 4]);
    for (int i = 0; i < 4; i++) sni_write_u16(out, indices[i]);
    sni_write_words(out, binds, 32);
    sni_write_words(out, times, 2);
    sni_write_words(out, turns, 8);
    sni_write_words(out, spline, 18);
    sni_write_words(out, morphs, 4);
    sni_write_u32(out, 2);
    sni_write_words(out, sparse, 3);
    sni_write_bytes(out, png, sizeof png);
}

// The same document as a .glb: on one line, and the buffer has no URI, since its bytes follow.
static void write_glb(sweep_maker *m, sni_bytes json, sni_bytes bin)
{
    static const char uri[] = "\"uri\": \"scene.bin\", ";
    sni_writer *out = &m->out;
    sni_write_text(out, "glTF");
    sni_write_fill(out, 0, 12);  // version and sizes, filled in below
    sni_write_text(out, "JSON");
    bool is_indent = false;
    for (size_t i = 0; i < json.size; i++) {
        is_indent = json.data[i] == '\n' || (is_indent && json.data[i] == ' ');
        if (json.size - i >= sizeof uri && memcmp(json.data + i, uri, sizeof uri - 1) == 0) i += sizeof uri - 1;
        if (!is_indent) sni_write_u8(out, json.data[i]);
    }
    sni_write_align(out, 4, ' ');
    uint32_t json_size = (uint32_t)out->size - 20;
    sni_write_u32(out, ((uint32_t)bin.size + 3) / 4 * 4);
    sni_write_bytes(out, "BIN", 4);
    sni_write_bytes(out, bin.data, bin.size);
    sni_write_align(out, 4, 0);
    if (out->failed) return;
    sni_store_u32(out->data + 4, 2);
    sni_store_u32(out->data + 8, (uint32_t)out->size);
    sni_store_u32(out->data + 12, json_size);
}

bool make_sweep_gltf(const char *folder)
{
    sweep_maker m;
    begin(&m, folder);
    write_scene_data(&m.out);
    save(&m, "scene.bin");
    sni_bytes json = read(&m, "scene.gltf"), bin = read(&m, "scene.bin");
    if (!sni_failed(&m.diag)) write_glb(&m, json, bin);
    save(&m, "scene.glb");
    return end(&m);
}

// MDX

static void make_mdx(sweep_maker *m, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s.mdl", name);
    sni_bytes text = read(m, path);
    sni_load load;
    mdx_doc doc = { 0 };
    if (sni_failed(&m->diag)) return;
    sni_load_init(&load, &m->heap, NULL);
    m->heap.limit = UINT64_MAX;
    if (mdx_mdl_parse(&load, text, &doc)) mdx_write(&doc, &m->out);
    else sni_fail(&m->diag, SN_ERR_CORRUPT, load.diag.error.offset, "%s: %s", path, load.diag.error.message);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    snprintf(path, sizeof path, "%s.mdx", name);
    save(m, path);
}

static void write_chunk(sni_writer *out, const char *tag, uint32_t size)
{
    sni_write_text(out, tag);
    sni_write_u32(out, size);
}

// Version 1500 has no text form. One triangle on two bones: all headers of geosets come first, vertices are records.
static void write_batches(sni_writer *out)
{
    static const float pivots[6] = { 0, 0, 0, 0, 1, 0 }, sphere[4] = { 0, 0, 0, 2 };
    sni_write_text(out, "MDLX");
    write_chunk(out, "VERS", 4);
    sni_write_u32(out, 1500);
    write_chunk(out, "BONE", 4 + 2 * 104);
    sni_write_u32(out, 2);
    for (uint32_t i = 0; i < 2; i++) {
        sni_write_u32(out, 96);
        sni_write_text(out, i ? "b" : "a");
        sni_write_fill(out, 0, 79);
        sni_write_u32(out, i);
        sni_write_u32(out, 0xFFFFFFFF);
        sni_write_u32(out, 256);
        sni_write_u32(out, 0);
        sni_write_u32(out, 0);
    }
    write_chunk(out, "PIVT", sizeof pivots);
    sni_write_words(out, pivots, 6);
    write_chunk(out, "GEOS", 4 + 64 + 3 * 48 + 16 + 8 * 2);
    sni_write_u32(out, 1);
    sni_write_u32(out, 0);
    sni_write_words(out, sphere, 4);
    sni_write_words(out, (uint32_t[]){ 7, 0, 1 }, 3);
    write_chunk(out, "PVTX", 3);
    write_chunk(out, "PTYP", 1);
    write_chunk(out, "PVTX", 3);
    sni_write_fill(out, 0, 8);
    for (uint32_t i = 0; i < 3; i++) {
        sni_write_words(out, (float[]){ i == 1, i == 2, 0 }, 3);
        sni_write_bytes(out, i == 2 ? "\x80\x7F\0\0" : "\xFF\0\0\0", 4);  // weights, then nodes
        sni_write_bytes(out, "\0\1\0\0", 4);
        sni_write_words(out, (float[]){ 0, 0, 1, (float)i, 0.5f, 0, 0.25f }, 7);
    }
    sni_write_words(out, (uint32_t[]){ 3, 0, 3, 2 }, 4);
    for (uint32_t i = 0; i < 8; i++) sni_write_u16(out, (uint16_t)(i < 3 ? i : 0));
}

bool make_sweep_mdx(const char *folder)
{
    static const blp_color palette[2] = { { 200, 40, 40 }, { 40, 200, 40 } };
    static const uint8_t indices[16] = { 0, 1, 0, 1 }, alphas[16] = { 255, 128, 64 };
    sweep_maker m;
    begin(&m, folder);
    make_mdx(&m, "scene_800");
    make_mdx(&m, "objects_800");
    make_mdx(&m, "reforged_1000");
    make_mdx(&m, "slots_1200");
    make_mdx(&m, "packed_1300");
    write_batches(&m.out);
    save(&m, "batches_1500.mdx");
    blp_write(&m.out, 4, 4, palette, 2, indices, alphas);
    save(&m, "dot.blp");
    return end(&m);
}

// Archives

static void write_big_endian(sni_writer *out, uint32_t value)
{
    for (int i = 3; i >= 0; i--) sni_write_u8(out, (uint8_t)(value >> 8 * i));
}

// The second file is packed with RefPack: every command once.
static void write_big(sni_writer *out)
{
    static const uint8_t packed[] = { 0x10, 0xFB, 0, 0,   0x17, 0xE0, 97, 98,   99, 100,  1,   3,  101,
                                      0x81, 0x80, 0, 102, 103,  0xC0, 0,  0x0E, 1,  0xFE, 121, 122 };
    static const char *const names[2] = { "Art\\Tank.w3d", "B.tga" };
    const uint32_t sizes[2] = { 5, sizeof packed };
    uint32_t at = 16 + 8 + 13 + 8 + 6;
    sni_write_text(out, "BIGF");
    sni_write_u32(out, at + sizes[0] + sizes[1]);
    write_big_endian(out, 2);
    write_big_endian(out, at);
    for (int i = 0; i < 2; i++) {
        write_big_endian(out, at);
        write_big_endian(out, sizes[i]);
        sni_write_bytes(out, names[i], strlen(names[i]) + 1);
        at += sizes[i];
    }
    sni_write_text(out, "hello");
    sni_write_bytes(out, packed, sizeof packed);
}

// An index of three files: where the name is, size, sector, sectors; then the names, one of them in Shift-JIS.
static void write_hd3(sni_writer *out)
{
    static const char *const names[3] = { "chara\\a.mds", "b.tm2", "img\\\x91\xBE\x97\x7A.tm2" };
    uint32_t at = 4 * 16;
    for (uint32_t i = 0; i < 3; i++) {
        sni_write_words(out, (uint32_t[]){ at, 100 * (i + 1), i, 1 }, 4);
        at += (uint32_t)strlen(names[i]) + 1;
    }
    sni_write_fill(out, 0, 16);
    for (int i = 0; i < 3; i++) sni_write_bytes(out, names[i], strlen(names[i]) + 1);
}

// PKWARE's own example, and what bzip2 makes of a text.
static const char imploded_text[] = "AIAIAIAIAIAIA",
                  bzip2_text[] = "mississippi mississippi mississippi aaaaaaaaaaaaaaaaaaaa";
static const uint8_t imploded[] = { 0x00, 0x04, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F };
static const uint8_t bzip2[] = { 0x10, 0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x90, 0xC6, 0x65,
                                 0xE3, 0x00, 0x00, 0x0B, 0x31, 0x80, 0x40, 0x00, 0x40, 0x00, 0x20, 0x22, 0x48, 0x00,
                                 0x20, 0x00, 0x21, 0xB5, 0x1A, 0x64, 0x21, 0x80, 0xD6, 0x60, 0xE1, 0x51, 0x46, 0xAF,
                                 0x14, 0x88, 0xC4, 0x78, 0xBB, 0x92, 0x29, 0xC2, 0x84, 0x84, 0x86, 0x33, 0x2F, 0x18 };

// 40 bytes with a run of zeros in the middle.
static const uint8_t sparse[] = { 0x20, 0, 0, 0, 40, 0x84, 'b', 'e', 'g', 'i', 'n', 29, 0x82, 'e', 'n', 'd' };

// Every way to store a file once; the names of two are not listed.
static void write_mpq(sweep_maker *m)
{
    char text[1100], zeros[40] = "begin";
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 7);
    memcpy(zeros + 37, "end", 3);
    const mpq_file files[] = {
        { .name = "Art\\Stored.txt", .data = "as it is", .size = 8 },
        { .name = "sectors", .data = text, .size = sizeof text, .flags = MPQ_COMPRESSED | MPQ_HAS_CHECKSUMS },
        { .name = "a\\secret",
          .data = text,
          .size = sizeof text,
          .flags = MPQ_COMPRESSED | MPQ_ENCRYPTED | MPQ_KEY_IS_ADJUSTED,
          .is_unlisted = true },
        { .name = "encrypted", .data = text, .size = 30, .flags = MPQ_ENCRYPTED, .is_unlisted = true },
        { .name = "imploded",
          .data = imploded_text,
          .size = sizeof imploded_text - 1,
          .flags = MPQ_IMPLODED,
          .packed = imploded,
          .packed_size = sizeof imploded },
        { .name = "bzip2",
          .data = bzip2_text,
          .size = sizeof bzip2_text - 1,
          .flags = MPQ_COMPRESSED | MPQ_IS_SINGLE_UNIT | MPQ_ENCRYPTED,
          .packed = bzip2,
          .packed_size = sizeof bzip2 },
        { .name = "sparse",
          .data = zeros,
          .size = sizeof zeros,
          .flags = MPQ_COMPRESSED,
          .packed = sparse,
          .packed_size = sizeof sparse },
        { .name = "patched", .data = "?", .size = 1, .flags = MPQ_IS_PATCH },
    };
    mpq_archive archive = {
        .files = files, .file_count = 8, .version = 1, .sector_shift = 1, .hash_count = 16, .has_user_data = true
    };
    mpq_write(&m->out, &m->arena, &archive);
    save(m, "files.mpq");
    archive = (mpq_archive){ .files = files,
                             .file_count = 3,
                             .version = 3,
                             .sector_shift = 1,
                             .hash_count = 8,
                             .has_het = true,
                             .packs_tables = true };
    mpq_write(&m->out, &m->arena, &archive);
    save(m, "het.mpq");
}

// Disc images with a disc archive in them: plain names and those of Rock Ridge, then Joliet's.
static void write_images(sweep_maker *m)
{
    static const uint8_t data[2 * 2048 + 300] = "in the archive";
    sni_writer index;
    sni_writer_init(&index, &m->heap);
    write_hd3(&index);
    const iso_file files[] = {
        { "", "README.TXT", "read me", 7 },
        { "", "Long name.txt", "long", 4 },
        { "", "FILES.HD3", index.data, (uint32_t)index.size },
        { "", "FILES.DAT", data, sizeof data },
        { "Sub", "INSIDE.", "inside", 6 },
    };
    iso_write(&m->out, files, sizeof files / sizeof *files, false);
    save(m, "files.iso");
    iso_write(&m->out, files, 2, true);
    save(m, "joliet.iso");
    sni_writer_free(&index);
}

bool make_sweep_archives(const char *folder)
{
    sweep_maker m;
    begin(&m, folder);
    write_mpq(&m);
    write_big(&m.out);
    save(&m, "files.big");
    write_hd3(&m.out);
    save(&m, "files.hd3");
    sni_write_fill(&m.out, 'x', 2 * 2048 + 300);
    save(&m, "FILES.DAT");  // names of disc archives differ in case
    write_images(&m);
    return end(&m);
}
