// The plan of convert and render, before anything is written: inputs, outputs, and whether they conflict.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/text.h"
#include "batch.h"
#include "cli/clip_time.h"

enum { JOBS_MAX = 256, INFLUENCES_MAX = 255 };

typedef struct cli_planner {
    cli_plan *plan;
    sni_list inputs;              // cli_input, one or more for each operand
    const char *output, *ending;  // "glb"
    bool is_folder;               // the output
    bool has_identity;            // it is there: inputs are not looked for inside it
    struct stat identity;
    const char *refused;  // a path in a list that leads out of the output folder
} cli_planner;

static const char *ending_of(const char *path)
{
    const char *name = sni_last_name(path);
    const size_t stem = sni_stem_size(name);
    return stem > 0 && name[stem] ? name + stem + 1 : "";
}

bool cli_has_ending(const char *path, const char *ending)
{
    const char *own = ending_of(path);
    return sni_str_is_nocase(sni_str_make(own, strlen(own)), ending);
}

// The path's ending, in lower case, where sinew writes such files; else NULL.
static const char *find_target(const cli_plan *plan, const char *path)
{
    sn_format format;
    sn_image_format image;
    const char *own = ending_of(path);
    if (plan->ending) return cli_has_ending(path, plan->ending) ? plan->ending : NULL;
    for (uint32_t i = 0; own[0] && sn_image_format_at(i, &image); i++)
        if (image.is_saved && cli_has_ending(path, image.extensions)) return image.extensions;
    for (uint32_t i = 0; own[0] && sn_format_at(i, &format); i++) {
        if (!format.is_saved && !format.has_document) continue;
        for (const char *at = format.extensions; *at; at += strspn(at, " ")) {
            size_t size = strcspn(at, " ");
            if (sni_str_is_nocase(sni_str_make(at, size), own)) return sni_copy_text(plan->arena, at, size);
            at += size;
        }
    }
    return NULL;
}

static const char *explain_extension(const cli_plan *plan, const char *path)
{
    const char *list = "", *own = cli_escape(plan->arena, ending_of(path));
    for (const char *at = cli_options[CLI_OPTION_TO].choices; *at && list; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        list = cli_format(plan->arena, "%s .%.*s", list, (int)size, at);
        at += size;
    }
    const char *text = cli_format(plan->arena,
                                  "unknown output extension \"%s%s\"; sinew writes%s; end a new folder with '/'",
                                  own && own[0] ? "." : "", own ? own : "", list ? list : "");
    return text ? text : "unknown output extension";
}

static uint32_t count_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > JOBS_MAX ? JOBS_MAX : (uint32_t)count;
}

bool cli_read_jobs(const cli_args *args, uint32_t *jobs)
{
    return cli_read_number(args, CLI_OPTION_JOBS, 1, JOBS_MAX, count_processors(), jobs);
}

// --units, then --scale.
static bool read_scale(cli_plan *plan)
{
    static const struct {
        const char *name;
        float metres;
    } units[] = {
        { "m", 1 }, { "cm", 0.01f }, { "mm", 0.001f }, { "in", 0.0254f }, { "ft", 0.3048f }, { "yd", 0.9144f }
    };
    const char *unit = plan->args->values[CLI_OPTION_UNITS], *scale = plan->args->values[CLI_OPTION_SCALE];
    plan->scale = 1;
    if (scale && !(cli_parse_float(scale, &plan->scale) && plan->scale > 0)) {
        char shown[64];
        sni_text_printable(scale, shown, sizeof shown);
        cli_complain("'--scale' needs a number above 0, not '%s'", shown);
        return false;
    }
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0) plan->scale *= units[i].metres;
    return true;
}

static bool read_numbers(cli_plan *plan)
{
    return cli_read_jobs(plan->args, &plan->jobs) && read_scale(plan) &&
           cli_read_number(plan->args, CLI_OPTION_MAX_INFLUENCES, 1, INFLUENCES_MAX, 0, &plan->max_influences) &&
           cli_read_number(plan->args, CLI_OPTION_MDX_VERSION, 800, 1200, 0, &plan->mdx_version);
}

