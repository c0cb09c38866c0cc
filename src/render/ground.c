#include "render/render.h"

static sn_bounds joined(sn_bounds a, sn_bounds b)
{
    sn_bounds out = { .min = { fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z) },
                      .max = { fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z) } };
    out.center = sni_scale(sni_add(out.min, out.max), 0.5f);
    out.radius = (float)sni_length(sni_sub(out.max, out.center));
    return out;
}

// As the frame says, else around all that its actors show.
sn_bounds sni_stage_of(const sn_frame *frame)
{
    sn_bounds stage = frame->stage;
    if (stage.radius > 0) return stage;
    for (uint32_t i = 0; i < frame->actor_count; i++) {
        sn_bounds own = sn_pose_bounds(frame->actors[i].pose);
        if (frame->actors[i].place) own = sn_bounds_moved(&own, frame->actors[i].place);
        if (own.radius > 0) stage = stage.radius > 0 ? joined(stage, own) : own;
    }
    return stage;
}

// 1, 2 or 5 times a power of ten: about a fifth of the stage.
static float cell_of(float radius)
{
    float wanted = radius / 2.5f, power = powf(10.0f, floorf(log10f(wanted))), rest = wanted / power;
    return power * (rest < 1.5f ? 1.0f : rest < 3.5f ? 2.0f : rest < 7.5f ? 5.0f : 10.0f);
}

bool sni_ground_draw(const sni_pass *pass)
{
    const sni_program *program = sni_program_for(pass->renderer, SNI_GROUND | (pass->features & SNI_SHADOWED));
    const sn_bounds *stage = &pass->stage;
    sn_vec4 back = pass->frame->background;
    bool is_dark = back.w > 0.5f && back.x * 0.3f + back.y * 0.6f + back.z * 0.1f < 0.5f;
    if (!program) return false;
    if (!(stage->radius > 0)) return true;
    glUseProgram(program->id);
    glBindVertexArray(pass->renderer->empty_array);
    sni_shadow_use(pass, program);
    glUniformMatrix4fv(program->at[SNI_U_CLIP], 1, GL_FALSE, pass->clip.m);
    glUniform4f(program->at[SNI_U_GROUND], stage->center.x, stage->min.y, stage->center.z, stage->radius * 2.6f);
    glUniform4f(program->at[SNI_U_GRID], cell_of(stage->radius) / 2, is_dark ? 1.0f : 0.0f,
                pass->frame->show & SN_SHOW_GRID ? 0.28f : 0.0f, 0.42f);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return true;
}
