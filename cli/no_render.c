// In place of render*.c where the renderer is not built.
#include "job.h"

int cli_run_render(cli_sources *sources, cli_out *out)
{
    (void)sources, (void)out;
    cli_complain("this sinew was built without its renderer: install libepoxy-dev and libegl-dev, then build it again");
    return CLI_EXIT_NO_GRAPHICS;
}
