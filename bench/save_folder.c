// A folder like that of a Warcraft III mod: models with bones, clips and textures of their own, many of which are
// duplicates. The same bytes on every run.
#include "save_folder.h"

#include "load_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIDE = 16, BONES = 16, CLIPS = 4, KEYS = 12, CLIP_MS = 1500 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void put_tag(text *out, const char *tag, uint32_t value)
{
    text_bytes(out, tag, 4);
    text_u32(out, value);
}

static void put_name(text *out, const char *name, size_t size)
{
    static const char zeros[512];
    text_bytes(out, name, strlen(name));
    text_bytes(out, zeros, size - strlen(name));
}

static void put_extent(text *out) { text_floats(out, (const float[]){ 500, 0, 0, -10, 300, 300, 800 }, 7); }

static void put_chunk(text *out, const char *tag, text *body)
{
    put_tag(out, tag, (uint32_t)body->size);
    text_bytes(out, body->data, body->size);
    free(body->data);
    *body = (text){ 0 };
}

// A grid of SIDE x SIDE vertices, each moved by one of the bones.
static void put_geoset(text *out, uint32_t material, uint32_t *random)
{
    const uint32_t vertices = SIDE * SIDE, indices = 6 * (SIDE - 1) * (SIDE - 1);
    text body = { 0 };
    put_tag(&body, "VRTX", vertices);
    for (uint32_t i = 0; i < vertices; i++) {
        float height = (float)(next_random(random) % 1000) * 0.01f;
        text_floats(&body, (const float[]){ 4.0f * (float)(i % SIDE), 4.0f * (float)(i / SIDE), height }, 3);
    }
    put_tag(&body, "NRMS", vertices);
    for (uint32_t i = 0; i < vertices; i++) text_floats(&body, (const float[]){ 0, 0.6f, 0.8f }, 3);
    put_tag(&body, "PTYP", 1), text_u32(&body, 4);
    put_tag(&body, "PCNT", 1), text_u32(&body, indices);
    put_tag(&body, "PVTX", indices);
    for (uint32_t face = 0; face < indices / 6; face++) {
        uint32_t at = face / (SIDE - 1) * SIDE + face % (SIDE - 1);
        const uint32_t corners[6] = { at, at + 1, at + SIDE, at + 1, at + SIDE + 1, at + SIDE };
        for (int k = 0; k < 6; k++)
            text_bytes(&body, (const uint8_t[]){ (uint8_t)corners[k], (uint8_t)(corners[k] >> 8) }, 2);
    }
    put_tag(&body, "GNDX", vertices);
    for (uint32_t i = 0; i < vertices; i++) text_bytes(&body, (const uint8_t[]){ (uint8_t)(i * BONES / vertices) }, 1);
    put_tag(&body, "MTGC", BONES);
    for (uint32_t i = 0; i < BONES; i++) text_u32(&body, 1);
    put_tag(&body, "MATS", BONES);
    for (uint32_t i = 0; i < BONES; i++) text_u32(&body, i);
    text_u32(&body, material), text_u32(&body, 0), text_u32(&body, 0);
    put_extent(&body);
    text_u32(&body, 0);
    put_tag(&body, "UVAS", 1);
    put_tag(&body, "UVBS", vertices);
    for (uint32_t i = 0; i < vertices; i++)
        text_floats(&body, (const float[]){ (float)(i % SIDE) / SIDE, (float)(i / SIDE) / SIDE }, 2);
    text_u32(out, (uint32_t)body.size + 4);
    text_bytes(out, body.data, body.size);
    free(body.data);
}

static void put_rotation(text *out, float angle)
{
    text_floats(out, (const float[]){ 0, sinf(angle / 2), 0, cosf(angle / 2) }, 4);
}

