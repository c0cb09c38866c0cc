// Primitives to meshes: attributes to plain arrays, strips and fans to lists, morph targets, influences.
#include <string.h>

#include "format/gltf/gltf_build.h"

enum { MOST_SETS = 64 };  // of texture coordinates, colours or influences; what lies beyond is left out

// "TEXCOORD_12" is set 12 of "TEXCOORD_"; -1: not of that kind.
static int32_t set_number(const char *name, const char *kind)
{
    size_t size = strlen(kind);
    if (strncmp(name, kind, size) != 0 || name[size] < '0' || name[size] > '9') return -1;
    if (name[size] == '0' && name[size + 1]) return -1;  // a leading zero
    int32_t number = 0;
    for (const char *at = name + size; *at; at++) {
        if (*at < '0' || *at > '9' || number > 100000) return -1;
        number = number * 10 + (*at - '0');
    }
    return number;
}

static int32_t find_attribute(const gltf_attributes *attributes, const char *name)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (strcmp(attributes->items[i].name, name) == 0) return attributes->items[i].accessor;
    }
    return -1;
}

static int32_t find_set(const gltf_attributes *attributes, const char *kind, int32_t set)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (set_number(attributes->items[i].name, kind) == set) return attributes->items[i].accessor;
    }
    return -1;
}

static uint32_t count_sets(const gltf_attributes *attributes, const char *kind)
{
    int32_t highest = -1;
    for (uint32_t i = 0; i < attributes->count; i++) {
        int32_t set = set_number(attributes->items[i].name, kind);
        if (set > highest && set < MOST_SETS && attributes->items[i].accessor >= 0) highest = set;
    }
    return (uint32_t)(highest + 1);
}

static void warn_attribute(sni_load *load, const gltf_doc *doc, const char *name, int32_t accessor, const char *what)
{
    sni_enter(&load->diag, name, -1);
    sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, doc->accessors[accessor].object.offset, "%s", what);
    sni_leave(&load->diag);
}

// An attribute as floats, `width` per vertex; NULL when it is absent, unusable or of another length.
static const void *read_attribute(sni_load *load, const gltf_doc *doc, const char *name, int32_t index, uint32_t width,
                                  uint32_t vertex_count)
{
    if (index < 0 || !sni_load_ok(load)) return NULL;
    const gltf_accessor *accessor = &doc->accessors[index];
    uint32_t present = gltf_components(accessor->type);
    if (accessor->count != vertex_count || present != width) {
        warn_attribute(load, doc, name, index,
                       present != width ? "not of the type it must be; ignored" : "not one for each vertex; ignored");
        return NULL;
    }
    return gltf_give_floats(load, doc, index, width);
}

static void lint_colors(sni_load *load, const gltf_doc *doc, int32_t index, const float *colors, uint64_t count)
{
    bool is_outside = false;
    for (uint64_t i = 0; colors && i < count; i++) is_outside = is_outside || !(colors[i] >= 0.0f && colors[i] <= 1.0f);
    if (is_outside) warn_attribute(load, doc, "COLOR", index, "outside 0 to 1");
}

static const sn_vec4 *read_colors(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t vertex_count)
{
    if (index < 0) return NULL;
    uint32_t width = doc->accessors[index].type == GLTF_VEC3 ? 3 : 4;
    const float *given = read_attribute(load, doc, "COLOR", index, width, vertex_count);
    if (load->lint) lint_colors(load, doc, index, given, (uint64_t)vertex_count * width);
    if (!given || width == 4) return (const sn_vec4 *)given;
    sn_vec4 *colors = sni_new_raw(&load->keep, sn_vec4, vertex_count);
    for (uint32_t i = 0; colors && i < vertex_count; i++)
        colors[i] = (sn_vec4){ given[(size_t)i * 3], given[(size_t)i * 3 + 1], given[(size_t)i * 3 + 2], 1.0f };
    return colors;
}

