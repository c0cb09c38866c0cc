// Elements come in any order, with references to anything; they leave sorted, with every reference valid.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/builder.h"
#include "model/sanitize.h"
#include "model/track.h"

// Nodes: parents before children, cycles cut

static void fix_parents(sni_builder *b, sn_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = nodes[i].parent;
        if (parent >= 0 && parent < (int32_t)count && b->left_out && b->left_out[parent]) parent = nodes[i].parent = -1;
        if (parent >= -1 && parent < (int32_t)count) continue;
        sni_enter_named(b->diag, "nodes", i, nodes[i].name);
        sni_warn(b->diag, SNI_WARN_NODE_PARENT, 0, "parent %d of %u nodes", parent, count);
        sni_leave(b->diag);
        nodes[i].parent = -1;
    }
}

// Marks each chain of parents with its own number: meeting that number again is a loop, any other is settled.
static bool cut_loops(sni_builder *b, sn_node *nodes, uint32_t count)
{
    uint32_t *seen = sni_new(b->scratch, uint32_t, count);
    if (!seen) return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t at = (int32_t)i;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = i + 1;
            int32_t parent = nodes[at].parent;
            if (parent >= 0 && seen[parent] == i + 1) {
                sni_enter_named(b->diag, "nodes", at, nodes[at].name);
                sni_warn(b->diag, SNI_WARN_NODE_CYCLE, 0, "node %d is its own ancestor through node %d", at, parent);
                sni_leave(b->diag);
                nodes[at].parent = -1;
            }
            at = nodes[at].parent;
        }
    }
    return sni_builder_ok(b);
}

// Depth first, roots and brothers in the file's order: a parent is met before its children, and a file that is
// already in such an order keeps it. new_of[old] is the place of each, -1 of those that are left out.
static bool order_nodes(sni_builder *b, const sn_node *nodes, uint32_t count, int32_t *new_of, uint32_t *kept)
{
    bool is_sorted = true;
    *kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_kept = !b->left_out || !b->left_out[i];
        is_sorted = is_sorted && nodes[i].parent < (int32_t)i;
        new_of[i] = is_kept ? (int32_t)*kept : -1;
        *kept += is_kept;
    }
    if (is_sorted) return true;
    int32_t *first_child = sni_new_raw(b->scratch, int32_t, (uint64_t)count + 1);
    int32_t *next_brother = sni_new_raw(b->scratch, int32_t, (uint64_t)count + 1);
    if (!first_child || !next_brother) return false;
    for (uint32_t i = 0; i <= count; i++) first_child[i] = next_brother[i] = -1;
    for (uint32_t i = count; i-- > 0;) {  // the roots hang below an extra node at the end
        if (new_of[i] < 0) continue;
        uint32_t parent = nodes[i].parent < 0 ? count : (uint32_t)nodes[i].parent;
        next_brother[i] = first_child[parent];
        first_child[parent] = (int32_t)i;
    }
    int32_t placed = 0, at = first_child[count];
    while (at >= 0) {
        new_of[at] = placed++;
        int32_t next = first_child[at];
        while (next < 0 && at >= 0) {
            next = next_brother[at];
            at = nodes[at].parent;
        }
        at = next;
    }
    return true;
}

static void renumber(int32_t *index, const int32_t *new_of)
{
    if (*index >= 0) *index = new_of[*index];
}

// Each node to its place, in the same array; those that are left out end up behind the others. Nodes that follow each
// other into place are moved through one gap.
static bool move_nodes(sni_builder *b, sn_node *nodes, uint32_t count, const int32_t *new_of, uint32_t kept)
{
    uint32_t *from = sni_new_raw(b->scratch, uint32_t, count), behind = kept;  // by place: the node that goes there
    if (!from) return false;
    for (uint32_t i = 0; i < count; i++) {
        from[new_of[i] >= 0 ? (uint32_t)new_of[i] : behind++] = i;
        renumber(&nodes[i].parent, new_of);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (from[i] == i) continue;
        const sn_node first = nodes[i];
        uint32_t gap = i;
        for (uint32_t next = from[gap]; next != i; next = from[gap]) {
            nodes[gap] = nodes[next];
            from[gap] = gap;
            gap = next;
        }
        nodes[gap] = first;
        from[gap] = gap;
    }
    return true;
}

