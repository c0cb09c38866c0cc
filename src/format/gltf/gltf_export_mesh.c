// Meshes to primitives: arrays to accessors, influences to sets of four, morphs to targets.
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_export.h"

static void add(gltf_export *export, gltf_attributes *attributes, const char *name, int32_t accessor)
{
    if (accessor < 0) return;
    const char *kept = sni_copy_text(&export->save->scratch, name, strlen(name));
    if (kept) attributes->items[attributes->count++] = (gltf_attribute){ kept, accessor };
}

static void add_set(gltf_export *export, gltf_attributes *attributes, const char *kind, uint32_t set, int32_t accessor)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%u", kind, set);
    add(export, attributes, name, accessor);
}

static const float *blank_set(gltf_export *export, uint64_t count, float value, float **blank)
{
    if (!*blank) {
        *blank = sni_new_raw(&export->save->scratch, float, count);
        for (uint64_t i = 0; *blank && i < count; i++) (*blank)[i] = value;
    }
    return *blank;
}

// Colours are from 0 to 1 in glTF.
static const float *fit_colors(gltf_export *export, const float *colors, uint64_t count)
{
    bool fits = true;
    for (uint64_t i = 0; i < count && fits; i++) fits = colors[i] >= 0.0f && colors[i] <= 1.0f;
    if (fits) return colors;
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "colours of vertices below 0 or above 1");
    float *fitted = sni_new_raw(&export->save->scratch, float, count);
    for (uint64_t i = 0; fitted && i < count; i++)
        fitted[i] = colors[i] > 0.0f ? (colors[i] < 1.0f ? colors[i] : 1.0f) : 0.0f;
    return fitted;
}

// Sets are numbered without gaps: one that is missing below another is written as zeros, and of colours as white.
static bool add_sets(gltf_export *export, const sn_mesh *mesh, gltf_attributes *attributes)
{
    gltf_pack *pack = &export->pack;
    uint32_t count = mesh->vertex_count, uv_count = mesh->uv_count, color_count = mesh->color_count;
    float *no_uvs = NULL, *white = NULL;
    while (uv_count > 0 && !mesh->uvs[uv_count - 1]) uv_count--;
    while (color_count > 0 && !mesh->colors[color_count - 1]) color_count--;
    for (uint32_t i = 0; i < uv_count; i++) {
        const float *uvs = mesh->uvs[i] ? &mesh->uvs[i]->x : blank_set(export, (uint64_t)count * 2, 0.0f, &no_uvs);
        if (!uvs) return false;
        add_set(export, attributes, "TEXCOORD", i, gltf_pack_floats(pack, GLTF_VERTEX_8, uvs, count, GLTF_VEC2, false));
    }
    for (uint32_t i = 0; i < color_count; i++) {
        const float *colors = mesh->colors[i] ? fit_colors(export, &mesh->colors[i]->x, (uint64_t)count * 4)
                                              : blank_set(export, (uint64_t)count * 4, 1.0f, &white);
        if (!colors) return false;
        add_set(export, attributes, "COLOR", i,
                gltf_pack_floats(pack, GLTF_VERTEX_16, colors, count, GLTF_VEC4, false));
    }
    return true;
}

// The non-zero influences of a vertex side by side, their floats summing to 1 as nearly as floats can.
static uint32_t compact(const sn_mesh *mesh, uint32_t vertex, uint16_t *joints, float *weights)
{
    uint64_t at = (uint64_t)vertex * mesh->influence_count;
    uint32_t count = 0, largest = 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        if (!(mesh->vertex_weights[at + i] > 0.0f)) continue;
        joints[count] = mesh->vertex_joints[at + i];
        weights[count] = mesh->vertex_weights[at + i];
        if (weights[count] > weights[largest]) largest = count;
        count++;
    }
    float rest = 1.0f;
    for (uint32_t i = 0; i < count; i++) rest -= i == largest ? 0.0f : weights[i];
    if (count > 0) weights[largest] = rest;
    return count;
}

static uint32_t most_influences(const sn_mesh *mesh)
{
    uint32_t most = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < mesh->influence_count; i++)
            count += mesh->vertex_weights[(uint64_t)v * mesh->influence_count + i] > 0.0f;
        most = count > most ? count : most;
    }
    return most;
}

