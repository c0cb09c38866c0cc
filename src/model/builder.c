#include "model/builder.h"

#include <string.h>

#include "model/check.h"
#include "model/sanitize.h"

const sn_trs sni_trs_identity = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
const sn_mat34 sni_mat34_identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

sn_texture sni_texture_none(void) { return (sn_texture){ .image = -1, .strength = 1.0f, .transform.scale = { 1, 1 } }; }

sn_layer sni_layer_default(void)
{
    sn_layer layer = { .color = { 1, 1, 1, 1 }, .roughness = 1.0f };
    for (int map = 0; map < SN_MAP_COUNT; map++) layer.maps[map] = sni_texture_none();
    return layer;
}

void *sni_list_extend(sni_arena *arena, sni_list *list, size_t size, uint64_t count)
{
    uint64_t total = list->count + count;
    if (!list->items || total > list->capacity) {
        uint8_t *grown = sni_alloc_raw(arena, size, total);
        if (!grown) return NULL;
        if (list->count > 0) memcpy(grown, list->items, list->count * size);
        list->items = grown;
        list->capacity = (uint32_t)total;
    }
    void *first = (uint8_t *)list->items + list->count * size;
    memset(first, 0, (size_t)count * size);
    list->count = (uint32_t)total;
    return first;
}

void *sni_builder_own(sni_builder *b, const void *items, size_t size, uint64_t count)
{
    return b->own ? b->own(b->own_user, items, size, count) : (void *)(uintptr_t)items;
}

void sni_builder_publish(const sni_builder *b, sn_model *model)
{
#define SNI_PUBLISH(one, several, type)        \
    if (b->several.items) {                    \
        model->several = b->several.items;     \
        model->one##_count = b->several.count; \
    }
    SNI_ELEMENTS(SNI_PUBLISH)
#undef SNI_PUBLISH
}

bool sni_builder_sort_nodes(sni_builder *b)
{
    sn_model model = { 0 };
    sni_builder_publish(b, &model);
    if (!sni_finish_nodes(b, &model)) return false;
    b->nodes.items = sni_mut(sn_node, model.nodes);
    b->nodes.count = model.node_count;
    return true;
}

void sni_publish_warnings(const sni_diag *diag, sni_arena *keep, sn_model *model)
{
    sn_warning *warnings = sni_new(keep, sn_warning, diag->warning_count);
    if (!warnings) return;
    uint32_t count = 0;
    for (const sni_warning_item *item = diag->first; item; item = item->next) warnings[count++] = item->warning;
    model->warnings = warnings;
    model->warning_count = count;
}

bool sni_builder_finish(sni_builder *b, sn_model *model)
{
    if (!sni_builder_ok(b)) return false;
    sni_builder_publish(b, model);
    if (!model->name) model->name = "";
    if (model->lod_count == 0) model->lod_count = 1;
    if (!sni_finish_nodes(b, model) || !sni_finish_parts(b, model) || !sni_finish_clips(b, model)) return false;
    sni_publish_warnings(b->diag, b->keep, model);
    return sni_builder_ok(b);
}

sni_model_owner *sni_model_owner_create(const sn_allocator *allocator, sn_error *error)
{
    sni_heap heap;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, allocator, UINT64_MAX);
    heap.diag = &diag;
    sni_model_owner *owner = sni_heap_alloc(&heap, sizeof *owner);
    *error = diag.error;
    if (!owner) return NULL;
    memset(owner, 0, sizeof *owner);
    heap.diag = NULL;
    owner->heap = heap;
    return owner;
}

void sni_model_owner_free(sni_model_owner *owner)
{
    sni_heap heap = owner->heap;
    if (owner->unmap) owner->unmap(&owner->maps);
    owner->arena.heap = &heap;
    sni_arena_free(&owner->arena);
    sni_heap_free(&heap, owner, sizeof *owner);
}

void sn_model_free(sn_model *model)
{
    if (model) sni_model_owner_free((sni_model_owner *)model);
}
