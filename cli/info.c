// info: what a model contains, on one screen.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "elements.h"
#include "job.h"
#include "table.h"

// One screen: lists are cut after a few rows, names and lists of names after a few columns.
enum { SHORT_LIST = 12, NAME_COLUMNS = 32, PATH_COLUMNS = 40, NODE_COLUMNS = 24, SHORT_NODES = 3 };

static const char *const map_names[SN_MAP_COUNT] = { "colour", "metal-rough", "normal", "occlusion", "emissive" };
static const char *const blend_names[] = {
    "opaque", "alpha", "add", "add alpha", "modulate", "modulate 2x", "screen", "subtract",
};

static uint32_t rows_shown(const cli_job *job, uint32_t count)
{
    return cli_job_has(job, CLI_OPTION_ALL) || count <= SHORT_LIST ? count : SHORT_LIST;
}

static const char *name_cell(cli_job *job, const char *name, const char *kind, uint32_t index)
{
    const char *label = cli_name_or(&job->arena, name, kind, index);
    return label ? cli_shorten(&job->arena, label, cli_job_has(job, CLI_OPTION_ALL) ? 200 : NAME_COLUMNS) : NULL;
}

static void print_section(cli_job *job, const char *title, const cli_table *table, uint32_t count)
{
    cli_print(job->out, "\n");
    cli_print_styled(job->out, CLI_BOLD, title);
    cli_print(job->out, "\n");
    cli_table_print(table, job->out, 2);
    uint32_t rest = count - rows_shown(job, count);
    if (rest > 0) cli_print(job->out, "  … %u more\n", rest);
}

static cli_table section_table(cli_job *job, const char *columns, uint32_t count, cli_row heading)
{
    cli_table table = cli_table_make(&job->arena, columns, rows_shown(job, count) + 1);
    table.has_heading = true;
    cli_table_add(&table, heading);
    return table;
}

static const char *add_count(cli_job *job, const char *text, uint32_t count, const char *one, const char *many)
{
    if (count == 0) return text;
    return cli_join(&job->arena, text, ", ", cli_count(&job->arena, count, one, many));
}

static const char *describe_nodes(cli_job *job)
{
    const sn_model *model = job->model;
    uint32_t roots = 0, joints = 0, attachments = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        roots += model->nodes[i].parent < 0;
        joints += (model->nodes[i].flags & SN_NODE_JOINT) != 0;
        attachments += (model->nodes[i].flags & SN_NODE_ATTACHMENT) != 0;
    }
    const char *text = add_count(job, "", roots, "root", "roots");
    text = add_count(job, text, joints, "joint", "joints");
    return add_count(job, text, attachments, "attachment", "attachments");
}

static const char *describe_geometry(cli_job *job)
{
    const sn_model *model = job->model;
    uint64_t vertices = 0, primitives[3] = { 0 };
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        vertices += model->meshes[i].vertex_count;
        primitives[model->meshes[i].topology] += cli_mesh_primitives(&model->meshes[i]);
    }
    const char *text = cli_count(&job->arena, vertices, "vertex", "vertices");
    const char *const ones[3] = { "triangle", "line", "point" };
    for (int i = 0; i < 3; i++) {
        if (primitives[i] == 0) continue;
        const char *many = cli_topology_name((sn_topology)i);
        text = cli_join(&job->arena, text, ", ", cli_count(&job->arena, primitives[i], ones[i], many));
    }
    return text;
}

static const char *describe_rest(cli_job *job)
{
    const sn_model *model = job->model;
    const char *text = add_count(job, "", model->skin_count, "skin", "skins");
    text = add_count(job, text, model->clip_count, "clip", "clips");
    text = add_count(job, text, model->material_count, "material", "materials");
    text = add_count(job, text, model->image_count, "image", "images");
    text = add_count(job, text, model->camera_count, "camera", "cameras");
    text = add_count(job, text, model->light_count, "light", "lights");
    text = add_count(job, text, model->scene_count > 1 ? model->scene_count : 0, "scene", "scenes");
    return add_count(job, text, model->lod_count > 1 ? model->lod_count : 0, "level of detail", "levels of detail");
}