static bool add_influences(gltf_export *export, const sn_mesh *mesh, gltf_attributes *attributes)
{
    sni_arena *arena = &export->save->scratch;
    uint32_t count = mesh->vertex_count, sets = (most_influences(mesh) + 3) / 4;
    uint32_t highest = 0;
    uint16_t *packed_joints = sni_new(arena, uint16_t, (uint64_t)count * sets * 4),
             *joints = sni_new(arena, uint16_t, mesh->influence_count);
    float *packed_weights = sni_new(arena, float, (uint64_t)count *sets * 4),
          *weights = sni_new(arena, float, mesh->influence_count);
    uint8_t *small = sni_new_raw(arena, uint8_t, (uint64_t)count * 4);
    if (!packed_joints || !joints || !packed_weights || !weights || !small) return false;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t used = compact(mesh, v, joints, weights);
        for (uint32_t i = 0; i < used; i++) {
            uint64_t at = ((uint64_t)(i / 4) * count + v) * 4 + i % 4;  // set after set
            packed_joints[at] = joints[i];
            packed_weights[at] = weights[i];
            highest = joints[i] > highest ? joints[i] : highest;
        }
    }
    for (uint32_t set = 0; set < sets; set++) {
        const uint16_t *set_joints = packed_joints + (uint64_t)set * count * 4;
        const float *set_weights = packed_weights + (uint64_t)set * count * 4;
        if (highest < 256) {
            for (uint64_t i = 0; i < (uint64_t)count * 4; i++) small[i] = (uint8_t)set_joints[i];
            add_set(export, attributes, "JOINTS", set,
                    gltf_pack_integers(&export->pack, GLTF_VERTEX_4, small, count, GLTF_VEC4, GLTF_U8));
        } else {
            add_set(export, attributes, "JOINTS", set,
                    gltf_pack_integers(&export->pack, GLTF_VERTEX_8, set_joints, count, GLTF_VEC4, GLTF_U16));
        }
        add_set(export, attributes, "WEIGHTS", set,
                gltf_pack_floats(&export->pack, GLTF_VERTEX_16, set_weights, count, GLTF_VEC4, false));
    }
    return true;
}

static bool add_targets(gltf_export *export, const sn_mesh *mesh, gltf_primitive *primitive)
{
    gltf_pack *pack = &export->pack;
    sni_arena *arena = &export->save->scratch;
    primitive->targets = sni_new(arena, gltf_attributes, mesh->morph_count);
    float *nothing = NULL;
    if (!primitive->targets) return false;
    primitive->target_count = mesh->morph_count;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_morph *morph = &mesh->morphs[i];
        gltf_attributes *target = &primitive->targets[i];
        target->items = sni_new(arena, gltf_attribute, 3);
        if (!target->items) return false;
        const float *positions = (const float *)morph->positions;
        bool has_normals = morph->normals && mesh->normals,
             has_tangents = has_normals && morph->tangents && mesh->tangents;
        if (!positions && !has_normals && !has_tangents) {  // a target must name something
            if (!nothing) nothing = sni_new(arena, float, (uint64_t)mesh->vertex_count * 3);
            positions = nothing;
        }
        if (positions)
            add(export, target, "POSITION",
                gltf_pack_floats(pack, GLTF_VERTEX_12, positions, mesh->vertex_count, GLTF_VEC3, true));
        if (has_normals)
            add(export, target, "NORMAL",
                gltf_pack_floats(pack, GLTF_VERTEX_12, &morph->normals->x, mesh->vertex_count, GLTF_VEC3, false));
        if (has_tangents)
            add(export, target, "TANGENT",
                gltf_pack_floats(pack, GLTF_VERTEX_12, &morph->tangents->x, mesh->vertex_count, GLTF_VEC3, false));
    }
    return true;
}

static int32_t material_of(const gltf_export *export, const sn_part *part)
{
    int32_t variant = export->variant_of[part - export->model->parts];
    return variant >= 0 ? ((const gltf_variant *)export->variants.items)[variant].written : -1;
}

