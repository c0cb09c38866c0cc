#include <float.h>
#include <math.h>

#include "model/builder.h"
#include "model/sanitize.h"

// Vectors of `width` floats. Where they lie in the file itself they are copied before the first one is mended.
static const void *mend_vectors(sni_load *load, sni_sanitize *fixes, const void *vectors, uint32_t width,
                                uint32_t count)
{
    uint64_t floats = (uint64_t)count * width;
    if (!vectors || sni_all_finite(vectors, floats)) return vectors;
    float *own = sni_load_own(load, vectors, width * sizeof(float), count);
    if (own) sni_sanitize_floats(fixes, own, floats);
    return own;
}

// All but the normals, whose length says more.
static void mend_finite(sni_load *load, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count;
    const sn_vec2 **uvs = sni_mut(const sn_vec2 *, mesh->uvs);
    const sn_vec4 **colors = sni_mut(const sn_vec4 *, mesh->colors);
    sn_morph *morphs = sni_mut(sn_morph, mesh->morphs);
    mesh->positions = mend_vectors(load, fixes, mesh->positions, 3, count);
    mesh->tangents = mend_vectors(load, fixes, mesh->tangents, 4, count);
    for (uint32_t i = 0; i < mesh->uv_count; i++) uvs[i] = mend_vectors(load, fixes, uvs[i], 2, count);
    for (uint32_t i = 0; i < mesh->color_count; i++) colors[i] = mend_vectors(load, fixes, colors[i], 4, count);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        morphs[i].positions = mend_vectors(load, fixes, morphs[i].positions, 3, count);
        morphs[i].normals = mend_vectors(load, fixes, morphs[i].normals, 3, count);
        morphs[i].tangents = mend_vectors(load, fixes, morphs[i].tangents, 3, count);
    }
}

// How many vectors of `width` floats begin with three of unit length, and end with a sign where they have a fourth.
static uint32_t count_directions(const float *vectors, uint32_t width, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const float *at = vectors + (size_t)i * width;
        if (!sni_is_unit(sni_length_squared(at, 3)) || (width > 3 && fabsf(at[3]) != 1.0f)) return i;
    }
    return count;
}

// A normal of unit length is finite too: one pass tells both.
static void mend_normals(sni_load *load, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, good = mesh->normals ? count_directions(&mesh->normals->x, 3, count) : count;
    if (good == count) return;
    sn_vec3 *normals = sni_load_own(load, mesh->normals, sizeof *normals, count);
    for (uint32_t i = good; normals && i < count; i++) {
        if (sni_is_unit(sni_length_squared((const float *)&normals[i], 3))) continue;
        sni_sanitize_floats(fixes, &normals[i].x, 3);
        if (!sni_sanitize_unit(fixes, &normals[i].x)) normals[i] = (sn_vec3){ 0, 1, 0 };
    }
    mesh->normals = normals;
}

static void mend_tangents(sni_load *load, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, good = mesh->tangents ? count_directions(&mesh->tangents->x, 4, count) : count;
    if (good == count) return;
    sn_vec4 *tangents = sni_load_own(load, mesh->tangents, sizeof *tangents, count);
    for (uint32_t i = good; tangents && i < count; i++) {
        if (!sni_sanitize_unit(fixes, &tangents[i].x)) tangents[i] = (sn_vec4){ 1, 0, 0, tangents[i].w };
        tangents[i].w = tangents[i].w < 0.0f ? -1.0f : 1.0f;
    }
    mesh->tangents = tangents;
}

static void mend_vertices(sni_load *load, sn_mesh *mesh, uint64_t offset)
{
    sni_sanitize fixes = { 0 };
    mend_finite(load, &fixes, mesh);
    mend_normals(load, &fixes, mesh);
    mend_tangents(load, &fixes, mesh);
    sni_sanitize_report(load, &(sni_sanitize){ .not_finite = fixes.not_finite }, offset);
    sni_warn_many(&load->diag, SNI_WARN_NORMAL_LENGTH, fixes.not_unit, offset,
                  "%llu normals or tangents are not of unit length", (unsigned long long)fixes.not_unit);
}