static const char *find_misuse(const cli_plan *plan)
{
    const cli_args *args = plan->args;
    const char *output = args->values[CLI_OPTION_OUTPUT], *to = args->values[CLI_OPTION_TO];
    int to_stdout = cli_is_dash(output) + cli_is_dash(args->values[CLI_OPTION_REPORT]) + cli_has(args, CLI_OPTION_JSON);
    if (!output || !output[0])
        return plan->ending ? "'-o' is missing; it needs a file like out.png, or a folder"
                            : "'-o' is missing; it needs a file like out.glb, or a folder";
    if (plan->session->shard.count > 0 && plan->is_joint)
        return "'--shard' cannot be combined with '--sheet', which is one picture of all models";
    if (to_stdout > 1) return "only one of '-o -', '--report -' and '--json' can use standard output";
    if (!cli_is_dash(output)) return NULL;
    if (plan->session->shard.count > 0) return "'--shard' needs an output folder";
    if (plan->is_batch && !plan->is_joint) return "'-o -' takes a single model";
    if (to && strcmp(to, "glb") != 0 && strcmp(to, "png") != 0) return "'-o -' writes .glb or .png only";
    if (isatty(STDOUT_FILENO) == 1)
        return plan->ending ? "'-o -' would write a picture to the terminal"
                            : "'-o -' would write a .glb to the terminal";
    return NULL;
}

static bool is_image_ending(const char *ending) { return strcmp(ending, "png") == 0 || strcmp(ending, "tga") == 0; }

// The output: a file or a folder, and its format. Returns what is wrong with it, or NULL.
static const char *read_output(cli_planner *planner)
{
    const cli_plan *plan = planner->plan;
    const char *output = planner->output, *to = plan->args->values[CLI_OPTION_TO];
    planner->ending = plan->ending ? plan->ending : to ? to : "glb";
    planner->plan->writes_images = !plan->ending && is_image_ending(planner->ending);
    if (cli_is_dash(output)) return NULL;
    bool exists = stat(output, &planner->identity) == 0, is_below_file = !exists && errno == ENOTDIR;
    bool is_there = exists && S_ISDIR(planner->identity.st_mode), ends_in_slash = output[strlen(output) - 1] == '/';
    const char *target = find_target(plan, output);
    planner->has_identity = is_there;
    planner->is_folder = is_there || ends_in_slash || (plan->is_batch && !plan->is_joint && !target);
    if (planner->is_folder && plan->is_joint) return "must be a file";
    if (planner->is_folder && (is_below_file || (exists && !is_there))) return "must be a folder, but it is a file";
    if (planner->is_folder) return NULL;
    if (plan->is_batch && !plan->is_joint)
        return "several models need an output folder; end its name with '/' to create it";
    if (!target && plan->ending)
        return strcmp(plan->ending, "gif") == 0 ? "must end in .gif; end a new folder with '/'"
                                                : "must end in .png; end a new folder with '/'";
    if (!target) return explain_extension(plan, output);
    planner->ending = target;
    planner->plan->writes_images = !plan->ending && is_image_ending(target);
    return to && strcmp(to, planner->ending) != 0 ? "does not have the extension that '--to' names" : NULL;
}

static const char *with_ending(sni_arena *arena, const char *path, const char *ending)
{
    const char *own = ending_of(path);
    size_t stem = strlen(path) - (own[0] ? strlen(own) + 1 : 0);
    return cli_format(arena, "%.*s.%s", (int)stem, path, ending);
}

static bool add_item(cli_planner *planner, const cli_input *input)
{
    sni_arena *arena = planner->plan->arena;
    cli_item *item = sni_push(arena, &planner->plan->items, cli_item);
    if (!item) return false;
    item->in = input->name;
    item->input = *input;
    item->out = planner->output;
    if (planner->is_folder) {
        bool has_slash = planner->output[strlen(planner->output) - 1] == '/';
        const char *name = cli_format(arena, "%s%s%s", planner->output, has_slash ? "" : "/", input->below);
        item->out = name ? with_ending(arena, name, planner->ending) : NULL;
    }
    if (!item->out) return false;
    if (strcmp(planner->ending, "gltf") != 0) return true;
    item->bin = with_ending(arena, item->out, "bin");
    return item->bin != NULL;
}

static bool add_failure(cli_planner *planner, const char *in, const sn_error *error)
{
    cli_item *item = sni_push(planner->plan->arena, &planner->plan->items, cli_item);
    if (item) item->in = in;
    if (item) cli_item_fail(item, in, error);
    return item != NULL;
}

static bool is_output_folder(const cli_planner *planner, const char *path)
{
    struct stat info = { 0 };
    return planner->has_identity && stat(path, &info) == 0 && info.st_dev == planner->identity.st_dev &&
           info.st_ino == planner->identity.st_ino;
}

