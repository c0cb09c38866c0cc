// What each row measures. Each of the functions below prepares a workload, compares the results with the reference,
// and lets ours, the plain functions, the memory function and peers run in turn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "runtime_reference.h"
#include "runtime_workloads.h"

enum { MOST_JOINTS = 256, MOST_LAYERS = 4, PALETTE_SKINS = 4, SEEKS = 256, FRAMES_PER_SECOND = 60 };

// The limits of runtime.h.
static const double most_rotation_error = 2e-6, most_length_error = 1e-5, model_size = 1.8;

typedef struct bench {
    const bench_opts *opts;
    bool is_good;
} bench;

// Memory functions, called in a way that no compiler removes.
static void *(*volatile fill_bytes)(void *, int, size_t) = memset;
static void *(*volatile copy_bytes)(void *, const void *, size_t) = memcpy;

__attribute__((noinline)) void bench_counted(bench_function *run, void *context, uint32_t count)
{
    run(context, count);
}

// A row that is being measured: its runners, ours first.
typedef struct race {
    bench_row row;
    uint32_t count;
    bench_runner runners[BENCH_MOST_RUNNERS];
    bench_runner *plain, *memory, *first_peer;
    uint32_t counted;  // repetitions for valgrind
} race;

static race *race_create(const char *id, const char *workload, const char *unit)
{
    race *one = bench_alloc(sizeof *one, 1);
    snprintf(one->row.id, sizeof one->row.id, "%s", id);
    snprintf(one->row.workload, sizeof one->row.workload, "%s", workload);
    snprintf(one->row.unit, sizeof one->row.unit, "%s", unit);
    one->row.is_accurate = true;
    one->counted = 16;
    return one;
}

static bench_runner *race_add(race *to, const char *name, bench_function *run, void *context, double units)
{
    bench_runner *runner = &to->runners[to->count++];
    runner->name = name;
    runner->run = run;
    runner->context = context;
    runner->units = units;
    return runner;
}

static void race_judge(race *one, const ref_error *error)
{
    double length = error->length / model_size;
    one->row.max_error = fmax(length, error->rotation);
    one->row.is_accurate = error->rotation <= most_rotation_error && length <= most_length_error;
}

static void count_instructions(const race *one)
{
    const bench_runner *ours = &one->runners[0];
    ours->run(ours->context, 1);  // what is done only once
    printf("%s\t%s\t%.0f\n", one->row.id, one->row.workload, one->counted * ours->units);
    bench_counted(ours->run, ours->context, one->counted);
    if (!ours->base) return;
    printf("%s\t%s\t%.0f\n", one->row.id, one->row.workload, -(one->counted * ours->units));
    bench_counted(ours->base, ours->context, one->counted);
}

// Runs, reports and frees the race.
static void race_run(bench *b, race *one)
{
    bench_row *row = &one->row;
    bench_runner *ours = &one->runners[0];
    if (!row->is_accurate)
        fprintf(stderr, "%s %s: an error of %g is too large\n", row->id, row->workload, row->max_error);
    b->is_good = b->is_good && row->is_accurate;
    if (b->opts->counts) {
        count_instructions(one);
        free(one);
        return;
    }
    bench_run_rounds(one->runners, one->count, b->opts->rounds ? b->opts->rounds : BENCH_ROUNDS,
                     b->opts->turn_seconds > 0.0 ? b->opts->turn_seconds : 0.0003);
    row->ns = 1e9 * bench_percentile(&ours->times, 0.1);
    row->median_ns = 1e9 * bench_percentile(&ours->times, 0.5);
    if (one->plain) {
        row->plain_ns = 1e9 * bench_percentile(&one->plain->times, 0.1);
        row->ratio_plain = bench_ratio(&one->plain->times, &ours->times);
    }
    if (one->memory) {
        row->memory_ns = 1e9 * bench_percentile(&one->memory->times, 0.1);
        row->ratio_memory = bench_ratio(&ours->times, &one->memory->times);
    }
    for (bench_runner *peer = one->first_peer; peer && peer < one->runners + one->count; peer++) {
        snprintf(row->peers[row->peer_count].name, sizeof row->peers[0].name, "%s", peer->name);
        row->peers[row->peer_count].ns = 1e9 * bench_percentile(&peer->times, 0.1);
        row->peers[row->peer_count++].ratio = bench_ratio(&peer->times, &ours->times);
    }
    b->opts->report(b->opts->user, row);
    free(one);
}

