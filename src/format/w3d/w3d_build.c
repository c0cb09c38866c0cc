// W3D: document to model. This file runs the build and fills each instance: which mesh, box or other object goes on
// which pivot, at which level of detail.
#include "format/w3d/w3d_build.h"
#include "base/color.h"

// Names

sni_str w3d_after_dot(sni_str name)
{
    const char *dot = name.size > 0 ? memchr(name.at, '.', name.size) : NULL;
    return dot ? sni_str_make(dot + 1, name.size - (size_t)(dot + 1 - name.at)) : name;
}

sni_str w3d_full_name(w3d_builder *b, sni_str container, sni_str name)
{
    size_t size = container.size + 1 + name.size;
    if (container.size == 0) return name;
    char *text = sni_new_raw(&b->load->scratch, char, size);
    if (!text) return name;
    memcpy(text, container.at, container.size);
    text[container.size] = '.';
    if (name.size > 0) memcpy(text + container.size + 1, name.at, name.size);
    return sni_str_make(text, size);
}

const char *w3d_clean_text(w3d_builder *b, sni_str text)
{
    bool was_bad = false;
    const char *clean = text.size > 0 ? sni_text_clean(&b->load->keep, text, &was_bad) : "";
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, 0, "\"%s\" was not valid UTF-8", clean);
    return clean ? clean : "";
}

const char *w3d_label(w3d_builder *b, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_clean(&b->load->scratch, text, NULL) : "";
    return clean ? clean : "";
}

bool w3d_name_lists_init(sni_arena *arena, w3d_name_lists *lists, uint64_t count)
{
    *lists = (w3d_name_lists){ .next = sni_new_raw(arena, int32_t, count), .last = sni_new_raw(arena, int32_t, count) };
    return lists->next && lists->last;
}

bool w3d_name_lists_add(sni_arena *arena, w3d_name_lists *lists, sni_str name, int32_t number)
{
    if (!sni_nocase_names_add(arena, &lists->first, name, number)) return false;
    int32_t first = sni_nocase_names_find(&lists->first, name);
    lists->next[number] = -1;
    if (first != number) lists->next[lists->last[first]] = number;
    lists->last[first] = number;
    return true;
}

uint64_t w3d_offset(const w3d_doc *doc, int32_t chunk)
{
    return chunk >= 0 && (uint32_t)chunk < doc->chunk_count ? doc->chunks[chunk].offset : 0;
}

sn_vec3 w3d_linear_color(const w3d_builder *b, const uint8_t rgb[3])
{
    return (sn_vec3){ b->linear[rgb[0]], b->linear[rgb[1]], b->linear[rgb[2]] };
}

void w3d_extras_put_text(sni_extras *extras, w3d_builder *b, const char *key, sni_str text)
{
    if (text.size > 0) sni_extras_put_text(extras, key, w3d_label(b, text));
}

void w3d_extras_put_collision(sni_extras *extras, uint32_t attributes)
{
    if (!(attributes & W3D_COLLISION_MASK)) return;
    sni_json_key(&extras->json, "collision");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < W3D_COLLISION_KINDS; i++)
        if (attributes >> (4 + i) & 1) sni_json_put_text(&extras->json, w3d_collision_names[i]);
    sni_json_end(&extras->json);
}

// Finding objects by name
//
// Objects of the file are numbered: meshes, then boxes, then other objects. Objects of the same name take turns: the
// second mention of a name in an array is the second object of that name.
typedef struct name_turn {
    uint32_t array;  // the array in which the name was last mentioned
    int32_t next;    // the object for its next mention there, or -1
} name_turn;

typedef struct object_index {
    uint32_t count, array;         // array: number of the current one, from 1
    w3d_name_lists full_names;     // "TANK.TURRET"
    sni_nocase_names short_names;  // "TURRET"
    name_turn *turns;              // by the first object of a name
} object_index;

