// The inputs of commands that print: models on the command line, in archives, and in folders.
#include "job.h"

typedef struct walk {
    sni_arena *arena;
    sni_list *inputs;
    const char *root;
    int code;
} walk;

static bool add_model(void *user, const char *path)
{
    const walk *w = user;
    const size_t root = strlen(w->root);
    const char *name = sni_copy_text(w->arena, path, strlen(path));
    cli_input *input = name ? sni_push(w->arena, w->inputs, cli_input) : NULL;
    if (!input) return false;
    const char *below = name + root + (root > 0 && w->root[root - 1] != '/');
    *input = (cli_input){ .name = name, .below = below, .path = name, .is_one_of = true, .root = w->root };
    return true;
}

static void complain_of_folder(void *user, const char *folder, const sn_error *error)
{
    walk *w = user;
    const char *shown = cli_escape(w->arena, folder);
    cli_complain("%s: error: %s", shown ? shown : "", error->message);
    w->code = CLI_EXIT_IO;
}

static int walk_folder(const char *root, sni_arena *arena, sni_list *inputs)
{
    const uint32_t before = inputs->count;
    sn_error error;
    walk w = { .arena = arena, .inputs = inputs, .root = root, .code = CLI_EXIT_OK };
    const sn_folder_visitor visitor = { .model = add_model, .failed = complain_of_folder, .user = &w };
    sn_status status = sn_folder_walk(root, &visitor, &error);
    if (status == SN_ERR_MEMORY || status == SN_ERR_CANCELLED) return cli_no_memory();
    if (status == SN_OK && inputs->count == before) {
        error = (sn_error){ .status = SN_ERR_IO };
        snprintf(error.message, sizeof error.message, "%s", cli_explain_no_models(arena, root));
    }
    if (inputs->count == before) complain_of_folder(&w, root, &error);
    return w.code;
}

int cli_gather_operand(cli_session *session, const char *operand, bool keeps_archives, sni_arena *arena,
                       sni_list *inputs)
{
    if (cli_is_folder(operand)) return walk_folder(operand, arena, inputs);
    return cli_session_expand(session, operand, keeps_archives, arena, inputs) ? CLI_EXIT_OK : cli_no_memory();
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
