#include "check_model.h"

#define DEMAND_NAME "exercise"
#include "demand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLIPS = 8, MOST_TRACKS = 64, USUAL_WORK = 2000000 };

// Beyond this, products of a model's own numbers may leave the range of a float: that is the file's doing.
static const double extreme = 1e12;

typedef struct exercise {
    const sn_model *model;
    sn_pose *pose;
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
    uint64_t work;
    bool is_tame;  // no number in it can reach the extreme
} exercise;

static bool all_finite(const void *data, uint64_t count)
{
    const float *values = data;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// How large things can get

static double largest_of(const void *data, uint64_t count)
{
    const float *values = data;
    double largest = 0;
    for (uint64_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)values[i]));
    return largest;
}

// fmax would let a NaN (infinity times zero) pass.
static double larger(double a, double b) { return a >= b ? a : b < INFINITY ? b : INFINITY; }

typedef struct extent {
    double stretch, shift;
} extent;  // |M p| <= stretch * |p| + shift

static extent matrix_extent(const sn_mat34 *matrix)
{
    double sum = 0, shift = 0;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) sum += (double)matrix->m[r][c] * (double)matrix->m[r][c];
        shift += fabs((double)matrix->m[r][3]);
    }
    return (extent){ sqrt(sum), shift };
}

// Splines overshoot by their tangents, which may be per second.
static double track_extent(const sn_track *track)
{
    double span = 1 + ((double)track->times[track->key_count - 1] - (double)track->times[0]);
    uint32_t groups = track->interpolation >= SN_HERMITE ? 3 : 1;
    return 4 * span * largest_of(track->values, (uint64_t)track->key_count * track->width * groups);
}

// Over all nodes, at rest and in every clip; `extents` gets each node's own, then its world's.
static void node_extents(const sn_model *model, extent *extents)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        extents[i] = (extent){ largest_of(&node->rest.scale, 3), 2 * largest_of(&node->rest.translation, 3) };
        if (!node->matrix) continue;
        extent matrix = matrix_extent(node->matrix);
        extents[i] = (extent){ larger(extents[i].stretch, matrix.stretch), larger(extents[i].shift, matrix.shift) };
    }
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t t = 0; t < model->clips[c].track_count; t++) {
            const sn_track *track = &model->clips[c].tracks[t];
            if (track->target_kind != SN_TARGET_NODE) continue;
            extent *own = &extents[track->target];
            if (track->channel == SN_CHANNEL_SCALE) own->stretch = larger(own->stretch, track_extent(track));
            if (track->channel == SN_CHANNEL_TRANSLATION) own->shift = larger(own->shift, 2 * track_extent(track));
            if (track->channel == SN_CHANNEL_ROTATION && track_extent(track) >= extreme) own->stretch = INFINITY;
        }
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent < 0) continue;
        extent above = extents[model->nodes[i].parent];
        extents[i] = (extent){ above.stretch * extents[i].stretch, above.shift + above.stretch * extents[i].shift };
    }
}

static double largest_morph_weight(const sn_model *model)
{
    double largest = 0;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].morph_weights)
            largest = larger(largest, largest_of(model->parts[i].morph_weights,
                                                 model->meshes[model->parts[i].mesh].morph_count));
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t t = 0; t < model->clips[c].track_count; t++)
            if (model->clips[c].tracks[t].channel == SN_CHANNEL_MORPHS)
                largest = larger(largest, track_extent(&model->clips[c].tracks[t]));
    return largest;
}

static double mesh_extent(const sn_mesh *mesh, double morph_weight)
{
    double largest = 1 + largest_of(mesh->positions, (uint64_t)mesh->vertex_count * 3);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_vec3 *sets[] = { mesh->morphs[i].positions, mesh->morphs[i].normals, mesh->morphs[i].tangents };
        for (int set = 0; set < 3; set++)
            if (sets[set]) largest += morph_weight * largest_of(sets[set], (uint64_t)mesh->vertex_count * 3);
    }
    return 2 * largest;
}

double model_extent(const sn_model *model)
{
    extent *extents = calloc(model->node_count + 1u, sizeof *extents);
    if (!extents) abort();
    node_extents(model, extents);
    double largest = 0, shape = 1, weight = largest_morph_weight(model);
    for (uint32_t i = 0; i < model->mesh_count; i++) shape = larger(shape, mesh_extent(&model->meshes[i], weight));
    for (uint32_t i = 0; i < model->node_count; i++)
        largest = larger(largest, extents[i].stretch * shape + extents[i].shift);
    for (uint32_t i = 0; i < model->skin_count; i++)
        for (uint32_t k = 0; k < model->skins[i].joint_count; k++) {
            extent bind = matrix_extent(&model->skins[i].inverse_bind[k]), joint = extents[model->skins[i].joints[k]];
            largest = larger(largest, joint.stretch * (bind.stretch * shape + bind.shift) + joint.shift);
        }
    free(extents);
    return largest;
}

