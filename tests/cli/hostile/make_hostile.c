// make_hostile FOLDER: small files that ask for gigabytes or hours, and a valid one that is large.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

static FILE *create(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) exit(1);
    return file;
}

static void finish(FILE *file)
{
    if (fclose(file) != 0) exit(1);
}

static void make_folder(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (mkdir(path, 0777) != 0) exit(1);
}

static void put(FILE *file, const void *data, size_t size)
{
    if (size > 0 && fwrite(data, size, 1, file) != 1) exit(1);
}

static void put_u32(FILE *file, uint32_t value)
{
    for (int i = 0; i < 4; i++) fputc((int)(value >> 8 * i & 0xff), file);
}

static void put_big(FILE *file, uint32_t value)
{
    for (int i = 3; i >= 0; i--) fputc((int)(value >> 8 * i & 0xff), file);
}

static void put_f32(FILE *file, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(file, bits);
}

static void put_name(FILE *file, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) fputc(i < strlen(name) ? name[i] : 0, file);
}

static void put_zeros(FILE *file, size_t count)
{
    for (size_t i = 0; i < count; i++) fputc(0, file);
}

// MDX: a chunk's size is written when it is complete.

static long open_chunk(FILE *file, const char *tag)
{
    put(file, tag, 4);
    put_u32(file, 0);
    return ftell(file);
}

static void close_chunk(FILE *file, long start)
{
    long end = ftell(file);
    fseek(file, start - 4, SEEK_SET);
    put_u32(file, (uint32_t)(end - start));
    fseek(file, end, SEEK_SET);
}

static void begin_mdx(FILE *file)
{
    put(file, "MDLX", 4);
    long vers = open_chunk(file, "VERS");
    put_u32(file, 800);
    close_chunk(file, vers);
    long modl = open_chunk(file, "MODL");
    put_name(file, "hostile", 340);
    put_zeros(file, 32);
    close_chunk(file, modl);
}

// One texture under as many spellings, each used by a material.
static void put_spellings(FILE *file, uint32_t count)
{
    static const char name[] = "abcdefghijklmnop.blp";
    long texs = open_chunk(file, "TEXS");
    for (uint32_t i = 0; i < count; i++) {
        char spelled[sizeof name];
        for (size_t c = 0; c < sizeof name; c++) spelled[c] = (char)(c < 16 && i >> c & 1 ? name[c] - 32 : name[c]);
        put_u32(file, 0);
        put_name(file, spelled, 260);
        put_u32(file, 0);
    }
    close_chunk(file, texs);
    long mtls = open_chunk(file, "MTLS");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t words[] = { 48, 0, 0, 0x5359414c, 1, 28, 0, 0, i, 0xffffffff, 0 };  // "LAYS"
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) put_u32(file, words[w]);
        put_f32(file, 1);
    }
    close_chunk(file, mtls);
}

static void make_spellings(const char *name, uint32_t count)
{
    FILE *file = create(name);
    begin_mdx(file);
    put_spellings(file, count);
    finish(file);
}

// A BLP1 with a large JPEG of 0 bits: 2 for each block, or the shortest code of a progressive scan for 16384 blocks.
// `frame` is the marker of the frame: C0 sequential, C2 progressive.
static void make_blp(const char *name, int frame, uint32_t components, uint32_t scans, size_t padding)
{
    enum { WIDTH = 8192, HEIGHT = 8191 };
    FILE *file = create(name);
    put(file, "BLP1", 4);
    const uint32_t head[] = { 0, 0, WIDTH, HEIGHT, 5, 0, 160 };
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) put_u32(file, head[i]);
    put_zeros(file, 60);
    long size_at = ftell(file);
    put_zeros(file, 68);
    long start = ftell(file);
    put(file, "\xff\xd8\xff\xdb\0\x43\0", 7);
    for (int i = 0; i < 64; i++) fputc(1, file);
    for (int is_ac = 0; is_ac < 2; is_ac++) {  // one code of one bit
        put(file, "\xff\xc4\0\x14", 4);
        fputc(is_ac << 4, file), fputc(1, file);
        put_zeros(file, 15);
        fputc(is_ac && frame == 0xc2 ? 0xe0 : 0, file);
    }
    fputc(0xff, file), fputc(frame, file);
    fputc(0, file), fputc((int)(8 + 3 * components), file);
    fputc(8, file);
    fputc(HEIGHT >> 8, file), fputc(HEIGHT & 0xff, file), fputc(WIDTH >> 8, file), fputc(WIDTH & 0xff, file);
    fputc((int)components, file);
    for (uint32_t c = 0; c < components; c++) fputc((int)c + 1, file), fputc(0x11, file), fputc(0, file);
    for (uint32_t s = 0; s < scans; s++) {
        bool is_first = s == 0;
        uint32_t of = is_first ? components : 1;
        fputc(0xff, file), fputc(0xda, file), fputc(0, file), fputc((int)(6 + 2 * of), file), fputc((int)of, file);
        for (uint32_t c = 0; c < of; c++) fputc((int)(is_first ? c : s % components) + 1, file), fputc(0, file);
        fputc(is_first ? 0 : 1, file), fputc(is_first && frame == 0xc2 ? 0 : 63, file), fputc(s > 1 ? 0x10 : 0, file);
        put_zeros(file, (uint32_t)padding);
    }
    put(file, "\xff\xd9", 2);
    long end = ftell(file);
    fseek(file, size_at, SEEK_SET);
    put_u32(file, (uint32_t)(end - start));
    finish(file);
}

