#include "check_model.h"
#include "check_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float weight_tolerance = 1e-5f, unit_tolerance = 1e-4f;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2), noreturn))
#endif
static void
broken(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("broken promise: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

// `what` is where: "node 3: rest".
#define promise(condition, ...)                \
    do {                                       \
        if (!(condition)) broken(__VA_ARGS__); \
    } while (0)

static void check_text(const char *text, const char *kind, uint32_t i)
{
    promise(text, "%s %u: text is NULL", kind, i);
    promise(is_utf8(text, strlen(text)), "%s %u: text is not UTF-8", kind, i);
}

static void check_extras(const char *extras, const char *kind, uint32_t i)
{
    promise(!extras || (is_json(extras, strlen(extras)) && is_utf8(extras, strlen(extras))),
            "%s %u: extras are not JSON: %s", kind, i, extras);
}

static void check_floats(const void *data, uint64_t count, const char *kind, uint32_t i)
{
    const float *values = data;
    promise(values || count == 0, "%s %u: numbers are NULL", kind, i);
    for (uint64_t k = 0; k < count; k++)
        promise(isfinite(values[k]), "%s %u: number %llu is not finite", kind, i, (unsigned long long)k);
}

static void check_index(int32_t index, uint32_t count, bool may_be_none, const char *kind, uint32_t i)
{
    promise(index >= (may_be_none ? -1 : 0) && (index < 0 || (uint32_t)index < count), "%s %u: %d is not below %u",
            kind, i, index, count);
}

static bool is_unit(const float *v, int width)
{
    double sum = 0;
    for (int i = 0; i < width; i++) sum += (double)v[i] * (double)v[i];
    return fabs(sqrt(sum) - 1) <= (double)unit_tolerance;
}

// Nodes, skins, scenes

static void check_nodes(const sn_model *model)
{
    promise(model->nodes || !model->node_count, "nodes are NULL");
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        check_text(node->name, "node", i);
        check_extras(node->extras, "node", i);
        promise(node->parent >= -1 && node->parent < (int32_t)i, "node %u: parent %d does not come before it", i,
                node->parent);
        promise(node->id >= -1, "node %u: id %d", i, node->id);
        promise(node->flags < SN_NODE_SCALE_PARENT_AXES << 1, "node %u: flags %x", i, node->flags);
        check_floats(&node->rest, sizeof node->rest / sizeof(float), "rest of node", i);
        promise(is_unit(&node->rest.rotation.x, 4), "node %u: rotation is not of unit length", i);
        if (node->matrix) check_floats(node->matrix, 12, "matrix of node", i);
    }
}

static void check_skins(const sn_model *model)
{
    promise(model->skins || !model->skin_count, "skins are NULL");
    bool *is_joint = calloc(model->node_count + 1u, sizeof *is_joint);
    if (!is_joint) abort();
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_skin *skin = &model->skins[i];
        check_text(skin->name, "skin", i);
        promise(skin->joints || !skin->joint_count, "skin %u: joints are NULL", i);
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            check_index(skin->joints[k], model->node_count, false, "joint of skin", i);
            is_joint[skin->joints[k]] = true;
        }
        check_floats(skin->inverse_bind, (uint64_t)skin->joint_count * 12, "inverse bind of skin", i);
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        promise(is_joint[i] == ((model->nodes[i].flags & SN_NODE_JOINT) != 0),
                "node %u: the joint flag is not what the skins say", i);
    free(is_joint);
}

static void check_scenes(const sn_model *model)
{
    promise(model->scenes || !model->scene_count, "scenes are NULL");
    if (model->scene_count) check_index(model->default_scene, model->scene_count, false, "default scene of model", 0);
    else promise(model->default_scene == -1, "default scene %d without scenes", model->default_scene);
    for (uint32_t i = 0; i < model->scene_count; i++) {
        const sn_scene *scene = &model->scenes[i];
        check_text(scene->name, "scene", i);
        promise(scene->roots || !scene->root_count, "scene %u: roots are NULL", i);
        for (uint32_t k = 0; k < scene->root_count; k++) {
            check_index(scene->roots[k], model->node_count, false, "root of scene", i);
            promise(model->nodes[scene->roots[k]].parent == -1, "scene %u: root %d has a parent", i, scene->roots[k]);
        }
    }
}

// Meshes and parts

