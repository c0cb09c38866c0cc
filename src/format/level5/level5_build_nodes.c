// Nodes: the tree of the MDS, its matrices, and what the names say of drawing.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/sanitize.h"
#include "model/trs.h"

static int32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// aXX is the reference of the alpha test, other pairs are ways of blending.
static void read_alpha_code(level5_codes *codes, char first, char second)
{
    int32_t high = hex_digit(first), low = hex_digit(second);
    if (first == 'P' && second == 'P') codes->blend = SN_BLEND_ADD_ALPHA;
    else if (first == 'N' && second == 'N') codes->blend = SN_BLEND_SUBTRACT;
    else if (first == 'O' && second == 'F') codes->is_opaque = true;
    else if (high >= 0 && low >= 0) codes->alpha_ref = high * 16 + low;
}

level5_codes level5_read_codes(sni_str name)
{
    level5_codes codes = { .alpha_ref = -1 };
    size_t at = level5_before(name, "__").size;
    for (at += 2; at < name.size; at++) {
        size_t rest = name.size - at;
        switch (name.at[at]) {
        case 'c': codes.is_unlit = true; break;
        case 'z': codes.keeps_depth = true; break;
        case 'o': codes.ignores_depth = true; break;
        case 's': codes.is_one_sided = true; break;
        case 'v': codes.is_hidden = true; break;
        case 'b':
            if (rest > 1) codes.billboard = name.at[++at];
            break;
        case 'a':
            if (rest > 2) read_alpha_code(&codes, name.at[at + 1], name.at[at + 2]), at += 2;
            break;
        default: break;  // fog, ambient, clipping: nothing that a model holds
        }
    }
    return codes;
}

static void read_local(level5_builder *b, uint32_t index)
{
    level5_bone *bone = &b->bones[index];
    bone->local = sni_mat34_from_columns(bone->source->matrix);
    if (sni_all_finite(&bone->local.m[0][0], 12)) return;
    sni_enter_named(&b->load->diag, "NODE", index, level5_label(b, bone->source->name));
    sni_warn(&b->load->diag, SNI_WARN_NOT_FINITE, bone->source->offset,
             "its matrix is not finite; it stands where its parent does");
    sni_leave(&b->load->diag);
    bone->local = sni_mat34_identity;
}

static void read_parent(level5_builder *b, uint32_t index)
{
    level5_bone *bone = &b->bones[index];
    bone->parent = bone->source->parent < 0 ? -1 : bone->source->parent;
    if (bone->parent < (int32_t)b->bone_count) return;
    sni_enter_named(&b->load->diag, "NODE", index, level5_label(b, bone->source->name));
    sni_warn(&b->load->diag, SNI_WARN_NODE_PARENT, bone->source->offset + 44, "parent %d of %u nodes", bone->parent,
             b->bone_count);
    sni_leave(&b->load->diag);
    bone->parent = -1;
}

// Where the node whose chain is being followed comes again, the chain is cut. seen[i] is one more than the chain that
// met i.
static void cut_loop(level5_builder *b, uint32_t start, uint32_t *seen)
{
    for (int32_t at = (int32_t)start; at >= 0 && seen[at] == 0; at = b->bones[at].parent) {
        int32_t parent = b->bones[at].parent;
        seen[at] = start + 1;
        if (parent < 0 || seen[parent] != start + 1) continue;
        sni_enter_named(&b->load->diag, "NODE", at, level5_label(b, b->bones[at].source->name));
        sni_warn(&b->load->diag, SNI_WARN_NODE_CYCLE, b->bones[at].source->offset + 44,
                 "it is its own ancestor through node %d", parent);
        sni_leave(&b->load->diag);
        b->bones[at].parent = -1;
    }
}

// Parents first; `stack` holds those of a chain that are still without a world.
static void place_bone(level5_builder *b, uint32_t index, bool *is_placed, uint32_t *stack)
{
    uint32_t depth = 0;
    for (int32_t at = (int32_t)index; at >= 0 && !is_placed[at]; at = b->bones[at].parent)
        stack[depth++] = (uint32_t)at;
    while (depth > 0) {
        level5_bone *bone = &b->bones[stack[--depth]];
        bone->world = bone->parent < 0 ? bone->local : sni_mat34_mul(&b->bones[bone->parent].world, &bone->local);
        is_placed[stack[depth]] = true;
    }
}

bool level5_make_bones(level5_builder *b)
{
    uint32_t count = b->bone_count = b->mds->node_count;
    b->bones = sni_new(&b->load->scratch, level5_bone, count);
    uint32_t *seen = sni_new(&b->load->scratch, uint32_t, count),
             *stack = sni_new_raw(&b->load->scratch, uint32_t, count);
    bool *is_placed = sni_new(&b->load->scratch, bool, count);
    if (!b->bones || !seen || !stack || !is_placed) return false;
    for (uint32_t i = 0; i < count; i++) {
        level5_bone *bone = &b->bones[i];
        *bone = (level5_bone){
            .source = &b->mds->nodes[i], .shapes = -1, .camera = -1, .shown = { i, i }, .first_double = -1
        };
        bone->codes = level5_read_codes(bone->source->name);
        read_local(b, i);
        read_parent(b, i);
    }
    for (uint32_t i = 0; i < count; i++) cut_loop(b, i, seen);
    for (uint32_t i = 0; i < count; i++) place_bone(b, i, is_placed, stack);
    return sni_load_ok(b->load);
}