// One folder among the inputs.
typedef struct cli_walk {
    cli_planner *planner;
    const char *root;
} cli_walk;

static bool add_model(void *user, const char *path)
{
    const cli_walk *walk = user;
    size_t root = strlen(walk->root);
    const char *full = sni_copy_text(walk->planner->plan->arena, path, strlen(path));
    if (!full) return false;
    const char *below = full + root + (root > 0 && walk->root[root - 1] != '/');
    const cli_input input = { .name = full, .below = below, .path = full, .root = walk->root };
    return add_item(walk->planner, &input);
}

static bool add_image(void *user, const char *path) { return !cli_is_image(path) || add_model(user, path); }

static bool enter(void *user, const char *folder)
{
    const cli_walk *walk = user;
    return !is_output_folder(walk->planner, folder);
}

static void note_failure(void *user, const char *folder, const sn_error *error)
{
    const cli_walk *walk = user;
    const char *path = sni_copy_text(walk->planner->plan->arena, folder, strlen(folder));
    if (path) add_failure(walk->planner, path, error);
}

static int compare_inputs(const void *a, const void *b)
{
    return strcmp(((const cli_item *)a)->in, ((const cli_item *)b)->in);
}

static bool walk(cli_planner *planner, const char *root)
{
    cli_plan *plan = planner->plan;
    uint32_t first = plan->items.count;
    cli_walk own = { planner, root };
    const sn_folder_visitor visitor = { .model = plan->writes_images ? NULL : add_model,
                                        .other = plan->writes_images ? add_image : NULL,
                                        .enter = enter,
                                        .failed = note_failure,
                                        .user = &own };
    sn_error error;
    sn_status status = sn_folder_walk(root, &visitor, &error);
    if (sni_failed(plan->arena->heap->diag) || status == SN_ERR_MEMORY) return false;
    if (status != SN_OK && !add_failure(planner, root, &error)) return false;
    uint32_t found = plan->items.count - first;
    if (found > 1) qsort(cli_plan_items(plan) + first, found, sizeof(cli_item), compare_inputs);
    if (found == 0)
        cli_plan_refuse(plan, root,
                        plan->writes_images ? "no images in this folder" : cli_explain_no_models(plan->arena, root));
    return true;
}

// Files of a list keep their folders below the output, as in "find art -print0". False: a usage error, or no memory.
static bool place_listed(cli_planner *planner, cli_input *input)
{
    sni_arena *arena = planner->plan->arena;
    char clean[PATH_MAX];
    const char *path = input->path + strspn(input->path, "/");
    if (input->archive || cli_is_dash(input->path) || cli_is_folder(input->path)) return true;
    if (!sni_ref_clean(sni_str_make(path, strlen(path)), clean, sizeof clean)) {
        planner->refused = input->path;
        return false;
    }
    input->below = sni_copy_text(arena, clean, strlen(clean));
    return input->below != NULL;
}

// The inputs of all operands except folders. Whether it is a batch is known before anything is planned.
static bool expand(cli_planner *planner)
{
    cli_plan *plan = planner->plan;
    const cli_args *args = plan->args;
    for (int i = 0; i < args->file_count; i++) {
        const uint32_t before = planner->inputs.count;
        if (!cli_session_expand(plan->session, args->files[i], false, plan->arena, &planner->inputs)) return false;
        for (uint32_t k = before; i >= args->first_listed && k < planner->inputs.count; k++)
            if (!place_listed(planner, &((cli_input *)planner->inputs.items)[k])) return false;
    }
    const cli_input *first = planner->inputs.items;
    plan->is_batch = planner->inputs.count > 1 || plan->session->shard.count > 0 ||
                     args->first_listed < args->file_count ||
                     (first && (first->is_one_of || cli_is_folder(first->path)));
    return true;
}

static bool gather(cli_planner *planner)
{
    for (uint32_t i = 0; i < planner->inputs.count; i++) {
        const cli_input *input = &((const cli_input *)planner->inputs.items)[i];
        bool is_folder = !input->archive && cli_is_folder(input->path);
        if (!(is_folder ? walk(planner, input->path) : add_item(planner, input))) return false;
    }
    return true;
}