// Most tracks are linear; one in 16 is a Hermite curve, which glTF cannot hold for rotations.
static void put_bone(text *out, uint32_t bone, uint32_t *random)
{
    text keys = { 0 }, node = { 0 };
    char name[16];
    const bool is_curve = next_random(random) % 16 == 0;
    const float swing = 0.2f + 0.001f * (float)(next_random(random) % 500);
    for (uint32_t clip = 0; clip < CLIPS; clip++) {
        for (uint32_t key = 0; key < KEYS; key++) {
            float phase = 6.2831853f * (float)key / (KEYS - 1) + (float)bone;
            text_u32(&keys, clip * (CLIP_MS + 100) + key * CLIP_MS / (KEYS - 1));
            for (int part = 0; part < (is_curve ? 3 : 1); part++)
                put_rotation(&keys, swing * sinf(phase + 0.1f * (float)part));
        }
    }
    snprintf(name, sizeof name, "Bone%02u", bone);
    put_name(&node, name, 80);
    text_u32(&node, bone), text_u32(&node, bone == 0 ? UINT32_MAX : (bone - 1) / 2), text_u32(&node, 256);
    put_tag(&node, "KGRT", CLIPS * KEYS);
    text_u32(&node, is_curve ? 2 : 1), text_u32(&node, UINT32_MAX);
    text_bytes(&node, keys.data, keys.size);
    text_u32(out, (uint32_t)node.size + 4);
    text_bytes(out, node.data, node.size);
    text_u32(out, UINT32_MAX), text_u32(out, UINT32_MAX);
    free(keys.data), free(node.data);
}

static bool write_model(const char *path, const char *const *textures, uint32_t count, uint32_t *random)
{
    static const char *const clips[CLIPS] = { "Stand", "Walk", "Attack", "Death" };
    text out = { 0 }, body = { 0 };
    text_bytes(&out, "MDLX", 4);
    put_tag(&out, "VERS", 4), text_u32(&out, 800);
    put_name(&body, "Unit", 80), put_name(&body, "", 260), put_extent(&body), text_u32(&body, 150);
    put_chunk(&out, "MODL", &body);
    for (uint32_t i = 0; i < CLIPS; i++) {
        put_name(&body, clips[i], 80), text_u32(&body, i * (CLIP_MS + 100));
        text_u32(&body, i * (CLIP_MS + 100) + CLIP_MS);
        for (int k = 0; k < 4; k++) text_u32(&body, 0);
        put_extent(&body);
    }
    put_chunk(&out, "SEQS", &body);
    for (uint32_t i = 0; i < count; i++) {
        text_u32(&body, 48), text_u32(&body, 0), text_u32(&body, 0), put_tag(&body, "LAYS", 1);
        const uint32_t layer[6] = { 28, 0, 0, i, UINT32_MAX, 0 };
        for (int k = 0; k < 6; k++) text_u32(&body, layer[k]);
        text_floats(&body, (const float[]){ 1 }, 1);
    }
    put_chunk(&out, "MTLS", &body);
    for (uint32_t i = 0; i < count; i++) text_u32(&body, 0), put_name(&body, textures[i], 260), text_u32(&body, 0);
    put_chunk(&out, "TEXS", &body);
    for (uint32_t i = 0; i < count; i++) put_geoset(&body, i, random);
    put_chunk(&out, "GEOS", &body);
    for (uint32_t i = 0; i < BONES; i++) put_bone(&body, i, random);
    put_chunk(&out, "BONE", &body);
    for (uint32_t i = 0; i < BONES; i++) text_floats(&body, (const float[]){ (float)(i % 4), (float)(i / 4), 5 }, 3);
    put_chunk(&out, "PIVT", &body);
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}

// Value noise in some octaves, with a little grain.
static float lattice(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = x * 374761393u + y * 668265263u + seed * 362437u;
    h = (h ^ h >> 13) * 1274126177u;
    return (float)((h ^ h >> 16) & 0xFFFF) / 65535.0f;
}

static float smooth_noise(float x, float y, uint32_t seed)
{
    uint32_t column = (uint32_t)x, row = (uint32_t)y;
    float u = x - (float)column, v = y - (float)row;
    float above = lattice(column, row, seed) * (1 - u) + lattice(column + 1, row, seed) * u;
    float below = lattice(column, row + 1, seed) * (1 - u) + lattice(column + 1, row + 1, seed) * u;
    return above * (1 - v) + below * v;
}

