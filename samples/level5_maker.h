// Makes Level-5 files piece by piece: nodes, meshes from shapes, weights, motions, pictures, packs. Uses only + - * /
// and sqrt, so that every machine makes the same bytes.
#ifndef LEVEL5_MAKER_H
#define LEVEL5_MAKER_H

#include "format/level5/level5_doc.h"
#include "image/tim2.h"
#include "w3d_maker.h"

typedef struct level5_maker_file {
    const char *name;
    level5_array bytes;
} level5_maker_file;

typedef struct level5_maker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_list nodes, meshes;   // level5_node, level5_mesh
    sni_list weights, moves;  // level5_track
    sni_list pictures;        // level5_picture
    sni_list files;           // level5_maker_file
    bool is_first;            // Dark Cloud 1
} level5_maker;

void level5_maker_begin(level5_maker *m, bool is_first);
void level5_maker_end(level5_maker *m);

int32_t level5_maker_node(level5_maker *m, const char *name, int32_t parent, sn_vec3 place);
sn_vec3 level5_maker_world_position(const level5_maker *m, int32_t node);  // in model space, at rest

// Vertices of shapes are in model space and are stored in the space of the node. Bones of a shape are node indices.
typedef struct level5_maker_material {
    const char *texture;
    float diffuse[4];
} level5_maker_material;
level5_mesh *level5_maker_mesh(level5_maker *m, int32_t node, const shape *s, const level5_maker_material *material);
void level5_maker_weights(level5_maker *m, int32_t node, const shape *s);  // its two bones, in percent
int32_t level5_maker_find_position(const level5_mesh *mesh,
                                   sn_vec3 place);  // index of the vertex at this place in the node's space

void level5_maker_track(level5_maker *m, sni_list *list, int32_t node, int32_t target, level5_track_type type,
                        const level5_key *keys, uint32_t count);
void level5_maker_rotations(level5_maker *m, int32_t node, sn_vec3 axis, const uint32_t *frames,
                            const float *half_tangents, uint32_t count);
void level5_maker_vectors(level5_maker *m, int32_t node, level5_track_type type, const uint32_t *frames,
                          const sn_vec3 *values, uint32_t count);

// TIM2 with a palette; `paint` returns the colour index of a pixel. 8-bit pictures are swizzled.
typedef uint8_t (*level5_maker_paint)(int x, int y);
void level5_maker_picture(level5_maker *m, const char *name, uint16_t side, uint32_t bits,
                          const sni_tim2_color palette[16], level5_maker_paint paint);
void level5_maker_script(level5_maker *m, const char *text);

// Makes a file from what was added so far. The name must outlive the maker.
void level5_maker_add_mds(level5_maker *m, const char *name);
void level5_maker_add_binds(level5_maker *m, const char *name);  // in the space that the game uses
void level5_maker_add_tracks(level5_maker *m, const char *name, sni_list *list, uint32_t padding);  // empties the list
void level5_maker_add_pictures(level5_maker *m, const char *name, level5_img_kind kind);
void level5_maker_add_text(level5_maker *m, const char *name, const char *text);
void level5_maker_add_pack(level5_maker *m, const char *name, bool ends_in_ones);  // of all files so far

bool level5_maker_save(level5_maker *m, const char *folder);  // all files outside packs

#endif
