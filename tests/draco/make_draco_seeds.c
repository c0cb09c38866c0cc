// Writes Draco streams that libdraco encodes, one of each kind, and a .glb around some of them:
// make_draco_seeds fuzz/seeds/draco tests/sweep_samples/draco.glb
#include "draco_judge.h"
#include "draco_shapes.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUBE = 2, HOLES = 4, SPHERE = 5, TORUS = 6, MOEBIUS = 9, BAD = 10, FLAT = 12, SHEET = -1, SIDE = 7 };

typedef struct seed {
    const char *name;
    int shape;
    bool has_all;
    draco_options options;
    bool is_in_file;
} seed;

static const seed seeds[] = {
    { "sheet_sequential", SHEET, false, { .level = 0, .is_sequential = true }, false },
    { "sheet_edgebreaker", SHEET, false, { .level = 3, .traversal = 1 }, false },
    { "bad_packed", BAD, true, { .level = 2, .bits = 8, .is_sequential = true, .has_packed_indices = true }, true },
    { "cube_parallelogram", CUBE, true, { .level = 4, .bits = 9, .has_metadata = true }, false },
    { "cube_texcoords", CUBE, true, { .level = 7, .bits = 9 }, true },
    { "holes_positions", HOLES, false, { .level = 10, .bits = 7, .traversal = 2 }, false },
    { "moebius_valence", MOEBIUS, true, { .level = 10, .bits = 6, .traversal = 2 }, true },
    { "sphere_split", SPHERE, true, { .level = 8, .bits = 6, .splits_at_seams = true }, false },
    { "torus_plain", TORUS, false, { .level = 6, .bits = 10, .has_plain_entropy = true }, false },
    { "torus_flat", FLAT, true, { .level = 10, .bits = 5 }, false },
};
enum { SEEDS = sizeof seeds / sizeof seeds[0], ROOM = 1 << 16 };

// Values that tests know by heart: see test_gltf_draco.c.
static draco_soup make_sheet(void)
{
    enum { CORNERS = (SIDE - 1) * (SIDE - 1) * 6 };
    static const int quad[6][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
    static float positions[CORNERS][3];
    static uint8_t colors[CORNERS][4];
    for (int i = 0; i < CORNERS; i++) {
        int at = i / 6, x = at % (SIDE - 1) + quad[i % 6][0], y = at / (SIDE - 1) + quad[i % 6][1];
        memcpy(positions[i], (float[3]){ (float)x, (float)y, 0.25f * (float)(x * y) }, sizeof positions[i]);
        memcpy(colors[i], (uint8_t[4]){ (uint8_t)(x * 20), (uint8_t)(y * 20), (uint8_t)(y * SIDE + x), 255 }, 4);
    }
    return (draco_soup){ .face_count = CORNERS / 3, .positions = positions[0], .colors = colors[0] };
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) exit(1);
}

int main(int count, char **args)
{
    static uint8_t stream[ROOM];
    static test_bytes bin, glb;
    static char views[ROOM], accessors[ROOM], primitives[ROOM], json[3 * ROOM];
    int number = 0;
    if (count != 3) return 2;
    for (int i = 0; i < SEEDS; i++) {
        draco_soup soup = seeds[i].shape == SHEET ? make_sheet() : draco_shape(seeds[i].shape, seeds[i].has_all);
        size_t size = draco_judge_encode(&soup, &seeds[i].options, stream, sizeof stream);
        draco_judged *mesh = size > 0 ? draco_judge_decode(stream, size) : NULL;
        if (!mesh) return 1;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.drc", args[1], seeds[i].name);
        write_file(path, stream, size);
        uint32_t points = draco_judge_points(mesh), faces = draco_judge_faces(mesh);
        draco_judge_free(mesh);
        printf("%s: %zu bytes, %u points, %u faces\n", seeds[i].name, size, points, faces);
        if (!seeds[i].is_in_file) continue;

        const char *comma = number > 0 ? "," : "";
        int first = number++ * 5;
        snprintf(views + strlen(views), sizeof views - strlen(views),
                 "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu}", comma, bin.size, size);
        snprintf(accessors + strlen(accessors), sizeof accessors - strlen(accessors),
                 "%s{'componentType':5126,'type':'VEC3','count':%u},{'componentType':5126,'type':'VEC3',"
                 "'count':%u},{'componentType':5126,'type':'VEC2','count':%u},{'componentType':5121,"
                 "'normalized':true,'type':'VEC4','count':%u},{'componentType':5123,'type':'SCALAR',"
                 "'count':%u}",
                 comma, points, points, points, points, faces * 3);
        snprintf(primitives + strlen(primitives), sizeof primitives - strlen(primitives),
                 "%s{'attributes':{'POSITION':%d,'NORMAL':%d,'TEXCOORD_0':%d,'COLOR_0':%d},'indices':%d,"
                 "'extensions':{'KHR_draco_mesh_compression':{'bufferView':%d,'attributes':{'POSITION':0,"
                 "'NORMAL':1,'TEXCOORD_0':2,'COLOR_0':3}}}}",
                 comma, first, first + 1, first + 2, first + 3, first + 4, number - 1);
        put_bytes(&bin, stream, size);
    }
    while (bin.size % 4) put_u8(&bin, 0);
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'extensionsUsed':['KHR_draco_mesh_compression'],"
             "'extensionsRequired':['KHR_draco_mesh_compression'],'buffers':[{'byteLength':%zu}],'bufferViews':[%s],"
             "'accessors':[%s],'meshes':[{'primitives':[%s]}],'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],'scene':0}",
             bin.size, views, accessors, primitives);
    put_glb_header(&glb, 2);
    put_json_chunk(&glb, json);
    put_u32(&glb, (uint32_t)bin.size);
    put_u32(&glb, GLB_BIN);
    put_bytes(&glb, bin.data, bin.size);
    close_glb(&glb);
    write_file(args[2], glb.data, glb.size);
    return 0;
}
