// Geosets to meshes and parts, one each, with one skin for all of them; geoset animations to colour, alpha and
// visibility tracks of the parts.
#include <stdio.h>
#include <string.h>

#include "format/mdx/mdx_build.h"
#include "model/sanitize.h"
#include "model/track.h"

enum { MAX_LODS = 32, GROUPS = 256, MAX_INFLUENCES = 32 };  // real groups have up to 8 nodes

// Vertices

// Large arrays are used in place when the file's bytes are aligned and stay in memory.
static const float *read_floats(mdx_builder *b, const uint8_t *at, uint64_t count)
{
    bool is_usable = sni_is_little_endian() && (uintptr_t)at % sizeof(float) == 0;
    if (is_usable && sni_load_lend(b->load, at, 4 * count)) return (const float *)(const void *)at;
    float *copy = sni_new_raw(&b->load->keep, float, count);
    if (copy) sni_load_words(at, copy, (size_t)count);
    return copy;
}

// An attribute that does not have a value for each vertex is left out.
static bool read_attribute(mdx_builder *b, const char *what, mdx_array array, uint32_t vertex_count, uint32_t width,
                           const void **out)
{
    if (array.count != vertex_count && (array.count > 0 || array.data))
        sni_warn(&b->load->diag, SNI_WARN_MDX_VERTEX_COUNT, 0, "%u %s for %u vertices", array.count, what,
                 vertex_count);
    if (array.count < vertex_count || vertex_count == 0) return true;
    *out = read_floats(b, array.data, (uint64_t)vertex_count * width);
    return *out != NULL;
}

static bool build_vertices(mdx_builder *b, const mdx_geoset *geoset, sn_mesh *mesh)
{
    const void *positions = NULL, *normals = NULL, *tangents = NULL;
    uint32_t count = mesh->vertex_count = geoset->positions.count;
    if (!read_attribute(b, "positions", geoset->positions, count, 3, &positions) ||
        !read_attribute(b, "normals", geoset->normals, count, 3, &normals) ||
        !read_attribute(b, "tangents", geoset->tangents, count, 4, &tangents))
        return false;
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->tangents = tangents;

    const sn_vec2 **uvs = sni_new(&b->load->keep, const sn_vec2 *, geoset->uv_count);
    if (!uvs) return false;
    for (uint32_t i = 0; i < geoset->uv_count; i++) {
        const void *set = NULL;
        if (!read_attribute(b, "texture coordinates", geoset->uvs[i], count, 2, &set)) return false;
        uvs[i] = set;
        if (set) mesh->uv_count = i + 1;
    }
    mesh->uvs = uvs;
    return true;
}

// Faces

// Indices of one face group, and the list they are written to.
typedef struct face_output {
    const uint8_t *group;
    uint32_t *indices, count;
} face_output;

static inline void put_index(face_output *out, uint32_t i)
{
    out->indices[out->count++] = sni_load_u16(out->group + 2 * (size_t)i);
}

static void put_line(face_output *out, uint32_t a, uint32_t b) { put_index(out, a), put_index(out, b); }

static void put_triangle(face_output *out, uint32_t a, uint32_t b, uint32_t c)
{
    put_index(out, a), put_index(out, b), put_index(out, c);
}

static void put_list(face_output *out, uint32_t count)
{
    const uint8_t *at = out->group;
    uint32_t *indices = out->indices + out->count;
    for (uint32_t i = 0; i < count; i++) indices[i] = sni_load_u16(at + 2 * (size_t)i);
    out->count += count;
}

