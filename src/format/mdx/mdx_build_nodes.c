// Objects to nodes: bones, helpers, attachments, emitters and all else that has a place; cameras get one each.
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/mdx/mdx_build.h"

static int compare_sources(const void *a, const void *b)
{
    const mdx_source *x = a, *y = b;
    if ((x->id < 0) != (y->id < 0)) return x->id < 0 ? 1 : -1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static uint64_t count_objects(const mdx_doc *doc)
{
    uint64_t count = 0;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->is_node) count += ((const mdx_list *)(const void *)((const char *)doc + kind->list))->count;
    return count;
}

static void list_objects(mdx_builder *b)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++) {
        const mdx_list *list = (const void *)((const char *)b->doc + kind->list);
        for (uint32_t i = 0; kind->is_node && i < list->count; i++) {
            const mdx_object *object = (const void *)((const char *)list->items + i * kind->item_bytes);
            mdx_source *source = &b->sources[b->source_count];
            *source = (mdx_source){
                kind, object, object->node.id < 0 ? -1 : object->node.id, b->source_count++, i, -1
            };
        }
    }
}

// Text that is silent about ids means the next one: emitters without an id exist.
static void give_ids(mdx_builder *b)
{
    uint32_t missing = 0, twice = 0;
    int64_t next = 0;
    for (uint32_t i = 0; i < b->source_count; i++) next = b->sources[i].id >= next ? b->sources[i].id + 1 : next;
    for (uint32_t i = 0; i < b->source_count; i++) {
        if (b->sources[i].id >= 0) continue;
        b->sources[i].id = next <= INT32_MAX ? next++ : -1;
        missing++;
    }
    qsort(b->sources, b->source_count, sizeof *b->sources, compare_sources);
    for (uint32_t i = 0; i < b->source_count && b->sources[i].id >= 0; i++) {
        b->id_count++;
        twice += i > 0 && b->sources[i].id == b->sources[i - 1].id;
    }
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_NODE_ID, missing, 0, "%u nodes have no id", missing);
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_NODE_ID, twice, 0, "%u nodes have the id of another", twice);
}

static int32_t find_source(const mdx_builder *b, int64_t id)
{
    uint32_t low = 0, high = b->id_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->sources[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < b->id_count && b->sources[low].id == id ? (int32_t)low : -1;
}

int32_t mdx_find_node(const mdx_builder *b, int64_t id)
{
    int32_t source = find_source(b, id);
    return source < 0 ? -1 : b->sources[source].node;
}

// 0x2 is scale and 0x4 rotation: old notes have them the other way round.
static uint32_t flags_of(const mdx_source *source)
{
    static const struct {
        uint32_t bit, flag;
    } table[] = {
        { MDX_NODE_OWN_TRANSLATION, SN_NODE_OWN_TRANSLATION }, { MDX_NODE_OWN_SCALE, SN_NODE_OWN_SCALE },
        { MDX_NODE_OWN_ROTATION, SN_NODE_OWN_ROTATION },       { MDX_NODE_BILLBOARD, SN_NODE_BILLBOARD },
        { MDX_NODE_BILLBOARD_X, SN_NODE_BILLBOARD_X },         { MDX_NODE_BILLBOARD_Y, SN_NODE_BILLBOARD_Y },
        { MDX_NODE_BILLBOARD_Z, SN_NODE_BILLBOARD_Z },
    };
    uint32_t flags = source->kind->tag == MDX_TAG('A', 'T', 'C', 'H') ? SN_NODE_ATTACHMENT : 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (source->object->node.flags & table[i].bit) flags |= table[i].flag;
    return flags;
}

static int32_t parent_of(mdx_builder *b, const mdx_source *source)
{
    int32_t wanted = source->object->node.parent, parent = find_source(b, wanted);
    if (wanted != -1 && parent < 0)
        sni_warn(&b->load->diag, SNI_WARN_NODE_PARENT, source->object->item.offset, "parent %d is no node", wanted);
    return parent;
}

static void enter_object(mdx_builder *b, const mdx_source *source)
{
    sni_enter(&b->load->diag, source->kind->name, source->number);
}

// Numbered as they are now; finishing sorts them, and `id` tells afterwards which is which.
static bool make_nodes(mdx_builder *b, uint32_t count)
{
    sn_node *nodes = sni_new(&b->load->keep, sn_node, count);
    if (!nodes) return false;
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = (sn_node){ .parent = -1, .id = (int32_t)i, .rest = sni_trs_identity };
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_source *source = &b->sources[i];
        enter_object(b, source);
        nodes[i].name = mdx_text(b, source->object->node.name, source->object->item.offset);
        nodes[i].parent = parent_of(b, source);
        nodes[i].flags = flags_of(source);
        sni_leave(&b->load->diag);
    }
    b->model->nodes = nodes;
    b->model->node_count = count;
    return sni_finish_nodes(b->load, b->model);
}

