// sn_builder, the public one of build.h. Elements are copied into an sni_builder (builder.h, which formats use) as they
// come; removing waits until finishing, so that indices stay. A failure is kept in the diagnostics, which are strict.
#include <sinew/build.h>

#include <string.h>

#include "model/builder.h"
#include "model/check.h"
#include "model/sanitize.h"
#include "model/track.h"

struct sn_builder {
    sni_model_owner *owner;  // of the model to come; its heap is that of the builder
    sni_diag diag;
    sni_arena keep, scratch;
    sni_builder core;
    sni_list tracks;                        // sni_list: of each clip, its tracks
    sni_list morph_counts;                  // uint32_t: of each part, how many morph weights it has
    sni_list is_removed[SN_ELEMENT_COUNT];  // uint8_t: of the first so many elements
    sn_model view;
    bool is_borrowing;
    bool is_shared;  // while elements of `from` are taken over: they were checked, large arrays are not copied
};

static bool is_ok(const sn_builder *b) { return !sni_failed(&b->diag); }

sn_trs sn_trs_identity(void) { return sni_trs_identity; }
sn_layer sn_layer_default(void) { return sni_layer_default(); }

// Copies. Small arrays are always copied, for finishing changes some of them.

static const void *copy_small(sn_builder *b, const char *what, const void *items, size_t size, uint64_t count)
{
    if (!is_ok(b)) return NULL;
    if (!items) {
        if (count > 0) sni_fail(&b->diag, SN_ERR_INVALID, 0, "%llu %s at NULL", (unsigned long long)count, what);
        return NULL;
    }
    void *copy = sni_alloc_raw(&b->keep, size, count);
    if (copy && count > 0) memcpy(copy, items, size * (size_t)count);
    return copy;
}

static const void *copy_large(sn_builder *b, const char *what, const void *items, size_t size, uint64_t count)
{
    return items && (b->is_shared || b->is_borrowing) ? items : copy_small(b, what, items, size, count);
}

static const char *copy_text(sn_builder *b, const char *text)
{
    return text && !b->is_shared && !b->is_borrowing ? sni_copy_text(&b->keep, text, strlen(text)) : text;
}

static const char *copy_name(sn_builder *b, const char *name) { return name ? copy_text(b, name) : ""; }

static void copy_scene(sn_builder *b, void *element)
{
    sn_scene *scene = element;
    scene->name = copy_name(b, scene->name);
    scene->roots = copy_small(b, "roots", scene->roots, sizeof(int32_t), scene->root_count);
}

static void copy_node(sn_builder *b, void *element)
{
    sn_node *node = element;
    node->name = copy_name(b, node->name);
    node->extras = copy_text(b, node->extras);
    if (node->matrix) node->matrix = copy_small(b, "matrix", node->matrix, sizeof *node->matrix, 1);
}

