// Objects to nodes: bones, helpers, attachments, emitters and all other objects with a pivot. Each camera gets a node
// too, and so do all geosets together. Then events, collision shapes and attachments, which refer to nodes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/mdx/mdx_build.h"

sni_str mdx_trim_nul(sni_str text)
{
    if (!text.at) return sni_str_make("", 0);
    const char *nul = memchr(text.at, 0, text.size);
    return nul ? sni_str_make(text.at, (size_t)(nul - text.at)) : text;
}

const char *mdx_clean_text(mdx_builder *b, sni_str text, uint64_t offset)
{
    bool was_bad = false;
    const char *clean = sni_text_clean(&b->load->keep, mdx_trim_nul(text), &was_bad);
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, offset, "\"%.100s\" was not valid UTF-8", clean);
    return clean ? clean : "";
}

static int compare_sources(const void *a, const void *b)
{
    const mdx_node_source *x = a, *y = b;
    if ((x->id < 0) != (y->id < 0)) return x->id < 0 ? 1 : -1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

// Lists all objects, gives those without an id the next free one, and sorts them by id.
static bool collect_sources(mdx_builder *b, uint64_t count)
{
    b->sources = sni_new(&b->load->scratch, mdx_node_source, count);
    if (!b->sources) return false;
    int64_t next_id = 0;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_element_count(b->doc, kind); i++) {
            const mdx_object *object = mdx_element_at(b->doc, kind, i);
            int64_t id = object->node.id < 0 ? -1 : object->node.id;
            if (id >= next_id) next_id = id + 1;
            b->sources[b->source_count] = (mdx_node_source){ kind, object, id, b->source_count, i, -1 };
            b->source_count++;
        }

    uint32_t missing = 0, duplicates = 0;
    for (uint32_t i = 0; i < b->source_count; i++) {
        if (b->sources[i].id >= 0) continue;
        b->sources[i].id = next_id <= INT32_MAX ? next_id++ : -1;
        missing++;
    }
    qsort(b->sources, b->source_count, sizeof *b->sources, compare_sources);
    for (uint32_t i = 0; i < b->source_count && b->sources[i].id >= 0; i++) {
        b->id_count++;
        duplicates += i > 0 && b->sources[i].id == b->sources[i - 1].id;
    }
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_NODE_ID, missing, 0, "%u nodes have no id", missing);
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_NODE_ID, duplicates, 0, "%u nodes have a duplicate id", duplicates);
    return true;
}

