// An MDX document put together piece by piece, and bodies made of tubes.
#ifndef MDX_MAKER_H
#define MDX_MAKER_H

#include "blp.h"
#include "format/mdx/mdx_doc.h"

typedef struct mdx_maker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    mdx_doc doc;
} mdx_maker;

void mdx_maker_init(mdx_maker *m, uint32_t version, const char *name);
void mdx_maker_free(mdx_maker *m);
bool mdx_maker_save(mdx_maker *m, const char *folder, const char *name);

// A square picture; `shade` answers the colour's number and the alpha of a pixel.
typedef uint8_t (*mdx_shade)(uint32_t x, uint32_t y, uint8_t *alpha);
bool mdx_maker_picture(mdx_maker *m, const char *folder, const char *name, uint32_t side, const blp_color *palette,
                       uint32_t colors, mdx_shade shade);

// Arrays as the file has them; records of `width` numbers.
mdx_array mdx_maker_floats(mdx_maker *m, const float *values, uint32_t count, uint32_t width);
mdx_array mdx_maker_u32s(mdx_maker *m, const uint32_t *values, uint32_t count);
mdx_array mdx_maker_u16s(mdx_maker *m, const uint16_t *values, uint32_t count);
mdx_array mdx_maker_bytes(mdx_maker *m, const uint8_t *values, uint32_t count);

sni_str mdx_maker_text(const char *text);

// A key is its value and, for Hermite and Bezier, the tangents in and out, behind each other. Rotations are packed
// where the version packs them.
typedef struct mdx_maker_key {
    int32_t time;
    float values[12];
} mdx_maker_key;
void mdx_maker_track(mdx_maker *m, mdx_tracks *tracks, uint32_t tag, mdx_interpolation interpolation,
                     int32_t global_sequence, uint32_t count, const mdx_maker_key *keys);
#define MDX_KEYS(...) \
    (uint32_t)(sizeof((mdx_maker_key[]){ __VA_ARGS__ }) / sizeof(mdx_maker_key)), (mdx_maker_key[]) { __VA_ARGS__ }

sn_quat mdx_maker_turn(float x, float y, float z);  // about the axis; its length is the tangent of half the angle
void mdx_maker_sequence(mdx_maker *m, const char *name, uint32_t start, uint32_t end, float move_speed, uint32_t flags);
void mdx_maker_texture(mdx_maker *m, const char *path, uint32_t replaceable);
mdx_node mdx_maker_node(const char *name, int32_t id, int32_t parent, uint32_t flags);

// A body grows by tubes of rings. A ring is an ellipse across the tube's direction; its group says who moves it.
enum { MDX_MOST_VERTICES = 1600, MDX_MOST_INDICES = 8000 };

typedef struct mdx_body {
    uint32_t vertex_count, index_count;
    float positions[MDX_MOST_VERTICES][3], normals[MDX_MOST_VERTICES][3], uvs[MDX_MOST_VERTICES][2],
        tangents[MDX_MOST_VERTICES][4];
    uint8_t groups[MDX_MOST_VERTICES];
    uint16_t indices[MDX_MOST_INDICES];
} mdx_body;

typedef struct mdx_ring {
    float x, y, z, width, height;
    uint8_t group;
} mdx_ring;
typedef struct mdx_tube {
    sn_vec3 along;
    float top, bottom;
    uint32_t corners;
    float scale;
} mdx_tube;  // corners: 4 or 8; top, bottom: of the picture

void mdx_body_tube(mdx_body *body, const mdx_tube *tube, const mdx_ring *rings, uint32_t count);
mdx_extent mdx_body_extent(const mdx_body *body);

// The arrays that every geoset has; the caller adds who moves the groups.
mdx_geoset *mdx_maker_geoset(mdx_maker *m, const mdx_body *body, uint32_t material);

#endif
