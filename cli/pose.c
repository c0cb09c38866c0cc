// pose: where nodes and vertices are at a time of a clip.
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "clip_time.h"
#include "elements.h"
#include "table.h"

enum { NAME_COLUMNS = 48 };

static const char *find_misuse(const cli_args *args)
{
    bool to_file = cli_has(args, CLI_OPTION_OBJ);
    if (to_file && cli_has(args, CLI_OPTION_JSON)) return "'--obj' and '--json' cannot be combined";
    if (to_file && args->file_count > 1) return "'--obj' takes a single model";
    return NULL;
}

bool cli_check_pose(const cli_args *args)
{
    const char *misuse = find_misuse(args);
    if (misuse) cli_complain("%s", misuse);
    return !misuse && cli_check_clip_time(args);
}

// Decimals that show five digits of the largest coordinate.
static int decimals_for(float largest)
{
    int decimals = 4;
    for (float limit = 10.0f; decimals > 1 && largest >= limit; limit *= 10.0f) decimals--;
    for (float limit = 0.1f; decimals < 9 && largest > 0 && largest < limit; limit /= 10.0f) decimals++;
    return decimals;
}

static const char *coordinate(cli_job *job, float value, int decimals)
{
    double smallest = 0.5 * pow(10.0, -decimals);
    double shown = fabs((double)value) < smallest ? 0.0 : (double)value;  // never "-0.0000"
    if (fabs(shown) >= 1e9) return cli_format(&job->arena, "%.4e", shown);
    return cli_format(&job->arena, "%.*f", decimals, shown);
}

static float largest_coordinate(const sn_model *model, const sn_pose *pose)
{
    float largest = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        for (int r = 0; r < 3; r++) largest = fmaxf(largest, fabsf(world.m[r][3]));
    }
    return largest;
}

static void print_pose(cli_job *job, const sn_pose *pose, cli_clip_time clip_time)
{
    const sn_model *model = job->model;
    cli_table table = cli_table_make(&job->arena, "lrrr", model->node_count + 1);
    int decimals = decimals_for(largest_coordinate(model, pose));
    table.has_heading = true;
    cli_table_add(&table, (cli_row){ { "node", "x", "y", "z" } });
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        const char *label = cli_name_or(&job->arena, model->nodes[i].name, "node", i);
        if (!label) return;
        cli_table_add(&table,
                      (cli_row){ { cli_shorten(&job->arena, label, NAME_COLUMNS),
                                   coordinate(job, world.m[0][3], decimals), coordinate(job, world.m[1][3], decimals),
                                   coordinate(job, world.m[2][3], decimals) } });
    }
    cli_job_begin_text(job);
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, ": %s\n", cli_describe_clip_time(job, clip_time));
    cli_table_print(&table, job->out, 2);
}

// --json: schema sinew.pose/1, in the axes of the file.

static void put_clip_time(sni_json_writer *json, const sn_model *model, cli_clip_time clip_time)
{
    sni_json_key(json, "clip");
    if (clip_time.clip < 0) sni_json_put_raw(json, "null");
    else sni_json_put_text(json, model->clips[clip_time.clip].name);
    cli_json_integer(json, "clip_index", clip_time.clip);
    cli_json_float(json, "time", clip_time.seconds);
}

static void put_nodes(cli_job *job, sni_json_writer *json, const sn_pose *pose)
{
    cli_json_list(json, "nodes");
    for (uint32_t i = 0; i < job->model->node_count; i++) {
        const sn_node *node = &job->model->nodes[i];
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        sni_json_begin_object(json);
        cli_json_text(json, "name", node->name);
        cli_json_integer(json, "id", node->id);
        cli_json_integer(json, "parent", node->parent);
        cli_json_flat_list(json, "world");
        for (int k = 0; k < 12; k++) sni_json_put_float(json, world.m[k / 4][k % 4]);
        sni_json_end(json);
        sni_json_end(json);
        cli_out_drain(job->out);
    }
    sni_json_end(json);
}

static void put_vectors(cli_job *job, sni_json_writer *json, const char *key, const sn_vec3 *vectors, uint32_t count)
{
    cli_json_flat_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        sni_json_put_float(json, vectors[i].x);
        sni_json_put_float(json, vectors[i].y);
        sni_json_put_float(json, vectors[i].z);
        cli_out_drain(job->out);
    }
    sni_json_end(json);
}

static void put_part(cli_job *job, sni_json_writer *json, const sn_pose *pose, int32_t index, sn_vec3 *scratch)
{
    const sn_part *part = &job->model->parts[index];
    const sn_mesh *mesh = &job->model->meshes[part->mesh];
    sn_vec3 *positions = scratch, *normals = mesh->normals ? scratch + mesh->vertex_count : NULL;
    sn_skin_part(pose, index, positions, normals, NULL);
    sni_json_begin_object(json);
    cli_json_integer(json, "mesh", part->mesh);
    cli_json_integer(json, "node", part->node);
    cli_json_integer(json, "material", part->material);
    cli_json_integer(json, "skin", part->skin);
    cli_json_bool(json, "visible", sn_pose_shows(pose, index));
    put_vectors(job, json, "positions", positions, mesh->vertex_count);
    if (normals) put_vectors(job, json, "normals", normals, mesh->vertex_count);
    sni_json_end(json);
}

static void put_parts(cli_job *job, sni_json_writer *json, const sn_pose *pose, sn_vec3 *scratch)
{
    cli_json_list(json, "parts");
    for (uint32_t i = 0; i < job->model->part_count; i++) put_part(job, json, pose, (int32_t)i, scratch);
    sni_json_end(json);
}

