// Samples made for sweeping (tests/sweep_samples): 1 to 4 KB each, together with every kind of chunk. Each returns
// whether its files could be written.
#ifndef MAKE_SWEEP_H
#define MAKE_SWEEP_H

#include <stdbool.h>

bool make_sweep_gltf(const char *folder);    // scene.bin and scene.glb, for the scene.gltf that is there
bool make_sweep_mdx(const char *folder);     // NAME.mdx for each NAME.mdl that is there, and batches_1500.mdx, dot.blp
bool make_sweep_w3d(const char *folder);     // mesh.w3d, objects.w3d, motion.w3d, text.w3d.json, quad.tga
bool make_sweep_level5(const char *folder);  // first.*, second.*, packed.pak
bool make_sweep_archives(const char *folder);  // files.big, files.hd3 and FILES.DAT, files.mpq, het.mpq

#endif