uint32_t mdx_find_source(const mdx_builder *b, int64_t id)
{
    uint32_t low = 0, high = b->id_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->sources[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

// 0x2 is scale and 0x4 is rotation; some old format notes have them swapped.
static uint32_t node_flags(const mdx_node_source *source)
{
    static const struct {
        uint32_t bit, flag;
    } table[] = {
        { MDX_NODE_OWN_TRANSLATION, SN_NODE_OWN_TRANSLATION }, { MDX_NODE_OWN_SCALE, SN_NODE_OWN_SCALE },
        { MDX_NODE_OWN_ROTATION, SN_NODE_OWN_ROTATION },       { MDX_NODE_BILLBOARD, SN_NODE_BILLBOARD },
        { MDX_NODE_BILLBOARD_X, SN_NODE_BILLBOARD_X },         { MDX_NODE_BILLBOARD_Y, SN_NODE_BILLBOARD_Y },
        { MDX_NODE_BILLBOARD_Z, SN_NODE_BILLBOARD_Z },
    };
    uint32_t flags = source->kind->tag == MDX_ATCH ? SN_NODE_ATTACHMENT : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (source->object->node.flags & table[i].bit) flags |= table[i].flag;
    return flags;
}

// Nodes in the order of their sources, then the node of the geosets, then the cameras. Sorting moves parents before
// children; until place_nodes runs, sn_node.id is the index in that first order.
static bool make_nodes(mdx_builder *b, uint32_t count)
{
    sni_diag *diag = &b->load->diag;
    sn_node *nodes = sni_builder_nodes(&b->core, count);
    if (!nodes) return false;
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = (sn_node){ .parent = -1, .id = (int32_t)i, .rest = sni_trs_identity };
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_node_source *source = &b->sources[i];
        const mdx_node *node = &source->object->node;
        uint64_t offset = source->object->item.offset;
        sni_enter(diag, source->kind->name, source->number);
        nodes[i].name = mdx_clean_text(b, node->name, offset);
        nodes[i].flags = node_flags(source);
        uint32_t parent = mdx_find_source(b, node->parent);
        if (parent < b->id_count && b->sources[parent].id == node->parent) nodes[i].parent = (int32_t)parent;
        else if (node->parent != -1) sni_warn(diag, SNI_WARN_NODE_PARENT, offset, "no node has id %d", node->parent);
        sni_leave(diag);
    }
    return sni_builder_sort_nodes(&b->core);
}

// A node is at its pivot. Its translation is the pivot minus the parent's position, where that position is the very sum
// that solving computes: the rest pose is then exact.
static void place_nodes(mdx_builder *b)
{
    uint64_t missing = 0, too_large = 0;
    const mdx_camera *cameras = b->doc->cameras.items;
    sn_node *nodes = b->core.nodes.items;
    uint32_t first_camera = b->source_count + (b->doc->geosets.count > 0);
    for (uint32_t i = 0; i < b->core.nodes.count; i++) {
        sn_node *node = &nodes[i];
        uint32_t index = (uint32_t)node->id;
        node->id = -1;
        if (index < b->source_count) {
            mdx_node_source *source = &b->sources[index];
            sn_vec3 pivot = { 0, 0, 0 }, parent = { 0, 0, 0 };
            if (source->id >= 0 && source->id < (int64_t)b->doc->pivots.count)
                sni_load_words(b->doc->pivots.data + 12 * (size_t)source->id, &pivot, 3);
            else missing++;
            if (!mdx_is_pivot(pivot)) {
                pivot = sni_vec3(0, 0, 0);
                too_large++;
            }
            if (node->parent >= 0) parent = b->rest_positions[node->parent];
            node->rest.translation = sni_sub(pivot, parent);
            b->rest_positions[i] = sni_add(parent, node->rest.translation);
            source->node = (int32_t)i;
            node->id = (int32_t)source->id;
            node->extras = mdx_node_extras(b, source);
        } else if (index < first_camera) {
            b->geoset_node = (int32_t)i;
            node->name = b->name;
        } else {
            const mdx_camera *camera = &cameras[index - first_camera];
            b->camera_nodes[index - first_camera] = (int32_t)i;
            node->name = mdx_clean_text(b, camera->name, camera->item.offset);
            node->rest = mdx_camera_rest(camera);
        }
    }
    sni_warn_many(&b->load->diag, SNI_WARN_NOT_FINITE, too_large, 0,
                  "a pivot is not finite or too large; the origin is used");
    uint64_t wrong = missing || !b->load->lint ? missing : b->doc->pivots.count > b->source_count;
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_PIVOT, wrong, 0, "%u pivots for %u nodes", b->doc->pivots.count,
                  b->source_count);
}

static void bind_node(mdx_builder *b, const mdx_node_source *source)
{
    const mdx_tracks *tracks = &source->object->node.tracks, *more = &source->object->item.tracks;
    const sn_node *nodes = b->core.nodes.items;
    int32_t node = source->node;
    mdx_curve *translation = mdx_find_curve(b, tracks, MDX_KGTR);
    if (translation) mdx_curve_add(translation, &nodes[node].rest.translation.x);
    mdx_bind(b, translation, SN_TARGET_NODE, node, 0, SN_CHANNEL_TRANSLATION);
    mdx_bind(b, mdx_find_curve(b, tracks, MDX_KGRT), SN_TARGET_NODE, node, 0, SN_CHANNEL_ROTATION);
    mdx_bind(b, mdx_find_curve(b, tracks, MDX_KGSC), SN_TARGET_NODE, node, 0, SN_CHANNEL_SCALE);
    for (uint32_t i = 0; i < more->count; i++) {
        bool is_visibility = more->items[i].kind->is_stepped && more->items[i].kind->type == MDX_F32;
        if (is_visibility)
            mdx_bind(b, mdx_decode_track(b, &more->items[i]), SN_TARGET_NODE, node, 0, SN_CHANNEL_VISIBILITY);
    }
}

// Checks of values that only the extras keep, for `sinew check`.

static void lint_index(mdx_builder *b, const mdx_node_source *source, const char *what, int64_t index, uint32_t count)
{
    if (index != -1 && (index < 0 || index >= (int64_t)count))
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, source->object->item.offset, "%s %lld of %u", what,
                 (long long)index, count);
}

static bool is_power_of_two(uint32_t n) { return n > 0 && (n & (n - 1)) == 0; }

// Warcraft III event names: three letters for the type, one of any kind, four for a row of the game's tables.
static bool is_event_name(sni_str name)
{
    static const char *const types[] = { "SND", "SPL", "FPT", "UBR", "SPN" };
    name = mdx_trim_nul(name);
    for (size_t i = 0; name.size == 8 && i < sizeof types / sizeof *types; i++)
        if (sni_str_is_nocase(sni_str_make(name.at, 3), types[i])) return true;
    return false;
}

