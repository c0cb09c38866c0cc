// Primitives to meshes: attributes to plain arrays, strips and fans to lists, morph targets, influences.
#include <string.h>

#include "format/gltf/gltf_build.h"
#include "model/sanitize.h"

// The accessor of set `set` of a semantic; -1: none.
static int32_t find_set(const gltf_attributes *attributes, gltf_semantic semantic, uint32_t set)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        const gltf_attribute *attribute = &attributes->items[i];
        if (attribute->semantic == semantic && attribute->set == set) return attribute->accessor;
    }
    return -1;
}

static int32_t find_attribute(const gltf_attributes *attributes, gltf_semantic semantic)
{
    return find_set(attributes, semantic, 0);
}

static uint32_t count_sets(const gltf_attributes *attributes, gltf_semantic semantic)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const gltf_attribute *attribute = &attributes->items[i];
        if (attribute->semantic == semantic && attribute->set >= count && attribute->accessor >= 0)
            count = attribute->set + 1u;
    }
    return count;
}

// An attribute as floats, `width` per vertex; NULL when it is absent, unusable or of another length.
static const void *read_attribute(sni_load *load, const gltf_doc *doc, const char *name, int32_t index, uint32_t width,
                                  uint32_t vertex_count)
{
    if (index < 0 || !sni_load_ok(load)) return NULL;
    const gltf_accessor *accessor = &doc->accessors[index];
    uint32_t present = gltf_components(accessor->type);
    if (accessor->count != vertex_count || present != width) {
        gltf_warn(load, name, SNI_WARN_GLTF_ATTRIBUTE, accessor->object.offset,
                  present != width ? "of the wrong type; ignored" : "not one for each vertex; ignored");
        return NULL;
    }
    return gltf_take_floats(load, doc, index, width);
}

static const sn_vec4 *read_colors(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t vertex_count)
{
    if (index < 0) return NULL;
    uint32_t width = doc->accessors[index].type == GLTF_VEC3 ? 3 : 4;
    const float *given = read_attribute(load, doc, "COLOR", index, width, vertex_count);
    bool is_outside = false;
    for (uint64_t i = 0; load->lint && given && i < (uint64_t)vertex_count * width; i++)
        is_outside = is_outside || !(given[i] >= 0.0f && given[i] <= 1.0f);
    if (is_outside)
        gltf_warn(load, "COLOR", SNI_WARN_GLTF_ATTRIBUTE, doc->accessors[index].object.offset, "outside 0 to 1");
    if (!given || width == 4) return (const sn_vec4 *)given;
    sn_vec4 *colors = sni_new_raw(&load->keep, sn_vec4, vertex_count);
    for (uint32_t i = 0; colors && i < vertex_count; i++)
        colors[i] = (sn_vec4){ given[(size_t)i * 3], given[(size_t)i * 3 + 1], given[(size_t)i * 3 + 2], 1.0f };
    return colors;
}

static void warn_gap(sni_load *load, const char *kind, uint32_t set)
{
    sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%s_%u is missing, but a higher set exists", kind, set);
}

static bool read_sets(sni_load *load, const gltf_doc *doc, const gltf_attributes *attributes, sn_mesh *mesh)
{
    uint32_t uv_count = count_sets(attributes, GLTF_TEXCOORDS), color_count = count_sets(attributes, GLTF_COLORS);
    const sn_vec2 **uvs = sni_new(&load->keep, const sn_vec2 *, uv_count);
    const sn_vec4 **colors = sni_new(&load->keep, const sn_vec4 *, color_count);
    if (!uvs || !colors) return false;
    for (uint32_t i = 0; i < uv_count; i++) {
        int32_t accessor = find_set(attributes, GLTF_TEXCOORDS, i);
        if (accessor < 0) warn_gap(load, "TEXCOORD", i);
        uvs[i] = read_attribute(load, doc, "TEXCOORD", accessor, 2, mesh->vertex_count);
    }
    for (uint32_t i = 0; i < color_count; i++) {
        int32_t accessor = find_set(attributes, GLTF_COLORS, i);
        if (accessor < 0) warn_gap(load, "COLOR", i);
        colors[i] = read_colors(load, doc, accessor, mesh->vertex_count);
    }
    mesh->uvs = uvs;
    mesh->uv_count = uv_count;
    mesh->colors = colors;
    mesh->color_count = color_count;
    return sni_load_ok(load);
}

