// Makes models by hand and edits loaded ones.
//
//     sn_builder *b = sn_builder_create(NULL, NULL, &error);
//     int32_t root = sn_builder_add_node(b, &(sn_node){ .name = "root", .parent = -1, .rest = sn_trs_identity() });
//     int32_t mesh = sn_builder_add_mesh(b, &(sn_mesh){ ... });
//     sn_builder_add_part(b, &(sn_part){ .mesh = mesh, .node = root, .skin = -1, .material = -1, ... });
//     sn_model *model = sn_builder_finish(b, &error);
//     if (!model) fprintf(stderr, "%s: %s\n", error.path, error.message);
//
// Elements refer to each other by the indices that the add functions return. They may be added in any order: a child
// before its parent, a part before its mesh. Indices do not change while building, even when elements are removed;
// sn_builder_finish sorts nodes, closes gaps and renumbers all references.
//
// Failures are sticky: after the first one nothing is added, and sn_builder_finish returns NULL and that first error.
// You only need to check its result. Anything that loading would repair with a warning is an error here; error.path
// names the element. Two things are fixed silently: weights, rotations and normals within 1 % of the correct length are
// normalised, and NULL text becomes "".
//
// Text and arrays are copied unless the options say otherwise. A builder belongs to one thread at a time.
#ifndef SINEW_BUILD_H
#define SINEW_BUILD_H

#include <sinew/sinew.h>