static void warn_gap(sni_load *load, const char *kind, uint32_t set)
{
    sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%s_%u is missing below a higher one", kind, set);
}

static bool read_sets(sni_load *load, const gltf_doc *doc, const gltf_attributes *attributes, sn_mesh *mesh)
{
    uint32_t uv_count = count_sets(attributes, "TEXCOORD_"), color_count = count_sets(attributes, "COLOR_");
    const sn_vec2 **uvs = sni_new(&load->keep, const sn_vec2 *, uv_count);
    const sn_vec4 **colors = sni_new(&load->keep, const sn_vec4 *, color_count);
    if (!uvs || !colors) return false;
    for (uint32_t i = 0; i < uv_count; i++) {
        int32_t accessor = find_set(attributes, "TEXCOORD_", (int32_t)i);
        if (accessor < 0) warn_gap(load, "TEXCOORD", i);
        uvs[i] = read_attribute(load, doc, "TEXCOORD", accessor, 2, mesh->vertex_count);
    }
    for (uint32_t i = 0; i < color_count; i++) {
        int32_t accessor = find_set(attributes, "COLOR_", (int32_t)i);
        if (accessor < 0) warn_gap(load, "COLOR", i);
        colors[i] = read_colors(load, doc, accessor, mesh->vertex_count);
    }
    mesh->uvs = uvs;
    mesh->uv_count = uv_count;
    mesh->colors = colors;
    mesh->color_count = color_count;
    return sni_load_ok(load);
}

// One set of four joints and weights per vertex into its columns.
static bool read_influence_set(sni_load *load, const gltf_doc *doc, int32_t joints, int32_t weights, sn_mesh *mesh,
                               uint32_t column)
{
    uint32_t count = mesh->vertex_count, stride = mesh->influence_count;
    uint16_t *joints_out = sni_mut(uint16_t, mesh->vertex_joints);
    float *weights_out = sni_mut(float, mesh->vertex_weights);
    uint32_t *indices = sni_new_raw(&load->scratch, uint32_t, (uint64_t)count * 4);
    float *values = sni_new_raw(&load->scratch, float, (uint64_t)count * 4);
    if (!indices || !values || !gltf_read_integers(load, doc, joints, 4, indices) ||
        !gltf_read_floats(load, doc, weights, 4, values))
        return sni_load_ok(load);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            uint64_t at = (uint64_t)i * stride + column + c;
            uint32_t joint = indices[(size_t)i * 4 + c];
            joints_out[at] = (uint16_t)(joint < UINT16_MAX ? joint : UINT16_MAX);
            weights_out[at] = values[(size_t)i * 4 + c];
        }
    }
    return true;
}

static bool is_influence(const gltf_doc *doc, int32_t accessor, uint32_t vertex_count)
{
    return accessor >= 0 && doc->accessors[accessor].type == GLTF_VEC4 &&
           doc->accessors[accessor].count == vertex_count;
}

static bool read_influences(sni_load *load, const gltf_doc *doc, const gltf_attributes *attributes, sn_mesh *mesh)
{
    uint32_t joint_sets = count_sets(attributes, "JOINTS_"), weight_sets = count_sets(attributes, "WEIGHTS_");
    uint32_t sets = joint_sets < weight_sets ? joint_sets : weight_sets;
    if (joint_sets != weight_sets) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%u sets of joints but %u of weights", joint_sets,
                 weight_sets);
    }
    if (sets == 0) return true;
    uint64_t total = (uint64_t)mesh->vertex_count * sets * 4;
    mesh->vertex_joints = sni_new(&load->keep, uint16_t, total);
    mesh->vertex_weights = sni_new(&load->keep, float, total);
    mesh->influence_count = sets * 4;
    if (!mesh->vertex_joints || !mesh->vertex_weights) return false;
    for (uint32_t set = 0; set < sets; set++) {
        int32_t joints = find_set(attributes, "JOINTS_", (int32_t)set);
        int32_t weights = find_set(attributes, "WEIGHTS_", (int32_t)set);
        if (!is_influence(doc, joints, mesh->vertex_count) || !is_influence(doc, weights, mesh->vertex_count)) {
            sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "set %u of joints and weights is not usable", set);
            continue;
        }
        if (!read_influence_set(load, doc, joints, weights, mesh, set * 4)) return false;
    }
    return true;
}

