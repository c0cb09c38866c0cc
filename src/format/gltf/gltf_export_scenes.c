// Scenes: their clans, each below a node of its own where it needs one, then the nodes that show skinned meshes.
#include "format/gltf/gltf_export.h"

typedef struct scene_writer {
    gltf_export *export;
    int32_t *top_of;        // of each clan: what scenes list for it; -1: nothing
    int32_t *first_holder;  // groups with a skin, of each root
    int32_t *next_holder;
} scene_writer;

static bool push_index(gltf_export *export, sni_list *list, int32_t index)
{
    int32_t *item = sni_push(&export->save->scratch, list, int32_t);
    if (item) *item = index;
    return item != NULL;
}

static bool stands_in_clan(const gltf_export *export, uint32_t node)
{
    return export->clans.clan_of[node] >= 0 && !export->is_moved[node];
}

// A root alone that nothing turns needs no node above it.
static bool place_tops(scene_writer *w)
{
    gltf_export *export = w->export;
    const gltf_clans *clans = &export->clans;
    uint32_t *sizes = sni_new(&export->save->scratch, uint32_t, clans->clan_count);
    if (!sizes) return false;
    for (uint32_t i = 0; i < clans->clan_count; i++) w->top_of[i] = -1;
    for (uint32_t i = 0; i < export->model->node_count; i++) {
        if (stands_in_clan(export, i)) sizes[clans->clan_of[i]]++;
    }
    for (uint32_t i = 0; i < export->model->node_count; i++) {
        if (!stands_in_clan(export, i)) continue;
        int32_t *top = &w->top_of[clans->clan_of[i]], place = gltf_place_of(export, (int32_t)i);
        if (sizes[clans->clan_of[i]] == 1 && !export->turns) {
            *top = place;
            continue;
        }
        if (*top < 0) {
            *top = gltf_new_node(export, export->turns ? "y_up" : "root");
            // (x, y, z) to (y, z, x): Z up becomes Y up, and what faced +X faces +Z.
            if (*top >= 0 && export->turns)
                gltf_node_at(export, *top)->trs.rotation = (sn_quat){ -0.5f, -0.5f, -0.5f, 0.5f };
        }
        if (*top < 0 || !gltf_hang(export, place, *top)) return false;
    }
    return true;
}

static void chain_holders(scene_writer *w)
{
    const gltf_export *export = w->export;
    for (uint32_t i = 0; i < export->model->node_count; i++) w->first_holder[i] = -1;
    for (uint32_t i = export->group_count; i-- > 0;) {
        const gltf_group *group = &export->groups[i];
        if (group->skin < 0) continue;
        int32_t *first = &w->first_holder[export->clans.root_of[group->node]];
        w->next_holder[i] = *first;
        *first = (int32_t)i;
    }
}

static bool export_scene(scene_writer *w, uint32_t index, gltf_scene *scene)
{
    gltf_export *export = w->export;
    const sn_scene *source = &export->clans.scenes[index];
    const gltf_indices *listed = &export->clans.listed[index];
    sni_list nodes = { 0 };
    for (uint32_t i = 0; i < listed->count; i++) {
        int32_t top = w->top_of[listed->items[i]];
        if (top >= 0 && !push_index(export, &nodes, top)) return false;
    }
    for (uint32_t i = 0; i < source->root_count; i++) {
        for (int32_t at = w->first_holder[source->roots[i]]; at >= 0; at = w->next_holder[at]) {
            if (!push_index(export, &nodes, export->groups[at].holder)) return false;
        }
    }
    scene->nodes = (gltf_indices){ nodes.items, nodes.count };
    scene->object.name = gltf_name_or_null(source->name);
    return true;
}

bool gltf_export_scenes(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    uint32_t count = export->clans.scene_count;
    gltf_scene *scenes = sni_new(arena, gltf_scene, count);
    scene_writer w = { .export = export,
                       .top_of = sni_new(arena, int32_t, export->clans.clan_count),
                       .first_holder = sni_new(arena, int32_t, model->node_count),
                       .next_holder = sni_new(arena, int32_t, export->group_count) };
    if (!scenes || !w.top_of || !w.first_holder || !w.next_holder || !place_tops(&w)) return false;
    chain_holders(&w);
    for (uint32_t i = 0; i < count; i++) {
        if (!export_scene(&w, i, &scenes[i])) return false;
    }
    export->doc->scenes = scenes;
    export->doc->scene_count = count;
    export->doc->scene = model->default_scene >= 0 ? model->default_scene : 0;
    return true;
}