static int compare_outputs(const void *a, const void *b)
{
    const cli_item *first = *(const cli_item *const *)a, *second = *(const cli_item *const *)b;
    int order = strcmp(first->out ? first->out : "", second->out ? second->out : "");
    return order ? order : (first > second) - (first < second);
}

static bool shares_output(const cli_item *a, const cli_item *b)
{
    return a->out && b->out && strcmp(a->out, b->out) == 0;
}

static cli_item **sort_by_output(const cli_plan *plan)
{
    cli_item **sorted = sni_new(plan->arena, cli_item *, plan->items.count);
    for (uint32_t i = 0; sorted && i < plan->items.count; i++) sorted[i] = &cli_plan_items(plan)[i];
    if (sorted && plan->items.count > 1) qsort(sorted, plan->items.count, sizeof *sorted, compare_outputs);
    return sorted;
}

// a.glb and a.gltf of one folder would both become a.glb: such files keep their extension before the new one. Files
// beside an .mds have its name up to the first dot.
static bool make_unique(cli_planner *planner)
{
    const cli_plan *plan = planner->plan;
    cli_item **sorted = planner->is_folder ? sort_by_output(plan) : NULL;
    bool *is_twin = sni_new(plan->arena, bool, plan->items.count);
    if (!planner->is_folder || !sorted || !is_twin) return !planner->is_folder;
    for (uint32_t i = 1; i < plan->items.count; i++) {
        if (!shares_output(sorted[i - 1], sorted[i])) continue;
        if (strcmp(ending_of(sorted[i - 1]->in), ending_of(sorted[i]->in)) == 0) continue;
        is_twin[i - 1] = is_twin[i] = true;
    }
    const char mark = strcmp(planner->ending, "mds") == 0 ? '_' : '.';
    for (uint32_t i = 0; i < plan->items.count; i++) {
        if (!is_twin[i]) continue;
        const int stem = (int)(strlen(sorted[i]->out) - strlen(planner->ending) - 1);
        sorted[i]->out = cli_format(plan->arena, "%.*s%c%s.%s", stem, sorted[i]->out, mark, ending_of(sorted[i]->in),
                                    planner->ending);
        if (sorted[i]->out && sorted[i]->bin) sorted[i]->bin = with_ending(plan->arena, sorted[i]->out, "bin");
        if (!sorted[i]->out) return false;
    }
    return true;
}

static int find_collision(cli_planner *planner)
{
    const cli_plan *plan = planner->plan;
    sni_arena *arena = plan->arena;
    if (!make_unique(planner)) return cli_no_memory();
    cli_item **sorted = sort_by_output(plan);
    if (!sorted) return cli_no_memory();
    for (uint32_t i = 1; i < plan->items.count; i++) {
        if (!shares_output(sorted[i - 1], sorted[i])) continue;
        const char *first = cli_escape(arena, sorted[i - 1]->in), *second = cli_escape(arena, sorted[i]->in);
        if (!first || !second) return cli_no_memory();
        const char *why = cli_format(arena, "both '%s' and '%s' would be written to it", first, second);
        return cli_plan_refuse(plan, sorted[i]->out, why ? why : "would be written twice");
    }
    return CLI_EXIT_OK;
}

static void clean_outputs(const cli_plan *plan)
{
    cli_item **sorted = sort_by_output(plan);
    const char *last = NULL;
    for (uint32_t i = 0; sorted && i < plan->items.count; i++) {
        const char *out = sorted[i]->out;
        size_t size = out ? (size_t)(sni_last_name(out) - out) : 0;
        bool is_same = last && (size_t)(sni_last_name(last) - last) == size && strncmp(last, out, size) == 0;
        if (out && !is_same) cli_clean_beside(last = out);
    }
    cli_clean_beside(plan->args->values[CLI_OPTION_REPORT]);
}

// Before a long run: the folder of its outputs exists and can be written to.
static int prepare_output(const cli_planner *planner)
{
    const cli_plan *plan = planner->plan;
    char folder[PATH_MAX];
    sn_error error = { .status = SN_ERR_IO, .message = "the path is too long" };
    if (cli_is_dash(planner->output) || !(plan->is_batch || plan->is_joint)) return CLI_EXIT_OK;
    bool has_path = planner->is_folder ? (size_t)snprintf(folder, sizeof folder, "%s", planner->output) < sizeof folder
                                       : cli_parent_folder(planner->output, folder, sizeof folder);
    if (has_path && (!folder[0] || sn_folder_create(folder, &error) == SN_OK)) {
        if (access(folder[0] ? folder : ".", W_OK | X_OK) == 0) return CLI_EXIT_OK;
        snprintf(error.message, sizeof error.message, "cannot write: %s", strerror(errno));
    }
    const char *shown = cli_escape(plan->arena, has_path && folder[0] ? folder : planner->output);
    cli_complain("%s: error: %s", shown ? shown : "", error.message);
    return cli_exit_of(error.status != SN_OK ? error.status : SN_ERR_IO);
}

