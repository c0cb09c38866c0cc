// Skinned parts that are hidden, for players without KHR_node_visibility. Only joints move a skinned mesh, so such a
// part gets joints of its own, which collapse to a point while it is hidden. All of them must collapse to the same
// point, or triangles between joints would still show: they are below one node, the hider, whose scale is 0 or 1. It
// hangs on the lowest node of the skeleton that has all joints of the part at or below it, and replaces that node.
// The nodes from there down to the joints are copied, and clips drive the copies as they drive the originals.
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_doc.h"
#include "format/gltf/gltf_export.h"

// A track that hides or shows a part, in one clip.
typedef struct part_switch {
    uint32_t clip;
    const sn_track *track;
    int32_t next;  // of the same part, in a later clip
} part_switch;

typedef struct hider_maker {
    gltf_export *export;
    part_switch *switches;
    int32_t *first_switch;  // of each part
    uint64_t steps_left, copies_left, channels_left;
    uint64_t *driven;  // tracks of each node's transform, in all clips
    uint32_t *below;   // joints at or below each node
    int32_t *copy_of;  // the copy of each node, for the hider that is being made
} hider_maker;

static bool find_tracks(hider_maker *maker)
{
    const sn_model *model = maker->export->model;
    sni_arena *arena = &maker->export->save->scratch;
    uint64_t total = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < model->clip_count; i++) total += model->clips[i].track_count;
    maker->channels_left = (1 << 16) + 8 * total;
    maker->switches = sni_new_raw(arena, part_switch, total);
    maker->first_switch = sni_new_raw(arena, int32_t, model->part_count);
    maker->driven = sni_new(arena, uint64_t, model->node_count);
    if (!maker->switches || !maker->first_switch || !maker->driven) return false;
    for (uint32_t i = 0; i < model->part_count; i++) maker->first_switch[i] = -1;
    for (uint32_t i = model->clip_count; i-- > 0;) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_SCALE)
                maker->driven[track->target]++;
            if (track->target_kind != SN_TARGET_PART || track->channel != SN_CHANNEL_VISIBILITY) continue;
            maker->switches[used] = (part_switch){ i, track, maker->first_switch[track->target] };
            maker->first_switch[track->target] = (int32_t)used++;
        }
    }
    return true;
}

static bool is_same_track(const sn_track *a, const sn_track *b)
{
    if (a->key_count != b->key_count || memcmp(a->times, b->times, a->key_count * sizeof *a->times) != 0) return false;
    for (uint32_t i = 0; i < a->key_count; i++) {
        if ((a->values[i] > 0.0f) != (b->values[i] > 0.0f)) return false;
    }
    return true;
}

// Groups of one skin and node that are hidden at the same times share a hider.
static bool is_hidden_alike(const hider_maker *maker, const gltf_hider *hider, const gltf_part_group *group,
                            bool is_hidden)
{
    const gltf_part_group *other = &maker->export->groups.items[hider->group];
    int32_t a = maker->first_switch[other->first_part], b = maker->first_switch[group->first_part];
    if (hider->skin != group->skin || other->node != group->node || hider->is_hidden != is_hidden) return false;
    for (; a >= 0 && b >= 0; a = maker->switches[a].next, b = maker->switches[b].next) {
        const part_switch *x = &maker->switches[a], *y = &maker->switches[b];
        if (x->clip != y->clip || !is_same_track(x->track, y->track)) return false;
    }
    return a < 0 && b < 0;
}

static bool assign_hiders(hider_maker *maker, const bool *is_switched, const bool *is_hidden)
{
    gltf_export *export = maker->export;
    sni_arena *arena = &export->save->scratch;
    sni_map map = { 0 };
    for (uint32_t i = 0; i < export->groups.count; i++) {
        gltf_part_group *group = &export->groups.items[i];
        bool starts_hidden = export->model->parts[group->first_part].is_hidden || is_hidden[group->node];
        if (group->skin < 0 || !(group->is_switched || is_switched[group->node])) continue;
        const int32_t key[] = { group->skin, group->node, starts_hidden };
        uint32_t hash = sni_hash(key, sizeof key);
        for (int32_t at = maker->first_switch[group->first_part]; at >= 0; at = maker->switches[at].next) {
            const sn_track *track = maker->switches[at].track;
            hash = sni_hash_more(hash, track->times, track->key_count * sizeof *track->times);
        }
        const gltf_hider *hiders = export->hiders.items;
        for (sni_map_cursor at = sni_map_find(&map, hash); group->hider < 0 && sni_map_next(&map, &at);) {
            if (is_hidden_alike(maker, &hiders[at.item], group, starts_hidden)) group->hider = (int32_t)at.item;
        }
        if (group->hider >= 0) continue;
        gltf_hider *hider = sni_push(arena, &export->hiders, gltf_hider);
        group->hider = (int32_t) export->hiders.count - 1;
        if (!hider || !sni_map_add(&map, arena, hash, (uint32_t)group->hider)) return false;
        *hider = (gltf_hider){ group->skin, (int32_t)i, -1, -1, NULL, -1, starts_hidden };
    }
    return true;
}

