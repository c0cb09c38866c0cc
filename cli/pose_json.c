// pose --json: schema sinew.pose/1, in the file's own axes.
#include "pose.h"

static void put_moment(sni_json_writer *json, const sn_model *model, cli_moment moment)
{
    sni_json_key(json, "clip");
    if (moment.clip < 0) sni_json_put_raw(json, "null");
    else sni_json_put_text(json, model->clips[moment.clip].name);
    cli_json_integer(json, "clip_index", moment.clip);
    cli_json_float(json, "time", moment.seconds);
}

static void put_nodes(cli_job *job, sni_json_writer *json, const sn_pose *pose)
{
    cli_json_list(json, "nodes");
    for (uint32_t i = 0; i < job->model->node_count; i++) {
        const sn_node *node = &job->model->nodes[i];
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        sni_json_begin_object(json);
        cli_json_text(json, "name", node->name);
        cli_json_integer(json, "id", node->id);
        cli_json_integer(json, "parent", node->parent);
        cli_json_flat_list(json, "world");
        for (int k = 0; k < 12; k++) sni_json_put_float(json, world.m[k / 4][k % 4]);
        sni_json_end(json);
        sni_json_end(json);
        cli_out_drain(job->out);
    }
    sni_json_end(json);
}

static void put_vectors(cli_job *job, sni_json_writer *json, const char *key, const sn_vec3 *vectors, uint32_t count)
{
    cli_json_flat_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        sni_json_put_float(json, vectors[i].x);
        sni_json_put_float(json, vectors[i].y);
        sni_json_put_float(json, vectors[i].z);
        cli_out_drain(job->out);
    }
    sni_json_end(json);
}

static void put_part(cli_job *job, sni_json_writer *json, const sn_pose *pose, int32_t index, sn_vec3 *scratch)
{
    const sn_part *part = &job->model->parts[index];
    const sn_mesh *mesh = &job->model->meshes[part->mesh];
    sn_vec3 *positions = scratch, *normals = mesh->normals ? scratch + mesh->vertex_count : NULL;
    sn_skin_part(pose, index, positions, normals, NULL);
    sni_json_begin_object(json);
    cli_json_integer(json, "mesh", part->mesh);
    cli_json_integer(json, "node", part->node);
    cli_json_integer(json, "material", part->material);
    cli_json_integer(json, "skin", part->skin);
    cli_json_bool(json, "visible", sn_pose_shows(pose, index));
    put_vectors(job, json, "positions", positions, mesh->vertex_count);
    if (normals) put_vectors(job, json, "normals", normals, mesh->vertex_count);
    sni_json_end(json);
}

static void put_parts(cli_job *job, sni_json_writer *json, const sn_pose *pose, sn_vec3 *scratch)
{
    cli_json_list(json, "parts");
    for (uint32_t i = 0; i < job->model->part_count; i++) put_part(job, json, pose, (int32_t)i, scratch);
    sni_json_end(json);
}

void cli_pose_json(cli_job *job, const sn_pose *pose, cli_moment moment)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->model->mesh_count; i++)
        if (job->model->meshes[i].vertex_count > largest) largest = job->model->meshes[i].vertex_count;
    sn_vec3 *scratch = sni_new_raw(&job->arena, sn_vec3, largest * 2);
    if (!scratch) return;
    sni_json_writer json = cli_json_begin(job, "sinew.pose/1");
    put_moment(&json, job->model, moment);
    put_nodes(job, &json, pose);
    put_parts(job, &json, pose, scratch);
    cli_json_end(job, &json);
}
