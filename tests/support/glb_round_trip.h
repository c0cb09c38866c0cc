// A model saved as .glb and loaded again, for tests of conversion.
#ifndef TEST_GLB_ROUND_TRIP_H
#define TEST_GLB_ROUND_TRIP_H

#include "hand_models.h"
#include "image_files.h"

// The loaded model is checked and has no warnings. `losses` has a line for each loss: "LOST_CONTENT parts: what is
// lost". Saving is also tried with each allocation failing.
typedef struct glb_round_trip {
    sn_model *model;
    char losses[4096];
} glb_round_trip;

glb_round_trip glb_save_and_load(const sn_model *model);

// An image of 0xRRGGBBAA pixels, rows from the top; `file` holds its bytes.
sn_image glb_image(picture *file, const char *name, uint32_t width, uint32_t height, const uint32_t *pixels);

// A layer with an image. glb_track finds a track by its target; the test fails if there is none.
sn_layer glb_layer(int32_t image, sn_blend blend);
const sn_track *glb_track(const sn_model *model, sn_target kind, int32_t target, sn_channel channel);

// Compares the pixels of an image of the model.
void glb_expect_image(const sn_model *model, int32_t image, uint32_t width, uint32_t height, const uint32_t *wanted);

#endif