// The joints with a weight in any mesh of the hider's groups. NULL after a failure, or where that takes too long.
static bool *find_used_joints(hider_maker *maker, int32_t index)
{
    const gltf_export *export = maker->export;
    const gltf_hider *hider = (const gltf_hider *)export->hiders.items + index;
    const sn_model *model = export->model;
    bool *is_used = sni_new(&export->save->scratch, bool, model->skins[hider->skin].joint_count);
    for (uint32_t g = (uint32_t)hider->group; is_used && g < export->groups.count; g++) {
        if (export->groups.items[g].hider != index) continue;
        for (int32_t part = export->groups.items[g].first_part; part >= 0; part = export->groups.next_part[part]) {
            const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
            uint64_t total = (uint64_t)mesh->vertex_count * mesh->influence_count;
            if (total > maker->steps_left) return NULL;
            maker->steps_left -= total;
            for (uint64_t i = 0; i < total; i++) {
                if (mesh->vertex_weights[i] > 0.0f) is_used[mesh->vertex_joints[i]] = true;
            }
        }
    }
    return is_used;
}

static const char *make_mark(gltf_export *export, const char *format, int32_t node)
{
    char text[64];
    snprintf(text, sizeof text, format, node);
    return sni_copy_text(&export->save->scratch, text, strlen(text));
}

static int32_t copy_node(gltf_export *export, int32_t source, int32_t named_after, const char *ending)
{
    int32_t copy = gltf_add_helper(export, named_after, ending);
    if (copy < 0) return -1;
    gltf_node_at(export, copy)->trs = gltf_node_at(export, source)->trs;
    gltf_node_at(export, copy)->object.extras = make_mark(export, "{\"" GLTF_COPY_MARK "\":%d}", source);
    return copy;
}

static bool copy_chain(hider_maker *maker, int32_t index, int32_t node)
{
    gltf_export *export = maker->export;
    int32_t parent = export->model->nodes[node].parent, outer = -1;
    const gltf_hider *hider = (const gltf_hider *)export->hiders.items + index;
    int32_t above = parent == hider->parent ? hider->node : maker->copy_of[parent];
    if (export->split_of[node] >= 0) {
        outer = copy_node(export, export->split_of[node], node, ".outer.copy");
        if (outer < 0 || !gltf_link_nodes(export, above, outer)) return false;
        above = outer;
    }
    int32_t inner = maker->copy_of[node] = copy_node(export, node, node, ".copy");
    gltf_node_copy *copy = sni_push(&export->save->scratch, &export->copies, gltf_node_copy);
    if (inner < 0 || !copy || !gltf_link_nodes(export, above, inner)) return false;
    *copy = (gltf_node_copy){ inner, outer, index, export->first_copy[node] };
    export->first_copy[node] = (int32_t) export->copies.count - 1;
    return true;
}

