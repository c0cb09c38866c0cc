// Which of the games it is: they share their files but not what a bind matrix means, how fast time runs, and how
// weights are meant.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/sanitize.h"
#include "model/trs.h"

static const double LEAST_DETERMINANT = 1e-6;

// A matrix that cannot be inverted counts as none: Dark Cloud 1 leaves all that it does not need at zero.
static void read_binds(level5_builder *b)
{
    uint32_t count = b->binds ? b->binds->matrices.count : 0;
    if (b->binds && count != b->bone_count)
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_BINDS, 0, "%u bind matrices for %u nodes", count, b->bone_count);
    for (uint32_t i = 0; i < count && i < b->bone_count; i++) {
        float columns[16];
        level5_read_matrix(b->binds->matrices, i, columns);
        level5_bone *bone = &b->bones[i];
        bone->bind = sni_mat34_from_columns(columns);
        bone->has_bind = sni_all_finite(&bone->bind.m[0][0], 12) &&
                         fabs(sni_mat34_determinant(&bone->bind)) >= LEAST_DETERMINANT;
    }
}

static double difference(const sn_mat34 *a, const sn_mat34 *b)
{
    double sum = 0.0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) sum += fabs((double)a->m[r][c] - b->m[r][c]);
    return sum;
}

// Are the bind matrices those of nodes in their parents (Dark Cloud 1) or in the model? 0: they do not tell.
static int judge_binds(const level5_builder *b)
{
    double from_local = 0.0, from_world = 0.0;
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_bone *bone = &b->bones[i];
        if (!bone->has_bind || difference(&bone->local, &bone->world) < 1e-3) continue;
        from_local += difference(&bone->bind, &bone->local);
        from_world += difference(&bone->bind, &bone->world);
    }
    bool lacks_first = b->binds && b->binds->matrices.count > 0 && !b->bones[0].has_bind;
    if (lacks_first && from_local <= 2.0 * from_world) return LEVEL5_DC1;
    if (from_local == from_world) return 0;
    return from_local < from_world ? LEVEL5_DC1 : LEVEL5_DC2;
}

static int judge_archives(const level5_builder *b)
{
    if (b->archives.count == 0) return 0;
    return level5_items(const level5_img *, b->archives)[0]->kind == LEVEL5_IM3 ? LEVEL5_DC2 : LEVEL5_DC1;
}

// The sources in the order of their worth: the user, the configuration's grammar, the pictures, the bind matrices.
bool level5_choose_game(level5_builder *b)
{
    const sn_load_opts *opts = b->load->opts;
    const char *reasons[] = { "as asked for",
                              "as Dragon Quest VIII does",
                              "by the grammar of the configuration",
                              "by the kind of the image archive",
                              "by the bind matrices",
                              "as nothing tells" };
    read_binds(b);
    const int found[] = { opts ? (int)opts->level5_game : 0,
                          b->mds->binds ? LEVEL5_DC2 : 0,
                          b->config && b->config->command_count > 0
                              ? (b->config->has_semicolons || b->config->is_compiled ? LEVEL5_DC2 : LEVEL5_DC1)
                              : 0,
                          judge_archives(b),
                          b->bone_count > 0 ? judge_binds(b) : 0,
                          LEVEL5_DC2 };
    int i = 0;
    while (found[i] == 0) i++;
    b->game = (level5_game)found[i];
    b->game_reason = reasons[i];
    return true;
}
