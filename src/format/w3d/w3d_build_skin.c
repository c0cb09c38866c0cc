// Skins: vertices lie in the space of their bones. Posed once in the base pose they are in the model's space, as all
// other formats have them, and the inverse of that pose becomes the inverse bind.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum { INFLUENCE_BYTES = 8, EXTENDED_BYTES = 14, MOST_BONES = 4, FIRST_ROOTED_VERSION = 0x30000 };

typedef struct bender {
    w3d_builder *b;
    w3d_figure *figure;
    w3d_shape *shape;
    w3d_array extended;  // four bones for each vertex
    uint32_t shift;      // of bone numbers in files without a root
    uint64_t bad_bones;
    uint32_t bad_bone;
    double low[3], high[3];  // of the posed vertices
} bender;

// A vertex's bones with their weights, and where it lies in the space of the first two.
typedef struct influence {
    uint32_t count, bones[MOST_BONES];
    double weights[MOST_BONES];
    bool uses_second;
} influence;

static uint32_t shift_of(const w3d_mesh *mesh) { return mesh->version < FIRST_ROOTED_VERSION; }

bool w3d_can_bend(const w3d_figure *figure, const w3d_mesh *mesh)
{
    if (!figure->lacks_skeleton) return true;
    for (uint32_t i = 0; i < mesh->influences.count; i++)
        if (sni_load_u16(mesh->influences.data + (size_t)i * INFLUENCE_BYTES) + shift_of(mesh) > 0) return false;
    return true;
}

static w3d_array find_extended(const w3d_doc *doc, const w3d_mesh *mesh)
{
    for (int32_t at = doc->chunks[mesh->chunk].first_child; at >= 0; at = doc->chunks[at].next)
        if (doc->chunks[at].id == W3D_INFLUENCES4)
            return (w3d_array){ doc->chunks[at].bytes.data, doc->chunks[at].bytes.count / EXTENDED_BYTES };
    return (w3d_array){ NULL, 0 };
}

static uint32_t bone_at(bender *bend, const uint8_t *at)
{
    uint32_t bone = sni_load_u16(at) + bend->shift;
    if (bone < bend->figure->skeleton->pivot_count) return bone;
    bend->bad_bones++;
    bend->bad_bone = bone;
    return 0;
}

// One bone, unless the mesh has second positions: then percents of two. Without any percent the first has it all.
static influence read_pair(bender *bend, uint32_t vertex)
{
    const w3d_mesh *mesh = bend->shape->mesh;
    influence found = { .count = 1, .weights = { 1.0 } };
    if (vertex >= mesh->influences.count) return found;
    const uint8_t *at = mesh->influences.data + (size_t)vertex * INFLUENCE_BYTES;
    double first = sni_load_u16(at + 4), second = sni_load_u16(at + 6);
    found.bones[0] = bone_at(bend, at);
    if (vertex >= mesh->positions2.count || second == 0.0) return found;
    found.uses_second = true;
    found.count = 2;
    found.bones[1] = bone_at(bend, at + 2);
    found.weights[0] = first / (first + second);
    found.weights[1] = second / (first + second);
    return found;
}

// Four bones bend the vertex; its place is known in the space of the first.
static influence read_extended(bender *bend, uint32_t vertex)
{
    influence found = { .count = MOST_BONES, .weights = { 0 } };
    const uint8_t *at = bend->extended.data + (size_t)vertex * EXTENDED_BYTES;
    double rest = 1.0;
    for (uint32_t i = 0; i < MOST_BONES; i++) found.bones[i] = bone_at(bend, at + (size_t)2 * i);
    for (uint32_t i = 0; i + 1 < MOST_BONES; i++) {
        found.weights[i] = sni_load_u16(at + 8 + (size_t)2 * i) / 65535.0;
        rest -= found.weights[i];
    }
    found.weights[MOST_BONES - 1] = rest > 0.0 ? rest : 0.0;
    return found;
}

static influence read_influence(bender *bend, uint32_t vertex)
{
    return vertex < bend->extended.count ? read_extended(bend, vertex) : read_pair(bend, vertex);
}

static void add_posed(double out[3], const w3d_mat *world, const float v[3], double weight, bool is_point)
{
    for (int r = 0; r < 3; r++) {
        double moved = world->m[r][0] * v[0] + world->m[r][1] * v[1] + world->m[r][2] * v[2];
        out[r] += weight * (moved + (is_point ? world->m[r][3] : 0.0));
    }
}

static void load_vector(w3d_array array, uint32_t index, float out[3])
{
    for (size_t i = 0; i < 3; i++)
        out[i] = index < array.count ? sni_load_f32(array.data + (size_t)12 * index + 4 * i) : 0.0f;
}

// A vector of the vertex, posed: from the first bone's space alone, or mixed with the same from the second's.
static void pose_vector(const bender *bend, const influence *found, w3d_array first, w3d_array second, uint32_t vertex,
                        bool is_point, double out[3])
{
    const w3d_mat *worlds = bend->figure->skeleton->worlds;
    float v[3];
    out[0] = out[1] = out[2] = 0.0;
    bool is_mixed = found->uses_second && vertex < second.count;
    load_vector(first, vertex, v);
    add_posed(out, &worlds[found->bones[0]], v, is_mixed ? found->weights[0] : 1.0, is_point);
    if (!is_mixed) return;
    load_vector(second, vertex, v);
    add_posed(out, &worlds[found->bones[1]], v, found->weights[1], is_point);
}

static sn_vec3 narrow(const double v[3]) { return sni_vec3((float)v[0], (float)v[1], (float)v[2]); }