static void check_units(const float *values, uint32_t count, int width, const char *kind, uint32_t i)
{
    check_floats(values, (uint64_t)count * (uint32_t)width, kind, i);
    for (uint32_t k = 0; k < count; k++, values += width) {
        promise(is_unit(values, 3), "%s %u: vertex %u is not of unit length", kind, i, k);
        promise(width == 3 || values[3] == 1 || values[3] == -1, "%s %u: w of vertex %u is %g", kind, i, k,
                (double)values[3]);
    }
}

static void check_influences(const sn_mesh *mesh, uint32_t i)
{
    if (mesh->influence_count == 0) return;
    promise(mesh->vertex_joints || !mesh->vertex_count, "mesh %u: joints are NULL", i);
    check_floats(mesh->vertex_weights, (uint64_t)mesh->vertex_count * mesh->influence_count, "weights of mesh", i);
    const float *weights = mesh->vertex_weights;
    for (uint32_t v = 0; v < mesh->vertex_count; v++, weights += mesh->influence_count) {
        double sum = 0;
        for (uint32_t k = 0; k < mesh->influence_count; k++) {
            promise(weights[k] >= 0, "mesh %u: vertex %u has a negative weight", i, v);
            sum += (double)weights[k];
        }
        promise(fabs(sum - 1) <= (double)weight_tolerance, "mesh %u: weights of vertex %u sum to %.9g", i, v, sum);
    }
}

static void check_morphs(const sn_mesh *mesh, uint32_t i)
{
    promise(mesh->morphs || !mesh->morph_count, "mesh %u: morphs are NULL", i);
    for (uint32_t k = 0; k < mesh->morph_count; k++) {
        const sn_morph *morph = &mesh->morphs[k];
        const sn_vec3 *sets[] = { morph->positions, morph->normals, morph->tangents };
        check_text(morph->name, "morph of mesh", i);
        for (int set = 0; set < 3; set++)
            if (sets[set]) check_floats(sets[set], (uint64_t)mesh->vertex_count * 3, "morph of mesh", i);
    }
}

static void check_indices(const sn_mesh *mesh, uint32_t i)
{
    static const uint32_t per_face[] = { 3, 2, 1 };
    promise((uint32_t)mesh->topology <= SN_POINTS, "mesh %u: topology %d", i, (int)mesh->topology);
    promise(mesh->index_count % per_face[mesh->topology] == 0, "mesh %u: %u indices do not fit the topology", i,
            mesh->index_count);
    promise(mesh->indices || !mesh->index_count, "mesh %u: indices are NULL", i);
    for (uint32_t k = 0; k < mesh->index_count; k++)
        promise(mesh->indices[k] < mesh->vertex_count, "mesh %u: index %u is %u of %u", i, k, mesh->indices[k],
                mesh->vertex_count);
}

static void check_meshes(const sn_model *model)
{
    promise(model->meshes || !model->mesh_count, "meshes are NULL");
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const sn_mesh *mesh = &model->meshes[i];
        check_text(mesh->name, "mesh", i);
        check_extras(mesh->extras, "mesh", i);
        check_indices(mesh, i);
        check_floats(mesh->positions, (uint64_t)mesh->vertex_count * 3, "positions of mesh", i);
        if (mesh->normals) check_units(&mesh->normals->x, mesh->vertex_count, 3, "normals of mesh", i);
        if (mesh->tangents) check_units(&mesh->tangents->x, mesh->vertex_count, 4, "tangents of mesh", i);
        promise(mesh->uvs || !mesh->uv_count, "mesh %u: uv sets are NULL", i);
        promise(mesh->colors || !mesh->color_count, "mesh %u: colour sets are NULL", i);
        for (uint32_t k = 0; k < mesh->uv_count; k++)
            if (mesh->uvs[k]) check_floats(mesh->uvs[k], (uint64_t)mesh->vertex_count * 2, "uvs of mesh", i);
        for (uint32_t k = 0; k < mesh->color_count; k++)
            if (mesh->colors[k]) check_floats(mesh->colors[k], (uint64_t)mesh->vertex_count * 4, "colours of mesh", i);
        check_influences(mesh, i);
        check_morphs(mesh, i);
    }
}

static void check_bent_part(const sn_mesh *mesh, const sn_skin *skin, uint32_t i)
{
    promise(mesh->influence_count > 0, "part %u: has a skin, its mesh has no weights", i);
    promise(skin->joint_count > 0, "part %u: its skin has no joints", i);
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->influence_count;
    for (uint64_t k = 0; k < count; k++)
        promise(mesh->vertex_joints[k] < skin->joint_count, "part %u: vertex joint %u of %u", i, mesh->vertex_joints[k],
                skin->joint_count);
}