// Strips, fans, quads and polygons become lists.
static void put_face_group(face_output *out, mdx_face_type type, uint32_t count)
{
    switch (type) {
    case MDX_POINTS: put_list(out, count); break;
    case MDX_LINES: put_list(out, count - count % 2); break;
    case MDX_TRIANGLES: put_list(out, count - count % 3); break;
    case MDX_LINE_LOOP:
    case MDX_LINE_STRIP:
        for (uint32_t i = 0; i + 1 < count; i++) put_line(out, i, i + 1);
        if (type == MDX_LINE_LOOP && count > 2) put_line(out, count - 1, 0);
        break;
    case MDX_TRIANGLE_STRIP:
        for (uint32_t i = 0; i + 2 < count; i++) put_triangle(out, i + i % 2, i + 1 - i % 2, i + 2);
        break;
    case MDX_TRIANGLE_FAN:
    case MDX_POLYGON:
        for (uint32_t i = 1; i + 1 < count; i++) put_triangle(out, 0, i, i + 1);
        break;
    case MDX_QUADS:
        for (uint32_t i = 0; i + 3 < count; i += 4)
            put_triangle(out, i, i + 1, i + 2), put_triangle(out, i, i + 2, i + 3);
        break;
    case MDX_QUAD_STRIP:
        for (uint32_t i = 0; i + 3 < count; i += 2)
            put_triangle(out, i, i + 1, i + 3), put_triangle(out, i, i + 3, i + 2);
        break;
    default: break;
    }
}

static sn_topology topology_of(uint32_t type)
{
    return type == MDX_POINTS ? SN_POINTS : type <= MDX_LINE_STRIP ? SN_LINES : SN_TRIANGLES;
}

static uint32_t face_type_at(const mdx_builder *b, const mdx_geoset *geoset, uint32_t group)
{
    if (group >= geoset->face_types.count) return MDX_TRIANGLES;
    if (mdx_is_wow(b->doc)) return geoset->face_types.data[group];
    return sni_load_u32(geoset->face_types.data + 4 * (size_t)group);
}

// A mesh has one topology, that of the first group. Without groups all faces are triangles.
static bool build_faces(mdx_builder *b, const mdx_geoset *geoset, sn_mesh *mesh)
{
    sni_diag *diag = &b->load->diag;
    uint64_t offset = geoset->item.offset, lost = 0;
    uint32_t total = geoset->faces.count, group_count = geoset->face_counts.count, used = 0;

    // Strips and fans become up to three times as many indices.
    bool has_strips = false;
    for (uint32_t i = 0; i < group_count; i++) {
        uint32_t type = face_type_at(b, geoset, i);
        has_strips = has_strips || (type != MDX_POINTS && type != MDX_LINES && type != MDX_TRIANGLES);
    }
    uint64_t max_indices = (uint64_t)total * (has_strips ? 3 : 1);
    face_output out = { .group = geoset->faces.data, .indices = sni_new_raw(&b->load->keep, uint32_t, max_indices) };
    if (!out.indices) return false;
    if (max_indices > UINT32_MAX) return sni_fail(diag, SN_ERR_LIMIT, offset, "%u indices", total);

    mesh->topology = group_count > 0 ? topology_of(face_type_at(b, geoset, 0)) : SN_TRIANGLES;
    mesh->indices = out.indices;
    if (total == 0) return true;
    if (group_count == 0) {
        put_face_group(&out, MDX_TRIANGLES, total);
        used = total;
    }
    for (uint32_t i = 0; i < group_count; i++) {
        uint32_t count = sni_load_u32(geoset->face_counts.data + 4 * (size_t)i), rest = total - used;
        uint32_t type = face_type_at(b, geoset, i);
        if (count > rest) {
            sni_warn(diag, SNI_WARN_INDEX_COUNT, offset, "group %u has %u indices, %u remain", i, count, rest);
            count = rest;
        }
        out.group = geoset->faces.data + 2 * (size_t)used;
        used += count;
        if (type < MDX_FACE_TYPE_COUNT && topology_of(type) == mesh->topology)
            put_face_group(&out, (mdx_face_type)type, count);
        else lost++;
    }
    sni_warn_many(diag, SNI_WARN_LOST_CONTENT, lost, offset, "a face group has another topology than the first");
    if (used < total) sni_warn(diag, SNI_WARN_INDEX_COUNT, offset, "%u indices belong to no group", total - used);
    mesh->index_count = out.count;
    return true;
}

// The skin. Vertices are bound in one of two ways: each names a group of nodes with equal weights (Warcraft III and the
// alpha of World of Warcraft), or it has four bones and weights (Reforged).

typedef struct matrix_group {
    uint32_t first, size;  // in mdx_geoset.matrices
    uint32_t users;        // vertices
} matrix_group;

