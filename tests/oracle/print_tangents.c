// print_tangents MODEL: the tangents that sinew makes for each mesh, as JSON with one row of floats per corner. Read by
// tangents.mjs, which lets another program make them too.
#include "base/arena.h"
#include "convert/tangents.h"

#include <stdio.h>

static void print_row(const float *values, int count, bool more)
{
    for (int i = 0; i < count; i++) printf("%s%.9g", i ? "," : "", (double)values[i]);
    printf("%s", more ? "," : "");
}

static void print_corners(const sn_mesh *mesh, const char *key, const void *values, int width)
{
    printf("\"%s\":[", key);
    for (uint32_t i = 0; i < mesh->index_count; i++)
        print_row((const float *)values + (size_t)mesh->indices[i] * (size_t)width, width, i + 1 < mesh->index_count);
    printf("]");
}

static bool print_mesh(sni_arena *arena, const sn_mesh *mesh, bool *is_first)
{
    sn_mesh made;
    if (mesh->topology != SN_TRIANGLES || !mesh->normals || mesh->uv_count == 0 || !mesh->uvs[0]) return true;
    if (!sni_make_tangents(arena, mesh, 0, &made)) return false;
    printf("%s{\"vertices\":%u,\"before\":%u,", *is_first ? "" : ",\n", made.vertex_count, mesh->vertex_count);
    print_corners(&made, "positions", made.positions, 3);
    printf(",");
    print_corners(&made, "normals", made.normals, 3);
    printf(",");
    print_corners(&made, "uvs", made.uvs[0], 2);
    printf(",");
    print_corners(&made, "tangents", made.tangents, 4);
    if (mesh->tangents) printf(","), print_corners(mesh, "own", mesh->tangents, 4);
    printf("}");
    *is_first = false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    sn_error error;
    sn_model *model = sn_load_file(argv[1], NULL, &error);
    if (!model) return fprintf(stderr, "%s\n", error.message), 1;
    sni_heap heap;
    sni_arena arena;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    bool is_first = true, done = true;
    printf("[");
    for (uint32_t i = 0; i < model->mesh_count && done; i++) done = print_mesh(&arena, &model->meshes[i], &is_first);
    printf("]\n");
    sni_arena_free(&arena);
    sn_model_free(model);
    return done ? 0 : 1;
}