void make_texture(uint8_t *rgba, uint32_t side, uint32_t seed)
{
    uint32_t random = seed;
    for (uint32_t i = 0; i < side * side; i++) {
        float x = (float)(i % side) / (float)side, y = (float)(i / side) / (float)side, value = 0, strength = 0.5f;
        float scale = 6;
        for (uint32_t octave = 0; octave < 5; octave++, strength /= 2, scale *= 2)
            value += strength * smooth_noise(x * scale, y * scale, seed + octave);
        float hue = smooth_noise(x * 5, y * 5, seed + 77);
        rgba[4 * i] = (uint8_t)(40 + 180 * value) ^ (uint8_t)(next_random(&random) & 3);
        rgba[4 * i + 1] = (uint8_t)(30 + 150 * value * hue + 30 * hue);
        rgba[4 * i + 2] = (uint8_t)(20 + 90 * hue);
        rgba[4 * i + 3] = 255;
    }
}

// True colour as TGA, or 256 colours as BLP.
static bool write_texture(const char *path, bool is_paletted, uint32_t seed)
{
    static const uint32_t sides[] = { 64, 128, 256, 256 };
    const uint32_t side = sides[seed % 4];
    text out = { 0 };
    uint8_t *rgba = malloc((size_t)side * side * 4);
    if (!rgba) return false;
    make_texture(rgba, side, seed);
    if (is_paletted) {
        const uint32_t head[7] = { 0x31504C42, 1, 0, side, side, 5, 0 };  // BLP1, a palette, no alpha
        for (int i = 0; i < 7; i++) text_u32(&out, head[i]);
        for (int i = 0; i < 32; i++) text_u32(&out, i == 0 ? 156 + 1024 : i == 16 ? side * side : 0);
        for (uint32_t i = 0; i < 256; i++)
            text_bytes(&out,
                       (const uint8_t[]){ (uint8_t)(i & 3) * 40, (uint8_t)(i >> 2 & 7) * 30, (uint8_t)(i >> 5) * 32,
                                          0 },
                       4);
        for (uint32_t i = 0; i < side * side; i++) {
            uint32_t index = rgba[4 * i] / 32u << 5 | (rgba[4 * i + 1] / 32u) << 2 | rgba[4 * i + 2] / 64u;
            text_bytes(&out, (const uint8_t[]){ (uint8_t)index }, 1);
        }
    } else {
        const uint8_t head[18] = { [2] = 2,
                                   [12] = (uint8_t)side,
                                   [13] = (uint8_t)(side >> 8),
                                   [14] = (uint8_t)side,
                                   [15] = (uint8_t)(side >> 8),
                                   [16] = 24 };
        text_bytes(&out, head, sizeof head);
        for (uint32_t i = 0; i < side * side; i++)
            text_bytes(&out, (const uint8_t[]){ rgba[4 * i + 2], rgba[4 * i + 1], rgba[4 * i] }, 3);
    }
    bool is_written = text_write(path, &out, 1);
    free(out.data), free(rgba);
    return is_written;
}

bool write_folder(const char *folder, uint32_t models)
{
    const uint32_t textures = models * 2163 / 2000, originals = textures - models * 977 / 2000;
    char path[512], names[2][64];
    uint32_t random = 1;
    if (snprintf(path, sizeof path, "%s/textures", folder) >= (int)sizeof path - 64 || mkdir(path, 0777) != 0)
        return false;
    for (uint32_t i = 0; i < textures; i++) {
        const uint32_t seed = i < originals ? i : (i * 7919u) % originals;  // the others are copies under other names
        const bool is_paletted = seed % 2 == 0;
        snprintf(path, sizeof path, "%s/textures/t%04u.%s", folder, i, is_paletted ? "blp" : "tga");
        if (!write_texture(path, is_paletted, seed + 1)) return false;
    }
    for (uint32_t i = 0; i < models; i++) {
        const uint32_t used[2] = { i, models + i };
        const uint32_t count = used[1] < textures ? 2 : 1;
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t seed = used[k] < originals ? used[k] : (used[k] * 7919u) % originals;
            snprintf(names[k], sizeof names[k], "textures\\t%04u.%s", used[k], seed % 2 == 0 ? "blp" : "tga");
        }
        snprintf(path, sizeof path, "%s/unit%04u.mdx", folder, i);
        if (!write_model(path, (const char *const[]){ names[0], names[1] }, count, &random)) return false;
    }
    return true;
}
