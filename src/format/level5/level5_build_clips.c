// Clips: stretches of a timeline, cut out as the KEYs of the configuration say, with keys of their own at both ends.
#include <math.h>
#include <stdio.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

enum { MOST_CAMERA_KEYS = 4096 };

static const double RATE_DC1 = 60.0, RATE_DC2 = 30.0;  // ticks a second

typedef struct clip_builder {
    level5_builder *b;
    const level5_timeline *line;
    double start, end, rate;  // frames; frames a second, 0: it stands still
    float duration;
    sni_list tracks;  // sn_track, in scratch
    uint64_t lost_matrices;
} clip_builder;

static const level5_curve *curve_at(const clip_builder *c, int32_t number)
{
    return number < 0 ? NULL : &level5_items(level5_curve, c->line->curves)[number];
}

static float seconds_at(const clip_builder *c, double frame)
{
    return c->rate > 0.0 ? (float)((frame - c->start) / c->rate) : 0.0f;
}

// A track under construction: `capacity` keys at most. Keys that fall on the time of the one before replace it.
typedef struct draft {
    sn_track track;
    float *times, *values;
    uint32_t capacity;
} draft;

static bool begin_track(clip_builder *c, sn_target kind, uint32_t target, sn_channel channel, uint32_t width,
                        uint64_t capacity, draft *d)
{
    *d = (draft){ .track = { .target_kind = (uint8_t)kind,
                             .channel = (uint8_t)channel,
                             .interpolation = SN_LINEAR,
                             .wrap = SN_WRAP_HOLD } };
    d->track.target = (int32_t)target;
    d->track.width = width;
    d->times = sni_new_raw(&c->b->load->keep, float, capacity);
    d->values = sni_new_raw(&c->b->load->keep, float, capacity *width);
    return d->times && d->values;
}

static float *add_key(draft *d, float time)
{
    if (d->track.key_count > 0 && !(time > d->times[d->track.key_count - 1])) d->track.key_count--;
    d->times[d->track.key_count] = time;
    return d->values + (size_t)d->track.width * d->track.key_count++;
}

static bool end_track(clip_builder *c, draft *d)
{
    d->track.times = d->times;
    d->track.values = d->values;
    sn_track *slot = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
    if (slot) *slot = d->track;
    return slot && sni_finish_keys(c->b->load, slot, 0);
}

// The keys that lie inside, without those at the very ends.
static void find_inside(const clip_builder *c, const double *frames, uint32_t count, uint32_t *from, uint32_t *to)
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

// What a node's numbers have to become on their way: each component times a factor.
static bool add_curve(clip_builder *c, sn_target kind, uint32_t target, sn_channel channel, const level5_curve *curve,
                      const float *factors)
{
    uint32_t from, to, width = curve->width;
    draft d;
    find_inside(c, curve->frames, curve->count, &from, &to);
    if (!begin_track(c, kind, target, channel, width, (uint64_t)(to - from) + 2, &d)) return false;
    bool is_still = !(c->rate > 0.0) || from == curve->count || curve->frames[0] >= c->end;
    level5_sample(curve, c->start, add_key(&d, 0.0f));
    for (uint32_t i = from; i < to && !is_still; i++)
        memcpy(add_key(&d, seconds_at(c, curve->frames[i])), curve->values + (size_t)i * width, width * sizeof(float));
    if (!is_still) level5_sample(curve, c->end, add_key(&d, c->duration));
    for (uint32_t i = 0; factors && i < d.track.key_count * width; i++) d.values[i] *= factors[i % width];
    return end_track(c, &d);
}

static bool add_constant(clip_builder *c, uint32_t node, sn_channel channel, sn_vec3 value)
{
    draft d;
    if (!begin_track(c, SN_TARGET_NODE, node, channel, 3, 1, &d)) return false;
    memcpy(add_key(&d, 0.0f), &value, sizeof value);
    return end_track(c, &d);
}