// References to nodes are checked here, once for all formats; what names no node becomes -1.
static void fix_reference(sni_builder *b, const char *where, uint32_t index, const char *name, int32_t *node,
                          uint32_t count)
{
    if (*node >= -1 && *node < (int32_t)count) return;
    sni_enter_named(b->diag, where, index, name);
    sni_warn(b->diag, SNI_WARN_REFERENCE, 0, "node %d of %u", *node, count);
    sni_leave(b->diag);
    *node = -1;
}

static void renumber_users(sni_builder *b, sn_model *model, const int32_t *new_of, uint32_t count)
{
    sn_part *parts = sni_mut(sn_part, model->parts);
    for (uint32_t i = 0; i < model->part_count; i++) {
        fix_reference(b, "parts", i, NULL, &parts[i].node, count);
        renumber(&parts[i].node, new_of);
    }
    for (uint32_t i = 0; i < model->skin_count; i++) {
        int32_t *joints = sni_mut(int32_t, model->skins[i].joints);
        for (uint32_t j = 0; j < model->skins[i].joint_count; j++) {
            fix_reference(b, "skins", i, model->skins[i].name, &joints[j], count);
            renumber(&joints[j], new_of);
        }
    }
    sn_camera *cameras = sni_mut(sn_camera, model->cameras);
    for (uint32_t i = 0; i < model->camera_count; i++) {
        fix_reference(b, "cameras", i, cameras[i].name, &cameras[i].node, count);
        renumber(&cameras[i].node, new_of);
    }
    sn_light *lights = sni_mut(sn_light, model->lights);
    for (uint32_t i = 0; i < model->light_count; i++) {
        fix_reference(b, "lights", i, lights[i].name, &lights[i].node, count);
        renumber(&lights[i].node, new_of);
    }
    sn_event *events = sni_mut(sn_event, model->events);
    for (uint32_t i = 0; i < model->event_count; i++) {
        fix_reference(b, "events", i, events[i].name, &events[i].node, count);
        renumber(&events[i].node, new_of);
    }
    sn_shape *shapes = sni_mut(sn_shape, model->shapes);
    for (uint32_t i = 0; i < model->shape_count; i++) {
        fix_reference(b, "shapes", i, shapes[i].name, &shapes[i].node, count);
        renumber(&shapes[i].node, new_of);
    }
    sn_attachment *attachments = sni_mut(sn_attachment, model->attachments);
    for (uint32_t i = 0; i < model->attachment_count; i++) {
        fix_reference(b, "attachments", i, attachments[i].name, &attachments[i].node, count);
        renumber(&attachments[i].node, new_of);
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_mut(sn_track, model->clips[i].tracks);
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            if (tracks[t].target_kind != SN_TARGET_NODE) continue;
            if (tracks[t].target >= (int32_t)count) tracks[t].target = -1;  // finish_clip drops it
            renumber(&tracks[t].target, new_of);
        }
    }
}

// A scene lists roots, each once. In place of somebody's child the root above it is listed, so that it is shown below
// its parents. last_scene holds, for each root, the scene that listed it last.
static void finish_scene(sni_builder *b, uint32_t index, sn_scene *scene, const int32_t *new_of, uint32_t count,
                         const int32_t *root_of, uint32_t *last_scene)
{
    int32_t *roots = sni_mut(int32_t, scene->roots);
    uint32_t kept = 0;
    sni_enter_named(b->diag, "scenes", index, scene->name);
    for (uint32_t i = 0; i < scene->root_count; i++) {
        int32_t node = roots[i];
        if (node < 0 || node >= (int32_t)count || new_of[node] < 0) {
            sni_warn(b->diag, SNI_WARN_REFERENCE, 0, "node %d of %u", node, count);
            continue;
        }
        int32_t root = root_of[new_of[node]];
        if (root != new_of[node]) sni_warn(b->diag, SNI_WARN_SCENE_ROOT, 0, "node %d has a parent", node);
        if (last_scene[root] == index + 1) continue;
        last_scene[root] = index + 1;
        roots[kept++] = root;
    }
    sni_leave(b->diag);
    scene->root_count = kept;
}

