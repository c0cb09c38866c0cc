// Prints what must be equal on every compiler and processor, one line for each model in the files named:
//
//     HASH OF THE MODEL  OF ITS .glb  OF ITS REST POSE  OF CLIP 0  FILE[:PATH IN THE ARCHIVE]
//
// Files that are no models are left out. test_golden.sh compares the lines with golden.txt.
#include <sinew/files.h>
#include <sinew/sinew.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t size)
{
    const uint8_t *bytes = data;
    for (uint64_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;  // FNV-1a
    return hash;
}

// By value: bytes of memory are in another order on another processor.
static uint64_t hash_floats(uint64_t hash, const void *data, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const uint8_t *)data + i * 4, sizeof bits);
        const uint8_t bytes[4] = { (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24) };
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

static void *must_allocate(uint64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) abort();
    return memory;
}

static uint64_t hash_part(uint64_t hash, const sn_model *model, const sn_pose *pose, int32_t part)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    sn_vec3 *positions = must_allocate(mesh->vertex_count, sizeof *positions);
    sn_vec3 *normals = must_allocate(mesh->vertex_count, sizeof *normals);
    sn_vec4 *tangents = must_allocate(mesh->vertex_count, sizeof *tangents);
    sn_skin_part(pose, part, positions, normals, tangents);
    hash = hash_floats(hash, positions, mesh->vertex_count * (uint64_t)3);
    hash = hash_floats(hash, normals, mesh->vertex_count * (uint64_t)3);
    hash = hash_floats(hash, tangents, mesh->vertex_count * (uint64_t)4);
    free(positions);
    free(normals);
    free(tangents);

    sn_vec4 color = sn_pose_color(pose, part);
    const uint8_t flags[2] = { sn_pose_shows(pose, part), sn_pose_mirrors(pose, part) };
    hash = hash_bytes(hash_floats(hash, &color, 4), flags, sizeof flags);
    return hash_floats(hash, sn_pose_morphs(pose, part), mesh->morph_count);
}

static uint64_t hash_pose(const sn_model *model, sn_pose *pose)
{
    const sn_view view = { { 3, 2, 5 }, { 0.8f, 0, -0.6f }, { 0, 1, 0 }, { 0.6f, 0, 0.8f } };  // turns billboards
    uint64_t hash = 0xCBF29CE484222325u;
    sn_pose_solve(pose, &view);
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        hash = hash_floats(hash, &world, 12);
    }
    for (uint32_t i = 0; i < model->skin_count; i++)
        hash = hash_floats(hash, sn_pose_palette(pose, (int32_t)i), model->skins[i].joint_count * (uint64_t)12);
    for (uint32_t i = 0; i < model->part_count; i++) hash = hash_part(hash, model, pose, (int32_t)i);
    for (uint32_t i = 0; i < model->material_count; i++) {
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++) {
            sn_layer_state layer = sn_pose_layer(pose, (int32_t)i, (int32_t)k);
            hash = hash_floats(hash, &layer, sizeof layer / 4);
        }
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        sn_light_state light = sn_pose_light(pose, (int32_t)i);
        hash = hash_floats(hash, &light, 4);
    }
    sn_bounds bounds = sn_pose_bounds(pose);
    return hash_floats(hash, &bounds, 10);
}

static void print_model(const sn_model *model, const char *file, const char *entry)
{
    sn_bytes glb = { 0 };
    sn_error error;
    sn_pose *pose = sn_pose_create(model, NULL, &error);
    if (!pose || sn_save_memory(model, "glb", NULL, &glb, &error) != SN_OK) {
        fprintf(stderr, "%s: %s\n", file, error.message);
        exit(1);
    }
    uint64_t saved = hash_bytes(0xCBF29CE484222325u, glb.data, glb.size), rest = hash_pose(model, pose);
    if (model->clip_count > 0) sn_pose_sample(pose, 0, 0.37f * model->clips[0].duration, 1.3f);
    uint64_t posed = hash_pose(model, pose);
    printf("%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %s%s%s\n", sn_model_hash(model), saved, rest,
           posed, file, entry ? ":" : "", entry ? entry : "");
    sn_bytes_free(&glb);
    sn_pose_free(pose);
}

static void print_archive(const char *file)
{
    sn_archive *archive = sn_archive_open(file, NULL, NULL);
    sn_archive_entry entry;
    for (uint32_t i = 0; archive && sn_archive_at(archive, i, &entry); i++) {
        sn_model *model = sn_load_archive(archive, entry.name, NULL, NULL);
        if (model) print_model(model, file, entry.name);
        sn_model_free(model);
    }
    sn_archive_close(archive);
}

int main(int count, char **files)
{
    for (int i = 1; i < count; i++) {
        sn_model *model = sn_load_file(files[i], NULL, NULL);
        if (model) print_model(model, files[i], NULL);
        sn_model_free(model);
        print_archive(files[i]);
    }
    return 0;
}
