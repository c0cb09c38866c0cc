// Nodes: the tree and matrices of the MDS, the draw codes in node names, which game's rules apply, and the bone copies
// that DC1's skinning needs.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/sanitize.h"
#include "model/trs.h"

// Bounds for hostile files; no real model comes near them.
enum { MOST_BONE_COPIES = 4096, MOST_DEPTH = 1024 };

// --- Draw codes ---

// aPP adds, aNN subtracts, aOF is opaque, aXX is the reference of the alpha test.
static void read_alpha_code(level5_codes *codes, char first, char second)
{
    int32_t high = sni_hex_digit(first), low = sni_hex_digit(second);
    if (first == 'P' && second == 'P') codes->blend = SN_BLEND_ADD_ALPHA;
    else if (first == 'N' && second == 'N') codes->blend = SN_BLEND_SUBTRACT;
    else if (first == 'O' && second == 'F') codes->is_opaque = true;
    else if (high >= 0 && low >= 0) codes->alpha_ref = high * 16 + low;
}

level5_codes level5_read_codes(sni_str name)
{
    level5_codes codes = { .alpha_ref = -1 };
    for (size_t at = level5_text_before(name, "__").size + 2; at < name.size; at++) {
        size_t rest = name.size - at;
        switch (name.at[at]) {
        case 'c': codes.is_unlit = true; break;
        case 'z': codes.no_depth_write = true; break;
        case 'o': codes.no_depth_test = true; break;
        case 's': codes.is_one_sided = true; break;
        case 'v': codes.is_hidden = true; break;
        case 'b':
            if (rest > 1) codes.billboard = name.at[++at];
            break;
        case 'a':
            if (rest > 2) read_alpha_code(&codes, name.at[at + 1], name.at[at + 2]), at += 2;
            break;
        default: break;  // fog, ambient light, clipping
        }
    }
    return codes;
}

// --- Bones: the nodes of the MDS with valid parents and matrices ---

static void enter_node(level5_builder *b, uint32_t index)
{
    sni_enter_named(&b->load->diag, "NODE", index, level5_label(b, b->bones[index].source->name));
}

static void read_bone(level5_builder *b, uint32_t index)
{
    sni_diag *diag = &b->load->diag;
    const level5_node *source = &b->mds->nodes[index];
    level5_bone *bone = &b->bones[index];
    *bone = (level5_bone){ .source = source,
                           .parent = source->parent < 0 ? -1 : source->parent,
                           .codes = level5_read_codes(source->name),
                           .local = sni_mat34_from_columns(source->matrix),
                           .targets = { index, index },
                           .first_copy = -1,
                           .morphs = -1,
                           .camera = -1 };
    if (!sni_all_finite(&bone->local.m[0][0], 12)) {
        enter_node(b, index);
        sni_warn(diag, SNI_WARN_NOT_FINITE, source->offset, "matrix is not finite; using the identity");
        sni_leave(diag);
        bone->local = sni_mat34_identity;
    }
    if (bone->parent >= (int32_t)b->bone_count) {
        enter_node(b, index);
        sni_warn(diag, SNI_WARN_NODE_PARENT, source->offset + 44, "parent is node %d; there are %u nodes", bone->parent,
                 b->bone_count);
        sni_leave(diag);
        bone->parent = -1;
    }
}

// Follows the parents of a bone. A cycle is cut where it returns to the same walk: seen[i] is one more than the bone
// whose walk visited i.
static void cut_cycle(level5_builder *b, uint32_t start, uint32_t *seen)
{
    for (int32_t at = (int32_t)start; at >= 0 && seen[at] == 0; at = b->bones[at].parent) {
        int32_t parent = b->bones[at].parent;
        seen[at] = start + 1;
        if (parent < 0 || seen[parent] != start + 1) continue;
        enter_node(b, (uint32_t)at);
        sni_warn(&b->load->diag, SNI_WARN_NODE_CYCLE, b->bones[at].source->offset + 44,
                 "its parent, node %d, is one of its descendants", parent);
        sni_leave(&b->load->diag);
        b->bones[at].parent = -1;
    }
}

