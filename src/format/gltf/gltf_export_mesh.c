// Parts to groups that one node shows, and those to meshes and skins: arrays to accessors, influences to sets of four,
// morphs to targets.
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_export.h"

bool gltf_is_drawn(const gltf_export *export, const sn_part *part)
{
    const sn_mesh *mesh = &export->model->meshes[part->mesh];
    return part->lod <= 0 && mesh->vertex_count > 0 && mesh->index_count > 0;
}

static bool has_weights_of(const gltf_export *export, const gltf_part_group *group, const sn_part *part)
{
    const float *a = export->model->parts[group->first_part].morph_weights, *b = part->morph_weights;
    for (uint32_t i = 0; a != b && i < group->morph_count; i++) {
        if ((a ? a[i] : 0.0f) != (b ? b[i] : 0.0f)) return false;
    }
    return true;
}

static int32_t find_group(const gltf_export *export, const sn_part *part, uint32_t morph_count)
{
    for (int32_t at = export->groups.first[part->node]; at >= 0; at = export->groups.items[at].next) {
        const gltf_part_group *group = &export->groups.items[at];
        bool is_alike = !group->is_switched && group->skin == part->skin && group->morph_count == morph_count;
        if (is_alike && has_weights_of(export, group, part)) return at;
    }
    return -1;
}

// Groups are in the order of their first part, so that loading the file gives the parts in nearly the same order.
bool gltf_group_parts(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    bool *is_switched = sni_new(arena, bool, model->part_count);  // hidden, or hidden and shown by a clip
    uint64_t left_out = 0;
    export->groups.items = sni_new(arena, gltf_part_group, model->part_count);
    export->groups.next_part = sni_new_raw(arena, int32_t, model->part_count);
    export->groups.of_part = sni_new_raw(arena, int32_t, model->part_count);
    export->groups.first = sni_new_raw(arena, int32_t, model->node_count);
    if (!is_switched || !export->groups.items || !export->groups.next_part || !export->groups.first ||
        !export->groups.of_part)
        return false;
    for (uint32_t i = 0; i < model->part_count; i++)
        is_switched[i] = model->parts[i].is_hidden || gltf_is_hidden_root_part(export, &model->parts[i]);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (track->target_kind == SN_TARGET_PART && track->channel == SN_CHANNEL_VISIBILITY)
                is_switched[track->target] = true;
        }
    }
    for (uint32_t i = 0; i < model->node_count; i++) export->groups.first[i] = -1;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        uint32_t morph_count = model->meshes[part->mesh].morph_count;
        export->groups.next_part[i] = export->groups.of_part[i] = -1;
        left_out += part->lod > 0;
        if (!gltf_is_drawn(export, part)) continue;
        int32_t at = is_switched[i] ? -1 : find_group(export, part, morph_count);
        if (at < 0) {
            at = (int32_t) export->groups.count++;
            export->groups.items[at] = (gltf_part_group){ .node = part->node,
                                                          .skin = part->skin,
                                                          .morph_count = morph_count,
                                                          .first_part = (int32_t)i,
                                                          .next = export->groups.first[part->node],
                                                          .mesh = -1,
                                                          .holder = -1,
                                                          .hider = -1,
                                                          .is_switched = is_switched[i] };
            export->groups.first[part->node] = at;
        } else {
            export->groups.next_part[export->groups.items[at].last_part] = (int32_t)i;
        }
        export->groups.items[at].last_part = (int32_t)i;
        export->groups.of_part[i] = at;
    }
    sni_enter(&export->save->diag, "parts", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, left_out, 0, "lower levels of detail were left out");
    sni_leave(&export->save->diag);
    return sni_save_ok(export->save);
}

// Attributes. An accessor of -1 is a failure, which the end of the primitive finds.

static void add_attribute(gltf_attributes *attributes, const char *name, int32_t accessor)
{
    if (accessor >= 0) attributes->items[attributes->count++] = (gltf_attribute){ .name = name, .accessor = accessor };
}

static void add_set(gltf_export *export, gltf_attributes *attributes, const char *kind, uint32_t set, int32_t accessor)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%u", kind, set);
    const char *copy = sni_copy_text(&export->save->scratch, name, strlen(name));
    if (copy) add_attribute(attributes, copy, accessor);
}

