// Parts to geosets, and their colour, alpha and visibility to geoset animations. A part with more vertices or groups of
// bones than a geoset may have is split.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/map.h"
#include "base/math.h"
#include "format/mdx/mdx_export.h"
#include "model/track.h"

// Classic geosets of more vertices crash the game, people say.
enum { CLASSIC_VERTICES = 7433, MOST_VERTICES = 65535, MOST_GROUPS = 255, MOST_BONES = 256 };

// One geoset being filled.
typedef struct geoset {
    mdx_exporter *x;
    const sn_mesh *mesh;
    const sn_part *part;
    int32_t index;            // of the part
    const int32_t *bone_ids;  // per joint of the skin
    bool has_skin;            // four weights per vertex, not groups
    uint32_t most_vertices;
    int32_t *new_of;     // per vertex of the mesh: its number in the geoset, or -1
    uint32_t *vertices;  // of the mesh, in the order of the geoset
    uint32_t vertex_count;
    sni_list faces;  // uint16_t
    sni_map group_map;
    sni_list groups;    // uint32_t: a vertex of the mesh that has the group
    uint8_t *group_of;  // per vertex of the geoset
} geoset;

// Groups: the joints of a vertex, which all weigh the same.

static const uint16_t *joints_of(const geoset *g, uint32_t vertex)
{
    return g->mesh->vertex_joints + (size_t)vertex * g->mesh->influence_count;
}

static uint32_t group_size(const geoset *g, uint32_t vertex)
{
    const float *weights = g->mesh->vertex_weights + (size_t)vertex * g->mesh->influence_count;
    uint32_t size = 0;
    while (size < g->mesh->influence_count && weights[size] > 0.0f) size++;
    return size;
}

static uint32_t group_hash(const geoset *g, uint32_t vertex)
{
    return sni_hash(joints_of(g, vertex), group_size(g, vertex) * sizeof(uint16_t));
}

static int32_t find_group(const geoset *g, uint32_t vertex)
{
    const uint32_t size = group_size(g, vertex);
    for (sni_map_cursor at = sni_map_find(&g->group_map, group_hash(g, vertex)); sni_map_next(&g->group_map, &at);) {
        const uint32_t other = ((const uint32_t *)g->groups.items)[at.item];
        if (group_size(g, other) == size && memcmp(joints_of(g, other), joints_of(g, vertex), size * 2) == 0)
            return (int32_t)at.item;
    }
    return -1;
}

static bool add_group(geoset *g, uint32_t vertex, uint8_t *group)
{
    const int32_t known = find_group(g, vertex);
    *group = (uint8_t)known;
    if (known >= 0) return true;
    uint32_t *slot = sni_push(g->x->arena, &g->groups, uint32_t);
    if (!slot || !sni_map_add(&g->group_map, g->x->arena, group_hash(g, vertex), g->groups.count - 1)) return false;
    *slot = vertex;
    *group = (uint8_t)(g->groups.count - 1);
    return true;
}

// Faces

static uint32_t corners(const sn_mesh *mesh)
{
    return mesh->topology == SN_TRIANGLES ? 3 : mesh->topology == SN_LINES ? 2 : 1;
}

// Whether a face still has room in this geoset.
static bool has_room(const geoset *g, const uint32_t *face, uint32_t count)
{
    uint32_t vertices = g->vertex_count, groups = g->groups.count;
    for (uint32_t i = 0; i < count; i++) {
        if (g->new_of[face[i]] >= 0) continue;
        vertices++;
        groups += !g->has_skin && find_group(g, face[i]) < 0;
    }
    return vertices <= g->most_vertices && groups <= MOST_GROUPS;
}

static bool add_face(geoset *g, const uint32_t *face, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t *number = &g->new_of[face[i]];
        if (*number < 0) {
            *number = (int32_t)g->vertex_count++;
            g->vertices[*number] = face[i];
            if (!g->has_skin && !add_group(g, face[i], &g->group_of[*number])) return false;
        }
        uint16_t *slot = sni_push(g->x->arena, &g->faces, uint16_t);
        if (!slot) return false;
        *slot = (uint16_t)*number;
    }
    return true;
}

