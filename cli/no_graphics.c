// Stubs for commands that were left out of this build.
#include "job.h"

#ifndef SINEW_HAS_RENDER
int cli_run_render(cli_session *session, cli_out *out)
{
    (void)session, (void)out;
    cli_complain("this build has no renderer; install libepoxy-dev and libegl-dev and build sinew again");
    return CLI_EXIT_NO_GRAPHICS;
}
#endif

#ifndef SINEW_HAS_WINDOW
bool cli_has_display(void) { return false; }

int cli_run_view(cli_session *session, cli_out *out)
{
    (void)session, (void)out;
    cli_complain("this build has no viewer; install libglfw3-dev, libepoxy-dev and libegl-dev and build sinew again");
    return CLI_EXIT_NO_GRAPHICS;
}
#endif
