// Models from a few lines of MDL. Each is checked with check_model; the test fails if the text does not load.
#ifndef TEST_MDL_TEXT_H
#define TEST_MDL_TEXT_H

#include "sinew/sinew.h"

sn_model *mdx_mdl_load(uint32_t version, const char *text, const sn_load_opts *opts);

// The warnings of one code.
uint32_t mdx_mdl_warnings(const sn_model *model, const char *name);

// Where a vertex of part 0 is, in the clip at that time.
sn_vec3 mdx_mdl_vertex(const sn_model *model, int32_t clip, float seconds, float clock, uint32_t vertex);

// Where a node is.
sn_vec3 mdx_mdl_place(const sn_model *model, const char *node, int32_t clip, float seconds, float clock);

#define MDX_MDL_TRIANGLE \
    "Vertices 3 { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, } Faces 1 3 { Triangles { { 0, 1, 2 }, } } "

#endif