static bool finish_scenes(sni_builder *b, sn_model *model, const int32_t *new_of, uint32_t count)
{
    sn_scene *scenes = sni_mut(sn_scene, model->scenes);
    int32_t *root_of = sni_new_raw(b->scratch, int32_t, model->node_count);
    uint32_t *last_scene = sni_new(b->scratch, uint32_t, model->node_count);
    if (!root_of || !last_scene) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        root_of[i] = parent < 0 ? (int32_t)i : root_of[parent];
    }
    for (uint32_t i = 0; i < model->scene_count; i++)
        finish_scene(b, i, &scenes[i], new_of, count, root_of, last_scene);
    return true;
}

static void fix_node(sni_builder *b, sn_node *node, uint32_t index)
{
    sni_sanitize fixes = { 0 };
    sn_mat34 *matrix = sni_mut(sn_mat34, node->matrix);
    sni_sanitize_floats(&fixes, &node->rest.translation.x, 10);  // rotation and scale too
    if (matrix) sni_sanitize_floats(&fixes, &matrix->m[0][0], 12);
    if (!sni_is_unit(sni_length_squared((const float *)&node->rest.rotation, 4)))
        sni_sanitize_rotation(&fixes, &node->rest.rotation);
    if (!node->name) node->name = "";
    if (fixes.not_finite + fixes.not_unit == 0) return;
    sni_enter_named(b->diag, "nodes", index, node->name);
    sni_sanitize_report(b->diag, &fixes, 0);
    sni_leave(b->diag);
}

bool sni_finish_nodes(sni_builder *b, sn_model *model)
{
    uint32_t count = model->node_count, kept;
    if (count > INT32_MAX - 1) return sni_fail(b->diag, SN_ERR_LIMIT, 0, "%u nodes", count);
    sn_node *nodes = sni_mut(sn_node, model->nodes);
    fix_parents(b, nodes, count);
    for (uint32_t i = 0; i < count; i++) fix_node(b, &nodes[i], i);
    int32_t *new_of = sni_new_raw(b->scratch, int32_t, count);
    if (!new_of || !cut_loops(b, nodes, count) || !order_nodes(b, nodes, count, new_of, &kept) ||
        !move_nodes(b, nodes, count, new_of, kept))
        return false;
    model->node_count = kept;
    renumber_users(b, model, new_of, count);
    return finish_scenes(b, model, new_of, count) && sni_builder_ok(b);
}

// Skins, parts, materials, cameras, lights, scenes

static void fix_index(sni_builder *b, const char *what, int32_t *index, uint32_t count)
{
    if (*index >= -1 && *index < (int32_t)count) return;
    sni_warn(b->diag, SNI_WARN_REFERENCE, 0, "%s %d of %u", what, *index, count);
    *index = -1;
}

static void finish_skin(sni_builder *b, sn_model *model, uint32_t index)
{
    sn_skin *skin = &sni_mut(sn_skin, model->skins)[index];
    sn_node *nodes = sni_mut(sn_node, model->nodes);
    int32_t *joints = sni_mut(int32_t, skin->joints);
    sni_sanitize fixes = { 0 };
    if (!skin->name) skin->name = "";
    if (model->node_count == 0) skin->joint_count = 0;
    sni_enter_named(b->diag, "skins", index, skin->name);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (joints[i] < 0) joints[i] = 0;  // was warned of when its number was checked
        nodes[joints[i]].flags |= SN_NODE_JOINT;
    }
    sni_sanitize_floats(&fixes, sni_mut(float, skin->inverse_bind), (uint64_t)skin->joint_count * 12);
    sni_sanitize_report(b->diag, &fixes, 0);
    if (skin->joint_count == 0 && !b->diag->is_strict)
        sni_warn(b->diag, SNI_WARN_SKIN_EMPTY, 0, "a skin without joints");
    sni_leave(b->diag);
}

static bool fix_morph_weights(sni_builder *b, sn_part *part, uint32_t morph_count)
{
    if (morph_count == 0) {
        part->morph_weights = NULL;
        return true;
    }
    sni_sanitize fixes = { 0 };
    if (!part->morph_weights) part->morph_weights = sni_new(b->keep, float, morph_count);
    if (!part->morph_weights) return false;
    sni_sanitize_floats(&fixes, sni_mut(float, part->morph_weights), morph_count);
    sni_sanitize_report(b->diag, &fixes, 0);
    return true;
}