static const char *point_text(cli_job *job, sn_vec3 point, const char *separator)
{
    const char *x = cli_number(&job->arena, point.x), *y = cli_number(&job->arena, point.y);
    return cli_join(&job->arena, cli_join(&job->arena, x, separator, y), separator, cli_number(&job->arena, point.z));
}

// Differences below the fourth digit are rounding.
static sn_vec3 without_noise(sn_vec3 point, float size)
{
    float noise = size * 5e-5f;
    if (fabsf(point.x) < noise) point.x = 0;
    if (fabsf(point.y) < noise) point.y = 0;
    if (fabsf(point.z) < noise) point.z = 0;
    return point;
}

static const char *describe_size(cli_job *job, const sn_bounds *bounds)
{
    const sn_vec3 a = bounds->min, b = bounds->max, sides = { b.x - a.x, b.y - a.y, b.z - a.z };
    float largest = fmaxf(sides.x, fmaxf(sides.y, sides.z));
    const char *size = point_text(job, without_noise(sides, largest), " × ");
    const char *low = point_text(job, without_noise(a, largest), ", ");
    const char *high = point_text(job, without_noise(b, largest), ", ");
    if (!size || !low || !high) return NULL;
    return cli_format(&job->arena, "%s, from (%s) to (%s)", size, low, high);
}

static void add_fact(cli_table *table, const char *name, const char *text)
{
    if (text && text[0]) cli_table_add(table, (cli_row){ { name, text } });
}

// The root of a known layout, which is searched too.
static const char *describe_layout(cli_job *job)
{
    char root[PATH_MAX];
    const char *title, *shown;
    if (job->input->archive || strcmp(job->input->path, "-") == 0 || cli_job_has(job, CLI_OPTION_NO_LAYOUT)) return "";
    if (!sn_layout_find(job->input->path, root, sizeof root, &title) || !(shown = cli_escape(&job->arena, root)))
        return "";
    return cli_format(&job->arena, "%s: %s is searched", title, shown);
}

static void print_facts(cli_job *job, const sn_bounds *bounds)
{
    const sn_model *model = job->model;
    sni_arena *arena = &job->arena;
    cli_table table = cli_table_make(arena, "ll", 12);
    const char *nodes = cli_count(arena, model->node_count, "node", "nodes"), *details = describe_nodes(job);
    const char *meshes = cli_count(arena, model->mesh_count, "mesh", "meshes");
    const char *parts = cli_count(arena, model->part_count, "part", "parts");
    const char *format = cli_escape(arena, model->format), *title = cli_shorten(arena, model->name, 60);
    if (!nodes || !details || !meshes || !parts || !format || !title) return;
    if (strcmp(title, job->shown) != 0) add_fact(&table, "name", title);
    add_fact(&table, "format", cli_format(arena, "%s, %s up", format, model->up_axis == SN_Z_UP ? "Z" : "Y"));
    add_fact(&table, "nodes", details[0] ? cli_format(arena, "%s: %s", nodes, details) : nodes);
    const char *geometry = describe_geometry(job);
    if (model->mesh_count > 0 && geometry)
        add_fact(&table, "geometry", cli_format(arena, "%s in %s, %s", meshes, parts, geometry));
    add_fact(&table, "also", describe_rest(job));
    const char *names, *why = cli_job_why_empty(job);
    const uint32_t effects = cli_count_effects(&job->arena, job->model, &names);
    if (effects > 0 && names)
        add_fact(&table, "not drawn", cli_format(arena, "%u emitters and ribbons: %s", effects, names));
    if (why) add_fact(&table, "empty", cli_escape(arena, why));
    add_fact(&table, "layout", describe_layout(job));
    if (model->part_count > 0) add_fact(&table, "size", describe_size(job, bounds));
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, "\n");
    cli_table_print(&table, job->out, 2);
}

