// OGRE's software skinning, as it chooses it for this processor: interleaved positions and normals, up to 4 weights.
#include <OgreMatrix4.h>
#include <OgreOptimisedUtil.h>

#include <cstdlib>
#include <vector>

extern "C" {
#include "runtime.h"
extern const bench_peer bench_ogre;
}

namespace {

struct vertex {
    float position[3], normal[3];
};

// Aligned, as OGRE's vertex buffers are.
template <typename T> T *make_array(size_t count)
{
    void *memory = std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64);
    if (!memory) std::exit(3);
    return static_cast<T *>(memory);
}

struct work {
    size_t count, influences;
    vertex *in, *out;
    float *weights;
    unsigned char *indices;
    Ogre::Affine3 *matrices;
    std::vector<const Ogre::Affine3 *> pointers;
};

void *create(const sn_model *model, const sn_pose *pose)
{
    const sn_mesh &mesh = model->meshes[0];
    const sn_skin &skin = model->skins[0];
    const sn_mat34 *palette = sn_pose_palette(pose, 0);
    if (mesh.influence_count > 4 || skin.joint_count > 255) return nullptr;
    work *w = new work;
    w->count = mesh.vertex_count;
    w->influences = mesh.influence_count;
    w->in = make_array<vertex>(w->count);
    w->out = make_array<vertex>(w->count);
    w->weights = make_array<float>(w->count * w->influences);
    w->indices = make_array<unsigned char>(w->count * 4);
    w->matrices = make_array<Ogre::Affine3>(skin.joint_count);
    for (size_t i = 0; i < w->count; i++) {
        const sn_vec3 p = mesh.positions[i], n = mesh.normals[i];
        w->in[i] = { { p.x, p.y, p.z }, { n.x, n.y, n.z } };
        for (size_t k = 0; k < 4; k++)
            w->indices[i * 4 + k] =
                k < w->influences ? static_cast<unsigned char>(mesh.vertex_joints[i * w->influences + k]) : 0;
        for (size_t k = 0; k < w->influences; k++)
            w->weights[i * w->influences + k] = mesh.vertex_weights[i * w->influences + k];
    }
    for (uint32_t i = 0; i < skin.joint_count; i++) {
        const float(*m)[4] = palette[i].m;
        w->matrices[i] = Ogre::Affine3(m[0][0], m[0][1], m[0][2], m[0][3], m[1][0], m[1][1], m[1][2], m[1][3], m[2][0],
                                       m[2][1], m[2][2], m[2][3]);
        w->pointers.push_back(&w->matrices[i]);
    }
    return w;
}

void run(void *context, uint32_t count)
{
    work *w = static_cast<work *>(context);
    Ogre::OptimisedUtil *util = Ogre::OptimisedUtil::getImplementation();
    for (uint32_t i = 0; i < count; i++)
        util->softwareVertexSkinning(w->in->position, w->out->position, w->in->normal, w->out->normal, w->weights,
                                     w->indices, w->pointers.data(), sizeof(vertex), sizeof(vertex), sizeof(vertex),
                                     sizeof(vertex), w->influences * sizeof(float), 4, w->influences, w->count);
}

sn_vec3 read_place(const void *context, uint32_t index)
{
    const float *p = static_cast<const work *>(context)->out[index].position;
    return { p[0], p[1], p[2] };
}

void free_work(void *context)
{
    work *w = static_cast<work *>(context);
    std::free(w->in);
    std::free(w->out);
    std::free(w->weights);
    std::free(w->indices);
    std::free(w->matrices);
    delete w;
}

}  // namespace

const bench_peer bench_ogre = { "ogre", "B4", create, run, read_place, free_work };