// Turns replace the whole of a matrix but its place, and with it what scale it had; scales come on top of it.
static bool animate_node(clip_builder *c, uint32_t index, const level5_moves *moves)
{
    const sn_node *node = &level5_items(sn_node, c->b->nodes)[index];
    const level5_curve *rotation = curve_at(c, moves->rotation), *scale = curve_at(c, moves->scale),
                       *translation = curve_at(c, moves->translation);
    uint32_t mover = c->b->bones[index].shown.mover;
    sn_vec3 rest = level5_items(sn_node, c->b->nodes)[mover].rest.scale;
    bool has_scale = rest.x != 1.0f || rest.y != 1.0f || rest.z != 1.0f;
    const float factors[3] = { rest.x, rest.y, rest.z };
    if (translation && !add_curve(c, SN_TARGET_NODE, mover, SN_CHANNEL_TRANSLATION, translation, NULL)) return false;
    if (rotation && !add_curve(c, SN_TARGET_NODE, index, SN_CHANNEL_ROTATION, rotation, NULL)) return false;
    if (scale && !add_curve(c, SN_TARGET_NODE, mover, SN_CHANNEL_SCALE, scale, rotation ? NULL : factors)) return false;
    if (rotation && !scale && has_scale && !add_constant(c, index, SN_CHANNEL_SCALE, sni_vec3(1, 1, 1))) return false;
    if (node->matrix && mover == index && !rotation && (scale || translation)) c->lost_matrices++;
    return true;
}

// Doubles of a bone move as it does: by the same keys.
static bool animate_doubles(clip_builder *c, uint32_t index, uint32_t first_track)
{
    const level5_bone *bone = &c->b->bones[index];
    uint32_t end = c->tracks.count;
    for (int32_t at = bone->first_double; at >= 0; at = level5_items(level5_double, c->b->doubles)[at].next) {
        level5_shown shown = level5_items(level5_double, c->b->doubles)[at].shown;
        for (uint32_t i = first_track; i < end; i++) {
            sn_track *track = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
            if (!track) return false;
            *track = level5_items(sn_track, c->tracks)[i];
            track->target = (int32_t)(track->target == (int32_t)index ? shown.node : shown.mover);
        }
    }
    return true;
}

static bool is_on(const level5_curve *curve, double frame, bool wanted)
{
    float value;
    uint32_t low = 0, high = curve->count;  // steps, unlike other curves
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->frames[middle] <= frame) low = middle;
        else high = middle;
    }
    value = curve->values[low];
    return (value >= 1.0f) == wanted;
}

// Two switches, either of which may be missing, both of which must be on.
typedef struct switches {
    const level5_curve *a, *b;
    bool wants_a, wants_b;
} switches;

static bool both_on(const switches *s, double frame)
{
    return (!s->a || is_on(s->a, frame, s->wants_a)) && (!s->b || is_on(s->b, frame, s->wants_b));
}

static bool add_switches(clip_builder *c, sn_target kind, uint32_t target, const switches *s)
{
    uint32_t from[2] = { 0, 0 }, to[2] = { 0, 0 };
    const level5_curve *curves[2] = { s->a, s->b };
    draft d;
    for (int i = 0; i < 2; i++)
        if (curves[i]) find_inside(c, curves[i]->frames, curves[i]->count, &from[i], &to[i]);
    if (!begin_track(c, kind, target, SN_CHANNEL_VISIBILITY, 1, (uint64_t)to[0] - from[0] + to[1] - from[1] + 2, &d))
        return false;
    d.track.interpolation = SN_STEP;
    *add_key(&d, 0.0f) = both_on(s, c->start) ? 1.0f : 0.0f;
    while (from[0] < to[0] || from[1] < to[1]) {
        bool is_second = from[0] == to[0] || (from[1] < to[1] && s->b->frames[from[1]] < s->a->frames[from[0]]);
        double frame = is_second ? s->b->frames[from[1]++] : s->a->frames[from[0]++];
        *add_key(&d, seconds_at(c, frame)) = both_on(s, frame) ? 1.0f : 0.0f;
    }
    if (c->rate > 0.0 && c->duration > 0.0f) *add_key(&d, c->duration) = both_on(s, c->end) ? 1.0f : 0.0f;
    return end_track(c, &d);
}

