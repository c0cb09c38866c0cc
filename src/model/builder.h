// One way to make a model, for formats and for sn_builder. Elements are added in any order and number; finishing sorts
// nodes, repairs damage with a warning each (or fails, where the diagnostics are strict) and keeps the promises of
// sinew.h.
//
//     sni_builder b = sni_builder_of_load(load);       // in a format (model/load.h)
//     sn_node *nodes = sni_builder_nodes(&b, count);   // room for a known number at once
//     sn_part *part = sni_builder_add_part(&b);        // or one by one
//     return sni_builder_finish(&b, model);
#ifndef SNI_BUILDER_H
#define SNI_BUILDER_H

#include "base/arena.h"

// The kinds of elements: one, several, type.
#define SNI_ELEMENTS(X)                 \
    X(scene, scenes, sn_scene)          \
    X(node, nodes, sn_node)             \
    X(mesh, meshes, sn_mesh)            \
    X(part, parts, sn_part)             \
    X(skin, skins, sn_skin)             \
    X(clip, clips, sn_clip)             \
    X(material, materials, sn_material) \
    X(image, images, sn_image)          \
    X(camera, cameras, sn_camera)       \
    X(light, lights, sn_light)          \
    X(event, events, sn_event)          \
    X(shape, shapes, sn_shape)          \
    X(attachment, attachments, sn_attachment)

typedef struct sni_builder {
    sni_diag *diag;
    sni_arena *keep, *scratch;  // the model's, and one that is freed when it is finished
    // Makes an array writable that may be part of a file; NULL: all arrays are writable.
    void *(*own)(void *user, const void *items, size_t size, uint64_t count);
    void *own_user;
    const bool *left_out;  // of each node: it is not part of the model, and nothing refers to it; NULL: all are
#define SNI_BUILDER_LIST(one, several, type) sni_list several;
    SNI_ELEMENTS(SNI_BUILDER_LIST)
#undef SNI_BUILDER_LIST
} sni_builder;

void *sni_list_extend(sni_arena *arena, sni_list *list, size_t size, uint64_t count);

// Zeroed elements in the model's arena: set at least parent (-1), rest (sni_trs_identity), skin, material and image
// (-1). NULL after a failure. Pointers are valid until the next call for this kind.
#define SNI_BUILDER_ADD(one, several, type)                                   \
    static inline type *sni_builder_##several(sni_builder *b, uint64_t count) \
    {                                                                         \
        return sni_list_extend(b->keep, &b->several, sizeof(type), count);    \
    }                                                                         \
    static inline type *sni_builder_add_##one(sni_builder *b) { return sni_push(b->keep, &b->several, type); }
SNI_ELEMENTS(SNI_BUILDER_ADD)
#undef SNI_BUILDER_ADD

static inline bool sni_builder_ok(const sni_builder *b) { return !sni_failed(b->diag); }
void *sni_builder_own(sni_builder *b, const void *items, size_t size, uint64_t count);

// The elements as arrays of the model, in the order they were added. Lists that were not used leave the model's own
// arrays.
void sni_builder_publish(const sni_builder *b, sn_model *model);

// Moves parents before children now, for formats that place a node relative to its parent. Finishing keeps that order.
bool sni_builder_sort_nodes(sni_builder *b);

// Publishes, then finishes: afterwards every promise of sinew.h holds, or the diagnostics have failed. Meshes and
// tracks must have been sanitized (model/sanitize.h).
bool sni_builder_finish(sni_builder *b, sn_model *model);
void sni_publish_warnings(const sni_diag *diag, sni_arena *keep, sn_model *model);  // of the diagnostics so far

// Its steps, in the order they run.
bool sni_finish_nodes(sni_builder *b, sn_model *model);  // parents first; all references to nodes follow
bool sni_finish_parts(sni_builder *b, sn_model *model);  // skins, parts, materials, cameras, lights, scenes
bool sni_finish_clips(sni_builder *b, sn_model *model);  // clips, events, shapes, attachments

// A model with the memory it lives in: the public struct comes first, so that sn_model_free finds the rest.
typedef struct sni_model_owner {
    sn_model model;
    sni_heap heap;
    sni_arena arena;
    sni_list maps;  // files whose pages hold arrays of the model
    void (*unmap)(sni_list *maps);
} sni_model_owner;

sni_model_owner *sni_model_owner_create(const sn_allocator *allocator, sn_error *error);
void sni_model_owner_free(sni_model_owner *owner);

// The arrays of a model are const for its readers; while it is built they are ours.
#define sni_mut(type, pointer) ((type *)(uintptr_t)(const void *)(pointer))

extern const sn_trs sni_trs_identity;
extern const sn_mat34 sni_mat34_identity;
sn_texture sni_texture_none(void);
sn_layer sni_layer_default(void);  // white, opaque, rough, no maps

#include "model/load.h"

#endif