// PNG: one bit per pixel, all zero. Stored as deflate blocks that repeat: a literal and copies of 258.

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

typedef struct buffer {
    uint8_t *data;
    size_t size;
    uint32_t bits, bit_count;
} buffer;

static void add(buffer *b, const void *data, size_t size)
{
    b->data = realloc(b->data, b->size + size + 8);
    if (!b->data) exit(1);
    if (size > 0) memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void add_big(buffer *b, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value };
    add(b, bytes, 4);
}

static void add_bits(buffer *b, uint32_t value, uint32_t count)
{
    b->bits |= value << b->bit_count;
    b->bit_count += count;
    for (; b->bit_count >= 8; b->bit_count -= 8, b->bits >>= 8) add(b, &(uint8_t){ (uint8_t)b->bits }, 1);
}

static void add_chunk(buffer *png, const char *type, const uint8_t *data, size_t size)
{
    add_big(png, (uint32_t)size);
    size_t start = png->size;
    add(png, type, 4);
    add(png, data, size);
    add_big(png, crc32_of(png->data + start, png->size - start));
}

// Zeros by fixed codes: a literal 0 (8 bits, 00110000), then copies of 258 bytes at distance 1 (code 285: 8 bits
// 11000101; distance 0: 5 bits); bits of codes go out the highest first.
static buffer zero_png(uint32_t width, uint32_t height)
{
    buffer packed = { 0 }, png = { 0 };
    uint64_t bytes = (uint64_t)height * (width / 8 + 1);
    add(&packed, "\x78\x9c", 2);
    add_bits(&packed, 3, 3);
    for (uint64_t done = 0; done < bytes;) {
        bool copies = done > 0 && bytes - done >= 258;
        add_bits(&packed, copies ? 0xa3 : 0x0c, 8);
        if (copies) add_bits(&packed, 0, 5);
        done += copies ? 258 : 1;
    }
    add_bits(&packed, 0, 7);
    add_bits(&packed, 0, 7);
    add_big(&packed, (uint32_t)(bytes % 65521) << 16 | 1);  // Adler-32 of zeros
    add(&png, "\x89PNG\r\n\x1a\n", 8);
    uint8_t header[13] = { 0 };
    for (int i = 0; i < 4; i++)
        header[i] = (uint8_t)(width >> (24 - 8 * i)), header[4 + i] = (uint8_t)(height >> (24 - 8 * i));
    header[8] = 1;
    add_chunk(&png, "IHDR", header, sizeof header);
    add_chunk(&png, "IDAT", packed.data, packed.size);
    add_chunk(&png, "IEND", NULL, 0);
    free(packed.data);
    return png;
}

// .glb: JSON is printed into a buffer, the binary chunk follows.

static void print(buffer *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(b, text, (size_t)size);
}

static void write_glb(const char *name, buffer *json, buffer *binary)
{
    while (json->size % 4) add(json, " ", 1);
    while (binary->size % 4) add(binary, "", 1);
    FILE *file = create(name);
    put(file, "glTF", 4);
    put_u32(file, 2);
    put_u32(file, (uint32_t)(28 + json->size + binary->size));
    put_u32(file, (uint32_t)json->size);
    put(file, "JSON", 4);
    put(file, json->data, json->size);
    put_u32(file, (uint32_t)binary->size);
    put(file, "BIN", 4);
    put(file, binary->data, binary->size);
    finish(file);
    free(json->data), free(binary->data);
}

