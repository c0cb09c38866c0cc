// Image types, detected by content.
#ifndef SNI_MIME_H
#define SNI_MIME_H

#include "base/text.h"

#define SNI_MIME_PNG  "image/png"
#define SNI_MIME_JPEG "image/jpeg"
#define SNI_MIME_WEBP "image/webp"
#define SNI_MIME_KTX2 "image/ktx2"
#define SNI_MIME_BLP  "image/x-blp"
#define SNI_MIME_DDS  "image/vnd-ms.dds"
#define SNI_MIME_TGA  "image/x-tga"
#define SNI_MIME_TIM2 "image/x-tim2"

// "" when unknown. TGA has no signature: it is anything else with a plausible TGA header.
const char *sni_mime_type(sni_bytes bytes);

// "jpg jpeg"; "" when unknown.
const char *sni_mime_extensions(const char *mime_type);

// What the extension of a path promises; "" when that is not one of the types above.
const char *sni_mime_of_path(const char *path);

#endif
