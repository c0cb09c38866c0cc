// tree: the nodes of a model as a tree, as text or as JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements.h"
#include "job.h"
#include "table.h"

// Deeper levels are counted, not indented: a chain of 100000 nodes is drawn in linear time.
enum {
    DRAWN_LEVELS = 24,
    PREFIX_BYTES = 256,
    NAME_COLUMNS = 60,
    NAME_BYTES = 256,
    ALIGNED_COLUMNS = 56,
    HUNG_SHOWN = 6
};

// Who is whose child, and what hangs on which node.
typedef struct node_tree {
    cli_chains children, parts, cameras, lights, scenes;  // by node; scenes: places in scene_of
    int32_t *scene_of;                                    // one per root listed by any scene
} node_tree;

typedef struct lines {
    const char *root, *through, *blank, *child, *last;
} lines;

static const lines utf8_lines = { "● ", "│  ", "   ", "├─ ", "└─ " };
static const lines ascii_lines = { "* ", "|  ", "   ", "|- ", "`- " };

static const char *const flag_names[] = {
    "joint",       "attachment",      "hidden",       "billboard", "billboard_x",       "billboard_y",
    "billboard_z", "own_translation", "own_rotation", "own_scale", "scale_parent_axes",
};

// Names of the flags that are set, one by one: start with *from = 0. NULL after the last.
static const char *next_flag(uint32_t flags, uint32_t *from)
{
    for (; *from < sizeof flag_names / sizeof flag_names[0]; ++*from)
        if (flags >> *from & 1u) return flag_names[(*from)++];
    return NULL;
}

// Scenes list roots, and a node may be listed by several: turned around here, by counting and filling.
static bool make_scenes(node_tree *tree, cli_job *job)
{
    const sn_model *model = job->model;
    uint64_t listed = 0;
    for (uint32_t i = 0; i < model->scene_count; i++) listed += model->scenes[i].root_count;
    tree->scene_of = sni_new_raw(&job->arena, int32_t, listed);
    tree->scenes.first = sni_new_raw(&job->arena, int32_t, model->node_count);
    tree->scenes.next = sni_new_raw(&job->arena, int32_t, listed);
    if (!tree->scene_of || !tree->scenes.first || !tree->scenes.next) return false;
    for (uint32_t i = 0; i < model->node_count; i++) tree->scenes.first[i] = -1;
    for (uint32_t i = model->scene_count; i-- > 0;) {
        for (uint32_t k = 0; k < model->scenes[i].root_count; k++) {
            int32_t node = model->scenes[i].roots[k];
            listed--;
            tree->scene_of[listed] = (int32_t)i;
            tree->scenes.next[listed] = tree->scenes.first[node];
            tree->scenes.first[node] = (int32_t)listed;
        }
    }
    return true;
}

static bool make_tree(node_tree *tree, cli_job *job)
{
    const sn_model *model = job->model;
    sni_arena *arena = &job->arena;
    uint32_t nodes = model->node_count;
    return cli_chains_make(&tree->children, arena, model, nodes, nodes, cli_parent_of_node) &&
           cli_chains_make(&tree->parts, arena, model, nodes, model->part_count, cli_node_of_part) &&
           cli_chains_make(&tree->cameras, arena, model, nodes, model->camera_count, cli_node_of_camera) &&
           cli_chains_make(&tree->lights, arena, model, nodes, model->light_count, cli_node_of_light) &&
           make_scenes(tree, job);
}

// What hangs on one node, as one cell.
typedef struct hung {
    cli_job *job;
    const char *text;
    uint32_t count;
} hung;

static void hang(hung *list, const char *text)
{
    if (list->count++ < HUNG_SHOWN) list->text = cli_join(&list->job->arena, list->text, ", ", text);
}

// "mesh Body", or by number: "mesh 3".
static const char *called(cli_job *job, const char *kind, const char *name, int32_t index)
{
    sni_arena *arena = &job->arena;
    const char *label = name[0] ? cli_shorten(arena, name, NAME_COLUMNS) : cli_format(arena, "%d", index);
    return label ? cli_format(arena, "%s %s", kind, label) : NULL;
}

