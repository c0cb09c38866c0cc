// The promises of sinew.h, one by one, for models from anywhere. Nothing is allocated or changed.
#include "model/check.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "model/sanitize.h"
#include "model/track.h"

static const double WEIGHT_TOLERANCE = 1e-5, UNIT_TOLERANCE = 1e-4;

typedef struct checker {
    const sn_model *model;
    sni_diag *diag;
} checker;

#define fail(check, ...) sni_fail((check)->diag, SN_ERR_INVALID, 0, __VA_ARGS__)

static bool check_utf8(const checker *check, const char *what, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    for (size_t size = strlen(text); size > 0;) {
        size_t length = sni_utf8_length(at, size);
        if (length == 0)
            return fail(check, "%s is not valid UTF-8 at byte %zu", what, (size_t)(at - (const uint8_t *)text));
        at += length;
        size -= length;
    }
    return true;
}

static bool check_text(const checker *check, const char *what, const char *text)
{
    if (!text) return fail(check, "%s is NULL", what);
    return check_utf8(check, what, text);
}

static bool check_extras(const checker *check, const char *extras)
{
    if (!extras) return true;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, SNI_JSON_MAX_DEPTH, &diag, NULL);
    sni_json_skip(&json);
    sni_json_finish(&json);
    if (sni_failed(&diag))
        return fail(check, "extras are not JSON at byte %llu: %.90s", (unsigned long long)diag.error.offset,
                    diag.error.message);
    return check_utf8(check, "extras", extras);
}

static bool check_named(const checker *check, const char *name, const char *extras)
{
    return check_text(check, "name", name) && check_extras(check, extras);
}

static bool check_array(const checker *check, const char *what, const void *items, uint64_t count)
{
    return items || count == 0 || fail(check, "%llu %s at NULL", (unsigned long long)count, what);
}

static bool check_floats(const checker *check, const char *what, const void *items, uint64_t count)
{
    const float *values = items;
    if (!check_array(check, what, items, count)) return false;
    if (count == 0 || sni_all_finite(values, count)) return true;
    uint64_t at = 0;
    while (isfinite(values[at])) at++;
    return fail(check, "%s: number %llu is not finite", what, (unsigned long long)at);
}

static bool check_index(const checker *check, const char *what, int32_t index, uint32_t count)
{
    return (index >= 0 && (uint32_t)index < count) || fail(check, "%s %d of %u", what, index, count);
}

static bool check_index_or_none(const checker *check, const char *what, int32_t index, uint32_t count)
{
    return index == -1 || check_index(check, what, index, count);
}

static bool check_kind(const checker *check, const char *what, uint32_t kind, uint32_t last)
{
    return kind <= last || fail(check, "%s %u, the last is %u", what, kind, last);
}

static bool is_unit(const float *values, int count)
{
    return fabs(sqrt(sni_length_squared(values, count)) - 1.0) <= UNIT_TOLERANCE;
}

static bool check_directions(const checker *check, const char *what, const float *values, uint32_t count,
                             uint32_t width)
{
    for (uint32_t i = 0; i < count; i++) {
        const float *at = values + (size_t)i * width;
        if (!is_unit(at, 3)) return fail(check, "%s %u is not of unit length", what, i);
        if (width > 3 && fabsf(at[3]) != 1.0f)
            return fail(check, "%s %u: w is %g, not 1 or -1", what, i, (double)at[3]);
    }
    return true;
}

static bool check_node(const checker *check, const sn_node *node, uint32_t index)
{
    if (!check_named(check, node->name, node->extras)) return false;
    if (node->parent < -1 || node->parent >= (int32_t)index)
        return fail(check, "parent %d does not come before node %u", node->parent, index);
    if (node->id < -1) return fail(check, "id %d", node->id);
    if (node->flags >= SN_NODE_SCALE_PARENT_AXES << 1) return fail(check, "unknown flags 0x%x", node->flags);
    if (!check_floats(check, "rest", &node->rest, sizeof node->rest / sizeof(float))) return false;
    if (!is_unit(&node->rest.rotation.x, 4)) return fail(check, "rest rotation is not of unit length");
    return !node->matrix || check_floats(check, "matrix", node->matrix, 12);
}