bool level5_make_bones(level5_builder *b)
{
    sni_arena *scratch = &b->load->scratch;
    uint32_t count = b->bone_count = b->mds->node_count;
    b->bones = sni_new(scratch, level5_bone, count);
    uint32_t *seen = sni_new(scratch, uint32_t, count), *stack = sni_new_raw(scratch, uint32_t, count);
    bool *has_world = sni_new(scratch, bool, count);
    if (!b->bones || !seen || !stack || !has_world) return false;
    for (uint32_t i = 0; i < count; i++) read_bone(b, i);
    for (uint32_t i = 0; i < count; i++) cut_cycle(b, i, seen);

    // World matrices, parents first.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        for (int32_t at = (int32_t)i; at >= 0 && !has_world[at]; at = b->bones[at].parent)
            stack[depth++] = (uint32_t)at;
        while (depth > 0) {
            level5_bone *bone = &b->bones[stack[--depth]];
            bone->world = bone->parent < 0 ? bone->local : sni_mat34_mul(&b->bones[bone->parent].world, &bone->local);
            has_world[stack[depth]] = true;
        }
    }
    return sni_load_ok(b->load);
}

// --- The game: both share their files, but not the meaning of bind matrices and weights or the frame rate ---

// DC1 leaves unused bind matrices at zero. A matrix that cannot be inverted counts as missing.
static void read_binds(level5_builder *b)
{
    const double least_determinant = 1e-6;
    uint32_t count = b->binds ? b->binds->matrices.count : 0;
    if (b->binds && count != b->bone_count)
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_BINDS, 0, "%u bind matrices for %u nodes", count, b->bone_count);
    for (uint32_t i = 0; i < count && i < b->bone_count; i++) {
        float columns[16];
        level5_read_matrix(b->binds->matrices, i, columns);
        level5_bone *bone = &b->bones[i];
        bone->bind = sni_mat34_from_columns(columns);
        bone->has_bind = sni_all_finite(&bone->bind.m[0][0], 12) &&
                         fabs(sni_mat34_determinant(&bone->bind)) >= least_determinant;
    }
}

static double difference(const sn_mat34 *a, const sn_mat34 *b)
{
    double sum = 0.0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) sum += fabs((double)a->m[r][c] - b->m[r][c]);
    return sum;
}

// DC1 has bind matrices in parent space, and usually none for the first node; DC2 has them in model space. 0: unclear.
static int guess_game_from_binds(const level5_builder *b)
{
    double from_local = 0.0, from_world = 0.0;
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_bone *bone = &b->bones[i];
        if (!bone->has_bind || difference(&bone->local, &bone->world) < 1e-3) continue;
        from_local += difference(&bone->bind, &bone->local);
        from_world += difference(&bone->bind, &bone->world);
    }
    bool lacks_first = b->bone_count > 0 && b->binds && b->binds->matrices.count > 0 && !b->bones[0].has_bind;
    if (lacks_first && from_local <= 2.0 * from_world) return LEVEL5_DC1;
    if (from_local == from_world) return 0;
    return from_local < from_world ? LEVEL5_DC1 : LEVEL5_DC2;
}

// The most reliable source that knows decides. The reasons are part of the model's extras.
bool level5_choose_game(level5_builder *b)
{
    const level5_config *config = b->config;
    const level5_img *archive = b->archives.count > 0 ? level5_items(const level5_img *, b->archives)[0] : NULL;
    read_binds(b);
    const struct {
        int game;
        const char *reason;
    } sources[] = {
        { b->load->opts ? (int)b->load->opts->level5_game : 0, "option" },
        { b->mds->binds ? LEVEL5_DC2 : 0, "Dragon Quest VIII format" },
        { !config || config->command_count == 0           ? 0
          : config->has_semicolons || config->is_compiled ? LEVEL5_DC2
                                                          : LEVEL5_DC1,
          "configuration syntax" },
        { !archive                      ? 0
          : archive->kind == LEVEL5_IM3 ? LEVEL5_DC2
                                        : LEVEL5_DC1,
          "image archive" },
        { guess_game_from_binds(b), "bind matrices" },
        { LEVEL5_DC2, "default" },
    };
    int i = 0;
    while (sources[i].game == 0) i++;
    b->game = (level5_game)sources[i].game;
    b->game_reason = sources[i].reason;
    return true;
}

