// Overlays: the ground, bounds, normals, skeletons, names and labels.
#include "render/render.h"

static bool is_joint(const sn_model *model, int32_t node) { return model->nodes[node].flags & SN_NODE_JOINT; }

// In a model without joints all nodes are drawn.
static bool has_joints(const sn_model *model)
{
    for (int32_t i = 0; i < (int32_t)model->node_count; i++)
        if (is_joint(model, i)) return true;
    return false;
}

static sn_bounds join_bounds(sn_bounds a, sn_bounds b)
{
    sn_bounds out = { .min = { fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z) },
                      .max = { fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z) } };
    out.center = sni_scale(sni_add(out.min, out.max), 0.5f);
    out.radius = (float)sni_length(sni_sub(out.max, out.center));
    return out;
}

// The frame's own bounds, else those of all poses.
sn_bounds sni_scene_bounds(const sn_frame *frame)
{
    sn_bounds scene = frame->scene_bounds;
    if (scene.radius > 0) return scene;
    for (uint32_t i = 0; i < frame->actor_count; i++) {
        sn_bounds own = sn_pose_bounds(frame->actors[i].pose);
        if (frame->actors[i].transform) own = sn_bounds_transform(&own, frame->actors[i].transform);
        if (own.radius > 0) scene = scene.radius > 0 ? join_bounds(scene, own) : own;
    }
    return scene;
}

// A cell is 1, 2 or 5 times a power of ten: about a fifth of the scene.
static float grid_cell(float radius)
{
    float cell = radius / 2.5f, power = powf(10.0f, floorf(log10f(cell))), rest = cell / power;
    return power * (rest < 1.5f ? 1.0f : rest < 3.5f ? 2.0f : rest < 7.5f ? 5.0f : 10.0f);
}

bool sni_ground_draw(const sni_pass *pass)
{
    const sni_program *program = sni_program_for(pass->renderer, SNI_GROUND | (pass->features & SNI_SHADOWED));
    const sn_bounds *scene = &pass->scene;
    sn_vec4 back = pass->frame->background;
    bool is_dark = back.w > 0.5f && back.x * 0.3f + back.y * 0.6f + back.z * 0.1f < 0.5f;
    if (!program) return false;
    if (!(scene->radius > 0)) return true;
    glUseProgram(program->id);
    glBindVertexArray(pass->renderer->empty_array);
    sni_shadow_use(pass, program);
    glUniformMatrix4fv(program->at[SNI_U_CLIP], 1, GL_FALSE, pass->clip.m);
    glUniform4f(program->at[SNI_U_GROUND], scene->center.x, scene->min.y, scene->center.z, scene->radius * 2.6f);
    glUniform4f(program->at[SNI_U_GRID], grid_cell(scene->radius) / 2, is_dark ? 1.0f : 0.0f,
                pass->frame->show & SN_SHOW_GRID ? 0.28f : 0.0f, 0.42f);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return true;
}

static const sn_vec4 joint_color = { 1.0f, 0.82f, 0.25f, 1 }, outline = { 0.05f, 0.06f, 0.09f, 0.9f },
                     selection_color = { 1.0f, 0.42f, 0.16f, 1 };
static const sn_vec3 bone_color = { 0.42f, 0.72f, 1.0f }, node_color = { 0.62f, 0.66f, 0.72f };

