// Nodes to objects: bones, helpers, lights, attachments, events, collision shapes. Bones come first and ids are dense.
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/mdx/mdx_export.h"
#include "format/mdx/mdx_mdl.h"
#include "model/track.h"

// The editor's least distance at which a light begins to fade.
static const float NEAREST_FADE = 80.0f;

// An object of the file, before it has an id. Things that hang on a node of another kind are objects of their own.
typedef struct planned {
    const mdx_kind *kind;
    int32_t node;    // whose motion it has; -1: none
    int32_t parent;  // of an object of its own: the node; else -1
    int32_t item;    // light, attachment, event or shape; -1: none
    int32_t id;
} planned;

typedef struct node_plan {
    uint8_t has_child, has_part, is_animated, is_kept;
    int8_t rest;           // 1: it rested hidden before it went through glTF, -1: shown, 0: as the model says
    const mdx_kind *kind;  // that its extras name, or an attachment by its name; NULL: none
    int32_t object;        // number of its own; -1: none
    int32_t object_above;  // id of the object that the node is or is below; -1: none
} node_plan;

typedef struct planner {
    mdx_exporter *x;
    node_plan *nodes;
    sni_list objects;      // planned
    sn_vec3 *pivots;       // per node
    int32_t *next_events;  // per event: the next of its object; -1: none
} planner;

// The kind that a node had in the file it came from, and whether it rested hidden.
static void read_stored(mdx_exporter *x, const sn_node *node, node_plan *plan)
{
    mdx_extras in;
    sni_str key;
    if (!mdx_open_extras(x, node->extras, &in)) return;
    while (sni_json_next_key(&in.json, &key)) {
        const char *text = sni_json_peek(&in.json) == SNI_JSON_STRING ? sni_json_string(&in.json, NULL) : NULL;
        if (!text) sni_json_skip(&in.json);
        else if (sni_str_is(key, "sinew_rest")) plan->rest = strcmp(text, "hidden") == 0 ? 1 : -1;
        else if (sni_str_is(key, "kind"))
            for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
                if (kind->is_node && strcmp(kind->mdl_name, text) == 0) plan->kind = kind;
    }
    if (node->flags & SN_NODE_JOINT) plan->kind = NULL;
}

static bool is_of(const planner *p, int32_t node, uint32_t tag)
{
    return node >= 0 && p->nodes[node].kind && p->nodes[node].kind->tag == tag;
}

// Not objects: cameras, nodes that only hold skinned parts, and roots at rest above everything, such as the one that
// turns a glTF scene.
static void choose_kept(planner *p)
{
    const sn_model *model = p->x->model;
    for (uint32_t i = 0; i < model->node_count; i++) p->nodes[i].is_kept = 1;
    for (uint32_t i = 0; i < model->node_count; i++) {
        node_plan *plan = &p->nodes[i];
        const int32_t parent = model->nodes[i].parent;
        const bool is_top = parent < 0 || !p->nodes[parent].is_kept;
        const bool is_needed = plan->is_animated || plan->kind || model->nodes[i].flags & SN_NODE_JOINT;
        if (!is_needed && is_top) plan->is_kept = 0;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const int32_t node = model->parts[i].node;
        const node_plan *plan = &p->nodes[node];
        if (!plan->has_child && !plan->kind && !(model->nodes[node].flags & SN_NODE_JOINT)) p->nodes[node].is_kept = 0;
    }
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const int32_t node = model->cameras[i].node;
        if (node >= 0 && !p->nodes[node].has_child && !(model->nodes[node].flags & SN_NODE_JOINT))
            p->nodes[node].is_kept = 0;
    }
}

static bool is_attachment_name(const char *name)
{
    const size_t size = strlen(name);
    return size > 4 && sni_str_is_nocase(sni_str_make(name + size - 4, 4), " ref");
}

static void set_attachment(planner *p, int32_t node)
{
    node_plan *plan = &p->nodes[node];
    const bool is_free = !plan->kind && !plan->has_part && !(p->x->model->nodes[node].flags & SN_NODE_JOINT);
    if (is_free && !p->x->is_own) plan->kind = mdx_find_kind(MDX_ATCH);
}

