// Writes a small .glb with every mode, filter and version of meshopt compression, for sweeps and as a seed:
//     make_meshopt_sample tests/sweep_samples/meshopt.glb
// meshoptimizer packs the indices and what has version 0.
#include <meshoptimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gltf_text.h"
#include "meshopt_encode.h"

enum { VERTICES = 4, KEYS = 3 };

static test_bytes bin, file;
static char views[4096];
static uint32_t seed = 7;

static void add_view(const uint8_t *packed, size_t size, const char *mode, size_t stride, size_t count)
{
    char text[512], own_stride[32] = "";
    if (strncmp(mode, "ATTRIBUTES", 10) == 0) snprintf(own_stride, sizeof own_stride, ",'byteStride':%zu", stride);
    snprintf(text, sizeof text,
             "%s{'buffer':1,'byteLength':%zu%s,'extensions':{'KHR_meshopt_compression':{'buffer':0,'byteOffset':%zu,"
             "'byteLength':%zu,'byteStride':%zu,'count':%zu,'mode':'%s'}}}",
             views[0] ? "," : "", stride * count, own_stride, bin.size, size, stride, count, mode);
    strcat(views, text);
    put_bytes(&bin, packed, size);
}

static void add_new(const char *mode, const void *data, uint32_t stride, uint32_t count)
{
    uint8_t packed[1024];
    add_view(packed, meshopt_encode(packed, data, count, stride, &seed), mode, stride, count);
}

static void add_old(const char *mode, const void *data, uint32_t stride, uint32_t count)
{
    uint8_t packed[1024];
    add_view(packed, meshopt_encodeVertexBuffer(packed, sizeof packed, data, count, stride), mode, stride, count);
}

int main(int count, char **args)
{
    static const float normals[VERTICES][4] = {
        { 0, 0, 1, 0 }, { 0.6f, 0, 0.8f, 0 }, { 0, 0.6f, -0.8f, 0 }, { 1, 0, 0, 0 }
    };
    static const float turns[KEYS][4] = { { 0, 0, 0, 1 }, { 0.6f, 0, 0, 0.8f }, { 0, 0.8f, 0, 0.6f } };
    static const float times[KEYS] = { 0, 1, 2 };
    static const uint32_t triangles[6] = { 0, 1, 2, 2, 1, 3 }, points[VERTICES] = { 3, 0, 2, 1 };
    static const uint8_t colors[VERTICES][4] = {
        { 100, 50, 20, 228 }, { 7, 254, 3, 13 }, { 90, 0, 0, 255 }, { 9, 1, 1, 10 }
    };
    uint8_t positions[VERTICES][3][4] = { { { 0 } } }, filtered[VERTICES * 8], packed[1024];
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t c = 0; c < 3; c++)  // halves: the exponent is -1
            positions[i][c][0] = (uint8_t)((i >> c & 1) * (2 + c)), positions[i][c][3] = 0xFF;
    add_new("ATTRIBUTES','filter':'EXPONENTIAL", positions, 12, VERTICES);
    meshopt_encodeFilterOct(filtered, VERTICES, 4, 8, normals[0]);
    add_new("ATTRIBUTES','filter':'OCTAHEDRAL", filtered, 4, VERTICES);
    add_new("ATTRIBUTES','filter':'COLOR", colors, 4, VERTICES);
    meshopt_encodeIndexVersion(1);
    add_view(packed, meshopt_encodeIndexBuffer(packed, sizeof packed, triangles, 6), "TRIANGLES", 2, 6);
    add_view(packed, meshopt_encodeIndexSequence(packed, sizeof packed, points, VERTICES), "INDICES", 4, VERTICES);
    add_old("ATTRIBUTES", times, 4, KEYS);
    meshopt_encodeFilterQuat(filtered, KEYS, 8, 12, turns[0]);
    add_old("ATTRIBUTES','filter':'QUATERNION", filtered, 8, KEYS);

    static char json[8192];
    snprintf(json, sizeof json,
             "{" ASSET ",'extensionsUsed':['KHR_meshopt_compression','KHR_mesh_quantization'],"
             "'extensionsRequired':['KHR_meshopt_compression','KHR_mesh_quantization'],"
             "'buffers':[{'byteLength':%zu},{'byteLength':64,"
             "'extensions':{'KHR_meshopt_compression':{'fallback':true}}}],'bufferViews':[%s],'accessors':["
             "{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'min':[0,0,0],'max':[1,1.5,0]},"
             "{'bufferView':1,'componentType':5120,'normalized':true,'type':'VEC3','count':4},"
             "{'bufferView':2,'componentType':5121,'normalized':true,'type':'VEC4','count':4},"
             "{'bufferView':3,'componentType':5123,'type':'SCALAR','count':6},"
             "{'bufferView':4,'componentType':5125,'type':'SCALAR','count':4},"
             "{'bufferView':5,'componentType':5126,'type':'SCALAR','count':3,'min':[0],'max':[2]},"
             "{'bufferView':6,'componentType':5122,'normalized':true,'type':'VEC4','count':3}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'COLOR_0':2},'indices':3},"
             "{'attributes':{'POSITION':0},'indices':4,'mode':0}]}],'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],"
             "'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}],"
             "'samplers':[{'input':5,'output':6}]}]}",
             bin.size, views);
    put_glb_header(&file, 2);
    put_json_chunk(&file, json);
    while (bin.size % 4) put_u8(&bin, 0);
    put_chunk(&file, GLB_BIN, bin.data, bin.size);
    close_glb(&file);
    FILE *out = count == 2 ? fopen(args[1], "wb") : NULL;
    if (!out) return 2;
    bool is_written = fwrite(file.data, 1, file.size, out) == file.size;
    return fclose(out) == 0 && is_written ? 0 : 1;
}