static void lint_object(mdx_builder *b, const mdx_node_source *source)
{
    const mdx_doc *doc = b->doc;
    const void *element = source->object;
    uint64_t offset = source->object->item.offset;
    if (source->kind->tag == MDX_BONE) {
        const mdx_bone *bone = element;
        lint_index(b, source, "geoset", bone->geoset, doc->geosets.count);
        lint_index(b, source, "geoset animation", bone->geoset_anim, doc->geoset_anims.count);
    } else if (source->kind->tag == MDX_PRE2) {
        const mdx_emitter2 *emitter = element;
        lint_index(b, source, "texture", emitter->texture, doc->textures.count);
        if (!is_power_of_two(emitter->rows) || !is_power_of_two(emitter->columns))
            sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, offset,
                     "%u rows and %u columns do not divide its texture evenly", emitter->rows, emitter->columns);
    } else if (source->kind->tag == MDX_RIBB) {
        lint_index(b, source, "material", ((const mdx_ribbon *)element)->material, doc->materials.count);
    } else if (source->kind->tag == MDX_EVTS) {
        const mdx_event *event = element;
        if (!mdx_is_wow(doc) && !is_event_name(source->object->node.name))
            sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, offset, "its name is not the name of an event");
        if (event->has_times)
            lint_index(b, source, "global sequence", event->global_sequence, doc->global_sequences.count);
    }
}