// A node stands at its pivot. What is left of it below the parent's place is taken off in the very numbers that solving
// adds up, so that the pose at rest is exact.
static void place_node(mdx_builder *b, uint32_t index, sn_vec3 pivot)
{
    sn_node *node = &b->nodes[index];
    sn_vec3 above = node->parent < 0 ? sni_vec3(0, 0, 0) : b->places[node->parent];
    node->rest.translation = sni_sub(pivot, above);
    b->places[index] = sni_add(above, node->rest.translation);
}

typedef struct pivot_faults {
    uint64_t missing, wild;
} pivot_faults;

static sn_vec3 pivot_of(const mdx_builder *b, const mdx_source *source, pivot_faults *faults)
{
    const sn_vec3 origin = { 0, 0, 0 };
    if (source->id < 0 || source->id >= (int64_t)b->doc->pivots.count) {
        faults->missing++;
        return origin;
    }
    sn_vec3 pivot = mdx_vec3_at(b->doc->pivots, (uint32_t)source->id);
    bool is_tame = fabsf(pivot.x) < 1e30f && fabsf(pivot.y) < 1e30f && fabsf(pivot.z) < 1e30f;  // no sum overflows
    faults->wild += !is_tame;
    return is_tame ? pivot : origin;
}

static void place_nodes(mdx_builder *b)
{
    pivot_faults faults = { 0 };
    const mdx_camera *cameras = b->doc->cameras.items;
    uint32_t first_camera = b->source_count + (b->doc->geosets.count > 0);
    for (uint32_t i = 0; i < b->model->node_count; i++) {
        uint32_t was = (uint32_t)b->nodes[i].id;
        b->nodes[i].id = -1;
        if (was < b->source_count) {
            mdx_source *source = &b->sources[was];
            source->node = (int32_t)i;
            b->nodes[i].id = (int32_t)source->id;
            b->nodes[i].extras = mdx_node_extras(b, source);
            place_node(b, i, pivot_of(b, source, &faults));
        } else if (was < first_camera) {
            b->carrier = (int32_t)i;
            b->nodes[i].name = b->model->name;
        } else {
            const mdx_camera *camera = &cameras[was - first_camera];
            b->camera_nodes[was - first_camera] = (int32_t)i;
            b->nodes[i].name = mdx_text(b, camera->name, camera->item.offset);
            b->nodes[i].rest = mdx_camera_rest(camera);
        }
    }
    sni_warn_many(&b->load->diag, SNI_WARN_NOT_FINITE, faults.wild, 0, "a pivot is no place; taken as the origin");
    uint64_t wrong = faults.missing || !b->load->lint ? faults.missing : b->doc->pivots.count > b->source_count;
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_PIVOT, wrong, 0, "%u pivots for %u nodes", b->doc->pivots.count,
                  b->source_count);
}

static void lint_index(mdx_builder *b, const mdx_source *source, const char *what, int64_t index, uint32_t count)
{
    if (index != -1 && (index < 0 || index >= (int64_t)count))
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, source->object->item.offset, "%s %lld of %u", what,
                 (long long)index, count);
}

// Pictures have sides that are powers of two, and so must their cells.
static bool cuts_evenly(uint32_t cells) { return cells > 0 && (cells & (cells - 1)) == 0; }

// Warcraft's events say their type in three letters and a row of the game's tables in four, one free letter between.
static bool is_event_name(sni_str name)
{
    static const char *const types[] = { "SND", "SPL", "FPT", "UBR", "SPN" };
    const char *nul = memchr(name.at, 0, name.size);
    size_t size = nul ? (size_t)(nul - name.at) : name.size;
    for (size_t i = 0; size == 8 && i < sizeof types / sizeof *types; i++)
        if (sni_str_is_nocase(sni_str_make(name.at, 3), types[i])) return true;
    return false;
}