static sni_str object_name(w3d_builder *b, uint32_t number)
{
    const w3d_doc *doc = b->doc;
    if (number < doc->mesh_count) return w3d_full_name(b, doc->meshes[number].container, doc->meshes[number].name);
    number -= doc->mesh_count;
    return number < doc->box_count ? doc->boxes[number].name : doc->objects[number - doc->box_count].name;
}

static bool index_objects(w3d_builder *b, object_index *index)
{
    sni_arena *scratch = &b->load->scratch;
    uint64_t count = (uint64_t)b->doc->mesh_count + b->doc->box_count + b->doc->object_count;
    if (count > INT32_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%llu objects", (unsigned long long)count);
    *index = (object_index){ .count = (uint32_t)count, .turns = sni_new(scratch, name_turn, count) };
    if (!index->turns || !w3d_name_lists_init(scratch, &index->full_names, count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_str name = object_name(b, i);
        if (!w3d_name_lists_add(scratch, &index->full_names, name, (int32_t)i) ||
            !sni_nocase_names_add(scratch, &index->short_names, w3d_after_dot(name), (int32_t)i))
            return false;
    }
    return true;
}

static int32_t find_object(object_index *index, sni_str name)
{
    int32_t first = sni_nocase_names_find(&index->full_names.first, name);
    if (first < 0) return sni_nocase_names_find(&index->short_names, w3d_after_dot(name));
    name_turn *turn = &index->turns[first];
    int32_t found = turn->array == index->array && turn->next >= 0 ? turn->next : first;
    turn->array = index->array;
    turn->next = index->full_names.next[found];
    return found;
}

// Adding objects to an instance

static bool is_bounding_box(sni_str name)
{
    const size_t size = strlen("BOUNDINGBOX");
    return name.size >= size && sni_str_is_nocase(sni_str_make(name.at + name.size - size, size), "BOUNDINGBOX");
}

// What the games' own data (WeaponMuzzleFlash, SubObjectsUpgrade) hides until a shot or an upgrade, by the names that
// it has there: MuzzleFX01, BarrelUp02FX01, Forged_Blade.
bool w3d_is_switched_by_game(sni_str name)
{
    static const char *const prefixes[] = { "MUZZLE", "TURRET", "BARREL", "FORGED_BLADE" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i]);
        if (name.size < size || !sni_str_is_nocase(sni_str_make(name.at, size), prefixes[i])) continue;
        if (prefixes[i][0] == 'F') return true;
        for (; size + 2 <= name.size; size++)
            if (sni_str_is_nocase(sni_str_make(name.at + size, 2), "FX")) return true;
    }
    return false;
}

// The node of a mesh: its pivot's, the root's for skins, or a new one that faces the camera.
static int32_t mesh_node(w3d_builder *b, const w3d_instance *instance, uint32_t pivot, const w3d_mesh *mesh)
{
    uint32_t type = w3d_geometry_type(mesh);
    uint32_t flag = type == W3D_GEOMETRY_CAMERA_ALIGNED || type == W3D_GEOMETRY_CAMERA_ORIENTED ? SN_NODE_BILLBOARD
                    : type == W3D_GEOMETRY_CAMERA_Z                                             ? SN_NODE_BILLBOARD_Z
                                                                                                : 0;
    if (w3d_is_skin(mesh)) return (int32_t)instance->first_node;
    if (!flag) return (int32_t)(instance->first_node + pivot);
    sn_node *node = w3d_add_node(b, instance, pivot, w3d_clean_text(b, mesh->name), NULL);
    if (node) node->flags |= flag;
    return node ? (int32_t)b->core.nodes.count - 1 : -1;
}