// `values` as they are, or `count` times `value` where there are none.
static const float *fill_missing(gltf_export *export, const float *values, uint64_t count, float value, float **fill)
{
    if (values) return values;
    if (!*fill) {
        *fill = sni_new_raw(&export->save->scratch, float, count);
        for (uint64_t i = 0; *fill && i < count; i++) (*fill)[i] = value;
    }
    return *fill;
}

// Colours are from 0 to 1 in glTF.
static const float *clamp_colors(gltf_export *export, const float *colors, uint64_t count)
{
    bool fits = true;
    for (uint64_t i = 0; i < count && fits; i++) fits = colors[i] >= 0.0f && colors[i] <= 1.0f;
    if (fits) return colors;
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "vertex colours were clamped to between 0 and 1");
    float *clamped = sni_new_raw(&export->save->scratch, float, count);
    for (uint64_t i = 0; clamped && i < count; i++)
        clamped[i] = colors[i] > 0.0f ? (colors[i] < 1.0f ? colors[i] : 1.0f) : 0.0f;
    return clamped;
}

// Sets are numbered without gaps: a missing one below another is written as zeros, or white for colours.
static bool add_sets(gltf_export *export, const sn_mesh *mesh, gltf_attributes *attributes)
{
    gltf_pack *pack = &export->pack;
    uint32_t count = mesh->vertex_count, uv_count = mesh->uv_count, color_count = mesh->color_count;
    float *zeros = NULL, *white = NULL;
    while (uv_count > 0 && !mesh->uvs[uv_count - 1]) uv_count--;
    while (color_count > 0 && !mesh->colors[color_count - 1]) color_count--;
    for (uint32_t i = 0; i < uv_count; i++) {
        const float *uvs = fill_missing(export, (const float *)mesh->uvs[i], (uint64_t)count * 2, 0.0f, &zeros);
        if (!uvs) return false;
        add_set(export, attributes, "TEXCOORD", i, gltf_pack_floats(pack, GLTF_VERTEX_8, uvs, count, GLTF_VEC2, false));
    }
    for (uint32_t i = 0; i < color_count; i++) {
        const float *colors = fill_missing(export, (const float *)mesh->colors[i], (uint64_t)count * 4, 1.0f, &white);
        if (colors) colors = clamp_colors(export, colors, (uint64_t)count * 4);
        if (!colors) return false;
        add_set(export, attributes, "COLOR", i,
                gltf_pack_floats(pack, GLTF_VERTEX_16, colors, count, GLTF_VEC4, false));
    }
    return true;
}

// The non-zero influences of a vertex, tightly packed, with weights that sum to 1 as nearly as floats can.
static uint32_t compact_influences(const sn_mesh *mesh, uint32_t vertex, uint16_t *joints, float *weights)
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

static bool add_influences(gltf_export *export, const sn_mesh *mesh, gltf_attributes *attributes)
{
    sni_arena *arena = &export->save->scratch;
    uint32_t count = mesh->vertex_count, most = 1, highest = 0;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t used = 0;
        for (uint32_t i = 0; i < mesh->influence_count; i++)
            used += mesh->vertex_weights[(uint64_t)v * mesh->influence_count + i] > 0.0f;
        most = used > most ? used : most;
    }

    // Set after set, each with four joints and weights per vertex.
    uint32_t sets = (most + 3) / 4;
    uint64_t per_set = (uint64_t)count * 4;
    uint16_t *packed_joints = sni_new(arena, uint16_t, per_set * sets),
             *joints = sni_new(arena, uint16_t, mesh->influence_count);
    float *packed_weights = sni_new(arena, float, per_set *sets),
          *weights = sni_new(arena, float, mesh->influence_count);
    if (!packed_joints || !joints || !packed_weights || !weights) return false;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t used = compact_influences(mesh, v, joints, weights);
        for (uint32_t i = 0; i < used; i++) {
            uint64_t at = i / 4 * per_set + (uint64_t)v * 4 + i % 4;
            packed_joints[at] = joints[i];
            packed_weights[at] = weights[i];
            highest = joints[i] > highest ? joints[i] : highest;
        }
    }
    for (uint32_t set = 0; set < sets; set++) {
        const uint16_t *set_joints = packed_joints + set * per_set;
        bool is_small = highest < 256;
        uint8_t *small = is_small ? sni_new_raw(arena, uint8_t, per_set) : NULL;
        if (is_small && !small) return false;
        for (uint64_t i = 0; is_small && i < per_set; i++) small[i] = (uint8_t)set_joints[i];
        int32_t joints_at = is_small
                                ? gltf_pack_integers(&export->pack, GLTF_VERTEX_4, small, count, GLTF_VEC4, GLTF_U8)
                                : gltf_pack_integers(&export->pack, GLTF_VERTEX_8, set_joints, count, GLTF_VEC4,
                                                     GLTF_U16);
        add_set(export, attributes, "JOINTS", set, joints_at);
        add_set(export, attributes, "WEIGHTS", set,
                gltf_pack_floats(&export->pack, GLTF_VERTEX_16, packed_weights + set * per_set, count, GLTF_VEC4,
                                 false));
    }
    return true;
}

