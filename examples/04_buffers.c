// Loads a model from memory, with an allocator and file access of our own, into vertex and index buffers ready for
// upload: 04_buffers FILE
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Counts what the model takes. free gets the size back, so no header is needed.
static void *take(void *user, size_t size)
{
    *(size_t *)user += size;
    return malloc(size);
}

static void give_back(void *user, void *ptr, size_t size)
{
    *(size_t *)user -= size;
    free(ptr);
}

typedef struct file {
    void *data;
    size_t size;
} file;

static bool read_file(const char *path, file *out)
{
    FILE *stream = fopen(path, "rb");
    long size = -1;
    *out = (file){ 0 };
    if (stream && fseek(stream, 0, SEEK_END) == 0) size = ftell(stream);
    if (size > 0 && fseek(stream, 0, SEEK_SET) == 0) out->data = malloc((size_t)size);
    if (out->data) out->size = fread(out->data, 1, (size_t)size, stream);
    if (stream) fclose(stream);
    return out->size > 0;
}

// Files that the model refers to, such as textures: a game would look into its archives here. The bytes must stay valid
// until loading returns.
enum { MOST_FILES = 64 };

typedef struct folder {
    const char *path;
    file files[MOST_FILES];
    int count;
} folder;

static bool open_ref(void *user, const char *ref, const void **data, size_t *size)
{
    folder *f = user;
    char path[1024];
    if (f->count == MOST_FILES || snprintf(path, sizeof path, "%s/%s", f->path, ref) >= (int)sizeof path) return false;
    if (!read_file(path, &f->files[f->count])) return false;
    *data = f->files[f->count].data;
    *size = f->files[f->count].size;
    f->count++;
    return true;
}

// One vertex as our shader reads it: 40 bytes.
typedef struct vertex {
    float position[3], normal[3], uv[2];
    uint8_t joints[4], weights[4];
} vertex;

static const sn_vertex_attribute attributes[] = {
    { .attribute = SN_ATTRIBUTE_POSITION, .offset = offsetof(vertex, position) },
    { .attribute = SN_ATTRIBUTE_NORMAL, .offset = offsetof(vertex, normal) },
    { .attribute = SN_ATTRIBUTE_UV, .offset = offsetof(vertex, uv) },
    { .attribute = SN_ATTRIBUTE_JOINTS, .component = SN_COMPONENT_U8, .offset = offsetof(vertex, joints) },
    { .attribute = SN_ATTRIBUTE_WEIGHTS, .component = SN_COMPONENT_U8, .offset = offsetof(vertex, weights) }
};

static bool print_buffers(const sn_model *model)
{
    const sn_vertex_layout layout = { .attributes = attributes, .attribute_count = 5, .stride = sizeof(vertex) };
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const sn_mesh *mesh = &model->meshes[i];
        sn_error error;
        vertex *vertices = calloc(mesh->vertex_count + 1, sizeof *vertices);
        bool is_packed = vertices && sn_mesh_pack_vertices(mesh, &layout, vertices, &error) == SN_OK;
        // Here they would be uploaded, with mesh->indices as the index buffer.
        if (is_packed)
            printf("%s: %zu bytes of vertices, %zu bytes of indices\n", mesh->name,
                   mesh->vertex_count * sizeof *vertices, mesh->index_count * sizeof *mesh->indices);
        else fprintf(stderr, "%s: %s\n", mesh->name, vertices ? error.message : "out of memory");
        free(vertices);
        if (!is_packed) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: 04_buffers FILE\n"), 2;

    const char *slash = strrchr(argv[1], '/');
    char path[1024] = ".";
    if (slash) snprintf(path, sizeof path, "%.*s", (int)(slash - argv[1]), argv[1]);
    folder beside = { .path = path };
    size_t used = 0;
    file bytes;
    if (!read_file(argv[1], &bytes)) return fprintf(stderr, "cannot read %s\n", argv[1]), 1;

    sn_error error;
    sn_load_opts opts = { .allocator = { take, give_back, &used },
                          .name = argv[1],
                          .max_influences = 4,
                          .open_ref = open_ref,
                          .user = &beside };
    sn_model *model = sn_load_memory(bytes.data, bytes.size, &opts, &error);
    free(bytes.data);
    for (int i = 0; i < beside.count; i++) free(beside.files[i].data);
    if (!model) return fprintf(stderr, "%s\n", error.message), 1;

    printf("%zu bytes of memory\n", used);
    bool is_good = print_buffers(model);
    sn_model_free(model);
    return is_good && used == 0 ? 0 : 1;
}
