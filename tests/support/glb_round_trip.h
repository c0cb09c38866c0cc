// A model saved as .glb and loaded again, for tests of what conversion makes of it.
#ifndef TEST_GLB_AGAIN_H
#define TEST_GLB_AGAIN_H

#include "hand_models.h"
#include "image_files.h"

// Checked, and without anything to mend. `losses` has one line for each: "LOST_CONTENT parts: what is lost". Running
// out of memory at any allocation is tried too.
typedef struct glb_again {
    sn_model *model;
    char losses[4096];
} glb_again;

glb_again glb_save_and_load(const sn_model *model);

// A picture of 0xRRGGBBAA pixels, rows from the top; `room` keeps its bytes.
sn_image glb_image(picture *room, const char *name, uint32_t width, uint32_t height, const uint32_t *pixels);

// One layer with an image, and a track found again by what it drives; fails the test where there is none.
sn_layer glb_layer(int32_t image, sn_blend blend);
const sn_track *glb_track(const sn_model *model, sn_target kind, int32_t target, sn_channel channel);

// The pixels of an image of the model.
void glb_expect_image(const sn_model *model, int32_t image, uint32_t width, uint32_t height, const uint32_t *wanted);

#endif
