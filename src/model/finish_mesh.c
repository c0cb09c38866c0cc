#include <float.h>
#include <math.h>

#include "model/builder.h"
#include "model/mend.h"

static void mend_vectors(sni_mender *mender, const void *vectors, uint64_t floats)
{
    if (vectors) sni_mend_floats(mender, sni_mut(float, vectors), floats);
}

// All but the normals, whose length says more.
static void mend_finite(sni_mender *mender, const sn_mesh *mesh)
{
    uint64_t count = mesh->vertex_count;
    mend_vectors(mender, mesh->positions, count * 3);
    mend_vectors(mender, mesh->tangents, count * 4);
    for (uint32_t i = 0; i < mesh->uv_count; i++) mend_vectors(mender, mesh->uvs[i], count * 2);
    for (uint32_t i = 0; i < mesh->color_count; i++) mend_vectors(mender, mesh->colors[i], count * 4);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        mend_vectors(mender, mesh->morphs[i].positions, count * 3);
        mend_vectors(mender, mesh->morphs[i].normals, count * 3);
        mend_vectors(mender, mesh->morphs[i].tangents, count * 3);
    }
}

// A normal of unit length is finite too: one pass tells both.
static void mend_directions(sni_mender *mender, const sn_mesh *mesh)
{
    sn_vec3 *normals = sni_mut(sn_vec3, mesh->normals);
    sn_vec4 *tangents = sni_mut(sn_vec4, mesh->tangents);
    for (uint32_t i = 0; normals && i < mesh->vertex_count; i++) {
        if (sni_is_unit(sni_length_squared((const float *)&normals[i], 3))) continue;
        sni_mend_floats(mender, &normals[i].x, 3);
        if (!sni_mend_unit(mender, &normals[i].x)) normals[i] = (sn_vec3){ 0, 1, 0 };
    }
    for (uint32_t i = 0; tangents && i < mesh->vertex_count; i++) {
        if (!sni_mend_unit(mender, &tangents[i].x)) tangents[i] = (sn_vec4){ 1, 0, 0, tangents[i].w };
        tangents[i].w = tangents[i].w < 0.0f ? -1.0f : 1.0f;
    }
}

static void mend_vertices(sni_load *load, const sn_mesh *mesh, uint64_t offset)
{
    sni_mender mender = { 0 };
    mend_finite(&mender, mesh);
    mend_directions(&mender, mesh);
    sni_mender_tell(load, &(sni_mender){ .not_finite = mender.not_finite }, offset);
    sni_warn_many(&load->diag, SNI_WARN_NORMAL_LENGTH, mender.not_unit, offset,
                  "%llu normals or tangents are not of unit length", (unsigned long long)mender.not_unit);
}

static uint32_t corners(sn_topology topology)
{
    return topology == SN_TRIANGLES ? 3 : topology == SN_LINES ? 2 : 1;
}

// Of numbers up to 2^31, only what is beyond the last leaves the top bit set. No branch, so that compilers make it wide.
static bool indices_fit(const uint32_t *indices, uint32_t count, uint32_t vertex_count)
{
    if (count == 0) return true;
    if (vertex_count == 0 || vertex_count > 0x80000000) return false;       // the slow way finds out
    uint32_t last = vertex_count - 1, beyond = 0;
    for (uint32_t i = 0; i < count; i++) beyond |= indices[i] | (last - indices[i]);
    return !(beyond & 0x80000000);
}

// Faces that name a vertex which does not exist are dropped whole.
static void mend_indices(sni_load *load, sn_mesh *mesh, uint64_t offset)
{
    uint32_t step = corners(mesh->topology), over = mesh->index_count % step, kept = 0;
    uint32_t *indices = sni_mut(uint32_t, mesh->indices);
    uint64_t bad = 0;
    if (over) {
        sni_warn(&load->diag, SNI_WARN_INDEX_COUNT, offset, "%u indices are no multiple of %u", mesh->index_count, step);
        mesh->index_count -= over;
    }
    if (indices_fit(indices, mesh->index_count, mesh->vertex_count)) return;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < mesh->index_count; i++) highest = indices[i] > highest ? indices[i] : highest;
    for (uint32_t i = 0; i < mesh->index_count; i += step) {
        bool is_good = true;
        for (uint32_t c = 0; c < step; c++) is_good = is_good && indices[i + c] < mesh->vertex_count;
        for (uint32_t c = 0; is_good && c < step; c++) indices[kept++] = indices[i + c];
        bad += !is_good;
    }
    sni_warn_many(&load->diag, SNI_WARN_INDEX_RANGE, bad, offset, "index %u of %u vertices; %llu faces dropped", highest,
                  mesh->vertex_count, (unsigned long long)bad);
    mesh->index_count = kept;
}

typedef struct weight_faults { uint64_t negative, range, twice, zero, sum; float worst_sum; uint32_t joint; } weight_faults;

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
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
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
