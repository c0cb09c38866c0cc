// Lights: the default key light and its shadow map, and the lights of the models.
#include "render/render.h"

#include "anim/pose.h"

static const sn_vec3 key_in_view = { -0.45f, 0.75f, 0.55f };  // right, up and back in view space

// Over the viewer's left shoulder, always from above.
sn_vec3 sni_key_light(const sn_view *view)
{
    sn_vec3 level = sni_unit(sni_vec3(view->back.x, 0, view->back.z),
                             sni_unit(sni_vec3(-view->up.x, 0, -view->up.z), sni_vec3(0, 0, 1)));
    sn_vec3 key = sni_add(sni_scale(view->right, key_in_view.x), sni_scale(level, key_in_view.z));
    key.y += key_in_view.y;
    return sni_unit(key, sni_vec3(0, 1, 0));
}

// Formats measure light in candela, lux or arbitrary units. The sum of all model lights is therefore scaled to this
// brightness: at the centre of the scene, with the lights in the rest pose and as bright as any clip makes them. A
// light that moves away or dims in a clip is darker.
static const float target_brightness = 1.3f;

static float max_component(sn_vec3 color) { return fmaxf(color.x, fmaxf(color.y, color.z)); }

// The largest values of a light in a clip, at its keys.
static void raise_maximum(sni_light_range *rest, const sn_clip *clip, const sn_track *track)
{
    for (uint32_t i = 0; i < track->key_count; i++) {
        sn_vec3 value = { 0 };
        sn_track_sample(track, track->times[i], clip->duration, track->times[i], &value.x);
        if (track->channel == SN_CHANNEL_COLOR) rest->color = fmaxf(rest->color, max_component(value));
        if (track->channel == SN_CHANNEL_INTENSITY) rest->intensity = fmaxf(rest->intensity, value.x);
    }
}

bool sni_lights_make(sn_drawable *drawable)
{
    const sn_model *model = drawable->model;
    if (model->light_count == 0) return true;
    drawable->lights = sni_new(&drawable->arena, sni_light_range, model->light_count);
    sn_pose *pose = sn_pose_create(model, &drawable->heap.allocator, NULL);
    for (uint32_t i = 0; drawable->lights && pose && i < model->light_count; i++) {
        sn_mat34 world = sn_pose_world(pose, model->lights[i].node);
        drawable->lights[i] = (sni_light_range){ sni_mat34_column(&world, 3), max_component(model->lights[i].color),
                                                 model->lights[i].intensity };
    }
    for (uint32_t i = 0; drawable->lights && i < model->clip_count; i++)
        for (uint32_t k = 0; k < model->clips[i].track_count; k++) {
            const sn_track *track = &model->clips[i].tracks[k];
            if (track->target_kind == SN_TARGET_LIGHT)
                raise_maximum(&drawable->lights[track->target], &model->clips[i], track);
        }
    bool is_good = drawable->lights && pose;
    sn_pose_free(pose);
    return is_good;
}

static bool is_drawn(const sn_light *light) { return light->kind != SN_LIGHT_AMBIENT && light->node >= 0; }

static void add_light(sni_lights *lights, const sn_actor *actor, int32_t index)
{
    int i = lights->count;
    const sn_light *light = &actor->drawable->model->lights[index];
    sn_light_state state = sn_pose_light(actor->pose, index);
    if (!is_drawn(light) || i == SNI_MAX_LIGHTS || !(state.intensity > 0)) return;
    sn_mat34 world = sni_actor_world(actor, light->node);
    sn_vec3 at = sni_mat34_column(&world, 3),
            axis = sni_scale(sni_unit(sni_mat34_column(&world, 2), sni_vec3(0, 1, 0)), -1);
    sn_vec3 color = sni_scale(state.color, state.intensity);
    bool is_spot = light->kind == SN_LIGHT_SPOT, has_position = light->kind != SN_LIGHT_DIRECTIONAL;
    float inner = is_spot ? cosf(light->inner_angle) : -1.5f, outer = is_spot ? cosf(light->outer_angle) : -2;
    lights->positions[i] = (sn_vec4){ at.x, at.y, at.z, has_position ? 2 + inner : 0 };
    lights->axes[i] = (sn_vec4){ axis.x, axis.y, axis.z, outer };
    lights->colors[i] = (sn_vec4){ color.x, color.y, color.z, light->range };
    lights->count++;
}

