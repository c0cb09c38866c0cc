// Which pictures of a model are taken: one of a moment, several of a clip, or several around it.
#include "render.h"

#include <math.h>

static const float whole_turn = 6.283185307f;

// The eye carried around the vertical line through the middle of the stage.
static sn_vec3 turned(sn_vec3 v, float angle)
{
    float c = cosf(angle), s = sinf(angle);
    return (sn_vec3){ v.x * c + v.z * s, v.y, v.z * c - v.x * s };
}

static sn_eye turned_eye(sn_eye eye, sn_vec3 center, float angle)
{
    sn_vec3 from = { eye.view.position.x - center.x, eye.view.position.y, eye.view.position.z - center.z };
    from = turned(from, angle);
    eye.view.position = (sn_vec3){ from.x + center.x, from.y, from.z + center.z };
    eye.view.right = turned(eye.view.right, angle);
    eye.view.up = turned(eye.view.up, angle);
    eye.view.back = turned(eye.view.back, angle);
    return eye;
}

// Sees the stage however it is turned.
static sn_eye eye_of_turntable(const cli_set *set)
{
    const sn_bounds *stage = &set->frame.stage;
    float x = (stage->max.x - stage->min.x) / 2, z = (stage->max.z - stage->min.z) / 2, reach = sqrtf(x * x + z * z);
    sn_bounds around = *stage;
    around.min.x = stage->center.x - reach, around.max.x = stage->center.x + reach;
    around.min.z = stage->center.z - reach, around.max.z = stage->center.z + reach;
    sn_eye eye = sn_eye_around(&around, 0, set->studio->look->pitch,
                               (float)set->frame.width / (float)set->frame.height);
    return turned_eye(eye, stage->center, set->studio->look->yaw);
}

static bool add_shot(sni_arena *arena, sni_list *shots, cli_shot shot)
{
    cli_shot *added = sni_push(arena, shots, cli_shot);
    if (added) *added = shot;
    return added != NULL;
}

// Of a clip that loops the last frame comes before the first again; of another it shows the end.
static bool add_frames(const cli_set *set, int32_t clip, uint32_t count, sn_eye eye, sni_arena *arena, sni_list *shots)
{
    const sn_clip *of = &set->job.model->clips[clip];
    float steps = of->loops || count == 1 ? (float)count : (float)(count - 1), step = of->duration / steps;
    for (uint32_t i = 0; i < count; i++)
        if (!add_shot(arena, shots, (cli_shot){ { clip, step * (float)i }, eye, step })) return false;
    return true;
}

static bool add_turns(const cli_set *set, cli_moment moment, uint32_t count, sni_arena *arena, sni_list *shots)
{
    sn_eye eye = eye_of_turntable(set);
    for (uint32_t i = 0; i < count; i++) {
        float angle = whole_turn * (float)i / (float)count;
        if (!add_shot(arena, shots,
                      (cli_shot){ moment, turned_eye(eye, set->frame.stage.center, angle), 4.0f / (float)count }))
            return false;
    }
    return true;
}

// As many as the rate of the film asks for, where the command line does not say.
static uint32_t frames_of(const cli_set *set, int32_t clip)
{
    const cli_look *look = set->studio->look;
    if (look->frames > 0 || look->film_rate == 0 || clip < 0) return look->frames;
    float count = ceilf(set->job.model->clips[clip].duration * (float)look->film_rate - 1e-3f);
    return count < 1.0f ? 1 : count > CLI_FILM_MAX ? CLI_FILM_MAX : (uint32_t)count;
}

int cli_set_shots(cli_set *set, int32_t clip, sni_arena *arena, sni_list *shots)
{
    const cli_look *look = set->studio->look;
    cli_moment moment = { clip, set->moment.seconds };
    sn_eye eye;
    int code = cli_set_aim(set, clip, &eye);
    bool is_good = true;
    if (code != CLI_EXIT_OK) return code;
    if (look->turns > 0) is_good = add_turns(set, moment, look->turns, arena, shots);
    else if (frames_of(set, clip) > 0 && clip >= 0)
        is_good = add_frames(set, clip, frames_of(set, clip), eye, arena, shots);
    else if (look->frames > 1 && look->is_sheet) is_good = add_turns(set, moment, look->frames, arena, shots);
    else is_good = add_shot(arena, shots, (cli_shot){ moment, eye, 1 });
    return is_good ? CLI_EXIT_OK : cli_plan_no_memory();
}