// Each image starts at the same byte and ends at another: so none is a duplicate of another.
static void make_image_bomb(const char *name, uint32_t count)
{
    static const float triangle[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1 };
    buffer json = { 0 }, binary = { 0 }, png = zero_png(8192, 8191);
    add(&binary, triangle, sizeof triangle);
    add(&binary, png.data, png.size);
    for (uint32_t i = 0; i < count; i++) add(&binary, "", 1);
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) print(&json, "%s%u", i ? "," : "", i);
    print(&json, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < count; i++) print(&json, "%s{\"mesh\":%u,\"translation\":[%u,0,0]}", i ? "," : "", i, i);
    print(&json, "],\"meshes\":[");
    for (uint32_t i = 0; i < count; i++)
        print(&json, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":%u}]}",
              i ? "," : "", i);
    print(&json, "],\"materials\":[");
    for (uint32_t i = 0; i < count; i++)
        print(&json, "%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%u}}}", i ? "," : "", i);
    print(&json, "],\"textures\":[");
    for (uint32_t i = 0; i < count; i++) print(&json, "%s{\"source\":%u}", i ? "," : "", i);
    print(&json, "],\"images\":[");
    for (uint32_t i = 0; i < count; i++)
        print(&json, "%s{\"bufferView\":%u,\"mimeType\":\"image/png\"}", i ? "," : "", i + 2);
    print(&json, "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
                 "\"min\":[0,0,0],\"max\":[1,1,0]},{\"bufferView\":1,\"componentType\":5126,\"count\":3,"
                 "\"type\":\"VEC2\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
                 "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24}");
    for (uint32_t i = 0; i < count; i++)
        print(&json, ",{\"buffer\":0,\"byteOffset\":60,\"byteLength\":%zu}", png.size + i);
    print(&json, "],\"buffers\":[{\"byteLength\":%zu}]}", binary.size);
    free(png.data);
    write_glb(name, &json, &binary);
}

// One mesh of points, shown by every node.
static void make_instances(const char *name, uint32_t nodes, uint32_t vertices)
{
    buffer json = { 0 }, binary = { 0 };
    for (uint32_t i = 0; i < vertices; i++) {
        const float at[3] = { (float)(i % 32) / 31, (float)(i / 32 % 32) / 31, (float)(i % 7) / 6 };
        add(&binary, at, sizeof at);
    }
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < nodes; i++) print(&json, "%s%u", i ? "," : "", i);
    print(&json, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < nodes; i++) print(&json, "%s{\"mesh\":0,\"translation\":[%u,0,0]}", i ? "," : "", i);
    print(&json,
          "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":0}]}],"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\","
          "\"min\":[0,0,0],\"max\":[1,1,1]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],"
          "\"buffers\":[{\"byteLength\":%zu}]}",
          vertices, binary.size, binary.size);
    write_glb(name, &json, &binary);
}

// Triangles that each cover the whole picture, shown by every node.
static void make_covers(const char *name, uint32_t nodes, uint32_t triangles)
{
    buffer json = { 0 }, binary = { 0 };
    for (uint32_t i = 0; i < triangles; i++) {
        const float depth = (float)i * 1e-6f;
        const float corners[9] = { -1, -1, depth, 3, -1, depth, -1, 3, depth };
        add(&binary, corners, sizeof corners);
    }
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (uint32_t i = 0; i < nodes; i++) print(&json, "%s%u", i ? "," : "", i);
    print(&json, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < nodes; i++) print(&json, "%s{\"mesh\":0}", i ? "," : "");
    print(&json,
          "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]}],"
          "\"materials\":[{\"alphaMode\":\"BLEND\",\"doubleSided\":true}],"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\","
          "\"min\":[-1,-1,0],\"max\":[3,3,1]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],"
          "\"buffers\":[{\"byteLength\":%zu}]}",
          triangles * 3, binary.size, binary.size);
    write_glb(name, &json, &binary);
}

// Draco: symbols with a probability of 1 take no bits, so that a few bytes hold any number of faces and values.

static void add_bytes(buffer *b, const char *hex)
{
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += hex[2] ? 3 : 2) add(b, &(uint8_t){ (uint8_t)byte }, 1);
}

