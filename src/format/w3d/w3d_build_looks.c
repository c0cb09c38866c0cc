// Materials: each pass a layer, a second texture one more over it; images by their bare names.
#include <math.h>
#include <string.h>

#include "base/color.h"
#include "base/math.h"
#include "base/mime.h"
#include "format/w3d/w3d_build.h"

enum { MOST_LAYERS = W3D_MAX_PASSES * W3D_MAX_STAGES, CLAMP_U = 0x8, CLAMP_V = 0x10, ALWAYS = 7 };
enum { SRC_ZERO, SRC_ONE, SRC_ALPHA, SRC_ONE_MINUS_ALPHA };
enum { DEST_ZERO, DEST_ONE, DEST_COLOR, DEST_ONE_MINUS_COLOR, DEST_ALPHA, DEST_ONE_MINUS_ALPHA, DEST_COLOR_PREFOG };

static const float ALPHA_TEST = 96.0f / 255.0f;  // what the engine compares with
static const uint8_t default_shader[16] = { 3, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0 };

sn_vec3 w3d_color(const w3d_builder *b, const uint8_t rgb[3])
{
    return sni_vec3(b->linear[rgb[0]], b->linear[rgb[1]], b->linear[rgb[2]]);
}

static bool open_image(w3d_builder *b, sni_str name, uint64_t offset, sn_image *image)
{
    sni_bytes bytes = { NULL, 0 };
    const char *why = "";
    if (!sni_load_find(b->load, name, "dds tga", &bytes, &why)) {
        if (sni_load_ok(b->load))
            sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, offset, "\"%.80s\": %s", image->uri, why);
        return sni_load_ok(b->load);
    }
    uint8_t *data = sni_new_raw(&b->load->keep, uint8_t, bytes.size);
    if (!data) return false;
    if (bytes.size > 0) memcpy(data, bytes.data, bytes.size);
    image->data = data;
    image->size = bytes.size;
    image->mime_type = sni_mime_type(bytes);
    return true;
}

int32_t w3d_build_image(w3d_builder *b, sni_str name, uint64_t offset)
{
    if (name.size == 0) return -1;
    int32_t known = sni_names_find(&b->image_names, name);
    if (known >= 0) return known;
    sn_image *image = sni_push(&b->load->keep, &b->images, sn_image);
    if (!image || !sni_names_add(&b->load->scratch, &b->image_names, name, (int32_t)b->images.count - 1)) return -1;
    const char *uri = w3d_clean(b, name), *dot = strrchr(uri, '.');
    *image = (sn_image){ .uri = uri, .mime_type = "" };
    image->name = sni_copy_text(&b->load->keep, uri, dot && dot > uri ? (size_t)(dot - uri) : strlen(uri));
    return image->name && open_image(b, name, offset, image) ? (int32_t)b->images.count - 1 : -1;
}

static sn_blend blend_of(const uint8_t *shader)
{
    uint8_t source = shader[W3D_SRC_BLEND];
    switch (shader[W3D_DEST_BLEND]) {
    case DEST_ONE: return source == SRC_ALPHA ? SN_BLEND_ADD_ALPHA : SN_BLEND_ADD;
    case DEST_COLOR:
    case DEST_COLOR_PREFOG: return SN_BLEND_MODULATE;
    case DEST_ONE_MINUS_COLOR: return source == SRC_ZERO ? SN_BLEND_SUBTRACT : SN_BLEND_SCREEN;
    case DEST_ALPHA:
    case DEST_ONE_MINUS_ALPHA: return SN_BLEND_ALPHA;
    default: return source == SRC_ALPHA ? SN_BLEND_ALPHA : SN_BLEND_OPAQUE;
    }
}