// Bytes of the file

static bool store_vectors(const geoset *g, const float *from, uint32_t width, mdx_array *out)
{
    uint8_t *data = sni_new_raw(g->x->arena, uint8_t, (uint64_t)g->vertex_count * width * 4);
    if (!data) return false;
    *out = (mdx_array){ data, g->vertex_count };
    for (uint32_t i = 0; i < g->vertex_count; i++)
        for (uint32_t k = 0; k < width; k++, data += 4) sni_store_f32(data, from[(size_t)g->vertices[i] * width + k]);
    return true;
}

static bool store_words(mdx_exporter *x, const uint32_t *words, uint32_t count, mdx_array *out)
{
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * count);
    if (!data) return false;
    for (uint32_t i = 0; i < count; i++) sni_store_u32(data + 4 * (size_t)i, words[i]);
    *out = (mdx_array){ data, count };
    return true;
}

static bool store_faces(const geoset *g, mdx_geoset *out)
{
    static const uint32_t types[] = {
        [SN_TRIANGLES] = MDX_TRIANGLES, [SN_LINES] = MDX_LINES, [SN_POINTS] = MDX_POINTS
    };
    uint8_t *data = sni_new_raw(g->x->arena, uint8_t, 2ull * g->faces.count);
    if (!data) return false;
    for (uint32_t i = 0; i < g->faces.count; i++) {
        const uint16_t index = ((const uint16_t *)g->faces.items)[i];
        data[2 * (size_t)i] = (uint8_t)index, data[2 * (size_t)i + 1] = (uint8_t)(index >> 8);
    }
    out->faces = (mdx_array){ data, g->faces.count };
    return store_words(g->x, &types[g->mesh->topology], 1, &out->face_types) &&
           store_words(g->x, &g->faces.count, 1, &out->face_counts);
}

static bool store_groups(const geoset *g, mdx_geoset *out)
{
    const uint32_t *groups = g->groups.items;
    sni_list sizes = { 0 }, ids = { 0 };
    for (uint32_t i = 0; i < g->groups.count; i++) {
        uint32_t *size = sni_push(g->x->arena, &sizes, uint32_t);
        if (!size) return false;
        *size = group_size(g, groups[i]);
        for (uint32_t k = 0; k < *size; k++) {
            uint32_t *id = sni_push(g->x->arena, &ids, uint32_t);
            if (!id) return false;
            *id = (uint32_t)g->bone_ids[joints_of(g, groups[i])[k]];
        }
    }
    uint8_t *copy = sni_new_raw(g->x->arena, uint8_t, g->vertex_count);
    if (!copy) return false;
    if (g->vertex_count > 0) memcpy(copy, g->group_of, g->vertex_count);
    out->groups = (mdx_array){ copy, g->vertex_count };
    return store_words(g->x, sizes.items, sizes.count, &out->group_sizes) &&
           store_words(g->x, ids.items, ids.count, &out->matrices);
}

// Four bones and four weights, which sum to 255: rounded down, then the largest remainders get one more.
static void store_weights(const geoset *g, uint32_t vertex, uint8_t *out)
{
    const uint32_t count = g->mesh->influence_count < 4 ? g->mesh->influence_count : 4;
    const float *weights = g->mesh->vertex_weights + (size_t)vertex * g->mesh->influence_count;
    uint32_t left = 255;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] > 0.0f)) continue;
        const uint32_t whole = (uint32_t)(weights[i] * 255.0f);
        out[i] = (uint8_t)g->bone_ids[joints_of(g, vertex)[i]];
        out[4 + i] = (uint8_t)(whole < left ? whole : left);
        left -= out[4 + i];
    }
    for (; left > 0; left--) {
        uint32_t best = 0;
        float most = -2.0f;
        for (uint32_t i = 0; i < count; i++) {
            const float rest = weights[i] * 255.0f - out[4 + i];
            if (weights[i] > 0.0f && rest > most) most = rest, best = i;
        }
        out[4 + best]++;
    }
}

