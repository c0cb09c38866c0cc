// The lights of the models themselves, where the pose has them and as bright as it says. Formats count light in
// candela, lux or nothing at all, so together they are made as bright as our own: at the middle of the stage, all of
// them standing where they rest and shining as they shine at most. What moves away or goes out after that is darker.
#include "render/render.h"

#include "anim/pose.h"

static const float wanted = 1.3f;

static float most_of(sn_vec3 color) { return fmaxf(color.x, fmaxf(color.y, color.z)); }

// The largest values that a light reaches in a clip, at its keys.
static void raise(sni_light_rest *rest, const sn_clip *clip, const sn_track *track)
{
    for (uint32_t i = 0; i < track->key_count; i++) {
        sn_vec3 value = { 0 };
        sn_track_sample(track, track->times[i], clip->duration, track->times[i], &value.x);
        if (track->channel == SN_CHANNEL_COLOR) rest->color = fmaxf(rest->color, most_of(value));
        if (track->channel == SN_CHANNEL_INTENSITY) rest->intensity = fmaxf(rest->intensity, value.x);
    }
}

bool sni_lights_make(sn_drawable *drawable)
{
    const sn_model *model = drawable->model;
    if (model->light_count == 0) return true;
    drawable->lights = sni_new(&drawable->arena, sni_light_rest, model->light_count);
    sn_pose *pose = sn_pose_create(model, &drawable->heap.allocator, NULL);
    for (uint32_t i = 0; drawable->lights && pose && i < model->light_count; i++) {
        sn_mat34 world = sn_pose_world(pose, model->lights[i].node);
        drawable->lights[i] = (sni_light_rest){ sni_mat34_column(&world, 3), most_of(model->lights[i].color),
                                                model->lights[i].intensity };
    }
    for (uint32_t i = 0; drawable->lights && i < model->clip_count; i++)
        for (uint32_t k = 0; k < model->clips[i].track_count; k++) {
            const sn_track *track = &model->clips[i].tracks[k];
            if (track->target_kind == SN_TARGET_LIGHT) raise(&drawable->lights[track->target], &model->clips[i], track);
        }
    bool is_good = drawable->lights && pose;
    sn_pose_free(pose);
    return is_good;
}

static bool may_shine(const sn_light *light) { return light->kind != SN_LIGHT_AMBIENT && light->node >= 0; }

static void add_light(sni_lights *lights, const sn_actor *actor, int32_t index)
{
    int i = lights->count;
    const sn_light *light = &actor->drawable->model->lights[index];
    sn_light_state state = sn_pose_light(actor->pose, index);
    if (!may_shine(light) || i == SNI_MAX_LIGHTS || !(state.intensity > 0)) return;
    sn_mat34 world = sni_actor_world(actor, light->node);
    sn_vec3 at = sni_mat34_column(&world, 3),
            axis = sni_scale(sni_unit(sni_mat34_column(&world, 2), sni_vec3(0, 1, 0)), -1);
    sn_vec3 color = sni_scale(state.color, state.intensity);
    bool is_spot = light->kind == SN_LIGHT_SPOT, has_place = light->kind != SN_LIGHT_DIRECTIONAL;
    float inner = is_spot ? cosf(light->inner_angle) : -1.5f, outer = is_spot ? cosf(light->outer_angle) : -2;
    lights->places[i] = (sn_vec4){ at.x, at.y, at.z, has_place ? 2 + inner : 0 };
    lights->axes[i] = (sn_vec4){ axis.x, axis.y, axis.z, outer };
    lights->colors[i] = (sn_vec4){ color.x, color.y, color.z, light->range };
    lights->count++;
}

// Of one light at rest, at a point. Nearer than `nearest` counts as there.
static float brightness_at(const sn_actor *actor, int32_t index, sn_vec3 point, float nearest)
{
    const sn_light *light = &actor->drawable->model->lights[index];
    const sni_light_rest *rest = &actor->drawable->lights[index];
    if (!may_shine(light)) return 0;
    sn_vec3 at = sni_mat34_point(&actor->pose->root, rest->place);
    if (actor->place) at = sni_mat34_point(actor->place, at);
    float far = (float)sni_length(sni_sub(at, point)), most = fmaxf(rest->color, 0) * fmaxf(rest->intensity, 0);
    return light->kind == SN_LIGHT_DIRECTIONAL ? most : most / fmaxf(far * far, nearest * nearest);
}

void sni_lights_find(sni_pass *pass)
{
    sni_lights *lights = &pass->lights;
    const sn_frame *frame = pass->frame;
    float sum = 0;
    for (uint32_t i = 0; i < frame->actor_count; i++) {
        const sn_actor *actor = &frame->actors[i];
        for (int32_t k = 0; k < (int32_t)actor->drawable->model->light_count; k++) {
            sum += brightness_at(actor, k, pass->stage.center, pass->stage.radius * 0.25f);
            add_light(lights, actor, k);
        }
    }
    if (!(sum > 0) || !isfinite(sum)) return;
    for (int i = 0; i < lights->count; i++) {
        lights->colors[i].x *= wanted / sum;
        lights->colors[i].y *= wanted / sum;
        lights->colors[i].z *= wanted / sum;
    }
    pass->features |= SNI_OWN_LIGHTS;
}

void sni_lights_use(const sni_pass *pass, const sni_program *program)
{
    const sni_lights *lights = &pass->lights;
    if (!(program->features & SNI_OWN_LIGHTS)) return;
    glUniform1i(program->at[SNI_U_LIGHT_COUNT], lights->count);
    glUniform4fv(program->at[SNI_U_LIGHT_PLACE], SNI_MAX_LIGHTS, &lights->places[0].x);
    glUniform4fv(program->at[SNI_U_LIGHT_AXIS], SNI_MAX_LIGHTS, &lights->axes[0].x);
    glUniform4fv(program->at[SNI_U_LIGHT_COLOR], SNI_MAX_LIGHTS, &lights->colors[0].x);
}
