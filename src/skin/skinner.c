// Compiles a mesh into runs for the kernels, and sends them through.
#include "skin/skinner.h"

#include "anim/pose.h"
#include "model/check.h"
#include "skin/skin.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 4096,  // vertices are sorted inside a window of so many, so that what a window writes stays in the cache
    CHUNK = 256,    // slots that are morphed at a time
    MOST_SHARED = 16,  // joints of a block
    MOST_DUALS = 256,  // joints whose dual quaternions are kept on the stack
    PER_BLOCK = SNI_SKIN_BLOCK
};

static const sni_skin_kernels *kernels_of(sn_simd simd)
{
    switch (simd) {
#ifdef SNI_HAS_X86
    case SN_SIMD_SSE2: return &sni_skin_kernels_sse2;
    case SN_SIMD_AVX2: return &sni_skin_kernels_avx2;
#endif
#ifdef SNI_HAS_NEON
    case SN_SIMD_NEON: return &sni_skin_kernels_neon;
#endif
#ifdef SNI_HAS_WASM
    case SN_SIMD_WASM: return &sni_skin_kernels_wasm;
#endif
    default: return &sni_skin_kernels_scalar;
    }
}

// Compiling

// Eight neighbours or one vertex, and what it is sorted by: kind, influences, joint.
typedef struct item {
    uint64_t key;
    uint32_t vertex;
} item;

static uint64_t make_key(sni_skin_kind kind, uint32_t influences, uint16_t joint)
{
    return (uint64_t)kind << 48 | (uint64_t)influences << 16 | joint;
}

static sni_skin_kind kind_of(const item *i) { return (sni_skin_kind)(i->key >> 48); }
static uint32_t influences_of(const item *i) { return (uint32_t)(i->key >> 16); }
static bool is_block(sni_skin_kind kind) { return kind <= SNI_SKIN_SHARED; }

static uint32_t slots_of(const item *i) { return is_block(kind_of(i)) ? PER_BLOCK : 1; }

static int compare_items(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

typedef struct joint_list {
    uint32_t count;
    uint16_t joints[MOST_SHARED];
    uint32_t weights;  // that are not 0, over all vertices
    bool is_single;    // one joint, and its weight is always 1
} joint_list;

// The joints of eight neighbours. False: too many.
static bool list_joints(const sn_mesh *mesh, uint32_t first, joint_list *list)
{
    size_t start = (size_t)first * mesh->influence_count, end = start + (size_t)PER_BLOCK * mesh->influence_count;
    *list = (joint_list){ .is_single = true };
    for (size_t i = start; i < end; i++) {
        uint32_t at = 0;
        if (mesh->vertex_weights[i] == 0.0f) continue;
        while (at < list->count && list->joints[at] != mesh->vertex_joints[i]) at++;
        if (at == MOST_SHARED) return false;
        if (at == list->count) list->joints[list->count++] = mesh->vertex_joints[i];
        list->is_single &= mesh->vertex_weights[i] == 1.0f;
        list->weights++;
    }
    list->is_single &= list->count <= 1;
    return true;
}

// In instructions of the AVX2 kernels: 25 per joint of a block; 4 per influence of single vertices, and their matrices
// must be transposed and their results scattered.
static bool is_worth_sharing(const joint_list *list) { return list->count * 25 <= list->weights * 4 + 126; }

static bool find_block(const sn_skinner *skinner, uint32_t first, uint32_t end, item *out)
{
    joint_list list = { .is_single = true };
    if (end - first < PER_BLOCK) return false;
    if (skinner->mesh->influence_count > 0 && !list_joints(skinner->mesh, first, &list)) return false;
    out->vertex = first;
    out->key = list.is_single ? make_key(SNI_SKIN_SINGLE, 1, list.joints[0]) : make_key(SNI_SKIN_SHARED, list.count, 0);
    return list.is_single || (!skinner->is_dual && is_worth_sharing(&list));
}

static item single_item(const sn_skinner *skinner, uint32_t vertex)
{
    const sn_mesh *mesh = skinner->mesh;
    const float *weights = mesh->vertex_weights + (size_t)vertex * mesh->influence_count;
    uint32_t count = 0;
    bool is_short = skinner->boxes.joint_count <= SNI_SKIN_SHORT_JOINTS, is_one = mesh->influence_count == 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        count += weights[i] != 0.0f;
        is_one |= weights[i] == 1.0f;
    }
    item out = { make_key(SNI_SKIN_MANY, count > 8 ? (count + 3) / 4 * 4 : count, 0), vertex };
    if (count <= 1 && is_one && is_short) out.key = make_key(SNI_SKIN_ONE, 1, 0);
    else if (skinner->is_dual) out.key = make_key(SNI_SKIN_DUAL, count, 0);
    else if (count <= 2 && is_short) out.key = make_key(SNI_SKIN_TWO, 2, 0);
    else if (count <= 4 && is_short) out.key = make_key(SNI_SKIN_FOUR, 4, 0);
    return out;
}

