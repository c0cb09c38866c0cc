#include "model/sanitize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/reader.h"
#include "model/track.h"
#ifdef __SSE2__
#    include "model/sanitize_sse2.h"
#endif

static bool has_bad_float(const float *values, uint64_t count)
{
    uint32_t carried = 0;
    for (uint64_t i = 0; i < count; i++) carried |= sni_mark_not_finite(values[i]);
    return carried & 0x80000000;
}

bool sni_all_finite(const float *values, uint64_t count) { return !has_bad_float(values, count); }

bool sni_all_words_finite(const uint8_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(sni_load_f32(words + 4 * i))) return false;
    return true;
}

static void fix_block(sni_sanitize *fixes, float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000) != 0x7F800000) continue;
        values[i] = 0.0f;
        fixes->not_finite++;
    }
}

void sni_sanitize_many_floats(sni_sanitize *fixes, float *values, uint64_t count)
{
    const uint64_t block = 2048;  // stays in the cache for the second pass
    for (uint64_t at = 0; at < count; at += block) {
        uint64_t size = count - at < block ? count - at : block;
        if (has_bad_float(values + at, size)) fix_block(fixes, values + at, size);
    }
}

static bool normalise(float *values, int count, double square)
{
    if (square < 1e-40) return false;
    double scale = 1.0 / sqrt(square);
    for (int i = 0; i < count; i++) values[i] = (float)(values[i] * scale);
    return true;
}

// What compression does to unit vectors is fixed silently.
static bool is_nearly_unit(double square) { return square > 0.98 && square < 1.02; }

void sni_sanitize_rotation(sni_sanitize *fixes, sn_quat *rotation)
{
    float values[4] = { rotation->x, rotation->y, rotation->z, rotation->w };
    double square = sni_length_squared(values, 4);
    if (sni_is_unit(square)) return;
    if (!is_nearly_unit(square)) fixes->not_unit++;
    if (normalise(values, 4, square)) *rotation = (sn_quat){ values[0], values[1], values[2], values[3] };
    else *rotation = (sn_quat){ 0, 0, 0, 1 };
}

// Three floats; false: no direction.
static bool sanitize_unit(sni_sanitize *fixes, float *vector)
{
    double square = sni_length_squared(vector, 3);
    if (sni_is_unit(square)) return true;
    if (!is_nearly_unit(square)) fixes->not_unit++;
    return normalise(vector, 3, square);
}

void sni_sanitize_report(sni_diag *diag, const sni_sanitize *fixes, uint64_t offset)
{
    if (fixes->not_finite + fixes->not_unit == 0) return;
    sni_warn_many(diag, SNI_WARN_NOT_FINITE, fixes->not_finite, offset, "%llu numbers are not finite",
                  (unsigned long long)fixes->not_finite);
    sni_warn_many(diag, SNI_WARN_ROTATION_LENGTH, fixes->not_unit, offset, "%llu are not of unit length",
                  (unsigned long long)fixes->not_unit);
}

// Tracks

// Keys whose time is no number, or not later than the key before, go.
static void drop_bad_keys(sni_diag *diag, sn_track *track, uint64_t offset)
{
    float *times = sni_mut(float, track->times), *values = sni_mut(float, track->values);
    size_t step = (size_t)sni_track_floats_per_key(track);
    uint32_t kept = 0, first_bad = 0;
    for (uint32_t i = 0; i < track->key_count; i++) {
        if (!isfinite(times[i]) || (kept > 0 && times[i] <= times[kept - 1])) {
            if (kept == i) first_bad = i;
            continue;
        }
        if (kept != i) {
            times[kept] = times[i];
            memmove(values + kept * step, values + i * step, step * sizeof *values);
        }
        kept++;
    }
    if (kept == track->key_count) return;
    sni_warn_many(diag, SNI_WARN_KEY_ORDER, track->key_count - kept, offset,
                  "key %u does not come after the key before it", first_bad);
    track->key_count = kept;
}

bool sni_sanitize_keys(sni_diag *diag, sn_track *track, uint64_t offset)
{
    if (sni_failed(diag)) return false;
    drop_bad_keys(diag, track, offset);
    return sni_sanitize_values(diag, track, offset);
}

