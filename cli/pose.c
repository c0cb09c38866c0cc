#include "pose.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "shows.h"
#include "table.h"

enum { NAME_COLUMNS = 48 };

static const char *find_misuse(const cli_args *args)
{
    bool to_file = cli_has(args, CLI_OPTION_OBJ);
    if (to_file && cli_has(args, CLI_OPTION_JSON)) return "'--obj' and '--json' are two answers; ask for one";
    if (to_file && args->file_count > 1) return "'--obj' takes one model at a time";
    return NULL;
}

bool cli_check_pose(const cli_args *args)
{
    const char *misuse = find_misuse(args);
    if (misuse) cli_complain("%s", misuse);
    return !misuse && cli_check_moment(args);
}

// Decimals that show five digits of the largest coordinate.
static int decimals_for(float largest)
{
    int decimals = 4;
    for (float limit = 10.0f; decimals > 1 && largest >= limit; limit *= 10.0f) decimals--;
    for (float limit = 0.1f; decimals < 9 && largest > 0 && largest < limit; limit /= 10.0f) decimals++;
    return decimals;
}

static const char *coordinate(cli_job *job, float value, int decimals)
{
    double smallest = 0.5 * pow(10.0, -decimals);
    double shown = fabs((double)value) < smallest ? 0.0 : (double)value;  // never "-0.0000"
    if (fabs(shown) >= 1e9) return cli_format(&job->arena, "%.4e", shown);
    return cli_format(&job->arena, "%.*f", decimals, shown);
}

static float largest_coordinate(const sn_model *model, const sn_pose *pose)
{
    float largest = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        for (int r = 0; r < 3; r++) largest = fmaxf(largest, fabsf(world.m[r][3]));
    }
    return largest;
}

static void print_pose(cli_job *job, const sn_pose *pose, cli_moment moment)
{
    const sn_model *model = job->model;
    cli_table table = cli_table_make(&job->arena, "lrrr", model->node_count + 1);
    int decimals = decimals_for(largest_coordinate(model, pose));
    table.has_heading = true;
    cli_table_add(&table, (cli_row){ { "node", "x", "y", "z" } });
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        const char *label = cli_name_or(&job->arena, model->nodes[i].name, "node", i);
        if (!label) return;
        cli_table_add(&table,
                      (cli_row){ { cli_shorten(&job->arena, label, NAME_COLUMNS),
                                   coordinate(job, world.m[0][3], decimals), coordinate(job, world.m[1][3], decimals),
                                   coordinate(job, world.m[2][3], decimals) } });
    }
    cli_job_begin_text(job);
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, ": %s\n", cli_describe_moment(job, moment));
    cli_table_print(&table, job->out, 2);
}

static int answer(cli_job *job, const sn_pose *pose, cli_moment moment)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    if (obj) return cli_pose_obj(job, pose, obj);
    if (cli_job_has(job, CLI_OPTION_JSON)) cli_pose_json(job, pose, moment);
    else print_pose(job, pose, moment);
    return CLI_EXIT_OK;
}

int cli_run_pose(cli_job *job)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    cli_moment moment;
    if (obj && strcmp(obj, "-") != 0) job->targets[0] = obj;
    if (!cli_job_load(job, false)) return cli_job_fail(job);
    if (!cli_read_moment(job, &moment)) return cli_complain_of_clip(job);
    sn_pose *pose = sn_pose_create(job->model, NULL, NULL);
    if (!pose) {
        sni_fail(&job->diag, SN_ERR_MEMORY, 0, "out of memory");
        return CLI_EXIT_DAMAGED;
    }
    sn_pose_sample(pose, moment.clip, moment.seconds, moment.seconds);
    sn_pose_solve(pose, NULL);
    int code = answer(job, pose, moment);
    sn_pose_free(pose);
    return code;
}