// Models from elsewhere: a node called like the attachment on it, or as the game calls attachments ("Hand Left Ref").
static void find_attachments(planner *p)
{
    const sn_model *model = p->x->model;
    for (uint32_t i = 0; i < model->part_count; i++) p->nodes[model->parts[i].node].has_part = 1;
    for (uint32_t i = 0; i < model->attachment_count; i++) {
        const sn_attachment *attachment = &model->attachments[i];
        const bool is_node = strcmp(model->nodes[attachment->node].name, attachment->name) == 0;
        if (is_node) set_attachment(p, attachment->node);
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        if (is_attachment_name(model->nodes[i].name)) set_attachment(p, (int32_t)i);
}

static void read_nodes(planner *p)
{
    const sn_model *model = p->x->model;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        node_plan *plan = &p->nodes[i];
        read_stored(p->x, node, plan);
        if (node->parent >= 0) p->nodes[node->parent].has_child = 1;
        p->pivots[i] = node->parent >= 0 ? sni_add(p->pivots[node->parent], node->rest.translation)
                                         : node->rest.translation;
        plan->object = -1;
    }
    for (uint32_t i = 0; i < p->x->found.count; i++) {
        const sn_track *track = p->x->found.tracks[i].track;
        if (sni_track_is_local(track)) p->nodes[track->target].is_animated = 1;
    }
    find_attachments(p);
}

static bool plan_object(planner *p, uint32_t tag, int32_t node, int32_t parent, int32_t item)
{
    planned *object = sni_push(p->x->arena, &p->objects, planned);
    if (object) *object = (planned){ mdx_find_kind(tag), node, parent, item, -1 };
    return object != NULL;
}

// Whether the node itself is the object; else it is one that hangs on the node.
static bool plan_item(planner *p, uint32_t tag, int32_t node, int32_t item)
{
    const int32_t own = is_of(p, node, tag) ? p->nodes[node].object : -1;
    planned *object = own >= 0 ? (planned *)p->objects.items + own : NULL;
    if (!object || object->item >= 0) return plan_object(p, tag, -1, node, item);
    object->item = item;
    return true;
}

static bool is_same_event(const sn_event *a, const sn_event *b)
{
    return a->node == b->node && (a->clip < 0) == (b->clip < 0) && a->period == b->period &&
           strcmp(a->name, b->name) == 0;
}

// Events of one name, node and clock are one object.
static bool plan_events(planner *p)
{
    const sn_model *model = p->x->model;
    sni_map map = { 0 };
    int32_t *last = sni_new_raw(p->x->arena, int32_t, model->event_count);  // of each object's first event
    p->next_events = sni_new_raw(p->x->arena, int32_t, model->event_count);
    if (!last || !p->next_events) return false;
    for (uint32_t i = 0; i < model->event_count; i++) {
        const sn_event *event = &model->events[i];
        const uint32_t hash = sni_hash_more(sni_hash(&event->node, sizeof event->node), event->name,
                                            strlen(event->name));
        int32_t first = -1;
        p->next_events[i] = -1;
        for (sni_map_cursor at = sni_map_find(&map, hash); first < 0 && sni_map_next(&map, &at);)
            if (is_same_event(&model->events[at.item], event)) first = (int32_t)at.item;
        if (first >= 0) {
            p->next_events[last[first]] = (int32_t)i;
            last[first] = (int32_t)i;
            continue;
        }
        last[i] = (int32_t)i;
        if (!sni_map_add(&map, p->x->arena, hash, i) || !plan_item(p, MDX_EVTS, event->node, (int32_t)i)) return false;
    }
    return true;
}

static bool is_origin(const char *name) { return sni_str_is_nocase(sni_str_make(name, strnlen(name, 6)), "origin"); }

// Where units carry effects: models from elsewhere get it.
static bool plan_origin(planner *p)
{
    const sn_model *model = p->x->model;
    bool is_there = false;
    for (uint32_t i = 0; i < model->attachment_count; i++) is_there |= is_origin(model->attachments[i].name);
    for (uint32_t i = 0; i < model->node_count; i++)
        is_there |= is_of(p, (int32_t)i, MDX_ATCH) && is_origin(model->nodes[i].name);
    return is_there || p->x->is_own || plan_object(p, MDX_ATCH, -1, -1, -1);
}

static bool plan_items(planner *p)
{
    const sn_model *model = p->x->model;
    for (uint32_t i = 0; i < model->light_count; i++)
        if (!plan_item(p, MDX_LITE, model->lights[i].node, (int32_t)i)) return false;
    for (uint32_t i = 0; i < model->attachment_count; i++)
        if (!plan_item(p, MDX_ATCH, model->attachments[i].node, (int32_t)i)) return false;
    if (!plan_events(p)) return false;
    for (uint32_t i = 0; i < model->shape_count; i++)
        if (!plan_item(p, MDX_CLID, model->shapes[i].node, (int32_t)i)) return false;
    return plan_origin(p);
}

// Saving as glTF adds joints that hide parts, and loading takes them away by their marks.
static bool has_lost_mark(const sn_node *node)
{
    const char *dot = strrchr(node->name, '.');
    return dot && (strcmp(dot, ".switch") == 0 || strcmp(dot, ".copy") == 0);
}

