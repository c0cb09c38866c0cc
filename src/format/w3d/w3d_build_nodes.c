// Nodes: skeletons, the instances that use them, and everything that is not a mesh (boxes, lights, places for
// effects and sounds). Also what follows from the nodes: skins and scenes.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

enum { FIXUP_VECTOR_BYTES = 12, BOX_ORIENTED = 1 };
enum { LIGHT_KIND = 0xFF, LIGHT_DIRECTIONAL = 2, LIGHT_SPOT = 3, LIGHT_SHADOWS = 0x100 };

// Skeletons

static w3d_mat mat_from_trs(const sn_trs *trs)
{
    const double x = trs->rotation.x, y = trs->rotation.y, z = trs->rotation.z, w = trs->rotation.w;
    const double s = 2.0 / (x * x + y * y + z * z + w * w);  // 2, but for the rounding of a unit quaternion
    return (w3d_mat){ { { 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), trs->translation.x },
                        { s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), trs->translation.y },
                        { s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y), trs->translation.z } } };
}

static w3d_mat mat_mul(const w3d_mat *a, const w3d_mat *b)
{
    w3d_mat out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++)
            out.m[r][c] = a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c];
        out.m[r][3] += a->m[r][3];
    }
    return out;
}

// Fixups that are vectors, as some published descriptions have them, move the pivot along its own axes. Matrices (48
// bytes), which real files have, are notes of the exporter and move nothing.
static sn_vec3 fixup_offset(const w3d_hierarchy *source, uint32_t index)
{
    sn_vec3 offset = { 0, 0, 0 };
    if (source->fixup_bytes == FIXUP_VECTOR_BYTES && index < source->fixups.count)
        sni_load_words(source->fixups.data + (size_t)index * FIXUP_VECTOR_BYTES, &offset, 3);
    return offset;
}

static void read_pivots(sni_load *load, w3d_skeleton *skeleton, uint64_t offset)
{
    sni_sanitize fixes = { 0 };
    skeleton->parents[0] = -1;
    skeleton->base[0] = sni_trs_identity;  // the game places the root: the file's values have no effect
    for (uint32_t i = 1; i < skeleton->pivot_count; i++) {
        w3d_pivot pivot = w3d_read_pivot(skeleton->source, i - skeleton->shift);
        sn_vec3 fixup = fixup_offset(skeleton->source, i - skeleton->shift);
        sn_trs *base = &skeleton->base[i];
        *base = (sn_trs){ pivot.translation, pivot.rotation, { 1, 1, 1 } };
        sni_sanitize_floats(&fixes, &base->translation.x, 3);
        sni_sanitize_floats(&fixes, &base->rotation.x, 4);
        sni_sanitize_rotation(&fixes, &base->rotation);
        sni_sanitize_floats(&fixes, &fixup.x, 3);
        base->translation = sni_add(base->translation, sni_quat_rotate(base->rotation, fixup));
        sni_sanitize_floats(&fixes, &base->translation.x, 3);

        int32_t parent = pivot.parent;
        if (skeleton->shift && parent < INT32_MAX) parent = parent < 0 ? 0 : parent + 1;
        skeleton->parents[i] = parent;
    }
    sni_sanitize_report(&load->diag, &fixes, 0);

    for (uint32_t i = 1; i < skeleton->pivot_count; i++) {
        int32_t parent = skeleton->parents[i];
        if (parent >= -1 && parent < (int32_t)skeleton->pivot_count) continue;
        sni_warn(&load->diag, SNI_WARN_NODE_PARENT, offset, "parent %d of %u pivots", parent, skeleton->pivot_count);
        skeleton->parents[i] = -1;
    }
}

// Parents may come after their children: each chain is walked up to a pivot that is done, then down again. A chain that
// returns to itself is cut.
static bool solve_worlds(sni_load *load, w3d_skeleton *skeleton, uint64_t offset)
{
    uint32_t count = skeleton->pivot_count;
    uint32_t *seen = sni_new(&load->scratch, uint32_t, count), *path = sni_new_raw(&load->scratch, uint32_t, count);
    if (!seen || !path) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        int32_t at = (int32_t)i;
        for (; at >= 0 && seen[at] == 0; at = skeleton->parents[at]) {
            seen[at] = i + 1;
            path[depth++] = (uint32_t)at;
        }
        if (at >= 0 && depth > 0 && seen[at] == i + 1) {
            sni_warn(&load->diag, SNI_WARN_NODE_CYCLE, offset, "pivot %u is its own ancestor through pivot %d",
                     path[depth - 1], at);
            skeleton->parents[path[depth - 1]] = -1;
        }
        while (depth-- > 0) {
            uint32_t pivot = path[depth];
            int32_t parent = skeleton->parents[pivot];
            w3d_mat local = mat_from_trs(&skeleton->base[pivot]);
            skeleton->worlds[pivot] = parent < 0 ? local : mat_mul(&skeleton->worlds[parent], &local);
            for (int r = 0; r < 3; r++) skeleton->reach = fmax(skeleton->reach, fabs(skeleton->worlds[pivot].m[r][3]));
        }
    }
    return true;
}