static const char *primitives_cell(cli_job *job, const sn_mesh *mesh)
{
    uint32_t count = cli_mesh_primitives(mesh);
    if (mesh->topology == SN_TRIANGLES) return cli_format(&job->arena, "%u", count);
    return cli_format(&job->arena, "%u %s", count, cli_topology_name(mesh->topology));
}

static const char *mesh_details(cli_job *job, const sn_mesh *mesh)
{
    const char *text = add_count(job, "", mesh->influence_count, "weight", "weights");
    return add_count(job, text, mesh->morph_count, "morph", "morphs");
}

static const char *part_label(cli_job *job, const sn_part *part)
{
    const sn_model *model = job->model;
    uint32_t node = (uint32_t)part->node;
    const char *name = cli_name_or(&job->arena, model->nodes[node].name, "node",
                                   model->nodes[node].id >= 0 ? (uint32_t)model->nodes[node].id : node);
    return name ? cli_shorten(&job->arena, name, NODE_COLUMNS) : NULL;
}

static const char *shown_by(cli_job *job, const cli_chains *parts, uint32_t mesh)
{
    const char *text = "";
    uint32_t listed = 0, rest = 0;
    bool is_whole = cli_job_has(job, CLI_OPTION_ALL);
    for (int32_t i = parts->first[mesh]; i >= 0; i = parts->next[i]) {
        if (listed >= SHORT_NODES && !(is_whole && listed < 100)) rest++;
        else listed++, text = cli_join(&job->arena, text, ", ", part_label(job, &job->model->parts[i]));
    }
    return rest > 0 ? cli_join(&job->arena, text, " ", cli_format(&job->arena, "… %u more", rest)) : text;
}

static void print_meshes(cli_job *job)
{
    const sn_model *model = job->model;
    cli_chains parts;
    if (!cli_chains_make(&parts, &job->arena, model, model->mesh_count, model->part_count, cli_mesh_of_part)) return;
    cli_table table = section_table(job, "lrrll", model->mesh_count,
                                    (cli_row){ { "name", "vertices", "triangles", "per vertex", "shown by" } });
    for (uint32_t i = 0; i < rows_shown(job, model->mesh_count); i++) {
        const sn_mesh *mesh = &model->meshes[i];
        cli_table_add(&table,
                      (cli_row){ { name_cell(job, mesh->name, "mesh", i),
                                   cli_format(&job->arena, "%u", mesh->vertex_count), primitives_cell(job, mesh),
                                   mesh_details(job, mesh), shown_by(job, &parts, i) } });
    }
    print_section(job, "Meshes", &table, model->mesh_count);
}

static const char *texture_text(cli_job *job, int32_t image, const char *map)
{
    const char *label = cli_image_label(&job->arena, job->model, image);
    const char *name = label ? cli_shorten_path(&job->arena, label, NAME_COLUMNS) : NULL;
    const char *missing = job->model->images[image].data ? "" : " (missing)";
    return name ? cli_format(&job->arena, "%s %s%s", map, name, missing) : NULL;
}

static const char *textures_of(cli_job *job, const sn_material *material)
{
    const char *text = "";
    for (uint32_t i = 0; i < material->layer_count && i < SHORT_LIST; i++) {
        for (int map = 0; map < SN_MAP_COUNT; map++) {
            int32_t image = material->layers[i].maps[map].image;
            if (image >= 0) text = cli_join(&job->arena, text, ", ", texture_text(job, image, map_names[map]));
        }
    }
    return text;
}