static bool store_skin(const geoset *g, mdx_geoset *out)
{
    uint8_t *data = sni_new(g->x->arena, uint8_t, (uint64_t)g->vertex_count * MDX_SKIN_BYTES);
    if (!data) return false;
    for (uint32_t i = 0; i < g->vertex_count; i++) store_weights(g, g->vertices[i], data + MDX_SKIN_BYTES * (size_t)i);
    out->skin = (mdx_array){ data, g->vertex_count * MDX_SKIN_BYTES };
    // The bones, once each: one group that no vertex names, as the game's own files have it.
    sni_list ids = { 0 };
    bool is_used[MOST_BONES] = { false };
    for (uint32_t i = 0; i < g->vertex_count; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (data[MDX_SKIN_BYTES * (size_t)i + 4 + k] > 0) is_used[data[MDX_SKIN_BYTES * (size_t)i + k]] = true;
    for (uint32_t i = 0; i < MOST_BONES; i++) {
        uint32_t *id = is_used[i] ? sni_push(g->x->arena, &ids, uint32_t) : NULL;
        if (is_used[i] && !id) return false;
        if (id) *id = i;
    }
    return store_words(g->x, &ids.count, 1, &out->group_sizes) &&
           store_words(g->x, ids.items, ids.count, &out->matrices);
}

static bool store_uvs(const geoset *g, mdx_geoset *out)
{
    const uint32_t count = g->mesh->uv_count > 0 ? g->mesh->uv_count : 1;
    out->has_uvs = true;
    out->uvs = sni_new(g->x->arena, mdx_array, count);
    if (!out->uvs) return false;
    for (uint32_t i = 0; i < count; i++) {
        const sn_vec2 *set = i < g->mesh->uv_count ? g->mesh->uvs[i] : NULL;
        uint8_t *zeros = set ? NULL : sni_new(g->x->arena, uint8_t, 8ull * g->vertex_count);
        if (set ? !store_vectors(g, &set->x, 2, &out->uvs[i]) : !zeros) return false;
        if (!set) out->uvs[i] = (mdx_array){ zeros, g->vertex_count };
    }
    out->uv_count = count;
    return true;
}

// Of a part in the rest pose (0) or a clip. What a clip never shows has its extent at rest, or else that of the clip.
static mdx_extent part_extent(const mdx_exporter *x, int32_t part, uint32_t clip)
{
    const sn_bounds *rest = &x->save->part_bounds[part], *own = rest + (size_t)clip * x->model->part_count;
    return mdx_extent_of(own->radius > 0.0f ? own : rest->radius > 0.0f ? rest : &x->save->clip_bounds[clip]);
}

// The geoset's own extent, and one per sequence.
static bool store_extents(const geoset *g, mdx_geoset *out)
{
    mdx_exporter *x = g->x;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 28ull * x->model->clip_count);
    if (!data) return false;
    for (uint32_t i = 0; i < x->model->clip_count; i++) {
        const mdx_extent extent = part_extent(x, g->index, i + 1);
        const float values[7] = { extent.radius, extent.min[0], extent.min[1], extent.min[2],
                                  extent.max[0], extent.max[1], extent.max[2] };
        for (size_t k = 0; k < 7; k++) sni_store_f32(data + 28 * (size_t)i + 4 * k, values[k]);
    }
    out->extents = (mdx_array){ data, x->model->clip_count };
    out->extent = part_extent(x, g->index, 0);
    return true;
}

// Without normals a surface is lit as if it faced up.
static bool store_normals(const geoset *g, mdx_geoset *out)
{
    if (g->mesh->normals) return store_vectors(g, &g->mesh->normals->x, 3, &out->normals);
    uint8_t *data = sni_new(g->x->arena, uint8_t, 12ull * g->vertex_count);
    if (!data) return false;
    for (uint32_t i = 0; i < g->vertex_count; i++) sni_store_f32(data + 12 * (size_t)i + 8, 1.0f);
    out->normals = (mdx_array){ data, g->vertex_count };
    return true;
}

