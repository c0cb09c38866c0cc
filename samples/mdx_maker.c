#include "mdx_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mdx_maker_init(mdx_maker *m, uint32_t version, const char *name)
{
    memset(m, 0, sizeof *m);
    sni_diag_init(&m->diag, NULL);
    sni_heap_init(&m->heap, NULL, 64 << 20);
    m->heap.diag = &m->diag;
    sni_arena_init(&m->arena, &m->heap);
    m->doc.version = version;
    m->doc.model.name = mdx_maker_text(name);
    m->doc.model.blend_time = 150;
}

void mdx_maker_free(mdx_maker *m) { sni_arena_free(&m->arena); }

static bool save(mdx_maker *m, sni_writer *out, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool is_saved = !out->failed && !sni_failed(&m->diag) && sni_file_write(path, out->data, out->size, &m->diag);
    if (!is_saved) fprintf(stderr, "%s: %s\n", path, m->diag.error.message);
    sni_writer_free(out);
    return is_saved;
}

bool mdx_maker_save(mdx_maker *m, const char *folder, const char *name)
{
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    mdx_write(&m->doc, &out);
    return save(m, &out, folder, name);
}

bool mdx_maker_picture(mdx_maker *m, const char *folder, const char *name, uint32_t side, const blp_color *palette,
                       uint32_t colors, mdx_shade shade)
{
    uint8_t indices[64 * 64], alphas[64 * 64];
    sni_writer out;
    for (uint32_t i = 0; i < side * side && i < sizeof indices; i++) {
        alphas[i] = 255;
        indices[i] = shade(i % side, i / side, &alphas[i]);
    }
    sni_writer_init(&out, &m->heap);
    blp_write(&out, side, side, palette, colors, indices, alphas);
    return save(m, &out, folder, name);
}

mdx_array mdx_maker_bytes(mdx_maker *m, const uint8_t *values, uint32_t count)
{
    uint8_t *bytes = sni_new(&m->arena, uint8_t, count);
    if (bytes && count > 0) memcpy(bytes, values, count);
    return (mdx_array){ bytes, count };
}

static mdx_array take(mdx_maker *m, sni_writer *out, uint32_t count)
{
    mdx_array array = mdx_maker_bytes(m, out->data, (uint32_t)out->size);
    sni_writer_free(out);
    return (mdx_array){ array.data, count };
}

mdx_array mdx_maker_u32s(mdx_maker *m, const uint32_t *values, uint32_t count)
{
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    sni_write_words(&out, values, count);
    return take(m, &out, count);
}

mdx_array mdx_maker_floats(mdx_maker *m, const float *values, uint32_t count, uint32_t width)
{
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    sni_write_words(&out, values, (size_t)count * width);
    return take(m, &out, count);
}

mdx_array mdx_maker_u16s(mdx_maker *m, const uint16_t *values, uint32_t count)
{
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    for (uint32_t i = 0; i < count; i++) sni_write_u16(&out, values[i]);
    return take(m, &out, count);
}

sni_str mdx_maker_text(const char *text) { return sni_str_make(text, strlen(text)); }

static void write_value(sni_writer *out, mdx_type type, const float *value, uint32_t version)
{
    if (type == MDX_U32) {
        sni_write_u32(out, (uint32_t)value[0]);
    } else if (type == MDX_QUAT && version >= MDX_WOW_VERSION) {
        uint64_t packed = mdx_pack_quat((sn_quat){ value[0], value[1], value[2], value[3] });
        sni_write_u32(out, (uint32_t)packed);
        sni_write_u32(out, (uint32_t)(packed >> 32));
    } else {
        sni_write_words(out, value, type == MDX_F32 ? 1 : type == MDX_QUAT ? 4 : 3);
    }
}

void mdx_maker_track(mdx_maker *m, mdx_tracks *tracks, uint32_t tag, mdx_interpolation interpolation,
                     int32_t global_sequence, uint32_t count, const mdx_maker_key *keys)
{
    mdx_track *items = sni_new(&m->arena, mdx_track, tracks->count + 1);
    if (!items) return;
    for (uint32_t i = 0; i < tracks->count; i++) items[i] = tracks->items[i];
    mdx_track *track = &items[tracks->count];
    *track = (mdx_track){ .kind = mdx_find_track_kind(tag),
                          .interpolation = interpolation,
                          .global_sequence = global_sequence };
    mdx_type type = track->kind->type;
    uint32_t width = type == MDX_QUAT ? 4 : type == MDX_F32 || type == MDX_U32 ? 1 : 3;
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    for (uint32_t i = 0; i < count; i++) {
        sni_write_u32(&out, (uint32_t)keys[i].time);
        for (uint32_t part = 0; part < (interpolation > MDX_LINEAR ? 3u : 1u); part++)
            write_value(&out, type, keys[i].values + part * width, m->doc.version);
    }
    track->keys = take(m, &out, count);
    *tracks = (mdx_tracks){ items, tracks->count + 1 };
}