// One more than the highest joint that a mesh's vertices name.
static uint32_t *count_joints(sni_builder *b, const sn_model *model)
{
    uint32_t *counts = sni_new(b->scratch, uint32_t, model->mesh_count);
    for (uint32_t i = 0; counts && i < model->mesh_count; i++) {
        const sn_mesh *mesh = &model->meshes[i];
        const uint64_t total = (uint64_t)mesh->vertex_count * mesh->influence_count;
        const uint16_t *joints = mesh->vertex_joints;
        uint16_t highest = 0;
        for (uint64_t at = 0; at < total; at++) highest = joints[at] > highest ? joints[at] : highest;
        if (total > 0) counts[i] = highest + 1u;
    }
    return counts;
}

static bool can_bend(const sn_model *model, const sn_part *part, const uint32_t *joint_counts)
{
    return model->meshes[part->mesh].influence_count > 0 && model->skins[part->skin].joint_count > 0 &&
           joint_counts[part->mesh] <= model->skins[part->skin].joint_count;
}

// False when the part shows nothing and must go.
static bool finish_part(sni_builder *b, sn_model *model, sn_part *part, const uint32_t *joint_counts)
{
    fix_index(b, "mesh", &part->mesh, model->mesh_count);
    fix_index(b, "skin", &part->skin, model->skin_count);
    fix_index(b, "material", &part->material, model->material_count);
    if (part->mesh < 0 || part->node < 0) {
        sni_warn(b->diag, SNI_WARN_REFERENCE, 0, "a part without mesh or node");
        return false;
    }
    const sn_mesh *mesh = &model->meshes[part->mesh];
    if (part->skin >= 0 && !can_bend(model, part, joint_counts)) {
        sni_warn(b->diag, SNI_WARN_SKIN_WITHOUT_WEIGHTS, 0, "skin %d cannot bend mesh %d", part->skin, part->mesh);
        part->skin = -1;
    }
    if (part->lod < -1 || part->lod >= (int32_t)model->lod_count) {
        sni_warn_strict(b->diag, SNI_WARN_REFERENCE, "level of detail %d of %u", part->lod, model->lod_count);
        part->lod = -1;
    }
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &part->color.x, 4);
    sni_sanitize_report(b->diag, &fixes, 0);
    return fix_morph_weights(b, part, mesh->morph_count);
}

static void renumber_part_tracks(sn_model *model, const int32_t *new_of, uint32_t old_count)
{
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_mut(sn_track, model->clips[i].tracks);
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            if (tracks[t].target_kind != SN_TARGET_PART || tracks[t].target < 0) continue;
            tracks[t].target = (uint32_t)tracks[t].target < old_count ? new_of[tracks[t].target] : -1;
        }
    }
}

static bool finish_all_parts(sni_builder *b, sn_model *model)
{
    sn_part *parts = sni_mut(sn_part, model->parts);
    uint32_t kept = 0, count = model->part_count;
    int32_t *new_of = sni_new_raw(b->scratch, int32_t, count);
    uint32_t *joint_counts = count_joints(b, model);
    if (!new_of || !joint_counts) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(b->diag, "parts", i);
        bool is_good = finish_part(b, model, &parts[i], joint_counts);
        new_of[i] = is_good ? (int32_t)kept : -1;
        if (is_good) parts[kept++] = parts[i];
        sni_leave(b->diag);
    }
    model->part_count = kept;
    if (kept != count) renumber_part_tracks(model, new_of, count);
    return sni_builder_ok(b);
}

static void finish_maps(sni_builder *b, const sn_model *model, sn_texture *maps, uint32_t count, sni_sanitize *fixes)
{
    for (uint32_t i = 0; i < count; i++) {
        sn_texture *map = &maps[i];
        fix_index(b, "image", &map->image, model->image_count);
        if (map->uv_set < 0) {
            sni_warn_strict(b->diag, SNI_WARN_REFERENCE, "texture coordinate set %d", map->uv_set);
            map->uv_set = 0;
        }
        sni_sanitize_floats(fixes, &map->strength, 1);
        sni_sanitize_floats(fixes, &map->transform.offset.x, 2);
        sni_sanitize_floats(fixes, &map->transform.rotation, 1);
        sni_sanitize_floats(fixes, &map->transform.scale.x, 2);
    }
}

