// Layers to passes: shaders, vertex materials and textures, or shader materials for BFME. What the importer kept of a
// pass in the extras of its material goes back as it was, where the layer still says the same.
#include <math.h>
#include <stdio.h>

#include "base/color.h"
#include "base/json.h"
#include "base/math.h"
#include "format/w3d/w3d_export.h"
#include "model/extras.h"
#include "model/track.h"

enum { CLAMP_U = 0x8, CLAMP_V = 0x10, MAPPER_ENVIRONMENT = 1, MAPPER_LINEAR_OFFSET = 4, MAPPER_ROTATE = 8 };
enum { COMPARE_LESS_EQUAL = 3, COMPARE_ALWAYS = 7, MOST_TEXTURES = W3D_MAX_PASSES * W3D_MAX_STAGES };

// How the texture coordinates of a layer move, in units per second and turns per second.
typedef struct layer_motion {
    float u, v, turns;
    bool is_set;
} layer_motion;

// What is read of a material of the model once, for all parts that have it.
typedef struct out_material {
    const char *stored[W3D_MAX_PASSES];  // the pass as JSON; NULL: none
    layer_motion *motions;               // per layer
} out_material;

struct w3d_out_materials {
    const char **texture_names;  // per image; NULL: none
    out_material *items;         // per material of the model
    uint64_t lost_maps, lost_layers, lost_blends, lost_uv_tracks, lost_uv_rotations, lost_colors;
};

// Textures

// The team's colour of Warcraft III: Generals colours textures whose names start with ZHC.
static bool is_team_color(const w3d_exporter *x, const sn_image *image)
{
    return strcmp(x->model->format, "mdx") == 0 && !image->uri[0] && strcmp(image->name, "team color") == 0;
}

// Files name .tga and the game looks for .dds first: the name in the model stays what it was.
static const char *stored_name(w3d_exporter *x, const char *file, const sn_image *image)
{
    const char *dot = strrchr(file, '.');
    if (!sni_has_ending(image->uri, "tga") || !dot) return file;
    char *name = sni_copy_text(x->arena, file, strlen(file));
    if (name) memcpy(name + (dot - file), ".tga", sizeof ".tga");
    return name;
}

static const char *missing_name(w3d_exporter *x, const sn_image *image)
{
    const char *from = image->uri[0] ? sni_last_name(image->uri) : image->name, *slash = strrchr(from, '\\');
    if (slash) from = slash + 1;
    if (!from[0]) return NULL;
    if (sni_has_ending(from, "tga dds")) return sni_copy_text(x->arena, from, strlen(from));
    const char *dot = strrchr(from, '.');
    const size_t size = dot ? (size_t)(dot - from) : strlen(from);
    char *name = sni_new_raw(x->arena, char, size + sizeof ".tga");
    if (!name) return NULL;
    memcpy(name, from, size);
    memcpy(name + size, ".tga", sizeof ".tga");
    return name;
}

static bool name_image(w3d_exporter *x, sni_nocase_names *used, uint32_t index, uint64_t *missing)
{
    sn_image image = x->model->images[index];
    if (is_team_color(x, &image)) image.name = "ZHC_team";
    else if (image.uri[0] && strcmp(x->model->format, "w3d") != 0 && !image.name[0]) image.name = image.uri;
    const bool is_written = image.data && sni_save_image_ending(&image);
    *missing += !is_written;
    if (!is_written || x->save->memory) {
        x->materials->texture_names[index] = missing_name(x, &image);
        return sni_save_ok(x->save);
    }
    const char *file = sni_save_emit_image(x->save, used, &image, index, true);
    x->materials->texture_names[index] = file ? stored_name(x, file, &image) : NULL;
    return x->materials->texture_names[index] != NULL;
}

// Materials

static bool read_stored(w3d_exporter *x, const sn_material *material, out_material *out)
{
    sni_json json;
    sni_diag diag;
    uint32_t count = 0;
    if (!sni_extras_open_array(x->arena, material->extras, "passes", &json, &diag)) return true;
    while (count < W3D_MAX_PASSES && sni_json_next_item(&json)) {
        const sni_str raw = sni_json_raw(&json);
        if (!sni_json_ok(&json)) break;
        if (!(out->stored[count++] = sni_copy_text(x->arena, raw.at, raw.size))) return false;
    }
    return true;
}

