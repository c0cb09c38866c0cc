// Mappers move texture coordinates. Those that scroll, turn or leaf through a grid of pictures become tracks on a clock
// of their own; all keep their text in the extras.
#include <math.h>
#include <stdlib.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum {
    ENVIRONMENT = 1,
    CHEAP_ENVIRONMENT = 2,
    LINEAR_OFFSET = 4,
    GRID = 7,
    ROTATE = 8,
    CLASSIC_WORLD_ENVIRONMENT = 12,
    GRID_ENVIRONMENT = 15
};
enum { TURN_KEYS = 33, MOST_LOG2_WIDTH = 5 };

static const char *const names[] = { "uv",
                                     "environment",
                                     "cheap environment",
                                     "screen",
                                     "linear offset",
                                     "silhouette",
                                     "scale",
                                     "grid",
                                     "rotate",
                                     "sine offset",
                                     "step offset",
                                     "zigzag offset",
                                     "classic world environment",
                                     "world environment",
                                     "grid classic environment",
                                     "grid environment",
                                     "random",
                                     "edge",
                                     "bump environment",
                                     "grid classic world environment",
                                     "grid world environment" };

const char *w3d_mapper_name(uint32_t kind) { return kind < sizeof names / sizeof *names ? names[kind] : "unknown"; }

