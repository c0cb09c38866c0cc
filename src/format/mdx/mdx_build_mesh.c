// Geosets to meshes and parts, one each.
#include <stdio.h>
#include <string.h>

#include "format/mdx/mdx_build.h"

enum { MOST_LEVELS = 32 };

// Large arrays stay where they lie, if they happen to lie well.
static const float *floats_of(mdx_builder *b, const uint8_t *at, uint64_t count)
{
    const uint16_t probe = 1;
    bool is_little = *(const uint8_t *)&probe == 1;
    bool lies_well = is_little && (uintptr_t)at % sizeof(float) == 0;
    if (lies_well && sni_load_lend(b->load, at, 4 * count)) return (const float *)(const void *)at;
    float *copy = sni_new_raw(&b->load->keep, float, count);
    if (copy) sni_load_words(at, copy, (size_t)count);
    return copy;
}

// What a vertex has besides its place must be there for all of them, or is left out.
static bool read_attribute(mdx_builder *b, const char *what, mdx_array array, uint32_t vertex_count, uint32_t width,
                           const void **out)
{
    if (array.count != vertex_count && (array.count > 0 || array.data))
        sni_warn(&b->load->diag, SNI_WARN_MDX_VERTEX_COUNT, 0, "%u %s for %u vertices", array.count, what,
                 vertex_count);
    if (array.count < vertex_count || vertex_count == 0) return true;
    *out = floats_of(b, array.data, (uint64_t)vertex_count * width);
    return *out != NULL;
}

static bool read_uvs(mdx_builder *b, const mdx_geoset *geoset, sn_mesh *mesh)
{
    const sn_vec2 **sets = sni_new(&b->load->keep, const sn_vec2 *, geoset->uv_count);
    if (!sets) return false;
    for (uint32_t i = 0; i < geoset->uv_count; i++) {
        const void *set = NULL;
        if (!read_attribute(b, "texture coordinates", geoset->uvs[i], mesh->vertex_count, 2, &set)) return false;
        sets[i] = set;
        if (set) mesh->uv_count = i + 1;
    }
    mesh->uvs = sets;
    return true;
}

static bool read_vertices(mdx_builder *b, const mdx_geoset *geoset, sn_mesh *mesh)
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
    return read_uvs(b, geoset, mesh);
}

// Kinds of faces, as OpenGL once numbered them.
typedef enum face_kind {
    POINTS,
    LINES,
    LINE_LOOP,
    LINE_STRIP,
    TRIANGLES,
    TRIANGLE_STRIP,
    FAN,
    QUADS,
    QUAD_STRIP,
    POLYGON,
    FACE_KINDS
} face_kind;

typedef struct faces {
    const uint8_t *at;
    uint32_t *out, count;
} faces;

static void put(faces *f, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[] = { a, b, c };
    for (int i = 0; i < 3; i++) f->out[f->count++] = sni_load_u16(f->at + 2 * (size_t)corners[i]);
}

static void put_line(faces *f, uint32_t a, uint32_t b)
{
    f->out[f->count++] = sni_load_u16(f->at + 2 * (size_t)a);
    f->out[f->count++] = sni_load_u16(f->at + 2 * (size_t)b);
}

static void put_plain(faces *f, uint32_t count)
{
    const uint8_t *at = f->at;
    uint32_t *out = f->out + f->count;
    for (uint32_t i = 0; i < count; i++) out[i] = sni_load_u16(at + 2 * (size_t)i);
    f->count += count;
}

static void put_group(faces *f, face_kind kind, uint32_t count)
{
    switch (kind) {
    case POINTS: put_plain(f, count); break;
    case LINES: put_plain(f, count - count % 2); break;
    case TRIANGLES: put_plain(f, count - count % 3); break;
    case LINE_LOOP:
    case LINE_STRIP:
        for (uint32_t i = 0; i + 1 < count; i++) put_line(f, i, i + 1);
        if (kind == LINE_LOOP && count > 2) put_line(f, count - 1, 0);
        break;
    case TRIANGLE_STRIP:
        for (uint32_t i = 0; i + 2 < count; i++) put(f, i + i % 2, i + 1 - i % 2, i + 2);
        break;
    case FAN:
    case POLYGON:
        for (uint32_t i = 1; i + 1 < count; i++) put(f, 0, i, i + 1);
        break;
    case QUADS:
        for (uint32_t i = 0; i + 3 < count; i += 4) put(f, i, i + 1, i + 2), put(f, i, i + 2, i + 3);
        break;
    case QUAD_STRIP:
        for (uint32_t i = 0; i + 3 < count; i += 2) put(f, i, i + 1, i + 3), put(f, i, i + 3, i + 2);
        break;
    default: break;
    }
}

static sn_topology topology_of(uint32_t kind)
{
    return kind == POINTS ? SN_POINTS : kind <= LINE_STRIP ? SN_LINES : SN_TRIANGLES;
}

