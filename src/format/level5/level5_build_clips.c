// Clips: ranges of a timeline as set by the KEY commands of the configuration, with keys at both ends. Cameras, which
// exist only in timelines, are here too.
#include <math.h>
#include <stdio.h>

#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/sanitize.h"

enum { MOST_CAMERA_KEYS = 4096 };
enum { CAMERA_POSITION, CAMERA_TARGET, CAMERA_ROLL, CAMERA_FOV };  // of level5_bone_curves.camera

static const double RADIANS = 3.14159265358979323846 / 180.0;
static const float NEAR_PLANE = 0.1f, WIDEST_FOV = 179.0f, DEFAULT_FOV = 45.0f;

// --- Cameras ---

static float fov_radians(float degrees)
{
    bool is_valid = degrees > 0.0f && degrees <= WIDEST_FOV;
    return (float)((is_valid ? degrees : DEFAULT_FOV) * RADIANS);
}

// By series, because the C library's results differ between machines. |x| is at most pi.
static double sine(double x)
{
    double term = x, sum = x;
    for (int n = 1; n < 14; n++) {
        term *= -x * x / ((2.0 * n) * (2.0 * n + 1.0));
        sum += term;
    }
    return sum;
}

static void sample_camera(const level5_timeline *timeline, uint32_t bone, int channel, double frame, float fallback,
                          float out[3])
{
    int32_t curve = timeline->bones[bone].camera[channel];
    out[0] = out[1] = out[2] = fallback;
    if (curve >= 0) level5_sample(&level5_items(level5_curve, timeline->curves)[curve], frame, out);
}

// A camera looks along -Z of its node, with Y up.
static sn_trs camera_at(const level5_timeline *timeline, uint32_t bone, double frame)
{
    float position[3], target[3], roll[3];
    sample_camera(timeline, bone, CAMERA_POSITION, frame, 0.0f, position);
    sample_camera(timeline, bone, CAMERA_TARGET, frame, 0.0f, target);
    sample_camera(timeline, bone, CAMERA_ROLL, frame, 0.0f, roll);
    sn_vec3 at = sni_vec3(position[0], position[1], position[2]), up = sni_vec3(0, 1, 0);
    sn_vec3 back = sni_unit(sni_sub(at, sni_vec3(target[0], target[1], target[2])), sni_vec3(0, 0, 1));
    sn_vec3 right = sni_unit(sni_cross(up, back), sni_vec3(1, 0, 0));
    sn_mat34 axes = { 0 };
    sni_mat34_set_column(&axes, 0, right);
    sni_mat34_set_column(&axes, 1, sni_cross(back, right));
    sni_mat34_set_column(&axes, 2, back);
    double half = fmod(roll[0], 360.0) * RADIANS / 2.0;
    sn_quat about_z = sni_quat(0, 0, (float)sine(half), (float)sine(90.0 * RADIANS - fabs(half)));
    return (sn_trs){ at, sni_quat_unit(sni_quat_mul(sni_mat34_rotation(&axes), about_z)), { 1, 1, 1 } };
}

static bool add_camera(level5_builder *b, const level5_timeline *timeline, uint32_t bone)
{
    sn_node *node = sni_builder_add_node(&b->core);
    sn_camera *camera = node ? sni_builder_add_camera(&b->core) : NULL;
    float fov[3];
    if (!camera) return false;
    const char *name = level5_text(b, b->bones[bone].source->name);
    sample_camera(timeline, bone, CAMERA_FOV, timeline->first, DEFAULT_FOV, fov);
    *node = (sn_node){ .name = name, .parent = -1, .id = -1, .rest = camera_at(timeline, bone, timeline->first) };
    *camera = (sn_camera){ .name = name,
                           .node = (int32_t)b->core.nodes.count - 1,
                           .is_perspective = true,
                           .fov_y = fov_radians(fov[0]),
                           .near_plane = NEAR_PLANE };
    b->bones[bone].camera = (int32_t)b->core.cameras.count - 1;
    return true;
}