bool sni_sanitize_values(sni_diag *diag, sn_track *track, uint64_t offset)
{
    sni_sanitize fixes = { 0 };
    float *values = sni_mut(float, track->values);
    const bool has_tangents = sni_track_has_tangents(track);
    const size_t step = (size_t)sni_track_floats_per_key(track), value_at = has_tangents ? track->width : 0;
    const uint32_t rotations = sni_track_is_rotation(track) ? track->key_count : 0;
    uint32_t good = 0;  // rotations of unit length, which also means that their numbers are finite
    while (good < rotations && sni_is_unit(sni_length_squared(values + good * step + value_at, 4))) good++;
    if (good == track->key_count && !has_tangents) return !sni_failed(diag);
    sni_sanitize_floats(&fixes, values, (uint64_t)track->key_count * step);
    for (uint32_t i = good; i < rotations; i++) {
        float *value = values + i * step + value_at;
        if (sni_is_unit(sni_length_squared(value, 4))) continue;
        sn_quat rotation = { value[0], value[1], value[2], value[3] };
        sni_sanitize_rotation(&fixes, &rotation);
        memcpy(value, &rotation, sizeof rotation);
    }
    sni_sanitize_report(diag, &fixes, offset);
    return !sni_failed(diag);
}

// Meshes

// Vectors of `width` floats. Those that lie in the bytes of a file are copied before the first one is fixed.
static const void *fix_vectors(sni_builder *b, sni_sanitize *fixes, const void *vectors, uint32_t width, uint32_t count)
{
    uint64_t floats = (uint64_t)count * width;
    if (!vectors || sni_all_finite(vectors, floats)) return vectors;
    float *own = sni_builder_own(b, vectors, width * sizeof(float), count);
    if (own) sni_sanitize_floats(fixes, own, floats);
    return own;
}

// All but the normals: checking their length finds numbers that are not finite too.
static void fix_finite(sni_builder *b, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count;
    const sn_vec2 **uvs = sni_mut(const sn_vec2 *, mesh->uvs);
    const sn_vec4 **colors = sni_mut(const sn_vec4 *, mesh->colors);
    sn_morph *morphs = sni_mut(sn_morph, mesh->morphs);
    mesh->positions = fix_vectors(b, fixes, mesh->positions, 3, count);
    mesh->tangents = fix_vectors(b, fixes, mesh->tangents, 4, count);
    for (uint32_t i = 0; i < mesh->uv_count; i++) uvs[i] = fix_vectors(b, fixes, uvs[i], 2, count);
    for (uint32_t i = 0; i < mesh->color_count; i++) colors[i] = fix_vectors(b, fixes, colors[i], 4, count);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        morphs[i].positions = fix_vectors(b, fixes, morphs[i].positions, 3, count);
        morphs[i].normals = fix_vectors(b, fixes, morphs[i].normals, 3, count);
        morphs[i].tangents = fix_vectors(b, fixes, morphs[i].tangents, 3, count);
    }
}

// How many vectors of `width` floats begin with three of unit length, and end with a sign where they have a fourth.
static inline uint32_t count_directions(const float *vectors, uint32_t width, uint32_t count)
{
    uint32_t first = 0;
#ifdef __SSE2__
    if (width == 3) first = sni_count_unit_pairs(vectors, count);
#endif
    for (uint32_t i = first; i < count; i++) {
        const float *at = vectors + (size_t)i * width;
        if (!sni_is_unit(sni_length_squared(at, 3)) || (width > 3 && fabsf(at[3]) != 1.0f)) return i;
    }
    return count;
}

static void fix_normals(sni_builder *b, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, good = mesh->normals ? count_directions(&mesh->normals->x, 3, count) : count;
    if (good == count) return;
    sn_vec3 *normals = sni_builder_own(b, mesh->normals, sizeof *normals, count);
    for (uint32_t i = good; normals && i < count; i++) {
        if (sni_is_unit(sni_length_squared((const float *)&normals[i], 3))) continue;
        sni_sanitize_floats(fixes, &normals[i].x, 3);
        if (!sanitize_unit(fixes, &normals[i].x)) normals[i] = (sn_vec3){ 0, 1, 0 };
    }
    mesh->normals = normals;
}

static void fix_tangents(sni_builder *b, sni_sanitize *fixes, sn_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, good = mesh->tangents ? count_directions(&mesh->tangents->x, 4, count) : count;
    if (good == count) return;
    sn_vec4 *tangents = sni_builder_own(b, mesh->tangents, sizeof *tangents, count);
    for (uint32_t i = good; tangents && i < count; i++) {
        if (!sanitize_unit(fixes, &tangents[i].x)) tangents[i] = (sn_vec4){ 1, 0, 0, tangents[i].w };
        tangents[i].w = tangents[i].w < 0.0f ? -1.0f : 1.0f;
    }
    mesh->tangents = tangents;
}