static bool check_skin(const checker *check, const sn_skin *skin)
{
    if (!check_text(check, "name", skin->name) || !check_array(check, "joints", skin->joints, skin->joint_count))
        return false;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (!check_index(check, "joint node", skin->joints[i], check->model->node_count)) return false;
        if (!(check->model->nodes[skin->joints[i]].flags & SN_NODE_JOINT))
            return fail(check, "joint %u: node %d lacks SN_NODE_JOINT", i, skin->joints[i]);
    }
    return check_floats(check, "inverse bind matrices", skin->inverse_bind, (uint64_t)skin->joint_count * 12);
}

// Nodes flagged as joints must be in a skin. A window of nodes at a time is marked on the stack.
static bool check_joint_flags(const checker *check)
{
    enum { WINDOW = 1 << 16 };
    const sn_model *model = check->model;
    for (uint32_t start = 0, count; start < model->node_count; start += count) {
        uint8_t marks[WINDOW / 8] = { 0 };
        count = model->node_count - start < WINDOW ? model->node_count - start : WINDOW;
        for (uint32_t i = 0; i < model->skin_count; i++) {
            for (uint32_t k = 0; k < model->skins[i].joint_count; k++) {
                uint32_t at = (uint32_t)model->skins[i].joints[k] - start;  // wraps below the window
                if (at < WINDOW) marks[at / 8] |= (uint8_t)(1u << at % 8);
            }
        }
        for (uint32_t i = 0; i < count; i++) {
            const sn_node *node = &model->nodes[start + i];
            if (!(node->flags & SN_NODE_JOINT) || marks[i / 8] >> i % 8 & 1) continue;
            sni_enter_named(check->diag, "nodes", start + i, node->name);
            return fail(check, "SN_NODE_JOINT, but no skin has this node");
        }
    }
    return true;
}

static bool check_scene(const checker *check, const sn_scene *scene)
{
    if (!check_text(check, "name", scene->name) || !check_array(check, "roots", scene->roots, scene->root_count))
        return false;
    for (uint32_t i = 0; i < scene->root_count; i++) {
        if (!check_index(check, "root node", scene->roots[i], check->model->node_count)) return false;
        if (check->model->nodes[scene->roots[i]].parent != -1)
            return fail(check, "root node %d has a parent", scene->roots[i]);
    }
    return true;
}

static bool check_indices(const checker *check, const sn_mesh *mesh)
{
    static const uint32_t corners[] = { 3, 2, 1 };
    if (!check_kind(check, "topology", (uint32_t)mesh->topology, SN_POINTS)) return false;
    if (mesh->index_count % corners[mesh->topology] != 0)
        return fail(check, "%u indices are not a multiple of %u", mesh->index_count, corners[mesh->topology]);
    if (!check_array(check, "indices", mesh->indices, mesh->index_count)) return false;
    for (uint32_t i = 0; i < mesh->index_count; i++)
        if (mesh->indices[i] >= mesh->vertex_count)
            return fail(check, "index %u: vertex %u of %u", i, mesh->indices[i], mesh->vertex_count);
    return true;
}

static bool check_influences(const checker *check, const sn_mesh *mesh)
{
    uint64_t total = (uint64_t)mesh->vertex_count * mesh->influence_count;
    if (!check_array(check, "vertex joints", mesh->vertex_joints, total)) return false;
    if (!check_floats(check, "vertex weights", mesh->vertex_weights, total)) return false;
    for (uint32_t i = 0; i < mesh->vertex_count && mesh->influence_count > 0; i++) {
        const float *weights = mesh->vertex_weights + (size_t)i * mesh->influence_count;
        double sum = 0.0;
        for (uint32_t k = 0; k < mesh->influence_count; k++) {
            if (weights[k] < 0.0f) return fail(check, "vertex %u: weight %g is negative", i, (double)weights[k]);
            sum += weights[k];
        }
        if (fabs(sum - 1.0) > WEIGHT_TOLERANCE) return fail(check, "vertex %u: weights sum to %.7g", i, sum);
    }
    return true;
}