// Joints, other bones, then everything else: the game skins to the first ids only.
static int rank_of(const planner *p, const planned *object)
{
    const uint32_t flags = object->node >= 0 ? p->x->model->nodes[object->node].flags : 0;
    return flags & SN_NODE_JOINT ? 0 : object->kind->tag == MDX_BONE ? 1 : 2;
}

static bool plan_objects(planner *p)
{
    const sn_model *model = p->x->model;
    uint64_t lost = 0, switches = 0;
    int32_t next = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (!p->nodes[i].is_kept) continue;
        switches += has_lost_mark(&model->nodes[i]);
        const mdx_kind *kind = p->nodes[i].kind;
        uint32_t tag = kind ? kind->tag : MDX_HELP;
        const bool is_lost = tag == MDX_HTST || (tag == MDX_CORN && p->x->doc->version < 900);
        if (model->nodes[i].flags & SN_NODE_JOINT) tag = MDX_BONE;
        if (is_lost) tag = MDX_HELP, lost++;
        p->nodes[i].object = (int32_t)p->objects.count;
        if (!plan_object(p, tag, (int32_t)i, -1, -1)) return false;
    }
    if (!plan_items(p)) return false;
    planned *objects = p->objects.items;
    for (int rank = 0; rank < 3; rank++)
        for (uint32_t i = 0; i < p->objects.count; i++)
            if (rank_of(p, &objects[i]) == rank) {
                objects[i].id = next++;
                if (objects[i].node >= 0) p->x->nodes[objects[i].node].object = objects[i].id;
            }
    sni_save_lose(p->x->save, "nodes", lost, "Reforged emitters and hit tests became helpers");
    sni_save_lose(p->x->save, "nodes", switches,
                  "extras of joints that hide parts in glTF are missing; these joints are kept");
    return true;
}

// Filling

static int32_t parent_id(const planner *p, const planned *object)
{
    const int32_t above = object->node >= 0 ? p->x->model->nodes[object->node].parent : object->parent;
    return above >= 0 ? p->nodes[above].object_above : -1;
}

static uint32_t flags_of(uint32_t flags)
{
    static const struct {
        uint32_t flag, bit;
    } table[] = {
        { SN_NODE_OWN_TRANSLATION, MDX_NODE_OWN_TRANSLATION }, { SN_NODE_OWN_SCALE, MDX_NODE_OWN_SCALE },
        { SN_NODE_OWN_ROTATION, MDX_NODE_OWN_ROTATION },       { SN_NODE_BILLBOARD, MDX_NODE_BILLBOARD },
        { SN_NODE_BILLBOARD_X, MDX_NODE_BILLBOARD_X },         { SN_NODE_BILLBOARD_Y, MDX_NODE_BILLBOARD_Y },
        { SN_NODE_BILLBOARD_Z, MDX_NODE_BILLBOARD_Z },
    };
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (flags & table[i].flag) bits |= table[i].bit;
    return bits;
}

static bool fill_node(planner *p, const planned *object, const char *name, uint32_t visibility, mdx_object *out)
{
    static const float no_rotation[] = { 0, 0, 0, 1 }, ones[] = { 1, 1, 1 };
    mdx_exporter *x = p->x;
    const int32_t index = object->node;
    sni_list tracks = { 0 }, own = { 0 };
    out->node.name = mdx_name_text(x, name, MDX_NAME_BYTES);
    out->node.id = object->id;
    out->node.parent = parent_id(p, object);
    out->node.flags = mdx_mdl_type_flags(object->kind->tag, x->doc->version);
    if (index < 0) return true;
    const sn_node *node = &x->model->nodes[index];
    const mdx_source
        translation = { SN_TARGET_NODE,
                        index,
                        0,
                        SN_CHANNEL_TRANSLATION,
                        &node->rest.translation.x,
                        NULL,
                        &node->rest.translation.x,
                        node->extras },
        rotation = { SN_TARGET_NODE, index, 0, SN_CHANNEL_ROTATION, NULL, NULL, no_rotation, node->extras },
        scale = { SN_TARGET_NODE, index, 0, SN_CHANNEL_SCALE, NULL, NULL, ones, node->extras },
        shown = { SN_TARGET_NODE, index, 0, SN_CHANNEL_VISIBILITY, NULL, NULL, ones, NULL };
    out->node.flags |= flags_of(node->flags);
    if (!mdx_export_track(x, &translation, MDX_KGTR, &tracks) || !mdx_export_track(x, &rotation, MDX_KGRT, &tracks) ||
        !mdx_export_track(x, &scale, MDX_KGSC, &tracks))
        return false;
    if (visibility && !mdx_export_track(x, &shown, visibility, &own)) return false;
    out->node.tracks = mdx_tracks_of(&tracks);
    out->item.tracks = mdx_tracks_of(&own);
    return true;
}