// Everything that the rows with poses need. The functions that run in turn each have their own place in the times.
typedef struct player {
    sn_model *model;
    sn_motion *motion;
    sn_pose *pose, *plain;
    struct player *bare;  // the same without skins
    float *times;
    uint32_t time_count, at, plain_at;
    sn_pose *others[MOST_LAYERS];  // to blend
    sn_blend_layer layers[MOST_LAYERS];
    float *mask;
    uint32_t layer_count;
    void *bytes;  // as large as what is written
    size_t byte_count;
} player;

static bool fail(bench *b, const char *what, const sn_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return b->is_good = false;
}

static bool player_open(bench *b, player *to, const bench_plan *plan, const sn_motion_opts *motion_opts)
{
    sn_error error = { 0 };
    sn_motion_opts opts = motion_opts ? *motion_opts : (sn_motion_opts){ 0 };
    opts.simd = b->opts->simd;
    memset(to, 0, sizeof *to);
    to->model = bench_make_model(plan);
    if (!to->model) return b->is_good = false;
    to->motion = sn_motion_create(to->model, &opts, &error);
    if (!to->motion) return fail(b, "sn_motion_create", &error);
    to->pose = sn_pose_create(to->model, NULL, &error);
    to->plain = sn_pose_create(to->model, NULL, &error);
    return (to->pose && to->plain) || fail(b, "sn_pose_create", &error);
}

static void player_close(player *of)
{
    for (uint32_t i = 0; i < MOST_LAYERS; i++) sn_pose_free(of->others[i]);
    sn_pose_free(of->pose);
    sn_pose_free(of->plain);
    sn_motion_free(of->motion);
    sn_model_free(of->model);
    free(of->times);
    free(of->mask);
    free(of->bytes);
}

// As the library's own memory is aligned.
static void player_set_bytes(player *to, size_t count)
{
    to->bytes = bench_alloc(1, count);
    to->byte_count = count;
}

static void run_fill(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) fill_bytes(p->bytes, 0, p->byte_count);
}

// B1: sampling

static void set_forward_times(player *to, float seconds)
{
    to->time_count = (uint32_t)(seconds * FRAMES_PER_SECOND);
    to->times = bench_alloc(sizeof *to->times, to->time_count);
    for (uint32_t i = 0; i < to->time_count; i++) to->times[i] = ((float)i + 0.3f) / FRAMES_PER_SECOND;
}

static void set_random_times(player *to, float seconds)
{
    bench_random random = { 7 };
    to->time_count = SEEKS;
    to->times = bench_alloc(sizeof *to->times, SEEKS);
    for (uint32_t i = 0; i < SEEKS; i++) to->times[i] = (float)bench_random_between(&random, 0.0, seconds);
}

static void run_sample(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) {
        sn_motion_sample(p->motion, p->pose, 0, p->times[p->at], 0.0f);
        if (++p->at == p->time_count) p->at = 0;
    }
}

static void run_plain_sample(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) {
        sn_pose_sample(p->plain, 0, p->times[p->plain_at], 0.0f);
        if (++p->plain_at == p->time_count) p->plain_at = 0;
    }
}

static ref_error check_samples(const player *p, bool is_nlerp)
{
    ref_error error = { 0 };
    static ref_trs locals[MOST_JOINTS];
    for (uint32_t i = 0; i < p->time_count; i++) {
        sn_motion_sample(p->motion, p->pose, 0, p->times[i], 0.0f);
        ref_sample(p->model, 0, p->times[i], is_nlerp, locals);
        for (uint32_t node = 0; node < p->model->node_count; node++) {
            sn_trs actual = sn_pose_local(p->pose, (int32_t)node);
            ref_compare_local(&error, &locals[node], &actual);
        }
    }
    return error;
}

static void sample_row(bench *b, const char *id, const char *workload, const bench_plan *plan, bool is_random,
                       bool is_nlerp)
{
    player p;
    if (player_open(b, &p, plan, &(sn_motion_opts){ .nlerp = is_nlerp })) {
        if (is_random) set_random_times(&p, plan->seconds);
        else set_forward_times(&p, plan->seconds);
        race *one = race_create(id, workload, "joint");
        ref_error error = check_samples(&p, is_nlerp);
        race_judge(one, &error);
        player_set_bytes(&p, plan->joints * sizeof(sn_trs));
        race_add(one, "sinew", run_sample, &p, plan->joints);
        one->counted = p.time_count;
        one->plain = race_add(one, "plain", run_plain_sample, &p, plan->joints);
        one->memory = race_add(one, "memset", run_fill, &p, plan->joints);
        race_run(b, one);
    }
    player_close(&p);
}

