// The lights of the models themselves. Formats count light in candela, lux or nothing at all, so together they are made as bright
// as our own: at the middle of the stage.
#include "render/render.h"

static const float wanted = 1.3f;

static void add_light(sni_lights *lights, const sn_actor *actor, const sn_light *light)
{
    int i = lights->count;
    sn_mat34 world = light->node >= 0 ? sni_actor_world(actor, light->node) : sn_model_upright(actor->drawable->model);
    sn_vec3 at = sni_mat34_column(&world, 3), axis = sni_scale(sni_unit(sni_mat34_column(&world, 2), sni_vec3(0, 1, 0)), -1);
    bool has_place = light->kind != SN_LIGHT_DIRECTIONAL;
    if (light->kind == SN_LIGHT_AMBIENT || i == SNI_MAX_LIGHTS || !(light->intensity > 0)) return;
    lights->places[i] = (sn_vec4){ at.x, at.y, at.z, has_place ? 1 : 0 };
    lights->axes[i] = (sn_vec4){ axis.x, axis.y, axis.z, light->kind == SN_LIGHT_SPOT ? cosf(light->outer_angle) : -2 };
    lights->colors[i] = (sn_vec4){ light->color.x * light->intensity, light->color.y * light->intensity, light->color.z * light->intensity,
                                   light->range };
    lights->count++;
}

static float brightness_at(const sni_lights *lights, int i, sn_vec3 point, float nearest)
{
    sn_vec4 place = lights->places[i], color = lights->colors[i];
    float far = (float)sni_length(sni_sub(sni_vec3(place.x, place.y, place.z), point));
    float most = fmaxf(color.x, fmaxf(color.y, color.z));
    return place.w > 0 ? most / fmaxf(far * far, nearest * nearest) : most;
}

void sni_lights_find(sni_pass *pass)
{
    sni_lights *lights = &pass->lights;
    const sn_frame *frame = pass->frame;
    for (uint32_t i = 0; i < frame->actor_count; i++) {
        const sn_model *model = frame->actors[i].drawable->model;
        for (uint32_t k = 0; k < model->light_count; k++) add_light(lights, &frame->actors[i], &model->lights[k]);
    }
    float sum = 0;
    for (int i = 0; i < lights->count; i++) sum += brightness_at(lights, i, pass->stage.center, pass->stage.radius * 0.25f);
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