static bool add_targets(gltf_export *export, const sn_mesh *mesh, gltf_primitive *primitive)
{
    gltf_pack *pack = &export->pack;
    sni_arena *arena = &export->save->scratch;
    uint32_t count = mesh->vertex_count;
    float *zeros = NULL;
    primitive->targets = sni_new(arena, gltf_attributes, mesh->morph_count);
    if (!primitive->targets) return false;
    primitive->target_count = mesh->morph_count;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_morph *morph = &mesh->morphs[i];
        gltf_attributes *target = &primitive->targets[i];
        const float *positions = (const float *)morph->positions;
        bool has_normals = morph->normals && mesh->normals;
        bool has_tangents = has_normals && morph->tangents && mesh->tangents;
        target->items = sni_new(arena, gltf_attribute, 3);
        if (!target->items) return false;
        if (!has_normals) positions = fill_missing(export, positions, (uint64_t)count * 3, 0.0f, &zeros);  // not empty
        if (positions)
            add_attribute(target, "POSITION",
                          gltf_pack_floats(pack, GLTF_VERTEX_12, positions, count, GLTF_VEC3, true));
        if (has_normals)
            add_attribute(target, "NORMAL",
                          gltf_pack_floats(pack, GLTF_VERTEX_12, &morph->normals->x, count, GLTF_VEC3, false));
        if (has_tangents)
            add_attribute(target, "TANGENT",
                          gltf_pack_floats(pack, GLTF_VERTEX_12, &morph->tangents->x, count, GLTF_VEC3, false));
    }
    return true;
}

static bool export_primitive(gltf_export *export, int32_t part_index, gltf_primitive *primitive)
{
    static const uint32_t modes[] = {
        [SN_TRIANGLES] = GLTF_TRIANGLES, [SN_LINES] = GLTF_LINES, [SN_POINTS] = GLTF_POINTS
    };
    const sn_part *part = &export->model->parts[part_index];
    const sn_mesh *mesh = &export->model->meshes[part->mesh];
    const gltf_variant *variants = export->variants.list.items;
    gltf_pack *pack = &export->pack;
    uint32_t count = mesh->vertex_count, sets = part->skin >= 0 ? (mesh->influence_count + 3) / 4 : 0;
    int32_t variant = export->variants.of_part[part_index];
    gltf_attributes *attributes = &primitive->attributes;
    *primitive = gltf_default_primitive;
    primitive->mode = modes[mesh->topology];
    attributes->items = sni_new(&export->save->scratch, gltf_attribute,
                                3 + (uint64_t)mesh->uv_count + mesh->color_count + 2 * sets);
    if (!attributes->items) return false;
    add_attribute(attributes, "POSITION",
                  gltf_pack_floats(pack, GLTF_VERTEX_12, &mesh->positions->x, count, GLTF_VEC3, true));
    if (mesh->normals)
        add_attribute(attributes, "NORMAL",
                      gltf_pack_floats(pack, GLTF_VERTEX_12, &mesh->normals->x, count, GLTF_VEC3, false));
    if (mesh->normals && mesh->tangents)
        add_attribute(attributes, "TANGENT",
                      gltf_pack_floats(pack, GLTF_VERTEX_16, &mesh->tangents->x, count, GLTF_VEC4, false));
    if (!add_sets(export, mesh, attributes)) return false;
    if (part->skin >= 0 && !add_influences(export, mesh, attributes)) return false;
    primitive->indices = gltf_pack_indices(pack, mesh->indices, mesh->index_count, count);
    primitive->material = variant >= 0 ? variants[variant].written : -1;
    return (mesh->morph_count == 0 || add_targets(export, mesh, primitive)) && sni_save_ok(export->save);
}