typedef struct group_table {
    matrix_group groups[GROUPS];
    uint32_t unbound;  // vertices whose group does not exist or is empty
    uint32_t largest;  // size of the largest group with users
    uint64_t cut;      // groups with too many nodes
} group_table;

static bool has_skin_weights(const mdx_geoset *geoset) { return geoset->skin.count >= MDX_SKIN_BYTES; }

static uint32_t skinned_vertex_count(const mdx_geoset *geoset)
{
    uint32_t count = geoset->skin.count / MDX_SKIN_BYTES;
    return count < geoset->positions.count ? count : geoset->positions.count;
}

// Counts the vertices of each group; vertices without an entry are in the first. Four tallies, because incrementing
// one counter twice in a row stalls.
static void count_group_users(const mdx_geoset *geoset, matrix_group *groups)
{
    uint32_t tallies[4][GROUPS] = { 0 }, total = geoset->positions.count, i = 0;
    uint32_t count = geoset->groups.count < total ? geoset->groups.count : total;
    for (; i + 4 <= count; i += 4)
        for (uint32_t k = 0; k < 4; k++) tallies[k][geoset->groups.data[i + k]]++;
    for (; i < count; i++) tallies[0][geoset->groups.data[i]]++;
    tallies[0][0] += total - count;
    for (uint32_t g = 0; g < GROUPS; g++)
        groups[g].users = tallies[0][g] + tallies[1][g] + tallies[2][g] + tallies[3][g];
}

static void read_groups(const mdx_geoset *geoset, group_table *table)
{
    uint32_t first = 0, total = geoset->matrices.count;
    memset(table, 0, sizeof *table);
    for (uint32_t i = 0; i < geoset->group_sizes.count && i < GROUPS; i++) {
        uint32_t size = sni_load_u32(geoset->group_sizes.data + 4 * (size_t)i), rest = total - first;
        if (size > rest || size > MAX_INFLUENCES) table->cut++;
        size = size < rest ? size : rest;
        table->groups[i].first = first;
        table->groups[i].size = size < MAX_INFLUENCES ? size : MAX_INFLUENCES;
        first += size;
    }
    count_group_users(geoset, table->groups);
    for (const matrix_group *g = table->groups; g < table->groups + GROUPS; g++) {
        if (g->size == 0) table->unbound += g->users;
        if (g->users > 0 && g->size > table->largest) table->largest = g->size;
    }
}

// An id that no node has becomes the next higher one, or the last.
static int32_t find_nearest_node(const mdx_builder *b, int64_t id, uint64_t *missing)
{
    uint32_t source = mdx_find_source(b, id);
    if (source == b->id_count || b->sources[source].id != id) ++*missing;
    return b->sources[source < b->id_count ? source : b->id_count - 1].node;
}

static uint32_t matrix_at(const mdx_geoset *geoset, uint32_t index)
{
    return sni_load_u32(geoset->matrices.data + 4 * (size_t)index);
}

// Marks the nodes that move vertices of the geoset with 0, and the geosets' node if some vertices have no bone.
static void mark_joints(const mdx_builder *b, const mdx_geoset *geoset, int32_t *joint_of)
{
    uint64_t missing = 0;
    if (b->id_count == 0) return;
    if (has_skin_weights(geoset)) {
        bool is_used[256] = { false };
        uint32_t count = skinned_vertex_count(geoset);
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *at = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i;
            for (int k = 0; k < 4; k++) is_used[at[k]] = is_used[at[k]] || k == 0 || at[k + 4] > 0;
        }
        for (uint32_t id = 0; id < 256; id++)
            if (is_used[id]) joint_of[find_nearest_node(b, id, &missing)] = 0;
        if (count < geoset->positions.count) joint_of[b->geoset_node] = 0;
        return;
    }
    group_table table;
    read_groups(geoset, &table);
    for (const matrix_group *g = table.groups; g < table.groups + GROUPS; g++)
        for (uint32_t i = 0; g->users > 0 && i < g->size; i++)
            joint_of[find_nearest_node(b, matrix_at(geoset, g->first + i), &missing)] = 0;
    if (table.unbound > 0 && table.largest > 0) joint_of[b->geoset_node] = 0;
}