static w3d_skeleton *build_skeleton(sni_load *load, const w3d_hierarchy *source, uint64_t offset)
{
    uint64_t pivots = source ? source->pivots.count : 0;
    w3d_skeleton *skeleton = sni_new(&load->scratch, w3d_skeleton, 1);
    if (!skeleton) return NULL;
    skeleton->source = source;
    if (source) skeleton->name = source->name;
    skeleton->shift = (source && source->version < W3D_FIRST_ROOTED_VERSION) || pivots == 0;
    if (pivots + skeleton->shift > INT32_MAX) pivots = INT32_MAX - 1;
    skeleton->pivot_count = (uint32_t)pivots + skeleton->shift;
    skeleton->parents = sni_new(&load->scratch, int32_t, skeleton->pivot_count);
    skeleton->base = sni_new_raw(&load->scratch, sn_trs, skeleton->pivot_count);
    skeleton->worlds = sni_new_raw(&load->scratch, w3d_mat, skeleton->pivot_count);
    if (!skeleton->parents || !skeleton->base || !skeleton->worlds) return NULL;
    read_pivots(load, skeleton, offset);
    return solve_worlds(load, skeleton, offset) ? skeleton : NULL;
}

// The skeleton of a hierarchy, built once; -1: one with just a root.
static const w3d_skeleton *get_skeleton(w3d_builder *b, int32_t hierarchy)
{
    if (hierarchy < 0) return build_skeleton(b->load, NULL, 0);
    w3d_hierarchy_ref *ref = &w3d_items(w3d_hierarchy_ref, b->hierarchies)[hierarchy];
    if (ref->skeleton) return ref->skeleton;
    const w3d_doc *doc = w3d_items(w3d_source_file, b->files)[ref->file].doc;
    sni_enter_named(&b->load->diag, "HIERARCHY", -1, w3d_label(b, ref->source->name));
    ref->skeleton = build_skeleton(b->load, ref->source, w3d_offset(doc, ref->source->chunk));
    sni_leave(&b->load->diag);
    return ref->skeleton;
}

// Pivots as nodes

typedef struct pivot_role {
    const char *prefix, *role;
    bool is_attachment;  // the game puts something there: shots, flames, passengers
} pivot_role;

// The games' naming convention; NULL: no role.
static const pivot_role *find_role(sni_str name)
{
    static const pivot_role roles[] = {
        { "ROOTTRANSFORM", "root", false },  { "B_", "bone", false },       { "WEAPON", "weapon", true },
        { "FIREPOINT", "fire point", true }, { "MUZZLE", "muzzle", true },  { "BARREL", "barrel", true },
        { "TURRET", "turret", true },        { "LAUNCH", "launch", true },  { "FX", "effect", true },
        { "SMOKE", "effect", true },         { "FIRE", "effect", true },    { "EXIT", "exit", true },
        { "HEADLIGHT", "light", true },      { "TREADFX", "effect", true }, { "DUST", "effect", true },
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        size_t size = strlen(roles[i].prefix);
        if (name.size >= size && sni_str_is_nocase(sni_str_make(name.at, size), roles[i].prefix)) return &roles[i];
    }
    return NULL;
}

// A matrix (three axes and a translation, as rows) or a vector. Identities are left out.
static void put_fixup(sni_extras *extras, const w3d_hierarchy *source, uint32_t index)
{
    float values[12];
    uint32_t count = source->fixup_bytes / 4;
    if (index >= source->fixups.count || (count != 12 && count != 3)) return;
    sni_load_words(source->fixups.data + (size_t)index * source->fixup_bytes, values, count);
    bool is_identity = true;
    for (uint32_t i = 0; i < count && is_identity; i++) {
        float expected = count == 12 && i % 4 == 0 && i < 9 ? 1.0f : 0.0f;
        is_identity = count == 12 ? !(fabsf(values[i] - expected) > 1e-6f) : values[i] == 0.0f;
    }
    if (!is_identity) sni_extras_put_floats(extras, "fixup", values, count);
}

