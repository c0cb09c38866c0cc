// The table of formats: the one file that changes when a format is added.
#include "format/format.h"

extern const sni_format sni_format_gltf, sni_format_mdx, sni_format_w3d, sni_format_level5;

const sni_format *const sni_formats[] = {
    &sni_format_gltf, &sni_format_mdx, &sni_format_w3d, &sni_format_level5, NULL,
};
