#include "capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

sn_renderer *open_renderer(bool prefer_es)
{
    sn_render_opts opts = { .debug = true, .prefer_es = prefer_es, .fonts = "" };  // the same on every machine
    sn_error error;
    sn_renderer *renderer = sn_renderer_create(&opts, &error);
    if (!renderer) {
        print_message("%s\n", error.message);
        skip();
    }
    assert_int_equal(renderer->is_es, prefer_es);
    return renderer;
}

static void bind_instances(const sni_pass *pass, const sni_batch *batch)
{
    size_t at = batch->first * sizeof(sni_instance);
    glBindBuffer(GL_ARRAY_BUFFER, pass->renderer->instance_buffer);
    glVertexAttribIPointer(SNI_AT_INSTANCE, 4, GL_INT, sizeof(sni_instance), (const void *)at);
    glEnableVertexAttribArray(SNI_AT_INSTANCE);
    glVertexAttribDivisor(SNI_AT_INSTANCE, 1);
}

static void bind_data_textures(const sni_pass *pass, const sni_gpu_mesh *gpu)
{
    const GLuint textures[3] = { pass->renderer->state_texture, gpu->influences, gpu->morphs };
    for (GLenum i = 0; i < 3; i++) {
        glActiveTexture(GL_TEXTURE0 + SNI_UNIT_STATE + i);
        glBindTexture(GL_TEXTURE_2D, textures[i]);
    }
}

void capture_batch(const sni_pass *pass, const sni_batch *batch, skinned_vertex *out)
{
    const sn_drawable *drawable = batch->actor->drawable;
    int32_t index = drawable->model->parts[batch->part].mesh;
    const sn_mesh *mesh = &drawable->model->meshes[index];
    const sni_gpu_mesh *gpu = &drawable->meshes[index];
    const sni_program *program = sni_program_for(pass->renderer,
                                                 SNI_CAPTURE | (mesh->morph_count > 0 ? SNI_MORPHS : 0));
    size_t size = (size_t)batch->count * mesh->vertex_count * sizeof *out;
    GLuint buffer;
    assert_non_null(program);
    glUseProgram(program->id);
    glBindVertexArray(gpu->array);
    bind_instances(pass, batch);
    bind_data_textures(pass, gpu);
    glUniform3i(program->at[SNI_U_SHAPE], (GLint)mesh->influence_count, (GLint)gpu->morph_texels,
                (GLint)mesh->vertex_count);
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)size, NULL, GL_STREAM_READ);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArraysInstanced(GL_POINTS, 0, (GLsizei)mesh->vertex_count, (GLsizei)batch->count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    const void *mapped = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)size, GL_MAP_READ_BIT);
    assert_non_null(mapped);
    memcpy(out, mapped, size);
    glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
    glDeleteBuffers(1, &buffer);
    glBindVertexArray(0);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static double largest(sn_vec3 v) { return fmax(fabs((double)v.x), fmax(fabs((double)v.y), fabs((double)v.z))); }

static sn_vec3 xyz(sn_vec4 v) { return (sn_vec3){ v.x, v.y, v.z }; }

static void compare_vertex(const sn_mesh *mesh, const skinned_vertex *skinned, const skinned_vertex *right,
                           uint32_t part, uint32_t vertex)
{
    double tolerance = 1e-4 * fmax(1.0, largest(right->position));
    bool is_near = largest(sni_sub(skinned->position, right->position)) <= tolerance;
    if (mesh->normals) is_near = is_near && largest(sni_sub(skinned->normal, right->normal)) <= 1e-4;
    if (mesh->tangents)
        is_near = is_near && largest(sni_sub(xyz(skinned->tangent), xyz(right->tangent))) <= 1e-4 &&
                  skinned->tangent.w == right->tangent.w;
    if (is_near) return;
    fail_msg("part %u vertex %u: position %g %g %g, not %g %g %g; normal %g %g %g, not %g %g %g", part, vertex,
             skinned->position.x, skinned->position.y, skinned->position.z, right->position.x, right->position.y,
             right->position.z, skinned->normal.x, skinned->normal.y, skinned->normal.z, right->normal.x,
             right->normal.y, right->normal.z);
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    assert_non_null(room);
    return room;
}

static void compare_part(const sn_actor *actor, int32_t index, const skinned_vertex *skinned)
{
    const sn_model *model = actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[index].mesh];
    sn_vec3 *positions = room_for(mesh->vertex_count, sizeof *positions),
            *normals = room_for(mesh->vertex_count, sizeof *normals);
    sn_vec4 *tangents = room_for(mesh->vertex_count, sizeof *tangents);
    sn_skin_part(actor->pose, index, positions, normals, tangents);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        skinned_vertex right = { positions[i], normals[i], tangents[i] };
        if (actor->transform) right.position = sni_mat34_point(actor->transform, right.position);
        compare_vertex(mesh, &skinned[i], &right, (uint32_t)index, i);
    }
    free(positions);
    free(normals);
    free(tangents);
}

// The next part of a batch: same mesh, material and class, after its first part.
static int32_t next_part(const sn_drawable *drawable, const sni_batch *batch, uint32_t *at)
{
    const sn_part *parts = drawable->model->parts, *first = &parts[batch->part];
    for (; *at < drawable->model->part_count; ++*at) {
        int32_t part = drawable->order[*at];
        if (parts[part].mesh != first->mesh || parts[part].material != first->material) continue;
        if (part >= batch->part && drawable->classes[part] == drawable->classes[batch->part])
            return drawable->order[(*at)++];
    }
    fail_msg("a batch has more instances than parts");
    return -1;
}

static uint32_t compare_batch(const sni_pass *pass, const sni_batch *batch)
{
    const sn_drawable *drawable = batch->actor->drawable;
    uint32_t vertex_count = drawable->model->meshes[drawable->model->parts[batch->part].mesh].vertex_count, at = 0;
    skinned_vertex *skinned = room_for((size_t)batch->count * vertex_count, sizeof *skinned);
    capture_batch(pass, batch, skinned);
    for (uint32_t i = 0; i < batch->count; i++)
        compare_part(batch->actor, next_part(drawable, batch, &at), skinned + (size_t)i * vertex_count);
    free(skinned);
    return batch->count;
}

uint32_t compare_with_skinning(sn_renderer *renderer, const sn_actor *actor)
{
    sn_bounds bounds = sn_pose_bounds(actor->pose);
    sn_frame frame = { .width = 32,
                       .height = 32,
                       .actors = actor,
                       .actor_count = 1,
                       .camera = sn_render_camera_fit(&bounds, 0.6f, 0.3f, 1) };
    sni_pass pass = { .renderer = renderer, .frame = &frame, .clip = sni_camera_clip(&frame.camera, 1) };
    sn_error error;
    if (sn_render_draw(renderer, &frame, &error) != SN_OK) fail_msg("%s", error.message);
    uint32_t parts = 0;
    for (uint32_t i = 0; i < sni_batch_count(renderer); i++) parts += compare_batch(&pass, &sni_batches(renderer)[i]);
    return parts;
}
