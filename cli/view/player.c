// Playback of a clip: time, speed, loop mode, frames and key marks.
#include "view.h"

#include <math.h>
#include <string.h>

#include "cli/elements.h"

const char *const cli_loop_names[CLI_LOOP_COUNT] = { "repeat", "once", "ping-pong" };

static const float default_rate = 30, slowest = 1.0f / 16, fastest = 16;

void cli_player_set_clip(cli_player *player, const sn_model *model, int32_t clip)
{
    bool is_clip = model && clip >= 0 && (uint32_t)clip < model->clip_count;
    player->clip = is_clip ? clip : -1;
    player->duration = is_clip ? model->clips[clip].duration : 0;
    player->rate = is_clip ? cli_clip_rate(&model->clips[clip]) : default_rate;
    player->seconds = player->clock = 0;
    player->is_reversed = false;
    if (!(player->speed > 0)) player->speed = 1;
}

// Ping-pong is a loop of twice the duration.
static void advance_ping_pong(cli_player *player, float by)
{
    float length = player->duration, round = 2 * length;
    float at = fmodf((player->is_reversed ? round - player->seconds : player->seconds) + by, round);
    player->is_reversed = at > length;
    player->seconds = player->is_reversed ? round - at : at;
}

void cli_player_advance(cli_player *player, float elapsed)
{
    if (!player->is_playing || !(elapsed > 0)) return;
    float by = elapsed * player->speed;
    player->clock += by;
    if (!(player->duration > 0)) return;
    if (player->loop == CLI_LOOP_PING_PONG) advance_ping_pong(player, by);
    else if (player->loop == CLI_LOOP_REPEAT) player->seconds = fmodf(player->seconds + by, player->duration);
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
    player->is_reversed = false;
}

static uint32_t to_frame_number(float frames) { return frames < 4e9f ? (uint32_t)frames : 4000000000u; }

uint32_t cli_player_frame(const cli_player *player) { return to_frame_number(player->seconds * player->rate + 0.5f); }

uint32_t cli_player_last_frame(const cli_player *player)
{
    return to_frame_number(player->duration * player->rate + 0.05f);
}

void cli_player_step(cli_player *player, int frames)
{
    const float close = 0.05f;
    float at = player->seconds * player->rate, last = (float)cli_player_last_frame(player);
    float next = frames > 0 ? floorf(at + close) + (float)frames : ceilf(at - close) + (float)frames;
    bool goes_around = player->loop == CLI_LOOP_REPEAT;
    if (next > last) next = goes_around ? 0 : last;
    if (next < 0) next = goes_around ? last : 0;
    player->is_playing = false;
    cli_player_seek(player, next / player->rate);
}

void cli_player_change_speed(cli_player *player, int steps)
{
    player->speed = fminf(fmaxf(ldexpf(player->speed, steps), slowest), fastest);
}

float cli_player_sample_time(const cli_player *player)
{
    return player->seconds < player->duration ? player->seconds : nextafterf(player->duration, 0);
}

void cli_ticks_make(cli_ticks *ticks, const sn_clip *clip, int32_t node)
{
    memset(ticks, 0, sizeof *ticks);
    if (!clip || !(clip->duration > 0)) return;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        bool is_selected = node >= 0 && track->target_kind == SN_TARGET_NODE && track->target == node;
        for (uint32_t k = 0; track->period <= 0 && k < track->key_count; k++) {
            float part = track->times[k] / clip->duration;
            if (part >= 0 && part <= 1)
                ticks->at[(size_t)(part * CLI_TICKS + 0.5f)] |= (uint8_t)(is_selected ? CLI_TICK_KEY | CLI_TICK_SELECTED
                                                                                      : CLI_TICK_KEY);
        }
    }
}
