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

#endif