static void copy_mesh(sn_builder *b, void *element)
{
    sn_mesh *mesh = element;
    uint64_t count = mesh->vertex_count, influences = count * mesh->influence_count;
    mesh->name = copy_name(b, mesh->name);
    mesh->extras = copy_text(b, mesh->extras);
    mesh->positions = copy_large(b, "positions", mesh->positions, sizeof(sn_vec3), count);
    if (mesh->normals) mesh->normals = copy_large(b, "normals", mesh->normals, sizeof(sn_vec3), count);
    if (mesh->tangents) mesh->tangents = copy_large(b, "tangents", mesh->tangents, sizeof(sn_vec4), count);
    mesh->indices = copy_large(b, "indices", mesh->indices, sizeof(uint32_t), mesh->index_count);
    mesh->vertex_joints = copy_large(b, "vertex joints", mesh->vertex_joints, sizeof(uint16_t), influences);
    mesh->vertex_weights = copy_large(b, "vertex weights", mesh->vertex_weights, sizeof(float), influences);
    mesh->uvs = copy_small(b, "texture coordinate sets", mesh->uvs, sizeof *mesh->uvs, mesh->uv_count);
    mesh->colors = copy_small(b, "color sets", mesh->colors, sizeof *mesh->colors, mesh->color_count);
    mesh->morphs = copy_small(b, "morphs", mesh->morphs, sizeof *mesh->morphs, mesh->morph_count);
    if (!is_ok(b)) return;
    const sn_vec2 **uvs = sni_mut(const sn_vec2 *, mesh->uvs);
    const sn_vec4 **colors = sni_mut(const sn_vec4 *, mesh->colors);
    sn_morph *morphs = sni_mut(sn_morph, mesh->morphs);
    for (uint32_t i = 0; i < mesh->uv_count; i++)
        if (uvs[i]) uvs[i] = copy_large(b, "texture coordinates", uvs[i], sizeof(sn_vec2), count);
    for (uint32_t i = 0; i < mesh->color_count; i++)
        if (colors[i]) colors[i] = copy_large(b, "colors", colors[i], sizeof(sn_vec4), count);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        sn_morph *m = &morphs[i];
        m->name = copy_name(b, m->name);
        if (m->positions) m->positions = copy_large(b, "positions", m->positions, sizeof(sn_vec3), count);
        if (m->normals) m->normals = copy_large(b, "normals", m->normals, sizeof(sn_vec3), count);
        if (m->tangents) m->tangents = copy_large(b, "tangents", m->tangents, sizeof(sn_vec3), count);
    }
    // Any joint is allowed until the skin is known.
    if (is_ok(b) && !b->is_shared && !b->is_borrowing) sni_sanitize_mesh(&b->core, mesh, UINT16_MAX + 1, 0);
}

static void copy_part(sn_builder *b, void *element)
{
    sn_part *part = element;
    const sn_mesh *meshes = b->core.meshes.items;
    if (!part->morph_weights) return;
    if (part->mesh < 0 || (uint32_t)part->mesh >= b->core.meshes.count) {
        sni_fail(&b->diag, SN_ERR_INVALID, 0, "morph weights for mesh %d, which is not there yet", part->mesh);
        return;
    }
    part->morph_weights = copy_small(b, "morph weights", part->morph_weights, sizeof(float),
                                     meshes[part->mesh].morph_count);
}

static void copy_skin(sn_builder *b, void *element)
{
    sn_skin *skin = element;
    skin->name = copy_name(b, skin->name);
    skin->joints = copy_small(b, "joints", skin->joints, sizeof(int32_t), skin->joint_count);
    skin->inverse_bind = copy_small(b, "inverse bind matrices", skin->inverse_bind, sizeof(sn_mat34),
                                    skin->joint_count);
}

// How many values there are depends on these: they are checked before the values are read.
static bool check_width(sn_builder *b, const sn_track *track)
{
    if (track->channel >= SN_CHANNEL_COUNT)
        return sni_fail(&b->diag, SN_ERR_INVALID, 0, "channel %u of %d", track->channel, SN_CHANNEL_COUNT);
    if (track->interpolation > SN_CUBIC_SPLINE)
        return sni_fail(&b->diag, SN_ERR_INVALID, 0, "interpolation %u, the last is %d", track->interpolation,
                        SN_CUBIC_SPLINE);
    uint32_t width = sni_channel_width(track->channel);
    if (track->width > 0 && (width == 0 || width == track->width)) return true;
    return sni_fail(&b->diag, SN_ERR_INVALID, 0, "values are %u floats wide, channel %u needs %u", track->width,
                    track->channel, width > 0 ? width : 1);
}

static void copy_track(sn_builder *b, sn_track *track)
{
    if (!check_width(b, track)) return;
    track->times = copy_large(b, "times", track->times, sizeof(float), track->key_count);
    track->values = copy_large(b, "values", track->values, sizeof(float),
                               track->key_count * sni_track_floats_per_key(track));
    if (is_ok(b) && !b->is_shared && !b->is_borrowing) sni_sanitize_keys(&b->diag, track, 0);
}

static void copy_material(sn_builder *b, void *element)
{
    sn_material *material = element;
    material->name = copy_name(b, material->name);
    material->extras = copy_text(b, material->extras);
    material->layers = copy_small(b, "layers", material->layers, sizeof(sn_layer), material->layer_count);
    material->extensions = copy_text(b, material->extensions);
    material->extension_maps = copy_small(b, "extension maps", material->extension_maps, sizeof(sn_texture),
                                          material->extension_map_count);
}

