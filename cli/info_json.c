// info --json: schema sinew.info/2. Keys are stable; new ones may be added.
#include <inttypes.h>

#include "cli/json.h"
#include "elements.h"

static const char *node_name(const sn_model *model, int32_t node) { return node >= 0 ? model->nodes[node].name : ""; }

static void put_counts(sni_json_writer *json, const sn_model *model)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        vertices += model->meshes[i].vertex_count;
        if (model->meshes[i].topology == SN_TRIANGLES) triangles += cli_mesh_primitives(&model->meshes[i]);
    }
    cli_json_integer(json, "node_count", model->node_count);
    cli_json_integer(json, "mesh_count", model->mesh_count);
    cli_json_integer(json, "part_count", model->part_count);
    cli_json_integer(json, "vertex_count", (int64_t)vertices);
    cli_json_integer(json, "triangle_count", (int64_t)triangles);
    cli_json_integer(json, "skin_count", model->skin_count);
    cli_json_integer(json, "material_count", model->material_count);
    cli_json_integer(json, "image_count", model->image_count);
    cli_json_integer(json, "scene_count", model->scene_count);
    cli_json_integer(json, "camera_count", model->camera_count);
    cli_json_integer(json, "light_count", model->light_count);
    cli_json_integer(json, "lod_count", model->lod_count);
    cli_json_integer(json, "clip_count", model->clip_count);
}

// Emitters and ribbons, which are not drawn, and why the model shows nothing.
static void put_effects(sni_json_writer *json, sni_arena *arena, const sn_model *model)
{
    const char *names, *why = cli_why_empty(arena, model, false);
    cli_json_integer(json, "undrawn_effect_count", cli_count_effects(arena, model, &names));
    if (why) cli_json_text(json, "empty", why);
}

static void put_clips(sni_json_writer *json, const sn_model *model)
{
    cli_json_list(json, "clips");
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        sni_json_begin_object(json);
        cli_json_text(json, "name", clip->name);
        cli_json_float(json, "duration", clip->duration);
        cli_json_bool(json, "loops", clip->loops);
        cli_json_integer(json, "track_count", clip->track_count);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_bounds(sni_json_writer *json, const sn_bounds *bounds)
{
    sni_json_key(json, "bounds");
    sni_json_begin_object(json);
    cli_json_vec3(json, "min", bounds->min);
    cli_json_vec3(json, "max", bounds->max);
    cli_json_vec3(json, "center", bounds->center);
    cli_json_float(json, "radius", bounds->radius);
    sni_json_end(json);
}

static void put_mesh(sni_json_writer *json, const sn_model *model, uint32_t index, const cli_chains *parts)
{
    const sn_mesh *mesh = &model->meshes[index];
    sni_json_begin_object(json);
    cli_json_name(json, "name", mesh->name);
    cli_json_integer(json, "vertex_count", mesh->vertex_count);
    cli_json_integer(json, "triangle_count", mesh->topology == SN_TRIANGLES ? cli_mesh_primitives(mesh) : 0);
    cli_json_text(json, "topology", cli_topology_name(mesh->topology));
    cli_json_integer(json, "index_count", mesh->index_count);
    cli_json_bool(json, "has_normals", mesh->normals != NULL);
    cli_json_bool(json, "has_tangents", mesh->tangents != NULL);
    cli_json_integer(json, "uv_count", mesh->uv_count);
    cli_json_integer(json, "color_count", mesh->color_count);
    cli_json_integer(json, "influence_count", mesh->influence_count);
    cli_json_integer(json, "morph_count", mesh->morph_count);
    cli_json_flat_list(json, "nodes");
    for (int32_t i = parts->first[index]; i >= 0; i = parts->next[i])
        cli_json_put_name(json, node_name(model, model->parts[i].node));
    sni_json_end(json);
    sni_json_end(json);
}

static void put_meshes(sni_json_writer *json, sni_arena *arena, cli_out *out, const sn_model *model)
{
    cli_chains parts;
    if (!cli_chains_make(&parts, arena, model, model->mesh_count, model->part_count, cli_mesh_of_part)) return;
    cli_json_list(json, "meshes");
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        put_mesh(json, model, i, &parts);
        if (out) cli_out_drain(out);
    }
    sni_json_end(json);
}

