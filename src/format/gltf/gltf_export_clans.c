// Which roots stand together. The joints of a skin must have a root in common, and a scene that shows a skinned part
// must hold its joints. Roots tied by a skin are a clan: written below one node, listed by scenes as a whole.
#include "format/gltf/gltf_export.h"

#include <string.h>

typedef struct clan_finder {
    gltf_export *export;
    gltf_clans *clans;
    int32_t *tied_to;     // of each root: an earlier one of its clan, or itself
    int32_t *first_part;  // skinned, of each root
    int32_t *next_part;
    uint32_t *stamps;  // of each clan: what met it last, from 1 on
} clan_finder;

// Union-find; the earliest root of a clan is its head.
static int32_t head_of(int32_t *tied_to, int32_t root)
{
    while (tied_to[root] != root) root = tied_to[root] = tied_to[tied_to[root]];
    return root;
}

static void tie(int32_t *tied_to, int32_t a, int32_t b)
{
    int32_t x = head_of(tied_to, a), y = head_of(tied_to, b);
    if (x < y) tied_to[y] = x;
    else tied_to[x] = y;
}

static bool is_bent(const gltf_export *export, const sn_part *part)
{
    return part->skin >= 0 && export->model->skins[part->skin].joint_count > 0 && gltf_is_shown(export, part);
}

static bool tie_roots(clan_finder *f)
{
    const sn_model *model = f->export->model;
    bool *is_tied = sni_new(&f->export->save->scratch, bool, model->skin_count);
    if (!is_tied) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (!is_bent(f->export, part) || is_tied[part->skin]) continue;
        const sn_skin *skin = &model->skins[part->skin];
        is_tied[part->skin] = true;
        for (uint32_t j = 1; j < skin->joint_count; j++)
            tie(f->tied_to, f->clans->root_of[skin->joints[0]], f->clans->root_of[skin->joints[j]]);
    }
    for (uint32_t i = 0; i < model->node_count; i++) {  // heads come before those tied to them
        if (model->nodes[i].parent >= 0) continue;
        int32_t head = head_of(f->tied_to, (int32_t)i);
        f->clans->clan_of[i] = head == (int32_t)i ? (int32_t)f->clans->clan_count++ : f->clans->clan_of[head];
    }
    return true;
}

static void chain_parts(clan_finder *f)
{
    const sn_model *model = f->export->model;
    for (uint32_t i = 0; i < model->node_count; i++) f->first_part[i] = -1;
    for (uint32_t i = model->part_count; i-- > 0;) {
        const sn_part *part = &model->parts[i];
        if (!is_bent(f->export, part)) continue;
        int32_t root = f->clans->root_of[part->node];
        f->next_part[i] = f->first_part[root];
        f->first_part[root] = (int32_t)i;
    }
}

// Keeps of each root's skinned parts one for each clan that it needs: scenes that list the root walk fewer of them.
static void shorten_chains(clan_finder *f)
{
    const sn_model *model = f->export->model;
    for (uint32_t root = 0; root < model->node_count; root++) {
        int32_t *link = &f->first_part[root];
        while (*link >= 0) {
            const sn_skin *skin = &model->skins[model->parts[*link].skin];
            uint32_t *stamp = &f->stamps[f->clans->clan_of[f->clans->root_of[skin->joints[0]]]];
            if (*stamp == root + 1) *link = f->next_part[*link];
            else link = &f->next_part[*link];
            *stamp = root + 1;
        }
    }
    memset(f->stamps, 0, f->clans->clan_count * sizeof *f->stamps);
}

static bool list_clan(clan_finder *f, uint32_t scene, int32_t clan, sni_list *list)
{
    if (f->stamps[clan] == scene + 1) return true;
    f->stamps[clan] = scene + 1;
    int32_t *item = sni_push(&f->export->save->scratch, list, int32_t);
    if (item) *item = clan;
    return item != NULL;
}