static void fix_vertices(sni_builder *b, sn_mesh *mesh, uint64_t offset)
{
    sni_sanitize fixes = { 0 };
    fix_finite(b, &fixes, mesh);
    fix_normals(b, &fixes, mesh);
    fix_tangents(b, &fixes, mesh);
    if (fixes.not_finite + fixes.not_unit == 0) return;
    sni_sanitize_report(b->diag, &(sni_sanitize){ .not_finite = fixes.not_finite }, offset);
    sni_warn_many(b->diag, SNI_WARN_NORMAL_LENGTH, fixes.not_unit, offset,
                  "%llu normals or tangents are not of unit length", (unsigned long long)fixes.not_unit);
}

static uint32_t corners(sn_topology topology) { return topology == SN_TRIANGLES ? 3 : topology == SN_LINES ? 2 : 1; }

// Of numbers up to 2^31, only what is beyond the last leaves the top bit set. No branch, so that compilers
// vectorise it.
static bool indices_fit(const uint32_t *indices, uint32_t count, uint32_t vertex_count)
{
    if (count == 0) return true;
    if (vertex_count == 0 || vertex_count > 0x80000000) return false;  // the slow way finds out
    uint32_t last = vertex_count - 1, beyond = 0;
    for (uint32_t i = 0; i < count; i++) beyond |= indices[i] | (last - indices[i]);
    return !(beyond & 0x80000000);
}

// Faces that name a vertex which does not exist are dropped whole.
static void fix_indices(sni_builder *b, sn_mesh *mesh, uint64_t offset)
{
    uint32_t step = corners(mesh->topology), over = mesh->index_count % step, kept = 0;
    uint64_t bad = 0;
    if (over) {
        sni_warn(b->diag, SNI_WARN_INDEX_COUNT, offset, "%u indices are no multiple of %u", mesh->index_count, step);
        mesh->index_count -= over;
    }
    if (indices_fit(mesh->indices, mesh->index_count, mesh->vertex_count)) return;
    uint32_t *indices = sni_builder_own(b, mesh->indices, sizeof *indices, mesh->index_count), highest = 0;
    if (!indices) return;
    for (uint32_t i = 0; i < mesh->index_count; i++) highest = indices[i] > highest ? indices[i] : highest;
    for (uint32_t i = 0; i < mesh->index_count; i += step) {
        bool is_good = true;
        for (uint32_t c = 0; c < step; c++) is_good = is_good && indices[i + c] < mesh->vertex_count;
        for (uint32_t c = 0; is_good && c < step; c++) indices[kept++] = indices[i + c];
        bad += !is_good;
    }
    sni_warn_many(b->diag, SNI_WARN_INDEX_RANGE, bad, offset, "index %u of %u vertices; %llu faces dropped", highest,
                  mesh->vertex_count, (unsigned long long)bad);
    mesh->indices = indices;
    mesh->index_count = kept;
}

typedef struct weight_faults {
    uint64_t negative, range, twice, zero, sum;
    float worst_sum;
    uint32_t joint;
} weight_faults;

// Two influences of one joint become one: palettes and exporters need each joint once.
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

static void fix_vertex(weight_faults *faults, uint16_t *joints, float *weights, uint32_t count, uint32_t joint_count)
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

// Nothing to fix: first some weights, each of another joint in range, that sum to one, then only weight 0 and joint 0.
// Weights behind a 0 may be good too, but are left to fix_vertex, which then changes nothing.
static inline bool is_vertex_good(const uint16_t *joints, const float *weights, uint32_t count, uint32_t joint_count)
{
    double sum = 0.0;
    uint32_t i = 0;
    for (; i < count && weights[i] > 0.0f; i++) {
        bool is_bad = joints[i] >= joint_count;
        for (uint32_t j = 0; j < i; j++) is_bad |= joints[j] == joints[i];
        if (is_bad) return false;
        sum += weights[i];
    }
    for (; i < count; i++)
        if (weights[i] != 0.0f || joints[i] != 0) return false;
    return fabs(sum - 1.0) < 1e-6;
}