// How the second texture of a pass is mixed into the first: nearest to it is a layer of its own.
static sn_blend detail_blend(uint8_t function)
{
    static const sn_blend blends[] = { SN_BLEND_OPAQUE, SN_BLEND_OPAQUE,   SN_BLEND_MODULATE, SN_BLEND_SCREEN,
                                       SN_BLEND_ADD,    SN_BLEND_SUBTRACT, SN_BLEND_SUBTRACT, SN_BLEND_ALPHA,
                                       SN_BLEND_ALPHA,  SN_BLEND_ADD,      SN_BLEND_ADD,      SN_BLEND_MODULATE_2X,
                                       SN_BLEND_ADD };
    return function < sizeof blends / sizeof *blends ? blends[function] : SN_BLEND_MODULATE;
}

static uint32_t shader_flags(const uint8_t *shader)
{
    return (shader[W3D_DEPTH_COMPARE] == ALWAYS ? SN_LAYER_NO_DEPTH_TEST : 0u) |
           (shader[W3D_DEPTH_WRITE] ? 0u : SN_LAYER_NO_DEPTH_WRITE) |
           (shader[W3D_PRIMARY_GRADIENT] ? 0u : SN_LAYER_UNLIT);
}

static void set_map(w3d_builder *b, const w3d_texture *source, int32_t uv_set, sn_texture *map)
{
    map->image = w3d_build_image(b, source->name, w3d_offset(b->doc, source->chunk));
    map->uv_set = uv_set > 0 ? uv_set : 0;
    map->wrap_u = source->attributes & CLAMP_U ? SN_CLAMP : SN_REPEAT;
    map->wrap_v = source->attributes & CLAMP_V ? SN_CLAMP : SN_REPEAT;
}

static float clamp_unit(float value) { return value >= 0.0f && value <= 1.0f ? value : value > 1.0f ? 1.0f : 0.0f; }

static void set_vertex_material(const w3d_builder *b, const w3d_vertex_material *source, sn_layer *layer)
{
    sn_vec3 diffuse = w3d_color(b, source->diffuse);
    layer->color = (sn_vec4){ diffuse.x, diffuse.y, diffuse.z, clamp_unit(source->opacity) };
    layer->emissive = w3d_color(b, source->emissive);
}

// What is made of one look: layers, the mappers that move them, and the rest as extras.
typedef struct looks_draft {
    w3d_builder *b;
    const w3d_shape *shape;
    sn_layer layers[MOST_LAYERS];
    w3d_mapper mappers[MOST_LAYERS];
    uint32_t count;
    sni_str name;
    sni_extras extras;
} looks_draft;

static sn_layer *add_layer(looks_draft *draft)
{
    sn_layer *layer = &draft->layers[draft->count++];
    *layer = sni_layer_default();
    if (draft->shape->mesh->attributes & W3D_TWO_SIDED) layer->flags |= SN_LAYER_TWO_SIDED;
    return layer;
}

// The mapper of a stage: bits 16 to 23 are of the first, 8 to 15 of the second.
static w3d_mapper mapper_of(const w3d_vertex_material *source, uint32_t stage)
{
    if (!source) return (w3d_mapper){ 0, { "", 0 } };
    return (w3d_mapper){ source->attributes >> (stage == 0 ? 16 : 8) & 0xFF, source->args[stage] };
}

static void add_stage(looks_draft *draft, const w3d_pass_ids *ids, uint32_t pass, uint32_t stage, const uint8_t *shader,
                      sn_layer *layer)
{
    const w3d_material_set *looks = draft->shape->looks;
    const w3d_vertex_material *material = ids->vertex_material < 0 ? NULL
                                                                   : &looks->vertex_materials[ids->vertex_material];
    w3d_mapper *mapper = &draft->mappers[layer - draft->layers];
    sn_texture *map = &layer->maps[SN_MAP_COLOR];
    if (ids->textures[stage] < 0 || !shader[W3D_TEXTURING]) return;
    set_map(draft->b, &looks->textures[ids->textures[stage]], draft->shape->uv_of[pass][stage], map);
    *mapper = mapper_of(material, stage);
    w3d_place_mapper(mapper, &map->transform, &layer->flags);
}

