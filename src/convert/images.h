// Images for a target that holds only some kinds.
#ifndef SNI_IMAGES_H
#define SNI_IMAGES_H

#include "format/format.h"
#include "image/image.h"
#include "io/save.h"

// Those that a material uses and the target cannot hold become what sn_save_opts.textures asks for, else the first kind
// that the target holds. What cannot be decoded is reported as a loss and kept. Colour profiles and the like, which the
// target ignores, are left out. False after a failure.
bool sni_fit_images(sni_save *save, const sni_holds *holds, sni_image_set *set, const sn_model *model,
                    sn_model *fitted);

// Pixels as a model shows them. The alpha of a BLP is used even if its header says that it has none, as the game does.
// False after a failure; if only the image cannot be read, `error` has the reason, and `pixels` is all zero.
bool sni_read_image(sni_save *save, sni_image_set *set, const sn_image *image, bool size_only, sn_pixels *pixels,
                    sn_error *error);

// As PNG, in the save's scratch; name and uri stay. If there are too many for a PNG, `error` says so. False after a
// failure.
bool sni_write_image(sni_save *save, const sn_pixels *pixels, sn_error *error, sn_image *out);

#endif
