#include "skin/skin.h"

#include "anim/pose.h"
#include "base/math.h"

sni_skin_source sni_skin_source_of(const sn_pose *pose, int32_t index)
{
    const sn_part *part = &pose->model->parts[index];
    sni_skin_source from = { .mesh = &pose->model->meshes[part->mesh], .node_world = sn_pose_world(pose, part->node) };
    from.morphs = sn_pose_morphs(pose, index);
    if (from.mesh->influence_count > 0) from.palette = sn_pose_palette(pose, part->skin);
    return from;
}

static sn_mat34 vertex_matrix(const sni_skin_source *from, uint32_t vertex)
{
    if (!from->palette) return from->node_world;
    size_t influences = from->mesh->influence_count, start = vertex * influences;
    sn_mat34 out = { 0 };
    for (size_t i = start; i < start + influences; i++) {
        const sn_mat34 *joint = &from->palette[from->mesh->vertex_joints[i]];
        float weight = from->mesh->vertex_weights[i];
        if (weight == 0.0f) continue;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) out.m[r][c] += weight * joint->m[r][c];
    }
    return out;
}

typedef enum attribute { POSITION, NORMAL, TANGENT } attribute;

static const sn_vec3 *morph_deltas(const sn_morph *morph, attribute which)
{
    return which == POSITION ? morph->positions : which == NORMAL ? morph->normals : morph->tangents;
}

// Adds the active morphs, one after the other, to the values of consecutive vertices.
static void add_morphs(const sni_skin_source *from, attribute which, uint32_t first, uint32_t count, sn_vec3 *values)
{
    for (uint32_t i = 0; from->morphs && i < from->mesh->morph_count; i++) {
        const sn_vec3 *deltas = morph_deltas(&from->mesh->morphs[i], which);
        const float weight = from->morphs[i];
        for (uint32_t k = 0; deltas && weight != 0.0f && k < count; k++)
            values[k] = sni_add(values[k], sni_scale(deltas[first + k], weight));
    }
}

// By the inverse transpose, so that it stays upright on its surface under uneven scale. Cofactors are that times
// the determinant: right to a positive factor once the sign is put back, and still right where one axis of the
// matrix is flattened. Where more is lost the mesh's own normal is as good as any.
static sn_vec3 posed_normal(const sn_mat34 *matrix, sn_vec3 n, sn_vec3 rest)
{
    double cofactors[3][3], v[3], largest = 0.0;
    double sign = sni_mat34_cofactors(matrix, cofactors) < 0.0 ? -1.0 : 1.0;
    for (int r = 0; r < 3; r++) {
        v[r] = sign * (cofactors[r][0] * n.x + cofactors[r][1] * n.y + cofactors[r][2] * n.z);
        largest = fmax(largest, fabs(v[r]));
    }
    if (!(largest > 0.0)) return rest;
    return sni_unit(sni_vec3((float)(v[0] / largest), (float)(v[1] / largest), (float)(v[2] / largest)), rest);
}

// By the matrix itself: it lies in the surface. The bitangent is cross(normal, tangent) * w and must arrive where
// the matrix takes it; under a mirror the cross product comes out the other way round, so w changes its sign.
static sn_vec4 posed_tangent(const sn_mat34 *matrix, sn_vec3 along, sn_vec4 rest)
{
    along = sni_unit(sni_mat34_vector(matrix, along), sni_vec3(rest.x, rest.y, rest.z));
    float w = sni_mat34_determinant(matrix) < 0.0 ? -rest.w : rest.w;
    sn_vec4 out = { along.x, along.y, along.z, w };
    return out;
}

// What a vertex is before its matrix: the mesh's values, with morphs.
typedef struct unposed {
    sn_vec3 position, normal, tangent;
} unposed;

static void pose_vertex(const sn_mesh *mesh, uint32_t vertex, const sn_mat34 *matrix, unposed from, sni_vertices out)
{
    if (out.positions) *out.positions = sni_mat34_point(matrix, from.position);
    if (out.normals && mesh->normals) *out.normals = posed_normal(matrix, from.normal, mesh->normals[vertex]);
    if (out.tangents && mesh->tangents) *out.tangents = posed_tangent(matrix, from.tangent, mesh->tangents[vertex]);
}

static sn_vec3 direction_of(sn_vec4 tangent) { return sni_vec3(tangent.x, tangent.y, tangent.z); }