static void put_pose(cli_job *job, const sn_pose *pose, cli_clip_time clip_time)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->model->mesh_count; i++)
        if (job->model->meshes[i].vertex_count > largest) largest = job->model->meshes[i].vertex_count;
    sn_vec3 *scratch = sni_new_raw(&job->arena, sn_vec3, largest * 2);
    if (!scratch) return;
    sni_json_writer json = cli_json_begin(job, "sinew.pose/1");
    put_clip_time(&json, job->model, clip_time);
    put_nodes(job, &json, pose);
    put_parts(job, &json, pose, scratch);
    cli_json_end(job, &json);
}

// --obj: the visible parts as Wavefront OBJ. Vertices are numbered from 1 through the whole file.

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

static void put_obj_vector(cli_out *out, const char *keyword, sn_vec3 value)
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
static void put_obj_name(cli_out *out, const char *keyword, const char *name)
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

static void put_obj_part(obj_file *obj, int32_t index, sn_vec3 *scratch)
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
    put_obj_name(obj->out, "o", name ? name : "mesh");
    put_obj_name(obj->out, "g", group ? group : "node");
    for (uint32_t i = 0; i < count; i++) put_obj_vector(obj->out, "v", positions[i]);
    if (part.has_uvs) put_uvs(obj->out, mesh->uvs[0], count);
    for (uint32_t i = 0; normals && i < count; i++) put_obj_vector(obj->out, "vn", normals[i]);
    put_elements(obj, &part);
    obj->vertex_base += count;
    obj->uv_base += part.has_uvs ? count : 0;
    obj->normal_base += part.has_normals ? count : 0;
}

static bool put_obj(cli_job *job, const sn_pose *pose, cli_out *out)
{
    obj_file obj = { job, pose, out, 1, 1, 1 };
    uint64_t largest = 0;
    for (uint32_t i = 0; i < job->model->mesh_count; i++)
        if (job->model->meshes[i].vertex_count > largest) largest = job->model->meshes[i].vertex_count;
    sn_vec3 *scratch = sni_new_raw(&job->arena, sn_vec3, largest * 2);
    if (!scratch) return false;
    cli_print(out, "# sinew %s\n", SN_VERSION);
    for (uint32_t i = 0; i < job->model->part_count; i++)
        if (sn_pose_shows(pose, (int32_t)i)) put_obj_part(&obj, (int32_t)i, scratch);
    return !out->text.failed;
}

// An existing target must be a plain file, and nothing that the model was read from.
static bool may_write(cli_job *job, const char *path)
{
    struct stat target;
    const char *reason = NULL, *shown = cli_escape(&job->arena, path);
    if (stat(path, &target) != 0) return true;
    if (!S_ISREG(target.st_mode)) reason = "not a regular file; '--obj -' writes to standard output";
    else if (job->read_target) reason = "is an input of the model; it will not be overwritten";
    if (reason) cli_complain("%s: %s", shown ? shown : "", reason);
    return reason == NULL;
}

static int write_file(cli_job *job, const sn_pose *pose, const char *path)
{
    cli_out text;
    cli_out_init(&text, stdout);  // never flushed: the text goes to the file
    if (!put_obj(job, pose, &text)) {
        cli_out_free(&text);
        sni_fail(&job->diag, SN_ERR_MEMORY, 0, "out of memory");
        return CLI_EXIT_MEMORY;
    }
    sn_error error;
    cli_clean_beside(path);
    cli_stop_begin_writing(&job->session->stop, path);
    bool is_written = sn_file_write(path, text.text.data, text.text.size, &error) == SN_OK;
    cli_stop_end_writing(&job->session->stop, path);
    const char *shown = cli_escape(&job->arena, path);
    if (!is_written) cli_complain("%s: error: %s", shown ? shown : "", error.message);
    cli_out_free(&text);
    return is_written ? CLI_EXIT_OK : cli_exit_of(error.status);
}

static int write_obj(cli_job *job, const sn_pose *pose, const char *path)
{
    if (strcmp(path, "-") == 0) return put_obj(job, pose, job->out) ? CLI_EXIT_OK : CLI_EXIT_MEMORY;
    return may_write(job, path) ? write_file(job, pose, path) : CLI_EXIT_USAGE;
}

static int put_result(cli_job *job, const sn_pose *pose, cli_clip_time clip_time)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    if (obj) return write_obj(job, pose, obj);
    if (cli_job_has(job, CLI_OPTION_JSON)) put_pose(job, pose, clip_time);
    else print_pose(job, pose, clip_time);
    return CLI_EXIT_OK;
}

int cli_run_pose(cli_job *job)
{
    const char *obj = job->args->values[CLI_OPTION_OBJ];
    cli_clip_time clip_time;
    if (obj && strcmp(obj, "-") != 0) job->targets[0] = obj;
    bool has_vertices = obj || cli_job_has(job, CLI_OPTION_JSON);
    if (!cli_job_load(job, false) || (has_vertices && !cli_job_can_show(job))) return cli_job_fail(job);
    if (!cli_read_clip_time(job, &clip_time)) return cli_complain_of_clip(job);
    sn_pose *pose = sn_pose_create(job->model, NULL, NULL);
    if (!pose) {
        sni_fail(&job->diag, SN_ERR_MEMORY, 0, "out of memory");
        return CLI_EXIT_MEMORY;
    }
    sn_pose_sample(pose, clip_time.clip, clip_time.seconds, clip_time.seconds);
    sn_pose_solve(pose, NULL);
    int code = put_result(job, pose, clip_time);
    sn_pose_free(pose);
    return code;
}
