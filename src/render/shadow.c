// What the key light sees: the same jobs, bent by the same shader, as depth.
#include "render/render.h"

// About two texels for a pixel of the picture.
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

// A parallel eye at the light that sees the stage, and the ground far behind it.
static sn_eye eye_of_light(const sni_pass *pass)
{
    sn_vec3 back = pass->key, right = sni_unit(sni_cross(sni_vec3(0, 1, 0), back), sni_vec3(1, 0, 0));
    float radius = pass->stage.radius * 1.02f;
    sn_eye eye = { .view = { .right = right, .up = sni_cross(back, right), .back = back }, .half_height = radius };
    eye.view.position = sni_add(pass->stage.center, sni_scale(back, radius * 2));
    eye.far_plane = radius * 8;
    return eye;
}

static void begin(const sni_shadow *shadow)
{
    glBindFramebuffer(GL_FRAMEBUFFER, shadow->framebuffer);
    glViewport(0, 0, shadow->side, shadow->side);
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
    if (!make_map(pass->renderer, side_for(pass->frame))) return true;  // a picture without shadows is still one
    sn_eye eye = eye_of_light(pass);
    light.clip = shadow->clip = sni_eye_clip(&eye, 1.0f);
    shadow->texel = 2 * eye.half_height / (float)shadow->side;
    begin(shadow);
    bool is_good = true;
    for (uint32_t i = 0; i < sni_job_count(pass->renderer) && is_good; i++)
        is_good = sni_draw_caster(&light, &sni_jobs(pass->renderer)[i]);
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
