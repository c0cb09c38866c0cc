// What is drawn over the models: bounds, normals, skeletons, names, labels.
#include "render/render.h"

static const sn_vec4 box_color = { 1.0f, 0.75f, 0.2f, 0.9f }, ball_color = { 1.0f, 0.75f, 0.2f, 0.45f };

static sn_vec3 corner(const sn_bounds *bounds, int index)
{
    return sni_vec3(index & 1 ? bounds->max.x : bounds->min.x, index & 2 ? bounds->max.y : bounds->min.y,
                    index & 4 ? bounds->max.z : bounds->min.z);
}

static void sketch_circle(sni_sketch *sketch, sn_vec3 center, sn_vec3 a, sn_vec3 b)
{
    enum { SIDES = 64 };
    sn_vec3 last = sni_add(center, a);
    for (int i = 1; i <= SIDES; i++) {
        float angle = (float)i * 6.2831853f / SIDES;
        sn_vec3 next = sni_add(center, sni_add(sni_scale(a, cosf(angle)), sni_scale(b, sinf(angle))));
        sni_sketch_line(sketch, last, next, 1, ball_color);
        last = next;
    }
}

static void sketch_bounds(sni_sketch *sketch, const sn_actor *actor)
{
    sn_bounds bounds = sn_pose_bounds(actor->pose);
    if (actor->place) bounds = sn_bounds_moved(&bounds, actor->place);
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit <<= 1)
            if (!(i & bit)) sni_sketch_line(sketch, corner(&bounds, i), corner(&bounds, i | bit), 1.5f, box_color);
    float r = bounds.radius;
    sketch_circle(sketch, bounds.center, sni_vec3(r, 0, 0), sni_vec3(0, r, 0));
    sketch_circle(sketch, bounds.center, sni_vec3(r, 0, 0), sni_vec3(0, 0, r));
    sketch_circle(sketch, bounds.center, sni_vec3(0, r, 0), sni_vec3(0, 0, r));
}

static bool sketch_normals_of(sni_sketch *sketch, const sn_actor *actor, int32_t part, float size)
{
    const sn_model *model = actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    sni_heap *heap = &sketch->renderer->heap;
    size_t bytes = (size_t)mesh->vertex_count * sizeof(sn_vec3) * 2;
    sn_vec3 *positions = sni_heap_alloc(heap, bytes), *normals = positions ? positions + mesh->vertex_count : NULL;
    if (!positions) return false;
    sn_skin_part(actor->pose, part, positions, normals, NULL);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        sn_vec3 n = normals[i], from = positions[i], to = sni_add(from, sni_scale(n, size));
        if (actor->place) from = sni_mat34_point(actor->place, from), to = sni_mat34_point(actor->place, to);
        sni_sketch_line(sketch, from, to, 1, (sn_vec4){ 0.5f + 0.5f * n.x, 0.5f + 0.5f * n.y, 0.5f + 0.5f * n.z, 1 });
    }
    sni_heap_free(heap, positions, bytes);
    return true;
}

static bool sketch_normals(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor)
{
    const sn_model *model = actor->drawable->model;
    for (int32_t i = 0; i < (int32_t)model->part_count; i++) {
        if (!sn_pose_shows(actor->pose, i) || !model->meshes[model->parts[i].mesh].normals) continue;
        if (!sketch_normals_of(sketch, actor, i, pass->stage.radius * 0.04f)) return false;
    }
    return true;
}

static bool draw_texts(const sni_pass *pass)
{
    sni_sketch sketch = sni_sketch_begin(pass);
    if (pass->frame->show & SN_SHOW_NAMES) sni_names_sketch(&sketch, pass->frame);
    if (sketch.renderer->letter_vertices.size > 0 && !sni_sketch_end(&sketch, SNI_ON_TOP)) return false;
    for (uint32_t i = 0; i < pass->frame->rect_count; i++) sni_sketch_rect(&sketch, &pass->frame->rects[i]);
    for (uint32_t i = 0; i < pass->frame->label_count; i++) sni_label_sketch(&sketch, &pass->frame->labels[i]);
    return sni_sketch_end(&sketch, SNI_ON_TOP);
}

static bool draw_normals(const sni_pass *pass)
{
    sni_sketch sketch = sni_sketch_begin(pass);
    for (uint32_t i = 0; i < pass->frame->actor_count; i++)
        if (!sketch_normals(&sketch, pass, &pass->frame->actors[i])) return false;
    return sni_sketch_end(&sketch, SNI_AMONG);
}

bool sni_overlays_draw(const sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if ((show & SN_SHOW_NORMALS) && !draw_normals(pass)) return false;
    sni_sketch sketch = sni_sketch_begin(pass);
    for (uint32_t i = 0; i < pass->frame->actor_count; i++) {
        if (show & SN_SHOW_BOUNDS) sketch_bounds(&sketch, &pass->frame->actors[i]);
        if (show & (SN_SHOW_SKELETON | SN_SHOW_AXES | SN_SHOW_ATTACHMENTS))
            sni_skeleton_sketch(&sketch, pass, &pass->frame->actors[i]);
    }
    if (sketch.renderer->sketch.size > 0 && !sni_sketch_end(&sketch, SNI_IN_FRONT)) return false;
    for (uint32_t i = 0; (show & SN_SHOW_CHOICE) && i < pass->frame->actor_count; i++)
        sni_choice_sketch(&sketch, pass, &pass->frame->actors[i]);
    if (sketch.renderer->sketch.size > 0 && !sni_sketch_end(&sketch, SNI_ON_TOP)) return false;
    bool has_texts = (show & SN_SHOW_NAMES) || pass->frame->rect_count > 0 || pass->frame->label_count > 0;
    return !has_texts || draw_texts(pass);
}
