// What models are put together from: levels of detail, boxes, lights, and all that is only named.
#include "format/w3d/w3d_parse.h"

enum {
    HLOD_BYTES = 40,
    HMODEL_BYTES = 38,
    ARRAY_HEADER_BYTES = 8,
    SUB_OBJECT_BYTES = 36,
    NODE_BYTES = 18,
    BOX_BYTES = 68,
    LIGHT_BYTES = 24,
    SPOT_BYTES = 20,
    FAR_BYTES = 8,
    FILE_NAME_BYTES = 260
};

static void parse_sub_objects(w3d_parser *p, int32_t array, uint32_t count, w3d_lod *lod)
{
    sni_reader in;
    uint32_t there = w3d_count(p, array, W3D_SUB_OBJECT);
    if (count != there) w3d_warn(p, array, SNI_WARN_W3D_COUNT, "%u objects are announced, %u are there", count, there);
    lod->objects = sni_new(p->arena, w3d_sub_object, count < there ? count : there);
    if (!lod->objects) return;
    for (int32_t child = w3d_find(p, array, W3D_SUB_OBJECT); child >= 0 && count > 0; child = w3d_at(p, child)->next) {
        if (w3d_at(p, child)->id != W3D_SUB_OBJECT) continue;
        count--;
        if (!w3d_open(p, child, SUB_OBJECT_BYTES, &in)) continue;
        w3d_sub_object *object = &lod->objects[lod->object_count++];
        object->bone = sni_read_u32(&in);
        object->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    }
}

static void parse_lod(w3d_parser *p, int32_t array, w3d_lod *lod)
{
    sni_reader in;
    if (array < 0 || !w3d_open_header(p, array, W3D_ARRAY_HEADER, ARRAY_HEADER_BYTES, &in)) return;
    uint32_t count = sni_read_u32(&in);
    lod->max_screen_size = sni_read_f32(&in);
    parse_sub_objects(p, array, count, lod);
}

static void parse_hlod_arrays(w3d_parser *p, w3d_hlod *hlod)
{
    hlod->lods = sni_new(p->arena, w3d_lod, w3d_count(p, hlod->chunk, W3D_LOD_ARRAY));
    if (!hlod->lods) return;
    for (int32_t child = w3d_find(p, hlod->chunk, W3D_LOD_ARRAY); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_LOD_ARRAY) parse_lod(p, child, &hlod->lods[hlod->lod_count++]);
    parse_lod(p, w3d_find(p, hlod->chunk, W3D_AGGREGATES), &hlod->aggregates);
    parse_lod(p, w3d_find(p, hlod->chunk, W3D_PROXIES), &hlod->proxies);
}

static bool is_node(uint32_t id)
{
    return id == W3D_HMODEL_NODE || id == W3D_HMODEL_COLLISION || id == W3D_HMODEL_SKIN;
}

static void parse_hmodel_nodes(w3d_parser *p, w3d_hlod *hlod)
{
    sni_reader in;
    uint32_t count = w3d_count(p, hlod->chunk, W3D_HMODEL_NODE) + w3d_count(p, hlod->chunk, W3D_HMODEL_COLLISION) +
                     w3d_count(p, hlod->chunk, W3D_HMODEL_SKIN);
    hlod->lods = sni_new(p->arena, w3d_lod, 1);
    w3d_sub_object *objects = sni_new(p->arena, w3d_sub_object, count);
    if (!hlod->lods || !objects) return;
    hlod->lod_count = 1;
    hlod->lods[0].objects = objects;
    for (int32_t child = w3d_at(p, hlod->chunk)->first_child; child >= 0; child = w3d_at(p, child)->next) {
        if (!is_node(w3d_at(p, child)->id) || !w3d_open(p, child, NODE_BYTES, &in)) continue;
        w3d_sub_object *object = &objects[hlod->lods[0].object_count++];
        object->name = w3d_read_str(&in, W3D_NAME_BYTES);
        object->bone = sni_read_u16(&in);
    }
}

