// Timelines: the tracks of a MOT as curves in our own terms, and which bone each of them drives.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

// The games have eight sets; material tracks of one node are looked through one by one.
enum { MOST_MOTIONS = 64, MOST_FADERS = 256 };

static const double SNAP_DOT = 0.01, JUMP_FRAMES = 1.0 / 256.0;

static uint32_t width_of(int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION: return 4;
    case LEVEL5_SCALE:
    case LEVEL5_TRANSLATION:
    case LEVEL5_VERTEX:
    case LEVEL5_CAMERA_POSITION:
    case LEVEL5_CAMERA_TARGET:
    case LEVEL5_MATERIAL_COLOR: return 3;
    case LEVEL5_CAMERA_ROLL:
    case LEVEL5_CAMERA_FOV:
    case LEVEL5_MATERIAL_ALPHA:
    case LEVEL5_VISIBLE_SELF:
    case LEVEL5_VISIBLE_TREE: return 1;
    default: return 0;
    }
}

// Stored w first and turning the other way round; only about of unit length.
static bool read_rotation(const float stored[4], float out[4])
{
    double square = 0.0;
    for (int i = 0; i < 4; i++) square += (double)stored[i] * stored[i];
    if (!(square > 1e-12)) return false;
    double scale = 1.0 / sqrt(square);
    for (int i = 0; i < 3; i++) out[i] = (float)(-stored[i + 1] * scale);
    out[3] = (float)(stored[0] * scale);
    return true;
}

static bool read_value(int32_t type, uint32_t width, const float stored[4], float *out)
{
    for (uint32_t i = 0; i < width; i++)
        if (!isfinite(stored[i])) return false;
    if (type == LEVEL5_ROTATION) return read_rotation(stored, out);
    memcpy(out, stored, width * sizeof *out);
    return true;
}

// Keys that do not rise or are no numbers go.
static bool read_keys(level5_builder *b, const level5_track *track, level5_curve *curve)
{
    uint64_t unordered = 0, bad = 0;
    curve->frames = sni_new_raw(&b->load->scratch, double, track->keys.count);
    curve->values = sni_new_raw(&b->load->scratch, float, (uint64_t)track->keys.count * curve->width);
    if (!curve->frames || !curve->values) return false;
    for (uint32_t i = 0; i < track->keys.count; i++) {
        level5_key key = level5_read_key(track, i);
        bool is_late = curve->count == 0 || key.frame > curve->frames[curve->count - 1];
        bool is_good = is_late && read_value(track->type, curve->width, key.value,
                                             curve->values + (size_t)curve->count * curve->width);
        unordered += !is_late;
        bad += is_late && !is_good;
        if (is_good) curve->frames[curve->count++] = key.frame;
    }
    sni_warn_many(&b->load->diag, SNI_WARN_KEY_ORDER, unordered, track->offset,
                  "keys whose frame does not come after that of the key before");
    sni_warn_many(&b->load->diag, SNI_WARN_NOT_FINITE, bad, track->offset, "keys that are no numbers; left out");
    return true;
}

