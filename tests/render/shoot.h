// Drawing pictures in tests.
#ifndef TEST_SHOOT_H
#define TEST_SHOOT_H

#include "capture.h"

typedef struct rgba {
    int r, g, b, a;
} rgba;

sn_model *load_sample(const char *name);                            // with clips of sibling files
sn_actor make_actor(sn_renderer *renderer, const sn_model *model);  // upright, in the rest pose
void free_actor(const sn_actor *actor);
void pose_actor(const sn_actor *actor, int32_t clip, float seconds, const sn_view *view);

sn_pixels shoot(sn_renderer *renderer, const sn_frame *frame);  // fails the test on an error
rgba pixel_at(const sn_pixels *pixels, int x, int y);

#define assert_pixel(pixels, x, y, r, g, b, a) \
    expect_pixel((pixels), (x), (y), (rgba){ (r), (g), (b), (a) }, __FILE__, __LINE__)
void expect_pixel(const sn_pixels *pixels, int x, int y, rgba expected, const char *file, int line);  // to 1 in 255

#endif
