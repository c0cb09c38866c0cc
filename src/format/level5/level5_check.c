// The rules of Dark Cloud and Dark Cloud 2 over the files of a model: what the games misread, ignore or show wrongly.
// level5_fix.c repairs what can be repaired without loss.
#include "format/level5/level5_check.h"

#include <math.h>
#include <stdio.h>

#include "base/map.h"
#include "base/sjis.h"
#include "format/level5/level5_build.h"
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

enum { DC1_VERTICES = 3000, DC2_BONES = 32, DC2_INFLUENCES = 4, DC1_SLOTS = 4, DC2_SLOTS = 6, MOTION_SETS = 8 };

typedef struct checker {
    sni_load *load;
    sni_diag *diag;
    sni_arena *arena;
    const level5_model *model;
    bool is_first;  // Dark Cloud, not Dark Cloud 2
} checker;

static const char *label(const checker *c, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_from_sjis(c->arena, text, NULL) : "";
    return clean ? clean : "";
}

static bool level5_is_weights(const level5_track *track)
{
    return track->type == LEVEL5_WEIGHTS || track->type == LEVEL5_WEIGHTS_AVERAGED;
}

static bool is_node(const level5_mds *mds, int32_t index) { return index >= 0 && (uint32_t)index < mds->node_count; }

// Layout

static bool is_pack_ended(const level5_pack *pack)
{
    if (pack->entry_count == 0) return true;
    const level5_entry *last = &pack->entries[pack->entry_count - 1];
    const uint32_t distance = sni_load_u32(last->head.data + 72), size = sni_load_u32(last->head.data + 68);
    if (distance == 0 || distance == UINT32_MAX || size == UINT32_MAX) return true;
    return last->offset + distance < pack->size;  // an entry without a name follows
}

bool level5_is_laid_out(const level5_doc *doc, char why[96])
{
    why[0] = 0;
    if (doc->kind == LEVEL5_KIND_MDS) {
        const level5_mds *mds = &doc->as.mds;
        if (mds->first_node != 16) snprintf(why, 96, "the first node is at %u, not at 16", mds->first_node);
        for (uint32_t i = 0; i < mds->node_count && !why[0]; i++) {
            if (mds->nodes[i].record_bytes != LEVEL5_NODE_BYTES)
                snprintf(why, 96, "node %u has %u bytes, not 112", i, mds->nodes[i].record_bytes);
            else if (mds->nodes[i].mesh_offset != 0 && mds->nodes[i].mesh < 0)
                snprintf(why, 96, "node %u has no mesh at its offset %u", i, mds->nodes[i].mesh_offset);
        }
    } else if (doc->kind == LEVEL5_KIND_TRACKS) {
        const level5_tracks *tracks = &doc->as.tracks;
        for (uint32_t i = 0; i < tracks->track_count && !why[0]; i++) {
            const level5_track *track = &tracks->tracks[i];
            if (track->count != track->keys.count)
                snprintf(why, 96, "track %u states %u keys, there are %u", i, track->count, track->keys.count);
            else if (track->next != 0 && i + 1 == tracks->track_count)
                snprintf(why, 96, "the last track does not end the list: its distance is %u", track->next);
        }
    } else if (doc->kind == LEVEL5_KIND_PACK) {
        const level5_pack *pack = &doc->as.pack;
        for (uint32_t i = 0; i < pack->entry_count && !why[0]; i++)
            if (pack->entries[i].data_offset != pack->entries[i].offset + LEVEL5_PACK_ENTRY_BYTES)
                snprintf(why, 96, "the data of entry %u is not right after it", i);
        if (!why[0] && !is_pack_ended(pack)) snprintf(why, 96, "no entry without a name ends the pack");
    }
    return !why[0];
}

// Names

static void check_text(checker *c, sni_str name, uint32_t field, uint64_t offset)
{
    bool was_bad = false;
    if (name.size >= field)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_NAME, offset, "%zu bytes, the field has room for %u", name.size,
                 field - 1);
    if (name.size > 0) sni_text_from_sjis(c->arena, name, &was_bad);
    if (was_bad) sni_warn(c->diag, SNI_WARN_DARK_CLOUD_ENCODING, offset, "\"%s\"", label(c, name));
}