// Long clips need no more instructions, but valgrind needs long to make them.
static bool has_short_clips(const bench *b) { return b->opts->is_small || b->opts->counts; }

static void sample_rows(bench *b, const char *id, bool is_random, bool is_nlerp)
{
    static const uint32_t sizes[] = { 20, 67, 250 };
    if (!bench_has_row(b->opts->rows, id)) return;
    for (int i = 0; i < (b->opts->is_small ? 1 : 3); i++) {
        for (int k = 0; k < (has_short_clips(b) ? 1 : 2); k++) {
            char workload[48];
            bench_plan plan = { .joints = sizes[i], .clips = 1, .seconds = k ? 10.0f : 2.0f };
            plan.interpolation = SN_LINEAR;
            snprintf(workload, sizeof workload, "H%u, %.0f s", sizes[i], plan.seconds);
            sample_row(b, id, workload, &plan, is_random, is_nlerp);
        }
    }
}

static void curve_rows(bench *b)
{
    static const struct {
        const char *name;
        sn_interpolation interpolation;
    } kinds[] = { { "linear", SN_LINEAR },
                  { "step", SN_STEP },
                  { "Hermite", SN_HERMITE },
                  { "Bezier", SN_BEZIER },
                  { "cubic spline", SN_CUBIC_SPLINE } };
    if (!bench_has_row(b->opts->rows, "B1k")) return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bench_plan plan = { .joints = 67, .clips = 1, .seconds = 10.0f, .own_times = true };
        if (b->opts->is_small) plan.joints = 20;
        if (has_short_clips(b)) plan.seconds = 2.0f;
        plan.interpolation = kinds[i].interpolation;
        sample_row(b, "B1k", kinds[i].name, &plan, false, false);
    }
}

// B2: blending

static void run_blend(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) sn_motion_blend(p->motion, p->pose, p->layers, p->layer_count);
}

// Two poses in turn, so that the result does not come to rest where there is nothing left to blend.
static void run_plain_blend(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 1; k < p->layer_count; k++, p->plain_at++)
            sn_pose_blend(p->plain, p->others[p->plain_at % MOST_LAYERS], 0.5f);
}

static ref_error check_blend(player *p)
{
    ref_error error = { 0 };
    static ref_trs locals[MOST_LAYERS][MOST_JOINTS], expected[MOST_JOINTS];
    const ref_trs *all[MOST_LAYERS];
    for (uint32_t i = 0; i < p->layer_count; i++) {
        for (uint32_t k = 0; k < p->model->node_count; k++) ref_local(p->others[i], (int32_t)k, &locals[i][k]);
        all[i] = locals[i];
    }
    run_blend(p, 1);
    ref_blend(p->model, all, p->layers, p->layer_count, expected);
    for (uint32_t k = 0; k < p->model->node_count; k++) {
        sn_trs actual = sn_pose_local(p->pose, (int32_t)k);
        ref_compare_local(&error, &expected[k], &actual);
    }
    return error;
}

static void blend_row(bench *b, uint32_t layers, bool has_mask)
{
    player p;
    char workload[48];
    bench_plan plan = { .joints = b->opts->is_small ? 20 : 67, .clips = 1, .seconds = 2.0f };
    plan.interpolation = SN_LINEAR;
    snprintf(workload, sizeof workload, "%u layers%s", layers, has_mask ? ", mask" : "");
    if (player_open(b, &p, &plan, NULL)) {
        sn_error error = { 0 };
        p.mask = bench_alloc(sizeof *p.mask, plan.joints);
        p.layer_count = layers;
        for (uint32_t i = 0; i < plan.joints; i++) p.mask[i] = (float)(i % 3) * 0.5f;
        for (uint32_t i = 0; i < MOST_LAYERS; i++) {
            p.others[i] = sn_pose_create(p.model, NULL, &error);
            if (p.others[i]) sn_motion_sample(p.motion, p.others[i], 0, 0.4f * (float)i, 0.0f);
            p.layers[i].pose = p.others[i];
            p.layers[i].weight = 1.0f / (float)(i + 2);
            p.layers[i].mask = has_mask && i > 0 ? p.mask : NULL;
        }
        sn_pose_sample(p.plain, 0, 0.0f, 0.0f);
        race *one = race_create("B2", workload, "joint");
        ref_error differences = check_blend(&p);
        race_judge(one, &differences);
        player_set_bytes(&p, plan.joints * sizeof(sn_trs));
        race_add(one, "sinew", run_blend, &p, plan.joints);
        one->plain = race_add(one, "plain", run_plain_blend, &p, plan.joints);
        one->memory = race_add(one, "memset", run_fill, &p, plan.joints);
        race_run(b, one);
    }
    player_close(&p);
}