// One set of four joints and weights per vertex into its columns. What cannot be read is 0.
static bool read_influence_set(sni_load *load, const gltf_doc *doc, int32_t joints, int32_t weights, sn_mesh *mesh,
                               uint32_t column)
{
    const uint32_t count = mesh->vertex_count, stride = mesh->influence_count;
    const bool is_only = stride == 4;
    uint16_t *joints_out = sni_mut(uint16_t, mesh->vertex_joints), *numbers = joints_out;
    float *weights_out = sni_mut(float, mesh->vertex_weights), *values = weights_out;
    if (!is_only) {
        numbers = sni_new_raw(&load->scratch, uint16_t, (uint64_t)count * 4);
        values = sni_new_raw(&load->scratch, float, (uint64_t)count * 4);
    }
    if (!numbers || !values) return false;
    if (!gltf_read_joints(load, doc, joints, numbers) || !gltf_read_floats(load, doc, weights, 4, values)) {
        if (!sni_load_ok(load)) return false;
        memset(numbers, 0, (size_t)count * 4 * sizeof *numbers);
        memset(values, 0, (size_t)count * 4 * sizeof *values);
    }
    for (uint32_t i = 0; !is_only && i < count; i++) {
        memcpy(joints_out + (size_t)i * stride + column, numbers + (size_t)i * 4, 4 * sizeof *numbers);
        memcpy(weights_out + (size_t)i * stride + column, values + (size_t)i * 4, 4 * sizeof *values);
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
    uint32_t joint_sets = count_sets(attributes, GLTF_JOINTS), weight_sets = count_sets(attributes, GLTF_JOINT_WEIGHTS);
    uint32_t sets = joint_sets < weight_sets ? joint_sets : weight_sets;
    if (joint_sets != weight_sets) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%u sets of joints, but %u of weights", joint_sets,
                 weight_sets);
    }
    if (sets == 0) return true;
    uint64_t total = (uint64_t)mesh->vertex_count * sets * 4;
    uint16_t *all_joints = sni_new_raw(&load->keep, uint16_t, total);
    float *all_weights = sni_new_raw(&load->keep, float, total);
    mesh->vertex_joints = all_joints;
    mesh->vertex_weights = all_weights;
    mesh->influence_count = sets * 4;
    if (!all_joints || !all_weights) return false;
    for (uint32_t set = 0; set < sets; set++) {
        int32_t joints = find_set(attributes, GLTF_JOINTS, set);
        int32_t weights = find_set(attributes, GLTF_JOINT_WEIGHTS, set);
        if (!is_influence(doc, joints, mesh->vertex_count) || !is_influence(doc, weights, mesh->vertex_count)) {
            sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "set %u of joints and weights is not usable", set);
            for (uint64_t i = 0; i < total; i += (uint64_t)sets * 4) {
                memset(all_joints + i + (size_t)set * 4, 0, 4 * sizeof *all_joints);
                memset(all_weights + i + (size_t)set * 4, 0, 4 * sizeof *all_weights);
            }
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
        int32_t position = find_attribute(target, GLTF_POSITIONS);
        int32_t normal = mesh->normals ? find_attribute(target, GLTF_NORMALS) : -1;
        int32_t tangent = mesh->tangents ? find_attribute(target, GLTF_TANGENTS) : -1;
        morphs[i].positions = read_attribute(load, doc, "POSITION", position, 3, count);
        morphs[i].normals = read_attribute(load, doc, "NORMAL", normal, 3, count);
        morphs[i].tangents = read_attribute(load, doc, "TANGENT", tangent, 3, count);
        if (count_sets(target, GLTF_TEXCOORDS) + count_sets(target, GLTF_COLORS) > 0)
            sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, primitive->object.offset,
                     "morphed colours or texture coordinates");
        sni_leave(&load->diag);
    }
    mesh->morphs = morphs;
    mesh->morph_count = primitive->target_count;
    return sni_load_ok(load);
}

// The largest number of the type would restart the primitive, which glTF does not allow.
static void warn_restart(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, const uint32_t *indices)
{
    const gltf_accessor *accessor = &doc->accessors[primitive->indices];
    uint32_t restart = UINT32_MAX >> (32 - 8 * gltf_component_bytes(accessor->component_type)), found = 0;
    for (uint32_t i = 0; i < accessor->count; i++) found |= indices[i] == restart;  // no branch: vectorized
    if (found)
        sni_warn(&load->diag, SNI_WARN_INDEX_RANGE, primitive->object.offset, "index %u would restart the primitive",
                 restart);
}