static bool check_unique(checker *c, sni_nocase_names *names, sni_str name, uint32_t index, uint64_t offset)
{
    const int32_t other = name.size > 0 ? sni_nocase_names_find(names, name) : -1;
    if (other >= 0) sni_warn(c->diag, SNI_WARN_DARK_CLOUD_NAME_TWICE, offset, "number %d has this name, too", other);
    return other >= 0 || name.size == 0 || sni_nocase_names_add(c->arena, names, name, (int32_t)index);
}

// Meshes

static bool is_readable(const checker *c, const level5_mesh *mesh, const level5_primitive *primitive)
{
    const uint32_t shape = primitive->flags & 7;
    if (shape != 3 && shape != 4) return false;
    if (!c->is_first) return mesh->face_format == LEVEL5_FACES_DC2;
    return mesh->face_format == LEVEL5_FACES_DC1 ||
           (primitive->flags == shape && primitive->stride == (mesh->header[8] ? 4u : 3u));
}

static void check_mesh(checker *c, const level5_mesh *mesh)
{
    uint64_t unreadable = 0, bad = 0;
    if (mesh->face_format == LEVEL5_FACES_UNKNOWN) return;  // collision, shadows
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const level5_primitive *primitive = &mesh->primitives[i];
        unreadable += !is_readable(c, mesh, primitive);
        bad += primitive->material >= 0 ? (uint32_t)primitive->material >= mesh->materials.count
                                        : primitive->material < -1 || (i == 0 && mesh->materials.count > 0);
    }
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_FACES, unreadable, mesh->offset, "primitives that %s does not read",
                  c->is_first ? "Dark Cloud" : "Dark Cloud 2");
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_MATERIAL, bad, mesh->offset, "primitives; the mesh has %u materials",
                  mesh->materials.count);
    for (uint32_t i = 0; i < mesh->materials.count; i++)
        check_text(c, level5_read_material(mesh, i).texture, LEVEL5_NAME_BYTES, mesh->offset);
}

static bool check_mds(checker *c, const level5_mds *mds)
{
    sni_nocase_names names = { 0 };
    for (uint32_t i = 0; i < mds->node_count; i++) {
        const level5_node *node = &mds->nodes[i];
        sni_enter_named(c->diag, "NODE", i, label(c, node->name));
        check_text(c, node->name, LEVEL5_NAME_BYTES, node->offset);
        const bool is_added = check_unique(c, &names, node->name, i, node->offset);
        if (node->parent < 0 ? i > 0 : i == 0)
            sni_warn(c->diag, SNI_WARN_DARK_CLOUD_ROOT, node->offset, "its parent is %d", node->parent);
        else if (node->parent >= (int32_t)i)
            sni_warn(c->diag, SNI_WARN_DARK_CLOUD_PARENT, node->offset, "its parent is %d, of %u nodes", node->parent,
                     mds->node_count);
        sni_leave(c->diag);
        if (!is_added) return false;
    }
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        sni_enter(c->diag, "MDT", i);
        check_mesh(c, &mds->meshes[i]);
        sni_leave(c->diag);
    }
    return true;
}

// Tracks

static void check_track(checker *c, const level5_track *track)
{
    const level5_mds *mds = c->model->mds;
    uint64_t unordered = 0;
    const bool is_weights = level5_is_weights(track);
    for (uint32_t i = 0; i < track->keys.count && !is_weights; i++) {
        const uint32_t frame = level5_read_key(track, i).frame;
        unordered += i > 0 && frame <= level5_read_key(track, i - 1).frame;
    }
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_KEY_ORDER, unordered, track->offset,
                  "keys that are not later than the one before");
    if (!is_weights && level5_track_width(track->type) == 0 && track->type != LEVEL5_IGNORED)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_TRACK, track->offset, "type %d", track->type);
    if (!mds) return;
    if (!is_node(mds, track->node))
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_TRACK, track->offset, "node %d of %u", track->node, mds->node_count);
    if (!is_weights || !is_node(mds, track->node)) return;
    const int32_t mesh = mds->nodes[track->node].mesh;
    const uint32_t vertices = mesh >= 0 ? mds->meshes[mesh].positions.count : 0;
    uint64_t outside = 0;
    for (uint32_t i = 0; i < track->keys.count; i++) outside += level5_read_key(track, i).frame >= vertices;
    if (!is_node(mds, track->target))
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_TRACK, track->offset, "bone %d of %u", track->target, mds->node_count);
    if (mesh < 0) sni_warn(c->diag, SNI_WARN_DARK_CLOUD_TRACK, track->offset, "node %d has no mesh", track->node);
    else
        sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_TRACK, outside, track->offset,
                      "weights of vertices past the last of %u", vertices);
}