static bool read_morphs(sni_load *load, const gltf_doc *doc, const gltf_mesh *source, const gltf_primitive *primitive,
                        sn_mesh *mesh)
{
    sn_morph *morphs = sni_new(&load->keep, sn_morph, primitive->target_count);
    if (!morphs) return false;
    for (uint32_t i = 0; i < primitive->target_count; i++) {
        const gltf_attributes *target = &primitive->targets[i];
        uint32_t count = mesh->vertex_count;
        sni_enter(&load->diag, "targets", i);
        morphs[i].name = i < source->target_names.count ? source->target_names.items[i] : "";
        int32_t position = find_attribute(target, "POSITION");
        int32_t normal = mesh->normals ? find_attribute(target, "NORMAL") : -1;
        int32_t tangent = mesh->tangents ? find_attribute(target, "TANGENT") : -1;
        morphs[i].positions = read_attribute(load, doc, "POSITION", position, 3, count);
        morphs[i].normals = read_attribute(load, doc, "NORMAL", normal, 3, count);
        morphs[i].tangents = read_attribute(load, doc, "TANGENT", tangent, 3, count);
        if (count_sets(target, "TEXCOORD_") + count_sets(target, "COLOR_") > 0)
            sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, primitive->object.offset, "morphed colours or coordinates");
        sni_leave(&load->diag);
    }
    mesh->morphs = morphs;
    mesh->morph_count = primitive->target_count;
    return sni_load_ok(load);
}

// How many indices a list of triangles or lines needs for what the mode says with `count`.
static uint64_t listed_count(uint32_t mode, uint32_t count)
{
    switch (mode) {
    case GLTF_LINE_LOOP: return count > 1 ? (uint64_t)count * 2 : 0;
    case GLTF_LINE_STRIP: return count > 1 ? (uint64_t)(count - 1) * 2 : 0;
    case GLTF_TRIANGLE_STRIP:
    case GLTF_TRIANGLE_FAN: return count > 2 ? (uint64_t)(count - 2) * 3 : 0;
    default: return count;
    }
}

static void list_lines(const uint32_t *in, uint64_t lines, uint32_t count, uint32_t *out)
{
    for (uint64_t i = 0; i < lines; i++) {
        out[2 * i] = in[i];
        out[2 * i + 1] = in[i + 1 < count ? i + 1 : 0];
    }
}

static void list_triangles(const uint32_t *in, uint64_t triangles, bool is_fan, uint32_t *out)
{
    for (uint64_t i = 0; i < triangles; i++) {
        bool is_odd = !is_fan && i % 2;
        out[3 * i] = is_fan ? in[i + 1] : in[i];
        out[3 * i + 1] = is_fan ? in[i + 2] : is_odd ? in[i + 2] : in[i + 1];
        out[3 * i + 2] = is_fan ? in[0] : is_odd ? in[i + 1] : in[i + 2];
    }
}

// The highest number of the type would restart the primitive, which glTF does not allow.
static void warn_restart(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, const uint32_t *indices)
{
    const gltf_accessor *accessor = &doc->accessors[primitive->indices];
    uint32_t bytes = gltf_component_bytes(accessor->component_type), restart = UINT32_MAX >> (32 - 8 * bytes),
             found = 0;
    for (uint32_t i = 0; i < accessor->count; i++) found |= indices[i] == restart;  // no branch: made wide
    if (found)
        sni_warn(&load->diag, SNI_WARN_INDEX_RANGE, primitive->object.offset, "%u would restart the primitive",
                 restart);
}