// Fills `items`, sorted inside each window, and returns how many there are.
static uint32_t make_items(const sn_skinner *skinner, item *items)
{
    uint32_t total = skinner->mesh->vertex_count, count = 0;
    for (uint32_t start = 0, end; start < total; start = end) {
        uint32_t first = count;
        end = total - start < WINDOW ? total : start + WINDOW;
        for (uint32_t i = start; i < end; i += PER_BLOCK) {
            if (find_block(skinner, i, end, &items[count])) count++;
            else
                for (uint32_t k = i; k < end && k < i + PER_BLOCK; k++) items[count++] = single_item(skinner, k);
        }
        qsort(items + first, count - first, sizeof *items, compare_items);
    }
    return count;
}

// Neighbours of one kind are a run.
static bool make_runs(sn_skinner *skinner, const item *items, uint32_t count)
{
    sni_list runs = { 0 };
    uint64_t slots = 0, joints = 0, weights = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        sni_skin_kind kind = kind_of(&items[i]);
        sni_skin_run *r = sni_push(&skinner->arena, &runs, sni_skin_run);
        if (!r) return false;
        for (end = i + 1; end < count && items[end].key >> 16 == items[i].key >> 16;) end++;
        *r = (sni_skin_run){ kind,           (uint32_t)slots, (end - i) * slots_of(&items[i]), influences_of(&items[i]),
                             (size_t)joints, (size_t)weights };
        uint64_t blocks = ((uint64_t)r->count + PER_BLOCK - 1) / PER_BLOCK;
        slots += blocks * PER_BLOCK;
        joints += blocks * (is_block(kind) ? 1 : PER_BLOCK) * r->influences;
        weights += kind == SNI_SKIN_SINGLE ? 0 : blocks * PER_BLOCK * r->influences;
    }
    if (slots > UINT32_MAX) return sni_fail(skinner->heap.diag, SN_ERR_MEMORY, 0, "the mesh has too many vertices");
    skinner->runs = runs.items;
    skinner->run_count = runs.count;
    skinner->slot_count = (uint32_t)slots;
    skinner->vertices = sni_new_raw(&skinner->arena, uint32_t, slots);
    skinner->joints = sni_new(&skinner->arena, uint16_t, joints);
    skinner->weights = sni_new(&skinner->arena, float, weights);
    return skinner->vertices && skinner->joints && skinner->weights;
}

static void put_block(const sn_skinner *skinner, const sni_skin_run *r, uint32_t slot, uint32_t vertex)
{
    const sn_mesh *mesh = skinner->mesh;
    size_t block = slot / PER_BLOCK;
    uint16_t *joints = skinner->joints + r->joints_at + block * r->influences;
    float *weights = skinner->weights + r->weights_at + block * r->influences * PER_BLOCK;
    joint_list list = { 0 };
    if (mesh->influence_count > 0) list_joints(mesh, vertex, &list);
    memcpy(joints, list.joints, r->influences * sizeof *joints);
    for (uint32_t i = 0; r->kind == SNI_SKIN_SHARED && i < PER_BLOCK * mesh->influence_count; i++) {
        size_t from = (size_t)vertex * mesh->influence_count + i;
        uint32_t at = 0;
        if (mesh->vertex_weights[from] == 0.0f) continue;
        while (joints[at] != mesh->vertex_joints[from]) at++;
        weights[(size_t)at * PER_BLOCK + i / mesh->influence_count] += mesh->vertex_weights[from];
    }
}

// Influences with a weight; the heaviest first for dual quaternions, whose signs follow it. What is left of the run's
// influences repeats the first joint with no weight.
static void put_influences(const sn_skinner *skinner, const sni_skin_run *r, uint32_t slot, uint32_t vertex)
{
    const sn_mesh *mesh = skinner->mesh;
    size_t from = (size_t)vertex * mesh->influence_count, at = (size_t)slot * r->influences;
    uint16_t *joints = skinner->joints + r->joints_at + at;
    float *weights = skinner->weights + r->weights_at + at;
    bool is_short = r->kind == SNI_SKIN_ONE || r->kind == SNI_SKIN_TWO || r->kind == SNI_SKIN_FOUR;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        uint16_t joint = mesh->vertex_joints[from + i];
        float weight = mesh->vertex_weights[from + i];
        if (weight == 0.0f) continue;
        uint32_t k = count++;
        for (; r->kind == SNI_SKIN_DUAL && k > 0 && weights[k - 1] < weight; k--)
            joints[k] = joints[k - 1], weights[k] = weights[k - 1];
        joints[k] = is_short ? (uint16_t)(joint * SNI_SKIN_JOINT_UNITS) : joint;
        weights[k] = weight;
    }
    for (; count < r->influences; count++) joints[count] = joints[0], weights[count] = 0.0f;
}

