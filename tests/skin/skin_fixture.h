// Random meshes and palettes, and the comparison of a skinner with the plain kernel.
#ifndef TEST_SKIN_FIXTURE_H
#define TEST_SKIN_FIXTURE_H

#include "hand_models.h"
#include "sinew/runtime.h"
#include "skin/skin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct random_numbers {
    uint64_t state;
} random_numbers;

static inline uint32_t random_below(random_numbers *random, uint32_t limit)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((random->state >> 33) * (uint64_t)limit) >> 31);
}

static inline double random_between(random_numbers *random, double low, double high)
{
    return low + (high - low) * random_below(random, 1 << 30) / (double)(1 << 30);
}

static inline sn_vec3 random_point(random_numbers *random, double size)
{
    float x = (float)random_between(random, -size, size), y = (float)random_between(random, -size, size);
    return (sn_vec3){ x, y, (float)random_between(random, -size, size) };
}

static inline sn_vec3 random_direction(random_numbers *random)
{
    for (;;) {
        sn_vec3 v = random_point(random, 1);
        double length = sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
        if (length > 0.1 && length < 1)
            return (sn_vec3){ (float)(v.x / length), (float)(v.y / length), (float)(v.z / length) };
    }
}

typedef struct mesh_plan {
    uint32_t vertices, influences, joints, morphs;
    bool is_mixed;      // vertices have 1 to `influences` influences
    bool is_scattered;  // neighbours have nothing to do with each other
    bool has_no_directions;
} mesh_plan;

// A model of one mesh and one part. Skinned by a skin whose joints are two nodes, over and over.
typedef struct random_mesh {
    test_rig rig;
    sn_mesh *mesh;
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
    uint16_t *joints;
    float *weights;
    sn_morph *morphs;
    float *morph_weights;
    int32_t *skin_joints;
    sn_mat34 *inverse_bind, *palette;
    uint32_t indices[1];
} random_mesh;

static inline void *room(size_t size, size_t count)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static inline void random_influences(random_numbers *random, const mesh_plan *plan, uint32_t vertex, uint16_t *joints,
                                     float *weights)
{
    uint32_t used = plan->is_mixed ? 1 + random_below(random, plan->influences) : plan->influences;
    uint32_t first = plan->is_scattered ? random_below(random, plan->joints)
                                        : (uint32_t)((uint64_t)vertex * plan->joints / plan->vertices);
    double sum = 0, shares[16];
    for (uint32_t i = 0; i < used; i++) sum += shares[i] = random_between(random, 0.05, 1);
    for (uint32_t i = 0; i < used; i++) {  // what has no weight may be anywhere in the list
        uint32_t at = (i + vertex) % plan->influences;
        uint32_t step = plan->is_scattered ? random_below(random, plan->joints) : i;
        joints[at] = (uint16_t)((first + step) % plan->joints);
        weights[at] = used == 1 ? 1.0f : (float)(shares[i] / sum);
    }
}

static inline void random_morphs(random_numbers *random, const mesh_plan *plan, random_mesh *m)
{
    m->morphs = room(sizeof *m->morphs, plan->morphs);
    m->morph_weights = room(sizeof(float), plan->morphs);
    for (uint32_t i = 0; i < plan->morphs; i++) {
        sn_vec3 *p = room(sizeof *p, plan->vertices), *n = room(sizeof *n, plan->vertices);
        sn_vec3 *t = room(sizeof *t, plan->vertices);
        for (uint32_t k = 0; k < plan->vertices; k++) {
            if (random_below(random, 4) > 0) continue;
            p[k] = random_point(random, 0.3), n[k] = random_point(random, 0.2), t[k] = random_point(random, 0.2);
        }
        m->morphs[i] = (sn_morph){ "", p, i % 3 == 1 ? NULL : n, i % 3 == 2 ? NULL : t };
        m->morph_weights[i] = i % 3 == 0 ? 0.0f : (float)random_between(random, -0.5, 1);
    }
    m->mesh->morph_count = plan->morphs;
    m->mesh->morphs = m->morphs;
    if (plan->morphs > 0) m->rig.parts[0].morph_weights = m->morph_weights;
}