static bool check_morph(const checker *check, const sn_mesh *mesh, const sn_morph *morph)
{
    uint64_t count = (uint64_t)mesh->vertex_count * 3;
    return check_text(check, "name", morph->name) &&
           (!morph->positions || check_floats(check, "positions", morph->positions, count)) &&
           (!morph->normals || check_floats(check, "normals", morph->normals, count)) &&
           (!morph->tangents || check_floats(check, "tangents", morph->tangents, count));
}

static bool check_mesh(const checker *check, const sn_mesh *mesh)
{
    uint64_t count = mesh->vertex_count;
    if (!check_named(check, mesh->name, mesh->extras) || !check_indices(check, mesh)) return false;
    if (!check_floats(check, "positions", mesh->positions, count * 3)) return false;
    if (mesh->normals && (!check_floats(check, "normals", mesh->normals, count * 3) ||
                          !check_directions(check, "normal", &mesh->normals->x, mesh->vertex_count, 3)))
        return false;
    if (mesh->tangents && (!check_floats(check, "tangents", mesh->tangents, count * 4) ||
                           !check_directions(check, "tangent", &mesh->tangents->x, mesh->vertex_count, 4)))
        return false;
    if (!check_array(check, "texture coordinate sets", mesh->uvs, mesh->uv_count) ||
        !check_array(check, "color sets", mesh->colors, mesh->color_count) ||
        !check_array(check, "morphs", mesh->morphs, mesh->morph_count))
        return false;
    for (uint32_t i = 0; i < mesh->uv_count; i++)
        if (mesh->uvs[i] && !check_floats(check, "texture coordinates", mesh->uvs[i], count * 2)) return false;
    for (uint32_t i = 0; i < mesh->color_count; i++)
        if (mesh->colors[i] && !check_floats(check, "colors", mesh->colors[i], count * 4)) return false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        sni_enter_named(check->diag, "morphs", i, mesh->morphs[i].name);
        if (!check_morph(check, mesh, &mesh->morphs[i])) return false;
        sni_leave(check->diag);
    }
    return check_influences(check, mesh);
}

static bool check_bent_part(const checker *check, const sn_part *part)
{
    const sn_mesh *mesh = &check->model->meshes[part->mesh];
    const sn_skin *skin = &check->model->skins[part->skin];
    if (mesh->influence_count == 0) return fail(check, "skin %d, but mesh %d has no weights", part->skin, part->mesh);
    if (skin->joint_count == 0) return fail(check, "skin %d has no joints", part->skin);
    uint64_t total = (uint64_t)mesh->vertex_count * mesh->influence_count;
    for (uint64_t i = 0; i < total; i++)
        if (mesh->vertex_joints[i] >= skin->joint_count)
            return fail(check, "vertex %llu of mesh %d: joint %u of %u",
                        (unsigned long long)(i / mesh->influence_count), part->mesh, mesh->vertex_joints[i],
                        skin->joint_count);
    return true;
}

static bool check_part(const checker *check, const sn_part *part, const sn_part *before)
{
    const sn_model *model = check->model;
    if (!check_index(check, "mesh", part->mesh, model->mesh_count) ||
        !check_index(check, "node", part->node, model->node_count) ||
        !check_index_or_none(check, "skin", part->skin, model->skin_count) ||
        !check_index_or_none(check, "material", part->material, model->material_count) ||
        !check_index_or_none(check, "level of detail", part->lod, model->lod_count) ||
        !check_floats(check, "color", &part->color, 4))
        return false;
    uint32_t morphs = model->meshes[part->mesh].morph_count;
    if (morphs == 0 && part->morph_weights) return fail(check, "morph weights, but mesh %d has no morphs", part->mesh);
    if (!check_floats(check, "morph weights", part->morph_weights, morphs)) return false;
    bool is_known = before && before->mesh == part->mesh && before->skin == part->skin;
    return part->skin < 0 || is_known || check_bent_part(check, part);
}