static const char *surface_of(cli_job *job, const sn_material *material)
{
    if (material->layer_count != 1) return cli_count(&job->arena, material->layer_count, "layer", "layers");
    const sn_layer *layer = &material->layers[0];
    bool is_cutout = layer->alpha_cutoff > 0 && layer->blend == SN_BLEND_OPAQUE;
    const char *text = is_cutout ? "cutout" : blend_names[layer->blend];
    if (layer->flags & SN_LAYER_TWO_SIDED) text = cli_join(&job->arena, text, ", ", "two-sided");
    if (layer->flags & SN_LAYER_UNLIT) text = cli_join(&job->arena, text, ", ", "unlit");
    return text;
}

static void print_materials(cli_job *job)
{
    const sn_model *model = job->model;
    cli_table table = section_table(job, "lll", model->material_count, (cli_row){ { "name", "surface", "textures" } });
    for (uint32_t i = 0; i < rows_shown(job, model->material_count); i++) {
        const sn_material *material = &model->materials[i];
        cli_table_add(&table, (cli_row){ { name_cell(job, material->name, "material", i), surface_of(job, material),
                                           textures_of(job, material) } });
    }
    print_section(job, "Materials", &table, model->material_count);
}

static void print_skins(cli_job *job)
{
    const sn_model *model = job->model;
    uint32_t *bent = sni_new(&job->arena, uint32_t, model->skin_count);
    if (!bent) return;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].skin >= 0) bent[model->parts[i].skin]++;
    cli_table table = section_table(job, "lrr", model->skin_count, (cli_row){ { "name", "joints", "parts" } });
    for (uint32_t i = 0; i < rows_shown(job, model->skin_count); i++) {
        const sn_skin *skin = &model->skins[i];
        cli_table_add(&table, (cli_row){ { name_cell(job, skin->name, "skin", i),
                                           cli_format(&job->arena, "%u", skin->joint_count),
                                           cli_format(&job->arena, "%u", bent[i]) } });
    }
    print_section(job, "Skins", &table, model->skin_count);
}

static const char *key_count(cli_job *job, const sn_clip *clip)
{
    uint64_t keys = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) keys += clip->tracks[i].key_count;
    return cli_format(&job->arena, "%llu", (unsigned long long)keys);
}

static void print_clips(cli_job *job)
{
    const sn_model *model = job->model;
    cli_table table = section_table(job, "lrrrl", model->clip_count,
                                    (cli_row){ { "name", "seconds", "tracks", "keys", "" } });
    for (uint32_t i = 0; i < rows_shown(job, model->clip_count); i++) {
        const sn_clip *clip = &model->clips[i];
        cli_table_add(&table, (cli_row){ { name_cell(job, clip->name, "clip", i),
                                           cli_format(&job->arena, "%.3f", (double)clip->duration),
                                           cli_format(&job->arena, "%u", clip->track_count), key_count(job, clip),
                                           clip->loops ? "loops" : "" } });
    }
    print_section(job, "Clips", &table, model->clip_count);
}

static void print_scenes(cli_job *job)
{
    const sn_model *model = job->model;
    cli_table table = section_table(job, "lrl", model->scene_count, (cli_row){ { "name", "roots", "" } });
    for (uint32_t i = 0; i < rows_shown(job, model->scene_count); i++) {
        const sn_scene *scene = &model->scenes[i];
        cli_table_add(&table, (cli_row){ { name_cell(job, scene->name, "scene", i),
                                           cli_format(&job->arena, "%u", scene->root_count),
                                           (int32_t)i == model->default_scene ? "shown" : "" } });
    }
    print_section(job, "Scenes", &table, model->scene_count);
}

static void print_warnings(cli_job *job)
{
    const sn_model *model = job->model;
    cli_table table = section_table(job, "llrl", model->warning_count,
                                    (cli_row){ { "warning", "where", "times", "what" } });
    for (uint32_t i = 0; i < rows_shown(job, model->warning_count); i++) {
        const sn_warning *warning = &model->warnings[i];
        cli_table_add(&table, (cli_row){ { sn_warning_name(warning->code),
                                           cli_shorten_path(&job->arena, warning->path, PATH_COLUMNS),
                                           cli_format(&job->arena, "%u", warning->count),
                                           cli_escape(&job->arena, warning->message) } });
    }
    print_section(job, "Warnings", &table, model->warning_count);
}