static void finish_layer(sni_builder *b, const sn_model *model, sn_layer *layer)
{
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &layer->color.x, 4);
    sni_sanitize_floats(&fixes, &layer->emissive.x, 3);
    sni_sanitize_floats(&fixes, &layer->metallic, 1);
    sni_sanitize_floats(&fixes, &layer->roughness, 1);
    sni_sanitize_floats(&fixes, &layer->alpha_cutoff, 1);
    finish_maps(b, model, layer->maps, SN_MAP_COUNT, &fixes);
    sni_sanitize_report(b->diag, &fixes, 0);
}

static void finish_materials(sni_builder *b, sn_model *model)
{
    sn_material *materials = sni_mut(sn_material, model->materials);
    for (uint32_t i = 0; i < model->material_count; i++) {
        if (!materials[i].name) materials[i].name = "";
        sni_enter_named(b->diag, "materials", i, materials[i].name);
        sn_layer *layers = sni_mut(sn_layer, materials[i].layers);
        for (uint32_t l = 0; l < materials[i].layer_count; l++) finish_layer(b, model, &layers[l]);
        sni_sanitize fixes = { 0 };
        finish_maps(b, model, sni_mut(sn_texture, materials[i].extension_maps), materials[i].extension_map_count,
                    &fixes);
        sni_sanitize_report(b->diag, &fixes, 0);
        sni_leave(b->diag);
    }
    sn_image *images = sni_mut(sn_image, model->images);
    for (uint32_t i = 0; i < model->image_count; i++) {
        if (!images[i].name) images[i].name = "";
        if (!images[i].uri) images[i].uri = "";
        if (!images[i].mime_type) images[i].mime_type = "";
    }
}

static void finish_cameras_and_lights(sni_builder *b, sn_model *model)
{
    sni_sanitize fixes = { 0 };
    sn_camera *cameras = sni_mut(sn_camera, model->cameras);
    for (uint32_t i = 0; i < model->camera_count; i++) {
        if (!cameras[i].name) cameras[i].name = "";
        sni_sanitize_floats(&fixes, &cameras[i].fov_y, 6);
    }
    sn_light *lights = sni_mut(sn_light, model->lights);
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (!lights[i].name) lights[i].name = "";
        sni_sanitize_floats(&fixes, &lights[i].color.x, 3);
        sni_sanitize_floats(&fixes, &lights[i].intensity, 4);
    }
    sni_sanitize_report(b->diag, &fixes, 0);
}

static void finish_scene_names(sni_builder *b, sn_model *model)
{
    sn_scene *scenes = sni_mut(sn_scene, model->scenes);
    for (uint32_t i = 0; i < model->scene_count; i++) {
        if (!scenes[i].name) scenes[i].name = "";
    }
    if (model->scene_count == 0) model->default_scene = -1;
    else fix_index(b, "scene", &model->default_scene, model->scene_count);
    if (model->scene_count > 0 && model->default_scene < 0) model->default_scene = 0;
}

bool sni_finish_parts(sni_builder *b, sn_model *model)
{
    for (uint32_t i = 0; i < model->skin_count; i++) finish_skin(b, model, i);
    if (!finish_all_parts(b, model)) return false;
    finish_materials(b, model);
    finish_cameras_and_lights(b, model);
    finish_scene_names(b, model);
    return sni_builder_ok(b);
}

// Clips

static bool targets_something(const sn_model *model, const sn_track *track)
{
    if (track->target < 0) return false;
    uint32_t target = (uint32_t)track->target;
    switch (track->target_kind) {
    case SN_TARGET_NODE: return target < model->node_count;
    case SN_TARGET_PART: return target < model->part_count;
    case SN_TARGET_CAMERA: return target < model->camera_count;
    case SN_TARGET_LIGHT: return target < model->light_count;
    case SN_TARGET_LAYER:
        return target < model->material_count && track->sub >= 0 &&
               (uint32_t)track->sub < model->materials[target].layer_count;
    default: return false;
    }
}

static bool fits_channel(const sn_track *track)
{
    if (track->channel >= SN_CHANNEL_COUNT || track->width == 0) return false;
    uint32_t width = sni_channel_width(track->channel);
    return width == 0 || width == track->width;
}