bool mdx_build_nodes(mdx_builder *b)
{
    uint64_t objects = 0;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->is_node) objects += mdx_element_count(b->doc, kind);
    uint64_t total = objects + b->doc->cameras.count + (b->doc->geosets.count > 0);
    if (total > INT32_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%llu nodes", (unsigned long long)total);
    b->rest_positions = sni_new(&b->load->scratch, sn_vec3, total);
    b->camera_nodes = sni_new(&b->load->scratch, int32_t, b->doc->cameras.count);
    if (!b->rest_positions || !b->camera_nodes) return false;
    if (!collect_sources(b, objects) || !make_nodes(b, (uint32_t)total)) return false;
    place_nodes(b);
    for (uint32_t i = 0; i < b->source_count && sni_load_ok(b->load); i++) {
        const mdx_node_source *source = &b->sources[i];
        sni_enter(&b->load->diag, source->kind->name, source->number);
        bind_node(b, source);
        if (b->load->lint) lint_object(b, source);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}

// Events

typedef struct event_key {
    int32_t time;  // milliseconds on the file's timeline
    const mdx_node_source *source;
} event_key;

static int compare_event_keys(const void *left, const void *right)
{
    const event_key *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

static void add_event(mdx_builder *b, const mdx_node_source *source, int32_t clip, int64_t time, int64_t period)
{
    const sn_node *nodes = b->core.nodes.items;
    sn_event *event = sni_builder_add_event(&b->core);
    if (!event) return;
    *event = (sn_event){ .name = nodes[source->node].name,
                         .node = source->node,
                         .clip = clip,
                         .time = (float)((double)time / 1000.0),
                         .period = (float)((double)period / 1000.0) };
}

// Like the keys of tracks, a key belongs to every sequence that it is inside of, both ends included. Keys of a global
// sequence repeat with it, keys after its end never play. The memory limit bounds keys times sequences.
bool mdx_build_events(mdx_builder *b)
{
    const mdx_doc *doc = b->doc;
    sni_list timeline = { 0 };  // event_key

    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_node_source *source = &b->sources[i];
        if (source->kind->tag != MDX_EVTS) continue;
        const mdx_event *event = (const void *)source->object;
        int32_t global = event->global_sequence;
        bool is_global = global >= 0 && (uint32_t)global < doc->global_sequences.count;
        int64_t period = is_global ? sni_load_u32(doc->global_sequences.data + 4 * (size_t)global) : 0;
        for (uint32_t k = 0; k < event->times.count && sni_load_ok(b->load); k++) {
            int32_t time = (int32_t)sni_load_u32(event->times.data + 4 * (size_t)k);
            if (is_global) {
                if (period > 0 && time >= 0 && time <= period) add_event(b, source, -1, time, period);
                continue;
            }
            event_key *key = sni_push(&b->load->scratch, &timeline, event_key);
            if (key) *key = (event_key){ time, source };
        }
    }
    event_key *keys = timeline.items;
    if (timeline.count > 1) qsort(keys, timeline.count, sizeof *keys, compare_event_keys);

    const mdx_sequence *sequences = doc->sequences.items;
    for (uint32_t i = 0; i < doc->sequences.count && sni_load_ok(b->load); i++) {
        int64_t start = (int32_t)sequences[i].start, stated = (int32_t)sequences[i].end,
                end = stated > start ? stated : start;
        uint32_t first = 0, high = timeline.count;
        while (first < high) {  // the first key at or after the start
            uint32_t middle = first + (high - first) / 2;
            if (keys[middle].time < start) first = middle + 1;
            else high = middle;
        }
        for (uint32_t k = first; k < timeline.count && keys[k].time <= end && sni_load_ok(b->load); k++)
            add_event(b, keys[k].source, (int32_t)i, keys[k].time - start, 0);
    }
    return sni_load_ok(b->load);
}

// Shapes

// False for unknown shapes. Files disagree about what 1 and 3 are (see parse_shape): the number of values decides.
static bool find_shape_kind(const mdx_shape *shape, sn_shape_kind *kind)
{
    uint32_t count = shape->values.count;
    switch (shape->kind) {
    case MDX_BOX: *kind = SN_SHAPE_BOX; return count == 6;
    case MDX_SPHERE: *kind = SN_SHAPE_SPHERE; return count == 4;
    case MDX_PLANE:
    case MDX_CYLINDER:
        *kind = count == 2 || (count == 6 && shape->kind == MDX_PLANE) ? SN_SHAPE_PLANE : SN_SHAPE_CYLINDER;
        return count == 2 || (count >= 5 && count <= 7);
    default: return false;
    }
}

static float half_size(float from, float to) { return fabsf(0.5f * to - 0.5f * from); }

// The points of the file are in model space. At rest a node is at its pivot and not rotated.
static void build_shape(const mdx_shape *source, sn_vec3 pivot, sn_shape *shape)
{
    float v[7] = { 0 };
    uint32_t count = source->values.count;
    for (uint32_t i = 0; i < count && i < 7; i++) v[i] = sni_load_f32(source->values.data + 4 * (size_t)i);
    sn_vec3 first = { v[0], v[1], v[2] }, second = { v[3], v[4], v[5] };

    if (shape->kind == SN_SHAPE_SPHERE) {
        shape->center = sni_sub(first, pivot);
        shape->radius = v[3];
    } else if (count == 2) {  // length and width of a plane around the pivot
        shape->extents = sni_vec3(0.5f * fabsf(v[0]), 0.5f * fabsf(v[1]), 0.0f);
    } else if (count == 5) {  // the centre of a cylinder's base, its height and radius
        shape->extents = sni_vec3(0.0f, 0.0f, 0.5f * v[3]);
        shape->center = sni_sub(sni_add(first, shape->extents), pivot);
        shape->radius = v[4];
    } else {
        shape->center = sni_sub(sni_add(sni_scale(first, 0.5f), sni_scale(second, 0.5f)), pivot);
        if (shape->kind == SN_SHAPE_CYLINDER) {
            shape->extents = sni_sub(sni_scale(second, 0.5f), sni_scale(first, 0.5f));
            shape->radius = v[6];
        } else {
            shape->extents = sni_vec3(half_size(first.x, second.x), half_size(first.y, second.y),
                                      half_size(first.z, second.z));
        }
    }
}

bool mdx_build_shapes(mdx_builder *b)
{
    const sn_node *nodes = b->core.nodes.items;
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_node_source *source = &b->sources[i];
        if (source->kind->tag != MDX_CLID && source->kind->tag != MDX_HTST) continue;
        const mdx_shape *from = (const void *)source->object;
        sn_shape_kind kind;
        if (!find_shape_kind(from, &kind)) continue;
        sn_shape *shape = sni_builder_add_shape(&b->core);
        if (!shape) return false;
        *shape = (sn_shape){ .name = nodes[source->node].name, .node = source->node, .kind = kind };
        build_shape(from, b->rest_positions[source->node], shape);
    }
    return true;
}

// Attachments

bool mdx_build_attachments(mdx_builder *b)
{
    const sn_node *nodes = b->core.nodes.items;
    sn_attachment *attachments = sni_builder_attachments(&b->core, b->doc->attachments.count);
    if (!attachments) return false;
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_node_source *source = &b->sources[i];
        if (source->kind->tag != MDX_ATCH) continue;
        const mdx_attachment *from = (const void *)source->object;
        sni_enter(&b->load->diag, "ATCH", source->number);
        *attachments++ = (sn_attachment){ .name = nodes[source->node].name,
                                          .path = mdx_clean_text(b, from->path, source->object->item.offset),
                                          .node = source->node,
                                          .id = from->attachment_id < -1 ? -1 : from->attachment_id };
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}
