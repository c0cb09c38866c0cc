// Cameras and lights: one for each node that carries it; what nobody carries is kept with node -1.
#include <string.h>

#include "format/gltf/gltf_build.h"

// Which thing of the document stands on which node, in the order of the model.
typedef struct carrier {
    int32_t source, node;
} carrier;

static carrier *find_carriers(sni_load *load, const gltf_doc *doc, bool is_light, gltf_carried *carried,
                              uint32_t *count)
{
    uint32_t things = is_light ? doc->light_count : doc->camera_count;
    uint64_t most = (uint64_t)things + (things ? doc->node_count : 0);
    carrier *carriers = sni_new_raw(&load->scratch, carrier, most);
    carried->first = sni_new_raw(&load->scratch, int32_t, things);
    carried->next = sni_new_raw(&load->scratch, int32_t, most);
    if (!carriers || !carried->first || !carried->next) return NULL;
    for (uint32_t i = 0; i < things; i++) carried->first[i] = -1;
    for (uint32_t i = 0; things && i < doc->node_count; i++) {
        int32_t source = is_light ? doc->nodes[i].light : doc->nodes[i].camera;
        if (source < 0) continue;
        carried->next[*count] = carried->first[source];
        carried->first[source] = (int32_t)*count;
        carriers[(*count)++] = (carrier){ source, (int32_t)i };
    }
    for (uint32_t i = 0; i < things; i++) {
        if (carried->first[i] >= 0) continue;
        carried->next[*count] = -1;
        carried->first[i] = (int32_t)*count;
        carriers[(*count)++] = (carrier){ (int32_t)i, -1 };
    }
    return carriers;
}

static sn_camera make_camera(const gltf_camera *source, int32_t node)
{
    sn_camera camera = { .name = source->object.name, .extras = source->object.extras, .node = node };
    camera.is_perspective = source->is_perspective;
    camera.near_plane = source->znear;
    camera.far_plane = source->zfar;
    if (source->is_perspective) {
        camera.fov_y = source->yfov;
        camera.aspect = source->aspect;
    } else {
        camera.half_width = source->xmag;
        camera.half_height = source->ymag;
    }
    return camera;
}

static sn_light make_light(const gltf_light *source, int32_t node)
{
    sn_light light = { .name = source->object.name, .extras = source->object.extras, .node = node };
    light.kind = source->type == GLTF_DIRECTIONAL ? SN_LIGHT_DIRECTIONAL
                 : source->type == GLTF_SPOT      ? SN_LIGHT_SPOT
                                                  : SN_LIGHT_POINT;
    light.color = source->color;
    light.intensity = source->intensity;
    if (light.kind != SN_LIGHT_DIRECTIONAL) light.range = source->range;
    if (light.kind != SN_LIGHT_SPOT) return light;
    light.inner_angle = source->inner_angle;
    light.outer_angle = source->outer_angle;
    return light;
}

static bool build_cameras(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_carried *carried)
{
    uint32_t count = 0;
    const carrier *carriers = find_carriers(load, doc, false, carried, &count);
    sn_camera *cameras = sni_new(&load->keep, sn_camera, count);
    if (!carriers || !cameras) return false;
    for (uint32_t i = 0; i < count; i++) cameras[i] = make_camera(&doc->cameras[carriers[i].source], carriers[i].node);
    model->cameras = cameras;
    model->camera_count = count;
    return true;
}

static bool build_lights(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_carried *carried)
{
    uint32_t count = 0;
    const carrier *carriers = find_carriers(load, doc, true, carried, &count);
    sn_light *lights = sni_new(&load->keep, sn_light, count);
    if (!carriers || !lights) return false;
    for (uint32_t i = 0; i < count; i++) lights[i] = make_light(&doc->lights[carriers[i].source], carriers[i].node);
    model->lights = lights;
    model->light_count = count;
    return true;
}

bool gltf_build_carried(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_parts *built)
{
    return build_cameras(load, doc, model, &built->cameras) && build_lights(load, doc, model, &built->lights);
}
