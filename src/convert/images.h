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

// Pixels as a model shows them: also with the alpha that a BLP denies, as its game does. False after a failure; where
// it is only the image that cannot be read, `error` says why, and `pixels` is all zero.
bool sni_read_image(sni_save *save, sni_image_set *set, const sn_image *image, bool size_only, sn_pixels *pixels,
                    sn_error *error);

// As PNG, in the save's scratch; name and uri stay. Where they are too many for one, `error` says so. False after a
// failure.
bool sni_write_image(sni_save *save, const sn_pixels *pixels, sn_error *error, sn_image *out);

#endif
