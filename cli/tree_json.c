// tree --json: schema sinew.tree/1. A flat list, parents before children, so that depth costs nothing.
#include "tree.h"

static void put_chain(sni_json_writer *json, const char *key, const cli_chains *chains, int32_t owner)
{
    cli_json_flat_list(json, key);
    for (int32_t i = chains->first[owner]; i >= 0; i = chains->next[i]) sni_json_put_integer(json, i);
    sni_json_end(json);
}

static void put_flags(sni_json_writer *json, uint32_t flags)
{
    uint32_t from = 0;
    cli_json_flat_list(json, "flags");
    for (const char *flag; (flag = cli_next_flag(flags, &from));) sni_json_put_text(json, flag);
    sni_json_end(json);
}

static void put_rest(sni_json_writer *json, const sn_node *node)
{
    const sn_quat r = node->rest.rotation;
    const float rotation[4] = { r.x, r.y, r.z, r.w };
    cli_json_vec3(json, "translation", node->rest.translation);
    cli_json_floats(json, "rotation", rotation, 4);
    cli_json_vec3(json, "scale", node->rest.scale);
    if (node->matrix) cli_json_floats(json, "matrix", node->matrix->m[0], 12);
}

static void put_node(sni_json_writer *json, cli_job *job, const cli_tree *tree, int32_t index)
{
    const sn_node *node = &job->model->nodes[index];
    const char *role = cli_role(job, node);
    sni_json_begin_object(json);
    cli_json_text(json, "name", node->name);
    cli_json_integer(json, "id", node->id);
    cli_json_integer(json, "parent", node->parent);
    put_chain(json, "children", &tree->children, index);
    put_rest(json, node);
    put_flags(json, node->flags);
    if (role) cli_json_name(json, "role", role);
    put_chain(json, "parts", &tree->parts, index);
    put_chain(json, "cameras", &tree->cameras, index);
    put_chain(json, "lights", &tree->lights, index);
    sni_json_end(json);
}

static void put_parts(sni_json_writer *json, const sn_model *model)
{
    cli_json_list(json, "parts");
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        sni_json_begin_object(json);
        cli_json_name(json, "name", model->meshes[part->mesh].name);
        cli_json_integer(json, "mesh", part->mesh);
        cli_json_integer(json, "node", part->node);
        cli_json_integer(json, "skin", part->skin);
        cli_json_integer(json, "material", part->material);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_scenes(sni_json_writer *json, const sn_model *model)
{
    cli_json_integer(json, "default_scene", model->default_scene);
    cli_json_list(json, "scenes");
    for (uint32_t i = 0; i < model->scene_count; i++) {
        sni_json_begin_object(json);
        cli_json_text(json, "name", model->scenes[i].name);
        cli_json_flat_list(json, "roots");
        for (uint32_t k = 0; k < model->scenes[i].root_count; k++)
            sni_json_put_integer(json, model->scenes[i].roots[k]);
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
}

void cli_tree_json(cli_job *job, const cli_tree *tree)
{
    const sn_model *model = job->model;
    sni_json_writer json = cli_json_begin(job, "sinew.tree/1");
    cli_json_text(&json, "format", model->format);
    put_scenes(&json, model);
    cli_json_list(&json, "nodes");
    for (uint32_t i = 0; i < model->node_count; i++) {
        put_node(&json, job, tree, (int32_t)i);
        cli_out_drain(job->out);
    }
    sni_json_end(&json);
    put_parts(&json, model);
    cli_json_end(job, &json);
}