static const mdx_flag_name geoset_flags[] = { { MDX_UNSELECTABLE, "unselectable" }, { 0, NULL } };
static const mdx_flag_name shadow_flags[] = { { MDX_DROP_SHADOW, "dropShadow" }, { 0, NULL } };

static bool store_geoset(geoset *g)
{
    mdx_exporter *x = g->x;
    mdx_geoset *out = sni_push(x->arena, &x->doc->geosets, mdx_geoset);
    if (!out) return false;
    out->material = g->part->material >= 0 ? (uint32_t)g->part->material
                                           : x->model->material_count;  // see mdx_export_materials
    out->lod = g->part->lod > 0 ? g->part->lod : 0;
    int32_t group = 0;
    mdx_read_settings(x, g->mesh->extras, geoset_flags, &out->selection_flags, "selectionGroup", &group);
    out->selection_group = (uint32_t)group;
    if (x->doc->version >= 900) out->lod_name = mdx_name_text(x, g->mesh->name, MDX_NAME_BYTES);
    if (!store_vectors(g, &g->mesh->positions->x, 3, &out->positions) || !store_normals(g, out) ||
        !store_faces(g, out) || !(g->has_skin ? store_skin(g, out) : store_groups(g, out)) || !store_uvs(g, out) ||
        !store_extents(g, out))
        return false;
    const bool has_tangents = g->mesh->tangents && x->doc->version >= 900;
    if (has_tangents && !store_vectors(g, &g->mesh->tangents->x, 4, &out->tangents)) return false;
    for (uint32_t i = 0; i < g->vertex_count; i++) g->new_of[g->vertices[i]] = -1;
    g->vertex_count = 0;
    g->faces = g->groups = (sni_list){ 0 };
    g->group_map = (sni_map){ 0 };
    return true;
}

static bool export_part(mdx_exporter *x, uint32_t index, const int32_t *bone_ids)
{
    const sn_part *part = &x->model->parts[index];
    const sn_mesh *mesh = &x->model->meshes[part->mesh];
    const uint32_t count = corners(mesh);
    geoset g = { .x = x, .mesh = mesh, .part = part, .index = (int32_t)index, .bone_ids = bone_ids };
    g.has_skin = x->doc->version >= 1000;
    g.most_vertices = x->doc->version < 900 ? CLASSIC_VERTICES : MOST_VERTICES;
    g.new_of = sni_new_raw(x->arena, int32_t, mesh->vertex_count);
    g.vertices = sni_new_raw(x->arena, uint32_t, mesh->vertex_count);
    g.group_of = sni_new(x->arena, uint8_t, mesh->vertex_count);
    if (!g.new_of || !g.vertices || !g.group_of) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) g.new_of[i] = -1;
    for (uint32_t i = 0; i + count <= mesh->index_count; i += count) {
        const uint32_t *face = mesh->indices + i;
        if (!has_room(&g, face, count) && !store_geoset(&g)) return false;
        if (!add_face(&g, face, count)) return false;
    }
    return g.vertex_count == 0 || store_geoset(&g);
}

