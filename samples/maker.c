#include "maker.h"

#include <stdio.h>
#include <string.h>

void maker_init(maker *m)
{
    memset(m, 0, sizeof *m);
    sni_diag_init(&m->diag, NULL);
    sni_heap_init(&m->heap, NULL, 64 << 20);
    m->heap.diag = &m->diag;
    sni_arena_init(&m->arena, &m->heap);
    sni_writer_init(&m->bin, &m->heap);
    m->doc = gltf_default_doc;
    m->doc.scene = 0;
    m->doc.asset.version = "2.0";
    m->doc.asset.generator = "sinew samples";
}

void maker_free(maker *m)
{
    sni_writer_free(&m->bin);
    sni_arena_free(&m->arena);
}

static int32_t begin_view(maker *m, size_t size, uint32_t target)
{
    gltf_view *view = sni_push(&m->arena, &m->views, gltf_view);
    sni_write_align(&m->bin, 4, 0);
    *view = gltf_default_view;
    view->buffer = 0;
    view->byte_offset = m->bin.size;
    view->byte_length = size;
    view->target = target;
    return (int32_t)m->views.count - 1;
}

int32_t maker_view(maker *m, const void *data, size_t size, uint32_t target)
{
    int32_t view = begin_view(m, size, target);
    sni_write_bytes(&m->bin, data, size);
    return view;
}

static int32_t view_floats(maker *m, const void *values, size_t count, uint32_t target)
{
    int32_t view = begin_view(m, 4 * count, target);
    sni_write_words(&m->bin, values, count);
    return view;
}

static int32_t view_u16(maker *m, const uint16_t *values, size_t count, uint32_t target)
{
    int32_t view = begin_view(m, 2 * count, target);
    for (size_t i = 0; i < count; i++) sni_write_u16(&m->bin, values[i]);
    return view;
}

static gltf_accessor *new_accessor(maker *m, uint32_t count, gltf_type type, uint32_t component_type)
{
    gltf_accessor *accessor = sni_push(&m->arena, &m->accessors, gltf_accessor);
    *accessor = gltf_default_accessor;
    accessor->count = count;
    accessor->type = type;
    accessor->component_type = component_type;
    return accessor;
}

static void set_bounds(maker *m, gltf_accessor *accessor, const float *values, uint32_t count, uint32_t width)
{
    float *min = sni_new(&m->arena, float, width), *max = sni_new(&m->arena, float, width);
    for (uint32_t i = 0; i < count * width; i++) {
        uint32_t c = i % width;
        if (i < width || values[i] < min[c]) min[c] = values[i];
        if (i < width || values[i] > max[c]) max[c] = values[i];
    }
    accessor->min = (gltf_floats){ min, width };
    accessor->max = (gltf_floats){ max, width };
}

int32_t maker_floats(maker *m, const float *values, uint32_t count, gltf_type type, uint32_t target, bool has_bounds)
{
    uint32_t width = gltf_components(type);
    int32_t view = view_floats(m, values, (size_t)count * width, target);
    gltf_accessor *accessor = new_accessor(m, count, type, GLTF_F32);
    accessor->view = view;
    if (has_bounds) set_bounds(m, accessor, values, count, width);
    return (int32_t)m->accessors.count - 1;
}

int32_t maker_u16(maker *m, const uint16_t *values, uint32_t count, uint32_t target)
{
    int32_t view = view_u16(m, values, count, target);
    new_accessor(m, count, GLTF_SCALAR, GLTF_U16)->view = view;
    return (int32_t)m->accessors.count - 1;
}

int32_t maker_joints(maker *m, const uint8_t *joints, uint32_t vertex_count)
{
    int32_t view = maker_view(m, joints, 4 * (size_t)vertex_count, GLTF_ARRAY_BUFFER);
    new_accessor(m, vertex_count, GLTF_VEC4, GLTF_U8)->view = view;
    return (int32_t)m->accessors.count - 1;
}

int32_t maker_sparse(maker *m, uint32_t count, const uint16_t *indices, const sn_vec3 *values, uint32_t given)
{
    int32_t index_view = view_u16(m, indices, given, 0);
    int32_t value_view = view_floats(m, values, (size_t)given * 3, 0);
    gltf_accessor *accessor = new_accessor(m, count, GLTF_VEC3, GLTF_F32);
    accessor->sparse = (gltf_sparse){
        .object.is_given = true,
        .count = given,
        .indices = { .object.is_given = true, .view = index_view, .component_type = GLTF_U16 },
        .values = { .object.is_given = true, .view = value_view },
    };
    float *all = sni_new(&m->arena, float, (uint64_t)count * 3);
    for (uint32_t i = 0; i < given; i++) memcpy(all + (size_t)indices[i] * 3, &values[i], sizeof values[i]);
    set_bounds(m, accessor, all, count, 3);
    return (int32_t)m->accessors.count - 1;
}