static bool is_same_target(const sn_track *a, const sn_track *b)
{
    return a->target_kind == b->target_kind && a->channel == b->channel && a->target == b->target && a->sub == b->sub;
}

// Finds tracks that drive the same. Most drive a channel of a node that no other drives: bits say so. Where there is
// a doubt, the tracks kept so far go into a map, which is that of all clips: an item from another clip either is past
// those kept here, or compares unequal.
typedef struct track_finder {
    uint32_t (*driven)[2];  // by node: the last clip + 1 with a track for it, and which channels
    sni_map map;
    uint32_t mapped;  // how many of the clip's tracks are in the map
} track_finder;

static uint32_t hash_target(uint32_t clip, const sn_track *track)
{
    const int32_t key[] = { (int32_t)clip, track->target_kind, track->channel, track->target, track->sub };
    return sni_hash(key, sizeof key);
}

// Whether no track so far can drive the same.
static bool is_first_track(track_finder *finder, uint32_t clip, const sn_track *track)
{
    static_assert(SN_CHANNEL_COUNT <= 32, "a bit for each channel");
    if (track->target_kind != SN_TARGET_NODE || track->sub != 0) return false;
    uint32_t *driven = finder->driven[track->target];
    if (driven[0] != clip + 1) driven[0] = clip + 1, driven[1] = 0;
    const bool is_first = !(driven[1] >> track->channel & 1);
    driven[1] |= 1u << track->channel;
    return is_first;
}

// The track among the clip's first `kept` that drives the same, `kept` where there is none. False after a failure.
static bool find_same_track(sni_builder *b, track_finder *finder, uint32_t clip, const sn_track *tracks, uint32_t kept,
                            const sn_track *track, uint32_t *same)
{
    *same = kept;
    if (is_first_track(finder, clip, track)) return true;
    for (; finder->mapped < kept; finder->mapped++)
        if (!sni_map_add(&finder->map, b->scratch, hash_target(clip, &tracks[finder->mapped]), finder->mapped))
            return false;
    sni_map_cursor at = sni_map_find(&finder->map, hash_target(clip, track));
    while (*same == kept && sni_map_next(&finder->map, &at))
        if (at.item < kept && is_same_target(&tracks[at.item], track)) *same = at.item;
    return true;
}

// Keeps the tracks that drive something and have keys; of two that drive the same, the last.
static bool finish_clip(sni_builder *b, const sn_model *model, uint32_t index, sn_clip *clip, track_finder *finder)
{
    sn_track *tracks = sni_mut(sn_track, clip->tracks);
    uint32_t kept = 0, same;
    finder->mapped = 0;
    if (!clip->name) clip->name = "";
    if (!(clip->duration >= 0.0f) || !isfinite(clip->duration)) {
        sni_warn_strict(b->diag, SNI_WARN_VALUE_RANGE, "duration %g s", (double)clip->duration);
        clip->duration = 0.0f;
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        sn_track *track = &tracks[i];
        if (!targets_something(model, track) || !fits_channel(track)) {
            sni_warn(b->diag, SNI_WARN_TRACK_TARGET, 0, "track %u drives nothing", i);
            continue;
        }
        if (track->key_count == 0) {
            sni_warn(b->diag, SNI_WARN_TRACK_EMPTY, 0, "track %u has no keys", i);
            continue;
        }
        if (!find_same_track(b, finder, index, tracks, kept, track, &same)) return false;
        if (same < kept) {
            sni_warn(b->diag, SNI_WARN_TRACK_TWICE, 0, "track %u drives what an earlier one drives", i);
            tracks[same] = *track;
            continue;
        }
        tracks[kept++] = *track;
    }
    clip->track_count = kept;
    return sni_builder_ok(b);
}

typedef struct numbered_event {
    sn_event event;
    uint32_t number;
} numbered_event;

