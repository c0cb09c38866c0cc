#include "model/check.h"
#include "render/render.h"

#include <stdlib.h>

typedef struct slot {
    int32_t mesh, material, part;
} slot;

static int compare_slots(const void *left, const void *right)
{
    const slot *a = left, *b = right;
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->material != b->material) return a->material < b->material ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static bool order_parts(sn_drawable *drawable)
{
    const sn_model *model = drawable->model;
    slot *slots = sni_new_raw(&drawable->arena, slot, model->part_count);
    if (!slots) return false;
    for (uint32_t i = 0; i < model->part_count; i++)
        slots[i] = (slot){ model->parts[i].mesh, model->parts[i].material, (int32_t)i };
    if (model->part_count > 0) qsort(slots, model->part_count, sizeof *slots, compare_slots);
    for (uint32_t i = 0; i < model->part_count; i++) drawable->order[i] = slots[i].part;
    return true;
}

static bool make_room(sn_drawable *drawable)
{
    const sn_model *model = drawable->model;
    drawable->meshes = sni_new(&drawable->arena, sni_gpu_mesh, model->mesh_count);
    drawable->reaches = sni_new(&drawable->arena, sni_reach, model->mesh_count);
    drawable->images = sni_new(&drawable->arena, sni_gpu_image, model->image_count);
    drawable->order = sni_new(&drawable->arena, int32_t, model->part_count);
    drawable->skin_texels = sni_new(&drawable->arena, int32_t, model->skin_count);
    drawable->classes = sni_new(&drawable->arena, uint8_t, model->part_count);
    return drawable->meshes && drawable->reaches && drawable->images && drawable->order && drawable->skin_texels &&
           drawable->classes && order_parts(drawable) && sni_reaches_make(drawable) && sni_lights_make(drawable);
}

static bool fill(sn_drawable *drawable, sn_error *error)
{
    if (!make_room(drawable)) return sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < drawable->model->mesh_count; i++)
        if (!sni_gpu_mesh_make(drawable, i, error)) return false;
    GLenum problem = glGetError();
    if (problem == GL_NO_ERROR) return true;
    return sni_render_fail(error, SN_ERR_MEMORY, "the graphics side refused the model's geometry (OpenGL error 0x%x)",
                           problem);
}

sn_drawable *sn_drawable_create(sn_renderer *renderer, const sn_model *model, sn_error *error)
{
    if (sni_model_require(model, error) != SN_OK) return NULL;
    sn_drawable *drawable = sni_heap_alloc(&renderer->heap, sizeof *drawable);
    if (!drawable || !sni_context_use(&renderer->context)) {
        sni_heap_free(&renderer->heap, drawable, sizeof *drawable);
        sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
        return NULL;
    }
    *drawable = (sn_drawable){ .renderer = renderer, .model = model };
    sni_heap_init(&drawable->heap, &renderer->opts.allocator, UINT64_MAX);
    drawable->heap.diag = &renderer->diag;
    sni_arena_init(&drawable->arena, &drawable->heap);
    if (fill(drawable, error)) return drawable;
    sn_drawable_free(drawable);
    return NULL;
}

void sn_drawable_free(sn_drawable *drawable)
{
    if (!drawable) return;
    sn_renderer *renderer = drawable->renderer;
    sni_context_use(&renderer->context);
    for (uint32_t i = 0; drawable->meshes && i < drawable->model->mesh_count; i++)
        sni_gpu_mesh_free(&drawable->meshes[i]);
    for (uint32_t i = 0; drawable->images && i < drawable->model->image_count; i++) {
        const GLuint textures[2] = { drawable->images[i].srgb, drawable->images[i].linear };
        glDeleteTextures(2, textures);
    }
    sni_arena_free(&drawable->arena);
    sni_heap_free(&renderer->heap, drawable, sizeof *drawable);
}
