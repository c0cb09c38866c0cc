// pose --obj: what is shown, as Wavefront OBJ. Vertices are numbered from 1 through the whole file.
#include <string.h>
#include <sys/stat.h>

#include "pose.h"
#include "elements.h"

typedef struct obj_file {
    cli_job *job;
    const sn_pose *pose;
    cli_out *out;
    unsigned long long vertex_base, uv_base, normal_base;  // of the next part
} obj_file;

typedef struct obj_part {
    const sn_mesh *mesh;
    bool has_uvs, has_normals, is_mirrored;
} obj_part;

static void put_vector(cli_out *out, const char *keyword, sn_vec3 value)
{
    cli_print(out, "%s ", keyword);
    cli_print_float(out, value.x);
    cli_print(out, " ");
    cli_print_float(out, value.y);
    cli_print(out, " ");
    cli_print_float(out, value.z);
    cli_print(out, "\n");
}

// Names are words: spaces and control characters would end or break the line.
static void put_name(cli_out *out, const char *keyword, const char *name)
{
    char word[256];
    size_t size = cli_cut(name, sizeof word - 1);
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)name[i];
        word[i] = name[i];
        if (byte <= ' ' || byte == 0x7F) word[i] = '_';
    }
    word[size] = 0;
    cli_print(out, "%s ", keyword);
    cli_print_safe(out, word);
    cli_print(out, "\n");
}

static void put_corner(obj_file *obj, const obj_part *part, uint32_t vertex)
{
    unsigned long long v = obj->vertex_base + vertex, t = obj->uv_base + vertex, n = obj->normal_base + vertex;
    if (part->has_uvs && part->has_normals) cli_print(obj->out, " %llu/%llu/%llu", v, t, n);
    else if (part->has_uvs) cli_print(obj->out, " %llu/%llu", v, t);
    else if (part->has_normals) cli_print(obj->out, " %llu//%llu", v, n);
    else cli_print(obj->out, " %llu", v);
}

static void put_triangle(obj_file *obj, const obj_part *part, const uint32_t *corners)
{
    cli_print(obj->out, "f");
    put_corner(obj, part, corners[0]);
    put_corner(obj, part, corners[part->is_mirrored ? 2 : 1]);
    put_corner(obj, part, corners[part->is_mirrored ? 1 : 2]);
    cli_print(obj->out, "\n");
}

static void put_elements(obj_file *obj, const obj_part *part)
{
    const sn_mesh *mesh = part->mesh;
    uint32_t count = cli_mesh_primitives(mesh);
    for (uint32_t i = 0; i < count; i++) {
        if (mesh->topology == SN_TRIANGLES) {
            put_triangle(obj, part, &mesh->indices[3 * (size_t)i]);
        } else if (mesh->topology == SN_LINES) {
            const uint32_t *ends = &mesh->indices[2 * (size_t)i];
            cli_print(obj->out, "l %llu %llu\n", obj->vertex_base + ends[0], obj->vertex_base + ends[1]);
        } else {
            cli_print(obj->out, "p %llu\n", obj->vertex_base + mesh->indices[i]);
        }
    }
}

// OBJ counts v from the bottom.
static void put_uvs(cli_out *out, const sn_vec2 *uvs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cli_print(out, "vt ");
        cli_print_float(out, uvs[i].x);
        cli_print(out, " ");
        cli_print_float(out, 1.0f - uvs[i].y);
        cli_print(out, "\n");
    }
}

static void put_part(obj_file *obj, int32_t index, sn_vec3 *scratch)
{
    const sn_model *model = obj->job->model;
    const sn_part *shown = &model->parts[index];
    const sn_mesh *mesh = &model->meshes[shown->mesh];
    obj_part part = { mesh, mesh->uv_count > 0 && mesh->uvs[0], mesh->normals != NULL,
                      sn_pose_mirrors(obj->pose, index) };
    uint32_t count = mesh->vertex_count;
    sn_vec3 *positions = scratch, *normals = part.has_normals ? scratch + count : NULL;
    sn_skin_part(obj->pose, index, positions, normals, NULL);
    const char *name = cli_name_or(&obj->job->arena, mesh->name, "mesh", (uint32_t)shown->mesh);
    const char *group = cli_name_or(&obj->job->arena, model->nodes[shown->node].name, "node", (uint32_t)shown->node);
    put_name(obj->out, "o", name ? name : "mesh");
    put_name(obj->out, "g", group ? group : "node");
    for (uint32_t i = 0; i < count; i++) put_vector(obj->out, "v", positions[i]);
    if (part.has_uvs) put_uvs(obj->out, mesh->uvs[0], count);
    for (uint32_t i = 0; normals && i < count; i++) put_vector(obj->out, "vn", normals[i]);
    put_elements(obj, &part);
    obj->vertex_base += count;
    obj->uv_base += part.has_uvs ? count : 0;
    obj->normal_base += part.has_normals ? count : 0;
}

static bool put_model(cli_job *job, const sn_pose *pose, cli_out *out)
{
    obj_file obj = { job, pose, out, 1, 1, 1 };
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->model->mesh_count; i++)
        if (job->model->meshes[i].vertex_count > largest) largest = job->model->meshes[i].vertex_count;
    sn_vec3 *scratch = sni_new_raw(&job->arena, sn_vec3, largest * 2);
    if (!scratch) return false;
    cli_print(out, "# sinew %s\n", SN_VERSION);
    for (uint32_t i = 0; i < job->model->part_count; i++)
        if (sn_pose_shows(pose, (int32_t)i)) put_part(&obj, (int32_t)i, scratch);
    return !out->text.failed;
}

// An existing target must be a plain file, and nothing that the model was read from.
static bool may_write(cli_job *job, const char *path)
{
    struct stat target;
    const char *reason = NULL, *shown = cli_escape(&job->arena, path);
    if (stat(path, &target) != 0) return true;
    if (!S_ISREG(target.st_mode)) reason = "not a regular file; '--obj -' writes to standard output";
    else if (job->read_target) reason = "the model is read from it; it will not be overwritten";
    if (reason) cli_complain("%s: %s", shown ? shown : "", reason);
    return reason == NULL;
}

static int write_file(cli_job *job, const sn_pose *pose, const char *path)
{
    cli_out text;
    cli_out_init(&text, stdout);  // never handed over: the file takes it
    if (!put_model(job, pose, &text)) {
        cli_out_free(&text);
        sni_fail(&job->diag, SN_ERR_MEMORY, 0, "out of memory");
        return CLI_EXIT_DAMAGED;
    }
    sn_error error;
    bool is_written = sn_file_write(path, text.text.data, text.text.size, &error) == SN_OK;
    const char *shown = cli_escape(&job->arena, path);
    if (!is_written) cli_complain("%s: error: %s", shown ? shown : "", error.message);
    cli_out_free(&text);
    return is_written ? CLI_EXIT_OK : CLI_EXIT_IO;
}

int cli_pose_obj(cli_job *job, const sn_pose *pose, const char *path)
{
    if (strcmp(path, "-") == 0) return put_model(job, pose, job->out) ? CLI_EXIT_OK : CLI_EXIT_DAMAGED;
    return may_write(job, path) ? write_file(job, pose, path) : CLI_EXIT_USAGE;
}
