// Undoes what saving did for players without KHR_node_visibility (gltf_export_hiders.c), by the marks in extras: parts
// get back the joints that they share with the rest, and a scale of 0 is visibility again.
#include <string.h>

#include "format/gltf/gltf_doc.h"

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