static void check_tracks(checker *c, const level5_tracks *tracks)
{
    uint64_t early = 0;
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        early += !level5_is_weights(track) && track->keys.count > 0 && level5_read_key(track, 0).frame == 0;
        sni_enter(c->diag, "TRACK", i);
        check_track(c, track);
        sni_leave(c->diag);
    }
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_FRAME, early, 0, "tracks that start at frame 0");
}

// Weights

bool level5_find_links(sni_arena *arena, const level5_mds *mds, const level5_tracks *weights, sni_list *links)
{
    uint32_t *seen = sni_new(arena, uint32_t, mds->node_count);  // by node: 1 + the mesh whose chain has it
    uint32_t *path = sni_new_raw(arena, uint32_t, mds->node_count);
    int32_t mesh = -1;
    if (!seen || !path) return false;
    for (uint32_t i = 0; i < weights->track_count; i++) {
        const level5_track *track = &weights->tracks[i];
        if (!level5_is_weights(track) || !is_node(mds, track->node) || !is_node(mds, track->target)) continue;
        const int32_t top = mds->nodes[track->node].parent;
        const uint32_t mark = (uint32_t)track->node + 1;
        const bool is_new = track->node != mesh;
        mesh = track->node;
        uint32_t count = 0;
        int32_t bone = track->target;
        // Up to what the chain has.
        for (; is_node(mds, bone) && bone != top && seen[bone] != mark && count < mds->node_count;
             bone = mds->nodes[bone].parent)
            path[count++] = (uint32_t)bone;
        if (links->count > 4ull * (weights->track_count + (uint64_t)mds->node_count)) return true;  // hopeless
        const bool is_below = bone == top || (is_node(mds, bone) && seen[bone] == mark);
        if (!is_below) path[0] = UINT32_MAX, count = 1;
        else if (is_new && track->target != top && is_node(mds, top)) path[count++] = (uint32_t)top;
        while (count-- > 0) {
            if (is_below) seen[path[count]] = mark;
            if (path[count] == (uint32_t)track->target) break;
            level5_link *link = sni_push(arena, links, level5_link);
            if (!link) return false;
            *link = (level5_link){ i, mesh, (int32_t)path[count] };
        }
    }
    return true;
}

static bool check_chains(checker *c)
{
    sni_list links = { 0 };
    if (!level5_find_links(c->arena, c->model->mds, c->model->weights, &links)) return false;
    const level5_link *first = links.items;
    for (uint32_t i = 0; i < links.count; i++) {
        const level5_track *track = &c->model->weights->tracks[first[i].before];
        sni_enter(c->diag, "TRACK", first[i].before);
        if (first[i].bone < 0)
            sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CHAIN, track->offset, "bone %d is not below the parent of mesh %d",
                     track->target, track->node);
        else
            sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CHAIN, track->offset, "node %d must come before bone %d of mesh %d",
                     first[i].bone, track->target, track->node);
        sni_leave(c->diag);
    }
    return true;
}

// The weights of all meshes: lists of tracks by mesh, and buffers for the vertices of one of them.
typedef struct weighing {
    int32_t *first, *next;  // first track of a node, next of the same; -1: none
    float *sums;
    uint32_t *counts;
} weighing;

static bool make_weighing(checker *c, weighing *w)
{
    const level5_mds *mds = c->model->mds;
    const level5_tracks *weights = c->model->weights;
    uint32_t most = 0;
    for (uint32_t i = 0; i < mds->mesh_count; i++)
        if (mds->meshes[i].positions.count > most) most = mds->meshes[i].positions.count;
    *w = (weighing){ .first = sni_new_raw(c->arena, int32_t, mds->node_count),
                     .next = sni_new_raw(c->arena, int32_t, weights->track_count),
                     .sums = sni_new(c->arena, float, most),
                     .counts = sni_new(c->arena, uint32_t, most) };
    if (!w->first || !w->next || !w->sums || !w->counts) return false;
    for (uint32_t i = 0; i < mds->node_count; i++) w->first[i] = -1;
    for (uint32_t i = weights->track_count; i-- > 0;) {
        const level5_track *track = &weights->tracks[i];
        if (!level5_is_weights(track) || !is_node(mds, track->node) || mds->nodes[track->node].mesh < 0 ||
            track->keys.count == 0)
            continue;
        w->next[i] = w->first[track->node];
        w->first[track->node] = (int32_t)i;
    }
    return true;
}