static void check_parts(const sn_model *model)
{
    promise(model->parts || !model->part_count, "parts are NULL");
    promise(model->lod_count >= 1, "no level of detail");
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        check_index(part->mesh, model->mesh_count, false, "mesh of part", i);
        check_index(part->node, model->node_count, false, "node of part", i);
        check_index(part->skin, model->skin_count, true, "skin of part", i);
        check_index(part->material, model->material_count, true, "material of part", i);
        check_index(part->lod, model->lod_count, true, "level of part", i);
        check_floats(&part->color, 4, "colour of part", i);
        const sn_mesh *mesh = &model->meshes[part->mesh];
        promise((mesh->morph_count > 0) == (part->morph_weights != NULL), "part %u: weights for %u morphs", i,
                mesh->morph_count);
        check_floats(part->morph_weights, mesh->morph_count, "morph weights of part", i);
        if (part->skin >= 0) check_bent_part(mesh, &model->skins[part->skin], i);
    }
}

// Clips

// By the header: floats per value, in the order of sn_channel; and the channels of each target.
static const uint8_t widths[SN_CHANNEL_COUNT] = { 3, 4, 3, 1, 0, 3, 1, 3, 2, 1, 2, 1, 1, 1 };

#define BIT(channel) (1u << SN_CHANNEL_##channel)
static const uint32_t channels_of[] = {
    BIT(TRANSLATION) | BIT(ROTATION) | BIT(SCALE) | BIT(VISIBILITY) | BIT(MORPHS),
    BIT(VISIBILITY) | BIT(COLOR) | BIT(ALPHA),
    BIT(COLOR) | BIT(ALPHA) | BIT(EMISSIVE) | BIT(UV_OFFSET) | BIT(UV_ROTATION) | BIT(UV_SCALE) | BIT(IMAGE),
    BIT(FOV),
    BIT(COLOR) | BIT(INTENSITY),
};

static void check_target(const sn_model *model, const sn_track *track, uint32_t i)
{
    const uint32_t counts[] = { model->node_count, model->part_count, model->material_count, model->camera_count,
                                model->light_count };
    promise(track->target_kind <= SN_TARGET_LIGHT, "track %u: target kind %u", i, track->target_kind);
    promise(track->channel < SN_CHANNEL_COUNT, "track %u: channel %u", i, track->channel);
    promise(channels_of[track->target_kind] & 1u << track->channel, "track %u: channel %u on target %u", i,
            track->channel, track->target_kind);
    check_index(track->target, counts[track->target_kind], false, "target of track", i);
    uint32_t subs = track->target_kind == SN_TARGET_LAYER ? model->materials[track->target].layer_count : 1;
    check_index(track->sub, subs, false, "layer of track", i);
    if (track->channel != SN_CHANNEL_MORPHS) {
        promise(track->width == widths[track->channel], "track %u: width %u", i, track->width);
        return;
    }
    promise(track->width > 0, "track %u: no morph weights", i);
    for (uint32_t k = 0; k < model->part_count; k++) {
        uint32_t morphs = model->meshes[model->parts[k].mesh].morph_count;
        if (model->parts[k].node == track->target && morphs)
            promise(morphs == track->width, "track %u: %u weights for %u morphs of part %u", i, track->width, morphs,
                    k);
    }
}

static void check_keys(const sn_track *track, uint32_t i)
{
    promise(track->interpolation <= SN_CUBIC_SPLINE, "track %u: interpolation %u", i, track->interpolation);
    promise(track->wrap <= SN_WRAP_CYCLE_GAME, "track %u: wrap %u", i, track->wrap);
    promise(isfinite(track->period) && track->period >= 0, "track %u: period %g", i, (double)track->period);
    promise(track->key_count > 0, "track %u: no keys", i);
    check_floats(track->times, track->key_count, "times of track", i);
    for (uint32_t k = 1; k < track->key_count; k++)
        promise(track->times[k] > track->times[k - 1], "track %u: time of key %u does not rise", i, k);
    uint32_t groups = track->interpolation >= SN_HERMITE ? 3 : 1;
    check_floats(track->values, (uint64_t)track->key_count * track->width * groups, "values of track", i);
    if (track->channel != SN_CHANNEL_ROTATION) return;
    for (uint32_t k = 0; k < track->key_count; k++) {
        const float *value = track->values + (uint64_t)(k * groups + (groups == 3)) * 4;
        promise(is_unit(value, 4), "track %u: rotation of key %u is not of unit length", i, k);
    }
}