static uint32_t corners(sn_topology topology) { return topology == SN_TRIANGLES ? 3 : topology == SN_LINES ? 2 : 1; }

// Of numbers up to 2^31, only what is beyond the last leaves the top bit set. No branch, so that compilers make it
// wide.
static bool indices_fit(const uint32_t *indices, uint32_t count, uint32_t vertex_count)
{
    if (count == 0) return true;
    if (vertex_count == 0 || vertex_count > 0x80000000) return false;  // the slow way finds out
    uint32_t last = vertex_count - 1, beyond = 0;
    for (uint32_t i = 0; i < count; i++) beyond |= indices[i] | (last - indices[i]);
    return !(beyond & 0x80000000);
}

// Faces that name a vertex which does not exist are dropped whole.
static void mend_indices(sni_load *load, sn_mesh *mesh, uint64_t offset)
{
    uint32_t step = corners(mesh->topology), over = mesh->index_count % step, kept = 0;
    uint64_t bad = 0;
    if (over) {
        sni_warn(&load->diag, SNI_WARN_INDEX_COUNT, offset, "%u indices are no multiple of %u", mesh->index_count,
                 step);
        mesh->index_count -= over;
    }
    if (indices_fit(mesh->indices, mesh->index_count, mesh->vertex_count)) return;
    uint32_t *indices = sni_load_own(load, mesh->indices, sizeof *indices, mesh->index_count), highest = 0;
    if (!indices) return;
    for (uint32_t i = 0; i < mesh->index_count; i++) highest = indices[i] > highest ? indices[i] : highest;
    for (uint32_t i = 0; i < mesh->index_count; i += step) {
        bool is_good = true;
        for (uint32_t c = 0; c < step; c++) is_good = is_good && indices[i + c] < mesh->vertex_count;
        for (uint32_t c = 0; is_good && c < step; c++) indices[kept++] = indices[i + c];
        bad += !is_good;
    }
    sni_warn_many(&load->diag, SNI_WARN_INDEX_RANGE, bad, offset, "index %u of %u vertices; %llu faces dropped",
                  highest, mesh->vertex_count, (unsigned long long)bad);
    mesh->indices = indices;
    mesh->index_count = kept;
}

typedef struct weight_faults {
    uint64_t negative, range, twice, zero, sum;
    float worst_sum;
    uint32_t joint;
} weight_faults;

// Two influences of one joint become one: palettes and exporters want each joint once.
static void merge_twins(weight_faults *faults, uint16_t *joints, float *weights, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = 0; weights[i] > 0.0f && j < i; j++) {
            if (joints[j] != joints[i] || !(weights[j] > 0.0f)) continue;
            float sum = weights[j] + weights[i];
            weights[j] = isfinite(sum) ? sum : FLT_MAX;
            weights[i] = 0.0f;
            faults->twice++;
        }
    }
}

static void mend_vertex(weight_faults *faults, uint16_t *joints, float *weights, uint32_t count, uint32_t joint_count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0.0f) || !isfinite(weights[i])) {
            faults->negative++;
            weights[i] = 0.0f;
        }
        if (joints[i] >= joint_count) {
            faults->range++;
            faults->joint = joints[i];
            weights[i] = 0.0f;
        }
    }
    merge_twins(faults, joints, weights, count);
    for (uint32_t i = 0; i < count; i++) {
        if (weights[i] == 0.0f && (i > 0 || joints[i] >= joint_count)) joints[i] = 0;
        sum += weights[i];
    }
    if (sum < 1e-12) {
        faults->zero++;
        for (uint32_t i = 0; i < count; i++) weights[i] = i == 0 ? 1.0f : 0.0f;
        return;
    }
    if (fabs(sum - 1.0) > 0.01) {
        faults->sum++;
        faults->worst_sum = (float)sum;
    }
    if (fabs(sum - 1.0) < 1e-6) return;
    for (uint32_t i = 0; i < count; i++) weights[i] = (float)(weights[i] / sum);
}