// extras.targetNames holds the names of the morphs, if they have any.
static const char *export_mesh_extras(gltf_export *export, const sn_mesh *mesh)
{
    bool has_names = false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) has_names = has_names || mesh->morphs[i].name[0];
    if (!has_names) return gltf_export_extras(export, mesh->extras, GLTF_AROUND_ELEMENT);
    const char **names = sni_new_raw(&export->save->scratch, const char *, mesh->morph_count);
    for (uint32_t i = 0; names && i < mesh->morph_count; i++) names[i] = mesh->morphs[i].name;
    return names ? gltf_extend_extras(export, mesh->extras, "targetNames", names, mesh->morph_count, true) : NULL;
}

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

// Meshes that become primitives of one: it has the name and extras of the first, those that differ are marked with
// theirs.
static bool export_mesh(gltf_export *export, const gltf_part_group *group, gltf_mesh *out)
{
    const sn_part *first = &export->model->parts[group->first_part];
    const sn_mesh *mesh = &export->model->meshes[first->mesh];
    uint32_t count = 0;
    for (int32_t at = group->first_part; at >= 0; at = export->groups.next_part[at]) count++;
    *out = (gltf_mesh){ .object = { .name = gltf_name_or_null(mesh->name),
                                    .extras = export_mesh_extras(export, mesh) } };
    out->primitives = sni_new(&export->save->scratch, gltf_primitive, count);
    if (!out->primitives) return false;
    for (int32_t at = group->first_part; at >= 0; at = export->groups.next_part[at]) {
        gltf_primitive *primitive = &out->primitives[out->primitive_count++];
        if (!export_primitive(export, at, primitive)) return false;
        const sn_mesh *own = &export->model->meshes[export->model->parts[at].mesh];
        if (strcmp(own->name, mesh->name) == 0 && is_same_text(own->extras, mesh->extras)) continue;
        const char *extras = gltf_export_extras(export, own->extras, GLTF_AROUND_PRIMITIVE);
        primitive->object.extras = gltf_extend_extras(export, extras, GLTF_NAME_MARK, &own->name, 1, false);
    }
    if (group->morph_count == 0 || !first->morph_weights) return true;
    float *weights = sni_new_raw(&export->save->scratch, float, group->morph_count);
    if (!weights) return false;
    memcpy(weights, first->morph_weights, group->morph_count * sizeof *weights);
    out->weights = (gltf_floats){ weights, group->morph_count };
    return true;
}

static bool shows_the_same(const gltf_export *export, const gltf_part_group *a, const gltf_part_group *b)
{
    int32_t p = a->first_part, q = b->first_part;
    if ((a->skin >= 0) != (b->skin >= 0) || a->morph_count != b->morph_count) return false;
    for (; p >= 0 && q >= 0; p = export->groups.next_part[p], q = export->groups.next_part[q]) {
        const sn_part *x = &export->model->parts[p], *y = &export->model->parts[q];
        if (x->mesh != y->mesh || x->material != y->material) return false;
    }
    return p < 0 && q < 0;
}