// A bone: an octahedron from joint to child, widest near the joint, as modelling programs draw it.
static void draw_bone(sni_debug_draw *draw, const sni_pass *pass, sn_vec3 from, sn_vec3 to, sn_vec3 color)
{
    sn_vec3 along = sni_sub(to, from);
    float size = (float)sni_length(along);
    if (!(size > 0)) return;
    along = sni_scale(along, 1 / size);
    sn_vec3 side = sni_unit(sni_cross(along, fabsf(along.y) < 0.9f ? sni_vec3(0, 1, 0) : sni_vec3(1, 0, 0)),
                            sni_vec3(1, 0, 0));
    sn_vec3 other = sni_cross(along, side), waist = sni_add(from, sni_scale(along, size * 0.16f)), ring[4];
    float wide = fminf(size * 0.085f, pass->scene.radius * 0.04f);
    const float turns[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    for (int i = 0; i < 4; i++)
        ring[i] = sni_add(waist, sni_scale(sni_add(sni_scale(side, turns[i][0]), sni_scale(other, turns[i][1])), wide));
    for (int i = 0; i < 4; i++) {
        sn_vec3 a = ring[i], b = ring[(i + 1) % 4];
        const sn_vec3 ends[2] = { from, to };
        for (int k = 0; k < 2; k++) {
            sn_vec3 normal = sni_unit(sni_cross(sni_sub(b, a), sni_sub(ends[k], a)), along);
            float light = 0.62f + 0.38f * fabsf(sni_dot(normal, pass->key));
            sni_debug_triangle(draw, a, b, ends[k],
                               (sn_vec4){ color.x * light, color.y * light, color.z * light, 0.92f });
            sni_debug_line(draw, a, ends[k], 1, outline);
        }
        sni_debug_line(draw, a, b, 1, outline);
    }
}

static void draw_axes(sni_debug_draw *draw, const sn_actor *actor, int32_t node, float size)
{
    static const sn_vec4 colors[3] = { { 0.95f, 0.3f, 0.3f, 1 }, { 0.4f, 0.85f, 0.35f, 1 }, { 0.35f, 0.55f, 1.0f, 1 } };
    sn_mat34 world = sni_actor_world(actor, node);
    sn_vec3 at = sni_mat34_column(&world, 3);
    for (int i = 0; i < 3; i++) {
        sn_vec3 axis = sni_unit(sni_mat34_column(&world, i), sni_vec3(0, 0, 0));
        sni_debug_line(draw, at, sni_add(at, sni_scale(axis, size)), 2, colors[i]);
    }
}

static void draw_attachment(sni_debug_draw *draw, const sn_actor *actor, int32_t node, float size)
{
    static const sn_vec4 color = { 0.45f, 0.95f, 0.6f, 1 };
    sn_vec3 at = sni_actor_position(actor, node);
    const sn_vec3 axes[3] = { { size, 0, 0 }, { 0, size, 0 }, { 0, 0, size } };
    for (int i = 0; i < 3; i++) sni_debug_line(draw, sni_sub(at, axes[i]), sni_add(at, axes[i]), 1.5f, color);
    sni_debug_dot(draw, at, 7 * draw->scale, color);
}

// Dots are smaller in large skeletons, so that the bones stay visible.
static float dot_scale(const sn_model *model)
{
    return fmaxf(fminf(sqrtf(150.0f / (float)(model->node_count + 1)), 1), 0.4f);
}

// In pieces: a skeleton of 100,000 nodes would need a gigabyte.
static bool draw_skeleton(sni_debug_draw *draw, const sni_pass *pass, const sn_actor *actor)
{
    enum { MOST_BYTES = 4 << 20 };
    const sn_model *model = actor->drawable->model;
    bool joints_only = has_joints(model);
    uint32_t show = pass->frame->show;
    float size = pass->scene.radius * 0.045f, dot = fminf(draw->height * 0.016f, 9.0f * draw->scale) * dot_scale(model);
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        bool is_drawn = !joints_only || is_joint(model, i);
        if ((show & SN_SHOW_ATTACHMENTS) && (model->nodes[i].flags & SN_NODE_ATTACHMENT))
            draw_attachment(draw, actor, i, size);
        if (!is_drawn) continue;
        bool has_bone = parent >= 0 && (!joints_only || is_joint(model, parent));
        if ((show & SN_SHOW_SKELETON) && has_bone)
            draw_bone(draw, pass, sni_actor_position(actor, parent), sni_actor_position(actor, i),
                      joints_only ? bone_color : node_color);
        if (show & SN_SHOW_AXES) draw_axes(draw, actor, i, size);
        if (show & SN_SHOW_SKELETON) sni_debug_dot(draw, sni_actor_position(actor, i), dot, joint_color);
        if (draw->renderer->debug_vertices.size <= MOST_BYTES) continue;
        if (!sni_debug_flush(draw, SNI_OVER_MODELS)) return false;
        glFinish();  // else the driver keeps all pieces until the end
    }
    return true;
}

// Thicker than the skeleton, so that it stands out.
static void draw_selection(sni_debug_draw *draw, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    int32_t node = pass->frame->selected_node;
    if (node < 0 || (uint32_t)node >= model->node_count) return;
    sn_vec3 at = sni_actor_position(actor, node);
    for (int32_t i = node + 1; i < (int32_t)model->node_count; i++)
        if (model->nodes[i].parent == node) sni_debug_line(draw, at, sni_actor_position(actor, i), 4, selection_color);
    draw_axes(draw, actor, node, pass->scene.radius * 0.09f);
    sni_debug_dot(draw, at, fminf(draw->height * 0.024f, 13.0f * draw->scale), selection_color);
}

enum { MAX_BOXES = 512, MAX_NAME = 40 };

typedef struct box {
    float left, top, right, bottom;
} box;
typedef struct taken_boxes {
    box boxes[MAX_BOXES];
    uint32_t count;
} taken_boxes;

static bool is_free(const taken_boxes *taken, box b)
{
    for (uint32_t i = 0; i < taken->count; i++) {
        const box *other = &taken->boxes[i];
        if (b.left < other->right && b.right > other->left && b.top < other->bottom && b.bottom > other->top)
            return false;
    }
    return taken->count < MAX_BOXES;
}