// Leaves the hider without joints where it would take too many nodes or channels.
static bool make_hider(hider_maker *maker, int32_t index)
{
    gltf_export *export = maker->export;
    const sn_model *model = export->model;
    gltf_hider *hider = (gltf_hider *)export->hiders.items + index;
    const sn_skin *skin = &model->skins[hider->skin];
    uint32_t total = 0, count = model->node_count, copies = 0;
    uint64_t channels = 0, steps = (uint64_t)count + skin->joint_count;
    if (steps > maker->steps_left) return true;
    maker->steps_left -= steps;
    const bool *is_used = find_used_joints(maker, index);
    if (!is_used) return sni_save_ok(export->save);

    // The lowest node with all of them at or below it is the last of those that have: parents come first.
    memset(maker->below, 0, count * sizeof *maker->below);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (!is_used[i] || maker->below[skin->joints[i]] > 0) continue;
        maker->below[skin->joints[i]] = 1;
        total++;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (model->nodes[i].parent >= 0) maker->below[model->nodes[i].parent] += maker->below[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (maker->below[i] == total) hider->parent = (int32_t)i;
    }
    for (uint32_t i = (uint32_t)(hider->parent + 1); i < count; i++) {
        if (maker->below[i] == 0) continue;
        copies++;
        channels += maker->driven[i];
    }
    if (total == 0 || copies > maker->copies_left || channels > maker->channels_left) return true;
    maker->copies_left -= copies;
    maker->channels_left -= channels;

    hider->node = hider->parent >= 0 ? gltf_add_helper(export, hider->parent, ".switch")
                                     : gltf_add_node(export, "switch");
    if (hider->node < 0) return false;
    gltf_node *node = gltf_node_at(export, hider->node);
    node->object.extras = "{\"" GLTF_SWITCH_MARK "\":\"" GLTF_SWITCH_SCALE "\"}";
    if (hider->is_hidden) node->trs.scale = (sn_vec3){ 0, 0, 0 };
    if (hider->parent >= 0) {
        maker->copy_of[hider->parent] = hider->node;
        if (!gltf_link_nodes(export, hider->parent, hider->node)) return false;
    }
    for (uint32_t i = (uint32_t)(hider->parent + 1); i < count; i++) {
        if (maker->below[i] > 0 && !copy_chain(maker, index, (int32_t)i)) return false;
    }
    int32_t *joints = sni_new_raw(&export->save->scratch, int32_t, skin->joint_count);
    for (uint32_t i = 0; joints && i < skin->joint_count; i++)
        joints[i] = is_used[i] ? maker->copy_of[skin->joints[i]] : skin->joints[i];
    hider->joints = joints;
    return joints != NULL;
}

bool gltf_place_hiders(gltf_export *export, const bool *is_switched, const bool *is_hidden)
{
    const sn_save_opts *opts = export->save->opts;
    uint32_t count = export->model->node_count;
    sni_arena *arena = &export->save->scratch;
    uint64_t shown = 0;
    hider_maker maker = { .export = export, .steps_left = 1 << 26, .copies_left = (1 << 14) + 4 * (uint64_t)count };
    maker.below = sni_new_raw(arena, uint32_t, count);
    maker.copy_of = sni_new_raw(arena, int32_t, count);
    export->first_copy = sni_new_raw(arena, int32_t, count);
    if (!maker.below || !maker.copy_of || !export->first_copy || !find_tracks(&maker)) return false;
    for (uint32_t i = 0; i < count; i++) export->first_copy[i] = -1;
    if (!assign_hiders(&maker, is_switched, is_hidden)) return false;
    bool is_allowed = !(opts && opts->no_visibility_tricks);
    for (uint32_t i = 0; i < export->hiders.count; i++) {
        if (is_allowed && !make_hider(&maker, (int32_t)i)) return false;
        shown += ((const gltf_hider *)export->hiders.items)[i].joints == NULL;
    }
    if (shown > 0) gltf_report_visibility(export);
    return true;
}

// Loading undoes it, by the marks in extras: parts get back the joints that they share with the rest, and a scale of 0
// is visibility again.

typedef struct node_mark {
    bool is_switch, is_copy;
    int32_t of;      // a copy: of this node
    int32_t parent;  // in the document
    bool is_joint;   // a switch that is a joint itself, or has copies below it
} node_mark;

static bool has_mark(const char *extras) { return extras && strstr(extras, "\"sinew_"); }

static void read_mark(sni_load *load, const char *extras, node_mark *mark)
{
    if (!has_mark(extras)) return;
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, load->limits.depth, &load->diag,
                                  &load->scratch);
    sni_str key;
    int64_t number;
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        sni_json_kind kind = sni_json_peek(&json);
        if (sni_str_is(key, GLTF_SWITCH_MARK) && kind == SNI_JSON_STRING) {
            const char *text = sni_json_string(&json, NULL);
            mark->is_switch = text && strcmp(text, GLTF_SWITCH_SCALE) == 0;
        } else if (sni_str_is(key, GLTF_COPY_MARK) && kind == SNI_JSON_NUMBER) {
            mark->is_copy = true;
            mark->of = sni_json_integer(&json, &number) && number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
        } else {
            sni_json_skip(&json);
        }
    }
}

// The extras without marks; NULL where nothing else is in them.
static const char *strip_marks(sni_load *load, const char *extras)
{
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, load->limits.depth, &load->diag,
                                  &load->scratch);
    sni_writer text;
    sni_str key;
    bool is_empty = true;
    sni_writer_init(&text, load->heap);
    sni_json_writer out = sni_json_writer_make(&text, false);
    sni_json_begin_object(&out);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        const char *name = sni_text_clean(&load->scratch, key, NULL);
        const char *value = sni_text_clean(&load->scratch, sni_json_raw(&json), NULL);
        if (!name || !value || sni_str_is(key, GLTF_SWITCH_MARK) || sni_str_is(key, GLTF_COPY_MARK)) continue;
        sni_json_key(&out, name);
        sni_json_put_raw(&out, value);
        is_empty = false;
    }
    sni_json_end(&out);
    const char *rest = is_empty || text.failed ? NULL : sni_copy_text(&load->keep, (const char *)text.data, text.size);
    sni_writer_free(&text);
    return rest;
}