static void blend_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B2")) return;
    for (uint32_t layers = 2; layers <= 4; layers += 2) {
        blend_row(b, layers, false);
        blend_row(b, layers, true);
    }
}

// B3: solving, palettes

static void run_solve(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) sn_motion_solve(p->motion, p->pose, NULL);
}

static void run_plain_solve(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) sn_pose_solve(p->plain, NULL);
}

static void run_bare_solve(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) sn_motion_solve(p->bare->motion, p->bare->pose, NULL);
}

static void run_plain_bare_solve(void *context, uint32_t count)
{
    player *p = context;
    for (uint32_t i = 0; i < count; i++) sn_pose_solve(p->bare->plain, NULL);
}

// Worlds and palettes of the pose, from its own local transforms.
static ref_error check_solve(const player *p)
{
    ref_error error = { 0 };
    static ref_trs locals[MOST_JOINTS];
    static ref_mat34 worlds[MOST_JOINTS];
    for (uint32_t i = 0; i < p->model->node_count; i++) ref_local(p->pose, (int32_t)i, &locals[i]);
    ref_worlds(p->model, locals, worlds);
    for (uint32_t i = 0; i < p->model->node_count; i++) {
        sn_mat34 actual = sn_pose_world(p->pose, (int32_t)i);
        ref_compare_matrix(&error, &worlds[i], &actual);
    }
    for (uint32_t skin = 0; skin < p->model->skin_count; skin++) {
        const sn_mat34 *actual = sn_pose_palette(p->pose, (int32_t)skin);
        for (uint32_t i = 0; i < p->model->skins[skin].joint_count; i++) {
            ref_mat34 inverse_bind = ref_of(&p->model->skins[skin].inverse_bind[i]);
            ref_mat34 expected = ref_mul(&worlds[p->model->skins[skin].joints[i]], &inverse_bind);
            ref_compare_matrix(&error, &expected, &actual[i]);
        }
    }
    return error;
}

static void solve_row(bench *b, const char *workload, bench_shape shape, uint32_t joints)
{
    player p;
    bench_plan plan = { .shape = shape, .joints = joints, .clips = 1, .seconds = 2.0f, .interpolation = SN_LINEAR };
    if (player_open(b, &p, &plan, NULL)) {
        sn_pose_sample(p.pose, 0, 0.7f, 0.0f);
        sn_pose_sample(p.plain, 0, 0.7f, 0.0f);
        run_solve(&p, 1);
        race *one = race_create("B3", workload, "joint");
        ref_error error = check_solve(&p);
        race_judge(one, &error);
        player_set_bytes(&p, joints * sizeof(sn_mat34));
        race_add(one, "sinew", run_solve, &p, joints);
        one->plain = race_add(one, "plain", run_plain_solve, &p, joints);
        one->memory = race_add(one, "memset", run_fill, &p, joints);
        race_run(b, one);
    }
    player_close(&p);
}

static void solve_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B3")) return;
    solve_row(b, "H20", BENCH_HUMANOID, 20);
    if (b->opts->is_small) return;
    solve_row(b, "H67", BENCH_HUMANOID, 67);
    solve_row(b, "H250", BENCH_HUMANOID, 250);
    solve_row(b, "chain of 67", BENCH_CHAIN, 67);
    solve_row(b, "wide, 67", BENCH_WIDE, 67);
}

// Peers join after all others. What they compute must be right too.
static void add_peers(bench *b, race *to, const player *p, double units, void *contexts[BENCH_MOST_PEERS],
                      sn_vec3 (*expect)(const player *p, uint32_t index), uint32_t result_count)
{
    for (uint32_t i = 0; b->opts->peers && b->opts->peers[i].name && !b->opts->counts; i++) {
        const bench_peer *peer = &b->opts->peers[i];
        if (strcmp(peer->id, to->row.id) != 0 || !(contexts[i] = peer->create(p->model, p->pose))) continue;
        bench_runner *runner = race_add(to, peer->name, peer->run, contexts[i], units);
        if (!to->first_peer) to->first_peer = runner;
        ref_error error = { 0 };
        peer->run(contexts[i], 1);
        for (uint32_t k = 0; k < result_count; k++) {
            sn_vec3 expected = expect(p, k), actual = peer->read(contexts[i], k);
            ref_compare_vector(&error, (double[3]){ expected.x, expected.y, expected.z }, actual);
        }
        if (error.length <= most_length_error * model_size) continue;
        fprintf(stderr, "%s %s: %s differs by %g\n", to->row.id, to->row.workload, peer->name, error.length);
        b->is_good = false;
    }
}