static void check_weights(checker *c, weighing *w, uint32_t node)
{
    const level5_mds *mds = c->model->mds;
    const level5_track *tracks = c->model->weights->tracks;
    const uint32_t vertices = mds->meshes[mds->nodes[node].mesh].positions.count;
    uint64_t bad_sums = 0, many = 0;
    uint32_t bones = 0;
    for (int32_t i = w->first[node]; i >= 0; i = w->next[i], bones++)
        for (uint32_t k = 0; k < tracks[i].keys.count; k++) {
            const level5_key key = level5_read_key(&tracks[i], k);
            if (key.frame >= vertices || key.value[0] == 0.0f) continue;
            w->sums[key.frame] += key.value[0];
            w->counts[key.frame]++;
        }
    // Counted at the first of a vertex's weights, which clears it for the next mesh.
    for (int32_t i = w->first[node]; i >= 0; i = w->next[i])
        for (uint32_t k = 0; k < tracks[i].keys.count; k++) {
            const uint32_t vertex = level5_read_key(&tracks[i], k).frame;
            if (vertex >= vertices || w->counts[vertex] == 0) continue;
            bad_sums += !(fabsf(w->sums[vertex] - 100.0f) <= 0.5f);
            many += w->counts[vertex] > DC2_INFLUENCES;
            w->sums[vertex] = 0.0f;
            w->counts[vertex] = 0;
        }
    sni_enter_named(c->diag, "NODE", node, label(c, mds->nodes[node].name));
    const uint64_t offset = mds->nodes[node].offset;
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_WEIGHTS, bad_sums, offset, "vertices of %u", vertices);
    if (!c->is_first)
        sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_INFLUENCES, many, offset, "vertices with more than %d bones",
                      (int)DC2_INFLUENCES);
    if (!c->is_first && bones > DC2_BONES)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_INFLUENCES, offset, "%u bones: the mesh loses its skin", bones);
    if (c->is_first && vertices > DC1_VERTICES)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_VERTICES, offset, "%u vertices", vertices);
    sni_leave(c->diag);
}

static bool list_skinned(checker *c, sni_nocase_names *out)
{
    const level5_config *config = c->model->config;
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        for (uint32_t k = 0; level5_lists_skins(command) && k < command->arg_count; k++) {
            const sni_str name = level5_text_before(level5_text_argument(command, k), "__");
            if (name.size > 0 && !sni_nocase_names_add(c->arena, out, name, 0)) return false;
        }
    }
    return true;
}

static bool check_skins(checker *c)
{
    const level5_mds *mds = c->model->mds;
    sni_nocase_names listed = { 0 };
    weighing w;
    if (!make_weighing(c, &w) || (c->model->config && !list_skinned(c, &listed))) return false;
    for (uint32_t i = 0; i < mds->node_count; i++) {
        if (w.first[i] < 0) continue;
        check_weights(c, &w, i);
        if (!c->model->config || sni_nocase_names_find(&listed, level5_text_before(mds->nodes[i].name, "__")) >= 0)
            continue;
        sni_enter_named(c->diag, "NODE", i, label(c, mds->nodes[i].name));
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_SKIN_LIST, mds->nodes[i].offset, "no line %s names it",
                 c->is_first ? "ALLOC_DBUFF" : "VERTEX_ANIME");
        sni_leave(c->diag);
    }
    return !c->is_first || check_chains(c);
}

// Bind matrices

static double determinant(const float m[16])
{
    return (double)m[0] * ((double)m[5] * m[10] - (double)m[6] * m[9]) -
           (double)m[1] * ((double)m[4] * m[10] - (double)m[6] * m[8]) +
           (double)m[2] * ((double)m[4] * m[9] - (double)m[5] * m[8]);
}

bool *level5_list_bones(sni_arena *arena, const level5_model *model)
{
    bool *is_bone = sni_new(arena, bool, model->mds->node_count);
    for (uint32_t i = 0; is_bone && model->weights && i < model->weights->track_count; i++) {
        const level5_track *track = &model->weights->tracks[i];
        if (level5_is_weights(track) && is_node(model->mds, track->target) && track->keys.count > 0)
            is_bone[track->target] = true;
    }
    return is_bone;
}

