// Doubles: bones once more below the node of the mesh that they bend, in Dark Cloud 1 and where that node moves by
// itself.
#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/trs.h"

// No model has as many, and no skeleton is as deep; what more there is goes without.
enum { MOST_DOUBLES = 4096, DEEPEST = 1024 };

// The space of the mesh's parent, moved as the mesh's node has moved since the MDS.
static bool add_carrier(level5_builder *b, uint32_t mesh)
{
    sn_mat34 *inverse = sni_new(&b->load->keep, sn_mat34, 1);
    if (!inverse) return false;
    if (!sni_mat34_invert(&b->bones[mesh].local, inverse)) return true;
    sn_node *node = sni_push(&b->load->keep, &b->nodes, sn_node);
    if (!node) return false;
    *node = (sn_node){ .name = level5_name_part(b, b->bones[mesh].source->name, "parent"),
                       .parent = (int32_t)mesh,
                       .id = -1 };
    if (!sni_trs_from_mat34(inverse, &node->rest)) node->matrix = inverse;
    b->carrier = (int32_t)b->nodes.count - 1;
    return true;
}

static bool add_chain(level5_builder *b, uint32_t mesh, const uint32_t *path, uint32_t depth, int32_t parent,
                      int32_t *out)
{
    sni_str name = b->bones[mesh].source->name;
    *out = parent;
    while (depth > 0) {
        uint32_t bone = path[--depth];
        if (!level5_add_double(b, bone, level5_name_part(b, name, level5_label(b, b->bones[bone].source->name)), *out,
                               out))
            return false;
        b->double_of[bone] = *out;
    }
    return true;
}

bool level5_double_bone(level5_builder *b, uint32_t mesh, uint32_t bone, int32_t *out)
{
    uint32_t path[DEEPEST], depth = 0;
    int32_t at = (int32_t)bone, top = b->bones[mesh].parent;
    *out = -1;
    while (at >= 0 && at != top && b->double_of[at] < 0 && depth < DEEPEST) {
        path[depth++] = (uint32_t)at;
        at = b->bones[at].parent;
    }
    bool is_below = at == top || (at >= 0 && b->double_of[at] >= 0);
    if (!is_below || b->doubles.count + depth > MOST_DOUBLES) return true;
    if (b->carrier < 0 && !add_carrier(b, mesh)) return false;
    if (b->carrier < 0) return true;
    return add_chain(b, mesh, path, depth, at == top ? b->carrier : b->double_of[at], out);
}