// Another shard may create the output folder, and files in it, while this one looks for its inputs.
static int claim_folder(cli_planner *planner)
{
    sn_error error;
    if (planner->plan->session->shard.count == 0 || !planner->is_folder || planner->has_identity) return CLI_EXIT_OK;
    if (sn_folder_create(planner->output, &error) == SN_OK) {
        planner->has_identity = stat(planner->output, &planner->identity) == 0;
        return CLI_EXIT_OK;
    }
    const char *shown = cli_escape(planner->plan->arena, planner->output);
    cli_complain("%s: error: %s", shown ? shown : "", error.message);
    return cli_exit_of(error.status);
}

// Numbers the whole list and keeps this shard's items. The hash is of what all shards must agree on.
static int share(cli_planner *planner)
{
    cli_plan *plan = planner->plan;
    const cli_shard shard = plan->session->shard;
    cli_item *items = cli_plan_items(plan);
    cli_shard_file *files = sni_new(plan->arena, cli_shard_file, plan->items.count);
    if (!files) return cli_no_memory();
    plan->list_count = plan->items.count;
    plan->options_hash = plan->list_hash = cli_args_hash(plan->args);
    for (uint32_t i = 0; i < plan->list_count; i++) {
        const char *out = items[i].out ? items[i].out + (planner->is_folder ? strlen(planner->output) : 0) : "";
        items[i].index = i;
        files[i] = (cli_shard_file){ .name = items[i].in,
                                     .weight = cli_input_weight(&items[i].input),
                                     .input = items[i].input.path ? &items[i].input : NULL };
        plan->list_hash = cli_hash_text(cli_hash_text(plan->list_hash, items[i].in), out + strspn(out, "/"));
        plan->list_hash = sni_hash_mix(plan->list_hash, files[i].weight);
    }
    if (shard.count == 0) return CLI_EXIT_OK;
    if (!cli_shard_split(plan->session, files, plan->list_count)) return cli_no_memory();
    plan->items.count = 0;
    for (uint32_t i = 0; i < plan->list_count; i++)
        if (files[i].shard == shard.index) items[plan->items.count++] = items[i];
    return CLI_EXIT_OK;
}

int cli_plan_make(cli_plan *plan)
{
    cli_planner planner = { .plan = plan, .output = plan->args->values[CLI_OPTION_OUTPUT] };
    const bool is_expanded = expand(&planner);
    if (planner.refused) return cli_plan_refuse(plan, planner.refused, "a path in a list must not contain '..'");
    if (!is_expanded) return cli_no_memory();
    const char *misuse = find_misuse(plan);
    if (misuse) cli_complain("%s", misuse);
    if (misuse || !read_numbers(plan)) return CLI_EXIT_USAGE;
    const char *reason = read_output(&planner);
    if (sni_failed(plan->arena->heap->diag)) return cli_no_memory();
    int code = reason ? cli_plan_refuse(plan, planner.output, reason) : CLI_EXIT_OK;
    const bool is_split = cli_has(plan->args, CLI_OPTION_SPLIT) && planner.ending &&
                          strncmp(planner.ending, "w3d", 3) == 0;
    plan->has_companions = !plan->ending && planner.ending && (is_split || strcmp(planner.ending, "mds") == 0);
    if (code == CLI_EXIT_OK) code = claim_folder(&planner);
    if (code == CLI_EXIT_OK && !gather(&planner)) code = cli_no_memory();
    if (code == CLI_EXIT_OK && plan->items.count == 0) code = CLI_EXIT_IO;
    if (code == CLI_EXIT_OK && !plan->is_joint) code = find_collision(&planner);
    if (code == CLI_EXIT_OK) code = cli_plan_guard(plan);
    if (code == CLI_EXIT_OK) code = share(&planner);
    if (code == CLI_EXIT_OK) code = prepare_output(&planner);
    if (code == CLI_EXIT_OK) clean_outputs(plan);
    return code;
}