static bool append_tracks(mdx_exporter *x, mdx_tracks *tracks, const sni_list *more)
{
    mdx_track *all = sni_new_raw(x->arena, mdx_track, (uint64_t)tracks->count + more->count);
    if (!all) return false;
    if (more->count > 0) memcpy(all, more->items, more->count * sizeof *all);
    if (tracks->count > 0) memcpy(all + more->count, tracks->items, tracks->count * sizeof *all);
    *tracks = (mdx_tracks){ all, tracks->count + more->count };
    return true;
}

// What the element was in the file it came from; then the node itself, whose tracks are added.
static bool fill_stored(planner *p, const planned *object, const char *name, uint32_t visibility, mdx_object *out)
{
    mdx_exporter *x = p->x;
    const char *extras = object->node >= 0 ? x->model->nodes[object->node].extras : NULL;
    sni_list tracks = { 0 };
    uint32_t flags = 0;
    if (!mdx_read_element(x, extras, object->kind, out, &tracks, &flags)) return false;
    if (!fill_node(p, object, name, visibility, out)) return false;
    out->node.flags |= flags;
    return append_tracks(x, &out->item.tracks, &tracks);
}

static const char *node_name(const planner *p, const planned *object)
{
    return object->node >= 0 ? p->x->model->nodes[object->node].name : "";
}

static bool fill_light(planner *p, const planned *object)
{
    mdx_exporter *x = p->x;
    const sn_light *light = object->item >= 0 ? &x->model->lights[object->item] : NULL;
    mdx_light *out = sni_push(x->arena, &x->doc->lights, mdx_light);
    sni_list tracks = { 0 };
    if (!out) return false;
    out->color = out->ambient_color = (sn_vec3){ 1, 1, 1 };
    const char *name = light && light->name[0] ? light->name : "Light";
    if (!fill_stored(p, object, object->node >= 0 ? node_name(p, object) : name, MDX_KLAV, &out->object)) return false;
    if (!light) return true;
    const char *stored = object->node >= 0 ? p->x->model->nodes[object->node].extras : NULL;
    const mdx_source color = { SN_TARGET_LIGHT, object->item, 0, SN_CHANNEL_COLOR, NULL, &light->color.x, NULL, NULL },
                     intensity = { SN_TARGET_LIGHT,   object->item, 0,     SN_CHANNEL_INTENSITY, NULL,
                                   &light->intensity, NULL,         stored };
    out->kind = light->kind == SN_LIGHT_DIRECTIONAL ? 1 : light->kind == SN_LIGHT_AMBIENT ? 2 : 0;
    if (!(out->attenuation_end > 0.0f)) {
        out->attenuation_end = fmaxf(light->range > 0.0f ? light->range : 200.0f, NEAREST_FADE);
        out->attenuation_start = fmaxf(0.4f * out->attenuation_end, NEAREST_FADE);
    }
    out->color = light->color;
    out->intensity = light->intensity;
    if (!(out->shadow_intensity > 0.0f)) out->shadow_intensity = 0.4f;
    if (light->kind == SN_LIGHT_SPOT) sni_save_lose(x->save, "lights", 1, "spot lights became point lights");
    return mdx_export_track(x, &color, MDX_KLAC, &tracks) && mdx_export_track(x, &intensity, MDX_KLAI, &tracks) &&
           append_tracks(x, &out->object.item.tracks, &tracks);
}

static bool fill_attachment(planner *p, const planned *object)
{
    mdx_exporter *x = p->x;
    const sn_attachment *attachment = object->item >= 0 ? &x->model->attachments[object->item] : NULL;
    mdx_attachment *out = sni_push(x->arena, &x->doc->attachments, mdx_attachment);
    if (!out) return false;
    const char *name = attachment ? attachment->name : object->node >= 0 ? node_name(p, object) : "Origin Ref";
    if (!fill_stored(p, object, name, MDX_KATV, &out->object)) return false;
    if (attachment && sni_has_ending(attachment->path, "mdl mdx"))
        out->path = mdx_name_text(x, attachment->path, MDX_PATH_BYTES);
    const bool is_stored = x->is_own && object->node >= 0;
    if (attachment && attachment->id >= 0) out->attachment_id = attachment->id;
    else if (attachment || !is_stored) out->attachment_id = (int32_t)x->doc->attachments.count - 1;
    return true;
}