static void free_peers(const bench *b, void *contexts[BENCH_MOST_PEERS])
{
    for (uint32_t i = 0; i < BENCH_MOST_PEERS; i++)
        if (contexts[i]) b->opts->peers[i].free(contexts[i]);
}

static sn_vec3 palette_place(const player *p, uint32_t index)
{
    const sn_mat34 *matrix = &sn_pose_palette(p->pose, 0)[index];
    return (sn_vec3){ matrix->m[0][3], matrix->m[1][3], matrix->m[2][3] };
}

// The time of a solve with four skins less that of a solve without one.
static void palette_row(bench *b, uint32_t joints)
{
    player p;
    char workload[48];
    bench_plan plan = { .joints = joints, .clips = 1, .seconds = 2.0f, .interpolation = SN_LINEAR };
    snprintf(workload, sizeof workload, "H%u", joints);
    player bare;
    bool is_open = player_open(b, &bare, &plan, NULL);
    plan.skins = PALETTE_SKINS;
    is_open = player_open(b, &p, &plan, NULL) && is_open;
    if (is_open) {
        void *contexts[BENCH_MOST_PEERS] = { 0 };
        p.bare = &bare;
        sn_pose *all[] = { p.pose, p.plain, bare.pose, bare.plain };
        for (int i = 0; i < 4; i++) sn_pose_sample(all[i], 0, 0.7f, 0.0f);
        run_solve(&p, 1);
        race *one = race_create("B3p", workload, "joint");
        ref_error error = check_solve(&p);
        race_judge(one, &error);
        double units = (double)joints * PALETTE_SKINS;
        player_set_bytes(&p, joints * sizeof(sn_mat34));  // one palette
        race_add(one, "sinew", run_solve, &p, units)->base = run_bare_solve;
        one->plain = race_add(one, "plain", run_plain_solve, &p, units);
        one->plain->base = run_plain_bare_solve;
        one->memory = race_add(one, "memset", run_fill, &p, joints);
        add_peers(b, one, &p, joints, contexts, palette_place, joints);
        race_run(b, one);
        free_peers(b, contexts);
    }
    player_close(&p);
    player_close(&bare);
}

static void palette_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B3p")) return;
    palette_row(b, 20);
    if (b->opts->is_small) return;
    palette_row(b, 67);
    palette_row(b, 250);
}

// B4: skinning

typedef struct skin_work {
    player p;
    sn_skinner *skinner;
    sn_skin_output output;
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
} skin_work;

static void run_skin(void *context, uint32_t count)
{
    skin_work *w = context;
    for (uint32_t i = 0; i < count; i++) sn_skinner_run(w->skinner, w->p.pose, 0, &w->output);
}

static void run_plain_skin(void *context, uint32_t count)
{
    skin_work *w = context;
    for (uint32_t i = 0; i < count; i++)
        sn_skin_part(w->p.pose, 0, w->output.positions, w->output.normals, w->output.tangents);
}

static void run_copy(void *context, uint32_t count)
{
    skin_work *w = context;
    const sn_mesh *mesh = &w->p.model->meshes[0];
    size_t size = mesh->vertex_count;
    for (uint32_t i = 0; i < count; i++) {
        copy_bytes(w->output.positions, mesh->positions, size * sizeof(sn_vec3));
        if (w->output.normals) copy_bytes(w->output.normals, mesh->normals, size * sizeof(sn_vec3));
        if (w->output.tangents) copy_bytes(w->output.tangents, mesh->tangents, size * sizeof(sn_vec4));
    }
}

static ref_error check_skin(const skin_work *w)
{
    ref_error error = { 0 };
    const sn_mesh *mesh = &w->p.model->meshes[0];
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        ref_vertex expected = ref_skin(mesh, sn_pose_palette(w->p.pose, 0), i);
        ref_compare_vector(&error, expected.position, w->positions[i]);
        if (w->output.normals) ref_compare_vector(&error, expected.normal, w->normals[i]);
        if (!w->output.tangents) continue;
        sn_vec4 tangent = w->tangents[i];
        ref_compare_vector(&error, expected.tangent, (sn_vec3){ tangent.x, tangent.y, tangent.z });
        if (tangent.w != mesh->tangents[i].w) error.length = INFINITY;
    }
    return error;
}