static bool check_maps(const checker *check, const char *what, const sn_texture *maps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const sn_texture *map = &maps[i];
        sni_enter(check->diag, what, i);
        if (!check_index_or_none(check, "image", map->image, check->model->image_count)) return false;
        if (map->uv_set < 0) return fail(check, "texture coordinate set %d", map->uv_set);
        if (!check_kind(check, "wrap", map->wrap_u, SN_MIRROR) || !check_kind(check, "wrap", map->wrap_v, SN_MIRROR) ||
            !check_kind(check, "filter", map->mag_filter, SN_FILTER_LINEAR_MIP_LINEAR) ||
            !check_kind(check, "filter", map->min_filter, SN_FILTER_LINEAR_MIP_LINEAR) ||
            !check_floats(check, "strength", &map->strength, 1) ||
            !check_floats(check, "transform", &map->transform, sizeof map->transform / sizeof(float)))
            return false;
        sni_leave(check->diag);
    }
    return true;
}

static bool check_layer(const checker *check, const sn_layer *layer)
{
    if (!check_maps(check, "maps", layer->maps, SN_MAP_COUNT)) return false;
    if (layer->flags >= SN_LAYER_SPHERE_MAP << 1) return fail(check, "unknown flags 0x%x", layer->flags);
    return check_kind(check, "blend", (uint32_t)layer->blend, SN_BLEND_SUBTRACT) &&
           check_floats(check, "color", &layer->color, 4) && check_floats(check, "emissive", &layer->emissive, 3) &&
           check_floats(check, "metallic", &layer->metallic, 1) &&
           check_floats(check, "roughness", &layer->roughness, 1) &&
           check_floats(check, "alpha cutoff", &layer->alpha_cutoff, 1);
}

static bool check_material(const checker *check, const sn_material *material)
{
    if (!check_named(check, material->name, material->extras) ||
        !check_array(check, "layers", material->layers, material->layer_count))
        return false;
    for (uint32_t i = 0; i < material->layer_count; i++) {
        sni_enter(check->diag, "layers", i);
        if (!check_layer(check, &material->layers[i])) return false;
        sni_leave(check->diag);
    }
    return check_extras(check, material->extensions) &&
           check_array(check, "extension maps", material->extension_maps, material->extension_map_count) &&
           check_maps(check, "extension_maps", material->extension_maps, material->extension_map_count);
}

static bool check_image(const checker *check, const sn_image *image)
{
    return check_text(check, "name", image->name) && check_text(check, "uri", image->uri) &&
           check_text(check, "mime_type", image->mime_type) && check_array(check, "bytes", image->data, image->size);
}

static bool check_camera(const checker *check, const sn_camera *camera)
{
    return check_named(check, camera->name, camera->extras) &&
           check_index_or_none(check, "node", camera->node, check->model->node_count) &&
           check_floats(check, "field of view, sizes and planes", &camera->fov_y, 6);
}

static bool check_light(const checker *check, const sn_light *light)
{
    return check_named(check, light->name, light->extras) &&
           check_index_or_none(check, "node", light->node, check->model->node_count) &&
           check_kind(check, "kind", (uint32_t)light->kind, SN_LIGHT_AMBIENT) &&
           check_floats(check, "color", &light->color, 3) &&
           check_floats(check, "intensity, range and angles", &light->intensity, 4);
}

static bool check_morph_width(const checker *check, const sn_track *track)
{
    const sn_model *model = check->model;
    for (uint32_t i = 0; track->channel == SN_CHANNEL_MORPHS && i < model->part_count; i++) {
        uint32_t morphs = model->meshes[model->parts[i].mesh].morph_count;
        if (model->parts[i].node == track->target && morphs > 0 && morphs != track->width)
            return fail(check, "%u morph weights, part %u has %u morphs", track->width, i, morphs);
    }
    return true;
}