static void hang_named(hung *list, const char *kind, const char *name, int32_t index)
{
    hang(list, list->count < HUNG_SHOWN ? called(list->job, kind, name, index) : "");
}

static bool is_alike(const sn_model *model, int32_t a, int32_t b)
{
    const sn_part *first = &model->parts[a], *second = &model->parts[b];
    const char *name = model->meshes[first->mesh].name, *other = model->meshes[second->mesh].name;
    return first->skin == second->skin && name[0] && (name == other || strncmp(name, other, NAME_BYTES) == 0);
}

static void hang_part(hung *list, const sn_part *part, uint32_t alike)
{
    cli_job *job = list->job;
    const sn_model *model = job->model;
    if (list->count >= HUNG_SHOWN) {
        hang(list, "");
        return;
    }
    const char *text = called(job, "mesh", model->meshes[part->mesh].name, part->mesh);
    if (alike > 1) text = cli_join(&job->arena, text, " ×", cli_format(&job->arena, "%u", alike));
    if (part->skin >= 0)
        text = cli_join(&job->arena, text, " bent by ", called(job, "skin", model->skins[part->skin].name, part->skin));
    hang(list, text);
}

// Primitives of one glTF mesh are several parts with one name: "mesh Body ×3".
static void hang_parts(hung *list, const node_tree *tree, int32_t node)
{
    const sn_model *model = list->job->model;
    for (int32_t i = tree->parts.first[node]; i >= 0;) {
        int32_t first = i;
        uint32_t alike = 1;
        for (i = tree->parts.next[i]; i >= 0 && is_alike(model, first, i); i = tree->parts.next[i]) alike++;
        hang_part(list, &model->parts[first], alike);
    }
}

static const char *describe_node(cli_job *job, const node_tree *tree, int32_t index)
{
    const sn_model *model = job->model;
    const sn_node *node = &model->nodes[index];
    hung list = { job, "", 0 };
    const char *role = cli_node_role(&job->arena, node);
    uint32_t from = 0;
    if (node->parent < 0) hang(&list, "root");
    if (role && role[0] && (node->parent >= 0 || strcmp(role, "root") != 0))
        hang(&list, cli_shorten(&job->arena, role, NAME_COLUMNS));
    if (model->scene_count > 1)
        for (int32_t i = tree->scenes.first[index]; i >= 0; i = tree->scenes.next[i])
            hang_named(&list, "scene", model->scenes[tree->scene_of[i]].name, tree->scene_of[i]);
    for (const char *flag; (flag = next_flag(node->flags, &from));) hang(&list, flag);
    hang_parts(&list, tree, index);
    for (int32_t i = tree->cameras.first[index]; i >= 0; i = tree->cameras.next[i])
        hang_named(&list, "camera", model->cameras[i].name, i);
    for (int32_t i = tree->lights.first[index]; i >= 0; i = tree->lights.next[i])
        hang_named(&list, "light", model->lights[i].name, i);
    if (list.count <= HUNG_SHOWN) return list.text;
    return cli_join(&job->arena, list.text, ", ", cli_format(&job->arena, "… %u more", list.count - HUNG_SHOWN));
}

// The lines left of a name. `has_more[level]`: the ancestor at that level has younger siblings.
static void draw_prefix(char out[PREFIX_BYTES], const lines *style, const uint8_t *has_more, uint32_t depth)
{
    uint32_t hidden = depth > DRAWN_LEVELS ? depth - DRAWN_LEVELS : 0;
    size_t used = 0;
    out[0] = 0;
    if (depth == 0) used += (size_t)snprintf(out, PREFIX_BYTES, "%s", style->root);
    if (hidden > 0) used += (size_t)snprintf(out, PREFIX_BYTES, "+%-6u ", hidden);
    for (uint32_t level = hidden + 1; level <= depth; level++) {
        bool is_own = level == depth;
        const char *line = has_more[level] ? (is_own ? style->child : style->through)
                                           : (is_own ? style->last : style->blank);
        used += (size_t)snprintf(out + used, PREFIX_BYTES - used, "%s", line);
    }
}

