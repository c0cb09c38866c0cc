// What a frame draws: matrices and morphs of all actors in one table, and parts of the same mesh and material as one
// job.
#include "render/render.h"

#include <stdlib.h>

#include "base/color.h"

// How a part is drawn; parts of one class share a job.
enum { CLASS_NONE, CLASS_SHOWN = 1, CLASS_MIRRORED = 2, CLASS_SEEN = 4, CLASS_COUNT = 8 };

static const float least_alpha = 1.0f / 512;

static int32_t state_texels(const sn_renderer *renderer) { return (int32_t)(renderer->state.size / sizeof(sn_vec4)); }

static void put_matrix(sn_renderer *renderer, const sn_mat34 *place, const sn_mat34 *matrix)
{
    sn_mat34 moved = place ? sni_mat34_mul(place, matrix) : *matrix;
    sni_write_bytes(&renderer->state, &moved, sizeof moved);
}

static void put_palettes(sn_renderer *renderer, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_mat34 *palette = sn_pose_palette(actor->pose, (int32_t)i);
        actor->drawable->skin_texels[i] = state_texels(renderer);
        if (!actor->place) sni_write_bytes(&renderer->state, palette, model->skins[i].joint_count * sizeof *palette);
        for (uint32_t k = 0; actor->place && k < model->skins[i].joint_count; k++)
            put_matrix(renderer, actor->place, &palette[k]);
    }
}

static int32_t put_morphs(sn_renderer *renderer, const sn_actor *actor, int32_t part)
{
    const float *weights = sn_pose_morphs(actor->pose, part);
    uint32_t count = actor->drawable->model->meshes[actor->drawable->model->parts[part].mesh].morph_count;
    int32_t used = 0;
    for (uint32_t i = 0; weights && i < count; i++) {
        sn_vec4 entry = { (float)i, weights[i], 0, 0 };
        if (weights[i] == 0.0f) continue;
        sni_write_bytes(&renderer->state, &entry, sizeof entry);
        used++;
    }
    return used;
}

static sn_vec4 tint_of(const sn_actor *actor, int32_t part)
{
    sn_vec4 color = sn_pose_color(actor->pose, part);
    return (sn_vec4){ (float)sni_linear_of(color.x), (float)sni_linear_of(color.y), (float)sni_linear_of(color.z),
                      color.w };
}

// The joint of a part that the weights of a node show; -1: none, -2: the node carries all of it.
static int32_t heat_of(const sn_model *model, const sn_part *part, int32_t node)
{
    if (model->meshes[part->mesh].influence_count == 0) return part->node == node ? -2 : -1;
    const sn_skin *skin = &model->skins[part->skin];
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (skin->joints[i] == node) return (int32_t)i;
    return -1;
}

static void put_instance(const sni_pass *pass, const sn_actor *actor, int32_t index)
{
    sn_renderer *renderer = pass->renderer;
    const sn_model *model = actor->drawable->model;
    const sn_part *part = &model->parts[index];
    sni_instance instance = { .tint = tint_of(actor, index), .heat = -1 };
    if (pass->frame->show & SN_SHOW_WEIGHTS) instance.heat = heat_of(model, part, pass->frame->weights_node);
    if (model->meshes[part->mesh].influence_count > 0) {
        instance.matrix = actor->drawable->skin_texels[part->skin];
    } else {
        sn_mat34 world = sn_pose_world(actor->pose, part->node);
        instance.matrix = state_texels(renderer);
        put_matrix(renderer, actor->place, &world);
    }
    instance.morphs = state_texels(renderer);
    instance.morph_count = put_morphs(renderer, actor, index);
    sni_write_bytes(&renderer->instances, &instance, sizeof instance);
}

static uint32_t instance_count(const sn_renderer *renderer)
{
    return (uint32_t)(renderer->instances.size / sizeof(sni_instance));
}

bool sni_is_clear(const sn_model *model, const sn_part *part)
{
    if (part->material < 0 || model->materials[part->material].layer_count == 0) return false;
    return model->materials[part->material].layers[0].blend != SN_BLEND_OPAQUE;
}

static uint8_t class_of(const sni_pass *pass, const sn_actor *actor, int32_t part)
{
    if (!sn_pose_shows(actor->pose, part) || sn_pose_color(actor->pose, part).w < least_alpha) return CLASS_NONE;
    uint8_t class = CLASS_SHOWN;
    bool place_mirrors = actor->place && sni_mat34_determinant(actor->place) < 0.0;
    if (sn_pose_mirrors(actor->pose, part) != place_mirrors) class |= CLASS_MIRRORED;
    if (sni_ball_is_seen(&pass->clip, sni_ball_of_part(actor, part))) class |= CLASS_SEEN;
    return class;
}