static bool check_target(const checker *check, const sn_track *track)
{
    const sn_model *model = check->model;
    static const char *const names[] = { "target node", "target part", "target material", "target camera",
                                         "target light" };
    const uint32_t counts[] = { model->node_count, model->part_count, model->material_count, model->camera_count,
                                model->light_count };
    if (!check_kind(check, "target kind", track->target_kind, SN_TARGET_LIGHT) ||
        !check_kind(check, "channel", track->channel, SN_CHANNEL_COUNT - 1))
        return false;
    if (!sni_channel_drives(track->channel, track->target_kind))
        return fail(check, "channel %u does not drive target kind %u", track->channel, track->target_kind);
    if (!check_index(check, names[track->target_kind], track->target, counts[track->target_kind])) return false;
    bool is_layer = track->target_kind == SN_TARGET_LAYER;
    if (!check_index(check, is_layer ? "target layer" : "sub", track->sub,
                     is_layer ? model->materials[track->target].layer_count : 1))
        return false;
    uint32_t width = sni_channel_width(track->channel);
    return (track->width > 0 && (width == 0 || track->width == width)) ||
           fail(check, "values are %u floats wide, channel %u needs %u", track->width, track->channel,
                width > 0 ? width : 1);
}

static bool check_keys(const checker *check, const sn_track *track)
{
    if (!check_kind(check, "interpolation", track->interpolation, SN_CUBIC_SPLINE) ||
        !check_kind(check, "wrap", track->wrap, SN_WRAP_CYCLE_GAME))
        return false;
    if (!(track->period >= 0.0f) || !isfinite(track->period)) return fail(check, "period %g", (double)track->period);
    if (track->key_count == 0) return fail(check, "no keys");
    if (!check_floats(check, "times", track->times, track->key_count)) return false;
    for (uint32_t i = 1; i < track->key_count; i++)
        if (!(track->times[i] > track->times[i - 1]))
            return fail(check, "key %u at %g s is not later than the key before, at %g s", i, (double)track->times[i],
                        (double)track->times[i - 1]);
    if (!check_floats(check, "values", track->values, track->key_count * sni_track_floats_per_key(track))) return false;
    for (uint32_t i = 0; i < track->key_count && sni_track_is_rotation(track); i++)
        if (!is_unit(sni_track_key(track, i, SNI_KEY_VALUE), 4))
            return fail(check, "key %u: rotation is not of unit length", i);
    return true;
}

static bool check_clip(const checker *check, const sn_clip *clip)
{
    if (!check_named(check, clip->name, clip->extras) || !check_array(check, "tracks", clip->tracks, clip->track_count))
        return false;
    if (!(clip->duration >= 0.0f) || !isfinite(clip->duration))
        return fail(check, "duration %g s", (double)clip->duration);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        sni_enter(check->diag, "tracks", i);
        const sn_track *track = &clip->tracks[i];
        if (!check_target(check, track) || !check_morph_width(check, track) || !check_keys(check, track)) return false;
        sni_leave(check->diag);
    }
    return true;
}

static bool check_event(const checker *check, const sn_event *event, const sn_event *before)
{
    const sn_model *model = check->model;
    if (!check_text(check, "name", event->name) ||
        !check_index_or_none(check, "node", event->node, model->node_count) ||
        !check_index_or_none(check, "clip", event->clip, model->clip_count))
        return false;
    if (!(event->time >= 0.0f) || !isfinite(event->time)) return fail(check, "time %g s", (double)event->time);
    if (!(event->period >= 0.0f) || !isfinite(event->period) || (event->clip < 0) != (event->period > 0.0f))
        return fail(check, "period %g s with clip %d", (double)event->period, event->clip);
    bool is_sorted = !before || before->clip < event->clip ||
                     (before->clip == event->clip && before->time <= event->time);
    return is_sorted || fail(check, "not sorted by clip, then time");
}

