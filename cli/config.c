// Where settings are kept between runs. Its own file: the tests of the window link it without the session.
#include <stdio.h>
#include <stdlib.h>

#include "session.h"

// A relative $XDG_CONFIG_HOME is ignored, as the specification requires.
bool cli_config_folder(char *folder, size_t capacity)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool has_config = config && config[0] == '/';
    if (!has_config && !(home && home[0] == '/')) return false;
    int size = snprintf(folder, capacity, "%s%s/sinew", has_config ? config : home, has_config ? "" : "/.config");
    return size > 0 && (size_t)size < capacity - 16;
}