static const char *image_size_text(cli_job *job, const sn_image *image)
{
    sn_pixels size = cli_image_size(&job->arena, image);
    return size.width > 0 ? cli_format(&job->arena, "%u × %u", size.width, size.height) : "";
}

static void print_places(cli_job *job)
{
    const bool is_exact = cli_job_has_exact_refs(job);
    const char *places = cli_session_describe_places(job->session, job->input, is_exact, &job->arena);
    if (!places) return;
    cli_print(job->out, "  searched for the missing files %s%s\n", places[0] ? places : "nowhere",
              is_exact ? "" : "; --search and --archive add more places");
}

static void print_images(cli_job *job)
{
    uint32_t missing = 0;
    const sn_model *model = job->model;
    cli_table table = section_table(job, "llrr", model->image_count,
                                    (cli_row){ { "name", "kind", "pixels", "bytes" } });
    for (uint32_t i = 0; i < rows_shown(job, model->image_count); i++) {
        const sn_image *image = &model->images[i];
        const char *label = cli_image_label(&job->arena, model, (int32_t)i),
                   *kind = image->data ? image->mime_type : "missing";
        cli_table_add(&table, (cli_row){ { label ? cli_shorten_path(&job->arena, label, NAME_COLUMNS) : NULL,
                                           kind[0] ? kind : "unknown", image_size_text(job, image),
                                           cli_format(&job->arena, "%llu", (unsigned long long)image->size) } });
    }
    print_section(job, "Images", &table, model->image_count);
    for (uint32_t i = 0; i < model->image_count; i++) missing += !model->images[i].data && model->images[i].uri[0];
    if (missing > 0 && !cli_job_lacks_files(job)) print_places(job);
}

// Lists in the extras of a model: the tracks or files of a file that is not a model by itself, the models in a pack.

enum { LONGEST = 16 << 20, DEEPEST = 8, CELL_COLUMNS = 48 };

// Columns are the keys of the first row; what others have beyond them is left out.
typedef struct list_rows {
    cli_job *job;
    sni_list rows;
    const char *keys[CLI_COLUMNS];
    uint32_t key_count;
} list_rows;

static const char *read_cell(cli_job *job, sni_json *json)
{
    if (sni_json_peek(json) == SNI_JSON_STRING)
        return cli_shorten(&job->arena, sni_json_string(json, NULL), CELL_COLUMNS);
    sni_str raw = sni_json_raw(json);
    return raw.size <= CELL_COLUMNS ? sni_copy_text(&job->arena, raw.at, raw.size) : "…";
}

static uint32_t find_column(list_rows *list, sni_str key)
{
    for (uint32_t i = 0; i < list->key_count; i++)
        if (sni_str_is(key, list->keys[i])) return i;
    if (list->rows.count > 1 || list->key_count == CLI_COLUMNS) return CLI_COLUMNS;
    const char *copy = sni_copy_text(&list->job->arena, key.at, key.size);
    if (!copy) return CLI_COLUMNS;
    list->keys[list->key_count] = copy;
    return list->key_count++;
}

static void read_object(list_rows *list, sni_json *json, cli_row *row)
{
    sni_str key;
    sni_json_enter_object(json);
    while (sni_json_next_key(json, &key)) {
        uint32_t column = find_column(list, key);
        if (column < CLI_COLUMNS) row->cells[column] = read_cell(list->job, json);
        else sni_json_skip(json);
    }
}

