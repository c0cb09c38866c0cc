// What a frame draws. Matrices and morph weights of all actors go into one data texture; parts of one mesh and material
// become one batch. Batches outside the view are culled; transparent ones are sorted.
#include "render/render.h"

#include <stdlib.h>

#include "base/color.h"

static sni_sphere sphere_of(const sni_box *box)
{
    if (sni_box_is_empty(box)) return (sni_sphere){ .radius = -1 };
    sn_vec3 half = sni_scale(sni_sub(box->max, box->min), 0.5f);
    return (sni_sphere){ sni_add(box->min, half), (float)sni_length(half) };
}

bool sni_mesh_bounds_make(sn_drawable *drawable)
{
    for (uint32_t i = 0; i < drawable->model->mesh_count; i++) {
        sni_mesh_bounds *bounds = &drawable->mesh_bounds[i];
        if (!sni_mesh_boxes_make(&drawable->model->meshes[i], &drawable->arena, &bounds->boxes)) return false;
        bounds->all = sphere_of(&bounds->boxes.all);
        bounds->joints = sni_new(&drawable->arena, sni_sphere, bounds->boxes.joint_count);
        if (!bounds->joints) return false;
        for (uint32_t k = 0; k < bounds->boxes.joint_count; k++)
            bounds->joints[k] = sphere_of(&bounds->boxes.joints[k]);
    }
    return true;
}

// An upper bound of the largest scale of the matrix: the infinity norm of M^T M bounds the largest singular value
// squared.
static float max_scale(const sn_mat34 *m)
{
    float most = 0;
    for (int r = 0; r < 3; r++) {
        float sum = 0;
        for (int c = 0; c < 3; c++) sum += fabsf(sni_dot(sni_mat34_column(m, r), sni_mat34_column(m, c)));
        most = fmaxf(most, sum);
    }
    return sqrtf(most);
}

static sni_sphere transform_sphere(sni_sphere sphere, const sn_mat34 *by)
{
    return (sni_sphere){ sni_mat34_point(by, sphere.center), sphere.radius * max_scale(by) };
}

static float morph_distance(const sni_mesh_bounds *bounds, const sn_mesh *mesh, const float *weights)
{
    float sum = 0;
    for (uint32_t i = 0; weights && i < mesh->morph_count; i++)
        sum += fabsf(weights[i]) * bounds->boxes.morphs[i].distance;
    return sum;
}

static sni_sphere sphere_of_joints(const sni_mesh_bounds *bounds, const sn_mat34 *palette, float margin)
{
    sni_box box = sni_box_empty;
    for (uint32_t i = 0; i < bounds->boxes.joint_count; i++) {
        sni_sphere sphere = bounds->joints[i];
        if (sphere.radius < 0) continue;
        sphere.radius += margin;
        sphere = transform_sphere(sphere, &palette[i]);
        sn_vec3 by = sni_vec3(sphere.radius, sphere.radius, sphere.radius);
        sni_box_add(&box, sni_sub(sphere.center, by));
        sni_box_add(&box, sni_add(sphere.center, by));
    }
    return sphere_of(&box);
}

sni_sphere sni_part_sphere(const sn_actor *actor, int32_t index)
{
    const sn_model *model = actor->drawable->model;
    const sn_part *part = &model->parts[index];
    const sn_mesh *mesh = &model->meshes[part->mesh];
    const sni_mesh_bounds *bounds = &actor->drawable->mesh_bounds[part->mesh];
    sni_sphere sphere = bounds->all;
    float margin = morph_distance(bounds, mesh, sn_pose_morphs(actor->pose, index));
    if (sphere.radius < 0) return sphere;
    if (mesh->influence_count > 0) {
        sphere = sphere_of_joints(bounds, sn_pose_palette(actor->pose, part->skin), margin);
    } else {
        sn_mat34 world = sn_pose_world(actor->pose, part->node);
        sphere.radius += margin;
        sphere = transform_sphere(sphere, &world);
    }
    return actor->transform && sphere.radius >= 0 ? transform_sphere(sphere, actor->transform) : sphere;
}

// The six frustum planes are sums and differences of the rows of the clip matrix.
bool sni_sphere_is_visible(const sni_mat44 *clip, sni_sphere sphere)
{
    const float *m = clip->m;
    if (sphere.radius < 0) return false;
    for (int plane = 0; plane < 6; plane++) {
        int row = plane / 2;
        float sign = plane % 2 ? -1.0f : 1.0f, p[4];
        for (int c = 0; c < 4; c++) p[c] = m[c * 4 + 3] + sign * m[c * 4 + row];
        sn_vec3 normal = { p[0], p[1], p[2] };
        if (sni_dot(normal, sphere.center) + p[3] < -sphere.radius * (float)sni_length(normal)) return false;
    }
    return true;
}

// Visible parts of one class share a batch.
enum { CLASS_NONE, CLASS_SHOWN = 1, CLASS_MIRRORED = 2, CLASS_SEEN = 4, CLASS_COUNT = 8 };

static const float min_alpha = 1.0f / 512;  // below this a part is invisible