void w3d_parse_hlod(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_hlod hlod = { .chunk = chunk, .is_hmodel = w3d_at(p, chunk)->id == W3D_HMODEL };
    uint32_t header = hlod.is_hmodel ? W3D_HMODEL_HEADER : W3D_HLOD_HEADER;
    if (!w3d_open_header(p, chunk, header, hlod.is_hmodel ? HMODEL_BYTES : HLOD_BYTES, &in)) return;
    hlod.version = sni_read_u32(&in);
    uint32_t lod_count = hlod.is_hmodel ? 0 : sni_read_u32(&in);
    hlod.name = w3d_read_str(&in, W3D_NAME_BYTES);
    hlod.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    if (hlod.is_hmodel) parse_hmodel_nodes(p, &hlod);
    else parse_hlod_arrays(p, &hlod);
    if (!hlod.is_hmodel && lod_count != hlod.lod_count)
        w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "%u levels of detail are announced, %u are there", lod_count,
                 hlod.lod_count);
    w3d_hlod *slot = sni_push(p->arena, &p->hlods, w3d_hlod);
    if (slot) *slot = hlod;
}

void w3d_parse_box(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    if (!w3d_open(p, chunk, BOX_BYTES, &in)) return;
    w3d_box *box = sni_push(p->arena, &p->boxes, w3d_box);
    if (!box) return;
    box->chunk = chunk;
    box->version = sni_read_u32(&in);
    box->attributes = sni_read_u32(&in);
    box->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    w3d_read_rgb(&in, box->color);
    box->center = sni_read_vec3(&in);
    box->extent = sni_read_vec3(&in);
}

void w3d_parse_light(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    if (!w3d_open_header(p, chunk, W3D_LIGHT_INFO, LIGHT_BYTES, &in)) return;
    w3d_light *light = sni_push(p->arena, &p->lights, w3d_light);
    if (!light) return;
    light->chunk = chunk;
    light->attributes = sni_read_u32(&in);
    sni_skip(&in, 4);
    w3d_read_rgb(&in, light->ambient);
    w3d_read_rgb(&in, light->diffuse);
    w3d_read_rgb(&in, light->specular);
    light->intensity = sni_read_f32(&in);
    light->has_spot = w3d_open(p, w3d_find(p, chunk, W3D_LIGHT_SPOT), SPOT_BYTES, &in);
    if (light->has_spot) {
        light->direction = sni_read_vec3(&in);
        light->angle = sni_read_f32(&in);
        light->exponent = sni_read_f32(&in);
    }
    light->has_far = w3d_open(p, w3d_find(p, chunk, W3D_LIGHT_FAR), FAR_BYTES, &in);
    if (light->has_far) {
        light->far_start = sni_read_f32(&in);
        light->far_end = sni_read_f32(&in);
    }
}

static void parse_aggregate(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    if (!w3d_open(p, w3d_find(p, object->chunk, W3D_AGGREGATE_INFO), W3D_LONG_NAME_BYTES + 4, &in)) return;
    object->detail = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    uint32_t count = sni_read_u32(&in), there = sni_rest_count(&in, 2 * W3D_LONG_NAME_BYTES);
    if (count > there)
        w3d_warn(p, object->chunk, SNI_WARN_W3D_COUNT, "%u objects are announced, %u are there", count, there);
    if (count > there) count = there;
    object->members = sni_new(p->arena, w3d_member, count);
    for (; object->members && object->member_count < count; object->member_count++) {
        w3d_member *member = &object->members[object->member_count];
        member->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
        member->bone = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    }
}

static void parse_collection(w3d_parser *p, w3d_object *object)
{
    object->members = sni_new(p->arena, w3d_member, w3d_count(p, object->chunk, W3D_COLLECTION_OBJECT));
    if (!object->members) return;
    for (int32_t child = w3d_find(p, object->chunk, W3D_COLLECTION_OBJECT); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_COLLECTION_OBJECT)
            object->members[object->member_count++].name = w3d_text(p, child);
}

static void parse_lod_model(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    object->members = sni_new(p->arena, w3d_member, w3d_count(p, object->chunk, W3D_LODMODEL_LOD));
    if (!object->members) return;
    for (int32_t child = w3d_find(p, object->chunk, W3D_LODMODEL_LOD); child >= 0; child = w3d_at(p, child)->next) {
        if (w3d_at(p, child)->id != W3D_LODMODEL_LOD || !w3d_open(p, child, W3D_LONG_NAME_BYTES + 8, &in)) continue;
        w3d_member *member = &object->members[object->member_count++];
        member->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
        member->least = sni_read_f32(&in);
        member->most = sni_read_f32(&in);
    }
}