// What is done with it

static bool is_inside(sn_vec3 p, const sn_bounds *bounds)
{
    double size = fmax(largest_of(&bounds->min, 3), largest_of(&bounds->max, 3)), slack = 1e-3 * size + 1e-6;
    double dx = (double)p.x - (double)bounds->center.x, dy = (double)p.y - (double)bounds->center.y,
           dz = (double)p.z - (double)bounds->center.z;
    return (double)p.x >= (double)bounds->min.x - slack && (double)p.x <= (double)bounds->max.x + slack &&
           (double)p.y >= (double)bounds->min.y - slack && (double)p.y <= (double)bounds->max.y + slack &&
           (double)p.z >= (double)bounds->min.z - slack && (double)p.z <= (double)bounds->max.z + slack &&
           sqrt(dx * dx + dy * dy + dz * dz) <= (double)bounds->radius + 2 * slack;
}

static void demand_sane_bounds(const exercise *e, const sn_bounds *bounds)
{
    if (!e->is_tame) return;
    demand(all_finite(bounds, sizeof *bounds / sizeof(float)), "bounds are not finite");
    demand(bounds->min.x <= bounds->max.x && bounds->min.y <= bounds->max.y && bounds->min.z <= bounds->max.z,
           "bounds are inside out");
    demand(bounds->radius >= 0, "the radius of the bounds is negative");
}

static void skin_part(exercise *e, uint32_t part, const sn_bounds *bounds)
{
    const sn_mesh *mesh = &e->model->meshes[e->model->parts[part].mesh];
    uint64_t cost = (uint64_t)mesh->vertex_count * (1 + mesh->morph_count + mesh->influence_count) + mesh->index_count;
    if (cost > e->work) return;
    e->work -= cost;
    sn_skin_part(e->pose, (int32_t)part, e->positions, e->normals, e->tangents);
    sn_vec4 color = sn_pose_color(e->pose, (int32_t)part);
    const float *morphs = sn_pose_morphs(e->pose, (int32_t)part);
    demand((morphs != NULL) == (mesh->morph_count > 0), "part %u: morph weights", part);
    sn_pose_mirrors(e->pose, (int32_t)part);
    if (!e->is_tame) return;
    demand(all_finite(e->positions, (uint64_t)mesh->vertex_count * 3), "part %u: positions are not finite", part);
    demand(!mesh->normals || all_finite(e->normals, (uint64_t)mesh->vertex_count * 3),
           "part %u: normals are not finite", part);
    demand(!mesh->tangents || all_finite(e->tangents, (uint64_t)mesh->vertex_count * 4),
           "part %u: tangents are not finite", part);
    (void)color;
    if (!sn_pose_shows(e->pose, (int32_t)part)) return;
    for (uint32_t i = 0; i < mesh->index_count; i++)
        demand(is_inside(e->positions[mesh->indices[i]], bounds), "part %u: vertex %u lies outside the bounds", part,
               mesh->indices[i]);
}

static void look_at_layers(exercise *e)
{
    const sn_model *model = e->model;
    for (uint32_t m = 0; m < model->material_count; m++)
        for (uint32_t k = 0; k < model->materials[m].layer_count; k++) {
            sn_layer_state layer = sn_pose_layer(e->pose, (int32_t)m, (int32_t)k);
            demand(layer.image >= -1 && layer.image < (int32_t)model->image_count, "material %u: image %d", m,
                   layer.image);
        }
}

static uint64_t vertices_of(const sn_model *model)
{
    uint64_t sum = model->node_count;
    for (uint32_t i = 0; i < model->part_count; i++) sum += model->meshes[model->parts[i].mesh].vertex_count;
    return sum;
}