static void put_mapper(looks_draft *draft, const char *key, const w3d_mapper *mapper)
{
    if (mapper->kind == 0 && mapper->args.size == 0) return;
    sni_json_key(&draft->extras.json, key);
    sni_json_begin_object(&draft->extras.json);
    sni_extras_put_text(&draft->extras, "kind", w3d_mapper_name(mapper->kind));
    w3d_say_text(&draft->extras, draft->b, "args", mapper->args);
    sni_json_end(&draft->extras.json);
}

static void put_pass(looks_draft *draft, const w3d_vertex_material *material, const uint8_t *shader)
{
    sni_json_writer *json = &draft->extras.json;
    sni_json_begin_object(json);
    sni_json_key(json, "shader");
    sni_json_begin_flat_array(json);
    for (int i = 0; i < 16; i++) sni_json_put_integer(json, shader[i]);
    sni_json_end(json);
    if (material) {
        sn_vec3 ambient = w3d_color(draft->b, material->ambient), specular = w3d_color(draft->b, material->specular);
        sni_extras_put_integer(&draft->extras, "attributes", material->attributes);
        sni_extras_put_floats(&draft->extras, "ambient", &ambient.x, 3);
        sni_extras_put_floats(&draft->extras, "specular", &specular.x, 3);
        sni_extras_put_float(&draft->extras, "shininess", material->shininess);
        sni_extras_put_float(&draft->extras, "translucency", material->translucency);
        w3d_mapper first = mapper_of(material, 0), second = mapper_of(material, 1);
        put_mapper(draft, "mapper", &first);
        put_mapper(draft, "mapper2", &second);
    }
    sni_json_end(json);
}

// A pass of the fixed kind: shader, vertex material, up to two textures.
static void add_pass(looks_draft *draft, const w3d_pass_ids *ids, uint32_t pass)
{
    const w3d_material_set *looks = draft->shape->looks;
    const w3d_vertex_material *material = ids->vertex_material < 0 ? NULL
                                                                   : &looks->vertex_materials[ids->vertex_material];
    const uint8_t *shader = ids->shader < 0 ? default_shader : looks->shaders.data + (size_t)16 * (uint32_t)ids->shader;
    sn_layer *layer = add_layer(draft);
    if (material) set_vertex_material(draft->b, material, layer);
    layer->blend = blend_of(shader);
    layer->flags |= shader_flags(shader);
    layer->alpha_cutoff = shader[W3D_ALPHA_TEST] ? ALPHA_TEST : 0.0f;
    add_stage(draft, ids, pass, 0, shader, layer);
    if (material && material->name.size > 0 && draft->name.size == 0) draft->name = material->name;
    if (ids->textures[1] >= 0 && shader[W3D_TEXTURING] && shader[W3D_DETAIL_COLOR]) {
        sn_layer *detail = add_layer(draft);
        detail->blend = detail_blend(shader[W3D_DETAIL_COLOR]);
        detail->flags |= SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_WRITE;
        add_stage(draft, ids, pass, 1, shader, detail);
    }
    put_pass(draft, material, shader);
}

static void put_property(looks_draft *draft, const w3d_property *property)
{
    const char *key = w3d_label(draft->b, property->name);
    switch (property->type) {
    case W3D_TEXTURE_PROPERTY: sni_extras_put_text(&draft->extras, key, w3d_label(draft->b, property->text)); break;
    case W3D_INT:
    case W3D_BOOL: sni_extras_put_integer(&draft->extras, key, property->number); break;
    case W3D_FLOAT:
    case W3D_VEC2:
    case W3D_VEC3:
    case W3D_VEC4: sni_extras_put_floats(&draft->extras, key, property->values, property->type - W3D_FLOAT + 1); break;
    default: break;
    }
}

static sn_vec3 linear_of(const float values[3])
{
    return sni_vec3((float)sni_linear_of(values[0]), (float)sni_linear_of(values[1]), (float)sni_linear_of(values[2]));
}