// Cameras are in model space, not below the node that has their tracks, so each gets a node of its own.
bool level5_build_cameras(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    for (uint32_t i = 0; i < b->motions.count; i++)
        for (uint32_t bone = 0; motions[i].timeline && bone < b->bone_count; bone++) {
            const int32_t *curves = motions[i].timeline->bones[bone].camera;
            bool has_camera = curves[0] >= 0 || curves[1] >= 0 || curves[2] >= 0 || curves[3] >= 0;
            if (has_camera && b->bones[bone].camera < 0 && !add_camera(b, motions[i].timeline, bone)) return false;
        }
    return true;
}

// --- Tracks ---

typedef struct clip_builder {
    level5_builder *b;
    const level5_timeline *timeline;  // NULL: none
    double start, end;                // frames
    double rate;                      // frames per second; 0: a still pose
    float duration;
    sni_list tracks;  // sn_track, in scratch
    uint64_t inexact_matrices;
} clip_builder;

static const level5_curve *curve_at(const clip_builder *c, int32_t index)
{
    return index < 0 ? NULL : &level5_items(level5_curve, c->timeline->curves)[index];
}

static float seconds_at(const clip_builder *c, double frame)
{
    return c->rate > 0.0 ? (float)((frame - c->start) / c->rate) : 0.0f;
}

// The keys inside of the clip, without those at its ends.
static void find_inner_keys(const clip_builder *c, const double *frames, uint32_t count, uint32_t *from, uint32_t *to)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frames[middle] > c->start) high = middle;
        else low = middle + 1;
    }
    *from = low;
    for (high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (frames[middle] >= c->end) high = middle;
        else low = middle + 1;
    }
    *to = c->rate > 0.0 ? low : *from;
}

// A track while its keys are added. A key that is not later than the previous one replaces it.
typedef struct track_builder {
    sn_track track;
    float *times, *values;
} track_builder;

static bool begin_track(clip_builder *c, sn_target kind, uint32_t target, sn_channel channel, uint32_t width,
                        uint64_t capacity, track_builder *t)
{
    uint64_t value_count = capacity * width;
    *t = (track_builder){ .track = { .target_kind = (uint8_t)kind,
                                     .target = (int32_t)target,
                                     .channel = (uint8_t)channel,
                                     .interpolation = SN_LINEAR,
                                     .wrap = SN_WRAP_HOLD,
                                     .width = width },
                          .times = sni_new_raw(&c->b->load->keep, float, capacity),
                          .values = sni_new_raw(&c->b->load->keep, float, value_count) };
    return t->times && t->values;
}

static float *add_key(track_builder *t, float time)
{
    if (t->track.key_count > 0 && !(time > t->times[t->track.key_count - 1])) t->track.key_count--;
    t->times[t->track.key_count] = time;
    return t->values + (size_t)t->track.width * t->track.key_count++;
}

static bool end_track(clip_builder *c, track_builder *t)
{
    t->track.times = t->times;
    t->track.values = t->values;
    sn_track *slot = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
    if (slot) *slot = t->track;
    return slot && sni_sanitize_keys(c->b->core.diag, slot, 0);
}

static float *last_values(const clip_builder *c, uint32_t *count)
{
    const sn_track *track = &level5_items(sn_track, c->tracks)[c->tracks.count - 1];
    *count = track->key_count * track->width;
    return sni_mut(float, track->values);
}

// The clip's part of a curve, each component multiplied by a factor. Factors may be NULL.
static bool add_curve(clip_builder *c, sn_target kind, uint32_t target, sn_channel channel, const level5_curve *curve,
                      const float *factors)
{
    uint32_t from, to, width = curve->width;
    track_builder t;
    find_inner_keys(c, curve->frames, curve->count, &from, &to);
    if (!begin_track(c, kind, target, channel, width, (uint64_t)(to - from) + 2, &t)) return false;
    bool is_constant = !(c->rate > 0.0) || from == curve->count || curve->frames[0] >= c->end;
    level5_sample(curve, c->start, add_key(&t, 0.0f));
    for (uint32_t i = from; i < to && !is_constant; i++)
        memcpy(add_key(&t, seconds_at(c, curve->frames[i])), curve->values + (size_t)i * width, width * sizeof(float));
    if (!is_constant) level5_sample(curve, c->end, add_key(&t, c->duration));
    for (uint32_t i = 0; factors && i < t.track.key_count * width; i++) t.values[i] *= factors[i % width];
    return end_track(c, &t);
}