static sn_vec3 skinned_place(const player *p, uint32_t index)
{
    ref_vertex vertex = ref_skin(&p->model->meshes[0], sn_pose_palette(p->pose, 0), index);
    return (sn_vec3){ (float)vertex.position[0], (float)vertex.position[1], (float)vertex.position[2] };
}

// `attributes`: 1 positions, 2 also normals, 3 also tangents. Influences 0: a mixed mesh.
static void skin_row(bench *b, int attributes, uint32_t influences, uint32_t vertices)
{
    static const char *const written[] = { "", "P", "P+N", "P+N+T" };
    skin_work w = { 0 };
    static const char *const mixes[] = {
        [0] = "mixed", [1] = "1 influence", [2] = "2 influences", [4] = "4 influences", [8] = "8 influences"
    };
    char workload[48];
    sn_error error = { 0 };
    if (b->opts->is_small) vertices = 500;
    snprintf(workload, sizeof workload, "%s, %s, %gk", written[attributes], mixes[influences], vertices / 1000.0);
    bench_plan plan = { .joints = 67, .clips = 1, .seconds = 2.0f, .interpolation = SN_LINEAR, .skins = 1 };
    plan.vertices = vertices, plan.influences = influences;
    if (player_open(b, &w.p, &plan, NULL)) {
        w.skinner = sn_skinner_create(w.p.model, 0, &(sn_skinner_opts){ .simd = b->opts->simd }, &error);
        w.positions = bench_alloc(sizeof *w.positions, vertices);
        w.normals = bench_alloc(sizeof *w.normals, vertices);
        w.tangents = bench_alloc(sizeof *w.tangents, vertices);
        w.output.positions = w.positions;
        if (attributes > 1) w.output.normals = w.normals;
        if (attributes > 2) w.output.tangents = w.tangents;
        sn_pose_sample(w.p.pose, 0, 0.7f, 0.0f);
        sn_pose_solve(w.p.pose, NULL);
    }
    if (w.skinner) {
        void *contexts[BENCH_MOST_PEERS] = { 0 };
        run_skin(&w, 1);
        race *one = race_create("B4", workload, "vertex");
        ref_error differences = check_skin(&w);
        race_judge(one, &differences);
        race_add(one, "sinew", run_skin, &w, vertices);
        one->counted = 1;
        one->plain = race_add(one, "plain", run_plain_skin, &w, vertices);
        one->memory = race_add(one, "memcpy", run_copy, &w, vertices);
        if (attributes == 2) add_peers(b, one, &w.p, vertices, contexts, skinned_place, vertices);
        race_run(b, one);
        free_peers(b, contexts);
    } else if (w.p.motion) fail(b, "sn_skinner_create", &error);
    sn_skinner_free(w.skinner);
    free(w.positions), free(w.normals), free(w.tangents);
    player_close(&w.p);
}

static void skin_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B4")) return;
    for (uint32_t vertices = 10000; vertices <= (has_short_clips(b) ? 10000 : 100000); vertices *= 10)
        for (uint32_t influences = 1; influences <= 4; influences *= 2) skin_row(b, 2, influences, vertices);
    skin_row(b, 1, 4, 10000);
    skin_row(b, 3, 4, 10000);
    skin_row(b, 2, 8, 10000);
    skin_row(b, 2, 0, 10000);
}

// B5: crowds

typedef struct crowd_work {
    player p;
    sn_crowd *crowd;
    sn_crowd_instance *instances;
    sn_crowd_output output;
    sn_mat34 *palettes;
    sn_pose *other;
    uint32_t count, plain_at, filled_at;
} crowd_work;

static void run_crowd(void *context, uint32_t count)
{
    crowd_work *w = context;
    for (uint32_t i = 0; i < count; i++) sn_crowd_palettes(w->crowd, 0, w->instances, w->count, 0.0f, &w->output);
}

