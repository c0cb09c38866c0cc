#include "view_state.h"

#include <math.h>
#include <string.h>

#include "base/math.h"

const char *const cli_loop_names[CLI_LOOP_COUNT] = { "loop", "once", "to and fro" };

static const float usual_rates[] = { 30, 24, 25, 60, 15, 20, 12, 10 }, default_rate = 30;
static const float slowest = 1.0f / 16, fastest = 16;

// Key times are floats, and formats count in thousandths of a second.
static bool lies_on(float seconds, float rate)
{
    float frames = seconds * rate;
    return fabsf(frames - roundf(frames)) <= 0.0011f * rate;
}

static bool takes_all(const sn_clip *clip, float rate)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; track->period <= 0 && k < track->key_count; k++)
            if (!lies_on(track->times[k], rate)) return false;
    }
    return lies_on(clip->duration, rate);
}

float cli_clip_rate(const sn_clip *clip)
{
    for (size_t i = 0; i < sizeof usual_rates / sizeof *usual_rates; i++)
        if (takes_all(clip, usual_rates[i])) return usual_rates[i];
    return default_rate;
}

void cli_player_take(cli_player *player, const sn_model *model, int32_t clip)
{
    bool is_clip = model && clip >= 0 && (uint32_t)clip < model->clip_count;
    player->clip = is_clip ? clip : -1;
    player->duration = is_clip ? model->clips[clip].duration : 0;
    player->rate = is_clip ? cli_clip_rate(&model->clips[clip]) : default_rate;
    player->seconds = player->clock = 0;
    player->is_turned = false;
    if (!(player->speed > 0)) player->speed = 1;
}

// To and fro is a circle twice as long as the clip.
static void go_to_and_fro(cli_player *player, float by)
{
    float length = player->duration, round = 2 * length;
    float at = fmodf((player->is_turned ? round - player->seconds : player->seconds) + by, round);
    player->is_turned = at > length;
    player->seconds = player->is_turned ? round - at : at;
}

void cli_player_advance(cli_player *player, float elapsed)
{
    if (!player->is_playing || !(elapsed > 0)) return;
    float by = elapsed * player->speed;
    player->clock += by;
    if (!(player->duration > 0)) return;
    if (player->loop == CLI_LOOP_TO_AND_FRO) go_to_and_fro(player, by);
    else if (player->loop == CLI_LOOP_AGAIN) player->seconds = fmodf(player->seconds + by, player->duration);
    else player->seconds = fminf(player->seconds + by, player->duration);
    if (player->loop == CLI_LOOP_ONCE && player->seconds >= player->duration) player->is_playing = false;
}

void cli_player_toggle(cli_player *player)
{
    player->is_playing = !player->is_playing;
    bool has_ended = player->loop == CLI_LOOP_ONCE && player->seconds >= player->duration;
    if (player->is_playing && has_ended) player->seconds = 0;
}

void cli_player_seek(cli_player *player, float seconds)
{
    float before = player->seconds;
    player->seconds = fminf(fmaxf(seconds, 0), player->duration);
    player->clock = fmaxf(player->clock + player->seconds - before, 0);
    player->is_turned = false;
}

static uint32_t count_frames(float frames) { return frames < 4e9f ? (uint32_t)frames : 4000000000u; }

uint32_t cli_player_frame(const cli_player *player) { return count_frames(player->seconds * player->rate + 0.5f); }

uint32_t cli_player_last_frame(const cli_player *player)
{
    return count_frames(player->duration * player->rate + 0.05f);
}

void cli_player_step(cli_player *player, int frames)
{
    const float close = 0.05f;
    float at = player->seconds * player->rate, last = (float)cli_player_last_frame(player);
    float next = frames > 0 ? floorf(at + close) + (float)frames : ceilf(at - close) + (float)frames;
    bool goes_around = player->loop == CLI_LOOP_AGAIN;
    if (next > last) next = goes_around ? 0 : last;
    if (next < 0) next = goes_around ? last : 0;
    player->is_playing = false;
    cli_player_seek(player, next / player->rate);
}

void cli_player_hasten(cli_player *player, int steps)
{
    player->speed = fminf(fmaxf(ldexpf(player->speed, steps), slowest), fastest);
}

float cli_player_moment(const cli_player *player)
{
    return player->seconds < player->duration ? player->seconds : nextafterf(player->duration, 0);
}