static void fill_runs(const sn_skinner *skinner, const item *items)
{
    for (uint32_t i = 0; i < skinner->run_count; i++) {
        const sni_skin_run *r = &skinner->runs[i];
        uint32_t *vertices = skinner->vertices + r->first;
        for (uint32_t k = 0; k < (r->count + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK; k++) {
            if (is_block(r->kind)) {
                if (k % PER_BLOCK == 0) put_block(skinner, r, k, items->vertex);
                vertices[k] = items->vertex + k % PER_BLOCK;
                items += k % PER_BLOCK == PER_BLOCK - 1;
            } else {
                vertices[k] = k < r->count ? items->vertex : vertices[k - 1];
                put_influences(skinner, r, k, vertices[k]);
                items += k < r->count;
            }
        }
    }
}

// Vectors of `width` floats to blocks.
static float *make_blocks(sn_skinner *skinner, const float *from, uint32_t width)
{
    float *blocks = sni_new_raw(&skinner->arena, float, (uint64_t)skinner->slot_count *width);
    for (uint32_t i = 0; blocks && i < skinner->slot_count; i++)
        for (uint32_t c = 0; c < width; c++)
            blocks[((size_t)(i / SNI_SKIN_BLOCK) * width + c) * SNI_SKIN_BLOCK + i % SNI_SKIN_BLOCK] =
                from[(size_t)skinner->vertices[i] * width + c];
    return blocks;
}

static bool is_zero(const sn_vec3 *deltas, uint32_t vertex)
{
    return !deltas || (deltas[vertex].x == 0.0f && deltas[vertex].y == 0.0f && deltas[vertex].z == 0.0f);
}

static bool is_moved(const sn_morph *morph, uint32_t vertex)
{
    return !is_zero(morph->positions, vertex) || !is_zero(morph->normals, vertex) || !is_zero(morph->tangents, vertex);
}

static bool put_deltas(sn_skinner *skinner, const sni_skin_target *to, const sn_vec3 *from, sn_vec3 **deltas)
{
    if (!from) return true;
    *deltas = sni_new_raw(&skinner->arena, sn_vec3, to->count);
    for (uint32_t i = 0; *deltas && i < to->count; i++) (*deltas)[i] = from[skinner->vertices[to->slots[i]]];
    return *deltas != NULL;
}

static bool make_target(sn_skinner *skinner, const sn_morph *morph, sni_skin_target *to)
{
    for (uint32_t i = 0; i < skinner->mesh->vertex_count; i++) to->count += is_moved(morph, i);
    to->slots = sni_new_raw(&skinner->arena, uint32_t, to->count);
    if (!to->slots) return false;
    uint32_t *at = to->slots;
    for (uint32_t i = 0; i < skinner->run_count; i++)
        for (uint32_t k = skinner->runs[i].first; k < skinner->runs[i].first + skinner->runs[i].count; k++)
            if (is_moved(morph, skinner->vertices[k])) *at++ = k;
    return put_deltas(skinner, to, morph->positions, &to->positions) &&
           put_deltas(skinner, to, morph->normals, &to->normals) &&
           put_deltas(skinner, to, morph->tangents, &to->tangents);
}

static bool compile(sn_skinner *skinner)
{
    const sn_mesh *mesh = skinner->mesh;
    sni_arena scratch;
    sni_arena_init(&scratch, &skinner->heap);
    item *items = sni_new_raw(&scratch, item, mesh->vertex_count);
    bool is_good = items && sni_mesh_boxes_make(mesh, &skinner->arena, &skinner->boxes) &&
                   make_runs(skinner, items, make_items(skinner, items)) &&
                   (!skinner->is_dual || sni_skinner_make_pairs(skinner, &scratch));
    if (is_good) fill_runs(skinner, items);
    sni_arena_free(&scratch);
    if (!is_good) return false;
    skinner->positions = make_blocks(skinner, &mesh->positions->x, 3);
    if (mesh->normals) skinner->normals = make_blocks(skinner, &mesh->normals->x, 3);
    if (mesh->tangents) skinner->tangents = make_blocks(skinner, &mesh->tangents->x, 4);
    skinner->targets = sni_new(&skinner->arena, sni_skin_target, mesh->morph_count);
    if (!skinner->positions || (mesh->normals && !skinner->normals) || (mesh->tangents && !skinner->tangents))
        return false;
    for (uint32_t i = 0; skinner->targets && i < mesh->morph_count; i++)
        if (!make_target(skinner, &mesh->morphs[i], &skinner->targets[i])) return false;
    return skinner->targets != NULL;
}

sn_skinner *sn_skinner_create(const sn_model *model, int32_t mesh, const sn_skinner_opts *opts, sn_error *error)
{
    const sn_skinner_opts defaults = { 0 };
    sni_diag diag;
    sni_heap heap;
    if (sni_model_require(model, error) != SN_OK) return NULL;
    if (!opts) opts = &defaults;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, &opts->allocator, UINT64_MAX);
    heap.diag = &diag;
    sn_simd simd = opts->simd;
    sn_skinner *skinner = NULL;
    if (!sni_has(model->mesh_count, mesh)) sni_fail(&diag, SN_ERR_INVALID, 0, "the model has no mesh %d", mesh);
    else if (sni_simd_choose(&diag, &simd)) skinner = sni_heap_alloc(&heap, sizeof *skinner);
    if (skinner) {
        *skinner = (sn_skinner){
            .heap = heap, .mesh = &model->meshes[mesh], .kernels = kernels_of(simd), .is_dual = opts->dual_quaternions
        };
        sni_arena_init(&skinner->arena, &skinner->heap);
        bool is_good = compile(skinner);
        skinner->heap.diag = NULL;
        if (!is_good) sn_skinner_free(skinner), skinner = NULL;
    }
    if (error) *error = diag.error;
    return skinner;
}