// Whether everything is as saving left it. Another program may have edited or renumbered the file: then it stays as it
// is, which looks the same.
static bool is_as_saved(const gltf_doc *doc, const node_mark *marks)
{
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        const node_mark *mark = &marks[i];
        bool has_copies = false, has_others = false;
        for (uint32_t c = 0; c < node->children.count; c++) {
            bool is_copy = marks[node->children.items[c]].is_copy;
            has_copies = has_copies || is_copy;
            has_others = has_others || !is_copy;
        }
        if (has_copies && !mark->is_copy && !mark->is_switch) return false;
        if (!mark->is_copy && !mark->is_joint) continue;
        if (has_others || mark->parent < 0 || node->mesh >= 0 || node->camera >= 0 || node->punctual.light >= 0)
            return false;
        if (!mark->is_copy) continue;
        if (mark->of < 0 || mark->of >= (int32_t)doc->node_count) return false;
        const node_mark *of = &marks[mark->of];
        const char *name = node->object.name ? node->object.name : "", *start = doc->nodes[mark->of].object.name;
        if (of->is_copy || of->is_joint || (start && strncmp(name, start, strlen(start)) != 0)) return false;
    }
    for (uint32_t i = 0; i < doc->scene_count; i++) {
        for (uint32_t r = 0; r < doc->scenes[i].nodes.count; r++) {
            const node_mark *mark = &marks[doc->scenes[i].nodes.items[r]];
            if (mark->is_copy || mark->is_joint) return false;
        }
    }

    // What the joints hid must be hidden without them.
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        if (node->skin < 0 || node->visibility.object.is_given) continue;
        const gltf_indices *joints = &doc->skins[node->skin].joints;
        for (uint32_t j = 0; j < joints->count; j++) {
            if (joints->items[j] >= 0 && (marks[joints->items[j]].is_copy || marks[joints->items[j]].is_joint))
                return false;
        }
    }
    return true;
}

bool gltf_undo_switches(sni_load *load, gltf_doc *doc)
{
    bool has_marks = false;
    for (uint32_t i = 0; i < doc->node_count; i++) has_marks = has_marks || has_mark(doc->nodes[i].object.extras);
    if (!has_marks) return true;
    node_mark *marks = sni_new(&load->scratch, node_mark, doc->node_count);
    if (!marks) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        marks[i].parent = -1;
        read_mark(load, doc->nodes[i].object.extras, &marks[i]);
    }
    if (!sni_load_ok(load)) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_indices *children = &doc->nodes[i].children;
        for (uint32_t c = 0; c < children->count; c++) {
            node_mark *child = &marks[children->items[c]];
            if (child->parent < 0) child->parent = (int32_t)i;
            if (marks[i].is_switch && child->is_copy) marks[i].is_joint = true;
        }
    }
    for (uint32_t i = 0; i < doc->skin_count; i++) {
        const gltf_indices *joints = &doc->skins[i].joints;
        for (uint32_t j = 0; j < joints->count; j++) {
            if (joints->items[j] >= 0 && marks[joints->items[j]].is_switch) marks[joints->items[j]].is_joint = true;
        }
    }
    bool is_undone = is_as_saved(doc, marks);
    for (uint32_t i = 0; i < doc->node_count; i++) {
        gltf_node *node = &doc->nodes[i];
        if (marks[i].is_switch || marks[i].is_copy) node->object.extras = strip_marks(load, node->object.extras);
        node->is_left_out = is_undone && (marks[i].is_copy || marks[i].is_joint);
        node->is_switch = is_undone && marks[i].is_switch && !marks[i].is_joint;
    }
    for (uint32_t i = 0; i < doc->skin_count && is_undone; i++) {
        const gltf_indices *joints = &doc->skins[i].joints;
        for (uint32_t j = 0; j < joints->count; j++) {
            const node_mark *mark = joints->items[j] >= 0 ? &marks[joints->items[j]] : NULL;
            if (mark && mark->is_copy) joints->items[j] = mark->of;
            else if (mark && mark->is_joint) joints->items[j] = mark->parent;
        }
    }
    return sni_load_ok(load);
}