// Type 50 shows either a node's mesh or what hangs below the node; type 51 shows or hides both.
static bool animate_visibility(clip_builder *c, uint32_t index, const level5_moves *moves)
{
    const level5_bone *bone = &c->b->bones[index];
    const level5_curve *above = bone->parent < 0 ? NULL : curve_at(c, c->line->moves[bone->parent].self);
    const switches node = { curve_at(c, moves->tree), above, true, false },
                   part = { curve_at(c, moves->self), NULL, true, true };
    bool is_switched = (node.a || node.b) && !bone->codes.is_hidden;
    if (is_switched && !add_switches(c, SN_TARGET_NODE, index, &node)) return false;
    for (uint32_t i = 0; part.a && i < bone->part_count; i++)
        if (!add_switches(c, SN_TARGET_PART, bone->first_part + i, &part)) return false;
    return true;
}

static bool add_fading(clip_builder *c, uint32_t part, const level5_fader *fader)
{
    const level5_curve *curve = curve_at(c, fader->curve);
    if (!add_curve(c, SN_TARGET_PART, part, fader->is_alpha ? SN_CHANNEL_ALPHA : SN_CHANNEL_COLOR, curve, NULL))
        return false;
    sn_track *track = &level5_items(sn_track, c->tracks)[c->tracks.count - 1];
    float *values = sni_mut(float, track->values);
    for (uint32_t i = 0; i < track->key_count * track->width; i++)
        values[i] = fminf(fmaxf(fader->is_alpha ? 1.0f - values[i] : values[i], 0.0f), 1.0f);
    return true;
}

static bool animate_materials(clip_builder *c, const level5_moves *moves)
{
    for (int32_t at = moves->first_fader; at >= 0; at = level5_items(level5_fader, c->line->faders)[at].next) {
        const level5_fader *fader = &level5_items(level5_fader, c->line->faders)[at];
        if (fader->part >= 0 && !add_fading(c, (uint32_t)fader->part, fader)) return false;
    }
    return true;
}

// The part of the bone that shows the material which a fader changes.
static void find_faded(const level5_builder *b, const level5_timeline *line)
{
    for (uint32_t k = 0; k < line->movers.count; k++) {
        uint32_t index = level5_items(uint32_t, line->movers)[k];
        const level5_bone *bone = &b->bones[index];
        for (int32_t at = line->moves[index].first_fader; at >= 0;
             at = level5_items(level5_fader, line->faders)[at].next) {
            level5_fader *fader = &level5_items(level5_fader, line->faders)[at];
            for (uint32_t i = bone->first_part; i < bone->first_part + bone->part_count; i++)
                if (level5_items(int32_t, b->mesh_materials)[level5_items(sn_part, b->parts)[i].mesh] ==
                    fader->material)
                    fader->part = (int32_t)i;
        }
    }
}

// Between two forms: how far from the first to the second.
static void put_weights(const level5_forms *forms, double frame, uint32_t width, float *out)
{
    uint32_t low = 0, high = forms->count;
    memset(out, 0, width * sizeof *out);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (forms->frames[middle] <= frame) low = middle;
        else high = middle;
    }
    bool is_between = low + 1 < forms->count && frame > forms->frames[low];
    float u = is_between ? (float)((frame - forms->frames[low]) / (forms->frames[low + 1] - forms->frames[low])) : 0.0f;
    if (forms->morphs[low] >= 0) out[forms->morphs[low]] += 1.0f - u;
    if (is_between && forms->morphs[low + 1] >= 0) out[forms->morphs[low + 1]] += u;
}

static bool animate_forms(clip_builder *c, const level5_forms *forms)
{
    int32_t number = c->b->bones[forms->node].shapes;
    uint32_t width = number < 0 ? 0 : level5_items(level5_shapes, c->b->shapes)[number].count, from, to;
    draft d;
    if (width == 0 || forms->count == 0 || c->b->bones[forms->node].part_count == 0) return true;
    find_inside(c, forms->frames, forms->count, &from, &to);
    if (!begin_track(c, SN_TARGET_NODE, forms->node, SN_CHANNEL_MORPHS, width, (uint64_t)(to - from) + 2, &d))
        return false;
    put_weights(forms, c->start, width, add_key(&d, 0.0f));
    for (uint32_t i = from; i < to; i++)
        put_weights(forms, forms->frames[i], width, add_key(&d, seconds_at(c, forms->frames[i])));
    if (c->duration > 0.0f) put_weights(forms, c->end, width, add_key(&d, c->duration));
    return end_track(c, &d);
}