static int compare_times(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

// The times of all events of this object. Those on their own clock become a global sequence.
static bool add_times(planner *p, int32_t first, sni_list *times)
{
    mdx_exporter *x = p->x;
    for (int32_t i = first; i >= 0; i = p->next_events[i]) {
        const sn_event *event = &x->model->events[i];
        const mdx_interval all = { 0, INT32_MAX }, in = event->clip >= 0 ? x->timeline.intervals[event->clip] : all;
        const double at = (double)event->time * 1000.0 + in.start + 0.5;
        int32_t *time = sni_push(x->arena, times, int32_t);
        if (!time) return false;
        *time = at < in.end ? (int32_t)at : in.end;
    }
    return true;
}

// Of which only the extras are left: times on the old timeline.
static bool add_stored_times(mdx_exporter *x, const mdx_event *event, sni_list *times)
{
    for (uint32_t i = 0; i < event->times.count; i++) {
        int32_t old, at;
        memcpy(&old, event->times.data + 4 * (size_t)i, 4);
        at = old;
        const bool is_mapped = event->global_sequence >= 0 || mdx_map_time(&x->timeline, old, &at);
        int32_t *time = is_mapped ? sni_push(x->arena, times, int32_t) : NULL;
        if (is_mapped && !time) return false;
        if (time) *time = at;
    }
    return true;
}

static bool fill_event(planner *p, const planned *object)
{
    mdx_exporter *x = p->x;
    const sn_event *first = object->item >= 0 ? &x->model->events[object->item] : NULL;
    mdx_event *out = sni_push(x->arena, &x->doc->events, mdx_event);
    sni_list times = { 0 };
    if (!out || !fill_stored(p, object, first ? first->name : node_name(p, object), 0, &out->object)) return false;
    const bool is_stored = out->has_times && (!first || x->timeline.is_kept);
    if (is_stored ? !add_stored_times(x, out, &times) : !add_times(p, object->item, &times)) return false;
    if (!is_stored) out->global_sequence = first && first->period > 0.0f ? mdx_global_sequence(x, first->period) : -1;
    out->has_times = true;
    if (times.count > 1) qsort(times.items, times.count, sizeof(int32_t), compare_times);
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * times.count);
    if (!data) return false;
    for (uint32_t i = 0; i < times.count; i++)
        sni_store_u32(data + 4 * (size_t)i, (uint32_t)((const int32_t *)times.items)[i]);
    out->times = (mdx_array){ data, times.count };
    return true;
}

// Points are in model space. Shapes that Warcraft III does not have become the box around them.
static bool fill_shape(planner *p, const planned *object)
{
    mdx_exporter *x = p->x;
    const sn_shape *shape = object->item >= 0 ? &x->model->shapes[object->item] : NULL;
    mdx_shape *out = sni_push(x->arena, &x->doc->shapes, mdx_shape);
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 24);
    if (!out || !data) return false;
    if (!shape) return fill_stored(p, object, node_name(p, object), 0, &out->object);
    const sn_vec3 pivot = shape->node >= 0 ? p->pivots[shape->node] : sni_vec3(0, 0, 0);
    const sn_vec3 center = sni_add(pivot, shape->center);
    sn_vec3 half = { fabsf(shape->extents.x), fabsf(shape->extents.y), fabsf(shape->extents.z) };
    if (shape->kind == SN_SHAPE_CYLINDER)
        half = sni_add(half, sni_vec3(shape->radius, shape->radius, half.z > half.x ? 0.0f : shape->radius));
    const bool is_sphere = shape->kind == SN_SHAPE_SPHERE;
    const sn_vec3 low = sni_sub(center, half), high = sni_add(center, half);
    const float values[6] = { is_sphere ? center.x : low.x,
                              is_sphere ? center.y : low.y,
                              is_sphere ? center.z : low.z,
                              is_sphere ? shape->radius : high.x,
                              high.y,
                              high.z };
    out->kind = is_sphere ? MDX_SPHERE : MDX_BOX;
    out->values = (mdx_array){ data, is_sphere ? 4 : 6 };
    for (uint32_t i = 0; i < out->values.count; i++) sni_store_f32(data + 4 * (size_t)i, values[i]);
    const char *name = shape->name[0] ? shape->name : "Collision";
    return fill_node(p, object, name, 0, &out->object);
}

static bool fill_emitter(planner *p, const planned *object, uint32_t visibility)
{
    mdx_exporter *x = p->x;
    mdx_object *out = sni_list_push(x->arena, mdx_list_of(x->doc, object->kind), object->kind->item_bytes);
    return out && fill_stored(p, object, node_name(p, object), visibility, out);
}