bool level5_needs_bind(const level5_model *model, const bool *is_bone, uint32_t node)
{
    float m[16];
    if (node >= model->binds->matrices.count) return true;
    level5_read_matrix(model->binds->matrices, node, m);
    return !(fabs(determinant(m)) >= 1e-6) && is_bone[node];
}

static bool check_binds(checker *c)
{
    const level5_model *model = c->model;
    const uint32_t count = model->binds->matrices.count, nodes = model->mds->node_count;
    const bool *is_bone = level5_list_bones(c->arena, model);
    uint64_t singular = 0, scaled = 0;
    if (!is_bone) return false;
    if (count < nodes) sni_warn(c->diag, SNI_WARN_DARK_CLOUD_BINDS, 0, "%u matrices for %u nodes", count, nodes);
    for (uint32_t i = 0; i < nodes && i < count; i++) {
        float m[16];
        level5_read_matrix(model->binds->matrices, i, m);
        const double det = determinant(m);
        singular += level5_needs_bind(model, is_bone, i);
        scaled += c->is_first && is_bone[i] && fabs(det) >= 1e-6 && fabs(fabs(det) - 1.0) > 0.01;
    }
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_BINDS, singular, 0, "matrices of bones that cannot be inverted");
    sni_warn_many(c->diag, SNI_WARN_DARK_CLOUD_BINDS, scaled, 0,
                  "matrices of bones with a scale, which Dark Cloud ignores");
    return true;
}

// Configurations

static void check_command(checker *c, const level5_command *command, bool has_model)
{
    const uint32_t offset_args = c->is_first ? 0 : 1;  // Dark Cloud 2 names its clips
    const int32_t number = command->arg_count > 0 ? command->args[0].number : 0;
    const int32_t slots = c->is_first ? DC1_SLOTS : DC2_SLOTS;
    if (sni_str_is_nocase(command->tag, "IMG") && (number < 0 || number >= slots))
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CONFIG, command->offset, "image slot %d of %d", number, slots);
    if (sni_str_is_nocase(command->tag, "MOTION") && (number < 0 || number >= MOTION_SETS))
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CONFIG, command->offset, "motion set %d of %d", number, (int)MOTION_SETS);
    if (sni_str_is_nocase(command->tag, "MOTION") && !has_model)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CONFIG, command->offset, "MOTION comes before MODEL");
    if (!sni_str_is_nocase(command->tag, "KEY")) return;
    if (command->arg_count < offset_args + 3) {
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CONFIG, command->offset, "KEY with %u arguments; %s", command->arg_count,
                 c->is_first ? "start, end and speed are needed" : "name, start, end and speed are needed");
        return;
    }
    const level5_value *args = command->args + offset_args;
    if (args[1].real < args[0].real || !(args[2].real > 0.0f))
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CLIP, command->offset, "from %g to %g at speed %g", (double)args[0].real,
                 (double)args[1].real, (double)args[2].real);
    if (args[0].real < 1.0f)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_FRAME, command->offset, "a clip from frame %g", (double)args[0].real);
}

static void check_config(checker *c, const level5_config *config)
{
    bool has_model = false, has_motion = false;
    const bool is_of_second = config->has_semicolons || config->is_compiled;
    if (is_of_second == c->is_first)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_CONFIG, 0, "it is written for %s: commands %s a semicolon",
                 c->is_first ? "Dark Cloud 2" : "Dark Cloud", c->is_first ? "end with" : "lack");
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        sni_enter_named(c->diag, "COMMAND", i, label(c, command->tag));
        has_model |= sni_str_is_nocase(command->tag, "MODEL");
        check_command(c, command, has_model);
        // Dark Cloud 2 finds the weights of its first set by the model's name.
        const sni_str weights = sni_str_is_nocase(command->tag, "MOTION") && !has_motion
                                    ? level5_file_name(level5_text_argument(command, 3))
                                    : sni_str_make("", 0);
        has_motion |= sni_str_is_nocase(command->tag, "MOTION");
        if (!c->is_first && weights.size > 0 && config == c->model->config &&
            !sni_str_equal_nocase(level5_text_before(weights, "."), c->model->stem))
            sni_warn(c->diag, SNI_WARN_DARK_CLOUD_WEIGHT_FILE, command->offset, "\"%s\", the model is \"%s\"",
                     label(c, weights), label(c, c->model->stem));
        sni_leave(c->diag);
    }
}