// A camera turns as its place and aim move in straight lines: that is followed frame by frame.
static bool turn_camera(clip_builder *c, uint32_t index, const sn_camera *camera)
{
    draft d[2];
    double step = fmax(1.0, (c->end - c->start) / MOST_CAMERA_KEYS);
    uint64_t count = c->rate > 0.0 ? (uint64_t)((c->end - c->start) / step) + 2 : 1;
    if (!begin_track(c, SN_TARGET_NODE, (uint32_t)camera->node, SN_CHANNEL_TRANSLATION, 3, count, &d[0])) return false;
    if (!begin_track(c, SN_TARGET_NODE, (uint32_t)camera->node, SN_CHANNEL_ROTATION, 4, count, &d[1])) return false;
    for (uint64_t i = 0; i < count; i++) {
        double frame = fmin(c->start + (double)i * step, c->end);
        float time = i + 1 == count ? c->duration : seconds_at(c, frame);
        sn_trs trs = level5_camera_at(c->line, index, frame);
        memcpy(add_key(&d[0], time), &trs.translation, sizeof trs.translation);
        memcpy(add_key(&d[1], time), &trs.rotation, sizeof trs.rotation);
    }
    return end_track(c, &d[0]) && end_track(c, &d[1]);
}

static bool animate_camera(clip_builder *c, uint32_t index, const level5_moves *moves)
{
    int32_t number = c->b->bones[index].camera;
    const level5_curve *fov = curve_at(c, moves->camera[3]);
    bool is_moved = moves->camera[0] >= 0 || moves->camera[1] >= 0 || moves->camera[2] >= 0;
    if (number < 0) return true;
    if (is_moved && !turn_camera(c, index, &level5_items(sn_camera, c->b->cameras)[number])) return false;
    if (!fov) return true;
    if (!add_curve(c, SN_TARGET_CAMERA, (uint32_t)number, SN_CHANNEL_FOV, fov, NULL)) return false;
    const sn_track *track = &level5_items(sn_track, c->tracks)[c->tracks.count - 1];
    float *values = sni_mut(float, track->values);
    for (uint32_t i = 0; i < track->key_count; i++) values[i] = level5_fov_of(values[i]);
    return true;
}

static bool animate(clip_builder *c)
{
    for (uint32_t k = 0; c->line && k < c->line->movers.count; k++) {
        uint32_t i = level5_items(uint32_t, c->line->movers)[k];
        const level5_moves *moves = &c->line->moves[i];
        uint32_t first_track = c->tracks.count;
        if (!animate_node(c, i, moves) || !animate_doubles(c, i, first_track)) return false;
        if (!animate_visibility(c, i, moves) || !animate_materials(c, moves) || !animate_camera(c, i, moves))
            return false;
    }
    for (uint32_t i = 0; c->line && i < c->line->forms.count; i++)
        if (!animate_forms(c, &level5_items(level5_forms, c->line->forms)[i])) return false;
    return true;
}

typedef struct key_command {
    const char *name;
    double start, end, speed;
    int32_t set, number;
} key_command;

static const char *clip_extras(clip_builder *c, const key_command *key)
{
    sni_extras extras;
    sni_extras_begin(c->b->load, &extras);
    sni_extras_put_integer(&extras, "set", key->set);
    if (key->number >= 0) sni_extras_put_integer(&extras, "number", key->number);
    sni_extras_put_float(&extras, "start", (float)key->start);
    sni_extras_put_float(&extras, "end", (float)key->end);
    sni_extras_put_float(&extras, "speed", (float)key->speed);
    return sni_extras_end(c->b->load, &extras);
}

