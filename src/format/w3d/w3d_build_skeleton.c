// Hierarchies: the base pose that everything hangs on.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

enum { FIRST_ROOTED_VERSION = 0x30000, VECTOR_BYTES = 12 };

static w3d_mat mat_of(const sn_trs *trs)
{
    const double x = trs->rotation.x, y = trs->rotation.y, z = trs->rotation.z, w = trs->rotation.w;
    const double s = 2.0 / (x * x + y * y + z * z + w * w);  // of unit length but for the float's last bits
    return (w3d_mat){ { { 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), trs->translation.x },
                        { s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), trs->translation.y },
                        { s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y), trs->translation.z } } };
}

static w3d_mat mat_mul(const w3d_mat *a, const w3d_mat *b)
{
    w3d_mat out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++)
            out.m[r][c] = a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c];
        out.m[r][3] += a->m[r][3];
    }
    return out;
}

// Some public descriptions have fixups as vectors; as such they move what hangs on the pivot, in the pivot's own axes.
// The matrices of 48 bytes that real files have are the exporter's notes and move nothing.
static sn_vec3 fixup_of(const w3d_hierarchy *source, uint32_t index)
{
    if (source->fixup_bytes != VECTOR_BYTES || index >= source->fixups.count) return (sn_vec3){ 0, 0, 0 };
    const uint8_t *at = source->fixups.data + (size_t)index * VECTOR_BYTES;
    return sni_vec3(sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8));
}

// Pivot 0 is where the object stands, whatever the file says of it.
static void read_pivots(sni_load *load, w3d_skeleton *skeleton)
{
    sni_sanitize fixes = { 0 };
    const w3d_hierarchy *source = skeleton->source;
    skeleton->parents[0] = -1;
    skeleton->base[0] = sni_trs_identity;
    for (uint32_t i = 1; i < skeleton->pivot_count; i++) {
        w3d_pivot pivot = w3d_read_pivot(source, i - skeleton->shift);
        sn_trs *base = &skeleton->base[i];
        skeleton->parents[i] = skeleton->shift ? (pivot.parent < 0           ? 0
                                                  : pivot.parent < INT32_MAX ? pivot.parent + 1
                                                                             : pivot.parent)
                                               : pivot.parent;
        *base = (sn_trs){ pivot.translation, pivot.rotation, { 1, 1, 1 } };
        sni_sanitize_floats(&fixes, &base->translation.x, 3);
        sni_sanitize_floats(&fixes, &base->rotation.x, 4);
        sni_sanitize_rotation(&fixes, &base->rotation);
        sn_vec3 fixup = fixup_of(source, i - skeleton->shift);
        sni_sanitize_floats(&fixes, &fixup.x, 3);
        base->translation = sni_add(base->translation, sni_quat_rotate(base->rotation, fixup));
        sni_sanitize_floats(&fixes, &base->translation.x, 3);
    }
    sni_sanitize_report(load, &fixes, 0);
}

static void mend_parents(sni_load *load, w3d_skeleton *skeleton, uint64_t offset)
{
    for (uint32_t i = 1; i < skeleton->pivot_count; i++) {
        int32_t parent = skeleton->parents[i];
        if (parent >= -1 && parent < (int32_t)skeleton->pivot_count) continue;
        sni_warn(&load->diag, SNI_WARN_NODE_PARENT, offset, "parent %d of %u pivots", parent, skeleton->pivot_count);
        skeleton->parents[i] = -1;
    }
}

