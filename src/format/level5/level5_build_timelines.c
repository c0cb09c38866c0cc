// Timelines: the tracks of a MOT as curves of valid keys, sorted by the bone they drive, and the morphs that vertex
// animation becomes. Clips are cut out of timelines in level5_build_clips.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

// Bounds for hostile files: the games have eight sets, and the material tracks of a node are searched linearly.
enum { MOST_MOTIONS = 64, MOST_MATERIAL_TRACKS = 256 };

// Morphs of a mesh may hold this many vectors, plus some for each key.
enum { SPARE_VECTORS = 1 << 18, VECTORS_PER_KEY = 4 };

// --- Sampling ---

// Slerp by repeated bisection: only + - * / and sqrt, so that every machine gets the same result.
static void slerp(const float *from, const float *to, double u, float *out)
{
    enum { STEPS = 32 };
    double low[4], high[4], dot = 0.0;
    for (int i = 0; i < 4; i++) dot += (double)from[i] * to[i];
    for (int i = 0; i < 4; i++) low[i] = from[i], high[i] = dot < 0.0 ? -to[i] : to[i];
    for (int step = 0; step < STEPS; step++) {
        double middle[4], square = 0.0;
        for (int i = 0; i < 4; i++) middle[i] = low[i] + high[i], square += middle[i] * middle[i];
        if (!(square > 0.0)) break;
        double scale = 1.0 / sqrt(square);
        u *= 2.0;
        for (int i = 0; i < 4; i++) *(u >= 1.0 ? &low[i] : &high[i]) = middle[i] * scale;
        if (u >= 1.0) u -= 1.0;
    }
    for (int i = 0; i < 4; i++) out[i] = (float)low[i];
}

void level5_sample(const level5_curve *curve, double frame, float *out)
{
    uint32_t key = level5_key_before(curve->frames, curve->count, frame), width = curve->width;
    const float *a = curve->values + (size_t)key * width, *b = a + width;
    bool is_between = key + 1 < curve->count && frame > curve->frames[key];
    if (!is_between) {
        memcpy(out, a, width * sizeof *out);
        return;
    }
    double u = (frame - curve->frames[key]) / (curve->frames[key + 1] - curve->frames[key]);
    if (width == 4) slerp(a, b, u, out);
    else
        for (uint32_t i = 0; i < width; i++) out[i] = sni_lerp(a[i], b[i], (float)u);
}

// --- Keys ---

// False for values that are not finite and rotations of length 0. Rotations are stored inverted and with w first, and
// are only roughly of unit length.
static bool read_value(int32_t type, uint32_t width, const float stored[4], float *out)
{
    double square = 0.0;
    for (uint32_t i = 0; i < width; i++) {
        if (!isfinite(stored[i])) return false;
        square += (double)stored[i] * stored[i];
    }
    if (type != LEVEL5_ROTATION) {
        memcpy(out, stored, width * sizeof *out);
        return true;
    }
    if (!(square > 1e-12)) return false;
    double scale = 1.0 / sqrt(square);
    for (int i = 0; i < 3; i++) out[i] = (float)(-stored[i + 1] * scale);
    out[3] = (float)(stored[0] * scale);
    return true;
}

static bool read_keys(level5_builder *b, const level5_track *track, level5_curve *curve)
{
    uint64_t unordered = 0, bad = 0;
    curve->frames = sni_new_raw(&b->load->scratch, double, track->keys.count);
    curve->values = sni_new_raw(&b->load->scratch, float, (uint64_t)track->keys.count * curve->width);
    if (!curve->frames || !curve->values) return false;
    for (uint32_t i = 0; i < track->keys.count; i++) {
        level5_key key = level5_read_key(track, i);
        bool is_later = curve->count == 0 || key.frame > curve->frames[curve->count - 1];
        bool is_good = is_later && read_value(track->type, curve->width, key.value,
                                              curve->values + (size_t)curve->count * curve->width);
        unordered += !is_later;
        bad += is_later && !is_good;
        if (is_good) curve->frames[curve->count++] = key.frame;
    }
    sni_warn_many(&b->load->diag, SNI_WARN_KEY_ORDER, unordered, track->offset,
                  "keys that are not later than the previous key");
    sni_warn_many(&b->load->diag, SNI_WARN_NOT_FINITE, bad, track->offset, "keys that are not finite; left out");
    return true;
}

// --- Half turns: DC2 does not interpolate a rotation of about half a turn but jumps to the next key. A key shortly
// before reproduces the jump ---

static const double JUMP_FRAMES = 1.0 / 256.0;