static bool is_index_list(const gltf_accessor *accessor)
{
    return accessor->type == GLTF_SCALAR &&
           (accessor->component_type == GLTF_U8 || accessor->component_type == GLTF_U16 ||
            accessor->component_type == GLTF_U32);
}

static const uint32_t *count_up(sni_arena *arena, uint32_t count)
{
    uint32_t *numbers = sni_new_raw(arena, uint32_t, count);
    for (uint32_t i = 0; numbers && i < count; i++) numbers[i] = i;
    return numbers;
}

// As the file gives them; NULL when they are not usable (warned of) or the load has failed.
static const uint32_t *given_indices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive,
                                     uint32_t vertex_count)
{
    if (primitive->indices < 0) return count_up(&load->keep, vertex_count);
    bool is_list = is_index_list(&doc->accessors[primitive->indices]);
    const uint32_t *given = is_list ? gltf_give_integers(load, doc, primitive->indices, 1) : NULL;
    if (given) warn_restart(load, doc, primitive, given);
    else if (sni_load_ok(load))
        sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset, "its indices are not usable");
    return given;
}

// Strips, fans and loops as plain lists.
static const uint32_t *list_indices(sni_load *load, uint32_t mode, const uint32_t *given, uint32_t count,
                                    uint64_t listed)
{
    if (mode == GLTF_POINTS || mode == GLTF_LINES || mode == GLTF_TRIANGLES) return given;
    uint32_t *out = sni_new_raw(&load->keep, uint32_t, listed);
    if (!out) return NULL;
    if (mode == GLTF_LINE_LOOP || mode == GLTF_LINE_STRIP) list_lines(given, listed / 2, count, out);
    else list_triangles(given, listed / 3, mode == GLTF_TRIANGLE_FAN, out);
    return out;
}

static sn_topology topology_of(uint32_t mode)
{
    if (mode == GLTF_POINTS) return SN_POINTS;
    return mode == GLTF_LINES || mode == GLTF_LINE_LOOP || mode == GLTF_LINE_STRIP ? SN_LINES : SN_TRIANGLES;
}

static bool read_indices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, sn_mesh *mesh)
{
    uint32_t count = primitive->indices >= 0 ? doc->accessors[primitive->indices].count : mesh->vertex_count;
    uint64_t listed = listed_count(primitive->mode, count);
    const uint32_t *given = given_indices(load, doc, primitive, mesh->vertex_count);
    if (!given) return false;
    if (count > 0 && listed == 0)
        sni_warn(&load->diag, SNI_WARN_INDEX_COUNT, primitive->object.offset, "%u are too few for mode %u", count,
                 primitive->mode);
    mesh->topology = topology_of(primitive->mode);
    mesh->indices = list_indices(load, primitive->mode, given, count, listed);
    mesh->index_count = (uint32_t)listed;
    return mesh->indices != NULL;
}

static bool read_vertices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, sn_mesh *mesh)
{
    const gltf_attributes *attributes = &primitive->attributes;
    int32_t position = find_attribute(attributes, "POSITION");
    mesh->vertex_count = position >= 0 ? doc->accessors[position].count : 0;
    mesh->positions = read_attribute(load, doc, "POSITION", position, 3, mesh->vertex_count);
    if (!mesh->positions || mesh->vertex_count == 0) {
        if (sni_load_ok(load))
            sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset, "no usable positions; left out");
        return false;
    }
    int32_t normal = find_attribute(attributes, "NORMAL"), tangent = find_attribute(attributes, "TANGENT");
    mesh->normals = read_attribute(load, doc, "NORMAL", normal, 3, mesh->vertex_count);
    if (mesh->normals) mesh->tangents = read_attribute(load, doc, "TANGENT", tangent, 4, mesh->vertex_count);
    return read_sets(load, doc, attributes, mesh) && read_influences(load, doc, attributes, mesh);
}

