// Warcraft III models as .glb and back: what glTF has no place for goes through extras.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static int32_t marks_lost, changed_globals;

static void count_loss(void *user, const sn_warning *loss)
{
    (void)user;
    if (strstr(loss->message, "are missing")) marks_lost++;
    if (strstr(loss->message, "changed elsewhere")) changed_globals += (int32_t)loss->count;
    if (getenv("SINEW_TEST_VERBOSE"))
        printf("    %s %s: %s (%u)\n", sn_warning_name(loss->code), loss->path, loss->message, loss->count);
}

static sn_model *convert(const sn_model *model, const char *extension, sn_game game)
{
    sn_error error;
    sn_bytes bytes;
    const sn_save_opts opts = { .game = game, .report = count_loss };
    if (sn_save_memory(model, extension, &opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    return again;
}

static sn_model *load(const char *sample)
{
    char path[512];
    sn_error error;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path, NULL, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static const sn_node *find_node(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (strcmp(model->nodes[i].name, name) == 0 && model->nodes[i].extras) return &model->nodes[i];
    return NULL;
}

// The text of a member of extras, up to the next one.
static const char *member(const char *extras, const char *key, char out[400])
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = extras ? strstr(extras, quoted) : NULL;
    size_t size = 0, depth = 0;
    for (; at && at[size] && size < 399; size++) {
        if (at[size] == '[' || at[size] == '{') depth++;
        if ((at[size] == ']' || at[size] == '}' || at[size] == ',') && depth == 0) break;
        if (at[size] == ']' || at[size] == '}') depth--;
    }
    if (at) memcpy(out, at, size);
    out[at ? size : 0] = 0;
    return out;
}

static void check_members(const char *a, const char *b, const char *const *keys)
{
    char one[400], two[400];
    for (; *keys; keys++) assert_string_equal(member(a, *keys, one), member(b, *keys, two));
}

// Everything but bones, which name their geosets anew, and indices into lists that are made anew.
static void check_nodes(const sn_model *a, const sn_model *b)
{
    static const char *const keys[] = { "kind",           "attenuationStart",
                                        "attenuationEnd", "ambColor",
                                        "attachmentID",   "path",
                                        "speed",          "variation",
                                        "latitude",       "gravity",
                                        "lifeSpan",       "length",
                                        "width",          "rows",
                                        "columns",        "segmentColor",
                                        "alpha",          "particleScaling",
                                        "lifeSpanUVAnim", "tailUVAnim",
                                        "filterMode",     "particles",
                                        "squirt",         "texture",
                                        "heightAbove",    "heightBelow",
                                        "color",          "emissionRate",
                                        "materialID",     "tracks",
                                        "times",          "shape",
                                        "values",         "unshaded",
                                        "modelSpace",     "priorityPlane",
                                        "replaceableId",  NULL };
    static const char *const helper[] = { "kind", NULL };
    uint32_t compared = 0;
    for (uint32_t i = 0; i < a->node_count; i++) {
        const sn_node *old = &a->nodes[i];
        char kind[400];
        if (!old->extras) continue;
        const sn_node *new = find_node(b, old->name);
        if (!new) fail_msg("%s is gone", old->name);
        const uint32_t kept = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z |
                              SN_NODE_OWN_TRANSLATION | SN_NODE_OWN_ROTATION | SN_NODE_OWN_SCALE;
        assert_int_equal(old->flags & kept, new->flags &kept);
        if (strstr(member(old->extras, "kind", kind), "Helper") && new->flags & SN_NODE_JOINT) continue;
        const bool is_bone = strstr(kind, "Bone") || strstr(kind, "Helper");
        check_members(old->extras, new->extras, is_bone ? helper : keys);
        compared++;
    }
    assert_true(compared > 3);
}

static void check_clips(const sn_model *a, const sn_model *b)
{
    static const char *const keys[] = { "interval", "moveSpeed", "rarity", "syncPoint", "nonLooping", NULL };
    assert_int_equal(a->clip_count, b->clip_count);
    for (uint32_t i = 0; i < a->clip_count; i++) {
        assert_string_equal(a->clips[i].name, b->clips[i].name);
        check_members(a->clips[i].extras, b->clips[i].extras, keys);
    }
}

static void check_lists(const sn_model *a, const sn_model *b)
{
    assert_int_equal(a->event_count, b->event_count);
    for (uint32_t i = 0; i < a->event_count; i++) {
        assert_string_equal(a->events[i].name, b->events[i].name);
        assert_int_equal(a->events[i].clip, b->events[i].clip);
        assert_true(fabsf(a->events[i].time - b->events[i].time) < 1e-6f);
    }
    assert_int_equal(a->attachment_count, b->attachment_count);
    for (uint32_t i = 0; i < a->attachment_count; i++) {
        assert_string_equal(a->attachments[i].name, b->attachments[i].name);
        assert_string_equal(a->attachments[i].path, b->attachments[i].path);
        assert_int_equal(a->attachments[i].id, b->attachments[i].id);
    }
    assert_int_equal(a->shape_count, b->shape_count);
    assert_int_equal(a->light_count, b->light_count);
    assert_int_equal(a->camera_count, b->camera_count);
}

static bool is_same_track(const sn_track *a, const sn_track *b)
{
    if (a->key_count != b->key_count || a->width != b->width || a->interpolation != b->interpolation) return false;
    const uint32_t floats = a->key_count * a->width * (a->interpolation >= SN_HERMITE ? 3 : 1);
    for (uint32_t i = 0; i < a->key_count; i++)
        if (fabsf(a->times[i] - b->times[i]) > 1e-6f) return false;
    for (uint32_t i = 0; i < floats; i++)
        if (fabsf(a->values[i] - b->values[i]) > 1e-5f) return false;
    return fabsf(a->period - b->period) < 1e-6f;
}

// How many tracks on their own clock the first clip of `a` has, each of which the first of `b` must have, too.
static uint32_t check_globals(const sn_model *a, const sn_model *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->clips[0].track_count; i++) {
        const sn_track *track = &a->clips[0].tracks[i];
        bool is_found = false;
        if (!(track->period > 0.0f) || track->channel == SN_CHANNEL_IMAGE) continue;
        for (uint32_t k = 0; k < b->clips[0].track_count; k++) {
            const sn_track *other = &b->clips[0].tracks[k];
            if (other->target_kind != track->target_kind || other->channel != track->channel) continue;
            const bool is_target = track->target_kind != SN_TARGET_NODE ||
                                   strcmp(a->nodes[track->target].name, b->nodes[other->target].name) == 0;
            is_found |= is_target && is_same_track(track, other);
        }
        if (!is_found) fail_msg("track %u on its own clock is gone", i);
        count++;
    }
    return count;
}

// Layers that glTF joined, among them that of the team's colour.
static void check_layers(const sn_model *a, const sn_model *b)
{
    assert_int_equal(a->material_count, b->material_count);
    for (uint32_t i = 0; i < a->material_count; i++) {
        assert_int_equal(a->materials[i].layer_count, b->materials[i].layer_count);
        for (uint32_t k = 0; k < a->materials[i].layer_count; k++) {
            const sn_layer *one = &a->materials[i].layers[k], *two = &b->materials[i].layers[k];
            assert_int_equal(one->blend, two->blend);
            assert_int_equal(one->flags, two->flags);
            const bool is_team = strcmp(a->images[one->maps[SN_MAP_COLOR].image].name, "team color") == 0;
            if (is_team) assert_string_equal(b->images[two->maps[SN_MAP_COLOR].image].name, "team color");
        }
    }
}

// Clocks of their own and layers that were joined come back, whatever glTF made of them.
static void test_globals_and_layers(void **state)
{
    static const struct {
        const char *sample;
        uint32_t count;
    } samples[] = { { "hound.mdx", 5 }, { "lantern.mdl", 3 } };
    (void)state;
    marks_lost = changed_globals = 0;
    for (size_t i = 0; i < 2; i++) {
        sn_model *model = load(samples[i].sample), *glb = convert(model, "glb", SN_GAME_AUTO);
        sn_model *again = convert(glb, "mdx", SN_GAME_WARCRAFT_3);
        assert_int_equal(check_globals(model, again), samples[i].count);
        check_layers(model, again);
        sn_model_free(again), sn_model_free(glb), sn_model_free(model);
    }
    assert_int_equal(marks_lost + changed_globals, 0);
}

// What another program turned otherwise is kept as it is, and reported; so is what it dropped the extras of.
static void test_edited_globals(void **state)
{
    (void)state;
    sn_model *model = load("hound.mdx"), *glb = convert(model, "glb", SN_GAME_AUTO);
    sn_node *nodes = calloc(glb->node_count, sizeof *nodes);
    sn_clip *clips = calloc(glb->clip_count, sizeof *clips);
    sn_track *tracks = calloc(glb->clips[0].track_count, sizeof *tracks);
    static const float turned[] = { 1, 0, 0, 0 };
    sn_model edited = *glb;
    memcpy(nodes, glb->nodes, glb->node_count * sizeof *nodes);
    memcpy(clips, glb->clips, glb->clip_count * sizeof *clips);
    memcpy(tracks, glb->clips[0].tracks, glb->clips[0].track_count * sizeof *tracks);
    edited.nodes = nodes, edited.clips = clips, clips[0].tracks = tracks;
    edited.checked = NULL;
    for (uint32_t i = 0; i < glb->clips[0].track_count; i++)
        if (tracks[i].target_kind == SN_TARGET_NODE && tracks[i].channel == SN_CHANNEL_ROTATION &&
            strcmp(nodes[tracks[i].target].name, "Bone_Tail") == 0)
            tracks[i].key_count = 1, tracks[i].values = turned;
    marks_lost = changed_globals = 0;
    sn_model_free(convert(&edited, "mdx", SN_GAME_WARCRAFT_3));
    assert_int_equal(changed_globals, 1);
    assert_int_equal(marks_lost, 0);

    for (uint32_t i = 0; i < glb->node_count; i++) nodes[i].extras = NULL;
    sn_model_free(convert(&edited, "mdx", SN_GAME_WARCRAFT_3));
    assert_int_equal(marks_lost, 1);
    free(tracks), free(clips), free(nodes);
    sn_model_free(glb), sn_model_free(model);
}

// All but coarser levels of detail, which a .glb does not have.
static void check_meshes(const sn_model *a, const sn_model *b)
{
    static const char *const keys[] = { "selectionGroup", "unselectable", "dropShadow", NULL };
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->part_count; i++) {
        const sn_mesh *old = &a->meshes[a->parts[i].mesh];
        if (a->parts[i].lod > 0) continue;
        assert_true(found < b->mesh_count);
        assert_string_equal(old->name, b->meshes[found].name);
        check_members(old->extras, b->meshes[found++].extras, keys);
    }
    assert_int_equal(found, b->mesh_count);
}