// Parents may come after their children: each chain is walked up to what is known, then down again. One that comes back
// to itself is cut.
static bool solve_worlds(sni_load *load, w3d_skeleton *skeleton, uint64_t offset)
{
    uint32_t count = skeleton->pivot_count;
    uint32_t *seen = sni_new(&load->scratch, uint32_t, count), *path = sni_new_raw(&load->scratch, uint32_t, count);
    if (!seen || !path) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        int32_t at = (int32_t)i;
        for (; at >= 0 && seen[at] == 0; at = skeleton->parents[at]) {
            seen[at] = i + 1;
            path[depth++] = (uint32_t)at;
        }
        if (at >= 0 && depth > 0 && seen[at] == i + 1) {
            sni_warn(&load->diag, SNI_WARN_NODE_CYCLE, offset, "pivot %u is its own ancestor through pivot %d",
                     path[depth - 1], at);
            skeleton->parents[path[depth - 1]] = -1;
        }
        while (depth-- > 0) {
            uint32_t pivot = path[depth];
            int32_t parent = skeleton->parents[pivot];
            w3d_mat local = mat_of(&skeleton->base[pivot]);
            skeleton->worlds[pivot] = parent < 0 ? local : mat_mul(&skeleton->worlds[parent], &local);
        }
    }
    return true;
}

static w3d_skeleton *build_skeleton(w3d_builder *b, const w3d_hierarchy *source, uint64_t offset)
{
    sni_load *load = b->load;
    uint64_t pivots = source ? source->pivots.count : 0;
    w3d_skeleton *skeleton = sni_new(&load->scratch, w3d_skeleton, 1);
    if (!skeleton) return NULL;
    skeleton->source = source;
    if (source) skeleton->name = source->name;
    skeleton->shift = source && source->version < FIRST_ROOTED_VERSION;
    if (pivots + skeleton->shift == 0) skeleton->shift = 1;  // even an empty one has its root
    if (pivots + skeleton->shift > INT32_MAX) pivots = INT32_MAX - 1;
    skeleton->pivot_count = (uint32_t)pivots + skeleton->shift;
    skeleton->parents = sni_new(&load->scratch, int32_t, skeleton->pivot_count);
    skeleton->base = sni_new_raw(&load->scratch, sn_trs, skeleton->pivot_count);
    skeleton->worlds = sni_new_raw(&load->scratch, w3d_mat, skeleton->pivot_count);
    if (!skeleton->parents || !skeleton->base || !skeleton->worlds) return NULL;
    read_pivots(load, skeleton);
    mend_parents(load, skeleton, offset);
    return solve_worlds(load, skeleton, offset) ? skeleton : NULL;
}

const w3d_skeleton *w3d_skeleton_of(w3d_builder *b, int32_t known)
{
    if (known < 0) return build_skeleton(b, NULL, 0);
    w3d_known *item = &w3d_items(w3d_known, b->known)[known];
    if (item->skeleton) return item->skeleton;
    const w3d_source *file = &w3d_items(w3d_source, b->files)[item->file];
    sni_enter_named(&b->load->diag, "HIERARCHY", -1, w3d_label(b, item->source->name));
    item->skeleton = build_skeleton(b, item->source, w3d_offset(file->doc, item->source->chunk));
    sni_leave(&b->load->diag);
    return item->skeleton;
}

// What names say in the games' convention. Attachments are where the game puts something: shots, flames, passengers.
const char *w3d_pivot_role(sni_str name, bool *is_attachment)
{
    static const struct {
        const char *start, *role;
        bool is_attachment;
    } roles[] = {
        { "ROOTTRANSFORM", "root", false },  { "B_", "bone", false },       { "WEAPON", "weapon", true },
        { "FIREPOINT", "fire point", true }, { "MUZZLE", "muzzle", true },  { "BARREL", "barrel", true },
        { "TURRET", "turret", true },        { "LAUNCH", "launch", true },  { "FX", "effect", true },
        { "SMOKE", "effect", true },         { "FIRE", "effect", true },    { "EXIT", "exit", true },
        { "HEADLIGHT", "light", true },      { "TREADFX", "effect", true }, { "DUST", "effect", true },
    };
    *is_attachment = false;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        size_t size = strlen(roles[i].start);
        if (name.size < size || !sni_str_is_nocase(sni_str_make(name.at, size), roles[i].start)) continue;
        *is_attachment = roles[i].is_attachment;
        return roles[i].role;
    }
    return NULL;
}
