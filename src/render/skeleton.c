// The bones: a link from each joint to its children, wide where it starts, as modelling programs draw them.
#include "render/render.h"

static const sn_vec4 joint_color = { 1.0f, 0.82f, 0.25f, 1 }, outline = { 0.05f, 0.06f, 0.09f, 0.9f },
                     choice_color = { 1.0f, 0.42f, 0.16f, 1 };
static const sn_vec3 link_color = { 0.42f, 0.72f, 1.0f }, plain_color = { 0.62f, 0.66f, 0.72f };

static bool is_joint(const sn_model *model, int32_t node) { return model->nodes[node].flags & SN_NODE_JOINT; }

// In a model without a skin all nodes are drawn.
static bool has_joints(const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags & SN_NODE_JOINT) return true;
    return false;
}

static sn_vec3 place_of(const sn_actor *actor, int32_t node)
{
    sn_mat34 world = sni_actor_world(actor, node);
    return sni_mat34_column(&world, 3);
}

// Four sides around a point a little way along, each as bright as it faces the light.
static void sketch_link(sni_sketch *sketch, const sni_pass *pass, sn_vec3 from, sn_vec3 to, sn_vec3 color)
{
    sn_vec3 along = sni_sub(to, from);
    float size = (float)sni_length(along);
    if (!(size > 0)) return;
    along = sni_scale(along, 1 / size);
    sn_vec3 side = sni_unit(sni_cross(along, fabsf(along.y) < 0.9f ? sni_vec3(0, 1, 0) : sni_vec3(1, 0, 0)), sni_vec3(1, 0, 0));
    sn_vec3 other = sni_cross(along, side), waist = sni_add(from, sni_scale(along, size * 0.16f)), ring[4];
    float wide = fminf(size * 0.085f, pass->stage.radius * 0.04f);
    const float turns[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    for (int i = 0; i < 4; i++) ring[i] = sni_add(waist, sni_scale(sni_add(sni_scale(side, turns[i][0]), sni_scale(other, turns[i][1])), wide));
    for (int i = 0; i < 4; i++) {
        sn_vec3 a = ring[i], b = ring[(i + 1) % 4];
        const sn_vec3 ends[2] = { from, to };
        for (int k = 0; k < 2; k++) {
            sn_vec3 normal = sni_unit(sni_cross(sni_sub(b, a), sni_sub(ends[k], a)), along);
            float light = 0.62f + 0.38f * fabsf(sni_dot(normal, pass->key));
            sni_sketch_triangle(sketch, a, b, ends[k], (sn_vec4){ color.x * light, color.y * light, color.z * light, 0.92f });
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
    sn_vec3 at = place_of(actor, node);
    const sn_vec3 axes[3] = { { size, 0, 0 }, { 0, size, 0 }, { 0, 0, size } };
    for (int i = 0; i < 3; i++) sni_sketch_line(sketch, sni_sub(at, axes[i]), sni_add(at, axes[i]), 1.5f, color);
    sni_sketch_dot(sketch, at, 7 * sketch->scale, color);
}

void sni_skeleton_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    bool only_joints = has_joints(model);
    uint32_t show = pass->frame->show;
    float size = pass->stage.radius * 0.045f, dot = fminf(sketch->height * 0.016f, 9.0f * sketch->scale);
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        bool is_drawn = !only_joints || is_joint(model, i);
        if ((show & SN_SHOW_ATTACHMENTS) && (model->nodes[i].flags & SN_NODE_ATTACHMENT)) sketch_attachment(sketch, actor, i, size);
        if (!is_drawn) continue;
        bool has_link = parent >= 0 && (!only_joints || is_joint(model, parent));
        if ((show & SN_SHOW_SKELETON) && has_link)
            sketch_link(sketch, pass, place_of(actor, parent), place_of(actor, i), only_joints ? link_color : plain_color);
        if (show & SN_SHOW_AXES) sketch_axes(sketch, actor, i, size);
        if (show & SN_SHOW_SKELETON) sni_sketch_dot(sketch, place_of(actor, i), dot, joint_color);
    }
}

// Wider than the skeleton's own, so that it stands out where both are shown.
void sni_choice_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    int32_t node = pass->frame->weights_node;
    if (node < 0 || (uint32_t)node >= model->node_count) return;
    sn_vec3 at = place_of(actor, node);
    for (int32_t i = node + 1; i < (int32_t)model->node_count; i++)
        if (model->nodes[i].parent == node) sni_sketch_line(sketch, at, place_of(actor, i), 4, choice_color);
    sketch_axes(sketch, actor, node, pass->stage.radius * 0.09f);
    sni_sketch_dot(sketch, at, fminf(sketch->height * 0.024f, 13.0f * sketch->scale), choice_color);
}

// Where names are already, so that none is written over another.
enum { MAX_NAMES = 256 };

typedef struct box { float left, top, right, bottom; } box;
typedef struct names { box boxes[MAX_NAMES]; uint32_t count; } names;

static bool is_free(const names *n, const sni_sketch *sketch, box b)
{
    if (b.left < 0 || b.top < 0 || b.right > sketch->width || b.bottom > sketch->height) return false;
    for (uint32_t i = 0; i < n->count; i++) {
        const box *other = &n->boxes[i];
        if (b.left < other->right && b.right > other->left && b.top < other->bottom && b.bottom > other->top) return false;
    }
    return n->count < MAX_NAMES;
}

// To the right of its joint, to the left, or a line above or below; where none of these is free it is left out.
static bool find_place(names *n, const sni_sketch *sketch, sn_label *label, sn_vec2 at)
{
    const float room = label->size * 0.4f, high = label->size + 2 * room, gap = 6 * sketch->scale;
    const float wide = sn_label_width(sketch->renderer, label->text, label->size) + 2 * room;
    const sn_vec2 places[] = { { gap, 0 }, { -gap - wide, 0 }, { gap, -high }, { gap, high }, { -gap - wide, -high }, { -gap - wide, high } };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        box b = { at.x + places[i].x, at.y + places[i].y - high / 2, at.x + places[i].x + wide, at.y + places[i].y + high / 2 };
        if (!is_free(n, sketch, b)) continue;
        label->x = b.left + room;
        label->y = b.bottom - room;
        n->boxes[n->count++] = b;
        return true;
    }
    return false;
}

// On a plate each, so that it is read on light models too.
void sni_names_sketch(sni_sketch *sketch, const sn_actor *actor)
{
    static const sn_vec4 plate_color = { 0.07f, 0.08f, 0.1f, 0.5f };
    const sn_model *model = actor->drawable->model;
    bool only_joints = has_joints(model);
    names placed = { .count = 0 };
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        sn_vec2 at;
        if ((only_joints && !is_joint(model, i)) || !model->nodes[i].name[0]) continue;
        if (!sni_sketch_place(sketch, place_of(actor, i), &at)) continue;
        sn_label label = { .text = model->nodes[i].name, .size = 7.5f * sketch->scale, .color = { 1, 1, 1, 1 } };
        if (!find_place(&placed, sketch, &label, at)) continue;
        const box *b = &placed.boxes[placed.count - 1];
        sni_sketch_rect(sketch, &(sn_rect){ b->left, b->top, b->right - b->left, b->bottom - b->top, plate_color });
        sni_label_sketch(sketch, &label);
    }
}