static bool list_clans(clan_finder *f, uint32_t scene)
{
    const sn_model *model = f->export->model;
    const gltf_clans *clans = f->clans;
    const sn_scene *source = &clans->scenes[scene];
    sni_list list = { 0 };
    for (uint32_t i = 0; i < source->root_count; i++) {
        clans->is_listed[source->roots[i]] = true;
        if (!list_clan(f, scene, clans->clan_of[source->roots[i]], &list)) return false;
    }
    for (uint32_t i = 0; i < source->root_count; i++) {
        for (int32_t at = f->first_part[source->roots[i]]; at >= 0; at = f->next_part[at]) {
            int32_t joint = model->skins[model->parts[at].skin].joints[0];
            if (!list_clan(f, scene, clans->clan_of[clans->root_of[joint]], &list)) return false;
        }
    }
    clans->listed[scene] = (gltf_indices){ list.items, list.count };
    return true;
}

// Clans that the same scenes list become one: scene after scene, those it lists part from those it does not.
static bool join_clans(clan_finder *f)
{
    gltf_clans *clans = f->clans;
    sni_arena *arena = &f->export->save->scratch;
    uint64_t most = 1;
    for (uint32_t i = 0; i < clans->scene_count; i++) most += clans->listed[i].count;
    uint32_t *kind_of = sni_new(arena, uint32_t, clans->clan_count), kind_count = 1, joined = 0;
    uint32_t *parted_in = sni_new(arena, uint32_t, most), *parted_to = sni_new(arena, uint32_t, most);
    if (!kind_of || !parted_in || !parted_to) return false;
    for (uint32_t i = 0; i < clans->scene_count; i++) {
        for (uint32_t k = 0; k < clans->listed[i].count; k++) {
            uint32_t *kind = &kind_of[clans->listed[i].items[k]];
            if (parted_in[*kind] != i + 1) parted_in[*kind] = i + 1, parted_to[*kind] = kind_count++;
            *kind = parted_to[*kind];
        }
    }
    memset(parted_in, 0, (size_t)most * sizeof *parted_in);
    for (uint32_t i = 0; i < clans->clan_count; i++) {
        uint32_t *number = &parted_in[kind_of[i]];  // from 1 on
        if (*number == 0) *number = ++joined;
        kind_of[i] = *number - 1;
    }
    for (uint32_t i = 0; i < f->export->model->node_count; i++) {
        if (clans->clan_of[i] >= 0) clans->clan_of[i] = (int32_t)kind_of[clans->clan_of[i]];
    }
    memset(f->stamps, 0, clans->clan_count * sizeof *f->stamps);
    clans->clan_count = joined;
    for (uint32_t i = 0; i < clans->scene_count; i++) {
        gltf_indices old = clans->listed[i];
        sni_list list = { 0 };
        for (uint32_t k = 0; k < old.count; k++) {
            if (!list_clan(f, i, (int32_t)kind_of[old.items[k]], &list)) return false;
        }
        clans->listed[i] = (gltf_indices){ list.items, list.count };
    }
    return true;
}

// Roots that show something by themselves wherever they are listed: rigid parts, lights.
static bool *find_showy(const clan_finder *f)
{
    const sn_model *model = f->export->model;
    bool *is_showy = sni_new(&f->export->save->scratch, bool, model->node_count);
    for (uint32_t i = 0; is_showy && i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (part->skin < 0 && gltf_is_shown(f->export, part)) is_showy[f->clans->root_of[part->node]] = true;
    }
    for (uint32_t i = 0; is_showy && i < model->light_count; i++) {
        if (model->lights[i].node >= 0) is_showy[f->clans->root_of[model->lights[i].node]] = true;
    }
    return is_showy;
}