static void copy_image(sn_builder *b, void *element)
{
    sn_image *image = element;
    image->name = copy_name(b, image->name);
    image->uri = copy_name(b, image->uri);
    image->mime_type = copy_name(b, image->mime_type);
    if (image->data || image->size > 0) image->data = copy_large(b, "bytes", image->data, 1, image->size);
}

static void copy_camera(sn_builder *b, void *element)
{
    sn_camera *camera = element;
    camera->name = copy_name(b, camera->name);
    camera->extras = copy_text(b, camera->extras);
}

static void copy_light(sn_builder *b, void *element)
{
    sn_light *light = element;
    light->name = copy_name(b, light->name);
    light->extras = copy_text(b, light->extras);
}

static void copy_event(sn_builder *b, void *element)
{
    sn_event *event = element;
    event->name = copy_name(b, event->name);
}

static void copy_shape(sn_builder *b, void *element)
{
    sn_shape *shape = element;
    shape->name = copy_name(b, shape->name);
}

static void copy_attachment(sn_builder *b, void *element)
{
    sn_attachment *attachment = element;
    attachment->name = copy_name(b, attachment->name);
    attachment->path = copy_name(b, attachment->path);
}

static sni_list *tracks_of(const sn_builder *b, int32_t clip) { return (sni_list *)b->tracks.items + clip; }

static sn_clip *clip_at(const sn_builder *b, int32_t clip) { return (sn_clip *)b->core.clips.items + clip; }

static void copy_clip(sn_builder *b, void *element)
{
    sn_clip *clip = element;
    clip->name = copy_name(b, clip->name);
    clip->extras = copy_text(b, clip->extras);
    clip->tracks = copy_small(b, "tracks", clip->tracks, sizeof(sn_track), clip->track_count);
    for (uint32_t i = 0; i < clip->track_count && is_ok(b); i++) {
        sni_enter(&b->diag, "tracks", i);
        copy_track(b, &sni_mut(sn_track, clip->tracks)[i]);
        sni_leave(&b->diag);
    }
}

// Adding and replacing, for all kinds but tracks

static const struct {
    const char *name;
    size_t size, list;
    void (*copy)(sn_builder *b, void *element);
} kinds[SN_ELEMENT_COUNT] = {
#define KIND(one, several, type) { #several, sizeof(type), offsetof(sni_builder, several), copy_##one },
    SNI_ELEMENTS(KIND)
#undef KIND
};

static sni_list *list_of(sn_builder *b, sn_element kind)
{
    return (sni_list *)((uint8_t *)&b->core + kinds[kind].list);
}

// What the builder keeps beside parts and clips.
static bool keep_beside(sn_builder *b, sn_element kind, int32_t index, void *slot)
{
    if (kind == SN_ELEMENT_PART) {
        const sn_part *part = slot;
        const sn_mesh *meshes = b->core.meshes.items;
        uint32_t missing = (uint32_t)index + 1 - b->morph_counts.count;
        if ((uint32_t)index >= b->morph_counts.count &&
            !sni_list_extend(&b->scratch, &b->morph_counts, sizeof(uint32_t), missing))
            return false;
        ((uint32_t *)b->morph_counts.items)[index] = part->morph_weights ? meshes[part->mesh].morph_count : 0;
    }
    if (kind == SN_ELEMENT_CLIP) {
        const sn_clip *clip = slot;
        if ((uint32_t)index >= b->tracks.count && !sni_push(&b->scratch, &b->tracks, sni_list)) return false;
        *tracks_of(b, index) = (sni_list){ sni_mut(void, clip->tracks), clip->track_count, clip->track_count };
    }
    return true;
}

static bool fill(sn_builder *b, sn_element kind, int32_t index, const void *element)
{
    void *slot = (uint8_t *)list_of(b, kind)->items + (size_t)index * kinds[kind].size;
    memmove(slot, element, kinds[kind].size);
    const char *name = NULL;
    if (kind != SN_ELEMENT_PART) memcpy(&name, slot, sizeof name);  // all other kinds begin with it
    sni_enter_named(&b->diag, kinds[kind].name, index, name);
    kinds[kind].copy(b, slot);
    sni_leave(&b->diag);
    return is_ok(b) && keep_beside(b, kind, index, slot);
}

