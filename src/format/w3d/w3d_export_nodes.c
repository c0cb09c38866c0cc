// Nodes to pivots, parts to the pivots they hang on, everything else to objects of the HLOD.
#include <float.h>
#include <stdio.h>

#include "base/color.h"
#include "base/json.h"
#include "base/math.h"
#include "format/w3d/w3d_export.h"
#include "model/extras.h"

enum { HIERARCHY_VERSION = 0x40001, HLOD_VERSION = 0x10000, BOX_VERSION = 0x10000, NULL_VERSION = 0x10000 };
enum { BOX_ORIENTED = 1, BOX_ALIGNED = 2, FIXUP_FLOATS = 12 };
enum { LIGHT_POINT = 1, LIGHT_DIRECTIONAL = 2, LIGHT_SPOT = 3, LIGHT_SHADOWS = 0x100 };

static const char ROOT_NAME[] = "ROOTTRANSFORM";

typedef struct node_plan {
    bool has_child, is_moved, is_joint, has_rigid_part, has_skin;
    bool is_root;      // lies in pivot 0
    const char *kind;  // of the W3D object that the node was, in the words of the importer; NULL: none
} node_plan;

// What the importer made nodes of (w3d_build_nodes.c).
static const char *const object_kinds[] = { "box",        "null",      "dazzle",           "emitter",
                                            "sound",      "aggregate", "sphere",           "ring",
                                            "collection", "external",  "levels of detail", "scalable shader mesh",
                                            "object",     "proxy" };

static const char *find_kind(w3d_exporter *x, const sn_node *node)
{
    const char *kind;
    if (!sni_extras_find_text(x->arena, node->extras, "kind", &kind)) return NULL;
    for (size_t i = 0; i < sizeof object_kinds / sizeof *object_kinds; i++)
        if (strcmp(kind, object_kinds[i]) == 0) return object_kinds[i];
    return NULL;
}

static bool is_near_identity(const sn_trs *rest, double size)
{
    return sni_length(rest->translation) <= 1e-6 * size &&
           fabs((double)rest->rotation.x) + fabs((double)rest->rotation.y) + fabs((double)rest->rotation.z) < 1e-5;
}

static double size_of(const w3d_exporter *x)
{
    return x->save->clip_bounds[0].radius > 0.0f ? 2.0 * x->save->clip_bounds[0].radius : 1.0;
}

// Lights without a place of their own, as the importer has them.
static void mark_lights(const w3d_exporter *x, bool *has_light)
{
    for (uint32_t i = 0; i < x->model->light_count; i++)
        if (x->model->lights[i].node >= 0) has_light[x->model->lights[i].node] = true;
}

static bool read_nodes(w3d_exporter *x, node_plan *plans)
{
    const sn_model *model = x->model;
    for (uint32_t i = 0; i < model->node_count; i++) {
        plans[i].kind = find_kind(x, &model->nodes[i]);
        plans[i].is_joint = model->nodes[i].flags & SN_NODE_JOINT;
        if (model->nodes[i].parent >= 0) plans[model->nodes[i].parent].has_child = true;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *was = &x->save->source->parts[i];
        const bool was_skin = was->skin >= 0 && x->save->source->meshes[was->mesh].influence_count > 0;
        if (was_skin) plans[was->node].has_skin = true;
        else plans[was->node].has_rigid_part = true;
    }
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t t = 0; t < model->clips[c].track_count; t++)
            if (model->clips[c].tracks[t].target_kind == SN_TARGET_NODE)
                plans[model->clips[c].tracks[t].target].is_moved = true;
    return sni_save_ok(x->save);
}