// A clan is listed as a whole: a scene may come to show what only others listed. What no scene lists stays hidden.
static bool tell_intruders(clan_finder *f)
{
    const gltf_clans *clans = f->clans;
    sni_arena *arena = &f->export->save->scratch;
    const bool *is_showy = find_showy(f);
    uint32_t *in_clan = sni_new(arena, uint32_t, clans->clan_count),
             *in_scene = sni_new(arena, uint32_t, clans->clan_count);
    uint64_t intruded = 0;
    if (!is_showy || !in_clan || !in_scene) return false;
    for (uint32_t i = 0; i < f->export->model->node_count; i++) {
        if (is_showy[i] && clans->is_listed[i]) in_clan[clans->clan_of[i]]++;
    }
    for (uint32_t i = 0; i < clans->scene_count; i++) {
        const sn_scene *scene = &clans->scenes[i];
        bool is_intruded = false;
        for (uint32_t k = 0; k < scene->root_count; k++)
            in_scene[clans->clan_of[scene->roots[k]]] += is_showy[scene->roots[k]];
        for (uint32_t k = 0; k < clans->listed[i].count; k++) {
            int32_t clan = clans->listed[i].items[k];
            is_intruded = is_intruded || in_scene[clan] < in_clan[clan];
            in_scene[clan] = 0;
        }
        intruded += is_intruded;
    }
    sni_warn_many(&f->export->save->diag, SNI_WARN_LOST_CONTENT, intruded, 0,
                  "scenes that also show what hangs on the joints of their skins");
    return true;
}

static void find_drawn_in(const clan_finder *f)
{
    const gltf_clans *clans = f->clans;
    memset(f->stamps, 0, clans->clan_count * sizeof *f->stamps);
    for (uint32_t i = 0; i < clans->scene_count; i++) {
        for (uint32_t k = 0; k < clans->listed[i].count; k++) f->stamps[clans->listed[i].items[k]] = 1;
    }
    for (uint32_t i = 0; i < f->export->model->node_count; i++)
        clans->is_drawn_in[i] = clans->clan_of[i] >= 0 && !clans->is_listed[i] && f->stamps[clans->clan_of[i]];
}

// A model without scenes has one that lists all roots.
static bool find_scenes(gltf_export *export, gltf_clans *clans)
{
    const sn_model *model = export->model;
    clans->scenes = model->scenes;
    clans->scene_count = model->scene_count;
    if (model->scene_count > 0) return true;
    sn_scene *scene = sni_new(&export->save->scratch, sn_scene, 1);
    int32_t *roots = sni_new(&export->save->scratch, int32_t, model->node_count);
    if (!scene || !roots) return false;
    scene->roots = roots;
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent < 0) roots[scene->root_count++] = (int32_t)i;
    }
    clans->scenes = scene;
    clans->scene_count = 1;
    return true;
}

static bool begin(clan_finder *f)
{
    const sn_model *model = f->export->model;
    sni_arena *arena = &f->export->save->scratch;
    gltf_clans *clans = f->clans;
    clans->root_of = sni_new(arena, int32_t, model->node_count);
    clans->clan_of = sni_new(arena, int32_t, model->node_count);
    clans->is_listed = sni_new(arena, bool, model->node_count);
    clans->is_drawn_in = sni_new(arena, bool, model->node_count);
    f->tied_to = sni_new(arena, int32_t, model->node_count);
    f->first_part = sni_new(arena, int32_t, model->node_count);
    f->next_part = sni_new(arena, int32_t, model->part_count);
    f->stamps = sni_new(arena, uint32_t, model->node_count);
    if (!sni_save_ok(f->export->save) || !f->stamps || !find_scenes(f->export, clans)) return false;
    clans->listed = sni_new(arena, gltf_indices, clans->scene_count);
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        clans->root_of[i] = parent < 0 ? (int32_t)i : clans->root_of[parent];
        clans->clan_of[i] = -1;
        f->tied_to[i] = (int32_t)i;
    }
    return clans->listed != NULL;
}

bool gltf_export_clans(gltf_export *export)
{
    clan_finder f = { .export = export, .clans = &export->clans };
    const sn_save_opts *opts = export->save->opts;
    export->turns = export->model->up_axis == SN_Z_UP && !(opts && opts->keep_axes);
    if (!begin(&f) || !tie_roots(&f)) return false;
    chain_parts(&f);
    shorten_chains(&f);
    for (uint32_t i = 0; i < f.clans->scene_count; i++) {
        if (!list_clans(&f, i)) return false;
    }
    if (export->turns && !join_clans(&f)) return false;
    find_drawn_in(&f);
    return tell_intruders(&f);
}