static inline void random_mesh_make(random_numbers *random, const mesh_plan *plan, random_mesh *m)
{
    memset(m, 0, sizeof *m);
    rig_init(&m->rig);
    rig_node(&m->rig, -1, trs_identity, plan->influences > 0 ? SN_NODE_JOINT : 0);
    if (plan->joints > 1) rig_node(&m->rig, 0, trs_identity, SN_NODE_JOINT);
    m->positions = room(sizeof *m->positions, plan->vertices), m->normals = room(sizeof *m->normals, plan->vertices);
    m->tangents = room(sizeof *m->tangents, plan->vertices);
    m->joints = room(sizeof *m->joints, (size_t)plan->vertices * plan->influences);
    m->weights = room(sizeof *m->weights, (size_t)plan->vertices * plan->influences);
    m->mesh = rig_mesh(&m->rig, 1, m->positions);
    m->mesh->indices = m->indices;
    m->mesh->index_count = 1;
    m->mesh->vertex_count = plan->vertices;
    for (uint32_t i = 0; i < plan->vertices; i++) {
        sn_vec3 t = random_direction(random);
        m->positions[i] = random_point(random, 2);
        m->normals[i] = random_direction(random);
        m->tangents[i] = (sn_vec4){ t.x, t.y, t.z, random_below(random, 2) ? 1.0f : -1.0f };
        if (plan->influences == 0) continue;
        size_t at = (size_t)i * plan->influences;
        random_influences(random, plan, i, m->joints + at, m->weights + at);
    }
    if (!plan->has_no_directions) m->mesh->normals = m->normals, m->mesh->tangents = m->tangents;
    m->palette = room(sizeof *m->palette, plan->joints);
    int32_t skin = -1;
    if (plan->influences > 0) {
        m->mesh->influence_count = plan->influences;
        m->mesh->vertex_joints = m->joints;
        m->mesh->vertex_weights = m->weights;
        m->skin_joints = room(sizeof *m->skin_joints, plan->joints);
        m->inverse_bind = room(sizeof *m->inverse_bind, plan->joints);
        for (uint32_t i = 0; i < plan->joints; i++) m->skin_joints[i] = i % 2, m->inverse_bind[i] = mat34_identity;
        skin = rig_skin(&m->rig, plan->joints, m->skin_joints, m->inverse_bind);
    }
    rig_part(&m->rig, 0, 0, skin);
    random_morphs(random, plan, m);
}

static inline void random_mesh_free(random_mesh *m)
{
    for (uint32_t i = 0; i < m->mesh->morph_count; i++) {
        free((void *)m->morphs[i].positions);
        free((void *)m->morphs[i].normals);
        free((void *)m->morphs[i].tangents);
    }
    free(m->positions), free(m->normals), free(m->tangents), free(m->joints), free(m->weights), free(m->morphs);
    free(m->morph_weights), free(m->skin_joints), free(m->inverse_bind), free(m->palette);
}

// What joints do: 0 rigid, 1 scaled unevenly, 2 also mirrored and flattened, 3 also very large and very small.
static inline void random_palette(random_numbers *random, sn_mat34 *palette, uint32_t count, int wildness)
{
    for (uint32_t i = 0; i < count; i++) {
        sn_quat q = quat_about(random_direction(random), random_between(random, -PI, PI));
        double scale[3], wild = wildness > 1 ? random_between(random, 0, 1) : 1;
        for (int k = 0; k < 3; k++) scale[k] = wildness > 0 ? random_between(random, 0.5, 1.5) : 1;
        if (wild < 0.15) scale[0] = -scale[0];
        else if (wild < 0.25) scale[1] = random_between(random, 0, 0.02);
        else if (wild < 0.3) scale[1] = scale[2] = 0;
        else if (wild < 0.32) scale[0] = scale[1] = scale[2] = 0;
        else if (wild < 0.4 && wildness > 2)
            for (int k = 0; k < 3; k++) scale[k] *= wild < 0.36 ? 1e-12 : 1e12;
        double m[3][3] = {
            { 1 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y) },
            { 2.0 * (q.x * q.y + q.w * q.z), 1 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x) },
            { 2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1 - 2.0 * (q.x * q.x + q.y * q.y) }
        };
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) palette[i].m[r][c] = (float)(m[r][c] * scale[c]);
            palette[i].m[r][3] = (float)random_between(random, -3, 3);
        }
    }
}