// Texture coordinates that move steadily: two keys, from one to the other in the time of the clip or of their own.
static bool read_motion(const sn_track *track, layer_motion *out)
{
    const float span = track->key_count == 2 ? track->times[1] - track->times[0] : 0.0f;
    if (track->interpolation != SN_LINEAR || !(span > 0.0f)) return false;
    layer_motion now = *out;
    if (track->channel == SN_CHANNEL_UV_OFFSET) {
        now.u = -(track->values[2] - track->values[0]) / span;  // the engine negates them
        now.v = -(track->values[3] - track->values[1]) / span;
    } else if (track->channel == SN_CHANNEL_UV_ROTATION) {
        now.turns = (track->values[1] - track->values[0]) / span / 6.2831853f;
    } else {
        return false;
    }
    const bool is_same = now.u == out->u && now.v == out->v && now.turns == out->turns;
    if (out->is_set && !is_same && track->channel == SN_CHANNEL_UV_OFFSET && (out->u != 0.0f || out->v != 0.0f))
        return false;
    *out = now;
    out->is_set = true;
    return true;
}

static bool has_stored_mapper(w3d_exporter *x, const out_material *material)
{
    const char *mapper;
    for (int i = 0; i < W3D_MAX_PASSES; i++)
        if (material->stored[i] && (sni_extras_find_object(x->arena, material->stored[i], "mapper", &mapper) ||
                                    sni_extras_find_object(x->arena, material->stored[i], "mapper2", &mapper)))
            return true;
    return false;
}

static void read_layer_tracks(w3d_exporter *x)
{
    const sn_model *model = x->model;
    w3d_out_materials *m = x->materials;
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t t = 0; t < model->clips[c].track_count; t++) {
            const sn_track *track = &model->clips[c].tracks[t];
            const bool is_part = track->target_kind == SN_TARGET_PART && track->channel == SN_CHANNEL_ALPHA;
            if (is_part && !(x->is_bfme && !x->parts[track->target].is_skin)) m->lost_colors++;
            if (track->target_kind != SN_TARGET_LAYER) continue;
            const bool is_uv = track->channel >= SN_CHANNEL_UV_OFFSET && track->channel <= SN_CHANNEL_UV_SCALE;
            if (!is_uv) m->lost_colors++;
            else if (has_stored_mapper(x, &m->items[track->target])) continue;
            else if (!read_motion(track, &m->items[track->target].motions[track->sub])) m->lost_uv_tracks++;
        }
}

bool w3d_export_textures(w3d_exporter *x)
{
    const sn_model *model = x->model;
    w3d_out_materials *m = x->materials = sni_new(x->arena, w3d_out_materials, 1);
    sni_nocase_names used = { 0 };
    uint64_t missing = 0;
    if (!m) return false;
    m->texture_names = sni_new(x->arena, const char *, model->image_count);
    m->items = sni_new(x->arena, out_material, model->material_count);
    if (!m->texture_names || !m->items) return false;
    for (uint32_t i = 0; i < model->image_count; i++)
        if (!name_image(x, &used, i, &missing)) return false;
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        m->items[i].motions = sni_new(x->arena, layer_motion, material->layer_count);
        if (!m->items[i].motions || !read_stored(x, material, &m->items[i])) return false;
        for (uint32_t k = 0; k < material->layer_count; k++)
            for (int map = SN_MAP_METAL_ROUGH; map < SN_MAP_COUNT; map++)
                m->lost_maps += material->layers[k].maps[map].image >= 0 && !(x->is_bfme && map == SN_MAP_NORMAL);
    }
    read_layer_tracks(x);
    sni_save_lose(x->save, "images", missing,
                  "textures that cannot be read were not written; only their names are kept");
    sni_save_lose(x->save, "images", x->save->memory ? model->image_count : 0,
                  "textures were left out: only the model is saved to memory");
    return true;
}

