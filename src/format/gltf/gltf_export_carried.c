// Cameras and lights, each on the node that carries it.
#include <float.h>

#include "format/gltf/gltf_export.h"

static float within(float value, float low, float high) { return value < low ? low : value > high ? high : value; }

// What glTF allows: a view of less than half a turn, extents that are not 0, a far plane beyond the near one.
static void fit_lens(gltf_camera *camera)
{
    if (camera->is_perspective) {
        camera->yfov = within(camera->yfov, 1e-3f, 3.1415f);
        camera->znear = within(camera->znear, 1e-4f, FLT_MAX);
        camera->aspect = within(camera->aspect, 0.0f, FLT_MAX);
        camera->xmag = camera->ymag = 0.0f;
        if (camera->zfar <= camera->znear) camera->zfar = 0.0f;
    } else {
        camera->yfov = camera->aspect = 0.0f;
        camera->znear = within(camera->znear, 0.0f, FLT_MAX);
        if (!(camera->xmag > 0.0f)) camera->xmag = 1.0f;
        if (!(camera->ymag > 0.0f)) camera->ymag = 1.0f;
        if (camera->zfar <= camera->znear) camera->zfar = camera->znear + 1e4f;
    }
}

static void tell_lost(gltf_export *export, const char *kind, uint32_t index, const char *name, const char *what)
{
    sni_enter_named(&export->save->diag, kind, index, name);
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "%s", what);
    sni_leave(&export->save->diag);
}

bool gltf_export_cameras(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_camera *cameras = sni_new(&export->save->scratch, gltf_camera, model->camera_count);
    if (!cameras) return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const sn_camera *source = &model->cameras[i];
        cameras[i] = (gltf_camera){ .object = { .name = gltf_name_or_null(source->name),
                                                .extras = gltf_extras(export, source->extras) },
                                    .is_perspective = source->is_perspective,
                                    .is_orthographic = !source->is_perspective,
                                    .yfov = source->fov_y,
                                    .aspect = source->aspect,
                                    .xmag = source->half_width,
                                    .ymag = source->half_height,
                                    .znear = source->near_plane,
                                    .zfar = source->far_plane };
        fit_lens(&cameras[i]);
        if (source->node < 0) continue;
        gltf_node *node = gltf_node_at(export, source->node);
        if (node->camera < 0) node->camera = (int32_t)i;
        else tell_lost(export, "cameras", i, source->name, "a second camera of its node");
    }
    export->doc->cameras = cameras;
    export->doc->camera_count = model->camera_count;
    return true;
}

bool gltf_export_lights(gltf_export *export)
{
    static const gltf_light_type types[] = { [SN_LIGHT_DIRECTIONAL] = GLTF_DIRECTIONAL,
                                             [SN_LIGHT_POINT] = GLTF_POINT,
                                             [SN_LIGHT_SPOT] = GLTF_SPOT,
                                             [SN_LIGHT_AMBIENT] = GLTF_NO_LIGHT_TYPE };
    const sn_model *model = export->model;
    gltf_light *lights = sni_new(&export->save->scratch, gltf_light, model->light_count);
    export->light_of = sni_new_raw(&export->save->scratch, int32_t, model->light_count);
    uint32_t count = 0;
    if (!lights || !export->light_of) return false;
    for (uint32_t i = 0; i < model->light_count; i++) {
        const sn_light *source = &model->lights[i];
        gltf_node *node = source->node >= 0 ? gltf_node_at(export, source->node) : NULL;
        bool is_lost = source->kind == SN_LIGHT_AMBIENT || !node || node->light >= 0 ||
                       export->clans.is_drawn_in[export->clans.root_of[source->node]];  // it shone in no scene
        export->light_of[i] = is_lost ? -1 : (int32_t)count;
        if (is_lost) {
            tell_lost(export, "lights", i, source->name, "a light of a kind or in a place that glTF does not have");
            continue;
        }
        node->light = (int32_t)count;
        lights[count++] = (gltf_light){
            .object = { .name = gltf_name_or_null(source->name), .extras = gltf_extras(export, source->extras) },
            .type = types[source->kind],
            .color = { within(source->color.x, 0, 1), within(source->color.y, 0, 1), within(source->color.z, 0, 1) },
            .intensity = within(source->intensity, 0, FLT_MAX),
            .range = within(source->range, 0, FLT_MAX),
            .has_spot = source->kind == SN_LIGHT_SPOT,
            .outer_angle = within(source->outer_angle, 1e-3f, 1.57f),
        };
        gltf_light *light = &lights[count - 1];
        light->inner_angle = within(source->inner_angle, 0, light->outer_angle * 0.999f);
        gltf_use_extension(export, "KHR_lights_punctual");
    }
    export->doc->lights = lights;
    export->doc->light_count = count;
    return true;
}