// What the plain kernel makes of a palette.
static inline void skin_plainly(const sn_mesh *mesh, const sn_mat34 *palette, const float *morphs, sni_vertices out)
{
    sni_skin_source from = { .mesh = mesh, .morphs = morphs };
    if (mesh->influence_count > 0) from.palette = palette;
    else from.node_world = palette[0];
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        sni_vertices at = { out.positions ? out.positions + i : NULL, out.normals ? out.normals + i : NULL,
                            out.tangents ? out.tangents + i : NULL };
        sni_skin_vertex(&from, i, NULL, at);
    }
}

static inline double size_of(const sn_vec3 *positions, uint32_t count)
{
    double size = 0;
    for (uint32_t i = 0; i < count; i++)
        size = fmax(size, fmax(fabs(positions[i].x), fmax(fabs(positions[i].y), fabs(positions[i].z))));
    return size;
}

// Results in strange places: strides that leave gaps, which must not be touched.
typedef struct skin_results {
    unsigned char *positions, *normals, *tangents;
    size_t strides[3];
    uint32_t count;
} skin_results;

enum { UNTOUCHED = 0xa5 };

static inline skin_results results_make(uint32_t count, size_t position, size_t normal, size_t tangent)
{
    skin_results out = { .strides = { position, normal, tangent }, .count = count };
    out.positions = room(position, count), out.normals = room(normal, count), out.tangents = room(tangent, count);
    memset(out.positions, UNTOUCHED, position * count);
    memset(out.normals, UNTOUCHED, normal * count);
    memset(out.tangents, UNTOUCHED, tangent * count);
    return out;
}

static inline void results_free(skin_results *r) { free(r->positions), free(r->normals), free(r->tangents); }

static inline sn_skin_output results_output(const skin_results *r, bool positions, bool normals, bool tangents)
{
    return (sn_skin_output){ positions ? r->positions : NULL,
                             normals ? r->normals : NULL,
                             tangents ? r->tangents : NULL,
                             r->strides[0],
                             r->strides[1],
                             r->strides[2] };
}

static inline void check_floats(const unsigned char *is, const float *should, uint32_t count, double tolerance,
                                uint32_t vertex)
{
    float values[4];
    memcpy(values, is, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)values[i] - should[i]) <= tolerance))
            fail_msg("vertex %u, component %u: %.9g instead of %.9g, which is %g more than %g", vertex, i, values[i],
                     should[i], fabs((double)values[i] - should[i]), tolerance);
}

static inline void check_untouched(const unsigned char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) assert_int_equal(bytes[i], UNTOUCHED);
}

// Compares what was computed and proves that nothing else was written.
static inline void check_results(const skin_results *r, const sn_skin_output *output, sni_vertices plain, double size)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const unsigned char *p = r->positions + i * r->strides[0], *n = r->normals + i * r->strides[1],
                            *t = r->tangents + i * r->strides[2];
        if (output->positions) check_floats(p, &plain.positions[i].x, 3, 1e-5 * size, i);
        if (output->normals && plain.normals) check_floats(n, &plain.normals[i].x, 3, 1e-5, i);
        if (output->tangents && plain.tangents) check_floats(t, &plain.tangents[i].x, 4, 1e-5, i);
        check_untouched(p, output->positions ? 12 : 0, r->strides[0]);
        check_untouched(n, output->normals && plain.normals ? 12 : 0, r->strides[1]);
        check_untouched(t, output->tangents && plain.tangents ? 16 : 0, r->strides[2]);
    }
}

#endif