// The indices of the file, or 0, 1, 2... without any. NULL: not usable (reported), or the load has failed.
static const uint32_t *take_indices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive,
                                    uint32_t vertex_count)
{
    if (primitive->indices < 0) {
        uint32_t *numbers = sni_new_raw(&load->keep, uint32_t, vertex_count);
        for (uint32_t i = 0; numbers && i < vertex_count; i++) numbers[i] = i;
        return numbers;
    }
    const gltf_accessor *accessor = &doc->accessors[primitive->indices];
    bool is_list = accessor->type == GLTF_SCALAR && gltf_is_unsigned(accessor->component_type);
    const uint32_t *given = is_list ? gltf_take_integers(load, doc, primitive->indices, 1) : NULL;
    if (given) warn_restart(load, doc, primitive, given);
    else if (sni_load_ok(load))
        sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset, "its indices are not usable");
    return given;
}

// Strips, fans and loops become plain lists.
static bool read_indices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, sn_mesh *mesh)
{
    uint32_t mode = primitive->mode;
    uint64_t count = primitive->indices >= 0 ? doc->accessors[primitive->indices].count : mesh->vertex_count;
    bool is_line_chain = mode == GLTF_LINE_LOOP || mode == GLTF_LINE_STRIP;
    bool is_fan = mode == GLTF_TRIANGLE_FAN, is_strip_or_fan = mode == GLTF_TRIANGLE_STRIP || is_fan;
    const uint32_t *in = take_indices(load, doc, primitive, mesh->vertex_count);
    if (!in) return false;
    uint64_t lines = !is_line_chain || count < 2 ? 0 : mode == GLTF_LINE_LOOP ? count : count - 1;
    uint64_t triangles = !is_strip_or_fan || count < 3 ? 0 : count - 2;
    uint64_t listed = is_line_chain ? lines * 2 : is_strip_or_fan ? triangles * 3 : count;
    if (count > 0 && listed == 0)
        sni_warn(&load->diag, SNI_WARN_INDEX_COUNT, primitive->object.offset, "%llu are too few for mode %u",
                 (unsigned long long)count, mode);
    mesh->topology = mode == GLTF_POINTS ? SN_POINTS : mode == GLTF_LINES || is_line_chain ? SN_LINES : SN_TRIANGLES;
    mesh->index_count = (uint32_t)listed;
    mesh->indices = in;
    if (!is_line_chain && !is_strip_or_fan) return true;
    uint32_t *out = sni_new_raw(&load->keep, uint32_t, listed);
    if (!out) return false;
    mesh->indices = out;
    for (uint64_t i = 0; i < lines; i++, out += 2) {
        out[0] = in[i];
        out[1] = in[i + 1 < count ? i + 1 : 0];
    }
    for (uint64_t i = 0; i < triangles; i++, out += 3) {
        bool is_odd = !is_fan && i % 2;
        out[0] = is_fan ? in[i + 1] : in[i];
        out[1] = is_fan || is_odd ? in[i + 2] : in[i + 1];
        out[2] = is_fan ? in[0] : is_odd ? in[i + 1] : in[i + 2];
    }
    return true;
}

static bool read_vertices(sni_load *load, const gltf_doc *doc, const gltf_primitive *primitive, sn_mesh *mesh)
{
    const gltf_attributes *attributes = &primitive->attributes;
    int32_t position = find_attribute(attributes, GLTF_POSITIONS);
    mesh->vertex_count = position >= 0 ? doc->accessors[position].count : 0;
    mesh->positions = read_attribute(load, doc, "POSITION", position, 3, mesh->vertex_count);
    if (!mesh->positions || mesh->vertex_count == 0) {
        if (sni_load_ok(load))
            sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset, "no usable positions; left out");
        return false;
    }
    int32_t normal = find_attribute(attributes, GLTF_NORMALS), tangent = find_attribute(attributes, GLTF_TANGENTS);
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