static void add_varint(buffer *b, uint32_t value)
{
    for (; value > 127; value >>= 7) add(b, &(uint8_t){ (uint8_t)(value | 128) }, 1);
    add(b, &(uint8_t){ (uint8_t)value }, 1);
}

// A fan of faces: the first, then all to the right (symbol 3) at a vertex of rising valence. Attributes of 16 numbers
// are all 0. The last one has two, which are predicted with so many flags, if there are any.
static void add_draco_fan(buffer *b, uint32_t faces, uint32_t attributes, uint32_t flags)
{
    add_bytes(b, "44 52 41 43 4f 02 02 01 01 00 00 02");
    add_varint(b, faces + 2);
    add_varint(b, faces);
    add_bytes(b, "00");
    add_varint(b, faces);
    add_bytes(b, "00 00 ff 01 3f");  // no splits; the fan has a border
    for (uint32_t context = 0; context < 6; context++) {
        add_varint(b, context < 5 ? 1 : faces - 6);
        add_bytes(b, "01 01 04 0b 01 40 01 00");
    }
    add_bytes(b, "01 ff 00 00");
    add_varint(b, attributes + 1);
    for (uint32_t i = 0; i <= attributes; i++) {
        bool has_flags = flags > 0 && i == attributes;
        add_bytes(b, i == 0 ? "00 09 03 00" : has_flags ? "03 02 02 00" : "04 02 10 00");
        add_varint(b, i);
    }
    add_bytes(b, "02");
    for (uint32_t i = 0; i < attributes; i++) add_bytes(b, "01");
    for (uint32_t i = 0; i <= attributes; i++) {
        bool has_flags = flags > 0 && i == attributes;
        add_bytes(b, has_flags ? "05 01 01 01 01 01 01 40 01 00" : "00 01 01 01 01 01 01 40 01 00");
        for (uint32_t k = 0; has_flags && k < 4; k++) add(b, &(uint8_t){ (uint8_t)(flags >> 8 * k) }, 1);
        if (has_flags) add_bytes(b, "ff 01 3f");
        add_bytes(b, "00 00 00 00 00 00 00 00");
    }
    add_bytes(b, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3f 08");
}

// Each primitive has a view of its own of the same stream.
static void make_draco(const char *name, uint32_t primitives, uint32_t faces, uint32_t attributes, uint32_t flags)
{
    buffer json = { 0 }, binary = { 0 };
    add_draco_fan(&binary, faces, attributes, flags);
    size_t size = binary.size;
    for (uint32_t i = 0; i < primitives; i++) add(&binary, "", 1);
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],"
                 "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[");
    for (uint32_t i = 0; i < primitives; i++)
        print(&json,
              "%s{\"attributes\":{\"POSITION\":0},\"indices\":1,\"extensions\":{\"KHR_draco_mesh_compression\":{"
              "\"bufferView\":%u,\"attributes\":{\"POSITION\":0}}}}",
              i ? "," : "", i);
    print(&json,
          "]}],\"accessors\":[{\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"},{\"componentType\":5125,"
          "\"count\":%u,\"type\":\"SCALAR\"}],\"bufferViews\":[",
          faces + 2, faces * 3);
    for (uint32_t i = 0; i < primitives; i++)
        print(&json, "%s{\"buffer\":0,\"byteLength\":%zu}", i ? "," : "", size + i);
    print(&json, "],\"buffers\":[{\"byteLength\":%zu}]}", binary.size);
    write_glb(name, &json, &binary);
}

// Rotations with wild tangents in sequences that overlap: every clip samples all of them.
static void make_curves(const char *name, uint32_t bones, uint32_t keys, uint32_t clips)
{
    enum { STEP = 2000 };
    FILE *file = create(name);
    uint32_t seed = 1;
    begin_mdx(file);
    long seqs = open_chunk(file, "SEQS");
    for (uint32_t i = 0; i < clips; i++) {
        char text[16];
        snprintf(text, sizeof text, "clip %u", i);
        put_name(file, text, 80);
        put_u32(file, 0), put_u32(file, keys * STEP);
        put_zeros(file, 44);
    }
    close_chunk(file, seqs);
    long bone = open_chunk(file, "BONE");
    for (uint32_t i = 0; i < bones; i++) {
        char text[16];
        snprintf(text, sizeof text, "bone %u", i);
        put_u32(file, 4 + 80 + 12 + 16 + keys * 52);
        put_name(file, text, 80);
        put_u32(file, i), put_u32(file, 0xffffffff), put_u32(file, 256);
        put(file, "KGRT", 4);
        put_u32(file, keys), put_u32(file, 2), put_u32(file, 0xffffffff);
        for (uint32_t k = 0; k < keys; k++) {
            put_u32(file, k * STEP);
            for (int q = 0; q < 3; q++) {
                float v[4], length = 0;
                for (int c = 0; c < 4; c++) {
                    seed = seed * 1664525 + 1013904223;
                    v[c] = (float)(seed >> 8) / 8388608.0f - 1.0f;
                    length += v[c] * v[c];
                }
                for (int c = 0; c < 4; c++) put_f32(file, v[c] / sqrtf(length + 1e-9f));
            }
        }
        put_u32(file, 0xffffffff), put_u32(file, 0xffffffff);
    }
    close_chunk(file, bone);
    long pivots = open_chunk(file, "PIVT");
    put_zeros(file, 12 * (size_t)bones);
    close_chunk(file, pivots);
    finish(file);
}