static void pose_tangent(const bender *bend, const influence *found, sn_vec4 *tangent)
{
    const float v[3] = { tangent->x, tangent->y, tangent->z };
    double posed[3] = { 0, 0, 0 };
    add_posed(posed, &bend->figure->skeleton->worlds[found->bones[0]], v, 1.0, false);
    sn_vec3 unit = sni_unit(narrow(posed), sni_vec3(1, 0, 0));
    *tangent = (sn_vec4){ unit.x, unit.y, unit.z, tangent->w };
}

static void pose_vertices(bender *bend, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents)
{
    const w3d_mesh *mesh = bend->shape->mesh;
    for (uint32_t i = 0; i < bend->shape->vertex_count; i++) {
        influence found = read_influence(bend, i);
        double posed[3];
        pose_vector(bend, &found, mesh->positions, mesh->positions2, i, true, posed);
        positions[i] = narrow(posed);
        for (int r = 0; r < 3; r++) {
            if (posed[r] < bend->low[r]) bend->low[r] = posed[r];
            if (posed[r] > bend->high[r]) bend->high[r] = posed[r];
        }
        if (normals) {
            pose_vector(bend, &found, mesh->normals, mesh->normals2, i, false, posed);
            normals[i] = sni_unit(narrow(posed), sni_vec3(0, 0, 1));
        }
        if (tangents) pose_tangent(bend, &found, &tangents[i]);
    }
}

// Joints are the bones that bend something, in the order in which they are first met.
static uint16_t joint_of(w3d_figure *figure, uint32_t bone)
{
    if (figure->joint_of[bone] < 0) {
        figure->joint_of[bone] = (int32_t)figure->joint_count;
        figure->joints[figure->joint_count++] = (int32_t)bone;
    }
    return (uint16_t)figure->joint_of[bone];
}

static bool write_influences(bender *bend)
{
    w3d_shape *shape = bend->shape;
    uint32_t width = 1;
    for (uint32_t i = 0; i < shape->vertex_count && width < MOST_BONES; i++) {
        influence found = read_influence(bend, i);
        if (found.count > width) width = found.count;
    }
    shape->influence_count = width;
    shape->joints = sni_new(&bend->b->load->keep, uint16_t, (uint64_t)shape->vertex_count * width);
    shape->weights = sni_new(&bend->b->load->keep, float, (uint64_t)shape->vertex_count *width);
    if (!shape->joints || !shape->weights) return false;
    for (uint32_t i = 0; i < shape->vertex_count; i++) {
        influence found = read_influence(bend, i);
        uint32_t used = 0;
        for (uint32_t k = 0; k < found.count; k++) {
            if (found.weights[k] == 0.0) continue;
            size_t at = (size_t)i * width + used++;
            shape->joints[at] = joint_of(bend->figure, found.bones[k]);
            shape->weights[at] = (float)found.weights[k];
        }
        for (; used < width; used++) shape->joints[(size_t)i * width + used] = shape->joints[(size_t)i * width];
    }
    return true;
}

// The header has the box of the posed mesh: it tells whether this is the right skeleton.
static void check_box(const bender *bend)
{
    const w3d_mesh *mesh = bend->shape->mesh;
    const double low[3] = { mesh->box_min.x, mesh->box_min.y, mesh->box_min.z },
                 high[3] = { mesh->box_max.x, mesh->box_max.y, mesh->box_max.z };
    double size = 0.0, worst = 0.0;
    for (int r = 0; r < 3; r++) {
        size += (high[r] - low[r]) * (high[r] - low[r]);
        worst = fmax(worst, fmax(fabs(low[r] - bend->low[r]), fabs(high[r] - bend->high[r])));
    }
    size = sqrt(size);
    if (!(size > 0.0) || worst <= 0.01 * size) return;
    sni_warn(&bend->b->load->diag, SNI_WARN_W3D_BOX, w3d_offset(bend->b->doc, mesh->chunk),
             "posed on hierarchy \"%s\" it is off its box by %g of %g",
             w3d_label(bend->b, bend->figure->skeleton->name), worst, size);
}

bool w3d_bend_shape(w3d_builder *b, w3d_figure *figure, w3d_shape *shape)
{
    bender bend = { .b = b,
                    .figure = figure,
                    .shape = shape,
                    .extended = find_extended(b->doc, shape->mesh),
                    .shift = shift_of(shape->mesh) };
    sn_vec3 *positions = sni_new_raw(&b->load->keep, sn_vec3, shape->vertex_count);
    bool has_normals = shape->mesh->normals.data && shape->mesh->normals.count >= shape->vertex_count;
    sn_vec3 *normals = has_normals ? sni_new_raw(&b->load->keep, sn_vec3, shape->vertex_count) : NULL;
    if (!positions || !sni_load_ok(b->load)) return false;
    for (int r = 0; r < 3; r++) bend.low[r] = HUGE_VAL, bend.high[r] = -HUGE_VAL;
    pose_vertices(&bend, positions, normals, sni_mut(sn_vec4, shape->tangents));
    shape->positions = positions;
    shape->normals = normals;
    sni_warn_many(&b->load->diag, SNI_WARN_JOINT_RANGE, bend.bad_bones, w3d_offset(b->doc, shape->mesh->chunk),
                  "bone %u of %u; the root took its place", bend.bad_bone, figure->skeleton->pivot_count);
    check_box(&bend);
    if (figure->skin < 0 && sni_push(&b->load->keep, &b->skins, sn_skin)) figure->skin = (int32_t)b->skins.count - 1;
    return write_influences(&bend);
}
