// Finding elements by name; a hash of all that a model holds, the same on every machine.
#include <string.h>

#include "base/map.h"
#include "model/track.h"

static uint64_t hash_floats(uint64_t hash, const void *values, uint64_t count)
{
    if (!values) return sni_hash_mix(hash, 1);
    const uint8_t *at = values;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, at + i * 4, sizeof bits);
        hash = sni_hash_mix(hash, bits);
    }
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    if (!text) return sni_hash_mix(hash, 2);
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) hash = sni_hash_mix(hash, (uint8_t)text[i]);
    return sni_hash_mix(hash, size);
}

static uint64_t hash_index(uint64_t hash, int32_t index) { return sni_hash_mix(hash, (uint32_t)index); }

static uint64_t hash_node(uint64_t hash, const sn_node *node)
{
    hash = hash_text(hash_text(hash, node->name), node->extras);
    hash = hash_index(hash_index(hash, node->parent), node->id);
    hash = sni_hash_mix(hash, node->flags);
    hash = hash_floats(hash, &node->rest, sizeof node->rest / 4);
    return hash_floats(hash, node->matrix, 12);
}

static uint64_t hash_mesh(uint64_t hash, const sn_mesh *mesh)
{
    uint64_t count = mesh->vertex_count;
    hash = hash_text(hash_text(hash, mesh->name), mesh->extras);
    hash = sni_hash_mix(sni_hash_mix(sni_hash_mix(hash, mesh->topology), count), mesh->index_count);
    hash = sni_hash_mix(sni_hash_mix(sni_hash_mix(sni_hash_mix(hash, mesh->uv_count), mesh->color_count),
                                     mesh->influence_count),
                        mesh->morph_count);
    hash = hash_floats(hash_floats(hash_floats(hash, mesh->positions, count * 3), mesh->normals, count * 3),
                       mesh->tangents, count * 4);
    for (uint32_t i = 0; i < mesh->uv_count; i++) hash = hash_floats(hash, mesh->uvs[i], count * 2);
    for (uint32_t i = 0; i < mesh->color_count; i++) hash = hash_floats(hash, mesh->colors[i], count * 4);
    for (uint32_t i = 0; i < mesh->index_count; i++) hash = sni_hash_mix(hash, mesh->indices[i]);
    uint64_t influences = count * mesh->influence_count;
    for (uint64_t i = 0; i < influences; i++) hash = sni_hash_mix(hash, mesh->vertex_joints[i]);
    hash = hash_floats(hash, mesh->vertex_weights, influences);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_morph *morph = &mesh->morphs[i];
        hash = hash_text(hash, morph->name);
        hash = hash_floats(hash_floats(hash_floats(hash, morph->positions, count * 3), morph->normals, count * 3),
                           morph->tangents, count * 3);
    }
    return hash;
}

static uint64_t hash_part(uint64_t hash, const sn_model *model, const sn_part *part)
{
    hash = hash_index(hash_index(hash_index(hash, part->mesh), part->node), part->skin);
    hash = sni_hash_mix(hash_index(hash_index(hash, part->material), part->lod), part->is_hidden);
    hash = hash_floats(hash, &part->color, 4);
    return hash_floats(hash, part->morph_weights, model->meshes[part->mesh].morph_count);
}

static uint64_t hash_skin(uint64_t hash, const sn_skin *skin)
{
    hash = sni_hash_mix(hash_text(hash, skin->name), skin->joint_count);
    for (uint32_t i = 0; i < skin->joint_count; i++) hash = hash_index(hash, skin->joints[i]);
    return hash_floats(hash, skin->inverse_bind, (uint64_t)skin->joint_count * 12);
}

static uint64_t hash_clip(uint64_t hash, const sn_clip *clip)
{
    hash = hash_text(hash_text(hash, clip->name), clip->extras);
    hash = sni_hash_mix(sni_hash_mix(hash_floats(hash, &clip->duration, 1), clip->loops), clip->track_count);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        hash = sni_hash_mix(sni_hash_mix(sni_hash_mix(sni_hash_mix(hash, track->target_kind), track->channel),
                                         track->interpolation),
                            track->wrap);
        hash = hash_floats(hash_index(hash_index(hash, track->target), track->sub), &track->period, 1);
        hash = sni_hash_mix(sni_hash_mix(hash, track->key_count), track->width);
        uint64_t per_key = sni_track_floats_per_key(track);
        hash = hash_floats(hash, track->times, track->key_count);
        hash = hash_floats(hash, track->values, track->key_count * per_key);
    }
    return hash;
}

