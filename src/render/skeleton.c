// The bones: a link from each joint to its children, wide where it starts, as modelling programs draw them.
#include "render/render.h"

static const sn_vec4 joint_color = { 1.0f, 0.82f, 0.25f, 1 }, outline = { 0.05f, 0.06f, 0.09f, 0.9f },
                     choice_color = { 1.0f, 0.42f, 0.16f, 1 };
static const sn_vec3 link_color = { 0.42f, 0.72f, 1.0f }, plain_color = { 0.62f, 0.66f, 0.72f };

// Four sides around a point a little way along, each as bright as it faces the light.
static void sketch_link(sni_sketch *sketch, const sni_pass *pass, sn_vec3 from, sn_vec3 to, sn_vec3 color)
{
    sn_vec3 along = sni_sub(to, from);
    float size = (float)sni_length(along);
    if (!(size > 0)) return;
    along = sni_scale(along, 1 / size);
    sn_vec3 side = sni_unit(sni_cross(along, fabsf(along.y) < 0.9f ? sni_vec3(0, 1, 0) : sni_vec3(1, 0, 0)),
                            sni_vec3(1, 0, 0));
    sn_vec3 other = sni_cross(along, side), waist = sni_add(from, sni_scale(along, size * 0.16f)), ring[4];
    float wide = fminf(size * 0.085f, pass->stage.radius * 0.04f);
    const float turns[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    for (int i = 0; i < 4; i++)
        ring[i] = sni_add(waist, sni_scale(sni_add(sni_scale(side, turns[i][0]), sni_scale(other, turns[i][1])), wide));
    for (int i = 0; i < 4; i++) {
        sn_vec3 a = ring[i], b = ring[(i + 1) % 4];
        const sn_vec3 ends[2] = { from, to };
        for (int k = 0; k < 2; k++) {
            sn_vec3 normal = sni_unit(sni_cross(sni_sub(b, a), sni_sub(ends[k], a)), along);
            float light = 0.62f + 0.38f * fabsf(sni_dot(normal, pass->key));
            sni_sketch_triangle(sketch, a, b, ends[k],
                                (sn_vec4){ color.x * light, color.y * light, color.z * light, 0.92f });
            sni_sketch_line(sketch, a, ends[k], 1, outline);
        }
        sni_sketch_line(sketch, a, b, 1, outline);
    }
}

static void sketch_axes(sni_sketch *sketch, const sn_actor *actor, int32_t node, float size)
{
    static const sn_vec4 colors[3] = { { 0.95f, 0.3f, 0.3f, 1 }, { 0.4f, 0.85f, 0.35f, 1 }, { 0.35f, 0.55f, 1.0f, 1 } };
    sn_mat34 world = sni_actor_world(actor, node);
    sn_vec3 at = sni_mat34_column(&world, 3);
    for (int i = 0; i < 3; i++) {
        sn_vec3 axis = sni_unit(sni_mat34_column(&world, i), sni_vec3(0, 0, 0));
        sni_sketch_line(sketch, at, sni_add(at, sni_scale(axis, size)), 2, colors[i]);
    }
}

static void sketch_attachment(sni_sketch *sketch, const sn_actor *actor, int32_t node, float size)
{
    static const sn_vec4 color = { 0.45f, 0.95f, 0.6f, 1 };
    sn_vec3 at = sni_actor_place(actor, node);
    const sn_vec3 axes[3] = { { size, 0, 0 }, { 0, size, 0 }, { 0, 0, size } };
    for (int i = 0; i < 3; i++) sni_sketch_line(sketch, sni_sub(at, axes[i]), sni_add(at, axes[i]), 1.5f, color);
    sni_sketch_dot(sketch, at, 7 * sketch->scale, color);
}

// Many dots are smaller, so that the links between them are seen.
static float thinned(const sn_model *model)
{
    return fmaxf(fminf(sqrtf(150.0f / (float)(model->node_count + 1)), 1), 0.4f);
}

void sni_skeleton_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    bool only_joints = sni_has_joints(model);
    uint32_t show = pass->frame->show;
    float size = pass->stage.radius * 0.045f,
          dot = fminf(sketch->height * 0.016f, 9.0f * sketch->scale) * thinned(model);
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        bool is_drawn = !only_joints || sni_is_joint(model, i);
        if ((show & SN_SHOW_ATTACHMENTS) && (model->nodes[i].flags & SN_NODE_ATTACHMENT))
            sketch_attachment(sketch, actor, i, size);
        if (!is_drawn) continue;
        bool has_link = parent >= 0 && (!only_joints || sni_is_joint(model, parent));
        if ((show & SN_SHOW_SKELETON) && has_link)
            sketch_link(sketch, pass, sni_actor_place(actor, parent), sni_actor_place(actor, i),
                        only_joints ? link_color : plain_color);
        if (show & SN_SHOW_AXES) sketch_axes(sketch, actor, i, size);
        if (show & SN_SHOW_SKELETON) sni_sketch_dot(sketch, sni_actor_place(actor, i), dot, joint_color);
    }
}

// Wider than the skeleton's own, so that it stands out where both are shown.
void sni_choice_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    int32_t node = pass->frame->weights_node;
    if (node < 0 || (uint32_t)node >= model->node_count) return;
    sn_vec3 at = sni_actor_place(actor, node);
    for (int32_t i = node + 1; i < (int32_t)model->node_count; i++)
        if (model->nodes[i].parent == node) sni_sketch_line(sketch, at, sni_actor_place(actor, i), 4, choice_color);
    sketch_axes(sketch, actor, node, pass->stage.radius * 0.09f);
    sni_sketch_dot(sketch, at, fminf(sketch->height * 0.024f, 13.0f * sketch->scale), choice_color);
}