void w3d_report_materials(const w3d_exporter *x)
{
    const w3d_out_materials *m = x->materials;
    sni_save_lose(x->save, "materials", m->lost_layers, "layers that the game does not draw were left out");
    sni_save_lose(x->save, "materials", m->lost_blends, "blend modes that the format does not support were replaced");
    sni_save_lose(x->save, "materials", m->lost_maps, "texture maps other than colour were left out");
    sni_save_lose(x->save, "clips", m->lost_uv_tracks, "texture tracks were left out");
    sni_save_lose(x->save, "materials", m->lost_uv_rotations, "rotation of textures was left out");
    sni_save_lose(x->save, "clips", m->lost_colors, "colour and transparency tracks were left out");
}

bool w3d_part_is_two_sided(const w3d_exporter *x, const sn_part *part)
{
    const sn_material *material = part->material >= 0 ? &x->model->materials[part->material] : NULL;
    return material && material->layer_count > 0 && material->layers[0].flags & SN_LAYER_TWO_SIDED;
}

// Passes

typedef struct pass {
    const sn_layer *layers[W3D_MAX_STAGES];  // the second is NULL without a second texture
    uint32_t numbers[W3D_MAX_STAGES];        // of the layers
    const char *stored;                      // NULL: nothing
    uint8_t shader[W3D_SHADER_BYTES];
} pass;

typedef struct passes {
    w3d_exporter *x;
    const sn_part *part;
    const sn_material *material;
    const out_material *from;
    pass items[W3D_MAX_PASSES];
    uint32_t count;
    int32_t images[MOST_TEXTURES];  // of the mesh, by texture
    uint16_t attributes[MOST_TEXTURES];
    uint32_t texture_count;
} passes;

static void set_blend(w3d_out_materials *m, sn_blend blend, uint8_t *shader)
{
    static const uint8_t blends[][2] = {
        // source, destination
        [SN_BLEND_OPAQUE] = { 1, 0 },    [SN_BLEND_ALPHA] = { 2, 5 },    [SN_BLEND_ADD] = { 1, 1 },
        [SN_BLEND_ADD_ALPHA] = { 2, 1 }, [SN_BLEND_MODULATE] = { 0, 2 }, [SN_BLEND_MODULATE_2X] = { 0, 2 },
        [SN_BLEND_SCREEN] = { 1, 3 },    [SN_BLEND_SUBTRACT] = { 0, 3 },
    };
    m->lost_blends += blend == SN_BLEND_MODULATE_2X;
    shader[W3D_SRC_BLEND] = blends[blend][0];
    shader[W3D_DEST_BLEND] = blends[blend][1];
}

static void make_shader(w3d_out_materials *m, const sn_layer *layer, uint8_t *shader)
{
    memset(shader, 0, W3D_SHADER_BYTES);
    set_blend(m, layer->blend, shader);
    shader[W3D_DEPTH_COMPARE] = layer->flags & SN_LAYER_NO_DEPTH_TEST ? COMPARE_ALWAYS : COMPARE_LESS_EQUAL;
    shader[W3D_DEPTH_WRITE] = !(layer->flags & SN_LAYER_NO_DEPTH_WRITE);
    shader[W3D_PRIMARY_GRADIENT] = !(layer->flags & SN_LAYER_UNLIT);
    shader[W3D_TEXTURING] = layer->maps[SN_MAP_COLOR].image >= 0;
    shader[W3D_ALPHA_TEST] = layer->alpha_cutoff > 0.0f;
}

// The stored shader, where it blends as the layer does. Saving as glTF notes a blend that it could not keep.
static bool take_shader(passes *p, const sn_layer *layer, const char *stored, uint8_t *shader)
{
    float bytes[W3D_SHADER_BYTES];
    const char *noted;
    if (!stored || !sni_extras_find_floats(p->x->arena, stored, "shader", bytes, W3D_SHADER_BYTES)) return false;
    for (int i = 0; i < W3D_SHADER_BYTES; i++)
        shader[i] = bytes[i] >= 0.0f && bytes[i] <= 255.0f ? (uint8_t)bytes[i] : 0;
    const bool is_noted = sni_extras_find_text(p->x->arena, p->material->extras, "blend", &noted);
    return (w3d_shader_blend(shader) == layer->blend || is_noted) &&
           (shader[W3D_ALPHA_TEST] != 0) == (layer->alpha_cutoff > 0.0f) &&
           (shader[W3D_TEXTURING] != 0 || layer->maps[SN_MAP_COLOR].image < 0);
}