// --- Nodes ---

// A rotation track replaces the matrix except its translation, and so removes its scale. A scale track multiplies it.
static bool animate_node(clip_builder *c, uint32_t index, const level5_bone_curves *curves)
{
    const sn_node *nodes = c->b->core.nodes.items;
    const level5_curve *rotation = curve_at(c, curves->rotation), *scale = curve_at(c, curves->scale),
                       *translation = curve_at(c, curves->translation);
    uint32_t mover = c->b->bones[index].targets.mover;
    sn_vec3 rest = nodes[mover].rest.scale;
    const float factors[3] = { rest.x, rest.y, rest.z };
    if (translation && !add_curve(c, SN_TARGET_NODE, mover, SN_CHANNEL_TRANSLATION, translation, NULL)) return false;
    if (rotation && !add_curve(c, SN_TARGET_NODE, index, SN_CHANNEL_ROTATION, rotation, NULL)) return false;
    if (scale && !add_curve(c, SN_TARGET_NODE, mover, SN_CHANNEL_SCALE, scale, rotation ? NULL : factors)) return false;
    if (rotation && !scale && (rest.x != 1.0f || rest.y != 1.0f || rest.z != 1.0f)) {
        track_builder t;
        if (!begin_track(c, SN_TARGET_NODE, index, SN_CHANNEL_SCALE, 3, 1, &t)) return false;
        float *one = add_key(&t, 0.0f);
        one[0] = one[1] = one[2] = 1.0f;
        if (!end_track(c, &t)) return false;
    }
    if (nodes[index].matrix && mover == index && !rotation && (scale || translation)) c->inexact_matrices++;
    return true;
}

// Copies of a bone share its keys.
static bool animate_copies(clip_builder *c, uint32_t index, uint32_t first_track)
{
    const level5_bone_copy *copies = c->b->bone_copies.items;
    uint32_t end = c->tracks.count;
    for (int32_t at = c->b->bones[index].first_copy; at >= 0; at = copies[at].next)
        for (uint32_t i = first_track; i < end; i++) {
            sn_track *track = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
            if (!track) return false;
            *track = level5_items(sn_track, c->tracks)[i];
            bool is_mover = track->target != (int32_t)index;
            track->target = (int32_t)(is_mover ? copies[at].targets.mover : copies[at].targets.node);
        }
    return true;
}

// --- Visibility ---

// A visibility curve steps. The condition holds while its value is on, or off if inverted, or if there is no curve.
typedef struct condition {
    const level5_curve *curve;
    bool is_inverted;
} condition;

static bool holds(const condition *one, double frame)
{
    const level5_curve *curve = one->curve;
    if (!curve) return true;
    float value = curve->values[level5_key_before(curve->frames, curve->count, frame)];
    return (value >= 1.0f) != one->is_inverted;
}

// A track that is on while both conditions hold.
static bool add_visibility(clip_builder *c, sn_target kind, uint32_t target, const condition both[2])
{
    const double *frames[2] = { NULL, NULL };
    uint32_t from[2] = { 0, 0 }, to[2] = { 0, 0 };
    track_builder t;
    for (int i = 0; i < 2; i++) {
        if (!both[i].curve) continue;
        frames[i] = both[i].curve->frames;
        find_inner_keys(c, frames[i], both[i].curve->count, &from[i], &to[i]);
    }
    if (!begin_track(c, kind, target, SN_CHANNEL_VISIBILITY, 1, (uint64_t)to[0] - from[0] + to[1] - from[1] + 2, &t))
        return false;
    t.track.interpolation = SN_STEP;
    *add_key(&t, 0.0f) = holds(&both[0], c->start) && holds(&both[1], c->start) ? 1.0f : 0.0f;
    while (from[0] < to[0] || from[1] < to[1]) {
        bool is_second = from[0] == to[0] || (from[1] < to[1] && frames[1][from[1]] < frames[0][from[0]]);
        double frame = frames[is_second][from[is_second]++];
        *add_key(&t, seconds_at(c, frame)) = holds(&both[0], frame) && holds(&both[1], frame) ? 1.0f : 0.0f;
    }
    if (c->rate > 0.0 && c->duration > 0.0f)
        *add_key(&t, c->duration) = holds(&both[0], c->end) && holds(&both[1], c->end) ? 1.0f : 0.0f;
    return end_track(c, &t);
}