static int32_t add(sn_builder *b, sn_element kind, const void *element)
{
    sni_list *list = list_of(b, kind);
    if (!is_ok(b) || !sni_list_push(&b->keep, list, kinds[kind].size)) return -1;
    return fill(b, kind, (int32_t)list->count - 1, element) ? (int32_t)list->count - 1 : -1;
}

static bool check_slot(sn_builder *b, const char *kind, int32_t index, uint32_t count)
{
    if (!is_ok(b)) return false;
    return (index >= 0 && (uint32_t)index < count) ||
           sni_fail(&b->diag, SN_ERR_INVALID, 0, "%s: %d of %u", kind, index, count);
}

static bool is_removed(const sn_builder *b, sn_element kind, int32_t index)
{
    const sni_list *flags = &b->is_removed[kind];
    return index >= 0 && (uint32_t)index < flags->count && ((const uint8_t *)flags->items)[index];
}

// An element that was removed is there again.
static bool set(sn_builder *b, sn_element kind, int32_t index, const void *element)
{
    if (!check_slot(b, kinds[kind].name, index, list_of(b, kind)->count)) return false;
    if (is_removed(b, kind, index)) ((uint8_t *)b->is_removed[kind].items)[index] = 0;
    return fill(b, kind, index, element);
}

bool sn_builder_remove(sn_builder *b, sn_element kind, int32_t index)
{
    if ((uint32_t)kind >= SN_ELEMENT_COUNT)
        return sni_fail(&b->diag, SN_ERR_INVALID, 0, "element kind %u of %d", (unsigned)kind, SN_ELEMENT_COUNT);
    if (!check_slot(b, kinds[kind].name, index, list_of(b, kind)->count)) return false;
    sni_list *flags = &b->is_removed[kind];
    uint32_t missing = list_of(b, kind)->count - flags->count;
    if (missing > 0 && !sni_list_extend(&b->scratch, flags, 1, missing)) return false;
    ((uint8_t *)flags->items)[index] = 1;
    return true;
}

#define DEFINE_ELEMENT(one, kind)                                                                  \
    int32_t sn_builder_add_##one(sn_builder *b, const sn_##one *one) { return add(b, kind, one); } \
    bool sn_builder_set_##one(sn_builder *b, int32_t index, const sn_##one *one) { return set(b, kind, index, one); }
DEFINE_ELEMENT(scene, SN_ELEMENT_SCENE)
DEFINE_ELEMENT(node, SN_ELEMENT_NODE)
DEFINE_ELEMENT(mesh, SN_ELEMENT_MESH)
DEFINE_ELEMENT(part, SN_ELEMENT_PART)
DEFINE_ELEMENT(skin, SN_ELEMENT_SKIN)
DEFINE_ELEMENT(clip, SN_ELEMENT_CLIP)
DEFINE_ELEMENT(material, SN_ELEMENT_MATERIAL)
DEFINE_ELEMENT(image, SN_ELEMENT_IMAGE)
DEFINE_ELEMENT(camera, SN_ELEMENT_CAMERA)
DEFINE_ELEMENT(light, SN_ELEMENT_LIGHT)
DEFINE_ELEMENT(event, SN_ELEMENT_EVENT)
DEFINE_ELEMENT(shape, SN_ELEMENT_SHAPE)
DEFINE_ELEMENT(attachment, SN_ELEMENT_ATTACHMENT)
#undef DEFINE_ELEMENT

// Tracks

static bool fill_track(sn_builder *b, int32_t clip, uint32_t index, const sn_track *track)
{
    sn_track *slot = (sn_track *)tracks_of(b, clip)->items + index, copy = *track;
    sni_enter_named(&b->diag, "clips", clip, clip_at(b, clip)->name);
    sni_enter(&b->diag, "tracks", index);
    copy_track(b, &copy);
    sni_leave(&b->diag);
    sni_leave(&b->diag);
    *slot = copy;
    clip_at(b, clip)->tracks = tracks_of(b, clip)->items;
    clip_at(b, clip)->track_count = tracks_of(b, clip)->count;
    return is_ok(b);
}