static uint32_t kind_at(const mdx_builder *b, const mdx_geoset *geoset, uint32_t group)
{
    if (group >= geoset->face_types.count) return TRIANGLES;
    if (mdx_is_alpha(b->doc)) return geoset->face_types.data[group];
    return sni_load_u32(geoset->face_types.data + 4 * (size_t)group);
}

// Strips and the like become up to three times as many indices.
static bool has_strips(const mdx_builder *b, const mdx_geoset *geoset)
{
    for (uint32_t i = 0; i < geoset->face_counts.count; i++) {
        uint32_t kind = kind_at(b, geoset, i);
        if (kind != POINTS && kind != LINES && kind != TRIANGLES) return true;
    }
    return false;
}

// One mesh has one topology: that of the first group.
static void read_groups(mdx_builder *b, const mdx_geoset *geoset, sn_topology topology, faces *f)
{
    uint32_t total = geoset->faces.count, used = 0;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < geoset->face_counts.count; i++) {
        uint32_t count = sni_load_u32(geoset->face_counts.data + 4 * (size_t)i), kind = kind_at(b, geoset, i),
                 rest = total - used;
        if (count > rest) {
            sni_warn(&b->load->diag, SNI_WARN_INDEX_COUNT, geoset->item.offset, "group %u has %u indices, %u remain", i,
                     count, rest);
            count = rest;
        }
        f->at = geoset->faces.data + 2 * (size_t)used;
        used += count;
        if (kind < FACE_KINDS && topology_of(kind) == topology) put_group(f, (face_kind)kind, count);
        else lost++;
    }
    sni_warn_many(&b->load->diag, SNI_WARN_LOST_CONTENT, lost, geoset->item.offset,
                  "groups of faces of another kind than the first");
    if (used < total)
        sni_warn(&b->load->diag, SNI_WARN_INDEX_COUNT, geoset->item.offset, "%u indices of no group", total - used);
}

// Without groups all is triangles.
static bool read_faces(mdx_builder *b, const mdx_geoset *geoset, sn_mesh *mesh)
{
    bool has_groups = geoset->face_counts.count > 0;
    uint64_t most = (uint64_t)geoset->faces.count * (has_strips(b, geoset) ? 3 : 1);
    uint32_t *indices = sni_new_raw(&b->load->keep, uint32_t, most);
    faces f = { .at = geoset->faces.data, .out = indices };
    if (!indices) return false;
    if (most > UINT32_MAX)
        return sni_fail(&b->load->diag, SN_ERR_LIMIT, geoset->item.offset, "%u indices", geoset->faces.count);
    mesh->topology = has_groups ? topology_of(kind_at(b, geoset, 0)) : SN_TRIANGLES;
    mesh->indices = indices;
    if (geoset->faces.count == 0) return true;
    if (has_groups) read_groups(b, geoset, mesh->topology, &f);
    else put_group(&f, TRIANGLES, geoset->faces.count);
    mesh->index_count = f.count;
    return true;
}

static const char *mesh_name(mdx_builder *b, const mdx_geoset *geoset, uint32_t index)
{
    char name[24];
    const char *given = mdx_text(b, geoset->lod_name, geoset->item.offset);
    if (given[0]) return given;
    int size = snprintf(name, sizeof name, "Geoset %u", index);
    return sni_copy_text(&b->load->keep, name, (size_t)size);
}

static const mdx_geoset_anim *anim_of(const mdx_builder *b, uint32_t index)
{
    const mdx_geoset_anim *anims = b->doc->geoset_anims.items;
    return b->geoset_anims[index] < 0 ? NULL : &anims[b->geoset_anims[index]];
}

static bool build_mesh(mdx_builder *b, uint32_t index, const int32_t *joint_of, uint32_t no_joint, sn_mesh *mesh)
{
    const mdx_geoset *geoset = &mdx_items(mdx_geoset, b->doc->geosets)[index];
    mesh->name = mesh_name(b, geoset, index);
    mesh->extras = mdx_geoset_extras(b, geoset, anim_of(b, index));
    uint32_t joint_count = b->model->skin_count ? b->model->skins[0].joint_count : 0;
    return read_vertices(b, geoset, mesh) && read_faces(b, geoset, mesh) &&
           mdx_build_influences(b, geoset, joint_of, no_joint, mesh) &&
           sni_finish_mesh(b->load, mesh, joint_count, geoset->item.offset);
}

// Colours of 1300 stand the other way round, and their use is another bit.
static sn_vec4 rest_color(const mdx_builder *b, const mdx_geoset_anim *anim)
{
    sn_vec4 color = { 1, 1, 1, 1 };
    if (!anim) return color;
    bool is_alpha = mdx_is_alpha(b->doc);
    if (anim->flags & (is_alpha ? 1 : MDX_USE_COLOR))
        color = (sn_vec4){ is_alpha ? anim->color.z : anim->color.x, anim->color.y,
                           is_alpha ? anim->color.x : anim->color.z, 1 };
    if (anim->alpha > 0.0f) color.w = anim->alpha;
    return color;
}