static bool export_primitive(gltf_export *export, const sn_part *part, gltf_primitive *primitive)
{
    const sn_mesh *mesh = &export->model->meshes[part->mesh];
    static const uint32_t modes[] = {
        [SN_TRIANGLES] = GLTF_TRIANGLES, [SN_LINES] = GLTF_LINES, [SN_POINTS] = GLTF_POINTS
    };
    gltf_pack *pack = &export->pack;
    uint32_t count = mesh->vertex_count;
    *primitive = (gltf_primitive){ .mode = modes[mesh->topology] };
    uint32_t sets = part->skin >= 0 ? (mesh->influence_count + 3) / 4 : 0;
    primitive->attributes.items = sni_new(&export->save->scratch, gltf_attribute,
                                          3 + (uint64_t)mesh->uv_count + mesh->color_count + 2 * sets);
    if (!primitive->attributes.items) return false;
    gltf_attributes *attributes = &primitive->attributes;
    add(export, attributes, "POSITION",
        gltf_pack_floats(pack, GLTF_VERTEX_12, &mesh->positions->x, count, GLTF_VEC3, true));
    if (mesh->normals)
        add(export, attributes, "NORMAL",
            gltf_pack_floats(pack, GLTF_VERTEX_12, &mesh->normals->x, count, GLTF_VEC3, false));
    if (mesh->normals && mesh->tangents)
        add(export, attributes, "TANGENT",
            gltf_pack_floats(pack, GLTF_VERTEX_16, &mesh->tangents->x, count, GLTF_VEC4, false));
    if (!add_sets(export, mesh, attributes)) return false;
    if (part->skin >= 0 && !add_influences(export, mesh, attributes)) return false;
    primitive->indices = gltf_pack_indices(pack, mesh->indices, mesh->index_count, count);
    primitive->material = material_of(export, part);
    return (mesh->morph_count == 0 || add_targets(export, mesh, primitive)) && sni_save_ok(export->save);
}

static bool shows_the_same(const gltf_export *export, const gltf_group *a, const gltf_group *b)
{
    int32_t p = a->first_part, q = b->first_part;
    if ((a->skin >= 0) != (b->skin >= 0) || a->morph_count != b->morph_count) return false;
    for (; p >= 0 && q >= 0; p = export->next_part[p], q = export->next_part[q]) {
        const sn_part *x = &export->model->parts[p], *y = &export->model->parts[q];
        if (x->mesh != y->mesh || x->material != y->material) return false;
    }
    return p < 0 && q < 0;
}

static bool export_mesh(gltf_export *export, const gltf_group *group, gltf_mesh *out)
{
    const sn_part *first = &export->model->parts[group->first_part];
    const sn_mesh *mesh = &export->model->meshes[first->mesh];
    uint32_t count = 0;
    for (int32_t at = group->first_part; at >= 0; at = export->next_part[at]) count++;
    *out = (gltf_mesh){ .object = { .name = gltf_name_or_null(mesh->name), .extras = gltf_mesh_extras(export, mesh) } };
    out->primitives = sni_new(&export->save->scratch, gltf_primitive, count);
    if (!out->primitives) return false;
    for (int32_t at = group->first_part; at >= 0; at = export->next_part[at]) {
        if (!export_primitive(export, &export->model->parts[at], &out->primitives[out->primitive_count++]))
            return false;
    }
    if (group->morph_count > 0 && first->morph_weights) {
        float *weights = sni_new_raw(&export->save->scratch, float, group->morph_count);
        if (!weights) return false;
        memcpy(weights, first->morph_weights, group->morph_count * sizeof *weights);
        out->weights = (gltf_floats){ weights, group->morph_count };
    }
    return true;
}

// Groups that show the same meshes with the same materials share one mesh of the document.
bool gltf_export_meshes(gltf_export *export)
{
    sni_arena *arena = &export->save->scratch;
    sni_list meshes = { 0 };
    int32_t *last_with = sni_new_raw(arena, int32_t, export->model->mesh_count);  // by first mesh: its newest group
    int32_t *before = sni_new_raw(arena, int32_t, export->group_count);
    if (!last_with || !before) return false;
    for (uint32_t i = 0; i < export->model->mesh_count; i++) last_with[i] = -1;
    for (uint32_t i = 0; i < export->group_count; i++) {
        gltf_group *group = &export->groups[i];
        int32_t *newest = &last_with[export->model->parts[group->first_part].mesh];
        for (int32_t at = *newest, tries = 0; at >= 0 && group->mesh < 0 && tries < 64; at = before[at], tries++) {
            if (shows_the_same(export, &export->groups[at], group)) group->mesh = export->groups[at].mesh;
        }
        before[i] = *newest;
        *newest = (int32_t)i;
        if (group->mesh >= 0) continue;
        gltf_mesh *mesh = sni_push(arena, &meshes, gltf_mesh);
        if (!mesh || !export_mesh(export, group, mesh)) return false;
        group->mesh = (int32_t)meshes.count - 1;
    }
    export->doc->meshes = meshes.items;
    export->doc->mesh_count = meshes.count;
    return true;
}
