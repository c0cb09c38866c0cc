// Images that the target cannot hold become PNG.
#ifndef SNI_IMAGES_H
#define SNI_IMAGES_H

#include "base/save.h"

// Those that a material uses; what cannot be decoded is a loss told, and stays as it is. False after a failure.
bool sni_fit_images(sni_save *save, const sn_model *model, sn_model *fitted);

#endif