static bool is_detail(const sn_layer *layer, const uint8_t *shader)
{
    const uint32_t flags = SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_WRITE;
    return shader[W3D_TEXTURING] && shader[W3D_DETAIL_COLOR] && (layer->flags & flags) == flags &&
           layer->blend == w3d_detail_blend(shader[W3D_DETAIL_COLOR]) && layer->maps[SN_MAP_COLOR].image >= 0;
}

// The function that puts a second texture on the first as a layer would be.
static uint8_t detail_function(sn_blend blend)
{
    static const uint8_t functions[] = {
        [SN_BLEND_OPAQUE] = 1,   [SN_BLEND_ALPHA] = 7,        [SN_BLEND_ADD] = 4,    [SN_BLEND_ADD_ALPHA] = 4,
        [SN_BLEND_MODULATE] = 2, [SN_BLEND_MODULATE_2X] = 11, [SN_BLEND_SCREEN] = 3, [SN_BLEND_SUBTRACT] = 5
    };
    return functions[blend];
}

// Layers in order. A transparent first pass must be the only one: what lies over it becomes its second texture.
static void plan_passes(passes *p)
{
    const sn_layer *layers = p->material->layers;
    const uint32_t layer_count = p->material->layer_count;
    uint32_t at = 0;
    while (at < layer_count && p->count < W3D_MAX_PASSES) {
        pass *now = &p->items[p->count];
        const char *stored = p->from->stored[p->count];
        *now = (pass){ .layers = { &layers[at] }, .numbers = { at }, .stored = stored };
        const bool is_stored = take_shader(p, &layers[at], stored, now->shader);
        if (!is_stored) make_shader(p->x->materials, &layers[at], now->shader);
        at++;
        bool has_detail = is_stored && at < layer_count && is_detail(&layers[at], now->shader);
        const bool is_last = p->count == 0 && layers[0].blend != SN_BLEND_OPAQUE && !is_stored;
        if (!is_stored && is_last && at < layer_count && layers[at].maps[SN_MAP_COLOR].image >= 0 &&
            now->shader[W3D_TEXTURING]) {
            has_detail = true;
            now->shader[W3D_DETAIL_COLOR] = detail_function(layers[at].blend);
        }
        if (has_detail) now->layers[1] = &layers[at], now->numbers[1] = at, at++;
        p->count++;
        if (is_last) break;
    }
    p->x->materials->lost_layers += layer_count - at;
}

static uint32_t texture_index(passes *p, const sn_texture *map)
{
    const uint16_t attributes = (uint16_t)((map->wrap_u == SN_CLAMP ? CLAMP_U : 0) |
                                           (map->wrap_v == SN_CLAMP ? CLAMP_V : 0));
    for (uint32_t i = 0; i < p->texture_count; i++)
        if (p->images[i] == map->image && p->attributes[i] == attributes) return i;
    p->images[p->texture_count] = map->image;
    p->attributes[p->texture_count] = attributes;
    return p->texture_count++;
}

static bool has_texture(const passes *p, const sn_layer *layer)
{
    return layer && layer->maps[SN_MAP_COLOR].image >= 0 &&
           p->x->materials->texture_names[layer->maps[SN_MAP_COLOR].image];
}