sn_quat mdx_maker_turn(float x, float y, float z)
{
    float length = sqrtf(x * x + y * y + z * z + 1.0f);
    return (sn_quat){ x / length, y / length, z / length, 1.0f / length };
}

void mdx_maker_sequence(mdx_maker *m, const char *name, uint32_t start, uint32_t end, float move_speed, uint32_t flags)
{
    mdx_sequence *sequence = sni_push(&m->arena, &m->doc.sequences, mdx_sequence);
    *sequence = (mdx_sequence){
        .name = mdx_maker_text(name), .start = start, .end = end, .flags = flags, .move_speed = move_speed
    };
}

void mdx_maker_texture(mdx_maker *m, const char *path, uint32_t replaceable)
{
    mdx_texture *texture = sni_push(&m->arena, &m->doc.textures, mdx_texture);
    *texture = (mdx_texture){ .path = mdx_maker_text(path),
                              .replaceable = replaceable,
                              .flags = MDX_WRAP_U | MDX_WRAP_V };
}

mdx_node mdx_maker_node(const char *name, int32_t id, int32_t parent, uint32_t flags)
{
    return (mdx_node){ .name = mdx_maker_text(name), .id = id, .parent = parent, .flags = flags };
}

// Tubes

static uint16_t put_vertex(mdx_body *body, sn_vec3 position, sn_vec3 normal, sn_vec3 tangent, float u, float v,
                           uint8_t group)
{
    uint32_t i = body->vertex_count;
    if (i == MDX_MOST_VERTICES) return 0;
    memcpy(body->positions[i], &position, sizeof body->positions[i]);
    memcpy(body->normals[i], &normal, sizeof body->normals[i]);
    memcpy(body->tangents[i], &tangent, sizeof tangent);
    body->tangents[i][3] = 1.0f;
    body->uvs[i][0] = u, body->uvs[i][1] = v;
    body->groups[i] = group;
    body->vertex_count++;
    return (uint16_t)i;
}

static void put_triangle(mdx_body *body, uint16_t a, uint16_t b, uint16_t c)
{
    if (body->index_count + 3 > MDX_MOST_INDICES) return;
    body->indices[body->index_count++] = a;
    body->indices[body->index_count++] = b;
    body->indices[body->index_count++] = c;
}

static sn_vec3 mixed(sn_vec3 a, float wa, sn_vec3 b, float wb)
{
    return (sn_vec3){ a.x * wa + b.x * wb, a.y * wa + b.y * wb, a.z * wa + b.z * wb };
}