// `object`: the name of what is attached; empty when the game decides.
static bool add_attachment(w3d_builder *b, uint32_t node, sni_str object)
{
    sn_attachment *attachment = sni_builder_add_attachment(&b->core);
    const char *path = object.size > 0 ? sni_text_clean(b->core.keep, object, NULL) : "";
    if (!attachment || !path) return false;
    *attachment = (sn_attachment){
        .name = w3d_items(sn_node, b->core.nodes)[node].name, .path = path, .node = (int32_t)node, .id = -1
    };
    return true;
}

static void build_pivot(w3d_builder *b, const w3d_instance *instance, uint32_t pivot, sn_node *node)
{
    const w3d_skeleton *skeleton = instance->skeleton;
    int32_t parent = skeleton->parents[pivot];
    *node = (sn_node){ .name = "", .id = -1, .rest = skeleton->base[pivot] };
    node->parent = parent < 0 ? -1 : (int32_t)instance->first_node + parent;
    if (pivot < skeleton->shift) {
        node->name = w3d_clean_text(b, instance->name);
        return;
    }
    uint32_t index = pivot - skeleton->shift;
    sni_str name = w3d_read_pivot(skeleton->source, index).name;
    const pivot_role *role = find_role(name);
    sni_extras extras;
    node->name = w3d_clean_text(b, name);
    node->id = (int32_t)index;
    if (role && role->is_attachment) {
        node->flags |= SN_NODE_ATTACHMENT;
        add_attachment(b, instance->first_node + pivot, (sni_str){ "", 0 });
    }
    sni_extras_begin(b->core.keep, &extras);
    if (role) sni_extras_put_text(&extras, "role", role->role);
    put_fixup(&extras, skeleton->source, index);
    node->extras = sni_extras_end(b->core.keep, &extras);
}

// Instances

static bool add_instance(w3d_builder *b, const w3d_hlod *hlod, int32_t hierarchy, sni_str name, sni_str hierarchy_name)
{
    w3d_instance *instance = sni_push(&b->load->scratch, &b->instances, w3d_instance);
    if (!instance) return false;
    *instance = (w3d_instance){ .hlod = hlod,
                                .skeleton = get_skeleton(b, hierarchy),
                                .name = name,
                                .hierarchy = hierarchy_name,
                                .is_skeleton_missing = hierarchy < 0 && hierarchy_name.size > 0,
                                .first_node = b->core.nodes.count,
                                .skin = -1 };
    if (!instance->skeleton) return false;
    if (hierarchy >= 0) w3d_items(w3d_hierarchy_ref, b->hierarchies)[hierarchy].is_used = true;

    uint32_t count = instance->skeleton->pivot_count;
    instance->joint_of = sni_new_raw(&b->load->scratch, int32_t, count);
    instance->joints = sni_new_raw(&b->load->scratch, int32_t, count);
    instance->first_attached = sni_new_raw(&b->load->scratch, int32_t, count);
    if (!instance->joint_of || !instance->joints || !instance->first_attached) return false;
    for (uint32_t i = 0; i < count; i++) {
        sn_node *node = sni_builder_add_node(&b->core);
        if (!node) return false;
        build_pivot(b, instance, i, node);
        instance->joint_of[i] = instance->first_attached[i] = -1;
    }
    return sni_load_ok(b->load);
}

static bool add_hlod_instances(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->doc->hlod_count; i++) {
        const w3d_hlod *hlod = &b->doc->hlods[i];
        bool has_hierarchy = hlod->hierarchy.size > 0 || b->forced_hierarchy >= 0;
        sni_enter_named(&b->load->diag, "HLOD", i, w3d_label(b, hlod->name));
        int32_t hierarchy = has_hierarchy ? w3d_find_hierarchy(b, hlod->hierarchy) : -1;
        bool is_added = sni_load_ok(b->load) && add_instance(b, hlod, hierarchy, hlod->name, hlod->hierarchy);
        sni_leave(&b->load->diag);
        if (!is_added) return false;
    }
    return true;
}