int32_t sn_builder_add_track(sn_builder *b, int32_t clip, const sn_track *track)
{
    const sn_track copy = *track;
    if (!check_slot(b, "clips", clip, b->core.clips.count)) return -1;
    if (!sni_push(&b->keep, tracks_of(b, clip), sn_track)) return -1;
    uint32_t index = tracks_of(b, clip)->count - 1;
    return fill_track(b, clip, index, &copy) ? (int32_t)index : -1;
}

bool sn_builder_set_track(sn_builder *b, int32_t clip, int32_t index, const sn_track *track)
{
    return check_slot(b, "clips", clip, b->core.clips.count) &&
           check_slot(b, "tracks", index, tracks_of(b, clip)->count) && fill_track(b, clip, (uint32_t)index, track);
}

bool sn_builder_remove_track(sn_builder *b, int32_t clip, int32_t index)
{
    if (!check_slot(b, "clips", clip, b->core.clips.count)) return false;
    sni_list *tracks = tracks_of(b, clip);
    if (!check_slot(b, "tracks", index, tracks->count)) return false;
    sn_track *at = (sn_track *)tracks->items + index;
    memmove(at, at + 1, (tracks->count - (uint32_t)index - 1) * sizeof *at);
    clip_at(b, clip)->track_count = --tracks->count;
    return true;
}

// The model itself

void sn_builder_set_name(sn_builder *b, const char *name)
{
    if (is_ok(b)) b->owner->model.name = copy_name(b, name);
}

void sn_builder_set_extras(sn_builder *b, const char *extras)
{
    if (is_ok(b)) b->owner->model.extras = copy_text(b, extras);
}

void sn_builder_set_up_axis(sn_builder *b, sn_axis axis) { b->owner->model.up_axis = axis; }

void sn_builder_set_default_scene(sn_builder *b, int32_t scene) { b->owner->model.default_scene = scene; }

const sn_model *sn_builder_view(sn_builder *b)
{
    b->view = b->owner->model;
    sni_builder_publish(&b->core, &b->view);
    return &b->view;
}