static void pose_at(exercise *e, int32_t clip, float seconds)
{
    const sn_model *model = e->model;
    sn_pose_sample(e->pose, clip, seconds, seconds * 3);
    sn_pose_solve(e->pose, NULL);
    sn_bounds bounds = { 0 };
    uint64_t cost = vertices_of(model) * 2;
    if (cost > e->work) return;
    e->work -= cost;
    bounds = sn_pose_bounds(e->pose);
    demand_sane_bounds(e, &bounds);
    for (uint32_t i = 0; i < model->node_count && e->is_tame; i++) {
        sn_mat34 world = sn_pose_world(e->pose, (int32_t)i);
        sn_trs local = sn_pose_local(e->pose, (int32_t)i);
        demand(all_finite(&world, 12), "node %u: world matrix is not finite", i);
        demand(all_finite(&local, 10), "node %u: local transform is not finite", i);
    }
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_mat34 *palette = sn_pose_palette(e->pose, (int32_t)i);
        demand(palette || !model->skins[i].joint_count, "skin %u: no palette", i);
        if (e->is_tame)
            demand(all_finite(palette, (uint64_t)model->skins[i].joint_count * 12), "skin %u: palette is not finite",
                   i);
    }
    for (uint32_t i = 0; i < model->part_count; i++) skin_part(e, i, &bounds);
    look_at_layers(e);
}

static void sample_tracks(exercise *e, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count && i < MOST_TRACKS; i++) {
        const sn_track *track = &clip->tracks[i];
        float *out = malloc(track->width * sizeof *out);  // exactly as wide as it says: ASan watches
        if (!out) abort();
        const float times[] = { -1, 0, clip->duration / 3, clip->duration, clip->duration * 2 + 1 };
        for (int k = 0; k < 5; k++) {
            sn_track_sample(track, times[k], clip->duration, times[k], out);
            if (e->is_tame && track_extent(track) < extreme)
                demand(all_finite(out, track->width), "track %u is not finite at %g s", i, (double)times[k]);
        }
        free(out);
    }
}

static void play_clips(exercise *e)
{
    static const float places[] = { 0.0f, 0.37f, 1.0f, -0.5f, 2.3f };
    int count = e->work < USUAL_WORK ? 2 : 5;
    for (uint32_t i = 0; i < e->model->clip_count && i < MOST_CLIPS; i++) {
        for (int k = 0; k < count; k++) pose_at(e, (int32_t)i, e->model->clips[i].duration * places[k]);
        sample_tracks(e, &e->model->clips[i]);
    }
}

static void use_the_rest(exercise *e, const sn_allocator *allocator)
{
    const sn_model *model = e->model;
    sn_pose *other = sn_pose_create(model, allocator, NULL);
    demand(other, "no second pose");
    sn_pose_sample(other, (int32_t)model->clip_count - 1, 0.1f, 0.1f);
    sn_pose_blend(e->pose, other, 0.25f);
    sn_pose_free(other);
    sn_mat34 root = { { { 0, -1, 0, 10 }, { 1, 0, 0, 20 }, { 0, 0, 2, 30 } } };
    sn_view view = { { 0, 0, 5 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    sn_pose_set_root(e->pose, &root);
    for (uint32_t i = 0; i < model->scene_count && i < 8; i++) sn_pose_set_scene(e->pose, (int32_t)i);
    if (model->node_count) sn_pose_set_local(e->pose, (int32_t)model->node_count - 1, model->nodes[0].rest);
    sn_pose_solve(e->pose, &view);
    if (e->work < vertices_of(model) * 8) return;
    sn_bounds bounds = { 0 };
    demand(sn_model_bounds(model, -1, allocator, &bounds) == SN_OK, "no bounds at rest");
    demand_sane_bounds(e, &bounds);
}

void exercise_model_within(const sn_model *model, const sn_allocator *allocator, uint64_t work)
{
    uint64_t largest = 1;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        if (model->meshes[i].vertex_count > largest) largest = model->meshes[i].vertex_count;
    exercise e = { .model = model, .work = work ? work : USUAL_WORK, .is_tame = model_extent(model) < extreme };
    if (largest > e.work) largest = e.work;  // skin_part takes no more
    e.pose = sn_pose_create(model, allocator, NULL);
    e.positions = malloc((size_t)largest * sizeof *e.positions);
    e.normals = malloc((size_t)largest * sizeof *e.normals);
    e.tangents = malloc((size_t)largest * sizeof *e.tangents);
    if (!e.positions || !e.normals || !e.tangents) abort();
    demand(e.pose, "no pose");
    pose_at(&e, -1, 0);
    play_clips(&e);
    use_the_rest(&e, allocator);
    demand(sn_model_hash(model) == sn_model_hash(model), "two hashes of one model differ");
    if (model->node_count)
        demand(sn_model_find_node(model, model->nodes[model->node_count - 1].name) >= 0,
               "a node is not found by its name");
    if (model->clip_count)
        demand(sn_model_find_clip(model, model->clips[model->clip_count - 1].name) >= 0,
               "a clip is not found by its name");
    sn_pose_free(e.pose);
    free(e.positions), free(e.normals), free(e.tangents);
}

void exercise_model(const sn_model *model) { exercise_model_within(model, NULL, 0); }