static int32_t state_texels(const sn_renderer *renderer) { return (int32_t)(renderer->state.size / sizeof(sn_vec4)); }

static void put_matrix(sn_renderer *renderer, const sn_mat34 *transform, const sn_mat34 *matrix)
{
    sn_mat34 moved = transform ? sni_mat34_mul(transform, matrix) : *matrix;
    sni_write_bytes(&renderer->state, &moved, sizeof moved);
}

static void put_palettes(sn_renderer *renderer, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_mat34 *palette = sn_pose_palette(actor->pose, (int32_t)i);
        actor->drawable->skin_texels[i] = state_texels(renderer);
        if (!actor->transform)
            sni_write_bytes(&renderer->state, palette, model->skins[i].joint_count * sizeof *palette);
        for (uint32_t k = 0; actor->transform && k < model->skins[i].joint_count; k++)
            put_matrix(renderer, actor->transform, &palette[k]);
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

static sn_vec4 color_of(const sn_actor *actor, int32_t part)
{
    sn_vec4 color = sn_pose_color(actor->pose, part);
    return (sn_vec4){ (float)sni_linear_of(color.x), (float)sni_linear_of(color.y), (float)sni_linear_of(color.z),
                      color.w };
}

// The joint of a part whose weights are shown. -1: none, -2: the node moves the complete part.
static int32_t heat_joint(const sn_model *model, const sn_part *part, int32_t node)
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
    sni_instance instance = { .color = color_of(actor, index), .heat = -1 };
    if (pass->frame->show & SN_SHOW_WEIGHTS) instance.heat = heat_joint(model, part, pass->frame->selected_node);
    if (model->meshes[part->mesh].influence_count > 0) {
        instance.matrix = actor->drawable->skin_texels[part->skin];
    } else {
        sn_mat34 world = sn_pose_world(actor->pose, part->node);
        instance.matrix = state_texels(renderer);
        put_matrix(renderer, actor->transform, &world);
    }
    instance.morphs = state_texels(renderer);
    instance.morph_count = put_morphs(renderer, actor, index);
    sni_write_bytes(&renderer->instances, &instance, sizeof instance);
}

static uint32_t instance_count(const sn_renderer *renderer)
{
    return (uint32_t)(renderer->instances.size / sizeof(sni_instance));
}

static bool is_transparent_part(const sn_model *model, const sn_part *part)
{
    if (part->material < 0 || model->materials[part->material].layer_count == 0) return false;
    return model->materials[part->material].layers[0].blend != SN_BLEND_OPAQUE;
}

static uint8_t class_of(const sni_pass *pass, const sn_actor *actor, int32_t part)
{
    if (!sn_pose_shows(actor->pose, part) || sn_pose_color(actor->pose, part).w < min_alpha) return CLASS_NONE;
    uint8_t class = CLASS_SHOWN;
    bool transform_mirrors = actor->transform && sni_mat34_determinant(actor->transform) < 0.0;
    if (sn_pose_mirrors(actor->pose, part) != transform_mirrors) class |= CLASS_MIRRORED;
    if (sni_sphere_is_visible(&pass->clip, sni_part_sphere(actor, part))) class |= CLASS_SEEN;
    return class;
}

static void put_batch(const sni_pass *pass, const sn_actor *actor, int32_t part, uint32_t first, int class)
{
    const sn_model *model = actor->drawable->model;
    sni_batch batch = { .actor = actor,
                        .part = part,
                        .first = first,
                        .count = instance_count(pass->renderer) - first,
                        .is_mirrored = class & CLASS_MIRRORED,
                        .is_visible = class & CLASS_SEEN,
                        .is_transparent = is_transparent_part(model, &model->parts[part]) };
    sn_view view = pass->frame->camera.view;
    if (batch.is_transparent)
        batch.depth = sni_dot(view.back, sni_sub(view.position, sni_part_sphere(actor, part).center));
    if (batch.count > 0) sni_write_bytes(&pass->renderer->batches, &batch, sizeof batch);
}

