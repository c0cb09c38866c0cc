#include "render/render.h"

static void bind_table(GLenum unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}

static void bind_instances(const sn_renderer *renderer, uint32_t first)
{
    size_t at = first * sizeof(sni_instance);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->instance_buffer);
    glVertexAttribIPointer(SNI_AT_INSTANCE, 4, GL_INT, sizeof(sni_instance), (const void *)at);
    glVertexAttribPointer(SNI_AT_TINT, 4, GL_FLOAT, GL_FALSE, sizeof(sni_instance),
                          (const void *)(at + offsetof(sni_instance, tint)));
    for (GLuint i = SNI_AT_INSTANCE; i <= SNI_AT_TINT; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, 1);
    }
}

static void set_view(const sni_pass *pass, const sni_program *program)
{
    const sn_view *view = &pass->frame->eye.view;
    const sn_vec3 axes[3] = { view->right, view->up, view->back };
    glUniformMatrix4fv(program->at[SNI_U_CLIP], 1, GL_FALSE, pass->clip.m);
    glUniform3fv(program->at[SNI_U_EYE], 1, &view->position.x);
    glUniform3fv(program->at[SNI_U_KEY], 1, &pass->key.x);
    glUniformMatrix3fv(program->at[SNI_U_VIEW_AXES], 1, GL_FALSE, &axes[0].x);
}

static GLenum mode_of(sn_topology topology)
{
    return topology == SN_POINTS ? GL_POINTS : topology == SN_LINES ? GL_LINES : GL_TRIANGLES;
}

static const sn_mesh *prepare(const sni_pass *pass, const sni_program *program, const sni_job *job)
{
    const sn_drawable *drawable = job->actor->drawable;
    int32_t index = drawable->model->parts[job->part].mesh;
    const sn_mesh *mesh = &drawable->model->meshes[index];
    const sni_gpu_mesh *gpu = &drawable->meshes[index];
    set_view(pass, program);
    bind_instances(pass->renderer, job->first);
    bind_table(SNI_UNIT_STATE, pass->renderer->state_texture);
    bind_table(SNI_UNIT_INFLUENCES, gpu->influences);
    bind_table(SNI_UNIT_MORPHS, gpu->morphs);
    glUniform3i(program->at[SNI_U_SHAPE], (GLint)mesh->influence_count, (GLint)gpu->morph_texels,
                (GLint)mesh->vertex_count);
    return mesh;
}

void sni_draw_job(const sni_pass *pass, const sni_program *program, const sni_job *job)
{
    const sn_mesh *mesh = prepare(pass, program, job);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER,
                 job->actor->drawable->meshes[job->actor->drawable->model->parts[job->part].mesh].indices);
    glDrawElementsInstanced(mode_of(mesh->topology), (GLsizei)mesh->index_count, GL_UNSIGNED_INT, NULL,
                            (GLsizei)job->count);
}

void sni_draw_ordered(const sni_pass *pass, const sni_program *program, const sni_job *job)
{
    const sn_mesh *mesh = prepare(pass, program, job);
    glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)(mesh->index_count / 3 * 3), GL_UNSIGNED_INT, NULL,
                            (GLsizei)job->count);
}

void sni_draw_wires(const sni_pass *pass, const sni_program *program, const sni_job *job)
{
    const sn_mesh *mesh = prepare(pass, program, job);
    if (!sni_gpu_mesh_use_wires(job->actor->drawable, job->actor->drawable->model->parts[job->part].mesh)) return;
    glDrawElementsInstanced(GL_LINES, (GLsizei)mesh->index_count * 2, GL_UNSIGNED_INT, NULL, (GLsizei)job->count);
}

bool sni_draw_jobs(const sni_pass *pass, bool is_clear)
{
    const sni_job *jobs = sni_jobs(pass->renderer);
    for (uint32_t i = 0; i < sni_job_count(pass->renderer); i++) {
        if (jobs[i].is_clear != is_clear || !jobs[i].is_seen) continue;
        if (!sni_draw_layers(pass, &jobs[i])) return false;
    }
    return true;
}