static bool add_mesh(w3d_builder *b, w3d_instance *instance, uint32_t pivot, int32_t number, int32_t lod,
                     bool is_hidden)
{
    const w3d_mesh *mesh = &b->doc->meshes[number];
    w3d_mesh_range range;
    sni_enter_named(&b->load->diag, "MESH", number, w3d_label(b, mesh->name));
    bool is_built = w3d_build_mesh(b, number, instance, &range);
    sni_leave(&b->load->diag);
    if (!is_built) return false;

    // Old files also have meshes that only cast shadows or stop bullets; no engine draws them.
    uint32_t type = w3d_geometry_type(mesh);
    bool is_drawn = (type <= W3D_GEOMETRY_SKIN || type >= W3D_GEOMETRY_CAMERA_ORIENTED) &&
                    !w3d_is_switched_by_game(w3d_after_dot(mesh->name));
    int32_t node = range.count > 0 ? mesh_node(b, instance, pivot, mesh) : 0;
    if (node < 0) return false;
    for (uint32_t i = 0; i < range.count; i++) {
        sn_part *part = sni_builder_add_part(&b->core);
        if (!part) return false;
        *part = (sn_part){ .mesh = (int32_t)(range.first + i),
                           .node = node,
                           .skin = w3d_is_skin(mesh) ? instance->skin : -1,
                           .lod = lod,
                           .color = { 1, 1, 1, 1 },
                           .material = w3d_items(int32_t, b->mesh_materials)[range.first + i],
                           .is_hidden = is_hidden || !is_drawn || (mesh->attributes & W3D_HIDDEN) };
        if (!w3d_attach(b, instance, pivot, true, (int32_t)b->core.parts.count - 1)) return false;
    }
    return true;
}

static bool add_numbered_object(w3d_builder *b, w3d_instance *instance, uint32_t pivot, uint32_t number, int32_t lod,
                                bool is_hidden)
{
    const w3d_doc *doc = b->doc;
    if (number < doc->mesh_count) return add_mesh(b, instance, pivot, (int32_t)number, lod, is_hidden);
    number -= doc->mesh_count;
    if (number < doc->box_count) return w3d_build_box(b, instance, pivot, &doc->boxes[number]);
    return w3d_build_object(b, instance, pivot, &doc->objects[number - doc->box_count]);
}

// An object of another file becomes a node with its name and `missing_kind`.
static bool add_named_object(w3d_builder *b, object_index *index, w3d_instance *instance, uint32_t pivot, sni_str name,
                             int32_t lod, const char *missing_kind)
{
    int32_t number = find_object(index, name);
    if (number >= 0) return add_numbered_object(b, instance, pivot, (uint32_t)number, lod, is_bounding_box(name));
    if (b->load->lint)
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, 0, "\"%s\" is not in this file", w3d_label(b, name));
    return w3d_build_reference(b, instance, pivot, name, missing_kind);
}

static uint32_t pivot_of_bone(const w3d_instance *instance, uint32_t bone)
{
    bool is_old = instance->hlod->is_hmodel && instance->hlod->version < W3D_FIRST_ROOTED_VERSION;
    uint64_t pivot = (uint64_t)bone + is_old;
    return pivot < instance->skeleton->pivot_count ? (uint32_t)pivot : 0;
}

// Levels of detail, coarsest first in the file; aggregates, which are in every level; proxies, which are only places.
static bool add_hlod_objects(w3d_builder *b, object_index *index, w3d_instance *instance)
{
    const w3d_hlod *hlod = instance->hlod;
    for (uint32_t l = 0; l < hlod->lod_count; l++) {
        int32_t level = (int32_t)(hlod->lod_count - 1 - l);
        index->array++;
        for (uint32_t i = 0; i < hlod->lods[l].object_count; i++) {
            const w3d_sub_object *object = &hlod->lods[l].objects[i];
            uint32_t pivot = pivot_of_bone(instance, object->bone);
            sni_str name = hlod->is_hmodel ? w3d_full_name(b, hlod->name, object->name) : object->name;
            if (!add_named_object(b, index, instance, pivot, name, level, "external")) return false;
        }
    }
    if (hlod->lod_count > b->lod_count) b->lod_count = hlod->lod_count;

    index->array++;
    for (uint32_t i = 0; i < hlod->aggregates.object_count; i++) {
        const w3d_sub_object *object = &hlod->aggregates.objects[i];
        uint32_t pivot = pivot_of_bone(instance, object->bone);
        if (!add_named_object(b, index, instance, pivot, object->name, -1, "aggregate")) return false;
    }
    for (uint32_t i = 0; i < hlod->proxies.object_count; i++) {
        const w3d_sub_object *object = &hlod->proxies.objects[i];
        uint32_t pivot = pivot_of_bone(instance, object->bone);
        if (!w3d_build_reference(b, instance, pivot, object->name, "proxy")) return false;
    }
    return true;
}