// Without HLOD: everything in the file, on its hierarchy if it has exactly one.
static bool add_file_instance(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    int32_t hierarchy = b->forced_hierarchy >= 0 ? b->forced_hierarchy : doc->hierarchy_count == 1 ? 0 : -1;
    sni_str name = { "", 0 }, hierarchy_name = { "", 0 };
    if (doc->mesh_count > 0) name = doc->meshes[0].container.size > 0 ? doc->meshes[0].container : doc->meshes[0].name;
    for (uint32_t i = 0; i < doc->object_count; i++)
        if (doc->objects[i].id == W3D_COLLECTION && doc->objects[i].name.size > 0) name = doc->objects[i].name;
    if (hierarchy >= 0) hierarchy_name = w3d_items(w3d_hierarchy_ref, b->hierarchies)[hierarchy].source->name;
    return add_instance(b, NULL, hierarchy, name, hierarchy_name);
}

// Hierarchies of the file that no object is on are shown as skeletons.
static bool add_unused_hierarchies(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->doc->hierarchy_count; i++) {
        const w3d_hierarchy_ref *ref = &w3d_items(w3d_hierarchy_ref, b->hierarchies)[i];  // the file's own come first
        sni_str name = ref->source->name;
        if (!ref->is_used && !add_instance(b, NULL, (int32_t)i, name, name)) return false;
    }
    return true;
}

// A file with only animations shows them on the hierarchies that they name.
static bool add_animated_hierarchies(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    sni_nocase_names added = { 0 };
    for (uint32_t i = 0; i < doc->animation_count + doc->morph_count && sni_load_ok(b->load); i++) {
        bool is_morph = i >= doc->animation_count;
        uint32_t index = is_morph ? i - doc->animation_count : i;
        sni_str name = is_morph ? doc->morphs[index].name : doc->animations[index].name;
        sni_str hierarchy = is_morph ? doc->morphs[index].hierarchy : doc->animations[index].hierarchy;
        if (sni_nocase_names_find(&added, hierarchy) >= 0) continue;
        sni_enter_named(&b->load->diag, is_morph ? "MORPH_ANIMATION" : "ANIMATION", index, w3d_label(b, name));
        int32_t found = w3d_find_hierarchy(b, hierarchy);
        if (sni_load_ok(b->load) && sni_nocase_names_add(&b->load->scratch, &added, hierarchy, 0))
            add_instance(b, NULL, found, hierarchy, hierarchy);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}

bool w3d_build_instances(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    bool has_objects = doc->mesh_count > 0 || doc->box_count > 0 || doc->object_count > 0 || doc->light_count > 0;
    if (!add_hlod_instances(b)) return false;
    if (doc->hlod_count == 0 && has_objects && !add_file_instance(b)) return false;
    if (!add_unused_hierarchies(b)) return false;
    if (b->instances.count == 0 && doc->animation_count + doc->morph_count > 0) return add_animated_hierarchies(b);
    return b->instances.count > 0 || add_file_instance(b);
}

// Boxes, references and other objects

sn_node *w3d_add_node(w3d_builder *b, const w3d_instance *instance, uint32_t pivot, const char *name,
                      const char *extras)
{
    sn_node *node = sni_builder_add_node(&b->core);
    if (node)
        *node = (sn_node){ .name = name,
                           .extras = extras,
                           .id = -1,
                           .rest = sni_trs_identity,
                           .parent = (int32_t)(instance->first_node + pivot) };
    return node;
}

bool w3d_attach(w3d_builder *b, w3d_instance *instance, uint32_t pivot, bool is_part, int32_t index)
{
    w3d_attached *attached = sni_push(&b->load->scratch, &b->attached, w3d_attached);
    if (!attached) return false;
    *attached = (w3d_attached){ instance->first_attached[pivot], index, is_part };
    instance->first_attached[pivot] = (int32_t)b->attached.count - 1;
    return true;
}

static bool add_object_node(w3d_builder *b, w3d_instance *instance, uint32_t pivot, sni_str name, const char *extras)
{
    sn_node *node = w3d_add_node(b, instance, pivot, w3d_clean_text(b, w3d_after_dot(name)), extras);
    if (!node) return false;
    node->flags |= SN_NODE_ATTACHMENT;
    return w3d_attach(b, instance, pivot, false, (int32_t)b->core.nodes.count - 1);
}

bool w3d_build_reference(w3d_builder *b, w3d_instance *instance, uint32_t pivot, sni_str name, const char *kind)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "kind", kind);
    w3d_extras_put_text(&extras, b, "object", name);
    return add_object_node(b, instance, pivot, name, sni_extras_end(b->core.keep, &extras)) &&
           add_attachment(b, b->core.nodes.count - 1, name);
}