static const char *draw_name(cli_job *job, int32_t index, const char *prefix)
{
    const sn_node *node = &job->model->nodes[index];
    uint32_t number = node->id >= 0 ? (uint32_t)node->id : (uint32_t)index;
    const char *name = cli_name_or(&job->arena, node->name, "node", number);
    const char *label = name ? cli_shorten(&job->arena, name, NAME_COLUMNS) : NULL;
    return label ? cli_format(&job->arena, "%s%s", prefix, label) : NULL;
}

// What is smaller than `noise` is shown as 0.
static const char *rest_numbers(cli_job *job, const char *letter, const float *values, size_t count, float noise)
{
    const char *text = letter;
    for (size_t i = 0; i < count; i++) {
        float value = fabsf(values[i]) < noise ? 0.0f : values[i];
        text = cli_join(&job->arena, text, " ", cli_number(&job->arena, value));
    }
    return text;
}

static void add_node(cli_job *job, cli_table *table, const node_tree *tree, int32_t index, const char *prefix)
{
    const sn_trs *rest = &job->model->nodes[index].rest;
    const float t[3] = { rest->translation.x, rest->translation.y, rest->translation.z };
    const float r[4] = { rest->rotation.x, rest->rotation.y, rest->rotation.z, rest->rotation.w };
    const float s[3] = { rest->scale.x, rest->scale.y, rest->scale.z };
    cli_row row = { { draw_name(job, index, prefix), describe_node(job, tree, index) } };
    if (cli_job_has(job, CLI_OPTION_REST)) {
        row.cells[2] = rest_numbers(job, "t", t, 3, 0.0f);
        row.cells[3] = rest_numbers(job, "r", r, 4, 1e-6f);
        row.cells[4] = rest_numbers(job, "s", s, 3, 0.0f);
        if (job->model->nodes[index].matrix) row.cells[5] = "and a matrix";
    }
    cli_table_add(table, row);
}

// Depth first without a stack: down to the first child, else on to the next sibling of the nearest ancestor.
static bool next_node(const node_tree *tree, const sn_model *model, int32_t *node, uint32_t *depth)
{
    if (tree->children.first[*node] >= 0) {
        *node = tree->children.first[*node];
        ++*depth;
        return true;
    }
    while (*depth > 0 && tree->children.next[*node] < 0) {
        *node = model->nodes[*node].parent;
        --*depth;
    }
    if (*depth == 0) return false;
    *node = tree->children.next[*node];
    return true;
}

static void add_tree(cli_job *job, cli_table *table, const node_tree *tree, int32_t root, uint8_t *has_more)
{
    const lines *style = cli_job_has(job, CLI_OPTION_ASCII) ? &ascii_lines : &utf8_lines;
    char prefix[PREFIX_BYTES];
    int32_t node = root;
    uint32_t depth = 0;
    do {
        has_more[depth] = depth > 0 && tree->children.next[node] >= 0;
        draw_prefix(prefix, style, has_more, depth);
        add_node(job, table, tree, node, prefix);
    } while (next_node(tree, job->model, &node, &depth));
}

static void print_heading(cli_job *job, uint32_t roots)
{
    const sn_model *model = job->model;
    const char *nodes = cli_count(&job->arena, model->node_count, "node", "nodes");
    const char *root_text = cli_count(&job->arena, roots, "root", "roots");
    if (!nodes || !root_text) return;
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, ": %s, %s", nodes, root_text);
    if (model->scene_count > 1) cli_print(job->out, ", %u scenes", model->scene_count);
    if (model->scene_count > 1 && model->default_scene >= 0) {
        const char *name = model->scenes[model->default_scene].name;
        cli_print(job->out, " (shown: ");
        if (name[0]) cli_print_safe(job->out, name);
        else cli_print(job->out, "%d", model->default_scene);
        cli_print(job->out, ")");
    }
    cli_print(job->out, "\n");
}

static void print_tree(cli_job *job, const node_tree *tree)
{
    const sn_model *model = job->model;
    cli_table table = cli_table_make(&job->arena, "llllll", model->node_count);
    uint8_t *has_more = sni_new(&job->arena, uint8_t, (uint64_t)model->node_count + 1);
    uint32_t roots = 0;
    if (!has_more) return;
    table.widest = ALIGNED_COLUMNS;
    table.styles[1] = CLI_CYAN;
    for (int i = 2; i < CLI_COLUMNS; i++) table.styles[i] = CLI_DIM;
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent >= 0) continue;
        add_tree(job, &table, tree, (int32_t)i, has_more);
        roots++;
    }
    cli_job_begin_text(job);
    print_heading(job, roots);
    cli_table_print(&table, job->out, 0);
}