// Without HLOD: the objects of the file's collections; without those, all objects, each on the pivot of its name.
static bool add_unlisted_objects(w3d_builder *b, object_index *index, w3d_instance *instance)
{
    const w3d_doc *doc = b->doc;
    bool has_collection = false;
    for (uint32_t i = 0; i < doc->object_count; i++) {
        const w3d_object *object = &doc->objects[i];
        if (object->id != W3D_COLLECTION) continue;
        has_collection = true;
        index->array++;
        for (uint32_t m = 0; m < object->member_count; m++)
            if (!add_named_object(b, index, instance, 0, object->members[m].name, 0, "external")) return false;
    }
    if (has_collection) return true;

    sni_nocase_names pivots = { 0 };
    const w3d_skeleton *skeleton = instance->skeleton;
    for (uint32_t i = skeleton->shift; i < skeleton->pivot_count; i++) {
        w3d_pivot pivot = w3d_read_pivot(skeleton->source, i - skeleton->shift);
        if (!sni_nocase_names_add(&b->load->scratch, &pivots, pivot.name, (int32_t)i)) return false;
    }
    for (uint32_t i = 0; i < index->count; i++) {
        sni_str name = i < doc->mesh_count ? doc->meshes[i].name : w3d_after_dot(object_name(b, i));
        int32_t pivot = sni_nocase_names_find(&pivots, name);
        if (!add_numbered_object(b, instance, pivot > 0 ? (uint32_t)pivot : 0, i, 0, false)) return false;
    }
    return true;
}

static bool add_objects(w3d_builder *b)
{
    object_index index;
    b->mesh_ranges = sni_new(&b->load->scratch, w3d_mesh_range, b->doc->mesh_count);
    if (!b->mesh_ranges || !index_objects(b, &index)) return false;
    if (b->doc->hlod_count == 0) return add_unlisted_objects(b, &index, b->instances.items);
    for (uint32_t i = 0; i < b->instances.count; i++) {
        w3d_instance *instance = &w3d_items(w3d_instance, b->instances)[i];
        if (!instance->hlod) continue;
        sni_enter_named(&b->load->diag, "HLOD", i, w3d_label(b, instance->name));
        bool is_added = add_hlod_objects(b, &index, instance);
        sni_leave(&b->load->diag);
        if (!is_added) return false;
    }
    return true;
}

bool w3d_build(sni_load *load, const w3d_doc *doc, sn_model *model)
{
    w3d_builder *b = sni_new(&load->scratch, w3d_builder, 1);
    if (!b) return false;
    *b = (w3d_builder){ .load = load, .doc = doc, .core = sni_builder_of_load(load), .lod_count = 1 };
    for (int i = 0; i < 256; i++) b->linear[i] = (float)sni_linear_of(i / 255.0);
    model->up_axis = SN_Z_UP;
    bool is_built = w3d_open_files(b) && w3d_build_instances(b) && w3d_find_animation_files(b) &&
                    w3d_find_pose_files(b) && add_objects(b) && w3d_build_lights(b) && w3d_build_skins(b) &&
                    w3d_build_clips(b) && w3d_build_scenes(b);
    if (!is_built) return false;
    model->name = w3d_items(sn_scene, b->core.scenes)[0].name;
    model->lod_count = b->lod_count;
    model->default_scene = 0;
    return sni_builder_finish(&b->core, model);
}