static bool jumps_after(const level5_curve *curve, uint32_t key)
{
    const double jump_dot = 0.01;
    if (key + 1 >= curve->count) return false;
    const float *a = curve->values + (size_t)4 * key, *b = a + 4;
    return fabs((double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2] + (double)a[3] * b[3]) < jump_dot;
}

static bool add_jumps(level5_builder *b, level5_curve *curve)
{
    uint32_t extra = 0, count = 0;
    for (uint32_t i = 0; i < curve->count; i++) extra += jumps_after(curve, i);
    if (extra == 0) return true;
    double *frames = sni_new_raw(&b->load->scratch, double, (uint64_t)curve->count + extra);
    float *values = sni_new_raw(&b->load->scratch, float, ((uint64_t)curve->count + extra) * 4);
    if (!frames || !values) return false;
    for (uint32_t i = 0; i < curve->count; i++) {
        const float *value = curve->values + (size_t)4 * i;
        bool is_jump = jumps_after(curve, i);
        if (is_jump) {
            bool is_reached = i > 0 && !jumps_after(curve, i - 1);  // interpolated from the previous key
            double distance = is_reached ? curve->frames[i] - curve->frames[i - 1] : 1.0;
            frames[count] = curve->frames[i] - JUMP_FRAMES;
            slerp(is_reached ? value - 4 : value, value, 1.0 - JUMP_FRAMES / distance, values + (size_t)4 * count++);
        }
        frames[count] = curve->frames[i];
        memcpy(values + (size_t)4 * count++, is_jump ? value + 4 : value, 4 * sizeof *values);
    }
    curve->frames = frames;
    curve->values = values;
    curve->count = count;
    return true;
}

// --- Curves of bones and materials ---

static bool add_material_curve(level5_builder *b, level5_timeline *timeline, const level5_track *track, int32_t curve)
{
    level5_bone_curves *bone = &timeline->bones[track->node];
    level5_material_curve *known = timeline->material_curves.items;
    bool is_alpha = track->type == LEVEL5_MATERIAL_ALPHA;
    int32_t at = bone->first_material;
    while (at >= 0 && (known[at].material != track->target || known[at].is_alpha != is_alpha)) at = known[at].next;
    if (at >= 0) {
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TWICE, track->offset,
                 "material %d of node %d already has a track of type %d", track->target, track->node, track->type);
        known[at].curve = curve;
        return true;
    }
    if (bone->material_count >= MOST_MATERIAL_TRACKS) {
        sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, track->offset, "more than %d material tracks for one node",
                 (int)MOST_MATERIAL_TRACKS);
        return true;
    }
    level5_material_curve *slot = sni_push(&b->load->scratch, &timeline->material_curves, level5_material_curve);
    if (!slot) return false;
    *slot = (level5_material_curve){
        .material = track->target, .curve = curve, .next = bone->first_material, .part = -1, .is_alpha = is_alpha
    };
    bone->first_material = (int32_t)timeline->material_curves.count - 1;
    bone->material_count++;
    return true;
}

void level5_find_material_tracks(const level5_builder *b, uint32_t node, int32_t material, bool *has_alpha,
                                 bool *has_color)
{
    const level5_motion *motions = b->motions.items;
    *has_alpha = *has_color = false;
    for (uint32_t i = 0; material >= 0 && i < b->motions.count; i++) {
        const level5_timeline *timeline = motions[i].timeline;
        if (!timeline) continue;
        const level5_material_curve *curves = timeline->material_curves.items;
        for (int32_t at = timeline->bones[node].first_material; at >= 0; at = curves[at].next)
            if (curves[at].material == material) *(curves[at].is_alpha ? has_alpha : has_color) = true;
    }
}

static int32_t *curve_slot(level5_bone_curves *bone, int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION: return &bone->rotation;
    case LEVEL5_SCALE: return &bone->scale;
    case LEVEL5_TRANSLATION: return &bone->translation;
    case LEVEL5_VISIBLE_SELF: return &bone->visible_self;
    case LEVEL5_VISIBLE_TREE: return &bone->visible_tree;
    default: return &bone->camera[type - LEVEL5_CAMERA_POSITION];
    }
}