void cli_ticks_make(cli_ticks *ticks, const sn_clip *clip, int32_t node)
{
    memset(ticks, 0, sizeof *ticks);
    if (!clip || !(clip->duration > 0)) return;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        bool is_chosen = node >= 0 && track->target_kind == SN_TARGET_NODE && track->target == node;
        for (uint32_t k = 0; track->period <= 0 && k < track->key_count; k++) {
            float part = track->times[k] / clip->duration;
            if (part >= 0 && part <= 1)
                ticks->at[(size_t)(part * CLI_TICKS + 0.5f)] |= (uint8_t)(is_chosen ? CLI_TICK_KEY | CLI_TICK_CHOSEN
                                                                                    : CLI_TICK_KEY);
        }
    }
}

static const float upright = 1.5707963f, whole_turn = 6.2831853f;

// The point that it turns about lies before it, as deep as the middle of the stage.
cli_orbit cli_orbit_of(const sn_eye *eye, float yaw, float pitch, const sn_bounds *stage)
{
    cli_orbit orbit = { .yaw = yaw, .pitch = pitch, .fov = eye->fov_y };
    orbit.distance = sni_dot(sni_sub(eye->view.position, stage->center), eye->view.back);
    orbit.center = sni_sub(eye->view.position, sni_scale(eye->view.back, orbit.distance));
    return orbit;
}

void cli_orbit_turn(cli_orbit *orbit, float yaw, float pitch)
{
    orbit->yaw = fmodf(orbit->yaw + yaw, whole_turn);
    orbit->pitch = fminf(fmaxf(orbit->pitch + pitch, -upright), upright);
}

static float half_height(const cli_orbit *orbit) { return orbit->distance * tanf(orbit->fov / 2); }

void cli_orbit_pan(cli_orbit *orbit, float right, float down)
{
    sn_view view = sn_framing_begin(orbit->yaw, orbit->pitch, 1).view;
    float high = 2 * half_height(orbit);
    orbit->center = sni_add(orbit->center,
                            sni_add(sni_scale(view.right, -right * high), sni_scale(view.up, down * high)));
}

void cli_orbit_zoom(cli_orbit *orbit, float steps, const sn_bounds *stage)
{
    float size = stage->radius > 0 ? stage->radius : 1;
    orbit->distance = fminf(fmaxf(orbit->distance * powf(0.88f, steps), size * 0.01f), size * 200);
}

void cli_orbit_squeeze(cli_orbit *orbit, float left, float top, float width, float height, float aspect)
{
    orbit->distance /= height;
    cli_orbit_pan(orbit, (left + width / 2 - 0.5f) * aspect, top + height / 2 - 0.5f);
}

sn_eye cli_orbit_eye(const cli_orbit *orbit, const sn_bounds *stage)
{
    sn_eye eye = { .view = sn_framing_begin(orbit->yaw, orbit->pitch, 1).view, .fov_y = orbit->fov };
    eye.view.position = sni_add(orbit->center, sni_scale(eye.view.back, orbit->distance));
    float reach = (stage->radius > 0 ? stage->radius : 1) * 5 +
                  (float)sni_length(sni_sub(orbit->center, stage->center));
    eye.far_plane = orbit->distance + reach;
    eye.near_plane = fmaxf(orbit->distance - reach, orbit->distance * 0.02f);
    return eye;
}

static float pixels_per_slope(const cli_picture *picture)
{
    const sn_eye *eye = &picture->eye;
    return picture->height / 2 / (eye->fov_y > 0 ? tanf(eye->fov_y / 2) : eye->half_height);
}

bool cli_picture_place(const cli_picture *picture, sn_vec3 at, sn_vec2 *pixel, float *depth)
{
    const sn_view *view = &picture->eye.view;
    sn_vec3 from = sni_sub(at, view->position);
    bool is_parallel = !(picture->eye.fov_y > 0);
    *depth = -sni_dot(from, view->back);
    if (!is_parallel && !(*depth > picture->eye.near_plane * 0.01f)) return false;
    float scale = pixels_per_slope(picture) / (is_parallel ? 1 : *depth);
    *pixel = (sn_vec2){ picture->width / 2 + sni_dot(from, view->right) * scale,
                        picture->height / 2 - sni_dot(from, view->up) * scale };
    return true;
}

cli_ray cli_picture_ray(const cli_picture *picture, sn_vec2 pixel)
{
    const sn_view *view = &picture->eye.view;
    float scale = 1 / pixels_per_slope(picture), x = (pixel.x - picture->width / 2) * scale,
          y = (picture->height / 2 - pixel.y) * scale;
    sn_vec3 aside = sni_add(sni_scale(view->right, x), sni_scale(view->up, y)), ahead = sni_scale(view->back, -1);
    if (!(picture->eye.fov_y > 0)) return (cli_ray){ sni_add(view->position, aside), ahead };
    return (cli_ray){ view->position, sni_unit(sni_add(ahead, aside), ahead) };
}
