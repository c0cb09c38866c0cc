// Events, shapes and attachments: what a game needs of the objects beside their nodes.
#include <math.h>
#include <stdlib.h>

#include "base/math.h"
#include "format/mdx/mdx_build.h"

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
        int64_t start = sequences[i].start, end = sequences[i].end > start ? sequences[i].end : start;
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
