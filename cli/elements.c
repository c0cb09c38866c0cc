#include "elements.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "print.h"

bool cli_chains_make(cli_chains *chains, sni_arena *arena, const sn_model *model, uint32_t owner_count,
                     uint32_t item_count, cli_owner_of owner_of)
{
    chains->first = sni_new_raw(arena, int32_t, owner_count);
    chains->next = sni_new_raw(arena, int32_t, item_count);
    if (!chains->first || !chains->next) return false;
    for (uint32_t i = 0; i < owner_count; i++) chains->first[i] = -1;
    for (uint32_t i = item_count; i-- > 0;) {  // backwards, so that chains are in ascending order
        int32_t owner = owner_of(model, i);
        chains->next[i] = owner >= 0 ? chains->first[owner] : -1;
        if (owner >= 0) chains->first[owner] = (int32_t)i;
    }
    return true;
}

int32_t cli_mesh_of_part(const sn_model *model, uint32_t part) { return model->parts[part].mesh; }
int32_t cli_node_of_part(const sn_model *model, uint32_t part) { return model->parts[part].node; }
int32_t cli_node_of_camera(const sn_model *model, uint32_t camera) { return model->cameras[camera].node; }
int32_t cli_node_of_light(const sn_model *model, uint32_t light) { return model->lights[light].node; }
int32_t cli_parent_of_node(const sn_model *model, uint32_t node) { return model->nodes[node].parent; }

static uint32_t corners(sn_topology topology)
{
    if (topology == SN_TRIANGLES) return 3;
    return topology == SN_LINES ? 2 : 1;
}

uint32_t cli_mesh_primitives(const sn_mesh *mesh) { return mesh->index_count / corners(mesh->topology); }

const char *cli_topology_name(sn_topology topology)
{
    if (topology == SN_TRIANGLES) return "triangles";
    return topology == SN_LINES ? "lines" : "points";
}

const char *cli_name_or(sni_arena *arena, const char *name, const char *kind, uint32_t index)
{
    return name[0] ? name : cli_format(arena, "%s %u", kind, index);
}

const char *cli_image_label(sni_arena *arena, const sn_model *model, int32_t image)
{
    const sn_image *item = &model->images[image];
    const char *slash = strrchr(item->uri, '/');
    if (item->uri[0]) return slash && slash[1] ? slash + 1 : item->uri;
    return cli_name_or(arena, item->name, "image", (uint32_t)image);
}

const char *cli_node_role(sni_arena *arena, const sn_node *node)
{
    enum { LONGEST = 4096, DEEPEST = 16 };
    const char *role = NULL;
    sni_diag diag;
    sni_str key;
    if (!node->extras || node->extras[0] != '{' || strlen(node->extras) > LONGEST) return NULL;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(node->extras, strlen(node->extras)), 0, DEEPEST, &diag, arena);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        bool is_role = (sni_str_is(key, "role") || sni_str_is(key, "kind")) && sni_json_peek(&json) == SNI_JSON_STRING;
        if (is_role) role = sni_json_string(&json, NULL);
        else sni_json_skip(&json);
    }
    return sni_json_ok(&json) ? role : NULL;
}

// Warcraft III shows footman_portrait.mdx through its first camera.
int32_t cli_default_camera(const sn_model *model, const char *file)
{
    static const char ending[] = "_portrait";
    const char *name = sni_last_name(file), *dot = strrchr(name, '.');
    size_t size = dot ? (size_t)(dot - name) : strlen(name), length = sizeof ending - 1;
    bool is_portrait = size >= length && sni_str_is_nocase(sni_str_make(name + size - length, length), ending);
    return is_portrait && model->camera_count > 0 ? 0 : -1;
}

uint32_t cli_count_effects(sni_arena *arena, const sn_model *model, const char **names)
{
    enum { NAMED = 8, COLUMNS = 24 };
    uint32_t count = 0;
    *names = "";
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        const char *role = cli_node_role(arena, node);
        if (!role || (!strstr(role, "mitter") && !strstr(role, "ibbon"))) continue;
        const char *name = cli_shorten(arena, node->name[0] ? node->name : role, COLUMNS);
        if (count++ < NAMED && name && *names) *names = cli_join(arena, *names, ", ", name);
    }
    if (count > NAMED && *names) *names = cli_format(arena, "%s, ...", *names);
    return count;
}