// A bone names the one geoset that it moves, and what animates that; -1: none or several.
static bool name_geosets(mdx_exporter *x)
{
    const mdx_geoset *geosets = x->doc->geosets.items;
    const mdx_geoset_anim *anims = x->doc->geoset_anims.items;
    mdx_bone *bones = x->doc->bones.items;
    int32_t *anim_of = sni_new_raw(x->arena, int32_t, x->doc->geosets.count);
    bool *is_shared = sni_new(x->arena, bool, x->doc->bones.count);
    if (!anim_of || !is_shared) return false;
    for (uint32_t i = 0; i < x->doc->geosets.count; i++) anim_of[i] = -1;
    for (uint32_t i = 0; i < x->doc->geoset_anims.count;
         i++)  // one that is transparent for good hides more than its geoset
        if (anims[i].alpha > 0.0f || anims[i].item.tracks.count > 0) anim_of[anims[i].geoset] = (int32_t)i;
    for (uint32_t i = 0; i < x->doc->geosets.count; i++)
        for (uint32_t k = 0; k < geosets[i].matrices.count; k++) {
            const uint32_t id = sni_load_u32(geosets[i].matrices.data + 4 * (size_t)k);  // bones come first
            if (bones[id].geoset >= 0 && bones[id].geoset != (int32_t)i) is_shared[id] = true;
            bones[id].geoset = (int32_t)i;
        }
    for (uint32_t i = 0; i < x->doc->bones.count; i++) {
        if (is_shared[i]) bones[i].geoset = -1;
        bones[i].geoset_anim = bones[i].geoset >= 0 ? anim_of[bones[i].geoset] : -1;
    }
    return true;
}

// Geoset animations

static bool is_hidden_at_rest(const mdx_exporter *x, const sn_part *part)
{
    return x->nodes[part->node].is_hidden || (part->is_hidden && !x->nodes[part->node].is_shown);
}

// What decides alpha: that of the part, its visibility and that of every node above it.
typedef struct alpha_sources {
    const sn_track *alpha;
    sni_list shown;  // const sn_track *
} alpha_sources;

static bool add_shown(const mdx_exporter *x, const sn_track *track, alpha_sources *out)
{
    const sn_track **slot = track ? sni_push(x->arena, &out->shown, const sn_track *) : NULL;
    if (slot) *slot = track;
    return slot || !track;
}

// Only nodes with a track of visibility are visited, and of a longer chain of them the nearest.
static bool find_sources(mdx_exporter *x, const sn_part *part, int32_t index, uint32_t clip, alpha_sources *out)
{
    enum { MOST_SHOWN = 64 };
    out->alpha = mdx_find_clip_track(x, clip, SN_TARGET_PART, index, 0, SN_CHANNEL_ALPHA);
    out->shown.count = 0;
    if (!add_shown(x, mdx_find_clip_track(x, clip, SN_TARGET_PART, index, 0, SN_CHANNEL_VISIBILITY), out)) return false;
    for (int32_t node = x->nodes[part->node].shown_by; node >= 0;) {
        if (out->shown.count == MOST_SHOWN) {
            x->lost_switches++;
            break;
        }
        if (!add_shown(x, mdx_find_clip_track(x, clip, SN_TARGET_NODE, node, 0, SN_CHANNEL_VISIBILITY), out))
            return false;
        const int32_t parent = x->model->nodes[node].parent;
        node = parent >= 0 ? x->nodes[parent].shown_by : -1;
    }
    return true;
}

static bool is_shown_at(const alpha_sources *s, float time, float duration)
{
    for (uint32_t i = 0; i < s->shown.count; i++) {
        float value = 1.0f;
        sni_track_sample(((const sn_track **)s->shown.items)[i], time, duration, time, &value);
        if (!(value > 0.0f)) return false;
    }
    return true;
}

// One stepped track that shows alpha where all visibilities show the part. Alpha that moves between its keys is taken
// at the keys alone.
static bool combine_alpha(mdx_exporter *x, const alpha_sources *s, float rest, float duration, sn_track *out)
{
    uint64_t total = 1 + (s->alpha ? s->alpha->key_count : 0);
    const sn_track *const *shown = s->shown.items;
    for (uint32_t i = 0; i < s->shown.count; i++) total += shown[i]->key_count;
    float *times = sni_new_raw(x->arena, float, total), *values = sni_new_raw(x->arena, float, total);
    uint32_t count = 1;
    if (!times || !values) return false;
    times[0] = 0.0f;
    for (uint32_t k = 0; s->alpha && k < s->alpha->key_count; k++) times[count++] = s->alpha->times[k];
    for (uint32_t i = 0; i < s->shown.count; i++)
        for (uint32_t k = 0; k < shown[i]->key_count; k++)
            if (shown[i]->times[k] >= 0.0f) times[count++] = shown[i]->times[k];
    count = sni_merge_key_times(times, count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = rest;
        if (s->alpha) sni_track_sample(s->alpha, times[i], duration, times[i], &values[i]);
        if (!is_shown_at(s, times[i], duration)) values[i] = 0.0f;
    }
    *out = (sn_track){ .channel = SN_CHANNEL_VISIBILITY,
                       .interpolation = SN_STEP,
                       .key_count = count,
                       .width = 1,
                       .times = times,
                       .values = values };
    return true;
}