// One skin for all geosets. `joint_of` gets the joint of each node, or -1.
static bool build_skin(mdx_builder *b, int32_t *joint_of)
{
    const mdx_geoset *geosets = b->doc->geosets.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->core.nodes.count; i++) joint_of[i] = -1;
    for (uint32_t i = 0; i < b->doc->geosets.count; i++) mark_joints(b, &geosets[i], joint_of);
    for (uint32_t i = 0; i < b->core.nodes.count; i++)
        if (joint_of[i] >= 0) joint_of[i] = (int32_t)count++;
    if (count == 0) return true;
    if (count > UINT16_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%u bones", count);
    sn_skin *skin = sni_builder_add_skin(&b->core);
    int32_t *joints = sni_new(&b->load->keep, int32_t, count);
    sn_mat34 *inverse_bind = sni_new(&b->load->keep, sn_mat34, count);
    if (!skin || !joints || !inverse_bind) return false;
    for (uint32_t i = 0; i < b->core.nodes.count; i++) {
        int32_t joint = joint_of[i];
        sn_vec3 at = b->rest_positions[i];
        if (joint < 0) continue;
        joints[joint] = (int32_t)i;
        inverse_bind[joint] = (sn_mat34){ { { 1, 0, 0, -at.x }, { 0, 1, 0, -at.y }, { 0, 0, 1, -at.z } } };
    }
    *skin = (sn_skin){ b->name, joints, inverse_bind, count };
    return true;
}

// Influences

typedef struct influence_rows {
    uint16_t *joints;
    float *weights;
    uint32_t count;  // per vertex
} influence_rows;

static bool alloc_influences(mdx_builder *b, sn_mesh *mesh, uint32_t count, influence_rows *out)
{
    uint64_t total = (uint64_t)mesh->vertex_count * count;
    *out = (influence_rows){ sni_new(&b->load->keep, uint16_t, total), sni_new(&b->load->keep, float, total), count };
    mesh->vertex_joints = out->joints;
    mesh->vertex_weights = out->weights;
    mesh->influence_count = count;
    return out->joints && out->weights;
}

// A node that is twice in its group has twice the weight.
static void add_weight(uint16_t *joints, float *weights, uint32_t *used, uint16_t joint, float weight)
{
    for (uint32_t i = 0; i < *used; i++) {
        if (joints[i] != joint) continue;
        weights[i] += weight;
        return;
    }
    joints[*used] = joint;
    weights[(*used)++] = weight;
}

static void report_missing_bones(mdx_builder *b, const mdx_geoset *geoset, uint64_t missing)
{
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_BONE, missing, geoset->item.offset,
                  "a vertex names a bone that does not exist; the nearest id is used");
}

typedef struct group_rows {
    uint16_t joints[GROUPS][MAX_INFLUENCES];
    float weights[GROUPS][MAX_INFLUENCES];
} group_rows;

// Called with constant counts: rows of constant size are copied without a call of memcpy.
static inline void copy_rows(const mdx_geoset *geoset, const group_rows *rows, influence_rows out,
                             uint32_t vertex_count, uint32_t count)
{
    for (uint32_t i = 0; i < vertex_count; i++) {
        uint32_t g = i < geoset->groups.count ? geoset->groups.data[i] : 0;
        memcpy(out.joints + (size_t)i * count, rows->joints[g], count * sizeof(uint16_t));
        memcpy(out.weights + (size_t)i * count, rows->weights[g], count * sizeof(float));
    }
}