static bool read_rows(list_rows *list, sni_json *json)
{
    sni_json_enter_array(json);
    while (sni_json_next_item(json)) {
        cli_row *row = sni_push(&list->job->arena, &list->rows, cli_row);
        if (!row) return false;
        if (sni_json_peek(json) == SNI_JSON_OBJECT) read_object(list, json, row);
        else row->cells[0] = read_cell(list->job, json);
    }
    return sni_json_ok(json);
}

static void print_list(cli_job *job, sni_json *json, const char *title)
{
    list_rows list = { .job = job };
    cli_row heading = { { NULL } };
    if (!read_rows(&list, json) || list.rows.count == 0) return;
    uint32_t shown = rows_shown(job, list.rows.count);
    cli_table table = cli_table_make(&job->arena, "lrrrrr", shown + 1);
    table.has_heading = list.key_count > 0;
    memcpy(heading.cells, list.keys, sizeof heading.cells);
    if (table.has_heading) cli_table_add(&table, heading);
    for (uint32_t i = 0; i < shown; i++) cli_table_add(&table, ((const cli_row *)list.rows.items)[i]);
    print_section(job, title, &table, list.rows.count);
}

static void print_lists(cli_job *job)
{
    const sn_model *model = job->model;
    size_t size = model->extras ? strlen(model->extras) : 0;
    bool is_alone = model->node_count == 0;
    sni_diag diag;
    sni_str key;
    if (size == 0 || size > LONGEST) return;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(model->extras, size), 0, DEEPEST, &diag, &job->arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return;
    sni_json_enter_object(&json);
    while (sni_json_next_key(&json, &key)) {
        bool is_list = sni_json_peek(&json) == SNI_JSON_ARRAY;
        if (is_list && is_alone && sni_str_is(key, "tracks")) print_list(job, &json, "Tracks");
        else if (is_list && is_alone && sni_str_is(key, "files")) print_list(job, &json, "Files");
        else if (is_list && sni_str_is(key, "models")) print_list(job, &json, "Models");
        else sni_json_skip(&json);
    }
}

static void print_info(cli_job *job, const sn_bounds *bounds)
{
    const sn_model *model = job->model;
    cli_job_begin_text(job);
    print_facts(job, bounds);
    if (model->mesh_count > 0) print_meshes(job);
    if (model->material_count > 0) print_materials(job);
    if (model->image_count > 0) print_images(job);
    if (model->skin_count > 0) print_skins(job);
    if (model->clip_count > 0) print_clips(job);
    if (model->scene_count > 1) print_scenes(job);
    print_lists(job);
    if (model->warning_count > 0) print_warnings(job);
    if (cli_job_lacks_files(job)) print_places(job);
}

// For shell completions.
static int list_clips(cli_job *job)
{
    for (uint32_t i = 0; i < job->model->clip_count; i++) {
        if (!job->model->clips[i].name[0]) continue;
        cli_print_safe(job->out, job->model->clips[i].name);
        cli_print(job->out, "\n");
    }
    return CLI_EXIT_OK;
}

static void print_json(cli_job *job, const sn_bounds *bounds)
{
    sni_json_writer json = cli_json_begin(job, "sinew.info/2");
    cli_info_json(&json, &job->arena, job->out, job->model, bounds);
    cli_json_end(job, &json);
}

int cli_run_info(cli_job *job)
{
    sn_bounds bounds;
    if (job->input->is_archive) return cli_info_archive(job);
    if (!cli_job_load(job, false)) return cli_job_fail(job);
    if (cli_job_has(job, CLI_OPTION_LIST_CLIPS)) return list_clips(job);
    sn_status status = sn_model_bounds(job->model, -1, NULL, &bounds);
    if (status != SN_OK) {
        sni_fail(&job->diag, status, 0, status == SN_ERR_MEMORY ? "out of memory" : "cannot measure the model");
        return cli_exit_of(status);
    }
    if (cli_job_has(job, CLI_OPTION_JSON)) print_json(job, &bounds);
    else print_info(job, &bounds);
    return CLI_EXIT_OK;
}