// Nothing to mend: each joint once and in range, or no weight and joint 0, and a sum of one.
static inline bool is_vertex_good(const uint16_t *joints, const float *weights, uint32_t count, uint32_t joint_count)
{
    bool is_bad = !(weights[0] > 0.0f);
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        is_bad |= joints[i] >= joint_count || !(weights[i] > 0.0f || (weights[i] == 0.0f && joints[i] == 0));
        for (uint32_t j = 0; j < i; j++) is_bad |= joints[j] == joints[i] && weights[i] > 0.0f;
        sum += weights[i];
    }
    return !is_bad && fabs(sum - 1.0) < 1e-6;
}

// From `first` on, the first vertex with something to mend. Loops of known length are short ones.
static uint32_t find_bad_vertex(const sn_mesh *mesh, uint32_t joint_count, uint32_t first)
{
    const uint16_t *joints = mesh->vertex_joints;
    const float *weights = mesh->vertex_weights;
    uint32_t i = first, n = mesh->influence_count;
    if (n == 1)
        while (i < mesh->vertex_count && is_vertex_good(joints + i, weights + i, 1, joint_count)) i++;
    else if (n == 4)
        while (i < mesh->vertex_count &&
               is_vertex_good(joints + 4 * (size_t)i, weights + 4 * (size_t)i, 4, joint_count))
            i++;
    else
        while (i < mesh->vertex_count &&
               is_vertex_good(joints + n * (size_t)i, weights + n * (size_t)i, n, joint_count))
            i++;
    return i;
}

static void mend_weights(sni_load *load, sn_mesh *mesh, uint32_t joint_count, uint64_t offset)
{
    if (mesh->influence_count == 0) return;
    if (joint_count == 0) {
        sni_warn(&load->diag, SNI_WARN_WEIGHTS_WITHOUT_SKIN, offset, "joints and weights, but no skin bends this mesh");
        mesh->influence_count = 0;
        mesh->vertex_joints = NULL;
        mesh->vertex_weights = NULL;
        return;
    }
    weight_faults faults = { 0 };
    uint16_t *joints = sni_mut(uint16_t, mesh->vertex_joints);
    float *weights = sni_mut(float, mesh->vertex_weights);
    for (uint32_t i = find_bad_vertex(mesh, joint_count, 0); i < mesh->vertex_count;
         i = find_bad_vertex(mesh, joint_count, i + 1)) {
        uint64_t at = (uint64_t)i * mesh->influence_count;
        mend_vertex(&faults, joints + at, weights + at, mesh->influence_count, joint_count);
    }
    sni_diag *diag = &load->diag;
    sni_warn_many(diag, SNI_WARN_WEIGHT_NEGATIVE, faults.negative, offset, "negative or not finite weights");
    sni_warn_many(diag, SNI_WARN_JOINT_RANGE, faults.range, offset, "joint %u of %u", faults.joint, joint_count);
    sni_warn_many(diag, SNI_WARN_JOINT_TWICE, faults.twice, offset, "a joint twice in one vertex");
    sni_warn_many(diag, SNI_WARN_WEIGHT_ZERO, faults.zero, offset, "vertices without any weight");
    sni_warn_many(diag, SNI_WARN_WEIGHT_SUM, faults.sum, offset, "weights sum to %g", (double)faults.worst_sum);
}

bool sni_finish_mesh(sni_load *load, sn_mesh *mesh, uint32_t joint_count, uint64_t offset)
{
    if (!sni_load_ok(load)) return false;
    if (!mesh->name) mesh->name = "";
    mend_vertices(load, mesh, offset);
    mend_indices(load, mesh, offset);
    mend_weights(load, mesh, joint_count, offset);
    return sni_load_ok(load);
}