static bool build_group_influences(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of,
                                   uint16_t unbound_joint, sn_mesh *mesh)
{
    sni_diag *diag = &b->load->diag;
    uint64_t offset = geoset->item.offset, missing = 0;
    group_table table;
    read_groups(geoset, &table);
    if (geoset->groups.count != mesh->vertex_count)
        sni_warn(diag, SNI_WARN_MDX_VERTEX_COUNT, offset, "%u group entries for %u vertices", geoset->groups.count,
                 mesh->vertex_count);
    sni_warn_many(diag, SNI_WARN_MDX_BONE, table.cut, offset,
                  "a group has more nodes than are listed, or more than %d; the rest is ignored", MAX_INFLUENCES);
    sni_warn_many(diag, SNI_WARN_MDX_LOOSE, table.unbound, offset,
                  "%u vertices have a group that is empty or does not exist", table.unbound);
    if (table.largest == 0) return true;

    // One row for each group; the vertices copy theirs.
    group_rows rows = { 0 };
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t size = table.groups[g].users ? table.groups[g].size : 0, used = 0;
        if (size == 0) rows.joints[g][0] = unbound_joint, rows.weights[g][0] = 1.0f;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t id = matrix_at(geoset, table.groups[g].first + i);
            int32_t joint = joint_of[find_nearest_node(b, id, &missing)];
            add_weight(rows.joints[g], rows.weights[g], &used, (uint16_t)joint, 1.0f / (float)size);
        }
    }
    report_missing_bones(b, geoset, missing);
    influence_rows out;
    if (!alloc_influences(b, mesh, table.largest, &out)) return false;
    switch (out.count) {
    case 1: copy_rows(geoset, &rows, out, mesh->vertex_count, 1); break;
    case 2: copy_rows(geoset, &rows, out, mesh->vertex_count, 2); break;
    case 3: copy_rows(geoset, &rows, out, mesh->vertex_count, 3); break;
    case 4: copy_rows(geoset, &rows, out, mesh->vertex_count, 4); break;
    default: copy_rows(geoset, &rows, out, mesh->vertex_count, out.count);
    }
    return true;
}

static bool build_weight_influences(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of,
                                    uint16_t unbound_joint, sn_mesh *mesh)
{
    uint32_t count = skinned_vertex_count(geoset), max_weights = 1;
    if (geoset->skin.count / MDX_SKIN_BYTES != mesh->vertex_count || geoset->skin.count % MDX_SKIN_BYTES)
        sni_warn(&b->load->diag, SNI_WARN_MDX_VERTEX_COUNT, geoset->item.offset, "%u bytes of weights for %u vertices",
                 geoset->skin.count, mesh->vertex_count);

    // The joint of each bone id; ids are bytes.
    uint16_t joints[256];
    uint64_t is_missing[256] = { 0 }, missing = 0;
    for (uint32_t id = 0; id < 256; id++) {
        int32_t joint = joint_of[find_nearest_node(b, id, &is_missing[id])];
        joints[id] = (uint16_t)(joint < 0 ? 0 : joint);
    }

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *weights = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i + 4;
        uint32_t used = (uint32_t)((weights[0] > 0) + (weights[1] > 0) + (weights[2] > 0) + (weights[3] > 0));
        max_weights = used > max_weights ? used : max_weights;
    }
    influence_rows out;
    if (!alloc_influences(b, mesh, max_weights, &out)) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        uint16_t *vertex_joints = out.joints + (size_t)i * out.count;
        float *vertex_weights = out.weights + (size_t)i * out.count;
        const uint8_t *bones = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i, *weights = bones + 4;
        uint32_t used = 0;
        if (i >= count) {
            add_weight(vertex_joints, vertex_weights, &used, unbound_joint, 1.0f);
            continue;
        }
        for (int k = 0; k < 4; k++) {
            if (weights[k] == 0) continue;
            add_weight(vertex_joints, vertex_weights, &used, joints[bones[k]], (float)weights[k] / 255.0f);
            missing += is_missing[bones[k]];
        }
        if (used == 0) add_weight(vertex_joints, vertex_weights, &used, joints[bones[0]], 1.0f);
    }
    report_missing_bones(b, geoset, missing);
    return true;
}

static bool build_influences(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of, sn_mesh *mesh)
{
    if (mesh->vertex_count == 0 || b->core.skins.count == 0) return true;
    int32_t unbound = joint_of[b->geoset_node];
    return (has_skin_weights(geoset)
                ? build_weight_influences
                : build_group_influences)(b, geoset, joint_of, (uint16_t)(unbound < 0 ? 0 : unbound), mesh);
}

// Meshes and parts