static void run_plain_crowd(void *context, uint32_t count)
{
    crowd_work *w = context;
    for (uint32_t i = 0; i < count; i++, w->plain_at = (w->plain_at + 1) % w->count) {
        const sn_crowd_instance *instance = &w->instances[w->plain_at];
        sn_pose *pose = w->p.plain;
        sn_pose_sample(pose, instance->clip, instance->seconds, 0.0f);
        if (instance->previous >= 0) {
            sn_pose_sample(w->other, instance->previous, instance->previous_seconds, 0.0f);
            sn_pose_blend(pose, w->other, 1.0f - instance->fade);
        }
        sn_pose_solve(pose, NULL);
    }
}

static void run_fill_crowd(void *context, uint32_t count)
{
    crowd_work *w = context;
    size_t joints = w->p.model->node_count;
    for (uint32_t i = 0; i < count; i++, w->filled_at = (w->filled_at + 1) % w->count)
        fill_bytes(w->palettes + w->filled_at * joints, 0, joints * sizeof(sn_mat34));
}

// A cross-fade is a blend of two layers.
static ref_error check_crowd(const crowd_work *w)
{
    ref_error error = { 0 };
    static ref_trs locals[2][MOST_JOINTS], mixed[MOST_JOINTS];
    static ref_mat34 worlds[MOST_JOINTS];
    const sn_model *model = w->p.model;
    for (uint32_t i = 0; i < w->count; i++) {
        const sn_crowd_instance *instance = &w->instances[i];
        bool fades = instance->previous >= 0;
        const ref_trs *both[2] = { locals[0], locals[1] };
        sn_blend_layer layers[2] = { { .weight = fades ? instance->fade : 1.0f }, { .weight = 1.0f - instance->fade } };
        ref_sample(model, instance->clip, instance->seconds, false, locals[0]);
        if (fades) ref_sample(model, instance->previous, instance->previous_seconds, false, locals[1]);
        ref_blend(model, both, layers, fades ? 2 : 1, mixed);
        ref_worlds(model, mixed, worlds);
        for (uint32_t k = 0; k < model->node_count; k++) {
            ref_mat34 inverse_bind = ref_of(&model->skins[0].inverse_bind[k]);
            ref_mat34 expected = ref_mul(&worlds[k], &inverse_bind);
            ref_compare_matrix(&error, &expected, &w->palettes[i * model->node_count + k]);
        }
    }
    return error;
}

static void crowd_row(bench *b, bool fades)
{
    crowd_work w = { .count = b->opts->is_small ? 20 : 1000 };
    sn_error error = { 0 };
    bench_random random = { 3 };
    bench_plan plan = { .joints = 67, .clips = 2, .seconds = 2.0f, .interpolation = SN_LINEAR, .skins = 1 };
    if (player_open(b, &w.p, &plan, NULL)) {
        w.crowd = sn_crowd_create(w.p.motion, 1, NULL, &error);
        w.other = sn_pose_create(w.p.model, NULL, &error);
        w.palettes = bench_alloc(sizeof *w.palettes, (size_t)w.count * plan.joints);
        w.instances = bench_alloc(sizeof *w.instances, w.count);
        w.output.palettes = w.palettes;
        for (uint32_t i = 0; i < w.count; i++) {
            sn_crowd_instance *instance = &w.instances[i];
            instance->previous = -1;
            instance->fade = 1.0f;
            instance->seconds = (float)bench_random_between(&random, 0.0, plan.seconds);
            if (!fades) continue;
            instance->previous = 1;
            instance->previous_seconds = (float)bench_random_between(&random, 0.0, plan.seconds);
            instance->fade = (float)bench_random_between(&random, 0.1, 0.9);
        }
    }
    if (w.crowd && w.other) {
        run_crowd(&w, 1);
        race *one = race_create("B5", fades ? "cross-fade of 2 clips" : "1 clip", "instance");
        ref_error differences = check_crowd(&w);
        race_judge(one, &differences);
        race_add(one, "sinew", run_crowd, &w, w.count);
        one->counted = 1;
        one->plain = race_add(one, "plain", run_plain_crowd, &w, 1);
        one->memory = race_add(one, "memset", run_fill_crowd, &w, 1);
        race_run(b, one);
    } else if (w.p.motion) fail(b, "sn_crowd_create", &error);
    sn_crowd_free(w.crowd);
    sn_pose_free(w.other);
    free(w.palettes), free(w.instances);
    player_close(&w.p);
}

static void crowd_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B5")) return;
    crowd_row(b, false);
    crowd_row(b, true);
}

// B6: bytes and joint error