gltf_node *maker_node(maker *m, const char *name, int32_t *index)
{
    gltf_node *node = sni_push(&m->arena, &m->nodes, gltf_node);
    *node = gltf_default_node;
    node->object.name = name;
    *index = (int32_t)m->nodes.count - 1;
    return node;
}

gltf_indices maker_list(maker *m, uint32_t count, const int32_t *items)
{
    int32_t *copy = sni_new(&m->arena, int32_t, count);
    memcpy(copy, items, count * sizeof *items);
    return (gltf_indices){ copy, count };
}

gltf_primitive *maker_mesh(maker *m, const char *name, int32_t *index)
{
    gltf_mesh *mesh = sni_push(&m->arena, &m->meshes, gltf_mesh);
    mesh->object.name = name;
    mesh->primitives = sni_new(&m->arena, gltf_primitive, 1);
    mesh->primitive_count = 1;
    *mesh->primitives = gltf_default_primitive;
    *index = (int32_t)m->meshes.count - 1;
    return mesh->primitives;
}

void maker_attribute(maker *m, gltf_attributes *attributes, const char *name, int32_t accessor)
{
    gltf_attribute *grown = sni_new(&m->arena, gltf_attribute, attributes->count + 1);
    if (attributes->count > 0) memcpy(grown, attributes->items, attributes->count * sizeof *grown);
    grown[attributes->count] = (gltf_attribute){ .name = name, .accessor = accessor };
    *attributes = (gltf_attributes){ grown, attributes->count + 1 };
}

int32_t maker_material(maker *m, const char *name, sn_vec4 color, float metallic, float roughness)
{
    gltf_material *material = sni_push(&m->arena, &m->materials, gltf_material);
    *material = gltf_default_material;
    material->object.name = name;
    material->pbr.color = color;
    material->pbr.metallic = metallic;
    material->pbr.roughness = roughness;
    return (int32_t)m->materials.count - 1;
}

gltf_animation *maker_animation(maker *m, const char *name)
{
    enum { MOST_CHANNELS = 8 };
    gltf_animation *animation = sni_push(&m->arena, &m->animations, gltf_animation);
    animation->object.name = name;
    animation->channels = sni_new(&m->arena, gltf_channel, MOST_CHANNELS);
    animation->samplers = sni_new(&m->arena, gltf_sampler, MOST_CHANNELS);
    return animation;
}

void maker_channel(maker *m, gltf_animation *animation, int32_t node, gltf_path path, gltf_interpolation interpolation,
                   int32_t input, int32_t output)
{
    (void)m;
    uint32_t at = animation->channel_count++;
    animation->sampler_count++;
    animation->channels[at] = (gltf_channel){ .sampler = (int32_t)at, .target = { .node = node, .path = path } };
    animation->samplers[at] = (gltf_sampler){ .input = input, .output = output, .interpolation = interpolation };
}

static void close_document(maker *m, const char *bin_name)
{
    gltf_doc *doc = &m->doc;
    gltf_buffer *buffer = sni_new(&m->arena, gltf_buffer, 1);
    buffer->uri = bin_name;
    buffer->byte_length = m->bin.size;
    buffer->data = (sni_bytes){ m->bin.data, m->bin.size };
    doc->buffers = buffer;
    doc->buffer_count = 1;
#define MAKER_TAKE(array, total, list) doc->array = (list).items, doc->total = (list).count
    MAKER_TAKE(views, view_count, m->views);
    MAKER_TAKE(accessors, accessor_count, m->accessors);
    MAKER_TAKE(meshes, mesh_count, m->meshes);
    MAKER_TAKE(nodes, node_count, m->nodes);
    MAKER_TAKE(skins, skin_count, m->skins);
    MAKER_TAKE(animations, animation_count, m->animations);
    MAKER_TAKE(materials, material_count, m->materials);
    MAKER_TAKE(cameras, camera_count, m->cameras);
#undef MAKER_TAKE
}

bool maker_save(maker *m, const char *folder, const char *name, bool as_glb)
{
    char path[4096], bin_name[256];
    sni_writer out;
    snprintf(bin_name, sizeof bin_name, "%s.bin", name);
    close_document(m, as_glb ? NULL : bin_name);
    sni_writer_init(&out, &m->heap);
    if (as_glb) {
        gltf_write_glb_head(&m->doc, m->bin.size, &out);
        sni_write_bytes(&out, m->bin.data, m->bin.size);
        sni_write_align(&out, 4, 0);
    } else {
        gltf_write_json(&m->doc, &out, true);
    }
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, as_glb ? "glb" : "gltf");
    bool is_saved = !out.failed && sni_file_write(path, out.data, out.size, &m->diag);
    if (is_saved && !as_glb) {
        snprintf(path, sizeof path, "%s/%s", folder, bin_name);
        is_saved = sni_file_write(path, m->bin.data, m->bin.size, &m->diag);
    }
    if (!is_saved) fprintf(stderr, "%s: %s\n", path, m->diag.error.message);
    sni_writer_free(&out);
    return is_saved;
}