static void put_job(const sni_pass *pass, const sn_actor *actor, int32_t part, uint32_t first, int class)
{
    const sn_model *model = actor->drawable->model;
    sni_job job = { .actor = actor,
                    .part = part,
                    .first = first,
                    .count = instance_count(pass->renderer) - first,
                    .is_mirrored = class & CLASS_MIRRORED,
                    .is_seen = class & CLASS_SEEN,
                    .is_clear = sni_is_clear(model, &model->parts[part]) };
    sn_view view = pass->frame->eye.view;
    if (job.is_clear) job.depth = sni_dot(view.back, sni_sub(view.position, sni_ball_of_part(actor, part).center));
    if (job.count > 0) sni_write_bytes(&pass->renderer->jobs, &job, sizeof job);
}

// A run of parts with the same mesh and material. Clear parts are drawn one by one, so that they can be sorted.
static void put_run(const sni_pass *pass, const sn_actor *actor, const int32_t *parts, uint32_t count)
{
    const sn_model *model = actor->drawable->model;
    const uint8_t *classes = actor->drawable->classes;
    bool is_clear = sni_is_clear(model, &model->parts[parts[0]]);
    for (int class = CLASS_SHOWN; class < CLASS_COUNT; class += 2) {
        uint32_t first = instance_count(pass->renderer);
        int32_t first_part = -1;
        for (uint32_t i = 0; i < count; i++) {
            if (classes[parts[i]] != class) continue;
            if (first_part < 0 || is_clear) first = instance_count(pass->renderer), first_part = parts[i];
            put_instance(pass, actor, parts[i]);
            if (is_clear) put_job(pass, actor, first_part, first, class);
        }
        if (first_part >= 0 && !is_clear) put_job(pass, actor, first_part, first, class);
    }
}

static bool is_same_run(const sn_model *model, int32_t a, int32_t b)
{
    return model->parts[a].mesh == model->parts[b].mesh && model->parts[a].material == model->parts[b].material;
}

static void put_actor(const sni_pass *pass, const sn_actor *actor)
{
    const sn_drawable *drawable = actor->drawable;
    const sn_model *model = drawable->model;
    put_palettes(pass->renderer, actor);
    for (uint32_t i = 0; i < model->part_count; i++) drawable->classes[i] = class_of(pass, actor, (int32_t)i);
    for (uint32_t i = 0, end; i < model->part_count; i = end) {
        for (end = i + 1; end < model->part_count && is_same_run(model, drawable->order[i], drawable->order[end]);)
            end++;
        put_run(pass, actor, drawable->order + i, end - i);
    }
}

// What is not clear first, as it came; then the clear, the farthest first.
static int compare_jobs(const void *left, const void *right)
{
    const sni_job *a = left, *b = right;
    if (a->is_clear != b->is_clear) return a->is_clear ? 1 : -1;
    if (a->is_clear && a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// The texture grows to what a frame needs and stays.
static void upload_state(sn_renderer *renderer)
{
    uint32_t texels = (uint32_t)state_texels(renderer), rows = (texels + SNI_TABLE_WIDTH - 1) / SNI_TABLE_WIDTH;
    sni_write_fill(&renderer->state, 0, ((size_t)rows * SNI_TABLE_WIDTH - texels) * sizeof(sn_vec4));
    if (renderer->state.failed || rows == 0) return;
    if (rows > renderer->state_rows) {
        glDeleteTextures(1, &renderer->state_texture);
        renderer->state_texture = sni_table_create(renderer, GL_RGBA32F, GL_RGBA, sizeof(sn_vec4), renderer->state.data,
                                                   (uint64_t)rows * SNI_TABLE_WIDTH);
        renderer->state_rows = rows;
        return;
    }
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, renderer->state_texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SNI_TABLE_WIDTH, (GLsizei)rows, GL_RGBA, GL_FLOAT, renderer->state.data);
}

// False: memory ran out, here or on the graphics side.
bool sni_queue_make(sni_pass *pass)
{
    sn_renderer *renderer = pass->renderer;
    renderer->ordered = NULL;
    renderer->state.size = renderer->instances.size = renderer->jobs.size = 0;
    for (uint32_t i = 0; i < pass->frame->actor_count; i++) put_actor(pass, &pass->frame->actors[i]);
    if (renderer->state.failed || renderer->instances.failed || renderer->jobs.failed) return false;
    if (!sni_table_fits(renderer, renderer->state.size / sizeof(sn_vec4))) return false;
    if (renderer->jobs.size > 0) qsort(renderer->jobs.data, sni_job_count(renderer), sizeof(sni_job), compare_jobs);
    upload_state(renderer);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->instance_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->instances.size, renderer->instances.data, GL_STREAM_DRAW);
    return !renderer->state.failed;
}