// The same for vertices with one or two of four influences in use, as most are, from `first` on: returns the first that
// is different. Many have the weights of the vertex before, which are then known to be good.
static uint32_t skip_good_pairs(const sn_mesh *mesh, uint32_t joint_count, uint32_t first)
{
    const float *weights = mesh->vertex_weights + 4 * (size_t)first;
    const uint16_t *joints = mesh->vertex_joints + 4 * (size_t)first;
    uint64_t known = 0;       // the bits of two good weights; 0: none yet
    uint32_t second_end = 0;  // the second joint must be below: joint_count, or 1 if its weight is 0; 0: none yet
    for (uint32_t i = first; i < mesh->vertex_count; i++, weights += 4, joints += 4) {
        uint64_t used, other_weights;
        uint32_t other_joints;
        memcpy(&used, weights, sizeof used);
        memcpy(&other_weights, weights + 2, sizeof other_weights);
        memcpy(&other_joints, joints + 2, sizeof other_joints);
        if ((other_weights | other_joints) != 0) return i;
        if (used != known) {
            if (!(weights[0] > 0.0f) || !(weights[1] >= 0.0f) || !(fabs((double)weights[0] + weights[1] - 1.0) < 1e-6))
                return i;
            known = used;
            second_end = weights[1] > 0.0f ? joint_count : 1;
        }
        if (joints[0] >= joint_count || joints[1] >= second_end) return i;
        if (joints[0] == joints[1] && weights[1] > 0.0f) return i;
    }
    return mesh->vertex_count;
}

// From `first` on, the first vertex with something to fix. Compilers unroll loops of known length.
static uint32_t find_bad_vertex(const sn_mesh *mesh, uint32_t joint_count, uint32_t first)
{
    const uint16_t *joints = mesh->vertex_joints;
    const float *weights = mesh->vertex_weights;
    uint32_t i = first, n = mesh->influence_count;
    if (n == 1)
        while (i < mesh->vertex_count && is_vertex_good(joints + i, weights + i, 1, joint_count)) i++;
    else if (n == 4)
        while ((i = skip_good_pairs(mesh, joint_count, i)) < mesh->vertex_count &&
               is_vertex_good(joints + 4 * (size_t)i, weights + 4 * (size_t)i, 4, joint_count))
            i++;
    else
        while (i < mesh->vertex_count &&
               is_vertex_good(joints + n * (size_t)i, weights + n * (size_t)i, n, joint_count))
            i++;
    return i;
}

static void fix_weights(sni_builder *b, sn_mesh *mesh, uint32_t joint_count, uint64_t offset)
{
    if (mesh->influence_count == 0) return;
    if (joint_count == 0) {
        sni_warn(b->diag, SNI_WARN_WEIGHTS_WITHOUT_SKIN, offset, "joints and weights, but no skin bends this mesh");
        mesh->influence_count = 0;
        mesh->vertex_joints = NULL;
        mesh->vertex_weights = NULL;
        return;
    }
    weight_faults faults = { 0 };
    uint16_t *joints = sni_mut(uint16_t, mesh->vertex_joints);
    float *weights = sni_mut(float, mesh->vertex_weights);
    const uint32_t first = find_bad_vertex(mesh, joint_count, 0);
    if (first >= mesh->vertex_count) return;
    for (uint32_t i = first; i < mesh->vertex_count; i = find_bad_vertex(mesh, joint_count, i + 1)) {
        uint64_t at = (uint64_t)i * mesh->influence_count;
        fix_vertex(&faults, joints + at, weights + at, mesh->influence_count, joint_count);
    }
    sni_diag *diag = b->diag;
    sni_warn_many(diag, SNI_WARN_WEIGHT_NEGATIVE, faults.negative, offset, "negative or not finite weights");
    sni_warn_many(diag, SNI_WARN_JOINT_RANGE, faults.range, offset, "joint %u of %u", faults.joint, joint_count);
    sni_warn_many(diag, SNI_WARN_JOINT_TWICE, faults.twice, offset, "a joint twice in one vertex");
    sni_warn_many(diag, SNI_WARN_WEIGHT_ZERO, faults.zero, offset, "vertices without any weight");
    sni_warn_many(diag, SNI_WARN_WEIGHT_SUM, faults.sum, offset, "weights sum to %g", (double)faults.worst_sum);
}

bool sni_sanitize_mesh(sni_builder *b, sn_mesh *mesh, uint32_t joint_count, uint64_t offset)
{
    if (!sni_builder_ok(b)) return false;
    if (!mesh->name) mesh->name = "";
    fix_vertices(b, mesh, offset);
    fix_indices(b, mesh, offset);
    fix_weights(b, mesh, joint_count, offset);
    return sni_builder_ok(b);
}