void sn_skinner_free(sn_skinner *skinner)
{
    if (!skinner) return;
    sni_arena_free(&skinner->arena);
    sni_heap heap = skinner->heap;
    sni_heap_free(&heap, skinner, sizeof *skinner);
}

// Skinning

// One vertex the plain kernel's way.
static void put_vertex(const sni_skin_job *job, uint32_t vertex, const sn_mat34 *matrix, bool has_position)
{
    sn_vec3 position, normal;
    sn_vec4 tangent;
    sni_skin_vertex(job->user, vertex, matrix, (sni_vertices){ &position, &normal, &tangent });
    if (has_position) memcpy(job->out_positions + vertex * job->position_stride, &position, sizeof position);
    if (job->normals) memcpy(job->out_normals + vertex * job->normal_stride, &normal, sizeof normal);
    if (job->tangents) memcpy(job->out_tangents + vertex * job->tangent_stride, &tangent, sizeof tangent);
}

static void repair(const sni_skin_job *job, uint32_t slot, const sn_mat34 *matrix)
{
    put_vertex(job, job->vertices[slot], matrix, false);
}

typedef struct morphed_chunk {
    float positions[CHUNK * 3], normals[CHUNK * 3], tangents[CHUNK * 4];
} morphed_chunk;

static void add_delta(float *blocks, uint32_t slot, uint32_t width, sn_vec3 delta, float weight)
{
    float *at = blocks + (size_t)(slot / SNI_SKIN_BLOCK) * width * SNI_SKIN_BLOCK + slot % SNI_SKIN_BLOCK;
    at[0] += delta.x * weight;
    at[SNI_SKIN_BLOCK] += delta.y * weight;
    at[2 * SNI_SKIN_BLOCK] += delta.z * weight;
}

static uint32_t lower_bound(const sni_skin_target *t, uint32_t slot)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->slots[middle] < slot) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The job's slots, which start at `first`, are copied when the first delta is found.
static void morph(const sn_skinner *skinner, const float *weights, uint32_t first, sni_skin_job *job,
                  morphed_chunk *chunk)
{
    bool is_copied = false;
    size_t blocks = (job->count + SNI_SKIN_BLOCK - 1) / SNI_SKIN_BLOCK * SNI_SKIN_BLOCK;
    for (uint32_t i = 0; i < skinner->mesh->morph_count; i++) {
        const sni_skin_target *t = &skinner->targets[i];
        if (weights[i] == 0.0f) continue;
        for (uint32_t k = lower_bound(t, first); k < t->count && t->slots[k] < first + job->count; k++) {
            uint32_t slot = t->slots[k] - first;
            if (!is_copied) {
                memcpy(chunk->positions, job->positions, blocks * 3 * sizeof(float));
                if (job->normals) memcpy(chunk->normals, job->normals, blocks * 3 * sizeof(float));
                if (job->tangents) memcpy(chunk->tangents, job->tangents, blocks * 4 * sizeof(float));
                job->positions = chunk->positions;
                if (job->normals) job->normals = chunk->normals;
                if (job->tangents) job->tangents = chunk->tangents;
                is_copied = true;
            }
            if (t->positions) add_delta(chunk->positions, slot, 3, t->positions[k], weights[i]);
            if (t->normals && job->normals) add_delta(chunk->normals, slot, 3, t->normals[k], weights[i]);
            if (t->tangents && job->tangents) add_delta(chunk->tangents, slot, 4, t->tangents[k], weights[i]);
        }
    }
}