static bool fill_object(planner *p, const planned *object)
{
    mdx_exporter *x = p->x;
    switch (object->kind->tag) {
    case MDX_PREM: return fill_emitter(p, object, MDX_KPEV);
    case MDX_PRE2: return fill_emitter(p, object, MDX_KP2V);
    case MDX_CORN: return fill_emitter(p, object, MDX_KPPV);
    case MDX_RIBB: return fill_emitter(p, object, MDX_KRVS);
    case MDX_LITE: return fill_light(p, object);
    case MDX_ATCH: return fill_attachment(p, object);
    case MDX_EVTS: return fill_event(p, object);
    case MDX_CLID: return fill_shape(p, object);
    case MDX_BONE: {
        mdx_bone *bone = sni_push(x->arena, &x->doc->bones, mdx_bone);
        if (!bone) return false;
        bone->geoset = bone->geoset_anim = -1;
        return fill_node(p, object, node_name(p, object), 0, &bone->object);
    }
    default: {
        mdx_helper *helper = sni_push(x->arena, &x->doc->helpers, mdx_helper);
        return helper && fill_node(p, object, node_name(p, object), 0, &helper->object);
    }
    }
}

static bool store_pivots(planner *p)
{
    mdx_exporter *x = p->x;
    const planned *objects = p->objects.items;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 12ull * p->objects.count);
    if (!data) return false;
    for (uint32_t i = 0; i < p->objects.count; i++) {
        const int32_t node = objects[i].node >= 0 ? objects[i].node : objects[i].parent;
        const sn_vec3 pivot = node >= 0 ? p->pivots[node] : sni_vec3(0, 0, 0);
        uint8_t *at = data + 12 * (size_t)objects[i].id;
        sni_store_f32(at, pivot.x), sni_store_f32(at + 4, pivot.y), sni_store_f32(at + 8, pivot.z);
    }
    x->doc->pivots = (mdx_array){ data, p->objects.count };
    return true;
}

// Reforged: where each object and camera is in the bind pose; nothing is turned.
static bool store_bind_pose(planner *p)
{
    mdx_exporter *x = p->x;
    const uint32_t count = p->objects.count + (x->model->camera_count > 0 ? x->model->camera_count : 1);
    uint8_t *data = sni_new(x->arena, uint8_t, 48ull * count);
    if (!data) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *matrix = data + 48 * (size_t)i;
        for (size_t axis = 0; axis < 3; axis++) sni_store_f32(matrix + 16 * axis, 1.0f);
        if (i < p->objects.count) memcpy(matrix + 36, x->doc->pivots.data + 12 * (size_t)i, 12);
    }
    x->doc->bind_pose = (mdx_array){ data, count };
    return true;
}

// Where the source model has its nodes at rest, with Z up.
static const sn_mat34 *rest_in_source(mdx_exporter *x)
{
    static const sn_mat34 z_up = { { { 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 } } };
    const sn_model *source = x->save->source;
    sn_mat34 *rest = sni_new_raw(x->arena, sn_mat34, source->node_count);
    for (uint32_t i = 0; rest && i < source->node_count; i++) {
        const sn_node *at = &source->nodes[i];
        const sn_mat34 local = at->matrix ? *at->matrix
                                          : sni_trs_matrix(&at->rest, at->flags & SN_NODE_SCALE_PARENT_AXES);
        if (at->parent >= 0) rest[i] = sni_mat34_mul(&rest[at->parent], &local);
        else rest[i] = source->up_axis == SN_Y_UP ? sni_mat34_mul(&z_up, &local) : local;
    }
    return rest;
}

// How far a camera looks: to the target of the file it came from, else to the model's middle.
static float camera_reach(mdx_exporter *x, const sn_camera *camera, sn_vec3 at, sn_vec3 view)
{
    mdx_extras in;
    sni_str key;
    float target[3];
    const float middle = sni_dot(sni_sub(x->save->clip_bounds[0].center, at), view);
    if (mdx_open_extras(x, camera->extras, &in))
        while (sni_json_next_key(&in.json, &key)) {
            if (!sni_str_is(key, "target") || !sni_json_floats(&in.json, target, 3)) {
                sni_json_skip(&in.json);
                continue;
            }
            const sn_vec3 to = sni_sub(sni_vec3(target[0], target[1], target[2]), at);
            const float far = sni_dot(to, view);
            if (far > 1e-3f && sni_length(sni_sub(to, sni_scale(view, far))) < 1e-2f * far) return far;
        }
    return middle > 1.0f ? middle : 1.0f;
}

enum { CAMERA_RATE = 30, CAMERA_STEPS = 4096 };

// A camera whose node turns: where the target is, and how far the view is rolled about its axis, at the keys and thirty
// times a second between them.
typedef struct camera_view {
    sn_vec3 at, view, up;  // at rest
    float reach;
} camera_view;

