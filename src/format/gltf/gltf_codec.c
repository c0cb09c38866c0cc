// Which compressions this build can read: each is a library that may be missing.
#include <string.h>

#include "format/gltf/gltf_doc.h"

bool gltf_has_codec(const char *extension)
{
#ifdef SINEW_HAS_MESHOPT
    if (strcmp(extension, GLTF_EXT_MESHOPT) == 0 || strcmp(extension, GLTF_KHR_MESHOPT) == 0) return true;
#endif
#ifdef SINEW_HAS_DRACO
    if (strcmp(extension, GLTF_DRACO) == 0) return true;
#endif
    (void)extension;
    return false;
}
