#include "view.h"

#include <string.h>

#include "shows.h"

static bool fail_memory(sn_error *error)
{
    *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
    return false;
}

static void count(cli_exhibit *exhibit)
{
    const sn_model *model = exhibit->job.model;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        exhibit->vertex_count += mesh->vertex_count;
        if (mesh->topology == SN_TRIANGLES) exhibit->triangle_count += cli_mesh_primitives(mesh);
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        exhibit->joint_count += (model->nodes[i].flags & SN_NODE_JOINT) != 0;
}

static bool open_model(cli_exhibit *exhibit, sn_renderer *renderer, sn_error *error)
{
    cli_job *job = &exhibit->job;
    if (!cli_job_load(job, false)) {
        *error = job->error;
        return false;
    }
    exhibit->drawable = sn_drawable_create(renderer, job->model, error);
    if (!exhibit->drawable) return false;
    exhibit->pose = sn_pose_create(job->model, NULL, NULL);
    if (!exhibit->pose || !cli_outline_make(&exhibit->tree, job->model, &job->arena)) return fail_memory(error);
    sn_mat34 upright = sn_model_upright(job->model);
    sn_pose_set_root(exhibit->pose, &upright);
    count(exhibit);
    return true;
}

bool cli_exhibit_open(cli_exhibit *exhibit, cli_sources *sources, sn_renderer *renderer, const cli_input *input,
                      cli_watch *watch, sn_error *error)
{
    memset(exhibit, 0, sizeof *exhibit);
    exhibit->input = *input;
    cli_job_init(&exhibit->job, sources, &exhibit->input, NULL);
    cli_watch_add(watch, input->place.path);
    exhibit->job.on_read = cli_watch_add;
    exhibit->job.on_read_user = watch;
    if (open_model(exhibit, renderer, error)) return true;
    cli_exhibit_close(exhibit);
    return false;
}

void cli_exhibit_close(cli_exhibit *exhibit)
{
    sn_pose_free(exhibit->pose);
    sn_drawable_free(exhibit->drawable);
    cli_job_free(&exhibit->job);
    memset(exhibit, 0, sizeof *exhibit);
}