static void take_elements(sn_builder *b, const sn_model *from)
{
#define TAKE(one, several, type) \
    for (uint32_t i = 0; i < from->one##_count && is_ok(b); i++) sn_builder_add_##one(b, &from->several[i]);
    SNI_ELEMENTS(TAKE)
#undef TAKE
}

static void take_model(sn_builder *b, const sn_model *from, bool is_detached)
{
    sn_model *model = &b->owner->model;
    bool is_borrowing = b->is_borrowing;
    b->is_shared = !is_detached;
    b->is_borrowing = false;
    model->name = copy_name(b, from->name);
    model->extras = copy_text(b, from->extras);
    model->format = copy_text(b, from->format);
    model->up_axis = from->up_axis;
    model->lod_count = from->lod_count;
    model->default_scene = from->default_scene;
    take_elements(b, from);
    b->is_shared = false;
    b->is_borrowing = is_borrowing;
}

sn_builder *sn_builder_create(const sn_model *from, const sn_build_opts *opts, sn_error *error)
{
    sn_error ignored;
    if (!error) error = &ignored;
    memset(error, 0, sizeof *error);
    if (from && sni_model_require(from, error) != SN_OK) return NULL;
    sni_model_owner *owner = sni_model_owner_create(opts ? &opts->allocator : NULL, error);
    if (!owner) return NULL;
    sn_builder *b = sni_heap_alloc(&owner->heap, sizeof *b);
    if (!b) {
        *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
        sni_model_owner_free(owner);
        return NULL;
    }
    memset(b, 0, sizeof *b);
    b->owner = owner;
    b->is_borrowing = opts && opts->borrow;
    owner->heap.diag = &b->diag;
    sni_arena_init(&b->keep, &owner->heap);
    sni_arena_init(&b->scratch, &owner->heap);
    sni_diag_init(&b->diag, NULL);
    b->diag.json_paths = b->diag.is_strict = true;
    b->core = (sni_builder){ .diag = &b->diag, .keep = &b->keep, .scratch = &b->scratch };
    owner->model = (sn_model){ .name = "", .format = "built", .lod_count = 1, .default_scene = -1 };
    if (from) take_model(b, from, opts && opts->detach);
    if (is_ok(b)) return b;
    *error = b->diag.error;
    sn_builder_free(b);
    return NULL;
}

void sn_builder_free(sn_builder *b)
{
    if (!b) return;
    sni_model_owner *owner = b->owner;
    owner->heap.diag = NULL;
    sni_arena_free(&b->scratch);
    owner->arena = b->keep;
    sni_heap_free(&owner->heap, b, sizeof *b);
    sni_model_owner_free(owner);
}

// Removing

// Elements that cannot be without what was removed are removed too; for others that is an error.
static bool spread_removal(sn_builder *b, const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (is_removed(b, SN_ELEMENT_NODE, (int32_t)i) || !is_removed(b, SN_ELEMENT_NODE, parent)) continue;
        sni_enter_named(&b->diag, "nodes", i, model->nodes[i].name);
        return sni_fail(&b->diag, SN_ERR_INVALID, 0, "its parent, node %d, was removed", parent);
    }
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_skin *skin = &model->skins[i];
        for (uint32_t k = 0; k < skin->joint_count && !is_removed(b, SN_ELEMENT_SKIN, (int32_t)i); k++) {
            if (!is_removed(b, SN_ELEMENT_NODE, skin->joints[k])) continue;
            sni_enter_named(&b->diag, "skins", i, skin->name);
            return sni_fail(&b->diag, SN_ERR_INVALID, 0, "its joint %u, node %d, was removed", k, skin->joints[k]);
        }
    }
    bool is_good = true;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (is_removed(b, SN_ELEMENT_NODE, model->parts[i].node) ||
            is_removed(b, SN_ELEMENT_MESH, model->parts[i].mesh))
            is_good = is_good && sn_builder_remove(b, SN_ELEMENT_PART, (int32_t)i);
    for (uint32_t i = 0; i < model->attachment_count; i++)
        if (is_removed(b, SN_ELEMENT_NODE, model->attachments[i].node))
            is_good = is_good && sn_builder_remove(b, SN_ELEMENT_ATTACHMENT, (int32_t)i);
    for (uint32_t i = 0; i < model->event_count; i++)
        if (is_removed(b, SN_ELEMENT_CLIP, model->events[i].clip))
            is_good = is_good && sn_builder_remove(b, SN_ELEMENT_EVENT, (int32_t)i);
    return is_good;
}

typedef struct numbering {
    int32_t *new_of[SN_ELEMENT_COUNT];
    uint32_t counts[SN_ELEMENT_COUNT];
} numbering;

// Indices that were out of range stay so: finishing reports them.
static int32_t new_index(const numbering *n, sn_element kind, int32_t index)
{
    return index >= 0 && (uint32_t)index < n->counts[kind] ? n->new_of[kind][index] : index;
}

static bool make_numbering(sn_builder *b, numbering *n)
{
    for (int kind = 0; kind < SN_ELEMENT_COUNT; kind++) {
        int32_t next = 0;
        n->counts[kind] = list_of(b, (sn_element)kind)->count;
        n->new_of[kind] = sni_new_raw(&b->scratch, int32_t, n->counts[kind]);
        if (!n->new_of[kind]) return false;
        for (uint32_t i = 0; i < n->counts[kind]; i++)
            n->new_of[kind][i] = is_removed(b, (sn_element)kind, (int32_t)i) ? -1 : next++;
    }
    return true;
}

// Image numbers travel as floats; one that names no image is none. The values may be shared, so they are copied.
static bool renumber_images(sn_builder *b, const numbering *n, sn_track *track)
{
    uint64_t count = track->key_count * sni_track_floats_per_key(track);
    float *values = sni_new_raw(&b->keep, float, count);
    if (!values) return false;
    for (uint64_t i = 0; i < count; i++) {
        float value = track->values[i];
        bool is_image = value >= 0.0f && value < (float)n->counts[SN_ELEMENT_IMAGE];
        values[i] = is_image ? (float)n->new_of[SN_ELEMENT_IMAGE][(int32_t)value] : value;
    }
    track->values = values;
    return true;
}