bool w3d_build_box(w3d_builder *b, w3d_instance *instance, uint32_t pivot, const w3d_box *box)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "kind", "box");
    sni_extras_put_floats(&extras, "center", &box->center.x, 3);
    sni_extras_put_floats(&extras, "extent", &box->extent.x, 3);
    sni_extras_put_flag(&extras, "oriented", box->attributes & BOX_ORIENTED);
    w3d_extras_put_collision(&extras, box->attributes);
    if (!add_object_node(b, instance, pivot, box->name, sni_extras_end(b->core.keep, &extras))) return false;

    sn_shape *shape = sni_builder_add_shape(&b->core);
    if (!shape) return false;
    int32_t node = (int32_t)b->core.nodes.count - 1;
    *shape = (sn_shape){ .name = w3d_items(sn_node, b->core.nodes)[node].name,
                         .node = node,
                         .kind = SN_SHAPE_BOX,
                         .keeps_axes = !(box->attributes & BOX_ORIENTED),
                         .center = box->center,
                         .extents = sni_vec3(fabsf(box->extent.x), fabsf(box->extent.y), fabsf(box->extent.z)) };
    return true;
}

static const char *object_kind(uint32_t id)
{
    switch (id) {
    case W3D_NULL: return "null";
    case W3D_DAZZLE: return "dazzle";
    case W3D_EMITTER: return "emitter";
    case W3D_SOUND: return "sound";
    case W3D_AGGREGATE: return "aggregate";
    case W3D_SPHERE: return "sphere";
    case W3D_RING: return "ring";
    case W3D_COLLECTION: return "collection";
    case W3D_LODMODEL: return "levels of detail";
    case W3D_SHDMESH: return "scalable shader mesh";
    default: return "object";
    }
}

static void put_members(w3d_builder *b, sni_extras *extras, const w3d_object *object)
{
    if (object->member_count == 0) return;
    sni_json_key(&extras->json, "members");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < object->member_count; i++) {
        const w3d_member *member = &object->members[i];
        const float range[2] = { member->range_min, member->range_max };
        sni_json_begin_object(&extras->json);
        w3d_extras_put_text(extras, b, "object", member->name);
        w3d_extras_put_text(extras, b, "bone", member->bone);
        if (object->id == W3D_LODMODEL) sni_extras_put_floats(extras, "range", range, 2);
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static void put_emission(sni_extras *extras, const w3d_object *object)
{
    static const char *const keys[] = { "startSize",      "endSize",        "lifetime", "emissionRate", "maxEmissions",
                                        "velocityRandom", "positionRandom", "fadeTime", "gravity",      "elasticity" };
    enum { KEYS = sizeof keys / sizeof *keys, FLOATS = KEYS + 6 };
    float numbers[FLOATS], colors[8];
    if (object->emission.count == 0) return;
    sni_load_words(object->emission.data, numbers, FLOATS);
    for (uint32_t i = 0; i < 8; i++) colors[i] = (float)object->emission.data[4 * FLOATS + i] / 255.0f;
    for (uint32_t i = 0; i < KEYS; i++) sni_extras_put_float(extras, keys[i], numbers[i]);
    sni_extras_put_floats(extras, "velocity", numbers + KEYS, 3);
    sni_extras_put_floats(extras, "acceleration", numbers + KEYS + 3, 3);
    sni_extras_put_floats(extras, "startColor", colors, 4);
    sni_extras_put_floats(extras, "endColor", colors + 4, 4);
}

bool w3d_build_object(w3d_builder *b, w3d_instance *instance, uint32_t pivot, const w3d_object *object)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "kind", object_kind(object->id));
    w3d_extras_put_text(&extras, b, "detail", object->detail);
    put_emission(&extras, object);
    put_members(b, &extras, object);
    sni_str attached = object->id == W3D_NULL ? (sni_str){ "", 0 } : object->name;
    return add_object_node(b, instance, pivot, object->name, sni_extras_end(b->core.keep, &extras)) &&
           add_attachment(b, b->core.nodes.count - 1, attached);
}

// Lights

// The rotation of -Z to a direction.
static sn_quat rotation_to(sn_vec3 direction)
{
    const sn_vec3 down = { 0, 0, -1 };
    sn_vec3 to = sni_unit(direction, down), axis = sni_cross(down, to);
    if (to.z > 0.999999f) return sni_quat(1, 0, 0, 0);
    return sni_quat_unit(sni_quat(axis.x, axis.y, axis.z, 1.0f + sni_dot(down, to)));
}