static bool check_shape(const checker *check, const sn_shape *shape)
{
    if (!check_text(check, "name", shape->name) ||
        !check_index_or_none(check, "node", shape->node, check->model->node_count) ||
        !check_kind(check, "kind", (uint32_t)shape->kind, SN_SHAPE_PLANE) ||
        !check_floats(check, "center", &shape->center, 3) || !check_floats(check, "extents", &shape->extents, 3))
        return false;
    return (shape->radius >= 0.0f && isfinite(shape->radius)) || fail(check, "radius %g", (double)shape->radius);
}

static bool check_attachment(const checker *check, const sn_attachment *attachment)
{
    return check_text(check, "name", attachment->name) && check_text(check, "path", attachment->path) &&
           check_index(check, "node", attachment->node, check->model->node_count) &&
           (attachment->id >= -1 || fail(check, "id %d", attachment->id));
}

// Control characters, which could harm a terminal, are not allowed here.
static bool check_plain_text(const checker *check, const char *what, const char *text)
{
    if (!check_text(check, what, text)) return false;
    for (const uint8_t *at = (const uint8_t *)text; *at; at++)
        if (*at < 0x20 || *at == 0x7F || (*at == 0xC2 && at[1] < 0xA0))
            return fail(check, "%s has a control character", what);
    return true;
}

// Codes and paths are compared only where a few warnings make that cheap.
static bool check_warning(const checker *check, const sn_warning *warning, uint32_t index)
{
    if (!check_plain_text(check, "path", warning->path) || !check_plain_text(check, "message", warning->message))
        return false;
    if (!warning->message[0]) return fail(check, "message is empty");
    if (warning->count == 0) return fail(check, "count is 0");
    for (uint32_t i = 0; i < index && check->model->warning_count < 256; i++)
        if (check->model->warnings[i].code == warning->code &&
            strcmp(check->model->warnings[i].path, warning->path) == 0)
            return fail(check, "code and path of warning %u", i);
    return true;
}

static bool check_counts(const checker *check)
{
    const sn_model *m = check->model;
    const struct {
        const char *name;
        const void *items;
        uint32_t count;
    } arrays[] = {
        { "scenes", m->scenes, m->scene_count },
        { "nodes", m->nodes, m->node_count },
        { "meshes", m->meshes, m->mesh_count },
        { "parts", m->parts, m->part_count },
        { "skins", m->skins, m->skin_count },
        { "clips", m->clips, m->clip_count },
        { "materials", m->materials, m->material_count },
        { "images", m->images, m->image_count },
        { "cameras", m->cameras, m->camera_count },
        { "lights", m->lights, m->light_count },
        { "events", m->events, m->event_count },
        { "shapes", m->shapes, m->shape_count },
        { "attachments", m->attachments, m->attachment_count },
        { "warnings", m->warnings, m->warning_count },
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (!check_array(check, arrays[i].name, arrays[i].items, arrays[i].count)) return false;
        if (arrays[i].count >= INT32_MAX) return fail(check, "%u %s are too many", arrays[i].count, arrays[i].name);
    }
    return true;
}

static bool check_header(const checker *check)
{
    const sn_model *model = check->model;
    if (!check_named(check, model->name, model->extras) || !check_text(check, "format", model->format)) return false;
    if (!model->format[0]) return fail(check, "format is empty");
    if (!check_kind(check, "up axis", (uint32_t)model->up_axis, SN_Z_UP)) return false;
    if (model->lod_count == 0) return fail(check, "no level of detail, the least is 1");
    if (model->lod_count >= INT32_MAX) return fail(check, "%u levels of detail", model->lod_count);
    if (model->scene_count > 0) return check_index(check, "default scene", model->default_scene, model->scene_count);
    return model->default_scene == -1 || fail(check, "default scene %d without scenes", model->default_scene);
}