static void put_textures(const passes *p, w3d_tree *tree)
{
    if (p->texture_count == 0) return;
    w3d_open_chunk(tree, W3D_TEXTURES);
    for (uint32_t i = 0; i < p->texture_count; i++) {
        w3d_open_chunk(tree, W3D_TEXTURE);
        w3d_put_text_chunk(tree, W3D_TEXTURE_NAME, p->x->materials->texture_names[p->images[i]]);
        if (p->attributes[i]) {
            w3d_open_chunk(tree, W3D_TEXTURE_INFO);
            w3d_put_u16(tree, p->attributes[i]);
            w3d_put_u16(tree, 0);
            w3d_put_u32(tree, 1);
            w3d_put_f32(tree, 0.0f);
            w3d_close_chunk(tree);
        }
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

// Vertex materials

static uint8_t byte_of(double value)
{
    return (uint8_t)((value < 0.0 ? 0.0 : value < 1.0 ? value : 1.0) * 255.0 + 0.5);
}

static void put_linear(w3d_tree *tree, sn_vec3 color, const sn_vec4 *by)
{
    w3d_put_u8(tree, byte_of(sni_srgb_of(color.x) * (by ? by->x : 1.0f)));
    w3d_put_u8(tree, byte_of(sni_srgb_of(color.y) * (by ? by->y : 1.0f)));
    w3d_put_u8(tree, byte_of(sni_srgb_of(color.z) * (by ? by->z : 1.0f)));
    w3d_put_u8(tree, 0);
}

static void add_argument(char *text, size_t room, const char *name, float value, float usual)
{
    char number[24];
    const size_t used = strlen(text);
    if (value == usual || !isfinite(value)) return;
    number[sni_format_float(value, number)] = 0;
    snprintf(text + used, room - used, "%s=%s\r\n", name, number);
}

// The mapper of a layer, and its arguments as text.
static uint32_t make_mapper(passes *p, const pass *from, int stage, char *args, size_t room)
{
    const sn_layer *layer = from->layers[stage];
    const sn_uv_transform *rest = &layer->maps[SN_MAP_COLOR].transform;
    const layer_motion *motion = &p->from->motions[from->numbers[stage]];
    args[0] = 0;
    add_argument(args, room, "UScale", rest->scale.x, 1.0f);
    add_argument(args, room, "VScale", rest->scale.y, 1.0f);
    p->x->materials->lost_uv_rotations += rest->rotation != 0.0f;
    if (layer->flags & SN_LAYER_SPHERE_MAP) return MAPPER_ENVIRONMENT;
    if (motion->turns != 0.0f) {
        add_argument(args, room, "Speed", motion->turns, 0.1f);
        return MAPPER_ROTATE;
    }
    add_argument(args, room, "UPerSec", motion->u, 0.0f);
    add_argument(args, room, "VPerSec", motion->v, 0.0f);
    add_argument(args, room, "UOffset", rest->offset.x, 0.0f);
    add_argument(args, room, "VOffset", rest->offset.y, 0.0f);
    return args[0] ? MAPPER_LINEAR_OFFSET : 0;
}

static void put_vertex_material(passes *p, w3d_tree *tree, const pass *from)
{
    static const char *const keys[] = { "mapper", "mapper2" };
    sni_arena *arena = p->x->arena;
    const sn_layer *layer = from->layers[0];
    char made[W3D_MAX_STAGES][160] = { "", "" };
    const char *args[W3D_MAX_STAGES] = { made[0], made[1] }, *mapper;
    sn_vec3 ambient = { layer->color.x, layer->color.y, layer->color.z }, specular = { 0, 0, 0 };
    float stored_attributes, shininess = 1.0f, translucency = 0.0f;
    uint32_t attributes = 0;
    const bool is_stored = sni_extras_find_float(arena, from->stored, "attributes", &stored_attributes) &&
                           stored_attributes >= 0.0f && stored_attributes < 4294967296.0f;
    if (is_stored) {
        attributes = (uint32_t)stored_attributes;
        sni_extras_find_floats(arena, from->stored, "ambient", &ambient.x, 3);
        sni_extras_find_floats(arena, from->stored, "specular", &specular.x, 3);
        sni_extras_find_float(arena, from->stored, "shininess", &shininess);
        sni_extras_find_float(arena, from->stored, "translucency", &translucency);
        for (int s = 0; s < W3D_MAX_STAGES; s++)
            if (sni_extras_find_object(arena, from->stored, keys[s], &mapper))
                sni_extras_find_text(arena, mapper, "args", &args[s]);
    } else {
        attributes |= make_mapper(p, from, 0, made[0], sizeof made[0]) << 16;
        if (from->layers[1]) attributes |= make_mapper(p, from, 1, made[1], sizeof made[1]) << 8;
    }
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL);
    w3d_put_text_chunk(tree, W3D_VERTEX_MATERIAL_NAME, p->material->name);
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL_INFO);
    w3d_put_u32(tree, attributes);
    put_linear(tree, ambient, NULL);
    put_linear(tree, (sn_vec3){ layer->color.x, layer->color.y, layer->color.z }, &p->part->color);
    put_linear(tree, specular, NULL);
    put_linear(tree, layer->emissive, NULL);
    w3d_put_f32(tree, shininess);
    w3d_put_f32(tree, layer->color.w * p->part->color.w);
    w3d_put_f32(tree, translucency);
    w3d_close_chunk(tree);
    if (args[0][0]) w3d_put_text_chunk(tree, W3D_MAPPER_ARGS0, args[0]);
    if (args[1][0]) w3d_put_text_chunk(tree, W3D_MAPPER_ARGS1, args[1]);
    w3d_close_chunk(tree);
}

