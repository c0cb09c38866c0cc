// Materials: each pass becomes a layer, a second texture one more layer over it. Mappers, which move texture
// coordinates, become texture transforms and tracks. Images are found by their bare names.
#include <math.h>
#include <stdlib.h>

#include "base/color.h"
#include "base/math.h"
#include "base/mime.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

enum { MAX_LAYERS = W3D_MAX_PASSES * W3D_MAX_STAGES, CLAMP_U = 0x8, CLAMP_V = 0x10, COMPARE_ALWAYS = 7 };
enum { SRC_ZERO, SRC_ONE, SRC_ALPHA, SRC_ONE_MINUS_ALPHA };
enum { DEST_ZERO, DEST_ONE, DEST_COLOR, DEST_ONE_MINUS_COLOR, DEST_ALPHA, DEST_ONE_MINUS_ALPHA, DEST_COLOR_PREFOG };

static const float ALPHA_TEST_CUTOFF = 96.0f / 255.0f;  // the engine's constant
static const uint8_t default_shader[W3D_SHADER_BYTES] = { 3, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0 };

// Images

// The index of an image, found once per name. -1: no name, or the load has failed.
static int32_t build_image(w3d_builder *b, sni_str name, uint64_t offset)
{
    if (name.size == 0) return -1;
    int32_t known = sni_nocase_names_find(&b->image_names, name);
    if (known >= 0) return known;
    int32_t index = (int32_t)b->core.images.count;
    sn_image *image = sni_builder_add_image(&b->core);
    if (!image || !sni_nocase_names_add(&b->load->scratch, &b->image_names, name, index)) return -1;
    const char *uri = w3d_clean_text(b, name), *dot = strrchr(uri, '.');
    *image = (sn_image){ .uri = uri, .mime_type = "" };
    image->name = sni_copy_text(&b->load->keep, uri, dot && dot > uri ? (size_t)(dot - uri) : strlen(uri));
    if (!image->name) return -1;

    sni_bytes bytes = { NULL, 0 };
    const char *why = "";
    if (!sni_load_find(b->load, name, "dds tga", &bytes, &why)) {
        if (!sni_load_ok(b->load)) return -1;
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, offset, "\"%.80s\": %s", uri, why);
        return index;
    }
    image->data = sni_load_keep(b->load, bytes);
    if (!image->data) return -1;
    image->size = bytes.size;
    image->mime_type = sni_mime_type(bytes);
    return index;
}

// Mappers

typedef struct mapper {
    uint32_t kind;
    sni_str args;  // lines of "Key=Value"
} mapper;

enum {
    MAPPER_ENVIRONMENT = 1,
    MAPPER_CHEAP_ENVIRONMENT = 2,
    MAPPER_LINEAR_OFFSET = 4,
    MAPPER_GRID = 7,
    MAPPER_ROTATE = 8,
    MAPPER_CLASSIC_WORLD_ENVIRONMENT = 12,
    MAPPER_GRID_ENVIRONMENT = 15
};
enum { ROTATION_KEYS = 33, MAX_LOG2_WIDTH = 5 };

static const char *mapper_name(uint32_t kind) { return kind < W3D_MAPPERS ? w3d_mapper_names[kind] : "unknown"; }

// Bits 16 to 23 of the attributes are the mapper of the first stage, 8 to 15 that of the second.
static mapper mapper_of_stage(const w3d_vertex_material *material, uint32_t stage)
{
    if (!material) return (mapper){ 0, { "", 0 } };
    return (mapper){ material->attributes >> (stage == 0 ? 16 : 8) & 0xFF, material->args[stage] };
}