// Along the shorter arc, halved again and again: by + - * / and roots alone, so that every machine finds the same.
static void turn_between(const float *from, const float *to, double u, float *out)
{
    enum { HALVINGS = 32 };
    double low[4], high[4], dot = 0.0;
    for (int i = 0; i < 4; i++) dot += (double)from[i] * to[i];
    for (int i = 0; i < 4; i++) low[i] = from[i], high[i] = dot < 0.0 ? -to[i] : to[i];
    for (int step = 0; step < HALVINGS; step++) {
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

static double dot_of_keys(const level5_curve *curve, uint32_t key)
{
    const float *a = curve->values + (size_t)4 * key, *b = a + 4;
    return fabs((double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2] + (double)a[3] * b[3]);
}

static bool snaps(const level5_curve *curve, uint32_t key)
{
    return key + 1 < curve->count && dot_of_keys(curve, key) < SNAP_DOT;
}

// What a key that snaps is a moment before: the way from the key before it goes on as if it did not.
static void turn_before_snap(const level5_curve *curve, uint32_t key, float *out)
{
    const float *to = curve->values + (size_t)4 * key;
    bool is_on_the_way = key > 0 && !snaps(curve, key - 1);
    double way = is_on_the_way ? curve->frames[key] - curve->frames[key - 1] : 1.0;
    turn_between(is_on_the_way ? to - 4 : to, to, 1.0 - JUMP_FRAMES / way, out);
}

// Dark Cloud 2 does not turn half around: where the next key is as far as that, it is there at once.
static bool add_snaps(level5_builder *b, level5_curve *curve)
{
    uint32_t extra = 0, count = 0;
    for (uint32_t i = 0; i < curve->count; i++) extra += snaps(curve, i);
    if (extra == 0) return true;
    double *frames = sni_new_raw(&b->load->scratch, double, (uint64_t)curve->count + extra);
    float *values = sni_new_raw(&b->load->scratch, float, ((uint64_t)curve->count + extra) * 4);
    if (!frames || !values) return false;
    for (uint32_t i = 0; i < curve->count; i++) {
        bool is_snap = snaps(curve, i);
        if (is_snap) {
            frames[count] = curve->frames[i] - JUMP_FRAMES;
            turn_before_snap(curve, i, values + (size_t)4 * count++);
        }
        frames[count] = curve->frames[i];
        memcpy(values + (size_t)4 * count++, curve->values + (size_t)4 * (i + is_snap), 4 * sizeof *values);
    }
    curve->frames = frames;
    curve->values = values;
    curve->count = count;
    return true;
}

static int32_t *slot_of(level5_moves *moves, int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION: return &moves->rotation;
    case LEVEL5_SCALE: return &moves->scale;
    case LEVEL5_TRANSLATION: return &moves->translation;
    case LEVEL5_VISIBLE_SELF: return &moves->self;
    case LEVEL5_VISIBLE_TREE: return &moves->tree;
    case LEVEL5_CAMERA_POSITION:
    case LEVEL5_CAMERA_TARGET:
    case LEVEL5_CAMERA_ROLL:
    case LEVEL5_CAMERA_FOV: return &moves->camera[type - LEVEL5_CAMERA_POSITION];
    default: return NULL;
    }
}

static level5_fader *find_fader(const level5_timeline *line, const level5_track *track)
{
    level5_fader *faders = line->faders.items;
    for (int32_t at = line->moves[track->node].first_fader; at >= 0; at = faders[at].next)
        if (faders[at].material == track->target && faders[at].is_alpha == (track->type == LEVEL5_MATERIAL_ALPHA))
            return &faders[at];
    return NULL;
}

static bool add_fader(level5_builder *b, level5_timeline *line, const level5_track *track, int32_t curve)
{
    level5_moves *moves = &line->moves[track->node];
    level5_fader *known = find_fader(line, track);
    if (known) {
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TWICE, track->offset,
                 "material %d of node %d has one of type %d already", track->target, track->node, track->type);
        known->curve = curve;
        return true;
    }
    if (moves->fader_count >= MOST_FADERS) {
        sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, track->offset, "more than %d tracks of materials of one node",
                 (int)MOST_FADERS);
        return true;
    }
    level5_fader *fader = sni_push(&b->load->scratch, &line->faders, level5_fader);
    if (!fader) return false;
    *fader = (level5_fader){ track->target, curve, moves->first_fader, -1, track->type == LEVEL5_MATERIAL_ALPHA };
    moves->first_fader = (int32_t)line->faders.count - 1;
    moves->fader_count++;
    return true;
}

static bool is_uneven(const float *s)
{
    float slack = 1e-5f * fmaxf(fabsf(s[0]), fmaxf(fabsf(s[1]), fabsf(s[2])));
    return fabsf(s[0] - s[1]) > slack || fabsf(s[0] - s[2]) > slack;
}

// Whether a key says what the MDS says already, as the motions of nodes that stand still do.
static bool is_at_rest(const level5_bone *bone, int32_t type, const float *value)
{
    const float SLACK = 1e-4f;
    sn_trs said = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    if (type == LEVEL5_SCALE)
        return fabsf(value[0] - 1) <= SLACK && fabsf(value[1] - 1) <= SLACK && fabsf(value[2] - 1) <= SLACK;
    if (type == LEVEL5_ROTATION) said.rotation = (sn_quat){ value[0], value[1], value[2], value[3] };
    sn_mat34 matrix = sni_trs_matrix(&said, false);
    for (int r = 0; r < 3; r++) {
        float place = bone->local.m[r][3];
        if (type == LEVEL5_TRANSLATION && fabsf(value[r] - place) > SLACK * (1 + fabsf(place))) return false;
        for (int c = 0; type == LEVEL5_ROTATION && c < 3; c++)
            if (fabsf(matrix.m[r][c] - bone->local.m[r][c]) > SLACK) return false;
    }
    return true;
}

static void mark_bone(level5_bone *bone, const level5_track *track, const level5_curve *curve)
{
    bone->is_turned = bone->is_turned || track->type == LEVEL5_ROTATION;
    bone->is_scaled = bone->is_scaled || track->type == LEVEL5_SCALE;
    bone->is_carried = bone->is_carried || track->type == LEVEL5_TRANSLATION;
    for (uint32_t i = 0; track->type <= LEVEL5_TRANSLATION && i < curve->count; i++) {
        const float *value = curve->values + (size_t)curve->width * i;
        if (track->type == LEVEL5_SCALE && is_uneven(value)) bone->is_stretched = true;
        if (!is_at_rest(bone, track->type, value)) bone->leaves_rest = true;
    }
}