static bool sample_camera(mdx_exporter *x, uint32_t clip, const sn_node *node, const sn_track *move,
                          const sn_track *turn, const camera_view *c, sn_track *target, sn_track *roll)
{
    const float duration = x->model->clips[clip].duration;
    const double most = ceil((double)duration * CAMERA_RATE);
    const uint32_t steps = most < CAMERA_STEPS ? (uint32_t)most : CAMERA_STEPS;
    const uint64_t total = 2ull + steps + (move ? move->key_count : 0) + (turn ? turn->key_count : 0);
    float *times = sni_new_raw(x->arena, float, total), *targets = sni_new_raw(x->arena, float, 3 * total),
          *rolls = sni_new_raw(x->arena, float, total);
    uint32_t count = 2;
    if (!times || !targets || !rolls) return false;
    times[0] = 0.0f, times[1] = duration;
    for (uint32_t i = 1; i < steps; i++) times[count++] = duration * (float)i / (float)steps;
    for (uint32_t i = 0; move && i < move->key_count; i++) times[count++] = move->times[i];
    for (uint32_t i = 0; turn && i < turn->key_count; i++) times[count++] = turn->times[i];
    count = sni_merge_key_times(times, count);
    for (uint32_t i = 0; i < count; i++) {
        sn_vec3 place = node->rest.translation;
        sn_quat q = { 0, 0, 0, 1 };
        if (move) sni_track_sample(move, times[i], duration, times[i], &place.x);
        if (turn) sni_track_sample(turn, times[i], duration, times[i], &q.x);
        const sn_vec3 view = sni_quat_rotate(q, c->view), up = sni_quat_rotate(q, c->up);
        const sn_vec3 right = sni_unit(sni_cross(view, sni_vec3(0, 0, 1)), sni_vec3(0, -1, 0));
        const sn_vec3 went = sni_add(sni_sub(place, node->rest.translation),
                                     sni_scale(sni_sub(view, c->view), c->reach));
        targets[3 * i] = went.x, targets[3 * i + 1] = went.y, targets[3 * i + 2] = went.z;
        rolls[i] = (float)atan2(sni_dot(up, right), sni_dot(up, sni_cross(right, view)));
    }
    *target = (sn_track){ .channel = SN_CHANNEL_TRANSLATION,
                          .interpolation = SN_LINEAR,
                          .key_count = count,
                          .width = 3,
                          .times = times,
                          .values = targets };
    *roll = (sn_track){ .channel = SN_CHANNEL_FOV,
                        .interpolation = SN_LINEAR,
                        .key_count = count,
                        .width = 1,
                        .times = times,
                        .values = rolls };
    return sni_track_reduce(x->arena, target, 1e-5 * c->reach, target) && sni_track_reduce(x->arena, roll, 1e-5, roll);
}

static bool is_level(const sn_track *rolls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rolls[i].key_count; k++)
            if (fabsf(rolls[i].values[k]) > 1e-4f) return false;
    return true;
}