static sni_str trim(sni_str text)
{
    while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t')) text.at++, text.size--;
    while (text.size > 0 &&
           (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t' || text.at[text.size - 1] == 0))
        text.size--;
    return text;
}

// Numbers are as people type them: ".5", "+2", "1.".
static float number_of(sni_str text, float fallback)
{
    char typed[40];
    size_t used = 0;
    float value;
    if (text.size > 0 && (text.at[0] == '-' || text.at[0] == '+')) {
        if (text.at[0] == '-') typed[used++] = '-';
        text.at++, text.size--;
    }
    if (text.size > 0 && text.at[0] == '.') typed[used++] = '0';
    for (size_t i = 0; i < text.size && used < sizeof typed; i++) typed[used++] = text.at[i];
    if (!sni_scan_float(typed, typed + used, &value) || !isfinite(value)) return fallback;
    return value;
}

// Lines of "Key=Value"; the first of a key counts.
static float argument(sni_str args, const char *key, float fallback)
{
    while (args.size > 0) {
        size_t size = 0;
        while (size < args.size && args.at[size] != '\r' && args.at[size] != '\n') size++;
        sni_str line = sni_str_make(args.at, size);
        const char *equals = size > 0 ? memchr(line.at, '=', line.size) : NULL;
        if (equals && sni_str_is_nocase(trim(sni_str_make(line.at, (size_t)(equals - line.at))), key))
            return number_of(trim(sni_str_make(equals + 1, line.size - (size_t)(equals + 1 - line.at))), fallback);
        size += size < args.size;
        args = sni_str_make(args.at + size, args.size - size);
    }
    return fallback;
}

static uint32_t grid_side(sni_str args)
{
    float width = argument(args, "Log2Width", 1.0f);
    return 1u << (width >= 0.0f && width <= (float)MOST_LOG2_WIDTH ? (uint32_t)width : 1u);
}

void w3d_place_mapper(const w3d_mapper *mapper, sn_uv_transform *transform, uint32_t *layer_flags)
{
    bool is_environment = mapper->kind == ENVIRONMENT || mapper->kind == CHEAP_ENVIRONMENT ||
                          (mapper->kind >= CLASSIC_WORLD_ENVIRONMENT && mapper->kind <= GRID_ENVIRONMENT);
    if (is_environment) *layer_flags |= SN_LAYER_SPHERE_MAP;
    transform->scale.x = argument(mapper->args, "UScale", 1.0f);
    transform->scale.y = argument(mapper->args, "VScale", 1.0f);
    if (mapper->kind == LINEAR_OFFSET) {
        transform->offset.x = argument(mapper->args, "UOffset", 0.0f);
        transform->offset.y = argument(mapper->args, "VOffset", 0.0f);
    } else if (mapper->kind == GRID) {
        transform->scale.x /= (float)grid_side(mapper->args);
        transform->scale.y /= (float)grid_side(mapper->args);
    }
}

static sn_track *add_track(w3d_builder *b, int32_t material, int32_t layer, sn_channel channel, float period,
                           uint32_t keys, uint32_t width)
{
    sn_track *track = sni_push(&b->load->scratch, &b->uv_tracks, sn_track);
    float *times = track ? sni_new(&b->load->keep, float, keys) : NULL;
    float *values = times ? sni_new(&b->load->keep, float, (uint64_t)keys *width) : NULL;
    if (!values) return NULL;
    *track = (sn_track){ .target_kind = SN_TARGET_LAYER,
                         .channel = (uint8_t)channel,
                         .interpolation = SN_LINEAR,
                         .target = material,
                         .sub = layer,
                         .period = period,
                         .key_count = keys,
                         .width = width,
                         .times = times,
                         .values = values };
    return track;
}

// After how many seconds both speeds have gone through whole pictures: speeds are taken in thousandths.
static float scroll_period(float u, float v)
{
    long a = labs((long)lrintf(u * 1000.0f)), c = labs((long)lrintf(v * 1000.0f));
    while (c != 0) {
        long rest = a % c;
        a = c;
        c = rest;
    }
    return a > 0 ? 1000.0f / (float)a : 0.0f;
}

// The engine goes against the sign of its arguments.
static bool scroll(w3d_builder *b, const w3d_mapper *mapper, const sn_uv_transform *rest, int32_t material,
                   int32_t layer)
{
    float u = -argument(mapper->args, "UPerSec", 0.0f), v = -argument(mapper->args, "VPerSec", 0.0f);
    if (!(fabsf(u) < 1000.0f && fabsf(v) < 1000.0f)) return true;
    float period = scroll_period(u, v);
    if (!(period > 0.0f)) return true;
    sn_track *track = add_track(b, material, layer, SN_CHANNEL_UV_OFFSET, period, 2, 2);
    if (!track) return false;
    float *values = sni_mut(float, track->values);
    sni_mut(float, track->times)[1] = period;
    values[0] = rest->offset.x, values[1] = rest->offset.y;
    values[2] = rest->offset.x + u * period, values[3] = rest->offset.y + v * period;
    return true;
}

// About a point: the turn itself, and the way of the origin around that point.
static bool turn(w3d_builder *b, const w3d_mapper *mapper, int32_t material, int32_t layer)
{
    float speed = argument(mapper->args, "Speed", 0.1f), u = argument(mapper->args, "UCenter", 0.0f),
          v = argument(mapper->args, "VCenter", 0.0f);
    const double whole = 6.283185307179586;
    if (!(fabsf(speed) > 1e-4f && fabsf(speed) < 1000.0f)) return true;
    float period = 1.0f / fabsf(speed), sign = speed < 0.0f ? -1.0f : 1.0f;
    sn_track *track = add_track(b, material, layer, SN_CHANNEL_UV_ROTATION, period, 2, 1);
    if (!track) return false;
    sni_mut(float, track->times)[1] = period;
    sni_mut(float, track->values)[1] = sign * (float)whole;
    if (u == 0.0f && v == 0.0f) return true;
    track = add_track(b, material, layer, SN_CHANNEL_UV_OFFSET, period, TURN_KEYS, 2);
    if (!track) return false;
    // Around the circle step by step: a product of numbers instead of sines, so that all machines agree.
    const double step_cos = 0.98078528040323044913, step_sin = 0.19509032201612826785;  // of a 32nd turn
    double c = 1.0, s = 0.0;
    for (uint32_t i = 0; i < TURN_KEYS; i++) {
        sni_mut(float, track->times)[i] = period * (float)i / (float)(TURN_KEYS - 1);
        sni_mut(float, track->values)[2 * i] = (float)(u - (c * u - sign * s * v));
        sni_mut(float, track->values)[2 * i + 1] = (float)(v - (sign * s * u + c * v));
        double next = c * step_cos - s * step_sin;
        s = c * step_sin + s * step_cos;
        c = next;
    }
    return true;
}

static bool leaf(w3d_builder *b, const w3d_mapper *mapper, int32_t material, int32_t layer)
{
    uint32_t side = grid_side(mapper->args);
    float fps = argument(mapper->args, "FPS", 1.0f), last = argument(mapper->args, "Last", (float)(side * side)),
          first = argument(mapper->args, "Offset", 0.0f);
    uint32_t count = last >= 1.0f && last <= (float)(side * side) ? (uint32_t)last : side * side;
    if (!(fps > 1e-3f && fps < 1000.0f) || count < 2) return true;
    sn_track *track = add_track(b, material, layer, SN_CHANNEL_UV_OFFSET, (float)count / fps, count, 2);
    if (!track) return false;
    track->interpolation = SN_STEP;
    uint32_t start = first >= 0.0f && first < (float)count ? (uint32_t)first : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cell = (start + i) % count, row = cell / side;
        sni_mut(float, track->times)[i] = (float)i / fps;
        sni_mut(float, track->values)[2 * i] = (float)(cell % side) / (float)side;
        sni_mut(float, track->values)[2 * i + 1] = (float)row / (float)side;
    }
    return true;
}

bool w3d_move_mapper(w3d_builder *b, const w3d_mapper *mapper, const sn_uv_transform *rest, int32_t material,
                     int32_t layer)
{
    switch (mapper->kind) {
    case LINEAR_OFFSET: return scroll(b, mapper, rest, material, layer);
    case ROTATE: return turn(b, mapper, material, layer);
    case GRID: return leaf(b, mapper, material, layer);
    default: return true;
    }
}
