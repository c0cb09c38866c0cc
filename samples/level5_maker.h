// Files of Level-5's games put together piece by piece: nodes, meshes out of shapes, weights, motions, pictures, packs.
// Only + - * / and sqrt are used.
#ifndef LEVEL5_MAKER_H
#define LEVEL5_MAKER_H

#include "format/level5/level5_doc.h"
#include "tim2.h"
#include "w3d_maker.h"

typedef struct cloud_file {
    const char *name;
    level5_array bytes;
} cloud_file;

typedef struct cloud_maker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_list nodes, meshes;   // level5_node, level5_mesh
    sni_list weights, moves;  // level5_track
    sni_list pictures;        // level5_picture
    sni_list files;           // cloud_file
    bool is_first;            // Dark Cloud 1
} cloud_maker;

void cloud_begin(cloud_maker *m, bool is_first);
void cloud_end(cloud_maker *m);

int32_t cloud_node(cloud_maker *m, const char *name, int32_t parent, sn_vec3 place);
sn_vec3 cloud_place(const cloud_maker *m, int32_t node);  // in the model, at rest

// Vertices of shapes are in the model's space; stored they are in that of the node. Bones of a shape are numbers of
// nodes.
typedef struct cloud_look {
    const char *texture;
    float diffuse[4];
} cloud_look;
level5_mesh *cloud_mesh(cloud_maker *m, int32_t node, const shape *s, const cloud_look *look);
void cloud_weights(cloud_maker *m, int32_t node, const shape *s);  // its two bones and their per cents
int32_t cloud_position(const level5_mesh *mesh, sn_vec3 place);    // the number of a vertex in the node's space

void cloud_track(cloud_maker *m, sni_list *list, int32_t node, int32_t target, level5_track_type type,
                 const level5_key *keys, uint32_t count);
void cloud_turns(cloud_maker *m, int32_t node, sn_vec3 axis, const uint32_t *frames, const float *half_tangents,
                 uint32_t count);
void cloud_shifts(cloud_maker *m, int32_t node, level5_track_type type, const uint32_t *frames, const sn_vec3 *values,
                  uint32_t count);

// TIM2 with a palette; paint answers the index of a pixel. Pictures of 8 bits are swizzled.
typedef uint8_t (*cloud_paint)(int x, int y);
void cloud_picture(cloud_maker *m, const char *name, uint16_t side, uint32_t bits, const tim2_color palette[16],
                   cloud_paint paint);
void cloud_script(cloud_maker *m, const char *text);

// What was added so far becomes a file of the maker; the name must last.
void cloud_keep_mds(cloud_maker *m, const char *name);
void cloud_keep_binds(cloud_maker *m, const char *name);                                     // as its game has them
void cloud_keep_tracks(cloud_maker *m, const char *name, sni_list *list, uint32_t padding);  // and empties it
void cloud_keep_pictures(cloud_maker *m, const char *name, level5_img_kind kind);
void cloud_keep_text(cloud_maker *m, const char *name, const char *text);
void cloud_keep_pack(cloud_maker *m, const char *name, bool ends_in_ones);  // of all files so far, which it takes in

bool cloud_save(cloud_maker *m, const char *folder);  // all files that are not in a pack

#endif