// --json: schema sinew.tree/1. A flat list, parents before children, so that depth costs nothing.

static void put_chain(sni_json_writer *json, const char *key, const cli_chains *chains, int32_t owner)
{
    cli_json_flat_list(json, key);
    for (int32_t i = chains->first[owner]; i >= 0; i = chains->next[i]) sni_json_put_integer(json, i);
    sni_json_end(json);
}

static void put_flags(sni_json_writer *json, uint32_t flags)
{
    uint32_t from = 0;
    cli_json_flat_list(json, "flags");
    for (const char *flag; (flag = next_flag(flags, &from));) sni_json_put_text(json, flag);
    sni_json_end(json);
}

static void put_rest(sni_json_writer *json, const sn_node *node)
{
    const sn_quat r = node->rest.rotation;
    const float rotation[4] = { r.x, r.y, r.z, r.w };
    cli_json_vec3(json, "translation", node->rest.translation);
    cli_json_floats(json, "rotation", rotation, 4);
    cli_json_vec3(json, "scale", node->rest.scale);
    if (node->matrix) cli_json_floats(json, "matrix", node->matrix->m[0], 12);
}

static void put_node(sni_json_writer *json, cli_job *job, const node_tree *tree, int32_t index)
{
    const sn_node *node = &job->model->nodes[index];
    const char *role = cli_node_role(&job->arena, node);
    sni_json_begin_object(json);
    cli_json_text(json, "name", node->name);
    cli_json_integer(json, "id", node->id);
    cli_json_integer(json, "parent", node->parent);
    put_chain(json, "children", &tree->children, index);
    put_rest(json, node);
    put_flags(json, node->flags);
    if (role) cli_json_name(json, "role", role);
    put_chain(json, "parts", &tree->parts, index);
    put_chain(json, "cameras", &tree->cameras, index);
    put_chain(json, "lights", &tree->lights, index);
    sni_json_end(json);
}

static void put_parts(sni_json_writer *json, const sn_model *model)
{
    cli_json_list(json, "parts");
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        sni_json_begin_object(json);
        cli_json_name(json, "name", model->meshes[part->mesh].name);
        cli_json_integer(json, "mesh", part->mesh);
        cli_json_integer(json, "node", part->node);
        cli_json_integer(json, "skin", part->skin);
        cli_json_integer(json, "material", part->material);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_scenes(sni_json_writer *json, const sn_model *model)
{
    cli_json_integer(json, "default_scene", model->default_scene);
    cli_json_list(json, "scenes");
    for (uint32_t i = 0; i < model->scene_count; i++) {
        sni_json_begin_object(json);
        cli_json_text(json, "name", model->scenes[i].name);
        cli_json_flat_list(json, "roots");
        for (uint32_t k = 0; k < model->scenes[i].root_count; k++)
            sni_json_put_integer(json, model->scenes[i].roots[k]);
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_tree(cli_job *job, const node_tree *tree)
{
    const sn_model *model = job->model;
    sni_json_writer json = cli_json_begin(job, "sinew.tree/1");
    cli_json_text(&json, "format", model->format);
    put_scenes(&json, model);
    cli_json_list(&json, "nodes");
    for (uint32_t i = 0; i < model->node_count; i++) {
        put_node(&json, job, tree, (int32_t)i);
        cli_out_drain(job->out);
    }
    sni_json_end(&json);
    put_parts(&json, model);
    cli_json_end(job, &json);
}

int cli_run_tree(cli_job *job)
{
    node_tree tree;
    if (!cli_job_load(job, false)) return cli_job_fail(job);
    if (!make_tree(&tree, job)) return CLI_EXIT_MEMORY;
    if (cli_job_has(job, CLI_OPTION_JSON)) put_tree(job, &tree);
    else print_tree(job, &tree);
    return CLI_EXIT_OK;
}