// Corner k of a ring, on the unit circle: eighths or quarters of a turn.
static void find_corner(uint32_t corners, uint32_t k, float *side, float *up)
{
    static const int8_t eighths[8][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                          { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };
    const int8_t *at = eighths[corners == 4 ? k % 4 * 2 + 1 : k % 8];
    float length = sqrtf((float)(at[0] * at[0] + at[1] * at[1]));
    *side = (float)at[0] / length;
    *up = (float)at[1] / length;
}

typedef struct ring_frame {
    sn_vec3 center, side, up;
} ring_frame;

// Across the direction: to the left (+y), and what completes the two.
static ring_frame frame_of(const mdx_tube *tube, const mdx_ring *ring)
{
    const sn_vec3 d = tube->along;
    return (ring_frame){ { ring->x * tube->scale, ring->y * tube->scale, ring->z * tube->scale },
                         { 0, 1, 0 },
                         { -d.z, 0, d.x } };
}

static sn_vec3 ring_point(const mdx_tube *tube, const mdx_ring *ring, float side, float up)
{
    ring_frame f = frame_of(tube, ring);
    sn_vec3 out = mixed(f.side, side * ring->width * tube->scale, f.up, up * ring->height * tube->scale);
    return mixed(f.center, 1, out, 1);
}

static void put_ring(mdx_body *body, const mdx_tube *tube, const mdx_ring *ring, float v)
{
    ring_frame f = frame_of(tube, ring);
    for (uint32_t k = 0; k <= tube->corners; k++) {  // the first corner twice: the picture ends there
        float side, up;
        find_corner(tube->corners, k, &side, &up);
        sn_vec3 normal = mixed(f.side, side, f.up, up), tangent = mixed(f.side, -up, f.up, side);
        put_vertex(body, ring_point(tube, ring, side, up), normal, tangent, (float)k / (float)tube->corners, v,
                   ring->group);
    }
}

static void put_cap(mdx_body *body, const mdx_tube *tube, const mdx_ring *ring, float v, bool is_end)
{
    ring_frame f = frame_of(tube, ring);
    sn_vec3 normal = mixed(tube->along, is_end ? 1.0f : -1.0f, tube->along, 0);
    uint16_t middle = put_vertex(body, f.center, normal, f.side, 0.5f, v, ring->group), first = (uint16_t)(middle + 1);
    for (uint32_t k = 0; k < tube->corners; k++) {
        float side, up;
        find_corner(tube->corners, k, &side, &up);
        put_vertex(body, ring_point(tube, ring, side, up), normal, f.side, 0.5f + 0.5f * side, v, ring->group);
    }
    for (uint32_t k = 0; k < tube->corners; k++) {
        uint16_t a = (uint16_t)(first + k), b = (uint16_t)(first + (k + 1) % tube->corners);
        if (is_end) put_triangle(body, middle, a, b);
        else put_triangle(body, middle, b, a);
    }
}

void mdx_body_tube(mdx_body *body, const mdx_tube *tube, const mdx_ring *rings, uint32_t count)
{
    uint16_t first = (uint16_t)body->vertex_count, row = (uint16_t)(tube->corners + 1);
    for (uint32_t i = 0; i < count; i++)
        put_ring(body, tube, &rings[i], tube->top + (tube->bottom - tube->top) * (float)i / (float)(count - 1));
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t k = 0; k < tube->corners; k++) {
            uint16_t a = (uint16_t)(first + i * row + k), b = (uint16_t)(a + row);
            put_triangle(body, a, (uint16_t)(a + 1), b);
            put_triangle(body, (uint16_t)(a + 1), (uint16_t)(b + 1), b);
        }
    }
    put_cap(body, tube, &rings[0], tube->top, false);
    put_cap(body, tube, &rings[count - 1], tube->bottom, true);
}

mdx_extent mdx_body_extent(const mdx_body *body)
{
    mdx_extent extent = { 0 };
    float square = 0;
    memcpy(extent.min, body->positions[0], sizeof extent.min);
    memcpy(extent.max, body->positions[0], sizeof extent.max);
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        const float *p = body->positions[i];
        for (int axis = 0; axis < 3; axis++) {
            if (p[axis] < extent.min[axis]) extent.min[axis] = p[axis];
            if (p[axis] > extent.max[axis]) extent.max[axis] = p[axis];
        }
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > square) square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    }
    extent.radius = sqrtf(square);
    return extent;
}

mdx_geoset *mdx_maker_geoset(mdx_maker *m, const mdx_body *body, uint32_t material)
{
    mdx_geoset *geoset = sni_push(&m->arena, &m->doc.geosets, mdx_geoset);
    uint32_t vertices = body->vertex_count, triangles = 4, sequences = m->doc.sequences.count;
    bool is_alpha = mdx_is_wow(&m->doc);
    *geoset = (mdx_geoset){ .material = material, .extent = mdx_body_extent(body), .has_uvs = true, .uv_count = 1 };
    geoset->positions = mdx_maker_floats(m, &body->positions[0][0], vertices, 3);
    geoset->normals = mdx_maker_floats(m, &body->normals[0][0], vertices, 3);
    geoset->face_types = is_alpha ? mdx_maker_bytes(m, &(uint8_t){ 4 }, 1) : mdx_maker_u32s(m, &triangles, 1);
    geoset->face_counts = mdx_maker_u32s(m, &body->index_count, 1);
    geoset->faces = mdx_maker_u16s(m, body->indices, body->index_count);
    geoset->groups = mdx_maker_bytes(m, body->groups, vertices);
    geoset->uvs = sni_new(&m->arena, mdx_array, 1);
    geoset->uvs[0] = mdx_maker_floats(m, &body->uvs[0][0], vertices, 2);
    mdx_extent *extents = sni_new(&m->arena, mdx_extent, sequences);
    for (uint32_t i = 0; i < sequences; i++) extents[i] = geoset->extent;
    geoset->extents = mdx_maker_floats(m, &extents[0].radius, sequences, 7);
    return geoset;
}