// Whether alpha alone hides the part wherever a visibility does: so it is in models from Warcraft III.
static bool alpha_hides(const alpha_sources *s, float duration)
{
    for (uint32_t i = 0; s->alpha && i < s->shown.count; i++) {
        const sn_track *shown = ((const sn_track **)s->shown.items)[i];
        for (uint32_t k = 0; k < shown->key_count; k++) {
            float alpha = 1.0f;
            sni_track_sample(s->alpha, shown->times[k], duration, shown->times[k], &alpha);
            if (!(*sni_track_key(shown, k, SNI_KEY_VALUE) > 0.0f) && alpha > 0.0f) return false;
        }
    }
    return s->alpha != NULL;
}

static bool is_alpha_animated(const mdx_exporter *x, int32_t index)
{
    uint32_t alphas, switches;
    mdx_find_tracks(x, SN_TARGET_PART, index, 0, SN_CHANNEL_ALPHA, &alphas);
    mdx_find_tracks(x, SN_TARGET_PART, index, 0, SN_CHANNEL_VISIBILITY, &switches);
    return alphas > 0 || switches > 0 || x->nodes[x->model->parts[index].node].shown_by >= 0;
}

// One track per clip, where any has one. Returns false when memory ran out.
static bool export_alpha(mdx_exporter *x, int32_t index, sni_list *tracks)
{
    static const float start, hidden;
    const sn_model *model = x->model;
    const sn_part *part = &model->parts[index];
    const sn_track rest = { .interpolation = SN_STEP,
                            .key_count = 1,
                            .width = 1,
                            .times = &start,
                            .values = is_hidden_at_rest(x, part) ? &hidden : &part->color.w };
    alpha_sources s = { 0 };
    sni_list alphas = { 0 };
    if (!is_alpha_animated(x, index)) return true;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const float duration = model->clips[i].duration;
        sn_track made = rest;
        if (!find_sources(x, part, index, i, &s)) return false;
        const bool is_shown = s.shown.count == 0 ? !is_hidden_at_rest(x, part) : alpha_hides(&s, duration);
        if (s.alpha && is_shown) made = *s.alpha;
        else if (s.shown.count > 0 && !combine_alpha(x, &s, part->color.w, duration, &made)) return false;
        if (!mdx_add_clip_track(x, i, &made, &alphas)) return false;
    }
    return mdx_export_clip_tracks(x, &alphas, NULL, MDX_KGAO, tracks);
}

// Layers have no colour in the file: the geoset takes that of the first. Linear becomes sRGB.
static sn_vec3 color_of(const mdx_exporter *x, const sn_part *part)
{
    sn_vec3 color = { part->color.x, part->color.y, part->color.z };
    const sn_material *material = part->material >= 0 ? &x->model->materials[part->material] : NULL;
    if (!material || material->layer_count == 0) return color;
    const sn_vec4 *first = &material->layers[0].color;
    if (first->x == 1.0f && first->y == 1.0f && first->z == 1.0f) return color;
    color.x *= (float)sni_srgb_of(first->x);
    color.y *= (float)sni_srgb_of(first->y);
    color.z *= (float)sni_srgb_of(first->z);
    return color;
}

