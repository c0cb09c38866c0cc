// In place of view*.c where the window is not built.
#include "job.h"

bool cli_has_display(void) { return false; }

int cli_run_view(cli_sources *sources, cli_out *out)
{
    (void)sources, (void)out;
    cli_complain("this sinew was built without its window: install libglfw3-dev, libepoxy-dev and libegl-dev, then "
                 "build it again");
    return CLI_EXIT_NO_GRAPHICS;
}