static void parse_emitter(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    if (!w3d_open(p, w3d_find(p, object->chunk, W3D_EMITTER_INFO), FILE_NAME_BYTES, &in)) return;
    object->detail = w3d_read_str(&in, FILE_NAME_BYTES);
    if (sni_rest(&in) >= W3D_EMISSION_BYTES) object->emission = (w3d_array){ sni_take(&in, W3D_EMISSION_BYTES), 1 };
}

static void parse_detail(w3d_parser *p, w3d_object *object)
{
    switch (object->id) {
    case W3D_AGGREGATE: parse_aggregate(p, object); break;
    case W3D_COLLECTION: parse_collection(p, object); break;
    case W3D_LODMODEL: parse_lod_model(p, object); break;
    case W3D_DAZZLE: object->detail = w3d_text(p, w3d_find(p, object->chunk, W3D_DAZZLE_TYPE)); break;
    case W3D_EMITTER: parse_emitter(p, object); break;
    default: break;
    }
}

// Where each object keeps its name: in which child (or itself), what stands before it, how long it is (0: to the end).
typedef struct name_place {
    uint32_t id, child, name_bytes;
    bool has_version, has_attributes;
    uint32_t gap;
} name_place;

#define ITSELF     UINT32_MAX
#define DEFINITION 1u  // the first child of spheres and rings

static const name_place *find_name_place(uint32_t id)
{
    static const name_place places[] = {
        { W3D_NULL, ITSELF, W3D_LONG_NAME_BYTES, true, true, 8 },
        { W3D_SPHERE, DEFINITION, W3D_LONG_NAME_BYTES, true, true, 0 },
        { W3D_RING, DEFINITION, W3D_LONG_NAME_BYTES, true, true, 0 },
        { W3D_EMITTER, W3D_EMITTER_HEADER, W3D_NAME_BYTES, true, false, 0 },
        { W3D_AGGREGATE, W3D_AGGREGATE_HEADER, W3D_NAME_BYTES, true, false, 0 },
        { W3D_SOUND, W3D_SOUND_HEADER, W3D_NAME_BYTES, true, false, 0 },
        { W3D_COLLECTION, W3D_COLLECTION_HEADER, W3D_NAME_BYTES, true, false, 0 },
        { W3D_LODMODEL, W3D_LODMODEL_HEADER, W3D_NAME_BYTES, true, false, 0 },
        { W3D_DAZZLE, W3D_DAZZLE_NAME, 0, false, false, 0 },
        { W3D_SHDMESH, W3D_SHDMESH_NAME, 0, false, false, 0 },
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].id == id) return &places[i];
    return NULL;
}

static bool parse_name(w3d_parser *p, const name_place *place, w3d_object *object)
{
    sni_reader in;
    uint32_t least = 4u * place->has_version + 4u * place->has_attributes + place->gap + place->name_bytes;
    bool is_open = place->child == ITSELF ? w3d_open(p, object->chunk, least, &in)
                                          : w3d_open_header(p, object->chunk, place->child, least, &in);
    if (!is_open) return false;
    if (place->has_version) object->version = sni_read_u32(&in);
    if (place->has_attributes) object->attributes = sni_read_u32(&in);
    sni_skip(&in, place->gap);
    object->name = w3d_read_str(&in, place->name_bytes ? place->name_bytes : sni_rest(&in));
    if (object->id == W3D_SOUND && sni_rest(&in) >= 4) object->attributes = sni_read_u32(&in);
    return true;
}

void w3d_parse_object(w3d_parser *p, int32_t chunk)
{
    w3d_object object = { .chunk = chunk, .id = w3d_at(p, chunk)->id, .detail = sni_str_make("", 0) };
    const name_place *place = find_name_place(object.id);
    if (!place || !parse_name(p, place, &object)) return;
    parse_detail(p, &object);
    w3d_object *slot = sni_push(p->arena, &p->objects, w3d_object);
    if (slot) *slot = object;
}
