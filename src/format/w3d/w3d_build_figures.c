// Figures: each HLOD on its hierarchy, or what a file without one has; and the nodes of their pivots.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum { MATRIX_BYTES = 48 };

static bool is_identity_fixup(const float rows[12])
{
    for (int i = 0; i < 12; i++)
        if (fabsf(rows[i] - (i % 4 == 0 && i < 9 ? 1.0f : 0.0f)) > 1e-6f) return false;
    return true;
}

// Kept to be seen: three axes and a translation as rows, or a vector. Identities say nothing.
static void put_fixup(sni_extras *extras, const w3d_hierarchy *source, uint32_t index)
{
    float values[12];
    uint32_t count = source->fixup_bytes / 4;
    if (index >= source->fixups.count || (count != 12 && count != 3)) return;
    const uint8_t *at = source->fixups.data + (size_t)index * source->fixup_bytes;
    for (uint32_t i = 0; i < count; i++) values[i] = sni_load_f32(at + (size_t)4 * i);
    bool says_nothing = count == 12 ? is_identity_fixup(values) : values[0] == 0 && values[1] == 0 && values[2] == 0;
    if (!says_nothing) sni_extras_put_floats(extras, "fixup", values, count);
}

static const char *pivot_extras(w3d_builder *b, const w3d_skeleton *skeleton, uint32_t index, const char *role)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    if (role) sni_extras_put_text(&extras, "role", role);
    put_fixup(&extras, skeleton->source, index);
    return sni_extras_end(b->load, &extras);
}

static void build_pivot(w3d_builder *b, const w3d_figure *figure, uint32_t pivot, sn_node *node)
{
    const w3d_skeleton *skeleton = figure->skeleton;
    int32_t parent = skeleton->parents[pivot];
    *node = (sn_node){ .name = "", .id = -1, .rest = skeleton->base[pivot] };
    node->parent = parent < 0 ? -1 : (int32_t)figure->first_node + parent;
    if (pivot < skeleton->shift) {
        node->name = w3d_clean(b, figure->name);
        return;
    }
    bool is_attachment = false;
    w3d_pivot source = w3d_read_pivot(skeleton->source, pivot - skeleton->shift);
    const char *role = w3d_pivot_role(source.name, &is_attachment);
    node->name = w3d_clean(b, source.name);
    node->id = (int32_t)(pivot - skeleton->shift);
    node->extras = pivot_extras(b, skeleton, pivot - skeleton->shift, role);
    if (is_attachment) node->flags |= SN_NODE_ATTACHMENT;
}

static bool build_pivots(w3d_builder *b, w3d_figure *figure)
{
    uint32_t count = figure->skeleton->pivot_count;
    figure->first_node = b->nodes.count;
    figure->joint_of = sni_new_raw(&b->load->scratch, int32_t, count);
    figure->joints = sni_new_raw(&b->load->scratch, int32_t, count);
    figure->first_carried = sni_new_raw(&b->load->scratch, int32_t, count);
    if (!figure->joint_of || !figure->joints || !figure->first_carried) return false;
    for (uint32_t i = 0; i < count; i++) {
        sn_node *node = sni_push(&b->load->keep, &b->nodes, sn_node);
        if (!node) return false;
        build_pivot(b, figure, i, node);
        figure->joint_of[i] = figure->first_carried[i] = -1;
    }
    return sni_load_ok(b->load);
}

sn_node *w3d_add_node(w3d_builder *b, const w3d_figure *figure, uint32_t pivot, const char *name, const char *extras)
{
    sn_node *node = sni_push(&b->load->keep, &b->nodes, sn_node);
    if (node)
        *node = (sn_node){ .name = name,
                           .extras = extras,
                           .id = -1,
                           .rest = sni_trs_identity,
                           .parent = (int32_t)(figure->first_node + pivot) };
    return node;
}

bool w3d_carry(w3d_builder *b, w3d_figure *figure, uint32_t pivot, bool is_part, int32_t index)
{
    w3d_carried *carried = sni_push(&b->load->scratch, &b->carried, w3d_carried);
    if (!carried) return false;
    *carried = (w3d_carried){ figure->first_carried[pivot], index, is_part };
    figure->first_carried[pivot] = (int32_t)b->carried.count - 1;
    return true;
}