// The properties that have a place in a layer.
static void use_property(looks_draft *draft, const w3d_property *p, int32_t uv_set, uint64_t offset, sn_layer *layer)
{
    sni_str name = p->name;
    bool is_color = sni_str_is_nocase(name, "DiffuseTexture") || sni_str_is_nocase(name, "Texture_0"),
         is_bump = sni_str_is_nocase(name, "NormalMap");
    if (p->type == W3D_TEXTURE_PROPERTY && (is_color || is_bump)) {
        sn_texture *map = &layer->maps[is_color ? SN_MAP_COLOR : SN_MAP_NORMAL];
        map->image = w3d_build_image(draft->b, p->text, offset);
        map->uv_set = uv_set > 0 ? uv_set : 0;
    } else if (sni_str_is_nocase(name, "BumpScale") && p->type == W3D_FLOAT) {
        layer->maps[SN_MAP_NORMAL].strength = p->values[0];
    } else if ((sni_str_is_nocase(name, "DiffuseColor") || sni_str_is_nocase(name, "ColorDiffuse")) &&
               (p->type == W3D_VEC3 || p->type == W3D_VEC4)) {
        sn_vec3 color = linear_of(p->values);
        layer->color = (sn_vec4){ color.x, color.y, color.z,
                                  p->type == W3D_VEC4 ? clamp_unit(p->values[3]) : layer->color.w };
    } else if (sni_str_is_nocase(name, "ColorEmissive") && (p->type == W3D_VEC3 || p->type == W3D_VEC4)) {
        layer->emissive = linear_of(p->values);
    } else if (sni_str_is_nocase(name, "Opacity") && p->type == W3D_FLOAT) {
        layer->color.w = clamp_unit(p->values[0]);
    } else if (sni_str_is_nocase(name, "AlphaTestEnable") && p->number) {
        layer->alpha_cutoff = ALPHA_TEST;
    } else if (sni_str_is_nocase(name, "BlendMode") && p->number > 0) {
        layer->blend = p->number == 1 ? SN_BLEND_ALPHA : SN_BLEND_ADD;
    } else if (sni_str_is_nocase(name, "CullingEnable") && !p->number) {
        layer->flags |= SN_LAYER_TWO_SIDED;
    } else if (sni_str_is_nocase(name, "DepthWriteEnable") && !p->number) {
        layer->flags |= SN_LAYER_NO_DEPTH_WRITE;
    }
}

static void add_shader_material(looks_draft *draft, const w3d_shader_material *source, uint32_t pass)
{
    sn_layer *layer = add_layer(draft);
    uint64_t offset = w3d_offset(draft->b->doc, source->chunk);
    sni_json_begin_object(&draft->extras.json);
    w3d_say_text(&draft->extras, draft->b, "effect", source->effect);
    for (uint32_t i = 0; i < source->property_count; i++) {
        use_property(draft, &source->properties[i], draft->shape->uv_of[pass][0], offset, layer);
        put_property(draft, &source->properties[i]);
    }
    sni_json_end(&draft->extras.json);
}

static void add_material3(looks_draft *draft, const w3d_material3 *source)
{
    sn_layer *layer = add_layer(draft);
    sn_vec3 diffuse = w3d_color(draft->b, source->diffuse);
    layer->color = (sn_vec4){ diffuse.x, diffuse.y, diffuse.z, clamp_unit(source->opacity) };
    if (layer->color.w < 1.0f) layer->blend = SN_BLEND_ALPHA;
    layer->maps[SN_MAP_COLOR].image = w3d_build_image(draft->b, source->map, w3d_offset(draft->b->doc, source->chunk));
    draft->name = source->name;
}