static bool same_attributes(const gltf_attributes *a, const gltf_attributes *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].accessor != b->items[i].accessor || strcmp(a->items[i].name, b->items[i].name) != 0)
            return false;
    }
    return true;
}

// Many exporters cut one set of vertices into primitives by index: those share the arrays.
static bool share_vertices(const gltf_mesh *source, uint32_t index, const int32_t *built, const sn_mesh *meshes,
                           sn_mesh *mesh)
{
    for (uint32_t i = index; i-- > 0 && index - i <= 32;) {
        if (built[i] < 0 || !same_attributes(&source->primitives[i].attributes, &source->primitives[index].attributes))
            continue;
        const sn_mesh *twin = &meshes[built[i]];
        if (twin->morph_count > 0 || source->primitives[index].target_count > 0) continue;
        *mesh = *twin;
        return true;
    }
    return false;
}

// False when the primitive is not usable (warned of) or the load has failed.
static bool build_primitive(sni_load *load, const gltf_doc *doc, const gltf_mesh *source, uint32_t index,
                            const int32_t *built, const sn_mesh *meshes, uint32_t joint_count, sn_mesh *mesh)
{
    const gltf_primitive *primitive = &source->primitives[index];
    *mesh = (sn_mesh){ .topology = SN_TRIANGLES };
    if (primitive->is_left_out) return false;
    if (primitive->mode > GLTF_TRIANGLE_FAN || primitive->is_broken) {
        sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset,
                 primitive->is_broken ? "no usable indices; left out" : "an unknown mode; left out");
        return false;
    }
    bool is_shared = share_vertices(source, index, built, meshes, mesh);
    if (!is_shared && !read_vertices(load, doc, primitive, mesh)) return false;
    mesh->name = source->object.name;
    mesh->extras = source->object.extras;
    return read_indices(load, doc, primitive, mesh) && read_morphs(load, doc, source, primitive, mesh) &&
           sni_finish_mesh(load, mesh, joint_count, primitive->object.offset);
}

// The joints of the largest skin that bends each mesh; 0 where none does.
static uint32_t *count_joints(sni_load *load, const gltf_doc *doc)
{
    uint32_t *counts = sni_new(&load->scratch, uint32_t, doc->mesh_count);
    for (uint32_t i = 0; counts && i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        if (node->mesh < 0 || node->skin < 0) continue;
        uint32_t joints = doc->skins[node->skin].joints.count, *count = &counts[node->mesh];
        if (joints > *count) *count = joints;
    }
    return counts;
}

static uint64_t count_primitives(const gltf_doc *doc)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) total += doc->meshes[i].primitive_count;
    return total;
}

bool gltf_build_meshes(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_range *ranges, int32_t **materials)
{
    uint64_t total = count_primitives(doc);
    uint32_t *joint_counts = count_joints(load, doc), count = 0;
    sn_mesh *meshes = sni_new(&load->keep, sn_mesh, total);
    int32_t *built = sni_new_raw(&load->scratch, int32_t, total);  // of the present glTF mesh: which is which
    *materials = sni_new(&load->scratch, int32_t, total);
    if (!joint_counts || !meshes || !built || !*materials) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const gltf_mesh *source = &doc->meshes[i];
        ranges[i].first = count;
        sni_enter(&load->diag, "meshes", i);
        for (uint32_t p = 0; p < source->primitive_count && sni_load_ok(load); p++) {
            sni_enter(&load->diag, "primitives", p);
            bool is_good = build_primitive(load, doc, source, p, built, meshes, joint_counts[i], &meshes[count]);
            built[p] = is_good ? (int32_t)count : -1;
            if (is_good) (*materials)[count++] = source->primitives[p].material;
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
        ranges[i].count = count - ranges[i].first;
    }
    model->meshes = meshes;
    model->mesh_count = count;
    return sni_load_ok(load);
}
