// A disc archive: models that were made before, and a picture with a Japanese name.
#include <stdio.h>

#include "image/tim2.h"
#include "io/file.h"
#include "make_samples.h"

enum { SECTOR = 2048, FILES = 3, RECORD = 16, SIDE = 16 };

typedef struct disc {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_writer data, index, names;
    uint32_t count;
} disc;

static void add_file(disc *d, const char *name, const void *bytes, size_t size)
{
    const uint32_t names_at = (FILES + 1) * RECORD,
                   sector = (uint32_t)(d->data.size / SECTOR);  // the last record is all 0
    sni_write_u32(&d->index, names_at + (uint32_t)d->names.size);
    sni_write_u32(&d->index, (uint32_t)size);
    sni_write_u32(&d->index, sector);
    sni_write_u32(&d->index, (uint32_t)((size + SECTOR - 1) / SECTOR));
    sni_write_text(&d->names, name), sni_write_u8(&d->names, 0);
    sni_write_bytes(&d->data, bytes, size);
    sni_write_align(&d->data, SECTOR, 0);
    d->count++;
}

static void add_sample(disc *d, const char *name, const char *folder, const char *sample)
{
    char path[1024];
    sni_bytes bytes;
    snprintf(path, sizeof path, "%s/%s", folder, sample);
    if (sni_file_read(path, 1 << 20, &d->arena, &d->diag, &bytes)) add_file(d, name, bytes.data, bytes.size);
}

// A sun, red below and yellow above, fading at its rim: rows from the bottom.
static void add_picture(disc *d, const char *name)
{
    sni_tim2_color colors[40] = { { 0, 0, 0, 0 } };
    uint8_t indices[SIDE * SIDE];
    sni_writer out;
    for (int i = 0; i < SIDE; i++) {
        colors[1 + i] = (sni_tim2_color){ 240, (uint8_t)(40 + 12 * i), 30, 255 };
        colors[17 + i] = (sni_tim2_color){ 240, (uint8_t)(40 + 12 * i), 30, 96 };
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        int x = 2 * (i % SIDE) - (SIDE - 1), y = 2 * (i / SIDE) - (SIDE - 1), far = x * x + y * y;
        indices[i] = (uint8_t)(far > 225 ? 0 : (far > 150 ? 17 : 1) + i / SIDE);
    }
    sni_writer_init(&out, &d->heap);
    sni_tim2_write_indexed(&out, SIDE, SIDE, 8, colors, 40, indices);
    add_file(d, name, out.data, out.size);
    sni_writer_free(&out);
}

static bool save(disc *d, const char *folder)
{
    char index[1024], data[1024];
    snprintf(index, sizeof index, "%s/disc.hd3", folder);
    snprintf(data, sizeof data, "%s/disc.dat", folder);
    sni_write_fill(&d->index, 0, RECORD);
    sni_write_bytes(&d->index, d->names.data, d->names.size);
    if (d->count != FILES || d->index.failed || d->data.failed || d->names.failed) return false;
    return sni_file_write(index, d->index.data, d->index.size, &d->diag) &&
           sni_file_write(data, d->data.data, d->data.size, &d->diag);
}

bool make_disc(const char *folder)
{
    disc d = { .count = 0 };
    sni_diag_init(&d.diag, NULL);
    sni_heap_init(&d.heap, NULL, 64 << 20);
    sni_arena_init(&d.arena, &d.heap);
    sni_writer_init(&d.data, &d.heap), sni_writer_init(&d.index, &d.heap), sni_writer_init(&d.names, &d.heap);
    add_sample(&d, "chara\\arm.glb", folder, "arm.glb");
    add_sample(&d, "chara\\face.glb", folder, "face.glb");
    add_picture(&d, "img\\\x91\xBE\x97\x7A.tm2");  // sun, in Shift-JIS
    bool is_saved = save(&d, folder);
    sni_writer_free(&d.data), sni_writer_free(&d.index), sni_writer_free(&d.names);
    sni_arena_free(&d.arena);
    return is_saved;
}