static bool build_clip(level5_builder *b, const level5_timeline *line, const key_command *key)
{
    clip_builder c = { .b = b, .line = line, .start = key->start, .end = key->end };
    sn_clip *clip = sni_push(&b->load->keep, &b->clips, sn_clip);
    double rate = (b->game == LEVEL5_DC1 ? RATE_DC1 : RATE_DC2) * key->speed;
    if (!clip) return false;
    if (rate > 0.0 && key->end > key->start && isfinite((float)((key->end - key->start) / rate))) {
        c.rate = rate;
        c.duration = (float)((key->end - key->start) / rate);
    }
    if (!animate(&c)) return false;
    sn_track *tracks = sni_new_raw(&b->load->keep, sn_track, c.tracks.count);
    if (!tracks) return false;
    if (c.tracks.count > 0) memcpy(tracks, c.tracks.items, c.tracks.count * sizeof *tracks);
    *clip = (sn_clip){
        .name = key->name, .extras = clip_extras(&c, key), .duration = c.duration, .loops = c.duration > 0.0f
    };
    clip->tracks = tracks;
    clip->track_count = c.tracks.count;
    sni_warn_many(&b->load->diag, SNI_WARN_LEVEL5_MATRIX, c.lost_matrices, 0,
                  "nodes whose matrix is sheared or stretched move without being turned");
    return sni_load_ok(b->load);
}

static double number_of(const level5_command *command, uint32_t index)
{
    double value = index < command->arg_count ? command->args[index].real : 0.0;
    return isfinite(value) ? value : 0.0;
}

// Dark Cloud 2 names its clips; the people of Dark Cloud 1 wrote a comment behind them.
static const char *clip_name(level5_builder *b, const level5_command *command, int32_t set, int32_t number)
{
    char text[48];
    sni_str given = level5_text_argument(command, 0).size > 0 ? level5_text_argument(command, 0) : command->comment;
    if (given.size > 0) return level5_clean(b, given);
    int length = set ? snprintf(text, sizeof text, "set %d clip %d", set, number)
                     : snprintf(text, sizeof text, "clip %d", number);
    const char *name = sni_copy_text(&b->load->keep, text, (size_t)length);
    return name ? name : "";
}

static key_command read_key(level5_builder *b, const level5_command *command, int32_t set, int32_t number)
{
    uint32_t first = command->arg_count > 0 && command->args[0].kind == LEVEL5_TEXT;
    key_command key = { .name = clip_name(b, command, set, number), .set = set, .number = number };
    key.start = number_of(command, first);
    key.end = number_of(command, first + 1);
    key.speed = number_of(command, first + 2);
    if (key.speed < 0.0) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, command->offset, "a speed of %g; played forwards", key.speed);
        key.speed = -key.speed;
    }
    if (key.end < key.start) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, command->offset, "from frame %g to %g; it stands still",
                 key.start, key.end);
        key.end = key.start;
    }
    return key;
}

static bool cut_clips(level5_builder *b, const level5_motion *motion, bool *has_any)
{
    int32_t number = 0;
    for (uint32_t i = motion->first; b->config && i < motion->end; i++) {
        const level5_command *command = &b->config->commands[i];
        if (sni_str_is_nocase(command->tag, "KEY_START") && command->arg_count > 0) number = command->args[0].number;
        if (!sni_str_is_nocase(command->tag, "KEY")) continue;
        key_command key = read_key(b, command, motion->set, number);
        if (number < INT32_MAX) number++;
        *has_any = true;
        if (!build_clip(b, motion->timeline, &key)) return false;
    }
    return true;
}

static bool build_whole(level5_builder *b, const level5_motion *motion)
{
    const level5_timeline *line = motion->timeline;
    key_command key = { "all", line->first, line->last, 1.0, motion->set, -1 };
    return line->curves.count == 0 || build_clip(b, line, &key);
}

bool level5_build_clips(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    for (uint32_t i = 0; i < b->motions.count; i++) {
        bool has_any = false;
        if (motions[i].timeline) find_faded(b, motions[i].timeline);
        if (!cut_clips(b, &motions[i], &has_any)) return false;
        if (!has_any && motions[i].timeline && !build_whole(b, &motions[i])) return false;
    }
    return true;
}
