#include "render.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"

static int write_picture(cli_set *set, const sn_pixels *pixels, const char *path)
{
    sn_error error;
    cli_job *job = &set->job;
    if (job->read_target && strcmp(path, job->read_target) == 0) {
        cli_complain("%s: is read by this model and will not be overwritten", cli_escape(&job->arena, path));
        return CLI_EXIT_USAGE;
    }
    if (sn_pixels_save(pixels, path, &error) == SN_OK) return CLI_EXIT_OK;
    const char *shown = cli_escape(&job->arena, path);
    cli_complain("%s: %s", shown ? shown : "", error.message);
    return cli_exit_of(error.status);
}

static int render_one(cli_studio *studio, const cli_input *input, const char *path)
{
    cli_set set;
    sn_eye eye;
    sn_pixels pixels = { 0 };
    int code = cli_set_open(&set, studio, input, path);
    if (code != CLI_EXIT_OK) return code;
    code = cli_set_aim(&set, set.moment.clip, studio->look.yaw, studio->look.pitch, &eye);
    if (code == CLI_EXIT_OK) code = cli_set_shoot(&set, set.moment, &eye, &pixels);
    if (code == CLI_EXIT_OK) code = write_picture(&set, &pixels, path);
    sn_pixels_free(&pixels);
    cli_set_close(&set);
    return code;
}

static const char *find_misuse(const cli_args *args, const sni_list *inputs)
{
    const char *output = args->values[CLI_OPTION_OUTPUT];
    if (!output || !output[0]) return "where to? '-o' needs a file like out.png";
    if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO) == 1) return "'-o -' would write a picture to the terminal";
    if (inputs->count != 1) return "'render' takes one model at a time";
    return NULL;
}

int cli_run_render(cli_sources *sources, cli_out *out)
{
    const cli_args *args = sources->args;
    cli_studio studio;
    cli_look look;
    sni_list inputs = { 0 };
    if (!cli_look_read(args, &look) || !cli_check_moment(args)) return CLI_EXIT_USAGE;
    for (int i = 0; i < args->file_count; i++)
        if (!cli_sources_expand(sources, args->files[i], false, &sources->arena, &inputs)) return CLI_EXIT_DAMAGED;
    const char *misuse = find_misuse(args, &inputs);
    if (misuse) cli_complain("%s", misuse);
    if (misuse) return CLI_EXIT_USAGE;
    int code = cli_studio_open(&studio, sources, out, &look);
    if (code == CLI_EXIT_OK) code = render_one(&studio, inputs.items, args->values[CLI_OPTION_OUTPUT]);
    cli_studio_close(&studio);
    return code;
}