// Parts of one mesh and material. Transparent parts become one batch each, so that they can be sorted.
static void put_run(const sni_pass *pass, const sn_actor *actor, const int32_t *parts, uint32_t count)
{
    const sn_model *model = actor->drawable->model;
    const uint8_t *classes = actor->drawable->classes;
    bool is_transparent = is_transparent_part(model, &model->parts[parts[0]]);
    for (int class = CLASS_SHOWN; class < CLASS_COUNT; class += 2) {
        uint32_t first = instance_count(pass->renderer);
        int32_t first_part = -1;
        for (uint32_t i = 0; i < count; i++) {
            if (classes[parts[i]] != class) continue;
            if (first_part < 0 || is_transparent) first = instance_count(pass->renderer), first_part = parts[i];
            put_instance(pass, actor, parts[i]);
            if (is_transparent) put_batch(pass, actor, first_part, first, class);
        }
        if (first_part >= 0 && !is_transparent) put_batch(pass, actor, first_part, first, class);
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

// Opaque batches first, in their order; then transparent parts back to front, by centre.
static int compare_batches(const void *left, const void *right)
{
    const sni_batch *a = left, *b = right;
    if (a->is_transparent != b->is_transparent) return a->is_transparent ? 1 : -1;
    if (a->is_transparent && a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// The texture grows when a frame needs more, and never shrinks.
static void upload_state(sn_renderer *renderer)
{
    uint32_t texels = (uint32_t)state_texels(renderer), rows = (texels + SNI_DATA_WIDTH - 1) / SNI_DATA_WIDTH;
    sni_write_fill(&renderer->state, 0, ((size_t)rows * SNI_DATA_WIDTH - texels) * sizeof(sn_vec4));
    if (renderer->state.failed || rows == 0) return;
    if (rows > renderer->state_rows) {
        glDeleteTextures(1, &renderer->state_texture);
        renderer->state_texture = sni_data_texture_create(renderer, GL_RGBA32F, GL_RGBA, sizeof(sn_vec4),
                                                          renderer->state.data, (uint64_t)rows * SNI_DATA_WIDTH);
        renderer->state_rows = rows;
        return;
    }
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, renderer->state_texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SNI_DATA_WIDTH, (GLsizei)rows, GL_RGBA, GL_FLOAT, renderer->state.data);
}

bool sni_queue_make(sni_pass *pass)
{
    sn_renderer *renderer = pass->renderer;
    renderer->sorted_batch = renderer->kept_batch = NULL;
    renderer->state.size = renderer->instances.size = renderer->batches.size = 0;
    for (uint32_t i = 0; i < pass->frame->actor_count; i++) put_actor(pass, &pass->frame->actors[i]);
    if (renderer->state.failed || renderer->instances.failed || renderer->batches.failed) return false;
    if (!sni_data_texture_fits(renderer, renderer->state.size / sizeof(sn_vec4))) return false;
    if (renderer->batches.size > 0)
        qsort(renderer->batches.data, sni_batch_count(renderer), sizeof(sni_batch), compare_batches);
    upload_state(renderer);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->instance_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->instances.size, renderer->instances.data, GL_STREAM_DRAW);
    return !renderer->state.failed;
}

// Triangles of alpha-blended parts are sorted on the CPU, as posed. Additive and multiplied layers need no order.
enum { MAX_SORTED_TRIANGLES = 1 << 14 };

typedef struct triangle_depth {
    float depth;
    uint32_t triangle;
} triangle_depth;

static int compare_depths(const void *left, const void *right)
{
    const triangle_depth *a = left, *b = right;
    if (a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

// The depth of a triangle is three times that of its centre.
static void find_depths(const sni_pass *pass, const sni_batch *batch, const sn_mesh *mesh, const sn_vec3 *positions,
                        triangle_depth *depths)
{
    sn_vec3 back = pass->frame->camera.view.back;
    const sn_mat34 *moved = batch->actor->transform;
    if (moved)
        back = (sn_vec3){ sni_dot(back, sni_mat34_column(moved, 0)), sni_dot(back, sni_mat34_column(moved, 1)),
                          sni_dot(back, sni_mat34_column(moved, 2)) };
    for (uint32_t i = 0; i < mesh->index_count / 3; i++) {
        const uint32_t *corners = mesh->indices + (size_t)i * 3;
        sn_vec3 sum = sni_add(positions[corners[0]], sni_add(positions[corners[1]], positions[corners[2]]));
        depths[i] = (triangle_depth){ -sni_dot(back, sum), i };
    }
}

static bool upload_sorted(const sni_pass *pass, const sni_batch *batch, const sn_mesh *mesh, sni_arena *scratch)
{
    uint32_t count = mesh->index_count / 3;
    sn_vec3 *positions = sni_new_raw(scratch, sn_vec3, mesh->vertex_count);
    triangle_depth *depths = sni_new_raw(scratch, triangle_depth, count);
    uint32_t *indices = sni_new_raw(scratch, uint32_t, (uint64_t)count * 3), *at = indices;
    if (!positions || !depths || !indices) return false;
    sn_skin_part(batch->actor->pose, batch->part, positions, NULL, NULL);
    find_depths(pass, batch, mesh, positions, depths);
    qsort(depths, count, sizeof *depths, compare_depths);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) *at++ = mesh->indices[(size_t)depths[i].triangle * 3 + k];
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * 3 * sizeof *indices), indices, GL_STREAM_DRAW);
    return true;
}

bool sni_sort_triangles(const sni_pass *pass, const sni_batch *batch)
{
    sn_renderer *renderer = pass->renderer;
    const sn_model *model = batch->actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[batch->part].mesh];
    if (!batch->is_transparent || mesh->topology != SN_TRIANGLES || mesh->index_count < 6 ||
        mesh->index_count / 3 > MAX_SORTED_TRIANGLES)
        return false;
    if (!renderer->sort_buffer) glGenBuffers(1, &renderer->sort_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->sort_buffer);
    if (renderer->sorted_batch == batch) return true;
    sni_arena scratch;
    sni_arena_init(&scratch, &renderer->heap);
    bool is_good = upload_sorted(pass, batch, mesh, &scratch);
    sni_arena_free(&scratch);
    renderer->sorted_batch = is_good ? batch : NULL;
    return is_good;
}