static void check_through(const char *sample, sn_game game)
{
    sn_model *model = load(sample);
    sn_model *glb = convert(model, "glb", SN_GAME_AUTO);
    sn_model *again = convert(glb, "mdx", game);
    assert_string_equal(model->name, again->name);
    check_clips(model, again);
    check_nodes(model, again);
    check_lists(model, again);
    check_meshes(model, again);
    sn_model_free(again);
    sn_model_free(glb);
    sn_model_free(model);
}

static void test_samples(void **state)
{
    (void)state;
    marks_lost = 0;
    check_through("hound.mdx", SN_GAME_WARCRAFT_3);
    check_through("lantern.mdl", SN_GAME_WARCRAFT_3);
    check_through("golem.mdx", SN_GAME_REFORGED);
    assert_int_equal(marks_lost, 0);
}

// Another program dropped the extras: the joints that hide parts stay, and that is reported.
static void test_lost_marks(void **state)
{
    (void)state;
    sn_model *model = load("hound.mdx");
    sn_model *glb = convert(model, "glb", SN_GAME_AUTO);
    sn_node *nodes = calloc(glb->node_count, sizeof *nodes);
    sn_model edited = *glb;
    memcpy(nodes, glb->nodes, glb->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < glb->node_count; i++)
        if (strcmp(nodes[i].name, "Bone_Head") == 0) nodes[i].name = "Bone_Head.switch";
    edited.nodes = nodes;
    edited.checked = NULL;
    marks_lost = 0;
    sn_model_free(convert(&edited, "mdx", SN_GAME_WARCRAFT_3));
    assert_int_equal(marks_lost, 1);
    free(nodes);
    sn_model_free(glb);
    sn_model_free(model);
}