// Without room for the dual quaternions of all joints: each vertex by itself.
static void skin_one_by_one(const sni_skin_job *job)
{
    const sni_skin_source *from = job->user;
    for (uint32_t i = 0; i < job->count; i++) {
        const uint16_t *joints = job->joints + (size_t)i * job->influences;
        const float *weights = job->weights + (size_t)i * job->influences;
        sn_mat34 matrix = sni_skin_dual_blend(from->palette, joints, weights, job->influences);
        put_vertex(job, job->vertices[i], &matrix, job->out_positions != NULL);
    }
}

static void skin(const sn_skinner *skinner, const sni_skin_source *from, const sn_skin_output *output)
{
    sni_skin_job all = { .palette = from->palette ? from->palette : &from->node_world,
                         .out_positions = output->positions,
                         .out_normals = output->normals,
                         .out_tangents = output->tangents,
                         .position_stride = output->position_stride ? output->position_stride : sizeof(sn_vec3),
                         .normal_stride = output->normal_stride ? output->normal_stride : sizeof(sn_vec3),
                         .tangent_stride = output->tangent_stride ? output->tangent_stride : sizeof(sn_vec4),
                         .repair = repair,
                         .user = from };
    const float *normals = output->normals ? skinner->normals : NULL;
    const float *tangents = output->tangents ? skinner->tangents : NULL;
    int outputs = tangents ? 2 : normals ? 1 : 0;
    if (outputs == 0 && !output->positions) return;
    if (!from->palette && skinner->mesh->influence_count > 0) {  // a part without a skin: its node moves all of it
        if (normals) all.normals = normals;
        if (tangents) all.tangents = tangents;
        for (uint32_t i = 0; i < skinner->mesh->vertex_count; i++)
            put_vertex(&all, i, &from->node_world, all.out_positions != NULL);
        return;
    }
    bool is_morphed = false;
    for (uint32_t i = 0; from->morphs && i < skinner->mesh->morph_count; i++) is_morphed |= from->morphs[i] != 0.0f;

    sni_skin_dual duals[MOST_DUALS];
    if (skinner->is_dual && from->palette && skinner->boxes.joint_count <= MOST_DUALS) {
        all.duals = duals;
        all.duals_are_rigid = sni_skin_duals_make(from->palette, skinner->boxes.joint_count, duals);
    }
    morphed_chunk chunk;
    for (uint32_t i = 0; i < skinner->run_count; i++) {
        const sni_skin_run *r = &skinner->runs[i];
        sni_skin_job job = all;
        job.influences = r->influences;
        for (uint32_t at = 0; at < r->count; at += job.count) {
            uint32_t slot = r->first + at;
            job.count = is_morphed && r->count - at > CHUNK ? CHUNK : r->count - at;
            job.joints = skinner->joints + r->joints_at +
                         (size_t)(is_block(r->kind) ? at / PER_BLOCK : at) * r->influences;
            job.weights = skinner->weights + r->weights_at + (size_t)at * r->influences;
            job.vertices = skinner->vertices + slot;
            job.positions = skinner->positions + (size_t)slot * 3;
            if (normals) job.normals = normals + (size_t)slot * 3;
            if (tangents) job.tangents = tangents + (size_t)slot * 4;
            if (is_morphed) morph(skinner, from->morphs, slot, &job, &chunk);
            if (r->kind == SNI_SKIN_DUAL && !job.duals) skin_one_by_one(&job);
            else skinner->kernels->kernels[r->kind][outputs](&job);
        }
    }
}

void sn_skinner_run(const sn_skinner *skinner, const sn_pose *pose, int32_t part, const sn_skin_output *output)
{
    sni_skin_source from = sni_skin_source_of(pose, part);
    skin(skinner, &from, output);
}

void sn_skinner_run_palette(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights,
                            const sn_skin_output *output)
{
    sni_skin_source from = { .mesh = skinner->mesh, .morphs = morph_weights };
    if (skinner->mesh->influence_count > 0) from.palette = palette;
    else from.node_world = palette[0];
    skin(skinner, &from, output);
}
