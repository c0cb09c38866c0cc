#include "format/gltf/gltf_pack.h"

#include <string.h>

void gltf_pack_init(gltf_pack *pack, sni_save *save)
{
    memset(pack, 0, sizeof *pack);
    pack->save = save;
    for (int i = 0; i < GLTF_ROLES; i++) sni_writer_init(&pack->roles[i], &save->heap);
    sni_writer_init(&pack->images, &save->heap);
}

void gltf_pack_free(gltf_pack *pack)
{
    for (int i = 0; i < GLTF_ROLES; i++) sni_writer_free(&pack->roles[i]);
    sni_writer_free(&pack->images);
}

static uint32_t hash_of(const void *data, uint32_t count, uint32_t kind)
{
    uint64_t hash = ((uint64_t)(uintptr_t)data >> 4) * 0x9E3779B97F4A7C15u;
    hash ^= (uint64_t)count * 0xC2B2AE3D27D4EB4Fu + kind;
    return (uint32_t)(hash ^ hash >> 32);
}

static gltf_packed *slot_of(gltf_packed *slots, uint32_t slot_count, const void *data, uint32_t count, uint32_t kind)
{
    uint32_t at = hash_of(data, count, kind) & (slot_count - 1);
    while (slots[at].data && (slots[at].data != data || slots[at].count != count || slots[at].kind != kind))
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static bool grow_seen(gltf_pack *pack)
{
    if (pack->seen_count * 2 < pack->seen_slots) return true;
    uint32_t slot_count = pack->seen_slots ? pack->seen_slots * 2 : 256;
    gltf_packed *slots = sni_new(&pack->save->scratch, gltf_packed, slot_count);
    if (!slots) return false;
    for (uint32_t i = 0; i < pack->seen_slots; i++) {
        const gltf_packed *old = &pack->seen[i];
        if (old->data) *slot_of(slots, slot_count, old->data, old->count, old->kind) = *old;
    }
    pack->seen = slots;
    pack->seen_slots = slot_count;
    return true;
}

// The slot for an array in one use; its accessor is set when it was packed before. NULL after a failure.
static gltf_packed *find_seen(gltf_pack *pack, const void *data, uint32_t count, uint32_t kind)
{
    if (!grow_seen(pack)) return NULL;
    gltf_packed *slot = slot_of(pack->seen, pack->seen_slots, data, count, kind);
    if (slot->data) return slot;
    *slot = (gltf_packed){ data, count, kind, -1 };
    pack->seen_count++;
    return slot;
}

static gltf_accessor *new_accessor(gltf_pack *pack, gltf_role role, uint32_t count, gltf_type type,
                                   uint32_t component_type)
{
    gltf_accessor *accessor = sni_push(&pack->save->scratch, &pack->accessors, gltf_accessor);
    if (!accessor) return NULL;
    sni_write_align(&pack->roles[role], 4, 0);
    accessor->view = (int32_t)role;  // until the views have their numbers
    accessor->byte_offset = pack->roles[role].size;
    accessor->count = count;
    accessor->type = type;
    accessor->component_type = component_type;
    return accessor;
}

static void set_bounds(gltf_pack *pack, gltf_accessor *accessor, const float *values, uint64_t count, uint32_t width)
{
    float *min = sni_new(&pack->save->scratch, float, width), *max = sni_new(&pack->save->scratch, float, width);
    if (!min || !max) return;
    for (uint64_t i = 0; i < count * width; i++) {
        uint64_t c = i % width;
        if (i < width || values[i] < min[c]) min[c] = values[i];
        if (i < width || values[i] > max[c]) max[c] = values[i];
    }
    accessor->min = (gltf_floats){ min, width };
    accessor->max = (gltf_floats){ max, width };
}

static void write_floats(sni_writer *out, const float *values, uint64_t count)
{
    const uint16_t probe = 1;
    if (*(const uint8_t *)&probe == 1) {
        sni_write_bytes(out, values, (size_t)count * sizeof *values);
        return;
    }
    for (uint64_t i = 0; i < count; i++) sni_write_f32(out, values[i]);
}

int32_t gltf_pack_floats(gltf_pack *pack, gltf_role role, const float *values, uint32_t count, gltf_type type,
                         bool has_bounds)
{
    gltf_packed *seen = find_seen(pack, values, count, (uint32_t)role << 8 | (uint32_t)type << 1 | has_bounds);
    if (!seen || seen->accessor >= 0) return seen ? seen->accessor : -1;
    uint32_t width = gltf_components(type);
    gltf_accessor *accessor = new_accessor(pack, role, count, type, GLTF_F32);
    if (!accessor) return -1;
    write_floats(&pack->roles[role], values, (uint64_t)count * width);
    if (has_bounds) set_bounds(pack, accessor, values, count, width);
    return seen->accessor = (int32_t)pack->accessors.count - 1;
}

// 65535 would restart a primitive: 16 bits serve up to 65,535 vertices.
int32_t gltf_pack_indices(gltf_pack *pack, const uint32_t *indices, uint32_t count, uint32_t vertex_count)
{
    bool is_small = vertex_count <= UINT16_MAX;
    gltf_role role = is_small ? GLTF_INDICES_16 : GLTF_INDICES_32;
    gltf_packed *seen = find_seen(pack, indices, count, (uint32_t)role << 8);
    if (!seen || seen->accessor >= 0) return seen ? seen->accessor : -1;
    if (!new_accessor(pack, role, count, GLTF_SCALAR, is_small ? GLTF_U16 : GLTF_U32)) return -1;
    for (uint32_t i = 0; i < count; i++) {
        if (is_small) sni_write_u16(&pack->roles[role], (uint16_t)indices[i]);
        else sni_write_u32(&pack->roles[role], indices[i]);
    }
    return seen->accessor = (int32_t)pack->accessors.count - 1;
}

int32_t gltf_pack_integers(gltf_pack *pack, gltf_role role, const void *values, uint32_t count, gltf_type type,
                           uint32_t component_type)
{
    uint32_t width = gltf_components(type);
    if (!new_accessor(pack, role, count, type, component_type)) return -1;
    if (component_type == GLTF_U8) sni_write_bytes(&pack->roles[role], values, (size_t)count * width);
    else
        for (uint64_t i = 0; i < (uint64_t)count * width; i++)
            sni_write_u16(&pack->roles[role], ((const uint16_t *)values)[i]);
    return (int32_t)pack->accessors.count - 1;
}

int32_t gltf_pack_image(gltf_pack *pack, const uint8_t *data, size_t size)
{
    gltf_view *view = sni_push(&pack->save->scratch, &pack->image_views, gltf_view);
    if (!view) return -1;
    sni_write_align(&pack->images, 4, 0);
    *view = (gltf_view){ .buffer = 0, .byte_offset = pack->images.size, .byte_length = size };
    sni_write_bytes(&pack->images, data, size);
    return (int32_t)pack->image_views.count - 1;
}

// clang-format off
static const struct { uint32_t stride, target; } roles[GLTF_ROLES] = {
    [GLTF_VERTEX_4] = { 4, GLTF_ARRAY_BUFFER },     [GLTF_VERTEX_8] = { 8, GLTF_ARRAY_BUFFER },
    [GLTF_VERTEX_12] = { 12, GLTF_ARRAY_BUFFER },   [GLTF_VERTEX_16] = { 16, GLTF_ARRAY_BUFFER },
    [GLTF_INDICES_16] = { 0, GLTF_ELEMENT_BUFFER }, [GLTF_INDICES_32] = { 0, GLTF_ELEMENT_BUFFER },
};
// clang-format on

bool gltf_pack_close(gltf_pack *pack, gltf_doc *doc, sni_writer *bin)
{
    int32_t view_of[GLTF_ROLES];
    gltf_view *views = sni_new(&pack->save->scratch, gltf_view, (uint64_t)GLTF_ROLES + pack->image_views.count);
    uint32_t count = 0;
    for (int i = 0; i < GLTF_ROLES; i++) view_of[i] = -1;
    if (!views) return false;
    for (int i = 0; i < GLTF_ROLES; i++) {
        if (pack->roles[i].size == 0) continue;
        sni_write_align(bin, 4, 0);
        view_of[i] = (int32_t)count;
        views[count++] = (gltf_view){ .buffer = 0,
                                      .byte_offset = bin->size,
                                      .byte_length = pack->roles[i].size,
                                      .stride = roles[i].stride,
                                      .target = roles[i].target };
        sni_write_bytes(bin, pack->roles[i].data, pack->roles[i].size);
        bin->failed = bin->failed || pack->roles[i].failed;
    }
    gltf_accessor *accessors = pack->accessors.items;
    for (uint32_t i = 0; i < pack->accessors.count; i++) accessors[i].view = view_of[accessors[i].view];
    sni_write_align(bin, 4, 0);
    for (uint32_t i = 0; i < pack->image_views.count; i++) {
        views[count + i] = ((gltf_view *)pack->image_views.items)[i];
        views[count + i].byte_offset += bin->size;
    }
    for (uint32_t i = 0; i < doc->image_count; i++) {
        if (doc->images[i].view >= 0) doc->images[i].view += (int32_t)count;
    }
    sni_write_bytes(bin, pack->images.data, pack->images.size);
    bin->failed = bin->failed || pack->images.failed;
    doc->views = views;
    doc->view_count = count + pack->image_views.count;
    doc->accessors = accessors;
    doc->accessor_count = pack->accessors.count;
    return !bin->failed && sni_save_ok(pack->save);
}
