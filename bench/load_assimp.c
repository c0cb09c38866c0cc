#include <assimp/cimport.h>
#include <assimp/scene.h>

#include "load_readers.h"

// Recursion is fine here: the reader before us recursed over the same tree.
static uint64_t count_nodes(const struct aiNode *root)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < root->mNumChildren; i++) count += count_nodes(root->mChildren[i]);
    return count;
}

bool load_with_assimp(const char *path, load_counts *counts)
{
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene) return false;
    if (counts) {
        *counts = (load_counts){ .nodes = count_nodes(scene->mRootNode), .clips = scene->mNumAnimations };
        for (unsigned i = 0; i < scene->mNumMeshes; i++) counts->vertices += scene->mMeshes[i]->mNumVertices;
    }
    aiReleaseImport(scene);
    return true;
}
