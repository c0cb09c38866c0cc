// What is not drawn here: boxes, places for effects and sounds, lights. Nodes that say what belongs there.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum { LIGHT_KIND = 0xFF, LIGHT_DIRECTIONAL = 2, LIGHT_SPOT = 3, LIGHT_SHADOWS = 0x100, BOX_ORIENTED = 1 };

static const char *kind_of(uint32_t id)
{
    switch (id) {
    case W3D_NULL: return "null";
    case W3D_DAZZLE: return "dazzle";
    case W3D_EMITTER: return "emitter";
    case W3D_SOUND: return "sound";
    case W3D_AGGREGATE: return "aggregate";
    case W3D_SPHERE: return "sphere";
    case W3D_RING: return "ring";
    case W3D_COLLECTION: return "collection";
    case W3D_LODMODEL: return "levels of detail";
    case W3D_SHDMESH: return "scalable shader mesh";
    default: return "object";
    }
}

static const char *box_extras(w3d_builder *b, const w3d_box *box)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "kind", "box");
    sni_extras_put_floats(&extras, "center", &box->center.x, 3);
    sni_extras_put_floats(&extras, "extent", &box->extent.x, 3);
    sni_extras_put_flag(&extras, "oriented", box->attributes & BOX_ORIENTED);
    w3d_say_collision(&extras, box->attributes);
    return sni_extras_end(b->load, &extras);
}

// What an aggregate hangs on which bone of its model, what a level-of-detail model shows from where to where.
static void put_members(w3d_builder *b, sni_extras *extras, const w3d_object *object)
{
    if (object->member_count == 0) return;
    sni_json_key(&extras->json, "members");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < object->member_count; i++) {
        const w3d_member *member = &object->members[i];
        const float range[2] = { member->range_min, member->range_max };
        sni_json_begin_object(&extras->json);
        w3d_say_text(extras, b, "object", member->name);
        w3d_say_text(extras, b, "bone", member->bone);
        if (object->id == W3D_LODMODEL) sni_extras_put_floats(extras, "range", range, 2);
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static void put_bytes(sni_extras *extras, const char *key, const uint8_t *at)
{
    const float color[4] = { (float)at[0] / 255.0f, (float)at[1] / 255.0f, (float)at[2] / 255.0f,
                             (float)at[3] / 255.0f };
    sni_extras_put_floats(extras, key, color, 4);
}

static void put_emission(sni_extras *extras, const w3d_object *object)
{
    static const char *const keys[] = { "startSize",      "endSize",        "lifetime", "emissionRate", "maxEmissions",
                                        "velocityRandom", "positionRandom", "fadeTime", "gravity",      "elasticity" };
    enum { KEYS = sizeof keys / sizeof *keys, FLOATS = KEYS + 6 };
    float numbers[FLOATS];
    if (object->emission.count == 0) return;
    sni_load_words(object->emission.data, numbers, FLOATS);
    for (uint32_t i = 0; i < KEYS; i++) sni_extras_put_float(extras, keys[i], numbers[i]);
    sni_extras_put_floats(extras, "velocity", numbers + KEYS, 3);
    sni_extras_put_floats(extras, "acceleration", numbers + KEYS + 3, 3);
    put_bytes(extras, "startColor", object->emission.data + 4 * FLOATS);
    put_bytes(extras, "endColor", object->emission.data + 4 * FLOATS + 4);
}

static const char *object_extras(w3d_builder *b, const w3d_object *object)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "kind", kind_of(object->id));
    w3d_say_text(&extras, b, "detail", object->detail);
    put_emission(&extras, object);
    put_members(b, &extras, object);
    return sni_extras_end(b->load, &extras);
}

bool w3d_build_object(w3d_builder *b, w3d_figure *figure, uint32_t pivot, int32_t number)
{
    uint32_t index = (uint32_t)number - b->doc->mesh_count;
    const char *name, *extras;
    if (index < b->doc->box_count) {
        name = w3d_clean(b, w3d_after_dot(b->doc->boxes[index].name));
        extras = box_extras(b, &b->doc->boxes[index]);
    } else {
        const w3d_object *object = &b->doc->objects[index - b->doc->box_count];
        name = w3d_clean(b, w3d_after_dot(object->name));
        extras = object_extras(b, object);
    }
    sn_node *node = w3d_add_node(b, figure, pivot, name, extras);
    if (!node) return false;
    node->flags |= SN_NODE_ATTACHMENT;
    return w3d_carry(b, figure, pivot, false, (int32_t)b->nodes.count - 1);
}

// The turn that brings -Z to a direction.
static sn_quat facing(sn_vec3 direction)
{
    const sn_vec3 down = { 0, 0, -1 };
    sn_vec3 to = sni_unit(direction, down), axis = sni_cross(down, to);
    if (to.z > 0.999999f) return sni_quat(1, 0, 0, 0);
    return sni_quat_unit(sni_quat(axis.x, axis.y, axis.z, 1.0f + sni_dot(down, to)));
}

static const char *light_extras(w3d_builder *b, const w3d_light *source)
{
    sn_vec3 ambient = w3d_color(b, source->ambient), specular = w3d_color(b, source->specular);
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_floats(&extras, "ambient", &ambient.x, 3);
    sni_extras_put_floats(&extras, "specular", &specular.x, 3);
    sni_extras_put_flag(&extras, "shadows", source->attributes & LIGHT_SHADOWS);
    if (source->has_far) sni_extras_put_float(&extras, "fadeFrom", source->far_start);
    if (source->has_spot) sni_extras_put_float(&extras, "exponent", source->exponent);
    return sni_extras_end(b->load, &extras);
}

// Lights have no names and no place of their own: they stand at the root of the first figure.
bool w3d_build_lights(w3d_builder *b)
{
    const w3d_figure *figure = b->figures.items;
    for (uint32_t i = 0; i < b->doc->light_count; i++) {
        const w3d_light *source = &b->doc->lights[i];
        sn_node *node = w3d_add_node(b, figure, 0, "light", NULL);
        sn_light *light = node ? sni_push(&b->load->keep, &b->lights, sn_light) : NULL;
        if (!light) return false;
        uint32_t kind = source->attributes & LIGHT_KIND;
        if (source->has_spot) node->rest.rotation = facing(source->direction);
        *light = (sn_light){ .name = "",
                             .node = (int32_t)b->nodes.count - 1,
                             .color = w3d_color(b, source->diffuse),
                             .intensity = source->intensity };
        light->kind = kind == LIGHT_DIRECTIONAL ? SN_LIGHT_DIRECTIONAL
                      : kind == LIGHT_SPOT      ? SN_LIGHT_SPOT
                                                : SN_LIGHT_POINT;
        light->range = source->has_far && source->far_end > 0.0f ? source->far_end : 0.0f;
        light->outer_angle = source->has_spot && source->angle > 0.0f ? source->angle : 0.0f;
        light->extras = light_extras(b, source);
    }
    return sni_load_ok(b->load);
}