static uint32_t hash_bytes(uint32_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static uint32_t hash_material(const sn_material *material)
{
    uint32_t hash = hash_bytes(2166136261u, material->layers, material->layer_count * sizeof *material->layers);
    hash = hash_bytes(hash, material->name, strlen(material->name));
    if (material->extras) hash = hash_bytes(hash, material->extras, strlen(material->extras));
    return hash ^ hash >> 15;
}

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool is_same_material(const sn_material *a, const sn_material *b)
{
    return a->layer_count == b->layer_count && is_same_text(a->name, b->name) && is_same_text(a->extras, b->extras) &&
           memcmp(a->layers, b->layers, a->layer_count * sizeof *a->layers) == 0;  // numbers only, without gaps
}

static bool grow_slots(w3d_builder *b)
{
    uint32_t larger = b->material_slot_count ? b->material_slot_count * 2 : 64, mask = larger - 1;
    uint32_t *slots = sni_new(&b->load->scratch, uint32_t, larger);
    const sn_material *materials = b->materials.items;
    for (uint32_t i = 0; slots && i < b->materials.count; i++) {
        uint32_t at = hash_material(&materials[i]) & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    b->material_slots = slots;
    b->material_slot_count = larger;
    return slots != NULL;
}

// The slot of a material that looks just so, or a free one.
static uint32_t *find_material(const w3d_builder *b, const sn_material *wanted)
{
    const sn_material *materials = b->materials.items;
    uint32_t mask = b->material_slot_count - 1, at = hash_material(wanted) & mask;
    while (b->material_slots[at] && !is_same_material(&materials[b->material_slots[at] - 1], wanted))
        at = (at + 1) & mask;
    return &b->material_slots[at];
}

static int32_t keep_material(looks_draft *draft, const char *name, const char *extras)
{
    w3d_builder *b = draft->b;
    sn_material wanted = { name, extras, draft->layers, draft->count };
    if (b->materials.count >= b->material_slot_count / 2 && !grow_slots(b)) return -1;
    uint32_t *slot = find_material(b, &wanted);
    if (*slot) return (int32_t)*slot - 1;
    sn_material *material = sni_push(&b->load->keep, &b->materials, sn_material);
    sn_layer *layers = material ? sni_new_raw(&b->load->keep, sn_layer, draft->count) : NULL;
    if (!layers) return -1;
    memcpy(layers, draft->layers, draft->count * sizeof *layers);
    *material = (sn_material){ name, extras, layers, draft->count };
    *slot = b->materials.count;
    for (uint32_t i = 0; i < draft->count; i++)
        if (!w3d_move_mapper(b, &draft->mappers[i], &layers[i].maps[SN_MAP_COLOR].transform, (int32_t)*slot - 1,
                             (int32_t)i))
            return -1;
    return (int32_t)*slot - 1;
}

// Its own name, else that of its first picture.
static const char *draft_name(looks_draft *draft)
{
    int32_t image = draft->layers[0].maps[SN_MAP_COLOR].image;
    if (draft->name.size > 0) return w3d_clean(draft->b, draft->name);
    return image >= 0 ? w3d_items(sn_image, draft->b->images)[image].name : "";
}

int32_t w3d_build_material(w3d_builder *b, const w3d_shape *shape, const w3d_look *look)
{
    looks_draft draft = { .b = b, .shape = shape, .name = { "", 0 } };
    memset(draft.layers, 0, sizeof draft.layers);
    sni_extras_begin(b->load, &draft.extras);
    if (w3d_pass_count(shape->looks) > 0) {
        sni_json_key(&draft.extras.json, "passes");
        sni_json_begin_array(&draft.extras.json);
        for (uint32_t p = 0; p < w3d_pass_count(shape->looks); p++) {
            int32_t material = look->passes[p].shader_material;
            if (material >= 0) add_shader_material(&draft, &shape->mesh->shader_materials[material], p);
            else add_pass(&draft, &look->passes[p], p);
        }
        sni_json_end(&draft.extras.json);
    }
    if (draft.count == 0 && look->material3 >= 0) add_material3(&draft, &shape->mesh->materials3[look->material3]);
    const char *extras = sni_extras_end(b->load, &draft.extras);
    if (draft.count == 0 || !sni_load_ok(b->load)) return -1;
    return keep_material(&draft, draft_name(&draft), extras);
}
