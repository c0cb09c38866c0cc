// EXT_mesh_gpu_instancing: each instance becomes a node below the one that carries the mesh.
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_build.h"

static bool fits(const gltf_accessor *accessor, const char *name)
{
    bool is_rotation = strcmp(name, "ROTATION") == 0;
    if (accessor->type != (is_rotation ? GLTF_VEC4 : GLTF_VEC3)) return false;
    if (accessor->component_type == GLTF_F32) return true;
    bool is_small = accessor->component_type == GLTF_I8 || accessor->component_type == GLTF_I16;
    return is_rotation && is_small && accessor->is_normalized;
}

static bool is_transform(const char *name)
{
    return strcmp(name, "TRANSLATION") == 0 || strcmp(name, "ROTATION") == 0 || strcmp(name, "SCALE") == 0;
}

// Why the instances of a node cannot be used; NULL when they can.
static const char *find_fault(const gltf_doc *doc, const gltf_node *node, uint32_t *count)
{
    uint32_t found = 0;
    if (node->mesh < 0) return "instances of no mesh";
    if (node->skin >= 0) return "instances of a skinned mesh; shown once";
    for (uint32_t i = 0; i < node->instances->count; i++) {
        const gltf_attribute *attribute = &node->instances->items[i];
        if (attribute->accessor < 0) return "an attribute without accessor; shown once";
        const gltf_accessor *accessor = &doc->accessors[attribute->accessor];
        if (is_transform(attribute->name) && !fits(accessor, attribute->name))
            return "an attribute of the wrong type; shown once";
        if (found++ > 0 && accessor->count != *count) return "attributes of different lengths; shown once";
        *count = accessor->count;
    }
    return found > 0 ? NULL : "no attributes; shown once";
}

static bool count_node(sni_load *load, const gltf_doc *doc, uint32_t index, gltf_instances *instances, uint64_t *total)
{
    const gltf_node *node = &doc->nodes[index];
    uint32_t count = 0;
    if (!node->instances) return true;
    const char *fault = find_fault(doc, node, &count);
    sni_enter(&load->diag, "nodes", index);
    for (uint32_t i = 0; !fault && i < node->instances->count; i++) {
        if (!gltf_check_accessor(load, doc, node->instances->items[i].accessor))
            fault = "an unusable attribute; shown once";
    }
    if (fault) sni_warn(&load->diag, SNI_WARN_GLTF_NODE, node->object.offset, "%s", fault);
    sni_leave(&load->diag);
    if (fault) return sni_load_ok(load);
    instances[index] = (gltf_instances){ true, { (uint32_t)*total, count } };
    *total += count;
    if (*total <= load->limits.elements) return true;
    return sni_fail(&load->diag, SN_ERR_LIMIT, node->object.offset, "%llu nodes with instances, the limit is %u",
                    (unsigned long long)*total, load->limits.elements);
}

bool gltf_count_instances(sni_load *load, const gltf_doc *doc, gltf_parts *built, uint64_t *node_count)
{
    bool has_some = false;
    for (uint32_t i = 0; i < doc->node_count && !has_some; i++) has_some = doc->nodes[i].instances != NULL;
    if (!has_some) return true;
    built->instances = sni_new(&load->scratch, gltf_instances, doc->node_count);
    for (uint32_t i = 0; built->instances && i < doc->node_count; i++) {
        if (!count_node(load, doc, i, built->instances, node_count)) return false;
    }
    return sni_load_ok(load);
}

static const char *name_instance(sni_load *load, const char *name, uint32_t number)
{
    if (!name || !name[0]) return name;
    size_t size = strlen(name), room = size + 12;
    char *text = sni_new_raw(&load->keep, char, room);
    if (text) snprintf(text, room, "%s.%u", name, number);
    return text;
}

static bool read_transforms(sni_load *load, const gltf_doc *doc, const gltf_attribute *attribute, uint32_t count,
                            sn_node *nodes)
{
    bool is_rotation = strcmp(attribute->name, "ROTATION") == 0, is_scale = strcmp(attribute->name, "SCALE") == 0;
    uint32_t width = is_rotation ? 4 : 3;
    float *values = sni_new_raw(&load->scratch, float, (uint64_t)count *width);
    if (!values || !gltf_read_floats(load, doc, attribute->accessor, width, values)) return sni_load_ok(load);
    for (uint32_t i = 0; i < count; i++) {
        const float *value = values + (size_t)i * width;
        sn_trs *rest = &nodes[i].rest;
        if (is_rotation) rest->rotation = (sn_quat){ value[0], value[1], value[2], value[3] };
        else *(is_scale ? &rest->scale : &rest->translation) = (sn_vec3){ value[0], value[1], value[2] };
    }
    return true;
}

static bool build_node(sni_load *load, const gltf_doc *doc, uint32_t index, gltf_range range, sn_node *nodes)
{
    const gltf_node *node = &doc->nodes[index];
    for (uint32_t i = 0; i < range.count; i++) {
        nodes[range.first + i] = (sn_node){ .parent = (int32_t)index, .id = (int32_t)index, .rest = sni_trs_identity };
        nodes[range.first + i].name = name_instance(load, node->object.name, i);
        if (!sni_load_ok(load)) return false;
    }
    for (uint32_t i = 0; i < node->instances->count; i++) {
        const gltf_attribute *attribute = &node->instances->items[i];
        if (!is_transform(attribute->name)) continue;  // custom ones number the instances, or colour them
        if (!read_transforms(load, doc, attribute, range.count, nodes + range.first)) return false;
    }
    return true;
}

bool gltf_build_instances(sni_load *load, const gltf_doc *doc, const gltf_parts *built, sn_node *nodes)
{
    for (uint32_t i = 0; built->instances && i < doc->node_count; i++) {
        if (built->instances[i].is_used && !build_node(load, doc, i, built->instances[i].nodes, nodes)) return false;
    }
    return true;
}
