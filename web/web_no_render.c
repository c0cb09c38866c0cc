// For modules without the renderer, such as that of the npm package.
#include "sinew_web.h"

void web_scene_free(struct web_scene *scene) { (void)scene; }