static bool build_mesh(mdx_builder *b, uint32_t index, const mdx_geoset_anim *anim, const int32_t *joint_of,
                       sn_mesh *mesh)
{
    const mdx_geoset *geoset = (const mdx_geoset *)b->doc->geosets.items + index;
    mesh->name = mdx_clean_text(b, geoset->lod_name, geoset->item.offset);
    if (!mesh->name[0]) {
        char name[24];
        int size = snprintf(name, sizeof name, "Geoset %u", index);
        mesh->name = sni_copy_text(&b->load->keep, name, (size_t)size);
    }
    mesh->extras = mdx_geoset_extras(b, geoset, anim);
    const sn_skin *skin = b->core.skins.items;
    return build_vertices(b, geoset, mesh) && build_faces(b, geoset, mesh) &&
           build_influences(b, geoset, joint_of, mesh) &&
           sni_sanitize_mesh(&b->core, mesh, skin ? skin->joint_count : 0, geoset->item.offset);
}

static void build_part(mdx_builder *b, uint32_t index, const mdx_geoset_anim *anim, const sn_mesh *mesh, sn_part *part)
{
    const mdx_geoset *geoset = (const mdx_geoset *)b->doc->geosets.items + index;
    int32_t last_lod = (int32_t)b->lod_count - 1;
    *part = (sn_part){ .mesh = (int32_t)index, .node = b->geoset_node, .skin = -1, .material = -1 };
    part->color = (sn_vec4){ 1, 1, 1, 1 };
    if (anim && anim->flags & mdx_use_color_flag(b->doc)) {
        bool is_bgr = mdx_is_wow(b->doc);
        part->color.x = is_bgr ? anim->color.z : anim->color.x;
        part->color.y = anim->color.y;
        part->color.z = is_bgr ? anim->color.x : anim->color.z;
    }
    if (anim && anim->alpha > 0.0f) part->color.w = anim->alpha;
    part->is_hidden = anim && !(anim->alpha > 0.0f);
    if (geoset->lod < 0) part->lod = last_lod > 0 ? -1 : 0;
    else part->lod = geoset->lod < last_lod ? geoset->lod : last_lod;
    if (mesh->influence_count > 0) part->skin = 0;
    if (geoset->material < b->doc->materials.count) part->material = (int32_t)geoset->material;
    else
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, geoset->item.offset, "material %u of %u", geoset->material,
                 b->doc->materials.count);
}

// Geoset animations

// Between two keys of 0 alpha stays 0, unless tangents bend the curve.
static bool is_visible_after(const sn_track *alpha, uint32_t key)
{
    uint32_t next = key + 1 < alpha->key_count ? key + 1 : 0;
    if (*sni_track_key(alpha, key, SNI_KEY_VALUE) > 0.0f) return true;
    if (alpha->interpolation == SN_STEP) return false;
    if (*sni_track_key(alpha, next, SNI_KEY_VALUE) > 0.0f) return true;
    return sni_track_has_tangents(alpha) &&
           (*sni_track_key(alpha, key, SNI_KEY_OUT) != 0.0f || *sni_track_key(alpha, next, SNI_KEY_IN) != 0.0f);
}

// Adds the alpha, and visibility where alpha is 0: consumers without part alpha then hide the part too.
static void add_alpha_tracks(mdx_clip_builder *clip, const mdx_binding *binding)
{
    static const float one = 1.0f;
    mdx_builder *b = clip->builder;
    const sn_part *part = (const sn_part *)b->core.parts.items + binding->target;
    sn_track alpha = mdx_slice_curve(clip, binding->curve);
    if (alpha.key_count == 0) alpha = mdx_constant_track(b, 1, &one);
    if (alpha.key_count == 0) return;

    bool is_switch = alpha.interpolation == SN_STEP, has_hidden = false;  // a switch has only keys of 0 and 1
    for (uint32_t i = 0; i < alpha.key_count; i++) {
        has_hidden = has_hidden || !is_visible_after(&alpha, i);
        is_switch = is_switch && (alpha.values[i] == 0.0f || alpha.values[i] == 1.0f);
    }
    if (part->is_hidden || has_hidden) {
        sn_track visibility = alpha;
        visibility.interpolation = SN_STEP;
        if (alpha.interpolation != SN_STEP) {  // stepped alpha can be used as it is: above 0 is visible
            float *values = sni_new_raw(&b->load->keep, float, alpha.key_count);
            if (!values) return;
            for (uint32_t i = 0; i < alpha.key_count; i++) values[i] = is_visible_after(&alpha, i) ? 1.0f : 0.0f;
            visibility.values = values;
        }
        mdx_push_track(clip, binding, SN_CHANNEL_VISIBILITY, &visibility);
    }
    bool is_rest = alpha.key_count == 1 && *sni_track_key(&alpha, 0, SNI_KEY_VALUE) == part->color.w;
    if (!is_rest && (!is_switch || part->color.w != 1.0f)) mdx_push_track(clip, binding, SN_CHANNEL_ALPHA, &alpha);
}