static void check_clips(const sn_model *model)
{
    promise(model->clips || !model->clip_count, "clips are NULL");
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        check_text(clip->name, "clip", i);
        check_extras(clip->extras, "clip", i);
        promise(isfinite(clip->duration) && clip->duration >= 0, "clip %u: duration %g", i, (double)clip->duration);
        promise(clip->tracks || !clip->track_count, "clip %u: tracks are NULL", i);
        for (uint32_t k = 0; k < clip->track_count; k++) {
            check_target(model, &clip->tracks[k], k);
            check_keys(&clip->tracks[k], k);
        }
    }
}

// Looks, cameras, lights

static void check_maps(const sn_model *model, const sn_texture *maps, uint32_t count, uint32_t i)
{
    for (uint32_t k = 0; k < count; k++) {
        const sn_texture *texture = &maps[k];
        check_index(texture->image, model->image_count, true, "image of material", i);
        promise(texture->uv_set >= 0, "material %u: uv set %d", i, texture->uv_set);
        promise(texture->wrap_u <= SN_MIRROR && texture->wrap_v <= SN_MIRROR, "material %u: wrap", i);
        promise(texture->mag_filter <= SN_FILTER_LINEAR_MIP_LINEAR &&
                    texture->min_filter <= SN_FILTER_LINEAR_MIP_LINEAR,
                "material %u: filter", i);
        check_floats(&texture->strength, 1, "texture of material", i);
        check_floats(&texture->transform, sizeof texture->transform / sizeof(float), "texture of material", i);
    }
}

static void check_layer(const sn_model *model, const sn_layer *layer, uint32_t i)
{
    check_maps(model, layer->maps, SN_MAP_COUNT, i);
    const float numbers[] = { layer->color.x,    layer->color.y,     layer->color.z,    layer->color.w,
                              layer->emissive.x, layer->emissive.y,  layer->emissive.z, layer->metallic,
                              layer->roughness,  layer->alpha_cutoff };
    check_floats(numbers, sizeof numbers / sizeof *numbers, "layer of material", i);
    promise((uint32_t)layer->blend <= SN_BLEND_SUBTRACT, "material %u: blend %d", i, (int)layer->blend);
    promise(layer->flags < SN_LAYER_SPHERE_MAP << 1, "material %u: flags %x", i, layer->flags);
}

static void check_materials(const sn_model *model)
{
    promise(model->materials || !model->material_count, "materials are NULL");
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        check_text(material->name, "material", i);
        check_extras(material->extras, "material", i);
        promise(material->layers || !material->layer_count, "material %u: layers are NULL", i);
        for (uint32_t k = 0; k < material->layer_count; k++) check_layer(model, &material->layers[k], i);
        check_extras(material->extensions, "material", i);
        promise(material->extension_maps || !material->extension_map_count, "material %u: extension maps are NULL", i);
        check_maps(model, material->extension_maps, material->extension_map_count, i);
    }
    promise(model->images || !model->image_count, "images are NULL");
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        check_text(image->name, "image", i), check_text(image->uri, "image", i),
            check_text(image->mime_type, "image", i);
        promise(image->data || image->size == 0, "image %u: %llu bytes at NULL", i, (unsigned long long)image->size);
        volatile uint8_t sum = 0;  // every byte is readable
        for (uint64_t k = 0; k < image->size; k++) sum = (uint8_t)(sum + image->data[k]);
    }
}

static void check_cameras_and_lights(const sn_model *model)
{
    promise(model->cameras || !model->camera_count, "cameras are NULL");
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const sn_camera *camera = &model->cameras[i];
        const float numbers[] = { camera->fov_y,       camera->aspect,     camera->half_width,
                                  camera->half_height, camera->near_plane, camera->far_plane };
        check_text(camera->name, "camera", i);
        check_extras(camera->extras, "camera", i);
        check_index(camera->node, model->node_count, true, "node of camera", i);
        check_floats(numbers, 6, "camera", i);
    }
    promise(model->lights || !model->light_count, "lights are NULL");
    for (uint32_t i = 0; i < model->light_count; i++) {
        const sn_light *light = &model->lights[i];
        const float numbers[] = { light->color.x, light->color.y,     light->color.z,    light->intensity,
                                  light->range,   light->inner_angle, light->outer_angle };
        check_text(light->name, "light", i);
        check_extras(light->extras, "light", i);
        check_index(light->node, model->node_count, true, "node of light", i);
        promise((uint32_t)light->kind <= SN_LIGHT_AMBIENT, "light %u: kind %d", i, (int)light->kind);
        check_floats(numbers, 7, "light", i);
    }
}