// Arrays per vertex

typedef struct vertex_list {
    const sn_mesh *mesh;
    const uint32_t *items;
    uint32_t count;
} vertex_list;

static void put_uvs(w3d_tree *tree, const vertex_list *v, const sn_layer *layer)
{
    const uint32_t set = (uint32_t)layer->maps[SN_MAP_COLOR].uv_set;
    const sn_vec2 *uvs = set < v->mesh->uv_count ? v->mesh->uvs[set] : NULL;
    if (!uvs) return;
    w3d_open_chunk(tree, W3D_STAGE_UVS);
    for (uint32_t i = 0; i < v->count; i++) {
        const sn_vec2 uv = uvs[v->items[i]];
        const float flipped[2] = { uv.x, 1.0f - uv.y };
        w3d_put_floats(tree, flipped, 2);
    }
    w3d_close_chunk(tree);
}

static void put_colors(w3d_tree *tree, const vertex_list *v, uint32_t set)
{
    const sn_vec4 *colors = set < v->mesh->color_count ? v->mesh->colors[set] : NULL;
    if (!colors) return;
    w3d_open_chunk(tree, W3D_DCG);
    for (uint32_t i = 0; i < v->count; i++) {
        const sn_vec4 c = colors[v->items[i]];
        const double rgba[4] = { sni_srgb_of(c.x), sni_srgb_of(c.y), sni_srgb_of(c.z), c.w };
        for (int k = 0; k < 4; k++) w3d_put_u8(tree, byte_of(rgba[k]));
    }
    w3d_close_chunk(tree);
}

static void put_id(w3d_tree *tree, uint32_t id, uint32_t value)
{
    w3d_open_chunk(tree, id);
    w3d_put_u32(tree, value);
    w3d_close_chunk(tree);
}

static void put_info(w3d_tree *tree, uint32_t pass_count, uint32_t materials, uint32_t shaders, uint32_t textures)
{
    w3d_open_chunk(tree, W3D_MATERIAL_INFO);
    w3d_put_u32(tree, pass_count);
    w3d_put_u32(tree, materials);
    w3d_put_u32(tree, shaders);
    w3d_put_u32(tree, textures);
    w3d_close_chunk(tree);
}

// How many textures there are is known only after they were collected.
static void count_textures(passes *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        for (int s = 0; s < W3D_MAX_STAGES; s++)
            if (has_texture(p, p->items[i].layers[s])) texture_index(p, &p->items[i].layers[s]->maps[SN_MAP_COLOR]);
}

static void put_passes(passes *p, w3d_tree *tree, const vertex_list *v)
{
    count_textures(p);
    put_info(tree, p->count, p->count, p->count, p->texture_count);
    w3d_open_chunk(tree, W3D_SHADERS);
    for (uint32_t i = 0; i < p->count; i++) w3d_put(tree, p->items[i].shader, W3D_SHADER_BYTES);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_VERTEX_MATERIALS);
    for (uint32_t i = 0; i < p->count; i++) put_vertex_material(p, tree, &p->items[i]);
    w3d_close_chunk(tree);
    put_textures(p, tree);
    for (uint32_t i = 0; i < p->count; i++) {
        w3d_open_chunk(tree, W3D_PASS);
        put_id(tree, W3D_VERTEX_MATERIAL_IDS, i);
        put_id(tree, W3D_SHADER_IDS, i);
        put_colors(tree, v, i);
        for (int s = 0; s < W3D_MAX_STAGES; s++) {
            const sn_layer *layer = p->items[i].layers[s];
            if (!has_texture(p, layer)) continue;
            w3d_open_chunk(tree, W3D_STAGE);
            put_id(tree, W3D_TEXTURE_IDS, texture_index(p, &layer->maps[SN_MAP_COLOR]));
            put_uvs(tree, v, layer);
            w3d_close_chunk(tree);
        }
        w3d_close_chunk(tree);
    }
}