static uint32_t node_flags(const level5_builder *b, const level5_bone *bone)
{
    uint32_t flags = 0;
    if (bone->codes.is_hidden) flags |= SN_NODE_HIDDEN;
    if (bone->codes.billboard == 'Y') flags |= SN_NODE_BILLBOARD_Y;
    if (bone->codes.billboard == 'A') flags |= SN_NODE_BILLBOARD;
    if (sni_str_starts(bone->source->name, "func_")) flags |= SN_NODE_ATTACHMENT;
    if (b->game == LEVEL5_DC2 && bone->is_stretched) flags |= SN_NODE_SCALE_PARENT_AXES;
    return flags;
}

static bool is_even(sn_vec3 scale)
{
    float largest = fmaxf(fabsf(scale.x), fmaxf(fabsf(scale.y), fabsf(scale.z)));
    return fabsf(scale.x - scale.y) <= 1e-5f * largest && fabsf(scale.x - scale.z) <= 1e-5f * largest;
}

// A matrix that translation, rotation and scale in the node's order cannot say is kept as it is.
static bool set_rest(level5_builder *b, const level5_bone *bone, sn_node *node)
{
    bool is_said = sni_trs_from_mat34(&bone->local, &node->rest);
    if (is_said && (!(node->flags & SN_NODE_SCALE_PARENT_AXES) || is_even(node->rest.scale))) return true;
    sn_mat34 *matrix = sni_new(&b->load->keep, sn_mat34, 1);
    if (!matrix) return false;
    *matrix = bone->local;
    node->matrix = matrix;
    return true;
}

static const char *node_extras(level5_builder *b, const level5_bone *bone)
{
    sni_str name = bone->source->name, plain = level5_before(name, "__");
    sni_extras extras;
    if (plain.size == name.size) return NULL;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "codes",
                        level5_label(b, sni_str_make(name.at + plain.size + 2, name.size - plain.size - 2)));
    return sni_extras_end(b->load, &extras);
}

static bool add_node(level5_builder *b, uint32_t index, const char *name, int32_t parent)
{
    const level5_bone *bone = &b->bones[index];
    sn_node *node = sni_push(&b->load->keep, &b->nodes, sn_node);
    if (!node) return false;
    *node = (sn_node){ .name = name, .extras = node_extras(b, bone), .parent = parent, .flags = node_flags(b, bone) };
    return set_rest(b, bone, node);
}

// What translation, rotation and scale cannot say stays true where it is never turned: it hangs still on a node that is
// moved in its stead. Scale along the node's own axes would have to come below it.
static bool take_apart(level5_builder *b, const level5_bone *bone, level5_shown *shown)
{
    sn_node *node = &level5_items(sn_node, b->nodes)[shown->node];
    bool is_moved = bone->is_carried || bone->is_scaled;
    if (!node->matrix || !is_moved || bone->is_turned || (bone->is_scaled && b->game == LEVEL5_DC1)) return true;
    sn_node outer = { .name = level5_name_part(b, bone->source->name, "mover"),
                      .parent = node->parent,
                      .id = -1,
                      .rest = sni_trs_identity };
    sn_mat34 *matrix = sni_mut(sn_mat34, node->matrix);
    outer.rest.translation = sni_vec3(matrix->m[0][3], matrix->m[1][3], matrix->m[2][3]);
    sni_mat34_set_column(matrix, 3, sni_vec3(0, 0, 0));
    node->rest.translation = sni_vec3(0, 0, 0);
    node->flags &= ~(uint32_t)SN_NODE_SCALE_PARENT_AXES;
    node->parent = (int32_t)b->nodes.count;
    shown->mover = b->nodes.count;
    sn_node *slot = sni_push(&b->load->keep, &b->nodes, sn_node);
    if (slot) *slot = outer;
    return slot != NULL;
}

bool level5_build_nodes(level5_builder *b)
{
    for (uint32_t i = 0; i < b->bone_count; i++) {
        if (!add_node(b, i, level5_clean(b, b->bones[i].source->name), b->bones[i].parent)) return false;
        level5_items(sn_node, b->nodes)[i].id = (int32_t)i;
    }
    for (uint32_t i = 0; i < b->bone_count; i++)
        if (!take_apart(b, &b->bones[i], &b->bones[i].shown)) return false;
    return sni_load_ok(b->load);
}

bool level5_add_double(level5_builder *b, uint32_t index, const char *name, int32_t parent, int32_t *out)
{
    level5_bone *bone = &b->bones[index];
    level5_double *twin = sni_push(&b->load->scratch, &b->doubles, level5_double);
    if (!twin || !add_node(b, index, name, parent)) return false;
    *out = (int32_t)b->nodes.count - 1;
    level5_items(sn_node, b->nodes)[*out].id = -1;
    *twin = (level5_double){ { (uint32_t)*out, (uint32_t)*out }, bone->first_double };
    bone->first_double = (int32_t)b->doubles.count - 1;
    return take_apart(b, bone, &twin->shown);
}