// Pivot 0 never moves. A root called like it or like the one that saving as glTF adds, or a single one, becomes it.
static void find_roots(w3d_exporter *x, node_plan *plans)
{
    const sn_model *model = x->model;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < model->node_count; i++) roots += model->nodes[i].parent < 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        const bool is_top = node->parent < 0 || plans[node->parent].is_root;
        const bool is_named = sni_text_compare_nocase(node->name, ROOT_NAME) == 0 || strcmp(node->name, "y_up") == 0;
        const bool is_single = node->parent < 0 && roots == 1 && plans[i].has_child &&
                               !(node->flags & SN_NODE_ATTACHMENT);
        plans[i].is_root = is_top && !plans[i].is_moved && !plans[i].kind && (is_named || is_single) &&
                           is_near_identity(&node->rest, size_of(x));
    }
}

// Nodes that only hold something at their parent's place: what W3D keeps in the HLOD, a light, a mesh that faces the
// viewer or, after glTF, one that can be hidden by itself. Those of skins have no place at all.
static bool is_holder(const w3d_exporter *x, const node_plan *plan, uint32_t node, bool has_light)
{
    const sn_node *n = &x->model->nodes[node], *parent = n->parent >= 0 ? &x->model->nodes[n->parent] : NULL;
    const bool is_billboard = n->flags & (SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_Z);
    const bool is_copy = parent && strcmp(n->name, parent->name) == 0;
    if (plan->has_child || plan->is_joint != plan->has_rigid_part) return false;
    if (plan->has_skin && !plan->has_rigid_part && !plan->kind) return true;
    if (plan->is_moved || sni_length(n->rest.translation) > 1e-6 * size_of(x)) return false;
    if (plan->kind) return !plan->is_joint;
    if (has_light) return !plan->has_rigid_part && parent && x->pivot_of[n->parent] == 0;
    return plan->has_rigid_part && parent && (is_billboard || is_copy) && is_near_identity(&n->rest, size_of(x));
}

static bool add_pivot(w3d_exporter *x, sni_nocase_names *used, const char *name, uint32_t parent, int32_t node)
{
    w3d_out_pivot *pivot = &x->pivots[x->pivot_count];
    char fallback[16];
    snprintf(fallback, sizeof fallback, "PIVOT%u", x->pivot_count);
    *pivot = (w3d_out_pivot){ .parent = (int32_t)parent, .node = node, .base = { .rotation = { 0, 0, 0, 1 } } };
    pivot->name = w3d_unique_name(x, used, name, fallback, x->pivot_count);
    if (node >= 0) pivot->base = x->model->nodes[node].rest;
    x->pivot_count++;
    return pivot->name != NULL;
}

// Parts

// The node that all vertices of a part follow, and nothing else; -1: several.
static int32_t only_node(const w3d_exporter *x, const sn_part *part)
{
    const sn_mesh *mesh = &x->model->meshes[part->mesh];
    int32_t only = -1;
    for (uint64_t i = 0; i < (uint64_t)mesh->vertex_count * mesh->influence_count; i++) {
        if (!(mesh->vertex_weights[i] > 0.0f)) continue;
        const int32_t node = x->model->skins[0].joints[mesh->vertex_joints[i]];
        if (only >= 0 && node != only) return -1;
        only = node;
    }
    return only;
}

// The nodes that are hidden at rest, by themselves or by one above.
static bool *list_hidden(sni_arena *arena, const sn_model *model)
{
    bool *is_hidden = sni_new_raw(arena, bool, model->node_count);
    for (uint32_t i = 0; is_hidden && i < model->node_count; i++) {
        const int32_t parent = model->nodes[i].parent;
        is_hidden[i] = model->nodes[i].flags & SN_NODE_HIDDEN || (parent >= 0 && is_hidden[parent]);
    }
    return is_hidden;
}