// Shader materials

static void put_whole_property(w3d_tree *tree, const char *name, int32_t value, bool is_flag)
{
    w3d_open_property(tree, is_flag ? W3D_BOOL : W3D_INT, name);
    if (is_flag) w3d_put_u8(tree, (uint8_t)(value != 0));
    else w3d_put_u32(tree, (uint32_t)value);
    w3d_close_chunk(tree);
}

static const char *map_name(const passes *p, const sn_layer *layer, int map)
{
    return layer->maps[map].image >= 0 ? p->x->materials->texture_names[layer->maps[map].image] : NULL;
}

static void put_new_properties(const passes *p, w3d_tree *tree, const sn_layer *layer, bool is_bumpy)
{
    const char *color = map_name(p, layer, SN_MAP_COLOR);
    const sn_vec4 *by = &p->part->color;
    const float diffuse[4] = { (float)sni_srgb_of(layer->color.x) * by->x, (float)sni_srgb_of(layer->color.y) * by->y,
                               (float)sni_srgb_of(layer->color.z) * by->z, layer->color.w * by->w };
    const float emissive[3] = { (float)sni_srgb_of(layer->emissive.x), (float)sni_srgb_of(layer->emissive.y),
                                (float)sni_srgb_of(layer->emissive.z) };
    const float ambient[4] = { 1, 1, 1, 1 }, specular[4] = { 0, 0, 0, 1 }, exponent = 20.0f;
    if (color) w3d_put_texture_property(tree, is_bumpy ? "DiffuseTexture" : "Texture_0", color);
    if (is_bumpy) {
        w3d_put_texture_property(tree, "NormalMap", map_name(p, layer, SN_MAP_NORMAL));
        w3d_put_float_property(tree, "BumpScale", &layer->maps[SN_MAP_NORMAL].strength, 1);
        w3d_put_float_property(tree, "SpecularExponent", &exponent, 1);
        w3d_put_float_property(tree, "AmbientColor", ambient, 4);
        w3d_put_float_property(tree, "DiffuseColor", diffuse, 4);
        w3d_put_float_property(tree, "SpecularColor", specular, 4);
    } else {
        w3d_put_float_property(tree, "ColorAmbient", ambient, 4);
        w3d_put_float_property(tree, "ColorDiffuse", diffuse, 4);
        w3d_put_float_property(tree, "ColorSpecular", specular, 3);
        w3d_put_float_property(tree, "ColorEmissive", emissive, 3);
        w3d_put_float_property(tree, "Shininess", &exponent, 1);
        w3d_put_float_property(tree, "Opacity", &diffuse[3], 1);
        put_whole_property(tree, "DepthWriteEnable", !(layer->flags & SN_LAYER_NO_DEPTH_WRITE), true);
        put_whole_property(tree, "CullingEnable", !(layer->flags & SN_LAYER_TWO_SIDED), true);
        put_whole_property(tree, "BlendMode",
                           layer->blend == SN_BLEND_OPAQUE  ? 0
                           : layer->blend == SN_BLEND_ALPHA ? 1
                                                            : 2,
                           false);
    }
    put_whole_property(tree, "AlphaTestEnable", layer->alpha_cutoff > 0.0f, true);
}