// Type 50 shows either the mesh of a node or its children; type 51 shows or hides the node with its children.
static bool animate_visibility(clip_builder *c, uint32_t index, const level5_bone_curves *curves)
{
    const level5_bone *bone = &c->b->bones[index];
    int32_t above = bone->parent < 0 ? -1 : c->timeline->bones[bone->parent].visible_self;
    const condition node[2] = { { curve_at(c, curves->visible_tree), false }, { curve_at(c, above), true } };
    const condition part[2] = { { curve_at(c, curves->visible_self), false }, { NULL, false } };
    bool has_node_curve = node[0].curve || node[1].curve;
    if (has_node_curve && !bone->codes.is_hidden && !add_visibility(c, SN_TARGET_NODE, index, node)) return false;
    for (uint32_t i = 0; part[0].curve && i < bone->part_count; i++)
        if (!add_visibility(c, SN_TARGET_PART, bone->first_part + i, part)) return false;
    return true;
}

// --- Materials ---

// The part of a bone that shows the material of a curve.
static void find_material_parts(const level5_builder *b, const level5_timeline *timeline)
{
    const int32_t *mesh_materials = b->mesh_materials.items;
    const sn_part *parts = b->core.parts.items;
    level5_material_curve *curves = timeline->material_curves.items;
    for (uint32_t k = 0; k < timeline->animated.count; k++) {
        uint32_t index = level5_items(uint32_t, timeline->animated)[k];
        const level5_bone *bone = &b->bones[index];
        for (int32_t at = timeline->bones[index].first_material; at >= 0; at = curves[at].next)
            for (uint32_t i = bone->first_part; i < bone->first_part + bone->part_count; i++)
                if (mesh_materials[parts[i].mesh] == curves[at].material) curves[at].part = (int32_t)i;
    }
}

// Alpha tracks store transparency.
static bool animate_materials(clip_builder *c, const level5_bone_curves *curves)
{
    const level5_material_curve *materials = c->timeline->material_curves.items;
    for (int32_t at = curves->first_material; at >= 0; at = materials[at].next) {
        const level5_material_curve *material = &materials[at];
        sn_channel channel = material->is_alpha ? SN_CHANNEL_ALPHA : SN_CHANNEL_COLOR;
        uint32_t count;
        if (material->part < 0) continue;
        if (!add_curve(c, SN_TARGET_PART, (uint32_t)material->part, channel, curve_at(c, material->curve), NULL))
            return false;
        float *values = last_values(c, &count);
        for (uint32_t i = 0; i < count; i++)
            values[i] = fminf(fmaxf(material->is_alpha ? 1.0f - values[i] : values[i], 0.0f), 1.0f);
    }
    return true;
}

// --- Morphs ---

// Weights between the morphs of two frames.
static void put_weights(const level5_morph_keys *keys, double frame, uint32_t width, float *out)
{
    uint32_t low = level5_key_before(keys->frames, keys->count, frame);
    memset(out, 0, width * sizeof *out);
    bool is_between = low + 1 < keys->count && frame > keys->frames[low];
    float u = is_between ? (float)((frame - keys->frames[low]) / (keys->frames[low + 1] - keys->frames[low])) : 0.0f;
    if (keys->morphs[low] >= 0) out[keys->morphs[low]] += 1.0f - u;
    if (is_between && keys->morphs[low + 1] >= 0) out[keys->morphs[low + 1]] += u;
}