// Whether a key leaves the bone as the MDS has it.
static bool is_at_rest(const level5_bone *bone, int32_t type, const float *value)
{
    const float tolerance = 1e-4f;
    sn_mat34 rotation = sni_mat34_identity;
    if (type == LEVEL5_ROTATION) {
        const sn_trs trs = { { 0, 0, 0 }, { value[0], value[1], value[2], value[3] }, { 1, 1, 1 } };
        rotation = sni_trs_matrix(&trs, false);
    }
    for (int r = 0; r < 3; r++) {
        const float *local = bone->local.m[r];
        if (type == LEVEL5_SCALE && fabsf(value[r] - 1) > tolerance) return false;
        if (type == LEVEL5_TRANSLATION && fabsf(value[r] - local[3]) > tolerance * (1 + fabsf(local[3]))) return false;
        for (int c = 0; type == LEVEL5_ROTATION && c < 3; c++)
            if (fabsf(rotation.m[r][c] - local[c]) > tolerance) return false;
    }
    return true;
}

static void mark_bone(level5_bone *bone, int32_t type, const level5_curve *curve)
{
    if (type == LEVEL5_ROTATION) bone->is_rotated = true;
    if (type == LEVEL5_SCALE) bone->is_scaled = true;
    if (type == LEVEL5_TRANSLATION) bone->is_translated = true;
    for (uint32_t i = 0; type <= LEVEL5_TRANSLATION && i < curve->count; i++) {
        const float *value = curve->values + (size_t)curve->width * i;
        if (type == LEVEL5_SCALE && !level5_is_uniform(sni_vec3(value[0], value[1], value[2])))
            bone->has_uneven_scale = true;
        if (!is_at_rest(bone, type, value)) bone->leaves_rest = true;
    }
}

// Adds the curve of a track to its bone. Later tracks replace earlier ones.
static bool add_curve(level5_builder *b, level5_timeline *timeline, const level5_track *track, level5_curve curve)
{
    level5_bone_curves *bone = &timeline->bones[track->node];
    level5_curve *added = sni_push(&b->load->scratch, &timeline->curves, level5_curve);
    int32_t number = (int32_t)timeline->curves.count - 1;
    if (!added) return false;
    *added = curve;
    if (track->type == LEVEL5_VERTEX) {
        added->next = bone->first_vertex;
        bone->first_vertex = number;
        return true;
    }
    if (track->type == LEVEL5_MATERIAL_ALPHA || track->type == LEVEL5_MATERIAL_COLOR)
        return add_material_curve(b, timeline, track, number);
    int32_t *slot = curve_slot(bone, track->type);
    if (*slot >= 0)
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TWICE, track->offset, "node %d already has a track of type %d",
                 track->node, track->type);
    *slot = number;
    mark_bone(&b->bones[track->node], track->type, added);
    return true;
}

static bool read_track(level5_builder *b, level5_timeline *timeline, const level5_track *track)
{
    level5_curve curve = { .source = track, .width = level5_track_width(track->type), .next = -1 };
    if (track->node < 0 || (uint32_t)track->node >= b->bone_count) {
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset, "track for node %d; there are %u nodes",
                 track->node, b->bone_count);
        return true;
    }
    if (curve.width == 0) {
        if (track->type != LEVEL5_IGNORED)
            sni_warn(&b->load->diag, SNI_WARN_LEVEL5_TRACK, track->offset, "track of type %d", track->type);
        return true;
    }
    if (!read_keys(b, track, &curve)) return false;
    if (curve.count == 0) return true;
    double first = curve.frames[0], last = curve.frames[curve.count - 1];
    if (timeline->curves.count == 0 || first < timeline->first) timeline->first = first;
    if (timeline->curves.count == 0 || last > timeline->last) timeline->last = last;
    if (track->type == LEVEL5_ROTATION && b->game == LEVEL5_DC2 && !add_jumps(b, &curve)) return false;
    return add_curve(b, timeline, track, curve);
}

// --- Morphs: each frame at which a vertex of a mesh has a key becomes a morph. Vertices and morph weights are both
// linear between keys, so nothing is lost ---

typedef struct morph_builder {
    level5_builder *b;
    uint32_t node;
    const level5_mesh *mesh;
    int32_t *curve_of;  // by vertex; -1: not animated
    sni_list morphs;    // level5_morph
} morph_builder;

static int compare_frames(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The last track of a vertex wins; it is the first in the chain.
static void find_vertex_curves(morph_builder *m, const level5_timeline *timeline)
{
    const level5_curve *curves = timeline->curves.items;
    uint32_t vertices = m->mesh->positions.count;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < vertices; i++) m->curve_of[i] = -1;
    for (int32_t at = timeline->bones[m->node].first_vertex; at >= 0; at = curves[at].next) {
        int64_t vertex = (int64_t)curves[at].source->target - 1;
        bool exists = vertex >= 0 && vertex < vertices;
        if (exists && m->curve_of[vertex] < 0) m->curve_of[vertex] = at;
        bad += !exists;
    }
    sni_warn_many(&m->b->load->diag, SNI_WARN_TRACK_TARGET, bad, m->mesh->offset,
                  "tracks for vertices past the last of %u", vertices);
}