// Numbers in extras have no type: what is called like a switch is one, and modes are whole numbers.
static void put_stored_property(w3d_tree *tree, sni_json *json, const char *name)
{
    const size_t size = strlen(name);
    float values[4];
    switch (sni_json_peek(json)) {
    case SNI_JSON_STRING: w3d_put_texture_property(tree, name, sni_json_string(json, NULL)); return;
    case SNI_JSON_NUMBER: {
        const float value = sni_json_float(json);
        const bool is_flag = size > 6 && strcmp(name + size - 6, "Enable") == 0;
        const bool is_mode = (size >= 4 && strcmp(name + size - 4, "Mode") == 0) || strncmp(name, "Num", 3) == 0;
        if (is_flag || is_mode) put_whole_property(tree, name, (int32_t)fmaxf(-1e9f, fminf(value, 1e9f)), is_flag);
        else w3d_put_float_property(tree, name, &value, 1);
        return;
    }
    case SNI_JSON_ARRAY:
        for (uint32_t count = 2; count <= 4; count++)
            if (sni_json_floats(json, values, count)) {
                w3d_put_float_property(tree, name, values, count);
                return;
            }
        break;
    default: break;
    }
    sni_json_skip(json);
}

static bool put_stored_properties(const passes *p, w3d_tree *tree, const char *stored)
{
    sni_diag diag;
    sni_str key;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(stored, strlen(stored)), 0, 64, &diag, p->x->arena);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        const char *name = sni_copy_text(p->x->arena, key.at, key.size);
        if (!name) return false;
        if (strcmp(name, "effect") == 0) sni_json_skip(&json);
        else put_stored_property(tree, &json, name);
    }
    return true;
}

static bool put_shader_material(passes *p, w3d_tree *tree, const vertex_list *v)
{
    const sn_layer *layer = p->items[0].layers[0];
    const char *stored = p->items[0].stored, *effect = NULL;
    const bool is_bumpy = map_name(p, layer, SN_MAP_NORMAL) != NULL;
    bool is_put = true;
    if (!stored || !sni_extras_find_text(p->x->arena, stored, "effect", &effect)) stored = NULL;
    p->x->materials->lost_blends += layer->blend > SN_BLEND_ADD_ALPHA;
    put_info(tree, 1, 0, 0, 0);
    w3d_open_chunk(tree, W3D_SHADER_MATERIALS);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_HEADER);
    w3d_put_u8(tree, 1);
    w3d_put_name(tree, stored ? effect : is_bumpy ? "NormalMapped.fx" : "DefaultW3D.fx", W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 0);
    w3d_close_chunk(tree);
    if (stored) is_put = put_stored_properties(p, tree, stored);
    else put_new_properties(p, tree, layer, is_bumpy);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PASS);
    put_id(tree, W3D_SHADER_MATERIAL_IDS, 0);
    put_colors(tree, v, 0);
    put_uvs(tree, v, layer);
    w3d_close_chunk(tree);
    return is_put;
}

// What an effect has no property for stays a pass, which BFME draws, too.
static bool is_effect(const passes *p)
{
    float shader[W3D_SHADER_BYTES];
    const pass *first = &p->items[0];
    const layer_motion *motion = &p->from->motions[0];
    if (!p->x->is_bfme || p->count != 1 || first->layers[1]) return false;
    if (first->stored && sni_extras_find_floats(p->x->arena, first->stored, "shader", shader, W3D_SHADER_BYTES))
        return false;
    const uint32_t missing = SN_LAYER_SPHERE_MAP | SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_TEST;
    return !motion->is_set && !(first->layers[0]->flags & missing);
}

bool w3d_export_material(w3d_exporter *x, w3d_tree *tree, const sn_part *part, const sn_mesh *mesh,
                         const uint32_t *vertices, uint32_t vertex_count)
{
    layer_motion still = { 0 };
    const out_material nothing = { .motions = &still };
    sn_layer plain = { .color = { 1, 1, 1, 1 }, .roughness = 1.0f };
    for (int i = 0; i < SN_MAP_COUNT; i++) plain.maps[i] = (sn_texture){ .image = -1, .transform.scale = { 1, 1 } };
    const sn_material fallback = { .name = "", .layers = &plain, .layer_count = 1 };
    const bool has_material = part->material >= 0 && x->model->materials[part->material].layer_count > 0;
    const vertex_list v = { mesh, vertices, vertex_count };
    passes p = { .x = x, .part = part };
    p.material = has_material ? &x->model->materials[part->material] : &fallback;
    p.from = has_material ? &x->materials->items[part->material] : &nothing;
    plan_passes(&p);
    if (is_effect(&p)) return put_shader_material(&p, tree, &v);
    put_passes(&p, tree, &v);
    return true;
}