// The brightness of one light at a point, in the rest pose. Distances below `nearest` count as `nearest`.
static float brightness_at(const sn_actor *actor, int32_t index, sn_vec3 point, float nearest)
{
    const sn_light *light = &actor->drawable->model->lights[index];
    const sni_light_range *rest = &actor->drawable->lights[index];
    if (!is_drawn(light)) return 0;
    sn_vec3 at = sni_mat34_point(&actor->pose->root, rest->position);
    if (actor->transform) at = sni_mat34_point(actor->transform, at);
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
            sum += brightness_at(actor, k, pass->scene.center, pass->scene.radius * 0.25f);
            add_light(lights, actor, k);
        }
    }
    if (!(sum > 0) || !isfinite(sum)) return;
    for (int i = 0; i < lights->count; i++) {
        lights->colors[i].x *= target_brightness / sum;
        lights->colors[i].y *= target_brightness / sum;
        lights->colors[i].z *= target_brightness / sum;
    }
    pass->features |= SNI_OWN_LIGHTS;
}

void sni_lights_use(const sni_pass *pass, const sni_program *program)
{
    const sni_lights *lights = &pass->lights;
    if (!(program->features & SNI_OWN_LIGHTS)) return;
    glUniform1i(program->at[SNI_U_LIGHT_COUNT], lights->count);
    glUniform4fv(program->at[SNI_U_LIGHT_POSITION], SNI_MAX_LIGHTS, &lights->positions[0].x);
    glUniform4fv(program->at[SNI_U_LIGHT_AXIS], SNI_MAX_LIGHTS, &lights->axes[0].x);
    glUniform4fv(program->at[SNI_U_LIGHT_COLOR], SNI_MAX_LIGHTS, &lights->colors[0].x);
}

// About two texels per pixel of the picture.
static GLsizei side_for(const sn_frame *frame)
{
    uint32_t larger = frame->width > frame->height ? frame->width : frame->height;
    return larger > 1024 ? 4096 : larger > 700 ? 2048 : 1024;
}

static bool make_map(sn_renderer *renderer, GLsizei side)
{
    sni_shadow *shadow = &renderer->shadow;
    if (shadow->side == side) return true;
    sni_shadow_free(renderer);
    shadow->side = side;
    glGenTextures(1, &shadow->texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, shadow->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, side, side, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &shadow->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, shadow->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow->texture, 0);
    const GLenum none = GL_NONE;
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// A parallel camera at the light that sees the scene and the ground far behind it.
static sn_render_camera light_camera(const sni_pass *pass)
{
    sn_vec3 back = pass->key, right = sni_unit(sni_cross(sni_vec3(0, 1, 0), back), sni_vec3(1, 0, 0));
    float radius = pass->scene.radius * 1.02f;
    sn_render_camera camera = { .view = { .right = right, .up = sni_cross(back, right), .back = back },
                                .half_height = radius };
    camera.view.position = sni_add(pass->scene.center, sni_scale(back, radius * 2));
    camera.far_plane = radius * 8;
    return camera;
}

static void begin_shadow(sni_pass *light, const sni_shadow *shadow)
{
    glBindFramebuffer(GL_FRAMEBUFFER, shadow->framebuffer);
    glViewport(0, 0, shadow->side, shadow->side);
    sni_raster_find(light, (uint32_t)shadow->side, (uint32_t)shadow->side);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_BLEND);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2.0f);
}

bool sni_shadow_draw(sni_pass *pass)
{
    sni_shadow *shadow = &pass->renderer->shadow;
    sni_pass light = *pass;
    if (!make_map(pass->renderer, side_for(pass->frame))) return true;  // draw without shadows
    sn_render_camera camera = light_camera(pass);
    light.clip = shadow->clip = sni_camera_clip(&camera, 1.0f);
    shadow->texel = 2 * camera.half_height / (float)shadow->side;
    begin_shadow(&light, shadow);
    bool is_good = true;
    for (uint32_t i = 0; i < sni_batch_count(pass->renderer) && is_good; i++)
        is_good = sni_draw_depth(&light, &sni_batches(pass->renderer)[i]);
    glDisable(GL_POLYGON_OFFSET_FILL);
    pass->features |= SNI_SHADOWED;
    return is_good;
}

void sni_shadow_use(const sni_pass *pass, const sni_program *program)
{
    const sni_shadow *shadow = &pass->renderer->shadow;
    if (!(program->features & SNI_SHADOWED)) return;
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_SHADOW);
    glBindTexture(GL_TEXTURE_2D, shadow->texture);
    glUniformMatrix4fv(program->at[SNI_U_SHADOW_CLIP], 1, GL_FALSE, shadow->clip.m);
    glUniform2f(program->at[SNI_U_SHADOW_TEXEL], 1.0f / (float)shadow->side, shadow->texel * 2.0f);
}

void sni_shadow_free(sn_renderer *renderer)
{
    glDeleteFramebuffers(1, &renderer->shadow.framebuffer);
    glDeleteTextures(1, &renderer->shadow.texture);
    renderer->shadow = (sni_shadow){ 0 };
}