static unposed vertex_of(const sn_mesh *mesh, uint32_t vertex)
{
    unposed out = { .position = mesh->positions[vertex] };
    if (mesh->normals) out.normal = mesh->normals[vertex];
    if (mesh->tangents) out.tangent = direction_of(mesh->tangents[vertex]);
    return out;
}

void sni_skin_vertex(const sni_skin_source *from, uint32_t vertex, const sn_mat34 *matrix, sni_vertices out)
{
    unposed value = vertex_of(from->mesh, vertex);
    if (out.positions) add_morphs(from, POSITION, vertex, 1, &value.position);
    if (out.normals) add_morphs(from, NORMAL, vertex, 1, &value.normal);
    if (out.tangents) add_morphs(from, TANGENT, vertex, 1, &value.tangent);
    const sn_mat34 blended = matrix ? *matrix : vertex_matrix(from, vertex);
    pose_vertex(from->mesh, vertex, &blended, value, out);
}

static sni_vertices advance(sni_vertices out, uint32_t count)
{
    return (sni_vertices){ out.positions ? out.positions + count : NULL, out.normals ? out.normals + count : NULL,
                           out.tangents ? out.tangents + count : NULL };
}

enum { CHUNK = 128 };  // vertices that are morphed at a time

static void skin_chunk(const sni_skin_source *from, uint32_t first, uint32_t count, sni_vertices out)
{
    const sn_mesh *mesh = from->mesh;
    sn_vec3 positions[CHUNK], normals[CHUNK], tangents[CHUNK];
    for (uint32_t i = 0; i < count; i++) {
        const unposed value = vertex_of(mesh, first + i);
        positions[i] = value.position, normals[i] = value.normal, tangents[i] = value.tangent;
    }
    if (out.positions) add_morphs(from, POSITION, first, count, positions);
    if (out.normals && mesh->normals) add_morphs(from, NORMAL, first, count, normals);
    if (out.tangents && mesh->tangents) add_morphs(from, TANGENT, first, count, tangents);
    for (uint32_t i = 0; i < count; i++) {
        const sn_mat34 matrix = vertex_matrix(from, first + i);
        pose_vertex(mesh, first + i, &matrix, (unposed){ positions[i], normals[i], tangents[i] }, advance(out, i));
    }
}

void sni_skin_range(const sn_pose *pose, int32_t part, uint32_t first, uint32_t count, sni_vertices out)
{
    const sni_skin_source from = sni_skin_source_of(pose, part);
    if (!from.palette && !from.morphs && out.positions) {
        for (uint32_t i = 0; i < count; i++)
            out.positions[i] = sni_mat34_point(&from.node_world, from.mesh->positions[first + i]);
        out.positions = NULL;
    }
    if (!out.positions && !out.normals && !out.tangents) return;
    for (uint32_t i = 0, size; i < count; i += size) {
        size = count - i < CHUNK ? count - i : CHUNK;
        skin_chunk(&from, first + i, size, advance(out, i));
    }
}

void sn_skin_part(const sn_pose *pose, int32_t part, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents)
{
    if (!sni_has(pose->model->part_count, part)) return;
    sni_vertices out = { positions, normals, tangents };
    sni_skin_range(pose, part, 0, pose->model->meshes[pose->model->parts[part].mesh].vertex_count, out);
}

// A skinned part does not move with its node: its joints decide whether it is mirrored. They agree in any sound model,
// so those of the first corner are used, or any other if they are flat. A joint that moves no vertex may be anything.
bool sn_pose_mirrors(const sn_pose *pose, int32_t part)
{
    if (!sni_has(pose->model->part_count, part)) return false;
    const sni_skin_source from = sni_skin_source_of(pose, part);
    const sn_mesh *mesh = from.mesh;
    if (!from.palette) return sni_mat34_determinant(&from.node_world) < 0.0;
    const size_t corner = (size_t)(mesh->index_count > 0 ? mesh->indices[0] : 0) * mesh->influence_count;
    for (size_t i = corner; mesh->vertex_count > 0 && i < corner + mesh->influence_count; i++) {
        const double determinant = sni_mat34_determinant(&from.palette[mesh->vertex_joints[i]]);
        if (mesh->vertex_weights[i] > 0.0f && determinant != 0.0) return determinant < 0.0;
    }
    const sn_skin *skin = &pose->model->skins[pose->model->parts[part].skin];
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const double determinant = sni_mat34_determinant(&from.palette[i]);
        if (determinant != 0.0) return determinant < 0.0;
    }
    return false;
}
