#include "view.h"

static const cli_memory first_time = {
    .width = 1024,
    .height = 680,
    .show = SN_SHOW_GRID | SN_SHOW_SHADOW,
    .panels = CLI_PANEL_TIMELINE | CLI_PANEL_FACTS,
};

int cli_run_view(cli_sources *sources, cli_out *out)
{
    const cli_args *args = sources->args;
    cli_look look;
    cli_view view;
    sn_error error;
    cli_memory memory = first_time;
    (void)out;
    if (!cli_look_read(args, &look) || !cli_check_moment(args)) return CLI_EXIT_USAGE;
    cli_memory_load(&memory);
    if (cli_has(args, CLI_OPTION_SIZE)) memory.width = look.width, memory.height = look.height;
    cli_view_init(&view, sources, &look, &memory);
    int code = cli_window_run(&view, &memory);
    if (code == CLI_EXIT_OK && !cli_memory_save(&memory, &error))
        cli_complain("the window cannot be remembered: %s", error.message);
    cli_view_free(&view);
    return code;
}