// The largest distance of a joint from where the exact tracks put it, at keys and between them.
static double find_joint_error(const player *p, float seconds)
{
    enum { STEPS_PER_SECOND = 150 };
    static ref_trs locals[MOST_JOINTS];
    static ref_mat34 worlds[MOST_JOINTS];
    double largest = 0.0;
    for (uint32_t i = 0; i <= (uint32_t)seconds * STEPS_PER_SECOND; i++) {
        float time = (float)i / STEPS_PER_SECOND;
        sn_motion_sample(p->motion, p->pose, 0, time, 0.0f);
        sn_motion_solve(p->motion, p->pose, NULL);
        ref_sample(p->model, 0, time, false, locals);
        ref_worlds(p->model, locals, worlds);
        for (uint32_t k = 0; k < p->model->node_count; k++) {
            sn_mat34 actual = sn_pose_world(p->pose, (int32_t)k);
            double square = 0.0;
            for (int r = 0; r < 3; r++) square += pow(actual.m[r][3] - worlds[k].m[r][3], 2.0);
            largest = fmax(largest, sqrt(square));
        }
    }
    return largest;
}

static void size_row(bench *b, const char *workload, bool only_turns, const sn_motion_opts *opts, double most_error)
{
    player p;
    uint32_t joints = b->opts->is_small ? 20 : 67;
    bench_plan plan = { .joints = joints, .clips = 1, .seconds = 10.0f, .interpolation = SN_LINEAR };
    plan.only_turns = only_turns;
    if (has_short_clips(b)) plan.seconds = 2.0f;
    if (player_open(b, &p, &plan, opts)) {
        race *one = race_create("B6", workload, "joint");
        double error = find_joint_error(&p, plan.seconds);
        one->row.bytes_per_second = sn_motion_get_info(p.motion).bytes_per_node_second;
        one->row.error_mm = 1000.0 * error;
        one->row.max_error = error / model_size;
        one->row.is_accurate = error <= most_error;
        set_forward_times(&p, plan.seconds);
        race_add(one, "sinew", run_sample, &p, joints);
        one->counted = p.time_count;
        one->plain = race_add(one, "plain", run_plain_sample, &p, joints);
        race_run(b, one);
    }
    player_close(&p);
}

// Clips in which every channel moves, and such as most are: joints turn, only the root moves, nothing scales.
static void size_rows(bench *b)
{
    if (!bench_has_row(b->opts->rows, "B6")) return;
    const sn_motion_opts small = { .quantize = true, .max_error = 0.001f };
    size_row(b, "f32", false, &(sn_motion_opts){ 0 }, most_length_error * model_size);
    size_row(b, "i16", false, &(sn_motion_opts){ .quantize = true }, 0.001);
    size_row(b, "i16, 1 mm", false, &small, 0.001);
    size_row(b, "only turns: f32", true, &(sn_motion_opts){ 0 }, most_length_error * model_size);
    size_row(b, "only turns: f32, 1 mm", true, &(sn_motion_opts){ .max_error = 0.001f }, 0.001);
    size_row(b, "only turns: i16, 1 mm", true, &small, 0.001);
}

// One item of a list of rows: "B1" (with B1r and others), "B1r", "B1-B6".
static bool item_has_row(const char *item, size_t size, const char *id)
{
    int first = 0, last = 0, used = 0, number = atoi(id + 1);
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)size, item);
    if (sscanf(text, "B%d-B%d%n", &first, &last, &used) == 2 && !text[used]) return number >= first && number <= last;
    if (sscanf(text, "B%d%n", &first, &used) == 1 && !text[used]) return number == first;
    return strcmp(text, id) == 0;
}

bool bench_has_row(const char *rows, const char *id)
{
    if (!rows) return true;
    for (const char *at = rows;; at++) {
        size_t size = strcspn(at, ",");
        if (item_has_row(at, size, id)) return true;
        at += size;
        if (!*at) return false;
    }
}

bool bench_find_simd(const char *name, sn_simd *simd)
{
    *simd = SN_SIMD_AUTO;
    return !name || !*name || (sn_simd_find(name, simd) && sn_simd_is_supported(*simd));
}

bool bench_run(const bench_opts *opts)
{
    bench b = { opts, true };
    sample_rows(&b, "B1", false, false);
    sample_rows(&b, "B1r", true, false);
    sample_rows(&b, "B1n", false, true);
    curve_rows(&b);
    blend_rows(&b);
    solve_rows(&b);
    palette_rows(&b);
    skin_rows(&b);
    crowd_rows(&b);
    size_rows(&b);
    return b.is_good;
}
