// Games draw a model with a clip: what is saved of one rests as it stands. Clips show what they showed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"

enum { BODY, AXE, GORE, EFFECT, ORB, PARTS };

static const float now[1] = { 0 }, times[2] = { 0, 0.5f };
static const float off[1] = { 0 }, on[1] = { 1 }, late[2] = { 0, 1 }, small[3] = { 0, 0, 0 },
                   full[6] = { 0, 0, 0, 1, 1, 1 };
static test_rig rig;
static sn_clip clips[3];

static void hide(sn_target kind, int32_t target, sn_channel channel, sn_track keys)
{
    rig_track(&rig, kind, target, channel, keys);
}

static void end_clip(uint32_t index, const char *name, uint32_t *used)
{
    clips[index] = (sn_clip){
        .name = name, .duration = 1.0f, .tracks = rig.tracks + *used, .track_count = rig.clip.track_count - *used
    };
    *used = rig.clip.track_count;
    rig.model.clips = clips;
    rig.model.clip_count = index + 1;
}

// Skinned, or each part on a node of its own. The axe is hidden in "Stand" and appears in "Decay"; the gore appears in
// "Decay" alone; the effect is hidden but for "Stand"; "Stand" shrinks the orb's node to nothing, "Decay" lets it grow.
static void make(const char *format, bool is_skinned, const char *stand)
{
    static const sn_mat34 binds[2] = { { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
                                       { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } } };
    static const int32_t joints[2] = { 0, 1 };
    static sn_vec3 triangles[PARTS][3];
    static const float whole[6] = { 1, 0, 1, 0, 1, 0 };
    static const uint16_t at_root[6] = { 0, 0, 0, 0, 0, 0 }, at_orb[6] = { 1, 0, 1, 0, 1, 0 };
    uint32_t used = 0;
    rig_init(&rig);
    rig.model.format = format;
    rig_node(&rig, -1, trs_identity, is_skinned ? SN_NODE_JOINT : 0);
    rig_node(&rig, 0, trs_identity, is_skinned ? SN_NODE_JOINT : 0);
    rig.nodes[0].name = "root", rig.nodes[1].name = "orb";
    int32_t shown_by = rig_node(&rig, -1, trs_identity, 0);
    int32_t skin = is_skinned ? rig_skin(&rig, 2, joints, binds) : -1;
    for (int i = 0; i < PARTS; i++) {
        triangles[i][1].x = triangles[i][2].y = (float)(i + 1);  // to know it again
        sn_mesh *mesh = rig_mesh(&rig, 3, triangles[i]);
        if (is_skinned) {
            mesh->influence_count = 2;
            mesh->vertex_joints = i == ORB ? at_orb : at_root;
            mesh->vertex_weights = whole;
        }
        rig_part(&rig, i, is_skinned ? shown_by : i == ORB ? 1 : 0, skin);
    }
    rig.parts[EFFECT].is_hidden = true;

    hide(SN_TARGET_PART, AXE, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, now, off));
    hide(SN_TARGET_PART, GORE, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, now, off));
    hide(SN_TARGET_PART, EFFECT, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, now, on));
    hide(SN_TARGET_NODE, 1, SN_CHANNEL_SCALE, keys_of(SN_STEP, 1, 3, now, small));
    end_clip(0, stand, &used);
    hide(SN_TARGET_PART, GORE, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, now, off));
    end_clip(1, "Attack", &used);
    hide(SN_TARGET_PART, AXE, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 2, 1, times, late));
    hide(SN_TARGET_NODE, 1, SN_CHANNEL_SCALE, keys_of(SN_STEP, 2, 3, times, full));
    end_clip(2, "Decay", &used);
}