// Clips decide what is hidden; without any, the rest pose does.
static bool read_visibility(w3d_exporter *x, bool *changes)
{
    const sn_model *model = x->model;
    uint8_t *is_shown = sni_new(x->arena, uint8_t, model->part_count);
    uint32_t *seen = sni_new(x->arena, uint32_t, model->part_count);
    const bool *is_hidden = list_hidden(x->arena, model);
    if (!is_shown || !seen || !is_hidden) return false;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        for (uint32_t t = 0; t < model->clips[c].track_count; t++) {
            const sn_track *track = &model->clips[c].tracks[t];
            const bool is_alpha = track->channel == SN_CHANNEL_ALPHA;
            if (track->target_kind != SN_TARGET_PART || (is_alpha && !x->is_bfme)) continue;
            w3d_out_part *out = &x->parts[track->target];
            out->signature = sni_hash_mix(out->signature, c) | 1;
            for (uint32_t k = 0; k < track->key_count; k++) {
                uint32_t bits;
                memcpy(&bits, &track->values[k], sizeof bits);
                out->signature = sni_hash_mix(out->signature, bits) | 1;
                if (!is_alpha) is_shown[track->target] |= track->values[k] > 0.0f ? 1 : 2;
            }
            seen[track->target] += !is_alpha;
        }
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const bool is_always_hidden = model->clip_count > 0
                                          ? seen[i] == model->clip_count && !(is_shown[i] & 1)
                                          : model->parts[i].is_hidden ||
                                                (model->parts[i].node >= 0 && is_hidden[model->parts[i].node]);
        x->parts[i].is_hidden = is_always_hidden;
        if (is_always_hidden) x->parts[i].signature = 0;
        changes[i] = x->parts[i].signature != 0;
    }
    return true;
}

// Whether a billboard moves some vertex of a skinned part.
static bool has_billboard(const sn_model *model, const sn_part *part)
{
    const uint32_t flags = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z;
    const sn_mesh *mesh = &model->meshes[part->mesh];
    const sn_skin *skin = part->skin >= 0 ? &model->skins[part->skin] : NULL;
    for (uint32_t i = 0; skin && i < mesh->vertex_count * mesh->influence_count; i++)
        if (mesh->vertex_weights[i] > 0.0f && model->nodes[skin->joints[mesh->vertex_joints[i]]].flags & flags)
            return true;
    return false;
}

// Skins are skins where the model has them. One that follows a single node becomes rigid where it must be hidden or
// face the viewer, which skins cannot.
static bool plan_parts(w3d_exporter *x)
{
    const sn_model *model = x->model, *source = x->save->source;
    bool *changes = sni_new(x->arena, bool, model->part_count);
    uint64_t lost_visibility = 0, lost_billboards = 0;
    x->parts = sni_new(x->arena, w3d_out_part, model->part_count);
    if (!changes || !x->parts || !read_visibility(x, changes)) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i], *was = &source->parts[i];
        w3d_out_part *out = &x->parts[i];
        const bool was_skin = was->skin >= 0 && source->meshes[was->mesh].influence_count > 0;
        out->node = only_node(x, part);
        const uint32_t flags = out->node >= 0 ? model->nodes[out->node].flags : 0;
        const bool is_billboard = flags & (SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_Z);
        out->is_skin = out->node < 0 || (was_skin && !changes[i] && !is_billboard);
        lost_visibility += out->is_skin && changes[i];
        lost_billboards += out->is_skin && has_billboard(model, part);
        if (out->is_skin) out->geometry_type = W3D_GEOMETRY_SKIN;
        else if (flags & SN_NODE_BILLBOARD_Z) out->geometry_type = W3D_GEOMETRY_CAMERA_Z;
        else if (flags & SN_NODE_BILLBOARD) out->geometry_type = W3D_GEOMETRY_CAMERA_ALIGNED;
    }
    sni_save_lose(x->save, "clips", lost_visibility, "visibility tracks of skinned parts were left out");
    sni_save_lose(x->save, "nodes", lost_billboards, "billboards with skinned vertices do not face the viewer");
    return true;
}