// Enters each element while it is checked.
#define CHECK_EACH(list, count, label, call)             \
    for (uint32_t i = 0; i < (count); i++) {             \
        sni_enter_named(check->diag, #list, i, (label)); \
        if (!(call)) return false;                       \
        sni_leave(check->diag);                          \
    }

// Each kind in an order in which what it refers to was checked before.
static bool check_all(const checker *check)
{
    const sn_model *m = check->model;
    if (!check_counts(check) || !check_header(check)) return false;
    CHECK_EACH(nodes, m->node_count, m->nodes[i].name, check_node(check, &m->nodes[i], i))
    CHECK_EACH(skins, m->skin_count, m->skins[i].name, check_skin(check, &m->skins[i]))
    if (!check_joint_flags(check)) return false;
    CHECK_EACH(scenes, m->scene_count, m->scenes[i].name, check_scene(check, &m->scenes[i]))
    CHECK_EACH(meshes, m->mesh_count, m->meshes[i].name, check_mesh(check, &m->meshes[i]))
    CHECK_EACH(parts, m->part_count, NULL, check_part(check, &m->parts[i], i > 0 ? &m->parts[i - 1] : NULL))
    CHECK_EACH(images, m->image_count, m->images[i].name, check_image(check, &m->images[i]))
    CHECK_EACH(materials, m->material_count, m->materials[i].name, check_material(check, &m->materials[i]))
    CHECK_EACH(cameras, m->camera_count, m->cameras[i].name, check_camera(check, &m->cameras[i]))
    CHECK_EACH(lights, m->light_count, m->lights[i].name, check_light(check, &m->lights[i]))
    CHECK_EACH(clips, m->clip_count, m->clips[i].name, check_clip(check, &m->clips[i]))
    CHECK_EACH(events, m->event_count, m->events[i].name,
               check_event(check, &m->events[i], i > 0 ? &m->events[i - 1] : NULL))
    CHECK_EACH(shapes, m->shape_count, m->shapes[i].name, check_shape(check, &m->shapes[i]))
    CHECK_EACH(attachments, m->attachment_count, m->attachments[i].name, check_attachment(check, &m->attachments[i]))
    CHECK_EACH(warnings, m->warning_count, NULL, check_warning(check, &m->warnings[i], i))
    return true;
}

static bool check_targets(const checker *check, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        sni_enter(check->diag, "tracks", i);
        if (!check_target(check, &clip->tracks[i])) return false;
        if (clip->tracks[i].key_count == 0) return fail(check, "no keys");
        sni_leave(check->diag);
    }
    return true;
}

bool sni_check_unsorted(const sn_model *m, sni_diag *diag)
{
    const checker check_these = { m, diag }, *check = &check_these;
    CHECK_EACH(materials, m->material_count, m->materials[i].name, check_material(check, &m->materials[i]))
    CHECK_EACH(cameras, m->camera_count, m->cameras[i].name, check_camera(check, &m->cameras[i]))
    CHECK_EACH(lights, m->light_count, m->lights[i].name, check_light(check, &m->lights[i]))
    CHECK_EACH(clips, m->clip_count, m->clips[i].name, check_targets(check, &m->clips[i]))
    CHECK_EACH(shapes, m->shape_count, m->shapes[i].name, check_shape(check, &m->shapes[i]))
    CHECK_EACH(attachments, m->attachment_count, m->attachments[i].name, check_attachment(check, &m->attachments[i]))
    return true;
}
#undef CHECK_EACH

sn_status sn_model_check(const sn_model *model, sn_error *error)
{
    sni_diag diag;
    const checker check = { model, &diag };
    sni_diag_init(&diag, NULL);
    diag.json_paths = true;
    if (!model) fail(&check, "the model is NULL");
    else check_all(&check);
    if (error) *error = diag.error;
    return diag.error.status;
}

sn_status sni_model_require(const sn_model *model, sn_error *error)
{
    if (!model || !sni_model_is_sealed(model)) return sn_model_check(model, error);
    if (error) memset(error, 0, sizeof *error);
    return SN_OK;
}

bool sni_track_check(const sn_model *model, const sn_track *track, sn_error *error)
{
    sni_diag diag;
    const checker check = { model, &diag };
    sni_diag_init(&diag, NULL);
    bool is_good = check_target(&check, track) && check_morph_width(&check, track) && check_keys(&check, track);
    *error = diag.error;
    return is_good;
}