// The same for nodes that face the viewer, which have keys in glTF.
static void test_lost_billboards(void **state)
{
    (void)state;
    sn_model *model = load("lantern.mdl"), *glb = convert(model, "glb", SN_GAME_AUTO);
    sn_node *nodes = calloc(glb->node_count, sizeof *nodes);
    sn_model edited = *glb;
    int32_t marked = 0;
    memcpy(nodes, glb->nodes, glb->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < glb->node_count; i++)
        if (nodes[i].extras && strstr(nodes[i].extras, "sinew_baked")) nodes[i].extras = NULL, marked++;
    assert_true(marked > 0);
    edited.nodes = nodes;
    edited.checked = NULL;
    marks_lost = 0;
    sn_model_free(convert(&edited, "mdx", SN_GAME_WARCRAFT_3));
    assert_int_equal(marks_lost, 1);
    free(nodes);
    sn_model_free(glb), sn_model_free(model);
}

// Clips and attachments of models from elsewhere get the names that the game looks for.
static void test_names(void **state)
{
    static const struct {
        const char *from, *to;
    } names[] = { { "Armature|Idle", "Stand" }, { "idle2", "Stand - 2" },       { "Die", "Death" },
                  { "walk_01", "Walk" },        { "Attack - 2", "Attack - 2" }, { "Attack -3", "Attack -3" },
                  { "Sit Down", "Sit Down" } };
    enum { COUNT = sizeof names / sizeof *names };
    (void)state;
    sn_model *arm = load("arm.glb");
    sn_clip clips[COUNT];
    sn_model named = *arm;
    for (size_t i = 0; i < COUNT; i++) clips[i] = arm->clips[0], clips[i].name = names[i].from, clips[i].extras = NULL;
    named.clips = clips;
    named.clip_count = COUNT;
    named.checked = NULL;
    sn_model *saved = convert(&named, "mdx", SN_GAME_WARCRAFT_3);
    assert_int_equal(saved->clip_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) assert_string_equal(saved->clips[i].name, names[i].to);
    assert_int_equal(saved->attachment_count, arm->attachment_count + 1);
    assert_string_equal(saved->attachments[saved->attachment_count - 1].name, "Origin Ref");
    sn_model_free(saved);
    sn_model_free(arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples),
                                        cmocka_unit_test(test_lost_marks),
                                        cmocka_unit_test(test_lost_billboards),
                                        cmocka_unit_test(test_names),
                                        cmocka_unit_test(test_globals_and_layers),
                                        cmocka_unit_test(test_edited_globals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