// Colours that color_of leaves out: of other layers, and tracks.
static uint64_t count_lost_colors(const mdx_exporter *x, const sn_part *part)
{
    const sn_material *material = part->material >= 0 ? &x->model->materials[part->material] : NULL;
    if (!material || material->layer_count == 0) return 0;
    const sn_vec4 *first = &material->layers[0].color;
    uint32_t lost;
    mdx_find_tracks(x, SN_TARGET_LAYER, part->material, 0, SN_CHANNEL_COLOR, &lost);
    for (uint32_t i = 1; i < material->layer_count; i++) {
        const sn_vec4 *other = &material->layers[i].color;
        lost += other->x != first->x || other->y != first->y || other->z != first->z;
    }
    return lost;
}

static bool export_geoset_anim(mdx_exporter *x, int32_t index, uint32_t geoset_index)
{
    const sn_part *part = &x->model->parts[index];
    const sn_vec3 rest = color_of(x, part);
    const mdx_source color = { SN_TARGET_PART, index, 0, SN_CHANNEL_COLOR, NULL, &part->color.x, NULL, NULL };
    sni_list tracks = { 0 };
    if (!export_alpha(x, index, &tracks)) return false;
    const bool is_animated = tracks.count > 0;
    if (!mdx_export_track(x, &color, MDX_KGAC, &tracks)) return false;
    const bool is_white = rest.x == 1.0f && rest.y == 1.0f && rest.z == 1.0f;
    const bool has_color = !is_white || mdx_tracks_of(&tracks).count > (uint32_t)is_animated;
    const bool is_hidden = is_hidden_at_rest(x, part);
    uint32_t shadow = 0;
    int32_t unused;
    mdx_read_settings(x, x->model->meshes[part->mesh].extras, shadow_flags, &shadow, "", &unused);
    if (!has_color && !is_animated && !is_hidden && part->color.w == 1.0f && !shadow) return true;
    mdx_geoset_anim *out = sni_push(x->arena, &x->doc->geoset_anims, mdx_geoset_anim);
    if (!out) return false;
    out->item.tracks = mdx_tracks_of(&tracks);
    out->alpha = is_hidden ? 0.0f : part->color.w;
    out->color = rest;
    out->flags = (has_color ? MDX_USE_COLOR : 0) | shadow;
    out->geoset = (int32_t)geoset_index;
    return true;
}

bool mdx_export_geosets(mdx_exporter *x)
{
    const sn_model *model = x->model;
    const sn_skin *skin = model->skin_count > 0 ? &model->skins[0] : NULL;
    const uint32_t joints = skin ? skin->joint_count : 0;
    const bool has_lods = x->doc->version >= 900;
    uint64_t empty = 0, colors = 0, layer_colors = 0, coarse = 0;
    int32_t *bone_ids = sni_new_raw(x->arena, int32_t, joints);
    if (!bone_ids) return false;
    for (uint32_t i = 0; i < joints; i++) bone_ids[i] = x->nodes[skin->joints[i]].object;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (!has_lods && model->parts[i].lod > 0) {
            coarse++;
            continue;
        }
        empty += mesh->index_count == 0;
        colors += mesh->color_count > 0;
        const uint32_t first = x->doc->geosets.count;
        if (!export_part(x, i, bone_ids)) return false;
        for (uint32_t k = first; k < x->doc->geosets.count; k++) {
            if (!export_geoset_anim(x, (int32_t)i, k)) return false;
            layer_colors += count_lost_colors(x, &model->parts[i]);
        }
    }
    sni_save_lose(x->save, "parts", empty, "parts without triangles were left out");
    sni_save_lose(x->save, "parts", coarse, "lower levels of detail were left out");
    sni_save_lose(x->save, "materials", layer_colors,
                  "animated layer colours, or those that differ from the first layer, were left out");
    sni_save_lose(x->save, "parts", colors, "vertex colours were left out");
    sni_save_lose(x->save, "clips", x->lost_switches,
                  "parts are hidden by too many nodes above them; the nearest count");
    return name_geosets(x);
}
