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

static sn_vec3 morphed(const sni_skin_source *from, attribute which, uint32_t vertex, sn_vec3 value)
{
    for (uint32_t i = 0; from->morphs && i < from->mesh->morph_count; i++) {
        const sn_vec3 *deltas = morph_deltas(&from->mesh->morphs[i], which);
        if (deltas && from->morphs[i] != 0.0f) value = sni_add(value, sni_scale(deltas[vertex], from->morphs[i]));
    }
    return value;
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

void sni_skin_vertex(const sni_skin_source *from, uint32_t vertex, const sn_mat34 *matrix, sni_vertices out)
{
    const sn_mesh *mesh = from->mesh;
    sn_mat34 blended = matrix ? *matrix : vertex_matrix(from, vertex);
    if (out.positions)
        *out.positions = sni_mat34_point(&blended, morphed(from, POSITION, vertex, mesh->positions[vertex]));
    if (out.normals && mesh->normals)
        *out.normals = posed_normal(&blended, morphed(from, NORMAL, vertex, mesh->normals[vertex]),
                                    mesh->normals[vertex]);
    if (out.tangents && mesh->tangents) {
        sn_vec4 rest = mesh->tangents[vertex];
        sn_vec3 along = morphed(from, TANGENT, vertex, sni_vec3(rest.x, rest.y, rest.z));
        *out.tangents = posed_tangent(&blended, along, rest);
    }
}

void sni_skin_range(const sn_pose *pose, int32_t part, uint32_t first, uint32_t count, sni_vertices out)
{
    sni_skin_source from = sni_skin_source_of(pose, part);
    for (uint32_t i = 0; i < count; i++) {
        sni_vertices at = { out.positions ? out.positions + i : NULL, out.normals ? out.normals + i : NULL,
                            out.tangents ? out.tangents + i : NULL };
        sni_skin_vertex(&from, first + i, NULL, at);
    }
}

void sn_skin_part(const sn_pose *pose, int32_t part, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents)
{
    if (!sni_has(pose->model->part_count, part)) return;
    sni_vertices out = { positions, normals, tangents };
    sni_skin_range(pose, part, 0, pose->model->meshes[pose->model->parts[part].mesh].vertex_count, out);
}

// A skinned part does not move with its node: its joints decide whether it is mirrored. They agree in any sound model,
// so the first that is not flat is used.
bool sn_pose_mirrors(const sn_pose *pose, int32_t part)
{
    if (!sni_has(pose->model->part_count, part)) return false;
    sni_skin_source from = sni_skin_source_of(pose, part);
    if (!from.palette) return sni_mat34_determinant(&from.node_world) < 0.0;
    const sn_skin *skin = &pose->model->skins[pose->model->parts[part].skin];
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        double determinant = sni_mat34_determinant(&from.palette[i]);
        if (determinant != 0.0) return determinant < 0.0;
    }
    return false;
}
