// Meshes whose vertices move one by one: each frame of a timeline at which some vertex has a key becomes a morph, with
// weights that go over from one to the next. Between keys both are linear, so that nothing is lost.
#include <stdio.h>
#include <stdlib.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

// How many vectors all morphs of a mesh may have beyond those that its keys state.
enum { SPARE_VECTORS = 1 << 18, VECTORS_PER_KEY = 4 };

typedef struct former {
    level5_builder *b;
    uint32_t node;
    const level5_mesh *mesh;
    int32_t *curve_of;  // by vertex, -1: it stays
    sni_list forms;     // level5_form
} former;

static int compare_frames(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Which curve moves which vertex: the last of the file, which comes first in the chain.
static void choose_curves(former *f, const level5_timeline *line)
{
    const level5_curve *curves = line->curves.items;
    uint32_t vertices = f->mesh->positions.count;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < vertices; i++) f->curve_of[i] = -1;
    for (int32_t at = line->moves[f->node].first_vertex; at >= 0; at = curves[at].next) {
        int64_t vertex = (int64_t)curves[at].source->target - 1;
        bool is_there = vertex >= 0 && vertex < vertices;
        if (is_there && f->curve_of[vertex] < 0) f->curve_of[vertex] = at;
        bad += !is_there;
    }
    sni_warn_many(&f->b->load->diag, SNI_WARN_TRACK_TARGET, bad, f->mesh->offset,
                  "tracks of vertices past the last of %u", vertices);
}

static void thin_out(former *f, level5_forms *forms, uint64_t keys)
{
    uint64_t vertices = f->mesh->positions.count,
             most = (SPARE_VECTORS + VECTORS_PER_KEY * keys) / (vertices > 0 ? vertices : 1);
    if (most < 2) most = 2;
    if (forms->count <= most) return;
    sni_warn(&f->b->load->diag, SNI_WARN_RESAMPLED, f->mesh->offset,
             "vertices have keys at %u frames; %u of them are shown", forms->count, (uint32_t)most);
    for (uint64_t i = 0; i < most; i++) forms->frames[i] = forms->frames[i * (forms->count - 1) / (most - 1)];
    forms->count = (uint32_t)most;
}

// All frames at which one of the curves has a key, each once.
static bool collect_frames(former *f, const level5_timeline *line, level5_forms *forms)
{
    const level5_curve *curves = line->curves.items;
    uint32_t vertices = f->mesh->positions.count, kept = 0, count = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < vertices; i++) total += f->curve_of[i] < 0 ? 0 : curves[f->curve_of[i]].count;
    double *frames = sni_new_raw(&f->b->load->scratch, double, total);
    if (!frames) return false;
    for (uint32_t i = 0; i < vertices; i++) {
        const level5_curve *curve = f->curve_of[i] < 0 ? NULL : &curves[f->curve_of[i]];
        if (curve) memcpy(frames + count, curve->frames, curve->count * sizeof *frames);
        if (curve) count += curve->count;
    }
    if (count > 1) qsort(frames, count, sizeof *frames, compare_frames);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || frames[i] != frames[kept - 1]) frames[kept++] = frames[i];
    forms->frames = frames;
    forms->count = kept;
    thin_out(f, forms, total);
    return true;
}

// Where each vertex is at that frame, less where the MDS has it. True where none has moved.
static bool form(const former *f, const level5_timeline *line, double frame, sn_vec3 *moves)
{
    const level5_curve *curves = line->curves.items;
    bool is_rest = true;
    for (uint32_t i = 0; i < f->mesh->positions.count; i++) {
        float to[3];
        moves[i] = sni_vec3(0, 0, 0);
        if (f->curve_of[i] < 0) continue;
        level5_sample(&curves[f->curve_of[i]], frame, to);
        sn_vec4 from = level5_read_vector(f->mesh->positions, i);
        moves[i] = sni_vec3(to[0] - from.x, to[1] - from.y, to[2] - from.z);
        if (moves[i].x != 0.0f || moves[i].y != 0.0f || moves[i].z != 0.0f) is_rest = false;
    }
    return is_rest;
}