static bool renumber_tracks(sn_builder *b, const numbering *n, int32_t clip)
{
    static const sn_element targets[] = { SN_ELEMENT_NODE, SN_ELEMENT_PART, SN_ELEMENT_MATERIAL, SN_ELEMENT_CAMERA,
                                          SN_ELEMENT_LIGHT };
    sni_list *list = tracks_of(b, clip);
    sn_track *tracks = list->items;
    bool has_gaps = b->is_removed[SN_ELEMENT_IMAGE].count > 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        sn_track track = tracks[i];
        if (track.target_kind <= SN_TARGET_LIGHT) {
            if (is_removed(b, targets[track.target_kind], track.target)) continue;
            track.target = new_index(n, targets[track.target_kind], track.target);
        }
        if (has_gaps && track.channel == SN_CHANNEL_IMAGE && !renumber_images(b, n, &track)) return false;
        tracks[kept++] = track;
    }
    list->count = clip_at(b, clip)->track_count = kept;
    return true;
}

static void renumber_elements(sn_builder *b, const numbering *n)
{
    const sni_builder *core = &b->core;
    sn_node *nodes = core->nodes.items;
    for (uint32_t i = 0; i < core->nodes.count; i++) nodes[i].parent = new_index(n, SN_ELEMENT_NODE, nodes[i].parent);
    sn_part *parts = core->parts.items;
    for (uint32_t i = 0; i < core->parts.count; i++) {
        parts[i].node = new_index(n, SN_ELEMENT_NODE, parts[i].node);
        parts[i].mesh = new_index(n, SN_ELEMENT_MESH, parts[i].mesh);
        parts[i].skin = new_index(n, SN_ELEMENT_SKIN, parts[i].skin);
        parts[i].material = new_index(n, SN_ELEMENT_MATERIAL, parts[i].material);
    }
    const sn_skin *skins = core->skins.items;
    for (uint32_t i = 0; i < core->skins.count; i++) {
        int32_t *joints = sni_mut(int32_t, skins[i].joints);
        for (uint32_t k = 0; k < skins[i].joint_count; k++) joints[k] = new_index(n, SN_ELEMENT_NODE, joints[k]);
    }
    sn_scene *scenes = core->scenes.items;
    for (uint32_t i = 0; i < core->scenes.count; i++) {
        int32_t *roots = sni_mut(int32_t, scenes[i].roots);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < scenes[i].root_count; k++)
            if (!is_removed(b, SN_ELEMENT_NODE, roots[k])) roots[kept++] = new_index(n, SN_ELEMENT_NODE, roots[k]);
        scenes[i].root_count = kept;
    }
    const sn_material *materials = core->materials.items;
    for (uint32_t i = 0; i < core->materials.count; i++) {
        sn_layer *layers = sni_mut(sn_layer, materials[i].layers);
        for (uint32_t k = 0; k < materials[i].layer_count; k++)
            for (int map = 0; map < SN_MAP_COUNT; map++)
                layers[k].maps[map].image = new_index(n, SN_ELEMENT_IMAGE, layers[k].maps[map].image);
        sn_texture *more = sni_mut(sn_texture, materials[i].extension_maps);
        for (uint32_t k = 0; k < materials[i].extension_map_count; k++)
            more[k].image = new_index(n, SN_ELEMENT_IMAGE, more[k].image);
    }
    sn_camera *cameras = core->cameras.items;
    for (uint32_t i = 0; i < core->cameras.count; i++) cameras[i].node = new_index(n, SN_ELEMENT_NODE, cameras[i].node);
    sn_light *lights = core->lights.items;
    for (uint32_t i = 0; i < core->lights.count; i++) lights[i].node = new_index(n, SN_ELEMENT_NODE, lights[i].node);
    sn_event *events = core->events.items;
    for (uint32_t i = 0; i < core->events.count; i++) {
        events[i].node = new_index(n, SN_ELEMENT_NODE, events[i].node);
        events[i].clip = new_index(n, SN_ELEMENT_CLIP, events[i].clip);
    }
    sn_shape *shapes = core->shapes.items;
    for (uint32_t i = 0; i < core->shapes.count; i++) shapes[i].node = new_index(n, SN_ELEMENT_NODE, shapes[i].node);
    sn_attachment *attachments = core->attachments.items;
    for (uint32_t i = 0; i < core->attachments.count; i++)
        attachments[i].node = new_index(n, SN_ELEMENT_NODE, attachments[i].node);
    int32_t *scene = &b->owner->model.default_scene;
    *scene = new_index(n, SN_ELEMENT_SCENE, *scene);
}