// What only the extras tell and the model does not use.
static void lint_object(mdx_builder *b, const mdx_source *source)
{
    const mdx_doc *doc = b->doc;
    const void *element = source->object;
    if (source->kind->tag == MDX_TAG('B', 'O', 'N', 'E')) {
        const mdx_bone *bone = element;
        lint_index(b, source, "geoset", bone->geoset, doc->geosets.count);
        lint_index(b, source, "geoset animation", bone->geoset_anim, doc->geoset_anims.count);
    } else if (source->kind->tag == MDX_TAG('P', 'R', 'E', '2')) {
        const mdx_emitter2 *emitter = element;
        lint_index(b, source, "texture", emitter->texture, doc->textures.count);
        if (!cuts_evenly(emitter->rows) || !cuts_evenly(emitter->columns))
            sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, source->object->item.offset,
                     "%u rows and %u columns do not cut its picture evenly", emitter->rows, emitter->columns);
    } else if (source->kind->tag == MDX_TAG('R', 'I', 'B', 'B')) {
        lint_index(b, source, "material", ((const mdx_ribbon *)element)->material, doc->materials.count);
    } else if (source->kind->tag == MDX_TAG('E', 'V', 'T', 'S')) {
        const mdx_event *event = element;
        if (!mdx_is_alpha(doc) && !is_event_name(source->object->node.name))
            sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, source->object->item.offset, "not the name of any event");
        if (event->has_times)
            lint_index(b, source, "global sequence", event->global_sequence, doc->global_sequences.count);
    }
}

static void drive_node(mdx_builder *b, const mdx_source *source)
{
    const mdx_tracks *own = &source->object->node.tracks, *more = &source->object->item.tracks;
    mdx_curve *move = mdx_decode_track(b, mdx_find_owned(own, MDX_TAG('K', 'G', 'T', 'R')));
    if (move) mdx_curve_move(move, &b->nodes[source->node].rest.translation.x);
    mdx_add_drive(b, move, SN_TARGET_NODE, source->node, SN_CHANNEL_TRANSLATION);
    mdx_curve *turn = mdx_decode_track(b, mdx_find_owned(own, MDX_TAG('K', 'G', 'R', 'T')));
    mdx_add_drive(b, turn, SN_TARGET_NODE, source->node, SN_CHANNEL_ROTATION);
    mdx_curve *size = mdx_decode_track(b, mdx_find_owned(own, MDX_TAG('K', 'G', 'S', 'C')));
    mdx_add_drive(b, size, SN_TARGET_NODE, source->node, SN_CHANNEL_SCALE);
    for (uint32_t i = 0; i < more->count; i++) {
        bool is_switch = more->items[i].kind->is_stepped && more->items[i].kind->type == MDX_F32;
        if (is_switch)
            mdx_add_drive(b, mdx_decode_track(b, &more->items[i]), SN_TARGET_NODE, source->node, SN_CHANNEL_VISIBILITY);
    }
}

bool mdx_build_nodes(mdx_builder *b)
{
    uint64_t objects = count_objects(b->doc), total = objects + b->doc->cameras.count;
    total += b->doc->geosets.count > 0;
    if (total > INT32_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%llu nodes", (unsigned long long)total);
    b->sources = sni_new(&b->load->scratch, mdx_source, objects);
    b->places = sni_new(&b->load->scratch, sn_vec3, total);
    b->camera_nodes = sni_new(&b->load->scratch, int32_t, b->doc->cameras.count);
    if (!b->sources || !b->places || !b->camera_nodes) return false;
    list_objects(b);
    give_ids(b);
    if (!make_nodes(b, (uint32_t)total)) return false;
    b->nodes = sni_mut(sn_node, b->model->nodes);
    place_nodes(b);
    for (uint32_t i = 0; i < b->source_count && sni_load_ok(b->load); i++) {
        enter_object(b, &b->sources[i]);
        drive_node(b, &b->sources[i]);
        if (b->load->lint) lint_object(b, &b->sources[i]);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}