// All frames at which a vertex has a key, sorted, each once. Thinned out if the morphs would become too large.
static bool collect_frames(morph_builder *m, const level5_timeline *timeline, level5_morph_keys *keys)
{
    const level5_curve *curves = timeline->curves.items;
    uint32_t vertices = m->mesh->positions.count, count = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < vertices; i++) total += m->curve_of[i] < 0 ? 0 : curves[m->curve_of[i]].count;
    double *frames = keys->frames = sni_new_raw(&m->b->load->scratch, double, total);
    if (!frames) return false;
    for (uint32_t i = 0; i < vertices; i++) {
        if (m->curve_of[i] < 0) continue;
        const level5_curve *curve = &curves[m->curve_of[i]];
        memcpy(frames + count, curve->frames, curve->count * sizeof *frames);
        count += curve->count;
    }
    if (count > 1) qsort(frames, count, sizeof *frames, compare_frames);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || frames[i] != frames[keys->count - 1]) frames[keys->count++] = frames[i];

    uint64_t most = (SPARE_VECTORS + VECTORS_PER_KEY * total) / (vertices > 0 ? vertices : 1);
    if (most < 2) most = 2;
    if (keys->count <= most) return true;
    sni_warn(&m->b->load->diag, SNI_WARN_RESAMPLED, m->mesh->offset,
             "vertices have keys at %u frames; %u of them are used", keys->count, (uint32_t)most);
    for (uint64_t i = 0; i < most; i++) frames[i] = frames[i * (keys->count - 1) / (most - 1)];
    keys->count = (uint32_t)most;
    return true;
}

// The offsets of all vertices at a frame. False if all are 0.
static bool sample_offsets(const morph_builder *m, const level5_timeline *timeline, double frame, sn_vec3 *offsets)
{
    const level5_curve *curves = timeline->curves.items;
    bool is_moved = false;
    for (uint32_t i = 0; i < m->mesh->positions.count; i++) {
        float to[3];
        offsets[i] = sni_vec3(0, 0, 0);
        if (m->curve_of[i] < 0) continue;
        level5_sample(&curves[m->curve_of[i]], frame, to);
        sn_vec4 from = level5_read_vector(m->mesh->positions, i);
        offsets[i] = sni_vec3(to[0] - from.x, to[1] - from.y, to[2] - from.z);
        if (offsets[i].x != 0.0f || offsets[i].y != 0.0f || offsets[i].z != 0.0f) is_moved = true;
    }
    return is_moved;
}

// A new morph, or one of the last few if it is equal: meshes often hold still for some frames.
static bool find_morph(morph_builder *m, int32_t set, double frame, const sn_vec3 *offsets, int32_t *morph)
{
    enum { MOST_COMPARED = 8 };
    size_t size = m->mesh->positions.count * sizeof *offsets;
    const level5_morph *known = m->morphs.items;
    char name[48];
    for (uint32_t i = m->morphs.count; i-- > 0 && m->morphs.count - i <= MOST_COMPARED;)
        if (memcmp(known[i].offsets, offsets, size) == 0) {
            *morph = (int32_t)i;
            return true;
        }
    int length = set ? snprintf(name, sizeof name, "set %d frame %.0f", set, frame)
                     : snprintf(name, sizeof name, "frame %.0f", frame);
    sn_vec3 *copy = sni_new_raw(&m->b->load->scratch, sn_vec3, m->mesh->positions.count);
    level5_morph *slot = copy ? sni_push(&m->b->load->scratch, &m->morphs, level5_morph) : NULL;
    if (!slot) return false;
    memcpy(copy, offsets, size);
    *slot = (level5_morph){ sni_copy_text(&m->b->load->keep, name, (size_t)length), copy };
    *morph = (int32_t)m->morphs.count - 1;
    return slot->name != NULL;
}

static bool add_morph_keys(morph_builder *m, const level5_motion *motion)
{
    sni_arena *scratch = &m->b->load->scratch;
    level5_timeline *timeline = motion->timeline;
    level5_morph_keys keys = { .node = m->node };
    find_vertex_curves(m, timeline);
    if (!collect_frames(m, timeline, &keys)) return false;
    sn_vec3 *offsets = sni_new_raw(scratch, sn_vec3, m->mesh->positions.count);
    keys.morphs = sni_new_raw(scratch, int32_t, keys.count);
    level5_morph_keys *slot = sni_push(scratch, &timeline->morph_keys, level5_morph_keys);
    if (!offsets || !keys.morphs || !slot) return false;
    for (uint32_t i = 0; i < keys.count; i++) {
        keys.morphs[i] = -1;
        if (sample_offsets(m, timeline, keys.frames[i], offsets) &&
            !find_morph(m, motion->set, keys.frames[i], offsets, &keys.morphs[i]))
            return false;
    }
    *slot = keys;
    return true;
}