// Names must not overlap panels and labels. Small rectangles are marks and do not count.
static void reserve_boxes(taken_boxes *taken, const sni_debug_draw *draw, const sn_frame *frame)
{
    const float panel = 2000;
    for (uint32_t i = 0; i < frame->rect_count && taken->count < MAX_BOXES / 4; i++) {
        const sn_rect *r = &frame->rects[i];
        if (r->width * r->height > panel)
            taken->boxes[taken->count++] = (box){ r->x, r->y, r->x + r->width, r->y + r->height };
    }
    for (uint32_t i = 0; i < frame->label_count && taken->count < MAX_BOXES / 2; i++) {
        const sn_label *l = &frame->labels[i];
        float wide = sn_label_width(draw->renderer, l->text, l->size);
        float left = l->x - (l->align == SN_ALIGN_LEFT ? 0 : l->align == SN_ALIGN_CENTER ? wide / 2 : wide);
        box b = { left, l->y - l->size * 1.2f, left + wide, l->y + l->size * 0.4f };
        if (wide > 0 && is_free(taken, b)) taken->boxes[taken->count++] = b;
    }
}

// Right of its joint, left of it, or a line above or below. If all of these are taken the name is omitted.
static bool find_box(taken_boxes *taken, const sni_debug_draw *draw, sn_label *label, sn_vec2 at)
{
    const float room = label->size * 0.4f, high = label->size + 2 * room, gap = 6 * draw->scale;
    const float wide = sn_label_width(draw->renderer, label->text, label->size) + 2 * room;
    const sn_vec2 shifts[] = { { gap, 0 },    { -gap - wide, 0 },     { gap, -high },
                               { gap, high }, { -gap - wide, -high }, { -gap - wide, high } };
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        box b = { at.x + shifts[i].x, at.y + shifts[i].y - high / 2, at.x + shifts[i].x + wide,
                  at.y + shifts[i].y + high / 2 };
        if (b.left < 0 || b.top < 0 || b.right > draw->width || b.bottom > draw->height || !is_free(taken, b)) continue;
        label->x = b.left + room;
        label->y = b.bottom - room;
        taken->boxes[taken->count++] = b;
        return true;
    }
    return false;
}

// Truncates a long name without splitting a UTF-8 character.
static void shorten(const char *name, char out[MAX_NAME * 4 + 4])
{
    size_t size = 0;
    for (int characters = 0; name[size]; size++) {
        if (((uint8_t)name[size] & 0xc0) != 0x80 && characters++ == MAX_NAME) break;
        if (size == MAX_NAME * 4) break;
        out[size] = name[size];
    }
    memcpy(out + size, "...", name[size] ? 4 : 0);
    if (!name[size]) out[size] = 0;
}

// On a dark background, readable over bright models.
static void draw_name(sni_debug_draw *draw, taken_boxes *taken, const char *name, sn_vec2 at)
{
    static const sn_vec4 background_color = { 0.07f, 0.08f, 0.1f, 0.5f };
    char text[MAX_NAME * 4 + 4];
    sn_label label = { .text = text, .size = 7.5f * draw->scale, .color = { 1, 1, 1, 1 } };
    shorten(name, text);
    if (!find_box(taken, draw, &label, at)) return;
    const box *b = &taken->boxes[taken->count - 1];
    sni_debug_rect(draw, &(sn_rect){ b->left, b->top, b->right - b->left, b->bottom - b->top, background_color, NULL });
    sni_label_draw(draw, &label);
}

static void draw_names(sni_debug_draw *draw, const sn_frame *frame)
{
    taken_boxes taken = { .count = 0 };
    reserve_boxes(&taken, draw, frame);
    for (uint32_t a = 0; a < frame->actor_count; a++) {
        const sn_actor *actor = &frame->actors[a];
        const sn_model *model = actor->drawable->model;
        bool joints_only = has_joints(model);
        for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
            sn_vec2 at;
            if ((joints_only && !is_joint(model, i)) || !model->nodes[i].name[0]) continue;
            if (sni_debug_project(draw, sni_actor_position(actor, i), &at))
                draw_name(draw, &taken, model->nodes[i].name, at);
        }
    }
}

static const sn_vec4 box_color = { 1.0f, 0.75f, 0.2f, 0.9f }, sphere_color = { 1.0f, 0.75f, 0.2f, 0.45f };

static void draw_circle(sni_debug_draw *draw, sn_vec3 center, sn_vec3 a, sn_vec3 b)
{
    enum { SIDES = 64 };
    sn_vec3 last = sni_add(center, a);
    for (int i = 1; i <= SIDES; i++) {
        float angle = (float)i * 6.2831853f / SIDES;
        sn_vec3 next = sni_add(center, sni_add(sni_scale(a, cosf(angle)), sni_scale(b, sinf(angle))));
        sni_debug_line(draw, last, next, 1, sphere_color);
        last = next;
    }
}