static bool animate_morphs(clip_builder *c, const level5_morph_keys *keys)
{
    const level5_bone *bone = &c->b->bones[keys->node];
    if (bone->morphs < 0 || keys->count == 0 || bone->part_count == 0) return true;
    uint32_t width = level5_items(level5_morph_set, c->b->morph_sets)[bone->morphs].count, from, to;
    track_builder t;
    find_inner_keys(c, keys->frames, keys->count, &from, &to);
    if (!begin_track(c, SN_TARGET_NODE, keys->node, SN_CHANNEL_MORPHS, width, (uint64_t)(to - from) + 2, &t))
        return false;
    put_weights(keys, c->start, width, add_key(&t, 0.0f));
    for (uint32_t i = from; i < to; i++)
        put_weights(keys, keys->frames[i], width, add_key(&t, seconds_at(c, keys->frames[i])));
    if (c->duration > 0.0f) put_weights(keys, c->end, width, add_key(&t, c->duration));
    return end_track(c, &t);
}

// --- Cameras ---

// Position and target move in straight lines, so the rotation is sampled at every frame.
static bool animate_camera(clip_builder *c, uint32_t index, const level5_bone_curves *curves)
{
    int32_t number = c->b->bones[index].camera;
    if (number < 0) return true;
    uint32_t node = (uint32_t)level5_items(sn_camera, c->b->core.cameras)[number].node;
    if (curves->camera[CAMERA_POSITION] >= 0 || curves->camera[CAMERA_TARGET] >= 0 ||
        curves->camera[CAMERA_ROLL] >= 0) {
        double step = fmax(1.0, (c->end - c->start) / MOST_CAMERA_KEYS);
        uint64_t count = c->rate > 0.0 ? (uint64_t)((c->end - c->start) / step) + 2 : 1;
        track_builder translation, rotation;
        if (!begin_track(c, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION, 3, count, &translation) ||
            !begin_track(c, SN_TARGET_NODE, node, SN_CHANNEL_ROTATION, 4, count, &rotation))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            double frame = fmin(c->start + (double)i * step, c->end);
            float time = i + 1 == count ? c->duration : seconds_at(c, frame);
            sn_trs trs = camera_at(c->timeline, index, frame);
            memcpy(add_key(&translation, time), &trs.translation, sizeof trs.translation);
            memcpy(add_key(&rotation, time), &trs.rotation, sizeof trs.rotation);
        }
        if (!end_track(c, &translation) || !end_track(c, &rotation)) return false;
    }
    const level5_curve *fov = curve_at(c, curves->camera[CAMERA_FOV]);
    if (!fov) return true;
    if (!add_curve(c, SN_TARGET_CAMERA, (uint32_t)number, SN_CHANNEL_FOV, fov, NULL)) return false;
    uint32_t count;
    float *values = last_values(c, &count);
    for (uint32_t i = 0; i < count; i++) values[i] = fov_radians(values[i]);
    return true;
}

// --- Clips ---

static bool animate(clip_builder *c)
{
    if (!c->timeline) return true;
    for (uint32_t k = 0; k < c->timeline->animated.count; k++) {
        uint32_t i = level5_items(uint32_t, c->timeline->animated)[k];
        const level5_bone_curves *curves = &c->timeline->bones[i];
        uint32_t first_track = c->tracks.count;
        if (!animate_node(c, i, curves) || !animate_copies(c, i, first_track) || !animate_visibility(c, i, curves) ||
            !animate_materials(c, curves) || !animate_camera(c, i, curves))
            return false;
    }
    for (uint32_t i = 0; i < c->timeline->morph_keys.count; i++)
        if (!animate_morphs(c, &level5_items(level5_morph_keys, c->timeline->morph_keys)[i])) return false;
    return true;
}

// A KEY command; number -1: the complete timeline.
typedef struct clip_range {
    const char *name;
    double start, end, speed;
    int32_t set, number;
} clip_range;

static const char *clip_extras(level5_builder *b, const clip_range *range)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_integer(&extras, "set", range->set);
    if (range->number >= 0) sni_extras_put_integer(&extras, "number", range->number);
    sni_extras_put_float(&extras, "start", (float)range->start);
    sni_extras_put_float(&extras, "end", (float)range->end);
    sni_extras_put_float(&extras, "speed", (float)range->speed);
    return sni_extras_end(b->core.keep, &extras);
}