static bool add_figure(w3d_builder *b, const w3d_hlod *hlod, int32_t known, sni_str name, sni_str hierarchy)
{
    w3d_figure *figure = sni_push(&b->load->scratch, &b->figures, w3d_figure);
    if (!figure) return false;
    *figure = (w3d_figure){ .hlod = hlod, .name = name, .hierarchy = hierarchy, .skin = -1 };
    figure->lacks_skeleton = known < 0 && hierarchy.size > 0;
    figure->skeleton = w3d_skeleton_of(b, known);
    if (known >= 0) w3d_items(w3d_known, b->known)[known].is_shown = true;
    return figure->skeleton && build_pivots(b, figure);
}

static bool add_hlods(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->doc->hlod_count; i++) {
        const w3d_hlod *hlod = &b->doc->hlods[i];
        sni_enter_named(&b->load->diag, "HLOD", i, w3d_label(b, hlod->name));
        int32_t known = hlod->hierarchy.size > 0 || b->chosen >= 0 ? w3d_find_hierarchy(b, hlod->hierarchy) : -1;
        bool is_added = sni_load_ok(b->load) && add_figure(b, hlod, known, hlod->name, hlod->hierarchy);
        sni_leave(&b->load->diag);
        if (!is_added) return false;
    }
    return true;
}

// Without HLOD: all that there is, on the file's only hierarchy if it has just one.
static bool add_loose(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    int32_t known = b->chosen >= 0 ? b->chosen : doc->hierarchy_count == 1 ? 0 : -1;
    sni_str name = { "", 0 }, hierarchy = { "", 0 };
    if (doc->mesh_count > 0) name = doc->meshes[0].container.size > 0 ? doc->meshes[0].container : doc->meshes[0].name;
    for (uint32_t i = 0; i < doc->object_count; i++)
        if (doc->objects[i].id == W3D_COLLECTION && doc->objects[i].name.size > 0) name = doc->objects[i].name;
    if (known >= 0) hierarchy = w3d_items(w3d_known, b->known)[known].source->name;
    return add_figure(b, NULL, known, name, hierarchy);
}

// Hierarchies that nothing is shown on: skeletons to look at.
static bool add_bare(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->doc->hierarchy_count; i++) {
        const w3d_known *known = &w3d_items(w3d_known, b->known)[i];  // the file's own come first
        if (known->is_shown) continue;
        sni_str name = known->source->name;
        if (!add_figure(b, NULL, (int32_t)i, name, name)) return false;
    }
    return true;
}

static bool add_named(w3d_builder *b, sni_names *added, sni_str name)
{
    if (sni_names_find(added, name) >= 0) return true;
    int32_t known = w3d_find_hierarchy(b, name);
    return sni_load_ok(b->load) && sni_names_add(&b->load->scratch, added, name, 0) &&
           add_figure(b, NULL, known, name, name);
}

// A file of animations alone shows them on the skeletons that they name.
static bool add_animated(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    sni_names added = { 0 };
    for (uint32_t i = 0; i < doc->animation_count + doc->morph_count && sni_load_ok(b->load); i++) {
        bool is_morph = i >= doc->animation_count;
        uint32_t index = is_morph ? i - doc->animation_count : i;
        sni_str name = is_morph ? doc->morphs[index].name : doc->animations[index].name;
        sni_enter_named(&b->load->diag, is_morph ? "MORPH_ANIMATION" : "ANIMATION", index, w3d_label(b, name));
        add_named(b, &added, is_morph ? doc->morphs[index].hierarchy : doc->animations[index].hierarchy);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}

static bool has_loose_things(const w3d_doc *doc)
{
    return doc->mesh_count > 0 || doc->box_count > 0 || doc->object_count > 0 || doc->light_count > 0;
}

bool w3d_build_figures(w3d_builder *b)
{
    const w3d_doc *doc = b->doc;
    if (!add_hlods(b)) return false;
    if (doc->hlod_count == 0 && has_loose_things(doc) && !add_loose(b)) return false;
    if (!add_bare(b)) return false;
    if (b->figures.count == 0 && doc->animation_count + doc->morph_count > 0) return add_animated(b);
    return b->figures.count > 0 || add_loose(b);
}