// --- Nodes of the model ---

static uint32_t node_flags(const level5_builder *b, const level5_bone *bone)
{
    uint32_t flags = 0;
    if (bone->codes.is_hidden) flags |= SN_NODE_HIDDEN;
    if (bone->codes.billboard == 'Y') flags |= SN_NODE_BILLBOARD_Y;
    if (bone->codes.billboard == 'A') flags |= SN_NODE_BILLBOARD;
    if (sni_str_starts(bone->source->name, "func_")) flags |= SN_NODE_ATTACHMENT;
    if (b->game == LEVEL5_DC2 && bone->has_uneven_scale) flags |= SN_NODE_SCALE_PARENT_AXES;
    return flags;
}

bool level5_is_uniform(sn_vec3 scale)
{
    float largest = fmaxf(fabsf(scale.x), fmaxf(fabsf(scale.y), fabsf(scale.z)));
    return fabsf(scale.x - scale.y) <= 1e-5f * largest && fabsf(scale.x - scale.z) <= 1e-5f * largest;
}

static const char *node_extras(level5_builder *b, sni_str name)
{
    sni_str plain = level5_text_before(name, "__");
    sni_extras extras;
    if (plain.size == name.size) return NULL;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "codes",
                        level5_label(b, sni_str_make(name.at + plain.size + 2, name.size - plain.size - 2)));
    return sni_extras_end(b->core.keep, &extras);
}

// A bone as a node. A matrix that translation, rotation and scale cannot represent in the node's order is kept.
static bool fill_node(level5_builder *b, const level5_bone *bone, const char *name, int32_t parent, int32_t id,
                      sn_node *node)
{
    *node = (sn_node){ .name = name,
                       .extras = node_extras(b, bone->source->name),
                       .parent = parent,
                       .id = id,
                       .flags = node_flags(b, bone) };
    bool is_exact = sni_trs_from_mat34(&bone->local, &node->rest);
    if (is_exact && (!(node->flags & SN_NODE_SCALE_PARENT_AXES) || level5_is_uniform(node->rest.scale))) return true;
    sn_mat34 *matrix = sni_new(&b->load->keep, sn_mat34, 1);
    if (!matrix) return false;
    *matrix = bone->local;
    node->matrix = matrix;
    return true;
}

// A node with a matrix loses it when a track moves it. If no track rotates it, a new parent node moves instead and the
// matrix stays exact. DC1 scales along the node's own axes, which would have to happen below the matrix.
static bool split_mover(level5_builder *b, const level5_bone *bone, level5_targets *targets)
{
    sn_node *node = &level5_items(sn_node, b->core.nodes)[targets->node];
    bool is_moved = bone->is_translated || bone->is_scaled;
    if (!node->matrix || !is_moved || bone->is_rotated || (bone->is_scaled && b->game == LEVEL5_DC1)) return true;
    sn_node mover = { .name = level5_joined_name(b, bone->source->name, "mover"),
                      .parent = node->parent,
                      .id = -1,
                      .rest = sni_trs_identity };
    sn_mat34 *matrix = sni_mut(sn_mat34, node->matrix);
    mover.rest.translation = sni_vec3(matrix->m[0][3], matrix->m[1][3], matrix->m[2][3]);
    sni_mat34_set_column(matrix, 3, sni_vec3(0, 0, 0));
    node->rest.translation = sni_vec3(0, 0, 0);
    node->flags &= ~(uint32_t)SN_NODE_SCALE_PARENT_AXES;
    node->parent = (int32_t)b->core.nodes.count;
    targets->mover = b->core.nodes.count;
    sn_node *slot = sni_builder_add_node(&b->core);
    if (slot) *slot = mover;
    return slot != NULL;
}