static sni_str trim(sni_str text)
{
    while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t')) text.at++, text.size--;
    while (text.size > 0 &&
           (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t' || text.at[text.size - 1] == 0))
        text.size--;
    return text;
}

// Numbers as people type them: ".5", "+2", "1.".
static float parse_number(sni_str text, float fallback)
{
    char number[40];
    size_t used = 0;
    float value;
    if (text.size > 0 && (text.at[0] == '-' || text.at[0] == '+')) {
        if (text.at[0] == '-') number[used++] = '-';
        text.at++, text.size--;
    }
    if (text.size > 0 && text.at[0] == '.') number[used++] = '0';
    for (size_t i = 0; i < text.size && used < sizeof number; i++) number[used++] = text.at[i];
    if (!sni_scan_float(number, number + used, &value) || !isfinite(value)) return fallback;
    return value;
}

// The first line with the key counts.
static float find_arg(sni_str args, const char *key, float fallback)
{
    while (args.size > 0) {
        size_t size = 0;
        while (size < args.size && args.at[size] != '\r' && args.at[size] != '\n') size++;
        sni_str line = sni_str_make(args.at, size);
        const char *equals = size > 0 ? memchr(line.at, '=', line.size) : NULL;
        if (equals && sni_str_is_nocase(trim(sni_str_make(line.at, (size_t)(equals - line.at))), key))
            return parse_number(trim(sni_str_make(equals + 1, line.size - (size_t)(equals + 1 - line.at))), fallback);
        size += size < args.size;
        args = sni_str_make(args.at + size, args.size - size);
    }
    return fallback;
}

static uint32_t grid_side(sni_str args)
{
    float width = find_arg(args, "Log2Width", 1.0f);
    return 1u << (width >= 0.0f && width <= (float)MAX_LOG2_WIDTH ? (uint32_t)width : 1u);
}

// The constant part of a mapper.
static void apply_mapper(const mapper *m, sn_uv_transform *transform, uint32_t *layer_flags)
{
    bool is_environment = m->kind == MAPPER_ENVIRONMENT || m->kind == MAPPER_CHEAP_ENVIRONMENT ||
                          (m->kind >= MAPPER_CLASSIC_WORLD_ENVIRONMENT && m->kind <= MAPPER_GRID_ENVIRONMENT);
    if (is_environment) *layer_flags |= SN_LAYER_SPHERE_MAP;
    transform->scale.x = find_arg(m->args, "UScale", 1.0f);
    transform->scale.y = find_arg(m->args, "VScale", 1.0f);
    if (m->kind == MAPPER_LINEAR_OFFSET) {
        transform->offset.x = find_arg(m->args, "UOffset", 0.0f);
        transform->offset.y = find_arg(m->args, "VOffset", 0.0f);
    } else if (m->kind == MAPPER_GRID) {
        transform->scale.x /= (float)grid_side(m->args);
        transform->scale.y /= (float)grid_side(m->args);
    }
}

// The moving part: tracks with a period, which repeat independently of the clip.
typedef struct mapper_target {
    w3d_builder *b;
    int32_t material, layer;
} mapper_target;

static bool add_uv_track(mapper_target target, sn_channel channel, float period, uint32_t keys, uint32_t width,
                         float **times, float **values)
{
    w3d_builder *b = target.b;
    sn_track *track = sni_push(&b->load->scratch, &b->uv_tracks, sn_track);
    *times = sni_new(&b->load->keep, float, keys);
    *values = sni_new(&b->load->keep, float, (uint64_t)keys *width);
    if (!track || !*times || !*values) return false;
    *track = (sn_track){ .target_kind = SN_TARGET_LAYER,
                         .channel = (uint8_t)channel,
                         .interpolation = SN_LINEAR,
                         .target = target.material,
                         .sub = target.layer,
                         .period = period,
                         .key_count = keys,
                         .width = width,
                         .times = *times,
                         .values = *values };
    return true;
}

// The time after which both speeds, rounded to thousandths, have moved by whole textures: 1 / gcd.
static float scroll_period(float u, float v)
{
    long a = labs((long)lrintf(u * 1000.0f)), c = labs((long)lrintf(v * 1000.0f));
    while (c != 0) {
        long rest = a % c;
        a = c;
        c = rest;
    }
    return a > 0 ? 1000.0f / (float)a : 0.0f;
}

static bool animate_offset(mapper_target target, const mapper *m, const sn_uv_transform *rest)
{
    float *times, *values;
    float u = -find_arg(m->args, "UPerSec", 0.0f), v = -find_arg(m->args, "VPerSec", 0.0f);  // the engine negates them
    if (!(fabsf(u) < 1000.0f && fabsf(v) < 1000.0f)) return true;
    float period = scroll_period(u, v);
    if (!(period > 0.0f)) return true;
    if (!add_uv_track(target, SN_CHANNEL_UV_OFFSET, period, 2, 2, &times, &values)) return false;
    times[1] = period;
    values[0] = rest->offset.x, values[1] = rest->offset.y;
    values[2] = rest->offset.x + u * period, values[3] = rest->offset.y + v * period;
    return true;
}

// A rotation about a point is a rotation about the origin and an offset along a circle.
static bool animate_rotation(mapper_target target, const mapper *m)
{
    float *times, *values;
    float speed = find_arg(m->args, "Speed", 0.1f), u = find_arg(m->args, "UCenter", 0.0f),
          v = find_arg(m->args, "VCenter", 0.0f);
    const double full_turn = 6.283185307179586;
    if (!(fabsf(speed) > 1e-4f && fabsf(speed) < 1000.0f)) return true;
    float period = 1.0f / fabsf(speed), sign = speed < 0.0f ? -1.0f : 1.0f;
    if (!add_uv_track(target, SN_CHANNEL_UV_ROTATION, period, 2, 1, &times, &values)) return false;
    times[1] = period;
    values[1] = sign * (float)full_turn;
    if (u == 0.0f && v == 0.0f) return true;

    // Rotated step by step instead of with sin and cos, so that all machines get the same bits.
    const double step_cos = 0.98078528040323044913, step_sin = 0.19509032201612826785;  // of 1/32 turn
    double c = 1.0, s = 0.0;
    if (!add_uv_track(target, SN_CHANNEL_UV_OFFSET, period, ROTATION_KEYS, 2, &times, &values)) return false;
    for (uint32_t i = 0; i < ROTATION_KEYS; i++) {
        times[i] = period * (float)i / (float)(ROTATION_KEYS - 1);
        values[2 * i] = (float)(u - (c * u - sign * s * v));
        values[2 * i + 1] = (float)(v - (sign * s * u + c * v));
        double next = c * step_cos - s * step_sin;
        s = c * step_sin + s * step_cos;
        c = next;
    }
    return true;
}

// Steps through the cells of a grid of images.
static bool animate_grid(mapper_target target, const mapper *m)
{
    float *times, *values;
    uint32_t side = grid_side(m->args);
    float fps = find_arg(m->args, "FPS", 1.0f), last = find_arg(m->args, "Last", (float)(side * side)),
          first = find_arg(m->args, "Offset", 0.0f);
    uint32_t count = last >= 1.0f && last <= (float)(side * side) ? (uint32_t)last : side * side;
    uint32_t start = first >= 0.0f && first < (float)count ? (uint32_t)first : 0;
    if (!(fps > 1e-3f && fps < 1000.0f) || count < 2) return true;
    if (!add_uv_track(target, SN_CHANNEL_UV_OFFSET, (float)count / fps, count, 2, &times, &values)) return false;
    w3d_items(sn_track, target.b->uv_tracks)[target.b->uv_tracks.count - 1].interpolation = SN_STEP;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cell = (start + i) % count, row = cell / side;
        times[i] = (float)i / fps;
        values[2 * i] = (float)(cell % side) / (float)side;
        values[2 * i + 1] = (float)row / (float)side;
    }
    return true;
}

static bool animate_mapper(mapper_target target, const mapper *m, const sn_uv_transform *rest)
{
    sni_list *tracks = &target.b->uv_tracks;
    const uint32_t first = tracks->count;
    bool is_good = true;
    switch (m->kind) {
    case MAPPER_LINEAR_OFFSET: is_good = animate_offset(target, m, rest); break;
    case MAPPER_ROTATE: is_good = animate_rotation(target, m); break;
    case MAPPER_GRID: is_good = animate_grid(target, m); break;
    default: break;
    }
    for (uint32_t i = first; is_good && i < tracks->count; i++)  // centres far away overflow
        is_good = sni_sanitize_keys(&target.b->load->diag, &w3d_items(sn_track, *tracks)[i], 0);
    return is_good;
}

// Layers

typedef struct material_draft {
    w3d_builder *b;
    const w3d_geometry *geometry;
    sn_layer layers[MAX_LAYERS];
    mapper mappers[MAX_LAYERS];
    uint32_t count;
    sni_str name;
    sni_extras extras;
} material_draft;

static sn_layer *add_layer(material_draft *draft)
{
    sn_layer *layer = &draft->layers[draft->count++];
    *layer = sni_layer_default();
    if (draft->geometry->mesh->attributes & W3D_TWO_SIDED) layer->flags |= SN_LAYER_TWO_SIDED;
    return layer;
}

sn_blend w3d_shader_blend(const uint8_t *shader)
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

// The nearest blend for the function that combines the second texture with the first.
sn_blend w3d_detail_blend(uint8_t function)
{
    static const sn_blend blends[] = { SN_BLEND_OPAQUE, SN_BLEND_OPAQUE,   SN_BLEND_MODULATE, SN_BLEND_SCREEN,
                                       SN_BLEND_ADD,    SN_BLEND_SUBTRACT, SN_BLEND_SUBTRACT, SN_BLEND_ALPHA,
                                       SN_BLEND_ALPHA,  SN_BLEND_ADD,      SN_BLEND_ADD,      SN_BLEND_MODULATE_2X,
                                       SN_BLEND_ADD };
    return function < sizeof blends / sizeof *blends ? blends[function] : SN_BLEND_MODULATE;
}

static void set_texture(material_draft *draft, sn_layer *layer, const w3d_texture *source, int32_t uv_set,
                        mapper stage_mapper)
{
    sn_texture *map = &layer->maps[SN_MAP_COLOR];
    map->image = build_image(draft->b, source->name, w3d_offset(draft->b->doc, source->chunk));
    map->uv_set = uv_set > 0 ? uv_set : 0;
    map->wrap_u = source->attributes & CLAMP_U ? SN_CLAMP : SN_REPEAT;
    map->wrap_v = source->attributes & CLAMP_V ? SN_CLAMP : SN_REPEAT;
    draft->mappers[layer - draft->layers] = stage_mapper;
    apply_mapper(&stage_mapper, &map->transform, &layer->flags);
}

static void put_mapper(material_draft *draft, const char *key, mapper m)
{
    if (m.kind == 0 && m.args.size == 0) return;
    sni_json_key(&draft->extras.json, key);
    sni_json_begin_object(&draft->extras.json);
    sni_extras_put_text(&draft->extras, "kind", mapper_name(m.kind));
    w3d_extras_put_text(&draft->extras, draft->b, "args", m.args);
    sni_json_end(&draft->extras.json);
}

static void put_pass(material_draft *draft, const w3d_vertex_material *material, const uint8_t *shader)
{
    sni_json_writer *json = &draft->extras.json;
    sni_json_begin_object(json);
    sni_json_key(json, "shader");
    sni_json_begin_flat_array(json);
    for (int i = 0; i < W3D_SHADER_BYTES; i++) sni_json_put_integer(json, shader[i]);
    sni_json_end(json);
    if (material) {
        sn_vec3 ambient = w3d_linear_color(draft->b, material->ambient),
                specular = w3d_linear_color(draft->b, material->specular);
        sni_extras_put_integer(&draft->extras, "attributes", material->attributes);
        sni_extras_put_floats(&draft->extras, "ambient", &ambient.x, 3);
        sni_extras_put_floats(&draft->extras, "specular", &specular.x, 3);
        sni_extras_put_float(&draft->extras, "shininess", material->shininess);
        sni_extras_put_float(&draft->extras, "translucency", material->translucency);
        put_mapper(draft, "mapper", mapper_of_stage(material, 0));
        put_mapper(draft, "mapper2", mapper_of_stage(material, 1));
    }
    sni_json_end(json);
}

// A fixed-function pass: shader, vertex material, up to two textures.
static void add_pass(material_draft *draft, const w3d_pass_ids *ids, uint32_t pass)
{
    const w3d_material_set *set = draft->geometry->materials;
    const int32_t *uv_sets = draft->geometry->uv_sets[pass];
    const w3d_vertex_material *material = NULL;
    const uint8_t *shader = default_shader;
    if (ids->vertex_material >= 0) material = &set->vertex_materials[ids->vertex_material];
    if (ids->shader >= 0) shader = set->shaders.data + (size_t)W3D_SHADER_BYTES * (uint32_t)ids->shader;

    sn_layer *layer = add_layer(draft);
    if (material) {
        sn_vec3 diffuse = w3d_linear_color(draft->b, material->diffuse);
        layer->color = (sn_vec4){ diffuse.x, diffuse.y, diffuse.z, sni_clamp_unit(material->opacity) };
        layer->emissive = w3d_linear_color(draft->b, material->emissive);
        if (draft->name.size == 0) draft->name = material->name;
    }
    layer->blend = w3d_shader_blend(shader);
    layer->alpha_cutoff = shader[W3D_ALPHA_TEST] ? ALPHA_TEST_CUTOFF : 0.0f;
    if (shader[W3D_DEPTH_COMPARE] == COMPARE_ALWAYS) layer->flags |= SN_LAYER_NO_DEPTH_TEST;
    if (!shader[W3D_DEPTH_WRITE]) layer->flags |= SN_LAYER_NO_DEPTH_WRITE;
    if (!shader[W3D_PRIMARY_GRADIENT]) layer->flags |= SN_LAYER_UNLIT;

    if (shader[W3D_TEXTURING] && ids->textures[0] >= 0)
        set_texture(draft, layer, &set->textures[ids->textures[0]], uv_sets[0], mapper_of_stage(material, 0));
    if (shader[W3D_TEXTURING] && ids->textures[1] >= 0 && shader[W3D_DETAIL_COLOR]) {
        sn_layer *detail = add_layer(draft);
        detail->blend = w3d_detail_blend(shader[W3D_DETAIL_COLOR]);
        detail->flags |= SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_WRITE;
        set_texture(draft, detail, &set->textures[ids->textures[1]], uv_sets[1], mapper_of_stage(material, 1));
    }
    put_pass(draft, material, shader);
}

// Shader materials

static void put_property(material_draft *draft, const w3d_property *property)
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

static sn_vec3 linear_from_srgb(const float values[3])
{
    return sni_vec3((float)sni_linear_of(values[0]), (float)sni_linear_of(values[1]), (float)sni_linear_of(values[2]));
}

// The properties that a layer has a field for.
static void apply_property(material_draft *draft, const w3d_property *p, int32_t uv_set, uint64_t offset,
                           sn_layer *layer)
{
    sni_str name = p->name;
    bool is_vec = p->type == W3D_VEC3 || p->type == W3D_VEC4;
    bool is_diffuse_map = sni_str_is_nocase(name, "DiffuseTexture") || sni_str_is_nocase(name, "Texture_0"),
         is_normal_map = sni_str_is_nocase(name, "NormalMap");
    bool is_diffuse_color = sni_str_is_nocase(name, "DiffuseColor") || sni_str_is_nocase(name, "ColorDiffuse");
    if (p->type == W3D_TEXTURE_PROPERTY && (is_diffuse_map || is_normal_map)) {
        sn_texture *map = &layer->maps[is_diffuse_map ? SN_MAP_COLOR : SN_MAP_NORMAL];
        map->image = build_image(draft->b, p->text, offset);
        map->uv_set = uv_set > 0 ? uv_set : 0;
    } else if (sni_str_is_nocase(name, "BumpScale") && p->type == W3D_FLOAT) {
        layer->maps[SN_MAP_NORMAL].strength = p->values[0];
    } else if (is_diffuse_color && is_vec) {
        sn_vec3 color = linear_from_srgb(p->values);
        float alpha = p->type == W3D_VEC4 ? sni_clamp_unit(p->values[3]) : layer->color.w;
        layer->color = (sn_vec4){ color.x, color.y, color.z, alpha };
    } else if (sni_str_is_nocase(name, "ColorEmissive") && is_vec) {
        layer->emissive = linear_from_srgb(p->values);
    } else if (sni_str_is_nocase(name, "Opacity") && p->type == W3D_FLOAT) {
        layer->color.w = sni_clamp_unit(p->values[0]);
    } else if (sni_str_is_nocase(name, "AlphaTestEnable") && p->number) {
        layer->alpha_cutoff = ALPHA_TEST_CUTOFF;
    } else if (sni_str_is_nocase(name, "BlendMode") && p->number > 0) {
        layer->blend = p->number == 1 ? SN_BLEND_ALPHA : SN_BLEND_ADD;
    } else if (sni_str_is_nocase(name, "CullingEnable") && !p->number) {
        layer->flags |= SN_LAYER_TWO_SIDED;
    } else if (sni_str_is_nocase(name, "DepthWriteEnable") && !p->number) {
        layer->flags |= SN_LAYER_NO_DEPTH_WRITE;
    }
}

static void add_shader_material(material_draft *draft, const w3d_shader_material *source, uint32_t pass)
{
    sn_layer *layer = add_layer(draft);
    uint64_t offset = w3d_offset(draft->b->doc, source->chunk);
    sni_json_begin_object(&draft->extras.json);
    w3d_extras_put_text(&draft->extras, draft->b, "effect", source->effect);
    for (uint32_t i = 0; i < source->property_count; i++) {
        apply_property(draft, &source->properties[i], draft->geometry->uv_sets[pass][0], offset, layer);
        put_property(draft, &source->properties[i]);
    }
    sni_json_end(&draft->extras.json);
}

// Materials

static void add_material3(material_draft *draft, const w3d_material3 *source)
{
    sn_layer *layer = add_layer(draft);
    sn_vec3 diffuse = w3d_linear_color(draft->b, source->diffuse);
    layer->color = (sn_vec4){ diffuse.x, diffuse.y, diffuse.z, sni_clamp_unit(source->opacity) };
    if (layer->color.w < 1.0f) layer->blend = SN_BLEND_ALPHA;
    layer->maps[SN_MAP_COLOR].image = build_image(draft->b, source->map, w3d_offset(draft->b->doc, source->chunk));
    draft->name = source->name;
}

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

// The index of an equal material, or of a new one. -1: the load has failed.
static int32_t keep_material(material_draft *draft, const char *name, const char *extras)
{
    w3d_builder *b = draft->b;
    size_t layer_bytes = draft->count * sizeof *draft->layers;
    uint32_t hash = sni_hash(draft->layers, layer_bytes);
    hash = sni_hash_more(hash, name, strlen(name));
    if (extras) hash = sni_hash_more(hash, extras, strlen(extras));
    for (sni_map_cursor at = sni_map_find(&b->material_map, hash); sni_map_next(&b->material_map, &at);) {
        const sn_material *known = &w3d_items(sn_material, b->core.materials)[at.item];
        if (known->layer_count == draft->count && is_same_text(known->name, name) &&
            is_same_text(known->extras, extras) && memcmp(known->layers, draft->layers, layer_bytes) == 0)
            return (int32_t)at.item;
    }

    int32_t index = (int32_t)b->core.materials.count;
    sn_material *material = sni_builder_add_material(&b->core);
    sn_layer *layers = material ? sni_new_raw(&b->load->keep, sn_layer, draft->count) : NULL;
    if (!layers || !sni_map_add(&b->material_map, &b->load->scratch, hash, (uint32_t)index)) return -1;
    memcpy(layers, draft->layers, layer_bytes);
    *material = (sn_material){ .name = name, .extras = extras, .layers = layers, .layer_count = draft->count };
    for (uint32_t i = 0; i < draft->count; i++) {
        mapper_target target = { b, index, (int32_t)i };
        if (!animate_mapper(target, &draft->mappers[i], &layers[i].maps[SN_MAP_COLOR].transform)) return -1;
    }
    return index;
}

int32_t w3d_build_material(w3d_builder *b, const w3d_geometry *geometry, const w3d_material_ids *ids)
{
    material_draft draft = { .b = b, .geometry = geometry, .name = { "", 0 } };
    memset(draft.layers, 0, sizeof draft.layers);  // layers are compared as bytes: also clears padding
    sni_extras_begin(b->core.keep, &draft.extras);
    uint32_t pass_count = w3d_pass_count(geometry->materials);
    if (pass_count > 0) {
        sni_json_key(&draft.extras.json, "passes");
        sni_json_begin_array(&draft.extras.json);
        for (uint32_t p = 0; p < pass_count; p++) {
            int32_t material = ids->passes[p].shader_material;
            if (material >= 0) add_shader_material(&draft, &geometry->mesh->shader_materials[material], p);
            else add_pass(&draft, &ids->passes[p], p);
        }
        sni_json_end(&draft.extras.json);
    }
    if (draft.count == 0 && ids->material3 >= 0) add_material3(&draft, &geometry->mesh->materials3[ids->material3]);
    const char *extras = sni_extras_end(b->core.keep, &draft.extras);
    if (draft.count == 0 || !sni_load_ok(b->load)) return -1;

    // Without a name it is called like its first image.
    int32_t image = draft.layers[0].maps[SN_MAP_COLOR].image;
    const char *name = draft.name.size > 0 ? w3d_clean_text(b, draft.name)
                       : image >= 0        ? w3d_items(sn_image, b->core.images)[image].name
                                           : "";
    return keep_material(&draft, name, extras);
}