// Parts on one pivot are hidden together: those of a node that differ from its first get a pivot each.
static bool place_parts(w3d_exporter *x, sni_nocase_names *used)
{
    const sn_model *model = x->model;
    uint64_t *signatures = sni_new(x->arena, uint64_t, x->pivot_count);
    bool *has_part = sni_new(x->arena, bool, x->pivot_count), *differs = sni_new(x->arena, bool, x->pivot_count);
    if (!signatures || !has_part || !differs) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        w3d_out_part *out = &x->parts[i];
        if (out->is_skin) continue;
        out->pivot = (uint32_t)x->pivot_of[out->node];
        if (out->is_hidden) continue;
        if (has_part[out->pivot] && signatures[out->pivot] != out->signature) differs[out->pivot] = true;
        has_part[out->pivot] = true;
        signatures[out->pivot] = out->signature;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        w3d_out_part *out = &x->parts[i];
        if (out->is_skin || out->signature == 0 || (out->pivot > 0 && !differs[out->pivot])) continue;
        const uint32_t parent = out->pivot;
        out->pivot = x->pivot_count;
        out->has_own_pivot = true;
        if (!add_pivot(x, used, model->meshes[model->parts[i].mesh].name, parent, -1)) return false;
    }
    return true;
}

bool w3d_plan_pivots(w3d_exporter *x)
{
    const sn_model *model = x->model;
    const uint64_t most = 1 + (uint64_t)model->node_count + model->part_count;
    sni_nocase_names used = { 0 };
    node_plan *plans = sni_new(x->arena, node_plan, model->node_count);
    bool *has_light = sni_new(x->arena, bool, model->node_count);
    x->pivot_of = sni_new(x->arena, int32_t, model->node_count);
    x->pivots = sni_new(x->arena, w3d_out_pivot, most);
    if (!plans || !has_light || !x->pivot_of || !x->pivots) return false;
    if (!plan_parts(x) || !read_nodes(x, plans) || !add_pivot(x, &used, ROOT_NAME, 0, -1)) return false;
    x->pivots[0].parent = -1;
    mark_lights(x, has_light);
    find_roots(x, plans);
    for (uint32_t i = 0; i < model->node_count; i++) {
        const int32_t parent = model->nodes[i].parent;
        const uint32_t above = parent >= 0 ? (uint32_t)x->pivot_of[parent] : 0;
        x->pivot_of[i] = (int32_t)above;
        if (plans[i].is_root || is_holder(x, &plans[i], i, has_light[i])) continue;
        x->pivot_of[i] = (int32_t)x->pivot_count;
        if (!add_pivot(x, &used, model->nodes[i].name, above, (int32_t)i)) return false;
    }
    if (!place_parts(x, &used)) return false;
    if (x->pivot_count > UINT16_MAX)
        return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "%u pivots, the format has %u", x->pivot_count,
                        UINT16_MAX);
    return true;
}

// Writing

// The exporter's own notes, as they were; else identities.
static void put_fixup(w3d_exporter *x, w3d_tree *tree, const w3d_out_pivot *pivot)
{
    static const float identity[FIXUP_FLOATS] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    float values[FIXUP_FLOATS];
    const char *extras = pivot->node >= 0 ? x->model->nodes[pivot->node].extras : NULL;
    const bool is_kept = sni_extras_find_floats(x->arena, extras, "fixup", values, FIXUP_FLOATS);
    w3d_put_floats(tree, is_kept ? values : identity, FIXUP_FLOATS);
}

void w3d_export_hierarchy(w3d_exporter *x, w3d_tree *tree)
{
    static const float zero[3] = { 0, 0, 0 };
    w3d_open_chunk(tree, W3D_HIERARCHY);
    w3d_open_chunk(tree, W3D_HIERARCHY_HEADER);
    w3d_put_u32(tree, HIERARCHY_VERSION);
    w3d_put_name(tree, x->hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(tree, x->pivot_count);
    w3d_put_floats(tree, zero, 3);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PIVOTS);
    for (uint32_t i = 0; i < x->pivot_count; i++) {
        const w3d_out_pivot *pivot = &x->pivots[i];
        w3d_put_name(tree, pivot->name, W3D_NAME_BYTES);
        w3d_put_u32(tree, (uint32_t)pivot->parent);
        w3d_put_floats(tree, &pivot->base.translation.x, 3);
        w3d_put_floats(tree, zero, 3);  // Euler angles, which nobody reads
        w3d_put_floats(tree, &pivot->base.rotation.x, 4);
    }
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_FIXUPS);
    for (uint32_t i = 0; i < x->pivot_count; i++) put_fixup(x, tree, &x->pivots[i]);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