static const sn_warning *find_warning(const sn_model *model, int32_t code)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (model->warnings[i].code == code) return &model->warnings[i];
    return NULL;
}

static bool has_visibility(const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].target_kind == SN_TARGET_PART && clip->tracks[i].channel == SN_CHANNEL_VISIBILITY)
            return true;
    return false;
}

static bool has_tracks(const sn_model *model)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (model->clips[i].track_count > 0) return true;
    return false;
}

// A picture shows the bones of what has no meshes.
const char *cli_why_empty(sni_arena *arena, const sn_model *model, bool is_picture)
{
    const char *names, *why = NULL;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (!model->parts[i].is_hidden) return NULL;
    for (uint32_t i = 0; model->part_count > 0 && i < model->clip_count; i++)
        if (has_visibility(&model->clips[i])) return NULL;
    const sn_warning *skins = find_warning(model, SNI_WARN_W3D_SKELETON),
                     *missing = find_warning(model, SNI_WARN_FILE_MISSING);
    const uint32_t effects = cli_count_effects(arena, model, &names);
    const bool lacks_nodes = missing && model->clip_count > 0;  // of its animations
    const bool shows_skeleton = has_tracks(model) || (is_picture && model->node_count > 0 && !lacks_nodes);
    if (skins && missing) why = cli_format(arena, "its skins are left out: %s", missing->message);
    else if (model->part_count > 0 && effects > 0)
        why = cli_format(arena, "all of its %u parts are hidden, and its %u emitters and ribbons are not drawn",
                         model->part_count, effects);
    else if (model->part_count > 0) why = cli_format(arena, "all of its %u parts are hidden", model->part_count);
    else if (effects > 0)
        why = cli_format(arena, "it has no meshes; its %u emitters and ribbons (%s) are not drawn or converted",
                         effects, names ? names : "");
    else if (shows_skeleton) return NULL;
    else if (lacks_nodes) why = cli_format(arena, "its animations move nothing: %s", missing->message);
    else if (model->node_count > 0)
        why = cli_format(arena, "it has no meshes and no animation, only %u nodes", model->node_count);
    else why = "it has no meshes and no animation";
    return why ? why : "out of memory";
}

sn_pixels cli_image_size(sni_arena *arena, const sn_image *image)
{
    sn_pixels size;
    sn_status status = sn_image_decode(image, &(sn_decode_opts){ .size_only = true }, &size, NULL);
    if (status == SN_ERR_MEMORY) sni_fail(arena->heap->diag, status, 0, "out of memory");
    return size;
}

// A small file can show a mesh thousands of times. A picture of all of it takes hours, its vertices as text gigabytes.
bool cli_can_show(const sn_model *model, sn_error *error)
{
    const uint64_t most_shown = 12 << 20, most_repeats = 8;
    uint64_t own = 0, shown = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        own += (uint64_t)model->meshes[i].vertex_count + model->meshes[i].index_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        shown += (uint64_t)mesh->vertex_count + mesh->index_count;
    }
    uint64_t most = most_shown + most_repeats * own;
    if (shown <= most) return true;
    *error = (sn_error){ .status = SN_ERR_LIMIT };
    snprintf(error->message, sizeof error->message,
             "%u parts repeat the meshes: %llu vertices and indices to show, the limit is %llu", model->part_count,
             (unsigned long long)shown, (unsigned long long)most);
    return false;
}

// Tolerance of about a millisecond: some formats store times in milliseconds.
static bool is_on_frame(float seconds, float rate)
{
    float frames = seconds * rate;
    return fabsf(frames - roundf(frames)) <= 0.0011f * rate;
}

static bool fits_all_keys(const sn_clip *clip, float rate)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; track->period <= 0 && k < track->key_count; k++)
            if (!is_on_frame(track->times[k], rate)) return false;
    }
    return is_on_frame(clip->duration, rate);
}

float cli_clip_rate(const sn_clip *clip)
{
    static const float usual_rates[] = { 30, 24, 25, 60, 15, 20, 12, 10 }, default_rate = 30;
    for (size_t i = 0; i < sizeof usual_rates / sizeof *usual_rates; i++)
        if (fits_all_keys(clip, usual_rates[i])) return usual_rates[i];
    return default_rate;
}