static void draw_bounds(sni_debug_draw *draw, const sn_actor *actor)
{
    sn_bounds bounds = sn_pose_bounds(actor->pose);
    if (actor->transform) bounds = sn_bounds_transform(&bounds, actor->transform);
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit <<= 1)
            if (!(i & bit))
                sni_debug_line(draw, sni_box_corner(bounds.min, bounds.max, i),
                               sni_box_corner(bounds.min, bounds.max, i | bit), 1.5f, box_color);
    float r = bounds.radius;
    draw_circle(draw, bounds.center, sni_vec3(r, 0, 0), sni_vec3(0, r, 0));
    draw_circle(draw, bounds.center, sni_vec3(r, 0, 0), sni_vec3(0, 0, r));
    draw_circle(draw, bounds.center, sni_vec3(0, r, 0), sni_vec3(0, 0, r));
}

static bool draw_part_normals(sni_debug_draw *draw, const sn_actor *actor, int32_t part, float size)
{
    const sn_model *model = actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    sni_heap *heap = &draw->renderer->heap;
    size_t bytes = (size_t)mesh->vertex_count * sizeof(sn_vec3) * 2;
    sn_vec3 *positions = sni_heap_alloc(heap, bytes), *normals = positions ? positions + mesh->vertex_count : NULL;
    if (!positions) return false;
    sn_skin_part(actor->pose, part, positions, normals, NULL);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        sn_vec3 n = normals[i], from = positions[i], to = sni_add(from, sni_scale(n, size));
        if (actor->transform)
            from = sni_mat34_point(actor->transform, from), to = sni_mat34_point(actor->transform, to);
        sni_debug_line(draw, from, to, 1, (sn_vec4){ 0.5f + 0.5f * n.x, 0.5f + 0.5f * n.y, 0.5f + 0.5f * n.z, 1 });
    }
    sni_heap_free(heap, positions, bytes);
    return true;
}

static bool draw_actor_normals(sni_debug_draw *draw, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    for (int32_t i = 0; i < (int32_t)model->part_count; i++) {
        if (!sn_pose_shows(actor->pose, i) || !model->meshes[model->parts[i].mesh].normals) continue;
        if (!draw_part_normals(draw, actor, i, pass->scene.radius * 0.04f)) return false;
    }
    return true;
}

static bool draw_text_overlay(const sni_pass *pass)
{
    sni_debug_draw draw = sni_debug_begin(pass);
    if (pass->frame->show & SN_SHOW_NAMES) draw_names(&draw, pass->frame);
    if (draw.renderer->glyph_vertices.size > 0 && !sni_debug_flush(&draw, SNI_ON_TOP)) return false;
    for (uint32_t i = 0; i < pass->frame->rect_count; i++)
        if (!sni_debug_rect(&draw, &pass->frame->rects[i])) return false;
    for (uint32_t i = 0; i < pass->frame->label_count; i++) sni_label_draw(&draw, &pass->frame->labels[i]);
    return sni_debug_flush(&draw, SNI_ON_TOP);
}

static bool draw_normals(const sni_pass *pass)
{
    sni_debug_draw draw = sni_debug_begin(pass);
    for (uint32_t i = 0; i < pass->frame->actor_count; i++)
        if (!draw_actor_normals(&draw, pass, &pass->frame->actors[i])) return false;
    return sni_debug_flush(&draw, SNI_DEPTH_TESTED);
}

bool sni_overlays_draw(const sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if ((show & SN_SHOW_NORMALS) && !draw_normals(pass)) return false;
    sni_debug_draw draw = sni_debug_begin(pass);
    for (uint32_t i = 0; i < pass->frame->actor_count; i++) {
        if (show & SN_SHOW_BOUNDS) draw_bounds(&draw, &pass->frame->actors[i]);
        if ((show & (SN_SHOW_SKELETON | SN_SHOW_AXES | SN_SHOW_ATTACHMENTS)) &&
            !draw_skeleton(&draw, pass, &pass->frame->actors[i]))
            return false;
    }
    if (draw.renderer->debug_vertices.size > 0 && !sni_debug_flush(&draw, SNI_OVER_MODELS)) return false;
    for (uint32_t i = 0; (show & SN_SHOW_SELECTION) && i < pass->frame->actor_count; i++)
        draw_selection(&draw, pass, &pass->frame->actors[i]);
    if (draw.renderer->debug_vertices.size > 0 && !sni_debug_flush(&draw, SNI_ON_TOP)) return false;
    bool has_text = (show & SN_SHOW_NAMES) || pass->frame->rect_count > 0 || pass->frame->label_count > 0;
    return !has_text || draw_text_overlay(pass);
}