static const char *light_extras(w3d_builder *b, const w3d_light *source)
{
    sn_vec3 ambient = w3d_linear_color(b, source->ambient), specular = w3d_linear_color(b, source->specular);
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_floats(&extras, "ambient", &ambient.x, 3);
    sni_extras_put_floats(&extras, "specular", &specular.x, 3);
    sni_extras_put_flag(&extras, "shadows", source->attributes & LIGHT_SHADOWS);
    if (source->has_far) sni_extras_put_float(&extras, "fadeFrom", source->far_start);
    if (source->has_spot) sni_extras_put_float(&extras, "exponent", source->exponent);
    return sni_extras_end(b->core.keep, &extras);
}

// Lights have neither name nor pivot: they go to the root of the first instance.
bool w3d_build_lights(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->doc->light_count; i++) {
        const w3d_light *source = &b->doc->lights[i];
        sn_node *node = w3d_add_node(b, b->instances.items, 0, "light", NULL);
        sn_light *light = node ? sni_builder_add_light(&b->core) : NULL;
        if (!light) return false;
        uint32_t kind = source->attributes & LIGHT_KIND;
        if (source->has_spot) node->rest.rotation = rotation_to(source->direction);
        *light = (sn_light){ .name = "",
                             .node = (int32_t)b->core.nodes.count - 1,
                             .color = w3d_linear_color(b, source->diffuse),
                             .intensity = source->intensity };
        light->kind = kind == LIGHT_DIRECTIONAL ? SN_LIGHT_DIRECTIONAL
                      : kind == LIGHT_SPOT      ? SN_LIGHT_SPOT
                                                : SN_LIGHT_POINT;
        light->range = source->has_far && source->far_end > 0.0f ? source->far_end : 0.0f;
        light->outer_angle = source->has_spot && source->angle > 0.0f ? source->angle : 0.0f;
        light->extras = light_extras(b, source);
    }
    return sni_load_ok(b->load);
}

// Skins and scenes

bool w3d_build_skins(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->instances.count; i++) {
        const w3d_instance *instance = &w3d_items(w3d_instance, b->instances)[i];
        if (instance->skin < 0) continue;
        int32_t *joints = sni_new(&b->load->keep, int32_t, instance->joint_count);
        sn_mat34 *binds = sni_new(&b->load->keep, sn_mat34, instance->joint_count);
        if (!joints || !binds) return false;
        for (uint32_t k = 0; k < instance->joint_count; k++) {
            const w3d_mat *world = &instance->skeleton->worlds[instance->joints[k]];
            joints[k] = (int32_t)instance->first_node + instance->joints[k];
            for (int r = 0; r < 3; r++) {  // the inverse of a rotation is its transpose
                for (int c = 0; c < 3; c++) binds[k].m[r][c] = (float)world->m[c][r];
                binds[k].m[r][3] = (float)-(world->m[0][r] * world->m[0][3] + world->m[1][r] * world->m[1][3] +
                                            world->m[2][r] * world->m[2][3]);
            }
        }
        w3d_items(sn_skin, b->core.skins)[instance->skin] = (sn_skin){ w3d_clean_text(b, instance->skeleton->name),
                                                                       joints, binds, instance->joint_count };
    }
    return sni_load_ok(b->load);
}

bool w3d_build_scenes(w3d_builder *b)
{
    sn_scene *scenes = sni_builder_scenes(&b->core, b->instances.count);
    if (!scenes) return false;
    for (uint32_t i = 0; i < b->instances.count; i++) {
        const w3d_instance *instance = &w3d_items(w3d_instance, b->instances)[i];
        const w3d_skeleton *skeleton = instance->skeleton;
        uint32_t count = 0;
        for (uint32_t k = 0; k < skeleton->pivot_count; k++) count += skeleton->parents[k] < 0;
        int32_t *roots = sni_new(&b->load->keep, int32_t, count);
        if (!roots) return false;
        scenes[i] = (sn_scene){ w3d_clean_text(b, instance->name), roots, 0 };
        for (uint32_t k = 0; k < skeleton->pivot_count; k++)
            if (skeleton->parents[k] < 0) roots[scenes[i].root_count++] = (int32_t)(instance->first_node + k);
    }
    return true;
}