// Groups that show the same meshes with the same materials share one mesh of the document.
bool gltf_export_meshes(gltf_export *export)
{
    sni_arena *arena = &export->save->scratch;
    sni_list meshes = { 0 };
    int32_t *newest_of = sni_new_raw(arena, int32_t, export->model->mesh_count);  // by first mesh: its newest group
    int32_t *before = sni_new_raw(arena, int32_t, export->groups.count);
    if (!newest_of || !before) return false;
    for (uint32_t i = 0; i < export->model->mesh_count; i++) newest_of[i] = -1;
    for (uint32_t i = 0; i < export->groups.count; i++) {
        gltf_part_group *group = &export->groups.items[i];
        int32_t *newest = &newest_of[export->model->parts[group->first_part].mesh];
        for (int32_t at = *newest, tries = 0; at >= 0 && group->mesh < 0 && tries < 64; at = before[at], tries++) {
            if (shows_the_same(export, &export->groups.items[at], group)) group->mesh = export->groups.items[at].mesh;
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

// Skins: only those that bend something.

// A node must not be a joint twice: a node below it is the second. Of a copy, it is one too.
static int32_t add_twin(gltf_export *export, int32_t joint, int32_t of)
{
    char text[64];
    int32_t twin = gltf_add_helper(export, of, ".twin");
    if (twin < 0 || !gltf_link_nodes(export, joint, twin)) return -1;
    snprintf(text, sizeof text, "{\"" GLTF_COPY_MARK "\":%d}", of);
    if (joint != of)
        gltf_node_at(export, twin)->object.extras = sni_copy_text(&export->save->scratch, text, strlen(text));
    return twin;
}

// `binds` is NULL until a skin of this source was written. used_by: the last skin that has a node as a joint.
static bool export_skin(gltf_export *export, const sn_skin *source, const int32_t *from, int32_t number,
                        int32_t *used_by, float **binds, gltf_skin *skin)
{
    sni_arena *arena = &export->save->scratch;
    int32_t *joints = sni_new_raw(arena, int32_t, source->joint_count);
    if (!*binds) {
        *binds = sni_new(arena, float, (uint64_t)source->joint_count * 16);
        for (uint32_t i = 0; *binds && i < source->joint_count; i++) {
            float *columns = *binds + (size_t)i * 16;
            for (int c = 0; c < 4; c++) {
                for (int r = 0; r < 3; r++) columns[c * 4 + r] = source->inverse_bind[i].m[r][c];
            }
            columns[15] = 1.0f;
        }
    }
    if (!*binds || !joints) return false;
    for (uint32_t i = 0; i < source->joint_count; i++) {
        joints[i] = used_by[from[i]] == number ? add_twin(export, from[i], source->joints[i]) : from[i];
        if (joints[i] < 0) return false;
        used_by[from[i]] = number;
    }
    *skin = (gltf_skin){ .object.name = gltf_name_or_null(source->name),
                         .joints = { joints, source->joint_count },
                         .skeleton = -1,
                         .inverse_binds = gltf_pack_floats(&export->pack, GLTF_BINDS, *binds, source->joint_count,
                                                           GLTF_MAT4, false) };
    return true;
}

// A skin is written once as it is, and once for each hider.
bool gltf_export_skins(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    gltf_hider *hiders = export->hiders.items;
    gltf_skin *skins = sni_new(arena, gltf_skin, (uint64_t)model->skin_count + export->hiders.count);
    int32_t *skin_of = sni_new_raw(arena, int32_t, model->skin_count);  // of the document; -1: not yet written
    int32_t *used_by = sni_new_raw(arena, int32_t, export->nodes.count);
    float **binds = sni_new(arena, float *, model->skin_count);
    uint32_t count = 0, node_count = export->nodes.count;
    if (!skins || !skin_of || !used_by || !binds) return false;
    for (uint32_t i = 0; i < model->skin_count; i++) skin_of[i] = -1;
    for (uint32_t i = 0; i < node_count; i++) used_by[i] = -1;
    for (uint32_t i = 0; i < export->groups.count; i++) {
        const gltf_part_group *group = &export->groups.items[i];
        if (group->skin < 0) continue;
        const sn_skin *source = &model->skins[group->skin];
        gltf_hider *hider = group->hider >= 0 && hiders[group->hider].joints ? &hiders[group->hider] : NULL;
        int32_t *written = hider ? &hider->written : &skin_of[group->skin];
        if (*written < 0) {
            if (!export_skin(export, source, hider ? hider->joints : source->joints, (int32_t)count, used_by,
                             &binds[group->skin], &skins[count]))
                return false;
            *written = (int32_t)count++;
        }
        gltf_node_at(export, group->holder)->skin = *written;
    }
    export->doc->skins = skins;
    export->doc->skin_count = count;
    return true;
}