static void put_material_images(sni_json_writer *json, sni_arena *arena, const sn_model *model,
                                const sn_material *material)
{
    cli_json_flat_list(json, "images");
    for (uint32_t i = 0; i < material->layer_count; i++) {
        for (int map = 0; map < SN_MAP_COUNT; map++) {
            int32_t image = material->layers[i].maps[map].image;
            if (image < 0) continue;
            const char *label = cli_image_label(arena, model, image);
            cli_json_put_name(json, label ? label : "");
        }
    }
    sni_json_end(json);
}

static void put_materials(sni_json_writer *json, sni_arena *arena, const sn_model *model)
{
    cli_json_list(json, "materials");
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        sni_json_begin_object(json);
        cli_json_text(json, "name", material->name);
        cli_json_integer(json, "layer_count", material->layer_count);
        put_material_images(json, arena, model, material);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_skins(sni_json_writer *json, const sn_model *model)
{
    cli_json_list(json, "skins");
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_skin *skin = &model->skins[i];
        sni_json_begin_object(json);
        cli_json_text(json, "name", skin->name);
        cli_json_integer(json, "joint_count", skin->joint_count);
        cli_json_flat_list(json, "nodes");
        for (uint32_t k = 0; k < skin->joint_count; k++) cli_json_put_name(json, node_name(model, skin->joints[k]));
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_scenes(sni_json_writer *json, const sn_model *model)
{
    cli_json_list(json, "scenes");
    for (uint32_t i = 0; i < model->scene_count; i++) {
        const sn_scene *scene = &model->scenes[i];
        sni_json_begin_object(json);
        cli_json_text(json, "name", scene->name);
        cli_json_bool(json, "is_default", (int32_t)i == model->default_scene);
        cli_json_flat_list(json, "roots");
        for (uint32_t k = 0; k < scene->root_count; k++) cli_json_put_name(json, node_name(model, scene->roots[k]));
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_images(sni_json_writer *json, sni_arena *arena, const sn_model *model)
{
    cli_json_list(json, "images");
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        sni_json_begin_object(json);
        cli_json_text(json, "name", image->name);
        cli_json_text(json, "uri", image->uri);
        cli_json_text(json, "mime_type", image->mime_type);
        cli_json_integer(json, "bytes", (int64_t)image->size);
        cli_json_bool(json, "is_found", image->data != NULL);
        sn_pixels size = cli_image_size(arena, image);
        cli_json_integer(json, "width", size.width);
        cli_json_integer(json, "height", size.height);
        sni_json_end(json);
    }
    sni_json_end(json);
}

void cli_info_json(sni_json_writer *json, sni_arena *arena, cli_out *out, const sn_model *model,
                   const sn_bounds *bounds)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, sn_model_hash(model));
    cli_json_text(json, "format", model->format);
    cli_json_text(json, "name", model->name);
    cli_json_text(json, "up_axis", model->up_axis == SN_Z_UP ? "z" : "y");
    cli_json_text(json, "hash", hash);
    put_counts(json, model);
    put_effects(json, arena, model);
    put_clips(json, model);
    put_bounds(json, bounds);
    cli_json_warnings(json, "warnings", model->warnings, model->warning_count);
    put_meshes(json, arena, out, model);
    put_materials(json, arena, model);
    put_skins(json, model);
    put_scenes(json, model);
    put_images(json, arena, model);
    if (model->extras) {
        sni_json_key(json, "extras");
        sni_json_put_raw(json, model->extras);
    }
}