static bool export_camera_tracks(mdx_exporter *x, int32_t index, const camera_view *c, mdx_camera *out)
{
    const sn_node *node = &x->model->nodes[index];
    const float *at = &node->rest.translation.x;
    const mdx_source place = { SN_TARGET_NODE, index, 0, SN_CHANNEL_TRANSLATION, at, NULL, at, NULL };
    const uint32_t count = x->model->clip_count;
    sn_track *targets = sni_new(x->arena, sn_track, count), *rolls = sni_new(x->arena, sn_track, count);
    sni_list tracks = { 0 }, made_targets = { 0 }, made_rolls = { 0 };
    if (!targets || !rolls || !mdx_export_track(x, &place, MDX_KCTR, &tracks)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const sn_track *move = mdx_find_clip_track(x, i, SN_TARGET_NODE, index, 0, SN_CHANNEL_TRANSLATION),
                       *turn = mdx_find_clip_track(x, i, SN_TARGET_NODE, index, 0, SN_CHANNEL_ROTATION);
        if ((move || turn) && !sample_camera(x, i, node, move, turn, c, &targets[i], &rolls[i])) return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (targets[i].key_count > 0 && !mdx_add_clip_track(x, i, &targets[i], &made_targets)) return false;
    if (!mdx_export_clip_tracks(x, &made_targets, NULL, MDX_KTTR, &tracks)) return false;
    for (uint32_t i = 0; !is_level(rolls, count) && i < count; i++)
        if (rolls[i].key_count > 0 && !mdx_add_clip_track(x, i, &rolls[i], &made_rolls)) return false;
    if (!mdx_export_clip_tracks(x, &made_rolls, NULL, MDX_KCRL, &tracks)) return false;
    out->item.tracks = mdx_tracks_of(&tracks);
    return true;
}

// Only the camera's own node may move: a camera of the file hangs on nothing.
static bool export_cameras(planner *p)
{
    static const sn_mat34 identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    mdx_exporter *x = p->x;
    const sn_mat34 *rest = x->model->camera_count > 0 ? rest_in_source(x) : NULL;
    uint8_t *is_moved = sni_new(x->arena, uint8_t, x->model->node_count);
    uint64_t lost = 0, zooms = 0;
    if ((x->model->camera_count > 0 && !rest) || !is_moved) return false;
    for (uint32_t i = 0; i < x->model->node_count; i++) {
        const int32_t parent = x->model->nodes[i].parent;
        is_moved[i] = parent >= 0 && (is_moved[parent] || p->nodes[parent].is_animated);
    }
    for (uint32_t i = 0; i < x->model->camera_count; i++) {
        const sn_camera *camera = &x->model->cameras[i];
        mdx_camera *out = sni_push(x->arena, &x->doc->cameras, mdx_camera);
        uint32_t count;
        if (!out) return false;
        const sn_mat34 place = camera->node >= 0 ? rest[camera->node] : identity;
        camera_view c = { .at = sni_mat34_column(&place, 3), .up = sni_mat34_column(&place, 1) };
        c.view = sni_unit(sni_scale(sni_mat34_column(&place, 2), -1.0f), sni_vec3(1, 0, 0));
        c.up = sni_unit(c.up, sni_vec3(0, 0, 1));
        c.reach = camera_reach(x, camera, c.at, c.view);
        out->name = mdx_name_text(x, camera->name[0] ? camera->name : "Camera", MDX_NAME_BYTES);
        out->position = c.at;
        out->target = sni_add(c.at, sni_scale(c.view, c.reach));
        out->fov = camera->is_perspective ? camera->fov_y : 0.785398f;
        out->near_clip = camera->near_plane;
        out->far_clip = camera->far_plane > 0.0f ? camera->far_plane : 10000.0f;
        mdx_find_tracks(x, SN_TARGET_CAMERA, (int32_t)i, 0, SN_CHANNEL_FOV, &count);
        zooms += count;
        if (camera->node < 0) continue;
        lost += is_moved[camera->node];
        if (p->nodes[camera->node].is_animated && !is_moved[camera->node] &&
            !export_camera_tracks(x, camera->node, &c, out))
            return false;
    }
    sni_save_lose(x->save, "cameras", lost, "cameras on nodes that move with other nodes do not move");
    sni_save_lose(x->save, "cameras", zooms, "field-of-view tracks were left out");
    return true;
}

// What each node has from those above it: the object, whether it rests hidden, and what hides it in clips.
static void follow_parents(planner *p)
{
    mdx_exporter *x = p->x;
    for (uint32_t i = 0; i < x->model->node_count; i++) {
        const sn_node *node = &x->model->nodes[i];
        const mdx_out_node *parent = node->parent >= 0 ? &x->nodes[node->parent] : NULL;
        mdx_out_node *out = &x->nodes[i];
        node_plan *plan = &p->nodes[i];
        uint32_t switches;
        mdx_find_tracks(x, SN_TARGET_NODE, (int32_t)i, 0, SN_CHANNEL_VISIBILITY, &switches);
        plan->object_above = out->object < 0 && parent ? p->nodes[node->parent].object_above : out->object;
        const bool rests_hidden = plan->rest ? plan->rest > 0 : node->flags & SN_NODE_HIDDEN;
        out->is_hidden = rests_hidden || (parent && parent->is_hidden);
        out->is_shown = plan->rest < 0;
        out->shown_by = switches > 0 ? (int32_t)i : parent ? parent->shown_by : -1;
    }
}

bool mdx_export_nodes(mdx_exporter *x)
{
    const sn_model *model = x->model;
    planner p = { .x = x };
    p.nodes = sni_new(x->arena, node_plan, model->node_count);
    p.pivots = sni_new_raw(x->arena, sn_vec3, model->node_count);
    x->nodes = sni_new(x->arena, mdx_out_node, model->node_count);
    if (!p.nodes || !p.pivots || !x->nodes) return false;
    for (uint32_t i = 0; i < model->node_count; i++) x->nodes[i].object = -1;
    read_nodes(&p);
    choose_kept(&p);
    if (!plan_objects(&p)) return false;
    follow_parents(&p);
    const planned *objects = p.objects.items;
    for (uint32_t i = 0; i < p.objects.count; i++)
        if (!fill_object(&p, &objects[i])) return false;
    if (!store_pivots(&p) || !export_cameras(&p)) return false;
    return x->doc->version < 900 || store_bind_pose(&p);
}