// Pictures: the first of a TIM2, with 32-bit colours in its table, right after the header of 16 bytes.
static void check_tim2(checker *c, const level5_picture *picture)
{
    enum { PICTURE = 16, PICTURE_HEADER = 48 };
    const uint8_t *at = picture->data.data;
    if (picture->is_script || picture->is_empty || picture->data.count < PICTURE + PICTURE_HEADER) return;
    const uint32_t colors = sni_load_u16(at + PICTURE + 14);
    const uint8_t table = at[PICTURE + 18], pixels = at[PICTURE + 19];
    if (at[5] != 0)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_IMAGE, picture->offset,
                 "its data is aligned to 128 bytes; the game reads it right after the header");
    else if (pixels >= 4 && colors > 0 && (table & 0x3F) != 3)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_IMAGE, picture->offset,
                 "the colours of its table have %u bits; the game reads 32",
                 table & 0x3F ? 8u + 8u * (table & 3u) : 0u);
    else if (pixels < 1 || pixels > 5)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_IMAGE, picture->offset, "pixels of type %u", pixels);
}

static bool check_img(checker *c, const level5_img *img)
{
    sni_nocase_names names = { 0 };
    if (c->is_first && img->kind == LEVEL5_IM3)
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_IMAGE, 0, "an IM3 archive; Dark Cloud reads IMG and IM2");
    for (uint32_t i = 0; i < img->picture_count; i++) {
        const level5_picture *picture = &img->pictures[i];
        sni_enter_named(c->diag, "PICTURE", i, label(c, picture->name));
        check_text(c, picture->name, LEVEL5_NAME_BYTES, picture->offset);
        const bool is_added = check_unique(c, &names, picture->name, i, picture->offset);
        check_tim2(c, picture);
        sni_leave(c->diag);
        if (!is_added) return false;
    }
    return true;
}

static bool check_pack(checker *c, const level5_pack *pack)
{
    sni_nocase_names names = { 0 };
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        sni_enter_named(c->diag, "ENTRY", i, label(c, entry->name));
        check_text(c, entry->name, SNI_LEVEL5_PACK_NAME_BYTES, entry->offset);
        const bool is_added = check_unique(c, &names, level5_file_name(entry->name), i, entry->offset);
        sni_leave(c->diag);
        if (!is_added) return false;
    }
    return true;
}

// All files

static bool check_document(checker *c, const level5_doc *doc)
{
    char why[96];
    if (!level5_is_laid_out(doc, why)) sni_warn(c->diag, SNI_WARN_DARK_CLOUD_LAYOUT, 0, "%s", why);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return check_mds(c, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: check_tracks(c, &doc->as.tracks); return true;
    case LEVEL5_KIND_CONFIG: check_config(c, &doc->as.config); return true;
    case LEVEL5_KIND_PACK: return check_pack(c, &doc->as.pack);
    case LEVEL5_KIND_IMG: return check_img(c, &doc->as.img);
    case LEVEL5_KIND_DQ8_MDS:
    case LEVEL5_KIND_DQ8_MOT:
        sni_warn(c->diag, SNI_WARN_DARK_CLOUD_FORMAT, 0, "a file of Dragon Quest VIII");
        return true;
    default: return true;
    }
}

bool level5_check_game(sni_load *load, const void *document, sn_game game)
{
    const level5_doc *doc = document;
    checker c = { .load = load,
                  .diag = &load->diag,
                  .arena = &load->scratch,
                  .model = doc->model,
                  .is_first = game == SN_GAME_DARK_CLOUD };
    if (!check_document(&c, doc)) return false;
    for (uint32_t i = 0; i < c.model->file_count; i++) {
        if (!c.model->files[i].doc) continue;
        sni_enter_named(c.diag, "FILE", -1, c.model->files[i].path);
        const bool is_checked = check_document(&c, c.model->files[i].doc);
        sni_leave(c.diag);
        if (!is_checked) return false;
    }
    if (!c.model->mds || c.model->mds->weights) return sni_load_ok(load);  // no model, or one of Dragon Quest VIII
    if (c.model->weights && !check_skins(&c)) return false;
    if (c.model->binds) return check_binds(&c) && sni_load_ok(load);
    if (c.is_first && c.model->weights && c.model->weights->track_count > 0)
        sni_warn(c.diag, SNI_WARN_DARK_CLOUD_BINDS, 0, "weights without bind matrices (.bbp)");
    return sni_load_ok(load);
}
