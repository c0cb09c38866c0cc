// Files that join a model: those of --anim and --hierarchy, and with --with-anims all beside it that are for its
// skeleton.
#include <string.h>

#include "job.h"

// An operand may be a file, one of an archive, or a pattern of such.
static bool join_operand(cli_job *job, const char *operand, sni_list *companions)
{
    sni_list inputs = { 0 };
    if (!cli_sources_expand(job->sources, operand, false, &job->arena, &inputs)) return false;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const cli_input *input = &((const cli_input *)inputs.items)[i];
        sn_companion *companion = sni_push(&job->arena, companions, sn_companion);
        sni_bytes bytes;
        if (!companion) return false;
        if (!cli_sources_read(job->sources, &input->place, &job->arena, &job->diag, &bytes)) return false;
        cli_note_read(job, &input->place);
        *companion = (sn_companion){ input->name, bytes.data, bytes.size };
    }
    return true;
}

static bool peek_ref(void *user, uint32_t index, const char **ref, const void **data, size_t *size)
{
    cli_job *job = user;
    sni_diag diag;
    sni_bytes bytes = { NULL, 0 };
    sni_arena_free(&job->peeked);
    if (index >= job->beside.count) return false;
    const cli_place *place = &((const cli_place *)job->beside.items)[index];
    sni_diag_init(&diag, NULL);
    if (!cli_sources_read(job->sources, place, &job->peeked, &diag, &bytes))
        bytes.size = 0;  // what cannot be read is not wanted
    *ref = sni_last_name(place->entry.name);
    *data = bytes.data;
    *size = bytes.size;
    return true;
}

bool cli_join_files(cli_job *job, sn_load_opts *opts)
{
    const cli_args *args = job->args;
    sni_list companions = { 0 };
    const char *hierarchy = args->values[CLI_OPTION_HIERARCHY];
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_ANIM, i); i++)
        if (!join_operand(job, cli_value(args, CLI_OPTION_ANIM, i), &companions)) return false;
    if (hierarchy && sni_has_ending(hierarchy, "w3d") && !join_operand(job, hierarchy, &companions)) return false;
    opts->hierarchy = hierarchy;
    opts->companions = companions.items;
    opts->companion_count = companions.count;
    if (!cli_job_has(job, CLI_OPTION_WITH_ANIMS)) return true;
    opts->folder_clips = true;
    opts->peek_ref = peek_ref;
    return cli_sources_beside(job->sources, &job->input->place, &job->arena, &job->diag, &job->beside);
}
