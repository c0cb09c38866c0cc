// Events, collision shapes and attachments as elements of the model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "check_model.h"
#include "format/mdx/mdx_doc.h"
#include "hand_models.h"
#include "little_endian.h"
#include "mdl_text.h"

#define TWO_SEQUENCES \
    "Sequences 2 { Anim \"Walk\" { Interval { 1000, 2000 }, } Anim \"Attack\" { Interval { 3000, 3500 }, } } "

static sn_model *load_mdl(const char *text)
{
    sn_error error;
    sn_model *model = mdx_mdl_load(800, text, NULL);
    assert_int_equal(sn_model_check(model, &error), SN_OK);
    return model;
}

static void expect_event(const sn_model *model, uint32_t index, const char *name, int32_t clip, float time,
                         float period)
{
    const sn_event *event = &model->events[index];
    assert_true(index < model->event_count);
    assert_string_equal(event->name, name);
    assert_int_equal(event->node, sn_model_find_node(model, name));
    assert_int_equal(event->clip, clip);
    assert_near(event->time, time);
    assert_near(event->period, period);
}

// Keys outside all sequences, and after the end of the global one, do not play. Keys need not be sorted.
static void test_events_of_two_sequences_and_a_global_one(void **state)
{
    (void)state;
    sn_model *model = load_mdl(TWO_SEQUENCES
                               "GlobalSequences 2 { Duration 700, Duration 4000, } "
                               "EventObject \"SNDxSTEP\" { ObjectId 0, EventTrack 6 { 3250, 1500, 1000, 2000, 500, "
                               "2500, } } "
                               "EventObject \"FPTxFOOT\" { ObjectId 1, EventTrack 2 { 1500, 3500, } } "
                               "EventObject \"SPLxBLOD\" { ObjectId 2, EventTrack 3 { GlobalSeqId 1, 250, 4000, "
                               "4001, } } PivotPoints 3 { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, }");
    assert_int_equal(model->event_count, 8);
    expect_event(model, 0, "SPLxBLOD", -1, 0.25f, 4);
    expect_event(model, 1, "SPLxBLOD", -1, 4, 4);
    expect_event(model, 2, "SNDxSTEP", 0, 0, 0);
    expect_event(model, 3, "SNDxSTEP", 0, 0.5f, 0);
    expect_event(model, 4, "FPTxFOOT", 0, 0.5f, 0);
    expect_event(model, 5, "SNDxSTEP", 0, 1, 0);
    expect_event(model, 6, "SNDxSTEP", 1, 0.25f, 0);
    expect_event(model, 7, "FPTxFOOT", 1, 0.5f, 0);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

// Sequences may overlap; a reversed one is the frame at its start.
static void test_events_in_overlapping_and_reversed_sequences(void **state)
{
    (void)state;
    sn_model *model = load_mdl("Sequences 3 { Anim \"a\" { Interval { 0, 1000 }, } Anim \"b\" { Interval { 500, "
                               "1500 }, } Anim \"c\" { Interval { 750, 0 }, } } "
                               "EventObject \"SNDxSTEP\" { ObjectId 0, EventTrack 2 { 750, 800, } } "
                               "PivotPoints 1 { { 0, 0, 0 }, }");
    assert_int_equal(model->event_count, 5);
    expect_event(model, 0, "SNDxSTEP", 0, 0.75f, 0);
    expect_event(model, 1, "SNDxSTEP", 0, 0.8f, 0);
    expect_event(model, 2, "SNDxSTEP", 1, 0.25f, 0);
    expect_event(model, 3, "SNDxSTEP", 1, 0.3f, 0);
    expect_event(model, 4, "SNDxSTEP", 2, 0, 0);
    sn_model_free(model);
}

// A global sequence of length 0 never repeats. One that does not exist is the file's timeline.
static void test_events_of_unusual_global_sequences(void **state)
{
    (void)state;
    sn_model *model = load_mdl(TWO_SEQUENCES
                               "GlobalSequences 1 { Duration 0, } "
                               "EventObject \"SNDxZERO\" { ObjectId 0, EventTrack 1 { GlobalSeqId 0, 0, } } "
                               "EventObject \"SNDxNONE\" { ObjectId 1, EventTrack 1 { GlobalSeqId 7, 1250, } } "
                               "PivotPoints 2 { { 0, 0, 0 }, { 0, 0, 0 }, }");
    assert_int_equal(model->event_count, 1);
    expect_event(model, 0, "SNDxNONE", 0, 0.25f, 0);
    sn_model_free(model);
}

// 3000 keys at one time in 400 equal sequences would be 1.2 million events: beyond the memory limit.
static void test_too_many_events(void **state)
{
    (void)state;
    static int32_t times[3000];
    static mdx_sequence sequences[400];
    mdx_event event = { .object.node = { .parent = -1 }, .has_times = true, .global_sequence = -1 };
    event.times = (mdx_array){ (const uint8_t *)times, 3000 };
    mdx_doc doc = { .version = 800, .events = { &event, 1, 1 }, .sequences = { sequences, 400, 400 } };
    sni_heap heap;
    sni_load load;
    sn_model model = { 0 };
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    assert_false(mdx_build(&load, &doc, &model));
    assert_int_equal(load.diag.error.status, SN_ERR_LIMIT);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    assert_int_equal(heap.used, 0);
}

static void expect_shape(const sn_model *model, const char *name, sn_shape_kind kind, sn_vec3 center, sn_vec3 extents,
                         float radius)
{
    int32_t node = sn_model_find_node(model, name);
    const sn_shape *shape = model->shapes;
    while (shape < model->shapes + model->shape_count && shape->node != node) shape++;
    assert_true(shape < model->shapes + model->shape_count);
    assert_string_equal(shape->name, name);
    assert_int_equal(shape->kind, kind);
    assert_false(shape->keeps_axes);
    assert_vec3(shape->center, center.x, center.y, center.z);
    assert_vec3(shape->extents, extents.x, extents.y, extents.z);
    assert_near(shape->radius, radius);
}

// The corners of boxes and planes come in any order. The node at (1, 2, 3) is the origin of each shape.
static void test_shapes_are_relative_to_their_pivots(void **state)
{
    (void)state;
    sn_model *model = load_mdl("Bone \"Root\" { ObjectId 4, } "
                               "CollisionShape \"box\" { ObjectId 0, Parent 4, Box, Vertices 2 { { 6, -2, 0 }, { "
                               "-4, 4, 10 }, } } "
                               "CollisionShape \"plane\" { ObjectId 1, Parent 4, Plane, Vertices 2 { { -5, -3, 0 "
                               "}, { 5, 3, 0 }, } } "
                               "CollisionShape \"sphere\" { ObjectId 2, Sphere, Vertices 1 { { 1, 2, 8 }, } "
                               "BoundsRadius 34, } "
                               "CollisionShape \"cylinder\" { ObjectId 3, Cylinder, Vertices 2 { { 1, 2, 3 }, { 1, "
                               "6, -5 }, } BoundsRadius 2.5, } "
                               "PivotPoints 5 { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 }, { 9, 9, 9 }, }");
    assert_int_equal(model->shape_count, 4);
    expect_shape(model, "box", SN_SHAPE_BOX, (sn_vec3){ 0, -1, 2 }, (sn_vec3){ 5, 3, 5 }, 0);
    expect_shape(model, "plane", SN_SHAPE_PLANE, (sn_vec3){ -1, -2, -3 }, (sn_vec3){ 5, 3, 0 }, 0);
    expect_shape(model, "sphere", SN_SHAPE_SPHERE, (sn_vec3){ 0, 0, 5 }, (sn_vec3){ 0, 0, 0 }, 34);
    expect_shape(model, "cylinder", SN_SHAPE_CYLINDER, (sn_vec3){ 0, 2, -4 }, (sn_vec3){ 0, 2, -4 }, 2.5f);
    sn_model_free(model);
}

// A plane of a length and a width, a cylinder of a point, a height and a radius; an unknown kind is left out.
static void test_short_and_unknown_shapes(void **state)
{
    (void)state;
    static const float plane[] = { 6, 4 }, cylinder[] = { 1, 2, 3, 8, 5 };
    static const float pivots[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    mdx_shape shapes[3] = { { .kind = MDX_PLANE, .values = { LITTLE_ENDIAN(plane), 2 } },
                            { .kind = MDX_PLANE, .values = { LITTLE_ENDIAN(cylinder), 5 } },
                            { .kind = 9 } };
    static const char *const names[] = { "p", "c", "u" };
    for (int i = 0; i < 3; i++)
        shapes[i].object.node = (mdx_node){ .name = sni_str_make(names[i], 1), .id = i, .parent = -1 };
    mdx_doc doc = { .version = 800, .shapes = { shapes, 3, 3 }, .pivots = { LITTLE_ENDIAN(pivots), 3 } };
    sni_heap heap;
    sni_load load;
    sn_model model = { 0 };
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    assert_true(mdx_build(&load, &doc, &model));
    check_model(&model);
    assert_int_equal(sn_model_check(&model, &load.diag.error), SN_OK);
    assert_int_equal(model.shape_count, 2);
    expect_shape(&model, "p", SN_SHAPE_PLANE, (sn_vec3){ 0, 0, 0 }, (sn_vec3){ 3, 2, 0 }, 0);
    expect_shape(&model, "c", SN_SHAPE_CYLINDER, (sn_vec3){ 0, 1, 6 }, (sn_vec3){ 0, 0, 4 }, 5);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
}

static void test_attachments(void **state)
{
    (void)state;
    sn_model *model = load_mdl("Attachment \"Hand Ref\" { ObjectId 1, Parent 2, AttachmentID 5, Path "
                               "\"sword.mdx\", } Bone \"Arm\" { ObjectId 2, } "
                               "Attachment \"Origin Ref\" { ObjectId 0, AttachmentID -7, } "
                               "PivotPoints 3 { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, }");
    assert_int_equal(model->attachment_count, 2);
    const sn_attachment *origin = &model->attachments[0], *hand = &model->attachments[1];
    assert_string_equal(origin->name, "Origin Ref");
    assert_string_equal(origin->path, "");
    assert_int_equal(origin->id, -1);
    assert_int_equal(origin->node, sn_model_find_node(model, "Origin Ref"));
    assert_string_equal(hand->name, "Hand Ref");
    assert_string_equal(hand->path, "sword.mdx");
    assert_int_equal(hand->id, 5);
    assert_int_equal(hand->node, sn_model_find_node(model, "Hand Ref"));
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_of_two_sequences_and_a_global_one),
        cmocka_unit_test(test_events_in_overlapping_and_reversed_sequences),
        cmocka_unit_test(test_events_of_unusual_global_sequences),
        cmocka_unit_test(test_too_many_events),
        cmocka_unit_test(test_shapes_are_relative_to_their_pivots),
        cmocka_unit_test(test_short_and_unknown_shapes),
        cmocka_unit_test(test_attachments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