// Many exporters split one set of vertices into primitives by index: those share the arrays.
static bool share_vertices(const gltf_mesh *source, uint32_t index, const int32_t *mesh_of, const sn_mesh *meshes,
                           sn_mesh *mesh)
{
    for (uint32_t i = index; i-- > 0 && index - i <= 32;) {
        if (mesh_of[i] < 0 ||
            !same_attributes(&source->primitives[i].attributes, &source->primitives[index].attributes))
            continue;
        const sn_mesh *other = &meshes[mesh_of[i]];
        if (other->morph_count > 0 || source->primitives[index].target_count > 0) continue;
        *mesh = *other;
        return true;
    }
    return false;
}

// What saving joined has its own name, which it wrote first, and extras.
static void read_own_name(sni_load *load, const char *extras, sn_mesh *mesh)
{
    static const char mark[] = "{\"" GLTF_NAME_MARK "\":";
    sni_str key;
    if (!extras || strncmp(extras, mark, sizeof mark - 1) != 0) return;
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, load->limits.depth, &load->diag,
                                  &load->keep);
    sni_json_enter_object(&json);
    if (!sni_json_next_key(&json, &key) || sni_json_peek(&json) != SNI_JSON_STRING) return;
    mesh->name = sni_json_string(&json, NULL);
    const size_t size = strlen(json.at);  // of ",\"key\":1}" or "}"
    char *own = *json.at == ',' ? sni_new_raw(&load->keep, char, size + 1) : NULL;
    if (own) memcpy(own, json.at, size + 1), own[0] = '{';
    mesh->extras = own;
}

// False when the primitive is not usable (reported) or the load has failed.
static bool build_primitive(sni_load *load, const gltf_doc *doc, sni_builder *b, const gltf_mesh *source,
                            uint32_t index, const int32_t *mesh_of, uint32_t joint_count, sn_mesh *mesh)
{
    const gltf_primitive *primitive = &source->primitives[index];
    *mesh = (sn_mesh){ .topology = SN_TRIANGLES };
    if (primitive->is_left_out) return false;
    if (primitive->mode > GLTF_TRIANGLE_FAN || primitive->object.is_broken) {
        sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset,
                 primitive->object.is_broken ? "no usable indices; left out" : "an unknown mode; left out");
        return false;
    }
    bool is_shared = share_vertices(source, index, mesh_of, b->meshes.items, mesh);
    if (!is_shared && !read_vertices(load, doc, primitive, mesh)) return false;
    mesh->name = source->object.name;
    mesh->extras = source->object.extras;
    read_own_name(load, primitive->object.extras, mesh);
    return read_indices(load, doc, primitive, mesh) && read_morphs(load, doc, source, primitive, mesh) &&
           sni_sanitize_mesh(b, mesh, joint_count, primitive->object.offset);
}

bool gltf_build_meshes(sni_load *load, const gltf_doc *doc, sni_builder *b, gltf_built *built)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) total += doc->meshes[i].primitive_count;
    uint32_t *joint_counts = sni_new(&load->scratch, uint32_t, doc->mesh_count), count = 0;
    sn_mesh *meshes = sni_builder_meshes(b, total);
    int32_t *mesh_of = sni_new_raw(&load->scratch, int32_t, total);  // of the primitives of one glTF mesh
    built->materials = sni_new(&load->scratch, int32_t, total);
    if (!joint_counts || !meshes || !mesh_of || !built->materials) return false;

    // How many joints the vertices of each mesh may refer to: those of the largest skin that it is shown with.
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        if (node->mesh < 0 || node->skin < 0) continue;
        uint32_t joints = doc->skins[node->skin].joints.count, *most = &joint_counts[node->mesh];
        if (joints > *most) *most = joints;
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        const gltf_mesh *source = &doc->meshes[i];
        built->meshes[i].first = count;
        sni_enter(&load->diag, "meshes", i);
        for (uint32_t p = 0; p < source->primitive_count && sni_load_ok(load); p++) {
            sni_enter(&load->diag, "primitives", p);
            bool is_good = build_primitive(load, doc, b, source, p, mesh_of, joint_counts[i], &meshes[count]);
            mesh_of[p] = is_good ? (int32_t)count : -1;
            if (is_good) built->materials[count++] = source->primitives[p].material;
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
        built->meshes[i].count = count - built->meshes[i].first;
    }
    b->meshes.count = count;  // without the primitives that were left out
    return sni_load_ok(load);
}