static uint64_t hash_texture(uint64_t hash, const sn_texture *texture)
{
    hash = hash_index(hash_index(hash, texture->image), texture->uv_set);
    hash = sni_hash_mix(sni_hash_mix(sni_hash_mix(sni_hash_mix(hash, texture->wrap_u), texture->wrap_v),
                                     texture->mag_filter),
                        texture->min_filter);
    return hash_floats(hash_floats(hash, &texture->strength, 1), &texture->transform, sizeof texture->transform / 4);
}

static uint64_t hash_material(uint64_t hash, const sn_material *material)
{
    hash = sni_hash_mix(hash_text(hash_text(hash, material->name), material->extras), material->layer_count);
    for (uint32_t i = 0; i < material->layer_count; i++) {
        const sn_layer *layer = &material->layers[i];
        for (int map = 0; map < SN_MAP_COUNT; map++) hash = hash_texture(hash, &layer->maps[map]);
        hash = hash_floats(hash_floats(hash, &layer->color, 4), &layer->emissive, 3);
        hash = hash_floats(hash_floats(hash, &layer->metallic, 1), &layer->roughness, 1);
        hash = sni_hash_mix(sni_hash_mix(hash_floats(hash, &layer->alpha_cutoff, 1), layer->blend), layer->flags);
    }
    if (material->extensions) hash = hash_text(hash, material->extensions);
    for (uint32_t i = 0; i < material->extension_map_count; i++)
        hash = hash_texture(hash, &material->extension_maps[i]);
    return hash;
}

static uint64_t hash_image(uint64_t hash, const sn_image *image)
{
    hash = hash_text(hash_text(hash_text(hash, image->name), image->uri), image->mime_type);
    for (uint64_t i = 0; i < image->size; i++) hash = sni_hash_mix(hash, image->data[i]);
    return sni_hash_mix(hash, image->size);
}

static uint64_t hash_camera(uint64_t hash, const sn_camera *camera)
{
    hash = sni_hash_mix(hash_index(hash_text(hash_text(hash, camera->name), camera->extras), camera->node),
                        camera->is_perspective);
    return hash_floats(hash, &camera->fov_y, 6);
}

static uint64_t hash_light(uint64_t hash, const sn_light *light)
{
    hash = sni_hash_mix(hash_index(hash_text(hash_text(hash, light->name), light->extras), light->node), light->kind);
    return hash_floats(hash_floats(hash, &light->color, 3), &light->intensity, 4);
}

uint64_t sn_model_hash(const sn_model *model)
{
    uint64_t hash = hash_text(hash_text(hash_text(0, model->name), model->format), model->extras);
    hash = hash_index(sni_hash_mix(sni_hash_mix(hash, model->up_axis), model->lod_count), model->default_scene);
    const uint32_t counts[] = { model->scene_count,  model->node_count, model->mesh_count,  model->part_count,
                                model->skin_count,   model->clip_count, model->image_count, model->material_count,
                                model->camera_count, model->light_count };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) hash = sni_hash_mix(hash, counts[i]);
    for (uint32_t i = 0; i < model->scene_count; i++) {
        hash = sni_hash_mix(hash_text(hash, model->scenes[i].name), model->scenes[i].root_count);
        for (uint32_t r = 0; r < model->scenes[i].root_count; r++) hash = hash_index(hash, model->scenes[i].roots[r]);
    }
    for (uint32_t i = 0; i < model->node_count; i++) hash = hash_node(hash, &model->nodes[i]);
    for (uint32_t i = 0; i < model->mesh_count; i++) hash = hash_mesh(hash, &model->meshes[i]);
    for (uint32_t i = 0; i < model->part_count; i++) hash = hash_part(hash, model, &model->parts[i]);
    for (uint32_t i = 0; i < model->skin_count; i++) hash = hash_skin(hash, &model->skins[i]);
    for (uint32_t i = 0; i < model->clip_count; i++) hash = hash_clip(hash, &model->clips[i]);
    for (uint32_t i = 0; i < model->material_count; i++) hash = hash_material(hash, &model->materials[i]);
    for (uint32_t i = 0; i < model->image_count; i++) hash = hash_image(hash, &model->images[i]);
    for (uint32_t i = 0; i < model->camera_count; i++) hash = hash_camera(hash, &model->cameras[i]);
    for (uint32_t i = 0; i < model->light_count; i++) hash = hash_light(hash, &model->lights[i]);
    return hash;
}

int32_t sn_model_find_node(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; name && i < model->node_count; i++) {
        if (strcmp(model->nodes[i].name, name) == 0) return (int32_t)i;
    }
    return -1;
}

int32_t sn_model_find_clip(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; name && i < model->clip_count; i++) {
        if (strcmp(model->clips[i].name, name) == 0) return (int32_t)i;
    }
    return -1;
}