static void check_events(const sn_model *model)
{
    promise(model->events || !model->event_count, "events are NULL");
    for (uint32_t i = 0; i < model->event_count; i++) {
        const sn_event *event = &model->events[i], *last = i ? &model->events[i - 1] : NULL;
        check_text(event->name, "event", i);
        check_index(event->node, model->node_count, true, "node of event", i);
        check_index(event->clip, model->clip_count, true, "clip of event", i);
        promise(isfinite(event->time) && event->time >= 0, "event %u: time %g", i, (double)event->time);
        promise(isfinite(event->period) && event->period >= 0, "event %u: period %g", i, (double)event->period);
        promise((event->clip == -1) == (event->period > 0), "event %u: clip %d with period %g", i, event->clip,
                (double)event->period);
        promise(!last || last->clip < event->clip || (last->clip == event->clip && last->time <= event->time),
                "event %u: not sorted", i);
    }
}

static void check_shapes_and_attachments(const sn_model *model)
{
    promise(model->shapes || !model->shape_count, "shapes are NULL");
    for (uint32_t i = 0; i < model->shape_count; i++) {
        const sn_shape *shape = &model->shapes[i];
        const float numbers[] = { shape->center.x,  shape->center.y,  shape->center.z, shape->extents.x,
                                  shape->extents.y, shape->extents.z, shape->radius };
        check_text(shape->name, "shape", i);
        check_index(shape->node, model->node_count, true, "node of shape", i);
        promise((uint32_t)shape->kind <= SN_SHAPE_PLANE, "shape %u: kind %d", i, (int)shape->kind);
        check_floats(numbers, 7, "shape", i);
        promise(shape->radius >= 0, "shape %u: radius %g", i, (double)shape->radius);
    }
    promise(model->attachments || !model->attachment_count, "attachments are NULL");
    for (uint32_t i = 0; i < model->attachment_count; i++) {
        const sn_attachment *attachment = &model->attachments[i];
        check_text(attachment->name, "attachment", i);
        check_text(attachment->path, "path of attachment", i);
        check_index(attachment->node, model->node_count, false, "node of attachment", i);
        promise(attachment->id >= -1, "attachment %u: id %d", i, attachment->id);
    }
}

static void check_warnings(const sn_model *model)
{
    promise(model->warnings || !model->warning_count, "warnings are NULL");
    for (uint32_t i = 0; i < model->warning_count; i++) {
        const sn_warning *warning = &model->warnings[i];
        check_text(warning->path, "warning", i), check_text(warning->message, "warning", i);
        promise(warning->message[0] && is_plain_text(warning->message), "warning %u: message \"%s\"", i,
                warning->message);
        promise(is_plain_text(warning->path), "warning %u: path \"%s\"", i, warning->path);
        promise(warning->count > 0, "warning %u: count is 0", i);
        const char *name = sn_warning_name(warning->code);
        promise(name && name[0], "warning %u: code %d has no name", i, warning->code);
        for (uint32_t k = 0; k < i && model->warning_count < 256; k++)
            promise(model->warnings[k].code != warning->code || strcmp(model->warnings[k].path, warning->path) != 0,
                    "warnings %u and %u are alike: %s at %s", k, i, name, warning->path);
    }
}

void check_model(const sn_model *model)
{
    promise(model, "model is NULL");
    check_text(model->name, "name of model", 0);
    check_text(model->format, "format of model", 0);
    promise(model->format[0], "model has no format");
    check_extras(model->extras, "model", 0);
    promise((uint32_t)model->up_axis <= SN_Z_UP, "up axis %d", (int)model->up_axis);
    check_nodes(model);
    check_skins(model);
    check_scenes(model);
    check_meshes(model);
    check_parts(model);
    check_materials(model);
    check_cameras_and_lights(model);
    check_clips(model);
    check_events(model);
    check_shapes_and_attachments(model);
    check_warnings(model);
}

void check_error(const sn_error *error)
{
    promise(error->status > SN_OK && error->status <= SN_ERR_INVALID, "no model, but status %d", (int)error->status);
    promise(memchr(error->message, 0, sizeof error->message) && memchr(error->path, 0, sizeof error->path),
            "error text has no end");
    promise(error->message[0], "error without a message");
    promise(is_plain_text(error->message) && is_plain_text(error->path), "error text is not plain: %s", error->message);
}