static sn_model *save_and_load(bool no_tricks)
{
    sn_bytes bytes;
    sn_error error;
    sn_save_opts opts = { .no_visibility_tricks = no_tricks };
    if (sn_save_memory(&rig.model, "glb", &opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model *model = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!model) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    return model;
}

// One letter for each part that is visible and larger than a point.
static const char *shown_at(const sn_model *model, int32_t clip, float seconds)
{
    static const char letters[] = "bageo";
    static char text[PARTS + 1];
    int used = 0;
    bool is_shown[PARTS] = { false };
    sn_vec3 corners[3];
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, clip, seconds, 0.0f);
    sn_pose_solve(pose, NULL);
    assert_int_equal(model->part_count, PARTS);
    for (int32_t i = 0; i < PARTS; i++) {
        sn_skin_part(pose, i, corners, NULL, NULL);
        int which = (int)model->meshes[model->parts[i].mesh].positions[1].x - 1;
        is_shown[which] = sn_pose_shows(pose, i) && corners[1].x - corners[0].x > 0.5f;
    }
    for (int i = 0; i < PARTS; i++)
        if (is_shown[i]) text[used++] = letters[i];
    text[used] = 0;
    sn_pose_free(pose);
    return text;
}

static void expect(const sn_model *model, const char *rest)
{
    assert_string_equal(shown_at(model, -1, 0), rest);
    assert_string_equal(shown_at(model, 0, 0.7f), "be");
    assert_string_equal(shown_at(model, 1, 0.7f), "bao");
    assert_string_equal(shown_at(model, 2, 0.2f), "bg");
    assert_string_equal(shown_at(model, 2, 0.7f), "bago");
}

static void a_model_rests_as_it_stands(void **state)
{
    (void)state;
    static const char *const formats[] = { "mdx", "w3d", "level5" };
    for (int i = 0; i < 6; i++) {
        make(formats[i / 2], i % 2, "Stand");
        expect(&rig.model, "bago");
        sn_model *model = save_and_load(false);
        expect(model, "be");
        sn_model_free(model);
    }
}

// So that the change can be undone.
static void what_changed_is_marked(void **state)
{
    (void)state;
    make("mdx", true, "Stand");
    sn_model *model = save_and_load(false);
    uint32_t shown = 0, hidden = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const char *extras = model->nodes[i].extras;
        shown += extras && strstr(extras, "\"sinew_rest\":\"shown\"");
        hidden += extras && strstr(extras, "\"sinew_rest\":\"hidden\"");
    }
    assert_int_equal(shown, 3);
    assert_int_equal(hidden, 1);
    sn_model_free(model);
}

static void rest_stays_where_it_is_seen_or_asked_for(void **state)
{
    (void)state;
    static const char *const formats[] = { "gltf", "built" };
    for (int i = 0; i < 2; i++) {
        make(formats[i], true, "Stand");
        sn_model *model = save_and_load(false);
        expect(model, "bago");
        sn_model_free(model);
    }
    make("mdx", true, "Stand");
    sn_model *model = save_and_load(true);
    expect(model, "bago");
    sn_model_free(model);
}

// No clip stands still, and none loops: only what no clip shows is hidden.
static void without_a_standing_clip_what_no_clip_shows_is_hidden(void **state)
{
    (void)state;
    make("mdx", true, "Birth");
    sn_model *model = save_and_load(false);
    expect(model, "bago");
    sn_model_free(model);
    rig.model.clip_count = 2;  // "Decay" alone showed the gore
    model = save_and_load(false);
    assert_string_equal(shown_at(model, -1, 0), "bao");
    assert_string_equal(shown_at(model, 1, 0.7f), "bao");
    sn_model_free(model);
}

// An effect that appears later is not saved as nothing.
static void something_is_always_shown(void **state)
{
    (void)state;
    make("mdx", true, "Stand");
    uint32_t used = rig.clip.track_count;
    for (int32_t i = 0; i < PARTS; i++)
        hide(SN_TARGET_PART, i, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 2, 1, times, late));
    end_clip(0, "Stand", &used);
    sn_model *model = save_and_load(false);
    assert_string_equal(shown_at(model, -1, 0), "bago");
    assert_string_equal(shown_at(model, 0, 0.2f), "");
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_rests_as_it_stands),
        cmocka_unit_test(what_changed_is_marked),
        cmocka_unit_test(rest_stays_where_it_is_seen_or_asked_for),
        cmocka_unit_test(without_a_standing_clip_what_no_clip_shows_is_hidden),
        cmocka_unit_test(something_is_always_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