static int compare_events(const void *left, const void *right)
{
    const numbered_event *a = left, *b = right;
    if (a->event.clip != b->event.clip) return a->event.clip < b->event.clip ? -1 : 1;
    if (a->event.time != b->event.time) return a->event.time < b->event.time ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

// Sorted by clip, then time; equal ones stay in the order they had.
static bool finish_events(sni_builder *b, sn_model *model)
{
    sn_event *events = sni_mut(sn_event, model->events);
    numbered_event *sorted = sni_new_raw(b->scratch, numbered_event, model->event_count);
    uint32_t kept = 0;
    if (!sorted) return false;
    for (uint32_t i = 0; i < model->event_count; i++) {
        sn_event *event = &events[i];
        if (!event->name) event->name = "";
        sni_enter_named(b->diag, "events", i, event->name);
        fix_index(b, "clip", &event->clip, model->clip_count);
        bool is_timed = event->time >= 0.0f && isfinite(event->time) && event->period >= 0.0f &&
                        isfinite(event->period) && (event->clip < 0) == (event->period > 0.0f);
        if (!is_timed)
            sni_warn(b->diag, SNI_WARN_VALUE_RANGE, 0, "time %g s, period %g s in clip %d", (double)event->time,
                     (double)event->period, event->clip);
        else sorted[kept] = (numbered_event){ *event, kept }, kept++;
        sni_leave(b->diag);
    }
    if (kept > 1) qsort(sorted, kept, sizeof *sorted, compare_events);
    for (uint32_t i = 0; i < kept; i++) events[i] = sorted[i].event;
    model->event_count = kept;
    return sni_builder_ok(b);
}

static void finish_shapes_and_attachments(sni_builder *b, sn_model *model)
{
    sn_shape *shapes = sni_mut(sn_shape, model->shapes);
    for (uint32_t i = 0; i < model->shape_count; i++) {
        sni_sanitize fixes = { 0 };
        if (!shapes[i].name) shapes[i].name = "";
        sni_enter_named(b->diag, "shapes", i, shapes[i].name);
        sni_sanitize_floats(&fixes, &shapes[i].center.x, 3);
        sni_sanitize_floats(&fixes, &shapes[i].extents.x, 3);
        sni_sanitize_floats(&fixes, &shapes[i].radius, 1);
        sni_sanitize_report(b->diag, &fixes, 0);
        if (shapes[i].radius < 0.0f) {
            sni_warn(b->diag, SNI_WARN_VALUE_RANGE, 0, "radius %g", (double)shapes[i].radius);
            shapes[i].radius = 0.0f;
        }
        sni_leave(b->diag);
    }
    sn_attachment *attachments = sni_mut(sn_attachment, model->attachments);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < model->attachment_count; i++) {
        sn_attachment *attachment = &attachments[i];
        if (!attachment->name) attachment->name = "";
        if (!attachment->path) attachment->path = "";
        sni_enter_named(b->diag, "attachments", i, attachment->name);
        if (attachment->node < 0) sni_warn(b->diag, SNI_WARN_REFERENCE, 0, "an attachment without a node");
        else attachments[kept++] = *attachment;
        sni_leave(b->diag);
    }
    model->attachment_count = kept;
}

// Tracks may share the arrays of their keys, so a small file can have more of them than fit in any memory. What works
// on one track after the other needs time and room for all of them.
static bool check_shared_keys(sni_builder *b, const sn_model *model)
{
    enum { MOST_SHARED_KEYS = 1 << 21 };
    const uint64_t most = MOST_SHARED_KEYS + b->keep->heap->used / sizeof(float);
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) total += model->clips[i].tracks[t].key_count;
    return total <= most || sni_fail(b->diag, SN_ERR_LIMIT, 0,
                                     "the tracks have %llu keys, with those that they share; the limit is %llu",
                                     (unsigned long long)total, (unsigned long long)most);
}

bool sni_finish_clips(sni_builder *b, sn_model *model)
{
    sn_clip *clips = sni_mut(sn_clip, model->clips);
    track_finder finder = { 0 };
    if (!check_shared_keys(b, model)) return false;
    if (model->clip_count > 0) finder.driven = sni_alloc(b->scratch, sizeof *finder.driven, model->node_count);
    if (model->clip_count > 0 && !finder.driven) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sni_enter_named(b->diag, "clips", i, clips[i].name);
        if (!finish_clip(b, model, i, &clips[i], &finder)) return false;
        sni_leave(b->diag);
    }
    if (!finish_events(b, model)) return false;
    finish_shapes_and_attachments(b, model);
    return sni_builder_ok(b);
}
