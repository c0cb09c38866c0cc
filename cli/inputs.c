// The inputs of commands that print: models on the command line, in archives, and in folders.
#include "job.h"

int cli_gather_operand(cli_session *session, const char *operand, bool keeps_archives, sni_arena *arena,
                       sni_list *inputs)
{
    const uint32_t before = inputs->count;
    sn_error error = { .status = SN_OK };
    if (!cli_is_folder(operand))
        return cli_session_expand(session, operand, keeps_archives, arena, inputs) ? CLI_EXIT_OK : cli_no_memory();
    bool is_listed = cli_session_add_folder(operand, false, arena, inputs, &error);
    if (is_listed && inputs->count > before) return CLI_EXIT_OK;
    const char *shown = cli_escape(arena, operand);
    cli_complain("%s: error: %s", shown ? shown : "",
                 is_listed ? cli_explain_no_models(arena, operand) : error.message);
    return error.status == SN_ERR_MEMORY ? CLI_EXIT_MEMORY : CLI_EXIT_IO;
}

int cli_gather_inputs(cli_session *session, bool keeps_archives, sni_arena *arena, sni_list *inputs)
{
    const cli_args *args = session->args;
    int code = CLI_EXIT_OK;
    for (int i = 0; i < args->file_count && code != CLI_EXIT_MEMORY; i++) {
        int gathered = cli_gather_operand(session, args->files[i], keeps_archives, arena, inputs);
        if (gathered != CLI_EXIT_OK) code = gathered;
    }
    return code;
}