static void bind_part(mdx_builder *b, const mdx_geoset_anim *anim, int32_t part)
{
    static const float white[] = { 1, 1, 1 };
    const mdx_tracks *tracks = &anim->item.tracks;
    const sn_part *parts = b->core.parts.items;
    mdx_curve *alpha = mdx_find_curve(b, tracks, MDX_KGAO);
    mdx_binding *binding = mdx_bind(b, alpha, SN_TARGET_PART, part, 0, SN_CHANNEL_ALPHA);
    if (binding) binding->add_tracks = add_alpha_tracks;
    if (!(anim->flags & mdx_use_color_flag(b->doc))) return;
    mdx_curve *color = mdx_find_curve(b, tracks, MDX_KGAC);
    mdx_bind_default(mdx_bind(b, color, SN_TARGET_PART, part, 0, SN_CHANNEL_COLOR), white, &parts[part].color.x);
}

// The animation of each geoset, or NULL. The last one that names a geoset wins.
static const mdx_geoset_anim **match_geoset_anims(mdx_builder *b)
{
    const mdx_geoset_anim *sources = b->doc->geoset_anims.items;
    uint32_t count = b->doc->geosets.count;
    const mdx_geoset_anim **anims = sni_new(&b->load->scratch, const mdx_geoset_anim *, count);
    for (uint32_t i = 0; anims && i < b->doc->geoset_anims.count; i++) {
        int32_t geoset = sources[i].geoset;
        if (geoset >= 0 && (uint32_t)geoset < count) anims[geoset] = &sources[i];
        else if (geoset != -1)
            sni_warn(&b->load->diag, SNI_WARN_REFERENCE, sources[i].item.offset, "GEOA[%u] animates geoset %d of %u", i,
                     geoset, count);
    }
    return anims;
}

bool mdx_build_geosets(mdx_builder *b)
{
    const mdx_geoset *geosets = b->doc->geosets.items;
    const mdx_geoset_anim *all_anims = b->doc->geoset_anims.items;
    uint32_t count = b->doc->geosets.count;
    int32_t max_lod = 0;
    for (uint32_t i = 0; i < count; i++) max_lod = geosets[i].lod > max_lod ? geosets[i].lod : max_lod;
    b->lod_count = (uint32_t)(max_lod < MAX_LODS ? max_lod : MAX_LODS - 1) + 1;

    const mdx_geoset_anim **anims = match_geoset_anims(b);
    if (!anims || count == 0) return anims != NULL;
    sn_mesh *meshes = sni_builder_meshes(&b->core, count);
    sn_part *parts = sni_builder_parts(&b->core, count);
    int32_t *joint_of = sni_new_raw(&b->load->scratch, int32_t, b->core.nodes.count);
    if (!meshes || !parts || !joint_of || !build_skin(b, joint_of)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "GEOS", i);
        bool is_built = build_mesh(b, i, anims[i], joint_of, &meshes[i]);
        if (is_built) build_part(b, i, anims[i], &meshes[i], &parts[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }

    for (uint32_t i = 0; i < count && sni_load_ok(b->load); i++) {
        if (!anims[i]) continue;
        sni_enter(&b->load->diag, "GEOA", anims[i] - all_anims);
        bind_part(b, anims[i], (int32_t)i);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}