// The morphs of a node's mesh, from all timelines that move its vertices.
static bool build_morphs(level5_builder *b, uint32_t node)
{
    const level5_motion *motions = b->motions.items;
    morph_builder m = { .b = b, .node = node, .mesh = &b->mds->meshes[b->mds->nodes[node].mesh] };
    for (uint32_t i = 0; i < b->motions.count; i++) {
        const level5_timeline *timeline = motions[i].timeline;
        bool is_done = !timeline || timeline->bones[node].first_vertex < 0;
        for (uint32_t k = 0; k < i && !is_done; k++) is_done = motions[k].timeline == timeline;
        if (is_done) continue;
        if (!m.curve_of) m.curve_of = sni_new_raw(&b->load->scratch, int32_t, m.mesh->positions.count);
        if (!m.curve_of || !add_morph_keys(&m, &motions[i])) return false;
    }
    if (m.morphs.count == 0) return sni_load_ok(b->load);
    level5_morph_set *set = sni_push(&b->load->scratch, &b->morph_sets, level5_morph_set);
    if (!set) return false;
    *set = (level5_morph_set){ m.morphs.items, m.morphs.count };
    b->bones[node].morphs = (int32_t)b->morph_sets.count - 1;
    return true;
}

// --- Timelines ---

// Bones that clips have to look at: those with curves, and the children of one with a curve that hides its children.
static bool list_animated(level5_builder *b, level5_timeline *timeline)
{
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_bone_curves *c = &timeline->bones[i];
        int32_t parent = b->bones[i].parent;
        bool is_animated = c->rotation >= 0 || c->scale >= 0 || c->translation >= 0 || c->visible_self >= 0 ||
                           c->visible_tree >= 0 || c->first_material >= 0;
        for (int k = 0; k < 4; k++) is_animated |= c->camera[k] >= 0;
        if (!is_animated && (parent < 0 || timeline->bones[parent].visible_self < 0)) continue;
        uint32_t *slot = sni_push(&b->load->scratch, &timeline->animated, uint32_t);
        if (!slot) return false;
        *slot = i;
    }
    return true;
}

static bool read_timeline(level5_builder *b, level5_motion *motion)
{
    static const level5_bone_curves none = { -1, -1, -1, -1, -1, { -1, -1, -1, -1 }, -1, -1, 0 };
    level5_timeline *timeline = sni_new(&b->load->scratch, level5_timeline, 1);
    if (!timeline) return false;
    timeline->bones = sni_new_raw(&b->load->scratch, level5_bone_curves, b->bone_count);
    if (!timeline->bones) return false;
    for (uint32_t i = 0; i < b->bone_count; i++) timeline->bones[i] = none;
    for (uint32_t i = 0; i < motion->tracks->track_count; i++) {
        sni_enter(&b->load->diag, "TRACK", i);
        bool is_read = read_track(b, timeline, &motion->tracks->tracks[i]);
        sni_leave(&b->load->diag);
        if (!is_read) return false;
    }
    motion->timeline = timeline;
    return list_animated(b, timeline);
}

// Motions with the same file share a timeline.
bool level5_read_timelines(level5_builder *b)
{
    level5_motion *motions = b->motions.items;
    uint32_t count = b->motions.count < MOST_MOTIONS ? b->motions.count : MOST_MOTIONS;
    if (count < b->motions.count)
        sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "%u MOTION commands; the first %u are used",
                 b->motions.count, count);
    b->motions.count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!motions[i].tracks) continue;
        for (uint32_t k = 0; k < i && !motions[i].timeline; k++)
            if (motions[k].tracks == motions[i].tracks) motions[i].timeline = motions[k].timeline;
        if (motions[i].timeline) continue;
        sni_enter_named(&b->load->diag, "MOTION", motions[i].set, level5_label(b, motions[i].mot));
        bool is_read = read_timeline(b, &motions[i]);
        sni_leave(&b->load->diag);
        if (!is_read) return false;
    }
    for (uint32_t node = 0; node < b->bone_count; node++)
        if (b->mds->nodes[node].mesh >= 0 && !build_morphs(b, node)) return false;
    return true;
}