// Boxes, nulls, dazzles, references

static void put_box(w3d_exporter *x, w3d_tree *tree, const char *name, const sn_shape *shape, const char *extras)
{
    static const uint8_t color[4] = { 255, 255, 255, 0 };
    w3d_open_chunk(tree, W3D_BOX);
    w3d_put_u32(tree, BOX_VERSION);
    w3d_put_u32(tree, (shape->keeps_axes ? BOX_ALIGNED : BOX_ORIENTED) | w3d_stored_collision(x, extras));
    w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
    w3d_put(tree, color, sizeof color);
    w3d_put_floats(tree, &shape->center.x, 3);
    w3d_put_floats(tree, &shape->extents.x, 3);
    w3d_close_chunk(tree);
}

static const char *new_object_name(w3d_exporter *x, const char *name, uint32_t index)
{
    const char *unique = w3d_unique_name(x, &x->object_names, name, "OBJECT", index);
    return unique ? w3d_object_name(x, unique) : NULL;
}

static bool export_box(w3d_exporter *x, w3d_tree *tree, const sn_shape *shape, const char *extras, uint32_t index)
{
    const char *name = new_object_name(x, shape->name, index);
    const uint32_t pivot = shape->node >= 0 ? (uint32_t)x->pivot_of[shape->node] : 0;
    if (!name) return false;
    put_box(x, tree, name, shape, extras);
    return w3d_add_object(x, &x->objects, name, pivot, 0);
}

// A sphere or cylinder becomes the box around it.
static sn_shape box_around(const sn_shape *shape)
{
    sn_shape box = *shape;
    const float r = shape->radius;
    const sn_vec3 e = shape->extents;
    if (shape->kind == SN_SHAPE_SPHERE) box.extents = sni_vec3(r, r, r);
    if (shape->kind == SN_SHAPE_CYLINDER) box.extents = sni_vec3(fabsf(e.x) + r, fabsf(e.y) + r, fabsf(e.z) + r);
    return box;
}

static bool export_shapes(w3d_exporter *x, w3d_tree *tree, bool *has_shape)
{
    const sn_model *model = x->model;
    uint64_t changed = 0;
    for (uint32_t i = 0; i < model->shape_count; i++) {
        const sn_shape *shape = &model->shapes[i];
        const sn_shape box = box_around(shape);
        if (shape->node >= 0) has_shape[shape->node] = true;
        changed += shape->kind != SN_SHAPE_BOX;
        if (!export_box(x, tree, &box, shape->node >= 0 ? model->nodes[shape->node].extras : NULL, i)) return false;
    }
    sni_save_lose(x->save, "shapes", changed, "collision spheres, cylinders and planes became boxes");
    return true;
}

// A box that came through a format without shapes is only in the extras of its node.
static bool export_stored_box(w3d_exporter *x, w3d_tree *tree, uint32_t node)
{
    const sn_node *n = &x->model->nodes[node];
    sn_shape box = { .name = n->name, .node = (int32_t)node, .kind = SN_SHAPE_BOX };
    bool is_oriented = false;
    if (!sni_extras_find_floats(x->arena, n->extras, "center", &box.center.x, 3) ||
        !sni_extras_find_floats(x->arena, n->extras, "extent", &box.extents.x, 3))
        return true;
    sni_extras_find_flag(x->arena, n->extras, "oriented", &is_oriented);
    box.keeps_axes = !is_oriented;
    return export_box(x, tree, &box, n->extras, node);
}