static bool build_clip(level5_builder *b, const level5_timeline *timeline, const clip_range *range)
{
    clip_builder c = { .b = b, .timeline = timeline, .start = range->start, .end = range->end };
    sn_clip *clip = sni_builder_add_clip(&b->core);
    double rate = (b->game == LEVEL5_DC1 ? 60.0 : 30.0) * range->speed;
    if (!clip) return false;
    if (rate > 0.0 && range->end > range->start && isfinite((float)((range->end - range->start) / rate))) {
        c.rate = rate;
        c.duration = (float)((range->end - range->start) / rate);
    }
    if (!animate(&c)) return false;
    sn_track *tracks = sni_new_raw(&b->load->keep, sn_track, c.tracks.count);
    if (!tracks) return false;
    if (c.tracks.count > 0) memcpy(tracks, c.tracks.items, c.tracks.count * sizeof *tracks);
    *clip = (sn_clip){ .name = range->name,
                       .extras = clip_extras(b, range),
                       .duration = c.duration,
                       .loops = c.duration > 0.0f,
                       .tracks = tracks,
                       .track_count = c.tracks.count };
    sni_warn_many(&b->load->diag, SNI_WARN_LEVEL5_MATRIX, c.inexact_matrices, 0,
                  "nodes with a sheared matrix are moved or scaled but not rotated");
    return sni_load_ok(b->load);
}

static double number_argument(const level5_command *command, uint32_t index)
{
    double value = index < command->arg_count ? command->args[index].real : 0.0;
    return isfinite(value) ? value : 0.0;
}

// DC2 names its clips. DC1 has a comment after most of them.
static const char *clip_name(level5_builder *b, const level5_command *command, int32_t set, int32_t number)
{
    char text[48];
    sni_str given = level5_text_argument(command, 0);
    if (given.size == 0) given = command->comment;
    if (given.size > 0) return level5_text(b, given);
    int length = set ? snprintf(text, sizeof text, "set %d clip %d", set, number)
                     : snprintf(text, sizeof text, "clip %d", number);
    const char *name = sni_copy_text(&b->load->keep, text, (size_t)length);
    return name ? name : "";
}

static clip_range read_key_command(level5_builder *b, const level5_command *command, int32_t set, int32_t number)
{
    uint32_t first = command->arg_count > 0 && command->args[0].kind == LEVEL5_TEXT;
    clip_range range = { .name = clip_name(b, command, set, number),
                         .start = number_argument(command, first),
                         .end = number_argument(command, first + 1),
                         .speed = number_argument(command, first + 2),
                         .set = set,
                         .number = number };
    if (range.speed < 0.0) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, command->offset, "negative speed %g; the clip plays forwards",
                 range.speed);
        range.speed = -range.speed;
    }
    if (range.end < range.start) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, command->offset,
                 "clip ends at frame %g before its start at %g; it is a still pose", range.end, range.start);
        range.end = range.start;
    }
    return range;
}

// The clips of each KEY command; a timeline without any becomes one clip.
bool level5_build_clips(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    for (uint32_t m = 0; m < b->motions.count; m++) {
        const level5_motion *motion = &motions[m];
        const level5_timeline *timeline = motion->timeline;
        bool has_clip = false;
        int32_t number = 0;
        if (timeline) find_material_parts(b, timeline);
        for (uint32_t i = motion->first; b->config && i < motion->end; i++) {
            const level5_command *command = &b->config->commands[i];
            if (sni_str_is_nocase(command->tag, "KEY_START") && command->arg_count > 0)
                number = command->args[0].number;
            if (!sni_str_is_nocase(command->tag, "KEY")) continue;
            clip_range range = read_key_command(b, command, motion->set, number);
            if (number < INT32_MAX) number++;
            has_clip = true;
            if (!build_clip(b, timeline, &range)) return false;
        }
        if (has_clip || !timeline || timeline->curves.count == 0) continue;
        const clip_range all = { "all", timeline->first, timeline->last, 1.0, motion->set, -1 };
        if (!build_clip(b, timeline, &all)) return false;
    }
    return true;
}
