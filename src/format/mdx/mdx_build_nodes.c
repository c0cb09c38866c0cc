// Objects to nodes: bones, helpers, attachments, emitters and all other objects with a pivot. Each camera gets a node
// too, and so do all geosets together.
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

static bool is_small(sn_vec3 v) { return fabsf(v.x) < 1e30f && fabsf(v.y) < 1e30f && fabsf(v.z) < 1e30f; }

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
            if (!is_small(pivot)) {  // a sum might overflow
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