static bool export_named(w3d_exporter *x, w3d_tree *tree, uint32_t node, const char *kind)
{
    const sn_node *n = &x->model->nodes[node];
    const uint32_t pivot = (uint32_t)x->pivot_of[node];
    const char *name = new_object_name(x, n->name, node), *type = "";
    if (!name) return false;
    if (strcmp(kind, "null") == 0) {
        w3d_open_chunk(tree, W3D_NULL);
        w3d_put_u32(tree, NULL_VERSION);
        for (int i = 0; i < 3; i++) w3d_put_u32(tree, 0);
        w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(tree);
    } else {
        sni_extras_find_text(x->arena, n->extras, "detail", &type);
        w3d_open_chunk(tree, W3D_DAZZLE);
        w3d_put_text_chunk(tree, W3D_DAZZLE_NAME, name);
        w3d_put_text_chunk(tree, W3D_DAZZLE_TYPE, type);
        w3d_close_chunk(tree);
    }
    return w3d_add_object(x, &x->objects, name, pivot, 0);
}

// What another file holds keeps its name. list: where the HLOD has such a kind; NULL: nowhere.
static bool export_reference(w3d_exporter *x, uint32_t node, sni_list *list, bool *is_known)
{
    const char *object;
    *is_known = list && sni_extras_find_text(x->arena, x->model->nodes[node].extras, "object", &object);
    return !*is_known || w3d_add_object(x, list, object, (uint32_t)x->pivot_of[node], 0);
}

// Lights

static void put_color(w3d_tree *tree, sn_vec3 linear)
{
    const float channels[3] = { linear.x, linear.y, linear.z };
    for (int i = 0; i < 3; i++) {
        const double srgb = sni_srgb_of(channels[i]);
        w3d_put_u8(tree, (uint8_t)((srgb < 1.0 ? srgb : 1.0) * 255.0 + 0.5));
    }
    w3d_put_u8(tree, 0);
}

static void put_light(w3d_exporter *x, w3d_tree *tree, const sn_light *light)
{
    sn_vec3 ambient = { 0, 0, 0 }, specular = { 0, 0, 0 };
    float fade = 0.0f, exponent = 1.0f;
    bool has_shadows = false;
    sni_extras_find_floats(x->arena, light->extras, "ambient", &ambient.x, 3);
    sni_extras_find_floats(x->arena, light->extras, "specular", &specular.x, 3);
    sni_extras_find_float(x->arena, light->extras, "fadeFrom", &fade);
    sni_extras_find_float(x->arena, light->extras, "exponent", &exponent);
    sni_extras_find_flag(x->arena, light->extras, "shadows", &has_shadows);
    const uint32_t kind = light->kind == SN_LIGHT_DIRECTIONAL ? LIGHT_DIRECTIONAL
                          : light->kind == SN_LIGHT_SPOT      ? LIGHT_SPOT
                                                              : LIGHT_POINT;
    w3d_open_chunk(tree, W3D_LIGHT);
    w3d_open_chunk(tree, W3D_LIGHT_INFO);
    w3d_put_u32(tree, kind | (has_shadows ? LIGHT_SHADOWS : 0));
    w3d_put_u32(tree, 0);
    put_color(tree, ambient);
    put_color(tree, light->color);
    put_color(tree, specular);
    w3d_put_f32(tree, light->intensity);
    w3d_close_chunk(tree);
    if (light->kind == SN_LIGHT_SPOT) {
        const sn_quat turned = light->node >= 0 ? x->model->nodes[light->node].rest.rotation : sni_quat(0, 0, 0, 1);
        const sn_vec3 direction = sni_quat_rotate(turned, sni_vec3(0, 0, -1));
        w3d_open_chunk(tree, W3D_LIGHT_SPOT);
        w3d_put_floats(tree, &direction.x, 3);
        w3d_put_f32(tree, light->outer_angle);
        w3d_put_f32(tree, exponent);
        w3d_close_chunk(tree);
    }
    if (light->range > 0.0f) {
        w3d_open_chunk(tree, W3D_LIGHT_FAR);
        w3d_put_f32(tree, fade);
        w3d_put_f32(tree, light->range);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

// A light has no place in the file: those that have one in the model are lost.
static void export_lights(w3d_exporter *x, w3d_tree *tree)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < x->model->light_count; i++) {
        const sn_light *light = &x->model->lights[i];
        const bool has_place = light->node >= 0 && x->pivot_of[light->node] > 0;
        if (has_place || light->kind == SN_LIGHT_AMBIENT) lost++;
        else put_light(x, tree, light);
    }
    sni_save_lose(x->save, "lights", lost, "left out");
}