// Frames that stand still come together: a form that was met a few before is that one again.
static bool keep_form(former *f, const level5_motion *motion, double frame, const sn_vec3 *moves, int32_t *morph)
{
    size_t size = f->mesh->positions.count * sizeof *moves;
    const level5_form *known = f->forms.items;
    char name[48];
    for (uint32_t i = f->forms.count; i-- > 0 && f->forms.count - i <= 8;)
        if (memcmp(known[i].moves, moves, size) == 0) {
            *morph = (int32_t)i;
            return true;
        }
    int length = motion->set ? snprintf(name, sizeof name, "set %d frame %.0f", motion->set, frame)
                             : snprintf(name, sizeof name, "frame %.0f", frame);
    sn_vec3 *copy = sni_new_raw(&f->b->load->scratch, sn_vec3, f->mesh->positions.count);
    level5_form *form = copy ? sni_push(&f->b->load->scratch, &f->forms, level5_form) : NULL;
    if (!form) return false;
    memcpy(copy, moves, size);
    *form = (level5_form){ sni_copy_text(&f->b->load->keep, name, (size_t)length), copy };
    *morph = (int32_t)f->forms.count - 1;
    return form->name != NULL;
}

static bool form_timeline(former *f, const level5_motion *motion)
{
    level5_timeline *line = motion->timeline;
    level5_forms forms = { .node = f->node };
    choose_curves(f, line);
    if (!collect_frames(f, line, &forms)) return false;
    sn_vec3 *moves = sni_new_raw(&f->b->load->scratch, sn_vec3, f->mesh->positions.count);
    forms.morphs = sni_new_raw(&f->b->load->scratch, int32_t, forms.count);
    level5_forms *slot = sni_push(&f->b->load->scratch, &line->forms, level5_forms);
    if (!moves || !forms.morphs || !slot) return false;
    for (uint32_t i = 0; i < forms.count; i++) {
        forms.morphs[i] = -1;
        if (!form(f, line, forms.frames[i], moves) && !keep_form(f, motion, forms.frames[i], moves, &forms.morphs[i]))
            return false;
    }
    *slot = forms;
    return true;
}

static bool is_first_of(const level5_motion *motions, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (motions[i].timeline == motions[index].timeline) return false;
    return motions[index].timeline != NULL;
}

static bool changes(const level5_motion *motion, uint32_t node)
{
    return motion->timeline && motion->timeline->moves[node].first_vertex >= 0;
}

static bool build_forms(level5_builder *b, uint32_t node)
{
    const level5_motion *motions = b->motions.items;
    former f = { .b = b, .node = node, .mesh = &b->mds->meshes[b->mds->nodes[node].mesh] };
    f.curve_of = sni_new_raw(&b->load->scratch, int32_t, f.mesh->positions.count);
    for (uint32_t i = 0; f.curve_of && i < b->motions.count; i++)
        if (changes(&motions[i], node) && is_first_of(motions, i) && !form_timeline(&f, &motions[i])) return false;
    if (!f.curve_of || f.forms.count == 0) return sni_load_ok(b->load);
    level5_shapes *shapes = sni_push(&b->load->scratch, &b->shapes, level5_shapes);
    if (!shapes) return false;
    *shapes = (level5_shapes){ f.forms.items, f.forms.count };
    b->bones[node].shapes = (int32_t)b->shapes.count - 1;
    return true;
}

bool level5_build_shapes(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    for (uint32_t node = 0; node < b->bone_count; node++) {
        bool is_formed = false;
        for (uint32_t i = 0; i < b->motions.count && !is_formed; i++) is_formed = changes(&motions[i], node);
        if (is_formed && b->mds->nodes[node].mesh >= 0 && !build_forms(b, node)) return false;
    }
    return true;
}
