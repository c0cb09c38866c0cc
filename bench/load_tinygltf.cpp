#include "load_readers.h"

#include <string>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <tiny_gltf.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static bool is_binary(const std::string &path)
{
    return path.size() >= 4 && path.compare(path.size() - 4, 4, ".glb") == 0;
}

static load_counts count(const tinygltf::Model &model)
{
    load_counts counts = { model.nodes.size(), 0, model.animations.size() };
    for (const tinygltf::Mesh &mesh : model.meshes) {
        for (const tinygltf::Primitive &primitive : mesh.primitives) {
            const auto found = primitive.attributes.find("POSITION");
            if (found != primitive.attributes.end()) counts.vertices += model.accessors[static_cast<size_t>(found->second)].count;
        }
    }
    return counts;
}

bool load_with_tinygltf(const char *path, load_counts *counts)
{
    tinygltf::TinyGLTF loader;
    tinygltf::Model model;
    std::string error, warning;
    const bool is_loaded = is_binary(path) ? loader.LoadBinaryFromFile(&model, &error, &warning, path)
                                           : loader.LoadASCIIFromFile(&model, &error, &warning, path);
    if (is_loaded && counts) *counts = count(model);
    return is_loaded;
}