// The HLOD: which object hangs on which pivot

static void put_array(w3d_tree *tree, uint32_t id, const sni_list *list, int32_t lod, float size)
{
    const w3d_out_object *objects = list->items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) count += objects[i].lod < 0 || lod < 0 || objects[i].lod == lod;
    if (count == 0 && lod < 0) return;
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, W3D_ARRAY_HEADER);
    w3d_put_u32(tree, count);
    w3d_put_f32(tree, size);
    w3d_close_chunk(tree);
    for (uint32_t i = 0; i < list->count; i++) {
        if (objects[i].lod >= 0 && lod >= 0 && objects[i].lod != lod) continue;
        w3d_open_chunk(tree, W3D_SUB_OBJECT);
        w3d_put_u32(tree, objects[i].pivot);
        w3d_put_name(tree, objects[i].name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

// Coarse to fine. A level is drawn up to its size on the screen, in parts of it; each holds a quarter of the next.
static void put_hlod(const w3d_exporter *x, w3d_tree *tree, const sni_list *aggregates, const sni_list *proxies)
{
    const uint32_t levels = x->model->lod_count;
    float size = 0.01f;
    if (x->objects.count == 0 && aggregates->count == 0 && proxies->count == 0) return;
    w3d_open_chunk(tree, W3D_HLOD);
    w3d_open_chunk(tree, W3D_HLOD_HEADER);
    w3d_put_u32(tree, HLOD_VERSION);
    w3d_put_u32(tree, levels);
    w3d_put_name(tree, x->container, W3D_NAME_BYTES);
    w3d_put_name(tree, x->hierarchy, W3D_NAME_BYTES);
    w3d_close_chunk(tree);
    for (uint32_t i = 2; i < levels; i++) size *= 0.25f;
    for (uint32_t level = levels; level > 0; level--, size *= 4.0f)
        put_array(tree, W3D_LOD_ARRAY, &x->objects, (int32_t)level - 1, level == 1 ? FLT_MAX : size);
    put_array(tree, W3D_AGGREGATES, aggregates, -1, 0.0f);
    put_array(tree, W3D_PROXIES, proxies, -1, 0.0f);
    w3d_close_chunk(tree);
}

bool w3d_export_objects(w3d_exporter *x, w3d_tree *tree)
{
    const sn_model *model = x->model;
    bool *has_shape = sni_new(x->arena, bool, model->node_count);
    sni_list aggregates = { 0 }, proxies = { 0 };  // w3d_out_object
    uint64_t lost = 0;
    if (!has_shape || !export_shapes(x, tree, has_shape)) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const char *kind = find_kind(x, &model->nodes[i]);
        bool is_known = true;
        if (!kind || has_shape[i]) continue;
        if (strcmp(kind, "box") == 0) {
            if (!export_stored_box(x, tree, i)) return false;
        } else if (strcmp(kind, "null") == 0 || strcmp(kind, "dazzle") == 0) {
            if (!export_named(x, tree, i, kind)) return false;
        } else {
            sni_list *list = strcmp(kind, "proxy") == 0       ? &proxies
                             : strcmp(kind, "aggregate") == 0 ? &aggregates
                             : strcmp(kind, "external") == 0  ? &x->objects
                                                              : NULL;
            if (!export_reference(x, i, list, &is_known)) return false;
        }
        lost += !is_known;
    }
    export_lights(x, tree);
    sni_save_lose(x->save, "nodes", lost, "emitters, sounds and other objects were left out");
    if (!sni_save_ok(x->save)) return false;
    put_hlod(x, tree, &aggregates, &proxies);
    return true;
}
