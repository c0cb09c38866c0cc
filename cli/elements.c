#include "elements.h"

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