#ifdef __cplusplus
extern "C" {
#endif
// clang-format off

typedef struct sn_builder sn_builder;

typedef struct sn_build_opts {
    sn_allocator allocator;  // for the builder and the finished model
    bool borrow;   // do not copy the large arrays (vertices, indices, morphs, keys, image bytes) and the text that you
                   // pass in: they must outlive the finished model. They are checked, never changed
    bool detach;   // copy the large arrays and text of `from`; else `from` must outlive the finished model
} sn_build_opts;

// Starts with a copy of `from`, or with an empty model if `from` is NULL. The document and the warnings of a loaded
// model are not copied. Returns NULL when out of memory or when `from` violates a guarantee of sinew.h.
SN_API sn_builder *sn_builder_create(const sn_model *from, const sn_build_opts *opts, sn_error *error);

// Returns a model that meets every guarantee of sinew.h, or NULL. Frees the builder either way.
SN_API sn_model *sn_builder_finish(sn_builder *builder, sn_error *error);
SN_API void sn_builder_free(sn_builder *builder);  // instead of sn_builder_finish; NULL is allowed

// The current elements, including removed ones; valid until the next call with this builder. To change an element, copy
// its struct from here, edit the copy and pass it to a set function.
SN_API const sn_model *sn_builder_view(sn_builder *builder);

// Properties of the whole model. If it was not made from another one, its format is "built" and Y is up.
SN_API void sn_builder_set_name(sn_builder *builder, const char *name);
SN_API void sn_builder_set_extras(sn_builder *builder, const char *extras);  // JSON or NULL
SN_API void sn_builder_set_up_axis(sn_builder *builder, sn_axis axis);
SN_API void sn_builder_set_default_scene(sn_builder *builder, int32_t scene);

// Each returns the new element's index, or -1 after a failure. Add a part with morph weights after its mesh.
// SN_NODE_JOINT and lod_count are set automatically. Events are sorted.
SN_API int32_t sn_builder_add_scene(sn_builder *builder, const sn_scene *scene);
SN_API int32_t sn_builder_add_node(sn_builder *builder, const sn_node *node);
SN_API int32_t sn_builder_add_mesh(sn_builder *builder, const sn_mesh *mesh);
SN_API int32_t sn_builder_add_part(sn_builder *builder, const sn_part *part);
SN_API int32_t sn_builder_add_skin(sn_builder *builder, const sn_skin *skin);
SN_API int32_t sn_builder_add_clip(sn_builder *builder, const sn_clip *clip);  // with its tracks, if any
SN_API int32_t sn_builder_add_material(sn_builder *builder, const sn_material *material);
SN_API int32_t sn_builder_add_image(sn_builder *builder, const sn_image *image);
SN_API int32_t sn_builder_add_camera(sn_builder *builder, const sn_camera *camera);
SN_API int32_t sn_builder_add_light(sn_builder *builder, const sn_light *light);
SN_API int32_t sn_builder_add_event(sn_builder *builder, const sn_event *event);
SN_API int32_t sn_builder_add_shape(sn_builder *builder, const sn_shape *shape);
SN_API int32_t sn_builder_add_attachment(sn_builder *builder, const sn_attachment *attachment);
SN_API int32_t sn_builder_add_track(sn_builder *builder, int32_t clip, const sn_track *track);

// Each replaces an element. Returns false after a failure.
SN_API bool sn_builder_set_scene(sn_builder *builder, int32_t index, const sn_scene *scene);
SN_API bool sn_builder_set_node(sn_builder *builder, int32_t index, const sn_node *node);
SN_API bool sn_builder_set_mesh(sn_builder *builder, int32_t index, const sn_mesh *mesh);
SN_API bool sn_builder_set_part(sn_builder *builder, int32_t index, const sn_part *part);
SN_API bool sn_builder_set_skin(sn_builder *builder, int32_t index, const sn_skin *skin);
SN_API bool sn_builder_set_clip(sn_builder *builder, int32_t index, const sn_clip *clip);  // and all its tracks
SN_API bool sn_builder_set_material(sn_builder *builder, int32_t index, const sn_material *material);
SN_API bool sn_builder_set_image(sn_builder *builder, int32_t index, const sn_image *image);
SN_API bool sn_builder_set_camera(sn_builder *builder, int32_t index, const sn_camera *camera);
SN_API bool sn_builder_set_light(sn_builder *builder, int32_t index, const sn_light *light);
SN_API bool sn_builder_set_event(sn_builder *builder, int32_t index, const sn_event *event);
SN_API bool sn_builder_set_shape(sn_builder *builder, int32_t index, const sn_shape *shape);
SN_API bool sn_builder_set_attachment(sn_builder *builder, int32_t index, const sn_attachment *attachment);
SN_API bool sn_builder_set_track(sn_builder *builder, int32_t clip, int32_t index, const sn_track *track);

typedef enum sn_element {
    SN_ELEMENT_SCENE,
    SN_ELEMENT_NODE,
    SN_ELEMENT_MESH,
    SN_ELEMENT_PART,
    SN_ELEMENT_SKIN,
    SN_ELEMENT_CLIP,
    SN_ELEMENT_MATERIAL,
    SN_ELEMENT_IMAGE,
    SN_ELEMENT_CAMERA,
    SN_ELEMENT_LIGHT,
    SN_ELEMENT_EVENT,
    SN_ELEMENT_SHAPE,
    SN_ELEMENT_ATTACHMENT,
    SN_ELEMENT_COUNT
} sn_element;

// Marks an element, which sn_builder_finish then removes. What happens to elements that refer to it:
//     tracks that drive it                                         are removed
//     parts of a removed mesh or node, attachments of a node,
//     events of a clip                                             are removed, with their tracks
//     scenes that list a removed node                              no longer list it
//     parts with a removed skin or material, maps with a removed
//     image, cameras, lights, events and shapes of a removed node  refer to -1 instead
//     children of a removed node, skins with a removed joint       are an error, unless they are removed too
SN_API bool sn_builder_remove(sn_builder *builder, sn_element kind, int32_t index);

// Removes a track immediately: the indices of later tracks decrease by one.
SN_API bool sn_builder_remove_track(sn_builder *builder, int32_t clip, int32_t index);

// Defaults that are not all zero: the identity transform, and a white, opaque, rough layer without maps.
SN_API sn_trs sn_trs_identity(void);
SN_API sn_layer sn_layer_default(void);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
