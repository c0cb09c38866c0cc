// A model made by hand, with a skeleton, a mesh that bends and a clip: 03_build [FILE]
#include <sinew/build.h>
#include <stdio.h>

// A strip of two quads, two units long: the lower end follows the first joint, the upper end the second.
static const sn_vec3 positions[6] = { { -1, 0, 0 }, { 1, 0, 0 }, { -1, 1, 0 }, { 1, 1, 0 }, { -1, 2, 0 }, { 1, 2, 0 } };
static const uint32_t indices[12] = { 0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4 };
static const uint16_t joints[12] = { 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0 };
static const float weights[12] = { 1, 0, 1, 0, 0.5f, 0.5f, 0.5f, 0.5f, 1, 0, 1, 0 };

// Moves each vertex into the space of its joint: the second is one unit above the first.
static const sn_mat34 inverse_bind[2] = { { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
                                          { { { 1, 0, 0, 0 }, { 0, 1, 0, -1 }, { 0, 0, 1, 0 } } } };

// A quarter turn about Z and back, in two seconds.
static const float times[3] = { 0, 1, 2 };
static const float turns[12] = { 0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, 0, 1 };

int main(int argc, char **argv)
{
    sn_error error;
    sn_builder *b = sn_builder_create(NULL, NULL, &error);
    if (!b) return fprintf(stderr, "%s\n", error.message), 1;

    sn_node node = { .name = "lower", .parent = -1, .rest = sn_trs_identity() };
    int32_t lower = sn_builder_add_node(b, &node);
    node.name = "upper";
    node.parent = lower;
    node.rest.translation.y = 1;
    int32_t upper = sn_builder_add_node(b, &node);

    const int32_t bones[2] = { lower, upper };
    int32_t skin = sn_builder_add_skin(b, &(sn_skin){ "strip", bones, inverse_bind, 2 });
    int32_t mesh = sn_builder_add_mesh(b, &(sn_mesh){ .name = "strip",
                                                      .vertex_count = 6,
                                                      .index_count = 12,
                                                      .influence_count = 2,
                                                      .positions = positions,
                                                      .indices = indices,
                                                      .vertex_joints = joints,
                                                      .vertex_weights = weights });
    sn_layer layer = sn_layer_default();
    layer.color = (sn_vec4){ 0.8f, 0.2f, 0.1f, 1 };
    layer.flags = SN_LAYER_TWO_SIDED;
    int32_t red = sn_builder_add_material(b, &(sn_material){ .name = "red", .layers = &layer, .layer_count = 1 });
    sn_builder_add_part(b, &(sn_part){
                               .mesh = mesh, .node = lower, .skin = skin, .material = red, .color = { 1, 1, 1, 1 } });

    int32_t clip = sn_builder_add_clip(b, &(sn_clip){ .name = "bend", .duration = 2, .loops = true });
    sn_builder_add_track(b, clip,
                         &(sn_track){ .target_kind = SN_TARGET_NODE,
                                      .target = upper,
                                      .channel = SN_CHANNEL_ROTATION,
                                      .interpolation = SN_LINEAR,
                                      .width = 4,
                                      .key_count = 3,
                                      .times = times,
                                      .values = turns });

    // None of the calls above was checked: the first failure is reported here.
    sn_model *model = sn_builder_finish(b, &error);
    if (!model) return fprintf(stderr, "%s: %s\n", error.path, error.message), 1;
    sn_status status = sn_save_file(model, argc > 1 ? argv[1] : "strip.glb", NULL, &error);
    sn_model_free(model);
    if (status != SN_OK) fprintf(stderr, "%s\n", error.message);
    return status != SN_OK;
}