static int32_t level_of(const mdx_builder *b, const mdx_geoset *geoset)
{
    int32_t highest = (int32_t)b->model->lod_count - 1;
    if (geoset->lod < 0) return highest > 0 ? -1 : 0;
    return geoset->lod < highest ? geoset->lod : highest;
}

static void build_part(mdx_builder *b, uint32_t index, sn_part *part)
{
    const mdx_geoset *geoset = &mdx_items(mdx_geoset, b->doc->geosets)[index];
    const mdx_geoset_anim *anim = anim_of(b, index);
    *part = (sn_part){
        .mesh = (int32_t)index, .node = b->carrier, .skin = -1, .material = -1, .color = rest_color(b, anim)
    };
    part->lod = level_of(b, geoset);
    part->is_hidden = anim && !(anim->alpha > 0.0f);
    if (b->model->meshes[index].influence_count > 0) part->skin = 0;
    if (geoset->material < b->doc->materials.count) part->material = (int32_t)geoset->material;
    else
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, geoset->item.offset, "material %u of %u", geoset->material,
                 b->doc->materials.count);
}

static bool build_skin(mdx_builder *b, int32_t *joint_of, uint32_t *no_joint)
{
    const mdx_geoset *geosets = b->doc->geosets.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->doc->geosets.count; i++) mdx_mark_joints(b, &geosets[i], joint_of);
    for (uint32_t i = 0; i < b->model->node_count; i++)
        if (joint_of[i] >= 0) joint_of[i] = (int32_t)count++;
    if (count == 0) return true;  // nothing bends
    if (count > UINT16_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%u bones", count);
    sn_skin *skin = sni_new(&b->load->keep, sn_skin, 1);
    int32_t *joints = sni_new(&b->load->keep, int32_t, count);
    sn_mat34 *binds = sni_new(&b->load->keep, sn_mat34, count);
    if (!skin || !joints || !binds) return false;
    for (uint32_t i = 0; i < b->model->node_count; i++) {
        int32_t joint = joint_of[i];
        if (joint < 0) continue;
        joints[joint] = (int32_t)i;
        binds[joint] = (sn_mat34){
            { { 1, 0, 0, -b->places[i].x }, { 0, 1, 0, -b->places[i].y }, { 0, 0, 1, -b->places[i].z } }
        };
    }
    *no_joint = joint_of[b->carrier] < 0 ? 0 : (uint32_t)joint_of[b->carrier];
    *skin = (sn_skin){ b->model->name, joints, binds, count };
    b->model->skins = skin;
    b->model->skin_count = 1;
    return true;
}

// Of several that name one geoset, the last.
static bool link_anims(mdx_builder *b)
{
    const mdx_geoset_anim *anims = b->doc->geoset_anims.items;
    uint32_t count = b->doc->geosets.count;
    b->geoset_anims = sni_new_raw(&b->load->scratch, int32_t, count);
    if (!b->geoset_anims) return false;
    for (uint32_t i = 0; i < count; i++) b->geoset_anims[i] = -1;
    for (uint32_t i = 0; i < b->doc->geoset_anims.count; i++) {
        int32_t geoset = anims[i].geoset;
        if (geoset >= 0 && (uint32_t)geoset < count) b->geoset_anims[geoset] = (int32_t)i;
        else if (geoset != -1)
            sni_warn(&b->load->diag, SNI_WARN_REFERENCE, anims[i].item.offset, "GEOA[%u] animates geoset %d of %u", i,
                     geoset, count);
    }
    return true;
}

static void count_levels(mdx_builder *b)
{
    const mdx_geoset *geosets = b->doc->geosets.items;
    int32_t highest = 0;
    for (uint32_t i = 0; i < b->doc->geosets.count; i++) highest = geosets[i].lod > highest ? geosets[i].lod : highest;
    b->model->lod_count = (uint32_t)(highest < MOST_LEVELS ? highest : MOST_LEVELS - 1) + 1;
}

bool mdx_build_geosets(mdx_builder *b)
{
    uint32_t count = b->doc->geosets.count, no_joint = 0;
    count_levels(b);
    if (!link_anims(b)) return false;
    if (count == 0) return true;
    sn_mesh *meshes = sni_new(&b->load->keep, sn_mesh, count);
    sn_part *parts = sni_new(&b->load->keep, sn_part, count);
    int32_t *joint_of = sni_new_raw(&b->load->scratch, int32_t, b->model->node_count);
    if (!meshes || !parts || !joint_of) return false;
    for (uint32_t i = 0; i < b->model->node_count; i++) joint_of[i] = -1;
    if (!build_skin(b, joint_of, &no_joint)) return false;
    b->model->meshes = meshes;
    b->model->mesh_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "GEOS", i);
        bool is_built = build_mesh(b, i, joint_of, no_joint, &meshes[i]);
        if (is_built) build_part(b, i, &parts[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    b->model->parts = parts;
    b->model->part_count = count;
    return sni_load_ok(b->load);
}