bool level5_build_nodes(level5_builder *b)
{
    sn_node *nodes = sni_builder_nodes(&b->core, b->bone_count);
    if (!nodes) return false;
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_bone *bone = &b->bones[i];
        const char *name = level5_text(b, bone->source->name);
        if (!fill_node(b, bone, name, bone->parent, (int32_t)i, &nodes[i])) return false;
    }
    for (uint32_t i = 0; i < b->bone_count; i++)
        if (!split_mover(b, &b->bones[i], &b->bones[i].targets)) return false;
    return sni_load_ok(b->load);
}

// --- Bone copies: DC1 moves a skinned mesh by its own node after skinning it. If that node is animated, the bones are
// copied below it, so that the copies move with the node ---

// The space of the mesh's parent, moved as the mesh's node has moved since the rest pose. Stays -1 if the node's matrix
// cannot be inverted.
static bool add_copy_root(level5_builder *b, level5_copied_bones *copies)
{
    const level5_bone *mesh = &b->bones[copies->mesh];
    sn_mat34 *inverse = sni_new(&b->load->keep, sn_mat34, 1);
    if (!inverse) return false;
    if (!sni_mat34_invert(&mesh->local, inverse)) return true;
    sn_node *node = sni_builder_add_node(&b->core);
    if (!node) return false;
    *node = (sn_node){ .name = level5_joined_name(b, mesh->source->name, "parent"),
                       .parent = (int32_t)copies->mesh,
                       .id = -1 };
    if (!sni_trs_from_mat34(inverse, &node->rest)) node->matrix = inverse;
    copies->root = (int32_t)b->core.nodes.count - 1;
    return true;
}

static bool add_copy(level5_builder *b, const level5_copied_bones *copies, uint32_t index, int32_t parent)
{
    level5_bone *bone = &b->bones[index];
    const char *label = level5_label(b, bone->source->name),
               *name = level5_joined_name(b, b->bones[copies->mesh].source->name, label);
    level5_bone_copy *copy = sni_push(&b->load->scratch, &b->bone_copies, level5_bone_copy);
    sn_node *slot = copy ? sni_builder_add_node(&b->core) : NULL;
    if (!slot || !fill_node(b, bone, name, parent, -1, slot)) return false;
    uint32_t node = b->core.nodes.count - 1;
    *copy = (level5_bone_copy){ { node, node }, bone->first_copy };
    bone->first_copy = (int32_t)b->bone_copies.count - 1;
    copies->copy_of[index] = (int32_t)node;
    return split_mover(b, bone, &copy->targets);
}

// Copies a bone and those between it and the mesh's parent. A bone elsewhere cannot follow the mesh: -1.
bool level5_copy_bone(level5_builder *b, level5_copied_bones *copies, uint32_t bone, int32_t *out)
{
    uint32_t path[MOST_DEPTH], depth = 0;
    int32_t at = (int32_t)bone, top = b->bones[copies->mesh].parent;
    *out = -1;
    while (at >= 0 && at != top && copies->copy_of[at] < 0 && depth < MOST_DEPTH) {
        path[depth++] = (uint32_t)at;
        at = b->bones[at].parent;
    }
    bool is_below = at == top || (at >= 0 && copies->copy_of[at] >= 0);
    if (!is_below || b->bone_copies.count + depth > MOST_BONE_COPIES) return true;
    if (copies->root < 0 && !add_copy_root(b, copies)) return false;
    if (copies->root < 0) return true;
    *out = at == top ? copies->root : copies->copy_of[at];
    while (depth > 0) {
        uint32_t next = path[--depth];
        if (!add_copy(b, copies, next, *out)) return false;
        *out = copies->copy_of[next];
    }
    return true;
}