// A row of nodes, or a chain of them, and clips that each move some by the same keys.
typedef struct clips_scene {
    uint32_t nodes, clips, keys, tracks;  // tracks: of each clip
    float seconds;
    bool is_chain, is_marked;  // marked: nodes had another flag before they were saved as glTF
} clips_scene;

static void make_clips(const char *name, const clips_scene *scene)
{
    buffer json = { 0 }, binary = { 0 };
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    add(&binary, corners, sizeof corners);
    for (uint32_t k = 0; k < scene->keys; k++) {
        const float time = scene->seconds * (float)k / (float)(scene->keys - 1);
        add(&binary, &time, sizeof time);
    }
    for (uint32_t k = 0; k < scene->keys; k++) {
        const float half = k % 2 ? 0.6f : 0.0f, rotation[4] = { half, 0, 0, k % 2 ? 0.8f : 1.0f };
        add(&binary, rotation, sizeof rotation);
    }
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (uint32_t i = 0; i < scene->nodes; i++) {
        print(&json, "%s{", i ? "," : "");
        const char *separator = "";
        if (i == 0) print(&json, "\"mesh\":0"), separator = ",";
        if (scene->is_chain && i + 1 < scene->nodes)
            print(&json, "%s\"children\":[%u]", separator, i + 1), separator = ",";
        if (scene->is_marked) print(&json, "%s\"extras\":{\"sinew_baked\":[\"ownRotation\"]}", separator);
        print(&json, "}");
    }
    print(&json, "],\"animations\":[");
    for (uint32_t i = 0; i < scene->clips; i++) {
        print(&json, "%s{\"samplers\":[{\"input\":1,\"output\":2}],\"channels\":[", i ? "," : "");
        for (uint32_t t = 0; t < scene->tracks; t++)
            print(&json, "%s{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"rotation\"}}", t ? "," : "",
                  (i + t) % scene->nodes);
        print(&json, "]}");
    }
    print(&json,
          "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":["
          "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
          "{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,\"count\":%u,\"type\":\"SCALAR\","
          "\"min\":[0],\"max\":[%g]},"
          "{\"bufferView\":0,\"byteOffset\":%u,\"componentType\":5126,\"count\":%u,\"type\":\"VEC4\"}],"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"buffers\":[{\"byteLength\":%zu}]}",
          scene->keys, (double)scene->seconds, 36 + 4 * scene->keys, scene->keys, binary.size, binary.size);
    write_glb(name, &json, &binary);
}

// A chain of nodes that are each shown and hidden at a time of its own, with a part at each.
static void make_switches(const char *name, uint32_t nodes)
{
    buffer json = { 0 }, binary = { 0 };
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    add(&binary, corners, sizeof corners);
    add(&binary, "\1\0\0\0", 4);
    for (uint32_t i = 0; i < nodes; i++) {
        const float times[2] = { 0, 1 + (float)(nodes - i) / 1000 };
        add(&binary, times, sizeof times);
    }
    print(&json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}");
    for (uint32_t i = 1; i < nodes; i++) print(&json, ",{\"mesh\":0,\"children\":[%u]}", i - 1);
    print(&json, "],\"animations\":[{\"samplers\":[");
    for (uint32_t i = 0; i < nodes; i++)
        print(&json, "%s{\"input\":%u,\"output\":1,\"interpolation\":\"STEP\"}", i ? "," : "", i + 2);
    print(&json, "],\"channels\":[");
    for (uint32_t i = 0; i < nodes; i++)
        print(&json,
              "%s{\"sampler\":%u,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":"
              "{\"pointer\":\"/nodes/%u/extensions/KHR_node_visibility/visible\"}}}}",
              i ? "," : "", i, i);
    print(&json,
          "]}],\"extensionsUsed\":[\"KHR_animation_pointer\",\"KHR_node_visibility\"],"
          "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":["
          "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
          "{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5121,\"count\":2,\"type\":\"SCALAR\"}");
    for (uint32_t i = 0; i < nodes; i++)
        print(&json, ",{\"bufferView\":0,\"byteOffset\":%u,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}",
              40 + 8 * i);
    print(&json, "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"buffers\":[{\"byteLength\":%zu}]}",
          binary.size, binary.size);
    write_glb(name, &json, &binary);
}

// W3D: boxes on one pivot, which is shown and hidden at each frame.

static long open_w3d(FILE *file, uint32_t id)
{
    put_u32(file, id);
    put_u32(file, 0);
    return ftell(file);
}

static void close_w3d(FILE *file, long start, bool has_chunks)
{
    long end = ftell(file);
    fseek(file, start - 4, SEEK_SET);
    put_u32(file, (uint32_t)(end - start) | (has_chunks ? 0x80000000 : 0));
    fseek(file, end, SEEK_SET);
}

static void make_blinking(const char *name, uint32_t boxes, uint32_t frames)
{
    FILE *file = create(name);
    long hierarchy = open_w3d(file, 0x100), at = open_w3d(file, 0x101);
    put_u32(file, 0x40001), put_name(file, "S", 16), put_u32(file, 2), put_zeros(file, 12);
    close_w3d(file, at, false);
    at = open_w3d(file, 0x102);
    for (uint32_t i = 0; i < 2; i++) {
        put_name(file, i ? "P" : "ROOTTRANSFORM", 16), put_u32(file, i ? 0 : 0xffffffff);
        put_zeros(file, 36), put_f32(file, 1);
    }
    close_w3d(file, at, false);
    close_w3d(file, hierarchy, true);
    long animation = open_w3d(file, 0x200);
    at = open_w3d(file, 0x201);
    put_u32(file, 0x40001), put_name(file, "A", 16), put_name(file, "S", 16), put_u32(file, frames), put_u32(file, 30);
    close_w3d(file, at, false);
    at = open_w3d(file, 0x203);
    const uint32_t words[] = { (frames - 1) << 16, 1 << 16 };  // first and last frame, visibility of pivot 1
    put_u32(file, words[0]), put_u32(file, words[1]), fputc(1, file);
    for (uint32_t i = 0; i < frames / 8 + 1; i++) fputc(0xaa, file);
    close_w3d(file, at, false);
    close_w3d(file, animation, true);
    at = open_w3d(file, 0x740);
    put_u32(file, 0x10000), put_u32(file, 1), put_name(file, "M.BOX", 32), put_zeros(file, 28);
    close_w3d(file, at, false);
    long hlod = open_w3d(file, 0x700);
    at = open_w3d(file, 0x701);
    put_u32(file, 0x10000), put_u32(file, 1), put_name(file, "M", 16), put_name(file, "S", 16);
    close_w3d(file, at, false);
    long array = open_w3d(file, 0x702);
    at = open_w3d(file, 0x703);
    put_u32(file, boxes), put_f32(file, 0);
    close_w3d(file, at, false);
    for (uint32_t i = 0; i < boxes; i++) {
        at = open_w3d(file, 0x704);
        put_u32(file, 1), put_name(file, "M.BOX", 32);
        close_w3d(file, at, false);
    }
    close_w3d(file, array, true);
    close_w3d(file, hlod, true);
    finish(file);
}

// A BIG archive with one file that RefPack makes of copies of 1028 bytes.
static void make_refpack(const char *name, uint32_t bytes)
{
    uint32_t copies = (bytes - 4) / 1028, unpacked = 4 + copies * 1028, packed = 6 + 5 + 4 * copies + 1, list = 16 + 14;
    FILE *file = create(name);
    put(file, "BIGF", 4);
    put_u32(file, list + packed);
    put_big(file, 1), put_big(file, list);
    put_big(file, list), put_big(file, packed);
    put(file, "a.w3d", 6);
    fputc(0x90, file), fputc(0xfb, file);
    put_big(file, unpacked);
    put(file, "\xe0\0\0\0\0", 5);
    for (uint32_t i = 0; i < copies; i++) put(file, "\xcc\0\0\xff", 4);
    fputc(0xfc, file);
    finish(file);
}

// An index whose records all name one long text.
static void make_index(const char *name, const char *data, uint32_t bytes)
{
    FILE *file = create(name);
    uint32_t half = bytes / 2 / 12 * 12;
    for (uint32_t i = 0; i < half / 12; i++) put_u32(file, half), put_u32(file, 0), put_u32(file, 0);
    for (uint32_t i = half; i + 1 < bytes; i++) fputc('a', file);
    fputc(0, file);
    finish(file);
    file = create(data);
    put_zeros(file, 4096);
    finish(file);
}

static void make_links(const char *below, uint32_t count)
{
    make_folder(below);
    for (uint32_t i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/d%u", below, i);
        make_folder(path);
        snprintf(path, sizeof path, "%s/%s/d%u/abcdefghijklmnop.blp", folder, below, i);
        if (symlink("/etc/hostname", path) != 0) exit(1);
    }
}

// Valid: 2048 x 2048 pixels, more than 16 M bytes.
static void make_large_texture(const char *name)
{
    static const uint8_t head[18] = { [2] = 2, [13] = 8, [15] = 8, [16] = 32, [17] = 8 };
    static const uint8_t pixel[4] = { 0x40, 0x80, 0xc0, 0xff };
    FILE *file = create(name);
    put(file, head, sizeof head);
    for (int i = 0; i < 2048 * 2048; i++) put(file, pixel, 4);
    finish(file);
}

int main(int count, char **words)
{
    if (count != 2) return 2;
    folder = words[1];
    make_folder("spellings");
    make_spellings("spellings/m.mdx", 500);
    FILE *texture = create("spellings/abcdefghijklmnop.blp");
    put(texture, "BLP1", 4);
    put_zeros(texture, 4 << 20);
    finish(texture);
    make_folder("sequential");
    make_spellings("sequential/m.mdx", 22);
    make_blp("sequential/abcdefghijklmnop.blp", 0xc0, 1, 1, 1 << 18);
    make_folder("unbacked");
    make_spellings("unbacked/m.mdx", 22);
    make_blp("unbacked/abcdefghijklmnop.blp", 0xc0, 1, 1, 2);
    make_folder("progressive");
    make_spellings("progressive/m.mdx", 2);
    make_blp("progressive/abcdefghijklmnop.blp", 0xc2, 3, 9, 45000);
    make_folder("scans");
    make_spellings("scans/m.mdx", 2);
    make_blp("scans/abcdefghijklmnop.blp", 0xc2, 1, 100, 10000);
    make_image_bomb("images.glb", 8);
    make_instances("instances.glb", 10000, 20000);
    make_covers("covers.glb", 100, 1000);
    make_draco("draco.glb", 3, 1000, 2, 0);
    make_draco("draco_faces.glb", 1, 5000000, 0, 0);
    make_draco("draco_values.glb", 400, 1000, 60, 0);
    make_draco("draco_flags.glb", 1, 1000, 1, 2000000000);
    make_curves("curves.mdx", 10, 300, 40);
    const clips_scene many_clips = { .nodes = 7000, .clips = 7000, .keys = 2, .tracks = 1, .seconds = 1 };
    make_clips("clips.glb", &many_clips);
    const clips_scene slow = { .nodes = 4000, .clips = 1, .keys = 2, .tracks = 4000, .seconds = 4000 };
    make_clips("slow.glb", &slow);
    const clips_scene marked = {
        .nodes = 4000, .clips = 500, .keys = 2, .tracks = 1, .seconds = 1, .is_chain = true, .is_marked = true
    };
    make_clips("marked.glb", &marked);
    const clips_scene shared = { .nodes = 8000, .clips = 1, .keys = 8000, .tracks = 8000, .seconds = 8000 };
    make_clips("shared.glb", &shared);
    make_switches("switches.glb", 3000);
    make_blinking("blinking.w3d", 14000, 65000);
    make_refpack("refpack.big", 1600000000);
    make_index("index.hd4", "index.dat", 4 << 20);
    make_links("links", 2000);
    make_spellings("links/m.mdx", 500);
    make_folder("large");
    make_spellings("large/m.mdx", 1);
    make_large_texture("large/abcdefghijklmnop.tga");
    return 0;
}
