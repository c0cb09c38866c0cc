// Files to load, the same bytes on every run.
#ifndef BENCH_LOAD_WORKLOADS_H
#define BENCH_LOAD_WORKLOADS_H

#include <stdbool.h>

#include "load_readers.h"

// Each writes `path` and says what is in it; false when it cannot be written. `small`: the same kind, a few kilobytes.
bool write_json_heavy(const char *path, bool small, load_counts *counts);  // .gltf: 50,000 nodes, indented
bool write_mesh_heavy(const char *path, bool small, load_counts *counts);  // .glb: a grid of 1,000,000 vertices
bool write_clip_heavy(const char *path, bool small, load_counts *counts);  // .glb: 60 joints, 70 clips
bool write_mdx_heavy(const char *path, bool small, load_counts *counts);   // .mdx: a geoset of 40,000 vertices
bool write_mdx_huge(const char *path, bool small, load_counts *counts);    // .mdx: 25 such geosets
bool write_mdl_heavy(const char *path, bool small, load_counts *counts);   // .mdl: 5 such geosets
bool write_w3d_heavy(const char *path, bool small, load_counts *counts);  // .w3d: 16 grids, 1,000,000 vertices together
bool write_mds_heavy(const char *path, bool small, load_counts *counts);  // .mds: the same, in strips

// Files of which a folder has many: the same number gives the same bytes.
bool write_small_glb(const char *path, uint32_t number, load_counts *counts);  // 1 to 50 KB
bool write_pictures(const char *path, bool small, load_counts *counts);        // .glb: 4 MB, nine tenths are pictures

// .mdx of the sizes that real ones have, half of it keys. It refers to `texture`, to a file in a folder that does not
// exist, and to one that has another case on disk.
bool write_real_mdx(const char *path, uint32_t number, const char *texture, load_counts *counts);

// A .glb by its counts: per part, morph targets; per clip and node, two tracks of so many keys.
typedef struct load_scene {
    uint64_t seed;
    uint32_t nodes, parts, vertices, materials, morphs, clips, keys, pictures, picture_bytes;
} load_scene;

bool write_scene(const char *path, const load_scene *of, load_counts *counts);

#endif