static bool remove_elements(sn_builder *b)
{
    numbering n;
    uint32_t any = 0;
    for (int kind = 0; kind < SN_ELEMENT_COUNT; kind++) any += b->is_removed[kind].count;
    if (any == 0) return true;
    if (!spread_removal(b, sn_builder_view(b)) || !make_numbering(b, &n)) return false;
    for (uint32_t i = 0; i < b->core.clips.count; i++)
        if (!renumber_tracks(b, &n, (int32_t)i)) return false;
    renumber_elements(b, &n);
    for (int kind = 0; kind < SN_ELEMENT_COUNT; kind++) {
        sni_list *list = list_of(b, (sn_element)kind);
        uint8_t *items = list->items;
        size_t size = kinds[kind].size, kept = 0;
        for (uint32_t i = 0; i < list->count; i++)
            if (n.new_of[kind][i] >= 0) memmove(items + size * kept++, items + size * i, size);
        list->count = (uint32_t)kept;
    }
    return true;
}

// Finishing

// Before parts are removed: the counts of their morph weights are by their old indices.
static bool check_morph_weights(sn_builder *b)
{
    const sn_part *parts = b->core.parts.items;
    const sn_mesh *meshes = b->core.meshes.items;
    for (uint32_t i = 0; i < b->core.parts.count; i++) {
        uint32_t count = ((const uint32_t *)b->morph_counts.items)[i];
        bool has_mesh = parts[i].mesh >= 0 && (uint32_t)parts[i].mesh < b->core.meshes.count;
        if (!parts[i].morph_weights || !has_mesh || meshes[parts[i].mesh].morph_count == count) continue;
        sni_enter(&b->diag, "parts", i);
        return sni_fail(&b->diag, SN_ERR_INVALID, 0, "%u morph weights, mesh %d has %u morphs", count, parts[i].mesh,
                        meshes[parts[i].mesh].morph_count);
    }
    return true;
}

static bool finish(sn_builder *b, sn_model *model)
{
    if (!is_ok(b) || !check_morph_weights(b) || !remove_elements(b)) return false;
    if (!sni_check_unsorted(sn_builder_view(b), &b->diag)) return false;
    sn_node *nodes = b->core.nodes.items;
    for (uint32_t i = 0; i < b->core.nodes.count; i++) nodes[i].flags &= ~(uint32_t)SN_NODE_JOINT;
    const sn_part *parts = b->core.parts.items;
    for (uint32_t i = 0; i < b->core.parts.count; i++)
        if (parts[i].lod >= 0 && (uint32_t)parts[i].lod >= model->lod_count && parts[i].lod < INT32_MAX - 1)
            model->lod_count = (uint32_t)parts[i].lod + 1;
    if (b->core.scenes.count == 0) model->default_scene = -1;
    return sni_builder_finish(&b->core, model) && sn_model_check(model, &b->diag.error) == SN_OK;
}

sn_model *sn_builder_finish(sn_builder *b, sn_error *error)
{
    sni_model_owner *owner = b->owner;
    bool is_finished = finish(b, &owner->model);
    if (!is_finished && is_ok(b)) sni_fail(&b->diag, SN_ERR_MEMORY, 0, "out of memory");
    if (error) *error = b->diag.error;
    if (!is_finished) {
        sn_builder_free(b);
        return NULL;
    }
    sni_arena_free(&b->scratch);
    owner->arena = b->keep;
    owner->heap.diag = NULL;
    sni_heap_free(&owner->heap, b, sizeof *b);
    sni_model_seal(&owner->model);
    return &owner->model;
}