// Later tracks take the place of earlier ones, as they do where tracks are played one after the other.
static bool file_curve(level5_builder *b, level5_timeline *line, const level5_track *track, int32_t number)
{
    level5_curve *curve = &level5_items(level5_curve, line->curves)[number];
    level5_moves *moves = &line->moves[track->node];
    if (track->type == LEVEL5_VERTEX) {
        curve->next = moves->first_vertex;
        moves->first_vertex = number;
        return true;
    }
    if (track->type == LEVEL5_MATERIAL_ALPHA || track->type == LEVEL5_MATERIAL_COLOR)
        return add_fader(b, line, track, number);
    int32_t *slot = slot_of(moves, track->type);
    if (*slot >= 0)
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TWICE, track->offset, "node %d has one of type %d already", track->node,
                 track->type);
    *slot = number;
    mark_bone(&b->bones[track->node], track, curve);
    return true;
}

static bool read_track(level5_builder *b, level5_timeline *line, const level5_track *track)
{
    level5_curve curve = { .source = track, .width = width_of(track->type), .next = -1 };
    if (track->node < 0 || (uint32_t)track->node >= b->bone_count) {
        sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset, "node %d of %u", track->node, b->bone_count);
        return true;
    }
    if (curve.width == 0) {
        if (track->type != LEVEL5_IGNORED)
            sni_warn(&b->load->diag, SNI_WARN_LEVEL5_TRACK, track->offset, "type %d", track->type);
        return true;
    }
    if (!read_keys(b, track, &curve)) return false;
    if (curve.count == 0) return true;
    double first = curve.frames[0], last = curve.frames[curve.count - 1];
    if (track->type == LEVEL5_ROTATION && b->game == LEVEL5_DC2 && !add_snaps(b, &curve)) return false;
    level5_curve *slot = sni_push(&b->load->scratch, &line->curves, level5_curve);
    if (!slot) return false;
    *slot = curve;
    if (line->curves.count == 1 || first < line->first) line->first = first;
    if (line->curves.count == 1 || last > line->last) line->last = last;
    return file_curve(b, line, track, (int32_t)line->curves.count - 1);
}

// Bones that clips have to look at: those with curves, and those below one that shows either itself or them.
static bool list_movers(level5_builder *b, level5_timeline *line)
{
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_moves *m = &line->moves[i];
        int32_t parent = b->bones[i].parent;
        bool has_camera = m->camera[0] >= 0 || m->camera[1] >= 0 || m->camera[2] >= 0 || m->camera[3] >= 0;
        bool is_moved = m->rotation >= 0 || m->scale >= 0 || m->translation >= 0 || m->self >= 0 || m->tree >= 0 ||
                        m->first_fader >= 0;
        if (!is_moved && !has_camera && (parent < 0 || line->moves[parent].self < 0)) continue;
        uint32_t *slot = sni_push(&b->load->scratch, &line->movers, uint32_t);
        if (!slot) return false;
        *slot = i;
    }
    return true;
}

static bool read_timeline(level5_builder *b, level5_motion *motion)
{
    static const level5_moves still = { -1, -1, -1, -1, -1, { -1, -1, -1, -1 }, -1, -1, 0 };
    level5_timeline *line = sni_new(&b->load->scratch, level5_timeline, 1);
    if (!line) return false;
    line->moves = sni_new_raw(&b->load->scratch, level5_moves, b->bone_count);
    for (uint32_t i = 0; line->moves && i < b->bone_count; i++) line->moves[i] = still;
    for (uint32_t i = 0; line->moves && i < motion->tracks->track_count; i++) {
        sni_enter(&b->load->diag, "TRACK", i);
        bool is_read = read_track(b, line, &motion->tracks->tracks[i]);
        sni_leave(&b->load->diag);
        if (!is_read) return false;
    }
    motion->timeline = line;
    return line->moves != NULL && list_movers(b, line);
}

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
    return level5_build_shapes(b);
}

static uint32_t key_before(const level5_curve *curve, double frame)
{
    uint32_t low = 0, high = curve->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->frames[middle] <= frame) low = middle;
        else high = middle;
    }
    return low;
}

void level5_sample(const level5_curve *curve, double frame, float *out)
{
    uint32_t key = key_before(curve, frame), width = curve->width;
    const float *a = curve->values + (size_t)key * width, *b = a + width;
    bool is_between = key + 1 < curve->count && frame > curve->frames[key];
    if (!is_between) {
        memcpy(out, a, width * sizeof *out);
        return;
    }
    double u = (frame - curve->frames[key]) / (curve->frames[key + 1] - curve->frames[key]);
    if (width == 4) turn_between(a, b, u, out);
    else
        for (uint32_t i = 0; i < width; i++) out[i] = sni_lerp(a[i], b[i], (float)u);
}

level5_fading level5_find_fading(const level5_builder *b, uint32_t node, int32_t material)
{
    const level5_motion *motions = b->motions.items;
    level5_fading found = { false, false };
    for (uint32_t i = 0; material >= 0 && i < b->motions.count; i++) {
        const level5_timeline *line = motions[i].timeline;
        for (int32_t at = line ? line->moves[node].first_fader : -1; at >= 0;
             at = level5_items(level5_fader, line->faders)[at].next) {
            const level5_fader *fader = &level5_items(level5_fader, line->faders)[at];
            if (fader->material != material) continue;
            if (fader->is_alpha) found.has_alpha = true;
            else found.has_color = true;
        }
    }
    return found;
}
