// Materials: images and samplers, and the layers of a material with their shader, textures and blend mode.
#include "render/render.h"

static void report_image(const sn_drawable *drawable, const sn_image *image, const sn_error *error)
{
    const sn_render_opts *opts = &drawable->renderer->opts;
    sn_warning warning = {
        .code = SNI_WARN_LOST_CONTENT, .count = 1, .offset = error->offset, .message = error->message
    };
    warning.path = image->name[0] ? image->name : image->uri;
    if (opts->report) opts->report(opts->user, &warning);
}

static GLuint load_image(const sn_drawable *drawable, int32_t index, bool is_srgb)
{
    const sn_image *image = &drawable->model->images[index];
    sni_gpu_image *gpu = &drawable->images[index];
    sn_decode_opts opts = { .allocator = drawable->renderer->opts.allocator, .hidden_alpha = true };
    sn_pixels pixels;
    sn_error error;
    sn_status status = image->data ? sni_image_set_decode(drawable->image_set, image, &opts, &pixels, &error)
                                   : SN_ERR_IO;
    gpu->is_bad = status != SN_OK && status != SN_ERR_MEMORY;
    if (gpu->is_bad && image->data) report_image(drawable, image, &error);
    if (status == SN_ERR_MEMORY) sni_fail(&drawable->renderer->diag, status, error.offset, "%s", error.message);
    if (status != SN_OK) return 0;
    GLuint texture = sni_texture_upload(drawable->renderer, pixels, is_srgb);
    sn_pixels_free(&pixels);
    return texture;
}

static GLuint image_texture(const sn_drawable *drawable, int32_t index, bool is_srgb)
{
    if (index < 0 || (uint32_t)index >= drawable->model->image_count) return 0;
    index = (int32_t)drawable->image_set->first[index];
    sni_gpu_image *gpu = &drawable->images[index];
    GLuint *texture = is_srgb ? &gpu->srgb : &gpu->linear;
    if (*texture == 0 && !gpu->is_bad) *texture = load_image(drawable, index, is_srgb);
    return *texture;
}

static GLenum gl_wrap(uint8_t wrap)
{
    return wrap == SN_CLAMP ? GL_CLAMP_TO_EDGE : wrap == SN_MIRROR ? GL_MIRRORED_REPEAT : GL_REPEAT;
}

static GLenum gl_min_filter(uint8_t filter)
{
    static const GLenum filters[SNI_FILTERS] = { GL_LINEAR_MIPMAP_LINEAR,
                                                 GL_NEAREST,
                                                 GL_LINEAR,
                                                 GL_NEAREST_MIPMAP_NEAREST,
                                                 GL_LINEAR_MIPMAP_NEAREST,
                                                 GL_NEAREST_MIPMAP_LINEAR,
                                                 GL_LINEAR_MIPMAP_LINEAR };
    return filters[filter];
}

static GLuint make_sampler(const sn_texture *texture)
{
    GLuint sampler;
    glGenSamplers(1, &sampler);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, (GLint)gl_wrap(texture->wrap_u));
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, (GLint)gl_wrap(texture->wrap_v));
    glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER,
                        texture->mag_filter == SN_FILTER_NEAREST ? GL_NEAREST : GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)gl_min_filter(texture->min_filter));
    return sampler;
}

static GLuint find_sampler(sn_renderer *renderer, const sn_texture *texture)
{
    GLuint *sampler = &renderer->samplers[texture->wrap_u][texture->wrap_v][texture->mag_filter][texture->min_filter];
    if (*sampler == 0) *sampler = make_sampler(texture);
    return *sampler;
}

// What the fragment shader writes and how it is blended. Colours are premultiplied; the alpha of the picture is its
// coverage of the background.
typedef enum output_kind { OUTPUT_OPAQUE, OUTPUT_BLEND, OUTPUT_ADD, OUTPUT_MULTIPLY } output_kind;

// clang-format off
static const struct blending {
    output_kind output;
    GLenum equation, source, target, source_alpha, target_alpha;
} blendings[] = {
    [SN_BLEND_OPAQUE] = { OUTPUT_OPAQUE, GL_FUNC_ADD, GL_ONE, GL_ZERO, GL_ONE, GL_ZERO },
    [SN_BLEND_ALPHA] = { OUTPUT_BLEND, GL_FUNC_ADD, GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_ADD] = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_ADD_ALPHA] = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_MODULATE] = { OUTPUT_MULTIPLY, GL_FUNC_ADD, GL_DST_COLOR, GL_ZERO, GL_ZERO, GL_ONE },
    [SN_BLEND_MODULATE_2X] = { OUTPUT_MULTIPLY, GL_FUNC_ADD, GL_DST_COLOR, GL_SRC_COLOR, GL_ZERO, GL_ONE },
    [SN_BLEND_SCREEN] = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE_MINUS_SRC_COLOR, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_SUBTRACT] = { OUTPUT_ADD, GL_FUNC_REVERSE_SUBTRACT, GL_ONE, GL_ONE, GL_ZERO, GL_ONE },
};
// clang-format on

// One layer of a batch with all state that its draw call needs.
typedef struct prepared_layer {
    const sn_drawable *drawable;
    sn_layer layer;  // as posed
    int32_t mesh;
    uint32_t features;
    GLuint textures[SN_MAP_COUNT];
} prepared_layer;

static const sn_layer white_layer = {
    .maps = { { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 } },
    .color = { 1, 1, 1, 1 },
    .roughness = 1,
};

static const sn_vec4 untextured_color = { 0.55f, 0.54f, 0.52f, 1 };

static sn_layer posed_layer(const sn_pose *pose, const sn_model *model, int32_t material, int32_t index)
{
    if (material < 0 || model->materials[material].layer_count == 0) return white_layer;
    sn_layer layer = model->materials[material].layers[index];
    sn_layer_state state = sn_pose_layer(pose, material, index);
    layer.color = state.color;
    layer.emissive = state.emissive;
    layer.maps[SN_MAP_COLOR].image = state.image;
    layer.maps[SN_MAP_COLOR].transform = state.uv;
    return layer;
}

// One colour for all materials: without textures, and to show weights.
static sn_layer untextured_layer(sn_layer from)
{
    sn_layer layer = white_layer;
    layer.color = untextured_color;
    layer.flags = from.flags & SN_LAYER_TWO_SIDED;
    return layer;
}

static void find_textures(prepared_layer *p)
{
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        bool is_srgb = map == SN_MAP_COLOR || map == SN_MAP_EMISSIVE;
        int32_t image = p->layer.maps[map].image;
        p->textures[map] = image_texture(p->drawable, image, is_srgb);
        if (map == SN_MAP_COLOR && image >= 0 && p->textures[map] == 0)
            p->textures[map] = p->drawable->renderer->missing_texture;
        if (p->textures[map]) p->features |= 1u << map;
    }
}

static uint32_t layer_features(const sni_pass *pass, const sn_mesh *mesh, const sn_layer *layer, uint32_t features)
{
    bool is_lit = !(layer->flags & SN_LAYER_UNLIT) && mesh->topology == SN_TRIANGLES;
    if (layer->alpha_cutoff > 0) features |= SNI_ALPHA_TEST;
    if (layer->flags & SN_LAYER_SPHERE_MAP) features |= SNI_SPHERE_MAP;
    if (!mesh->normals) features |= SNI_FLAT;
    if (mesh->morph_count > 0) features |= SNI_MORPHS;
    if (mesh->color_count > 0 && mesh->colors[0]) features |= SNI_VERTEX_COLORS;
    if (!is_lit) return features & ~(uint32_t)(SNI_METAL_MAP | SNI_NORMAL_MAP | SNI_OCCLUSION_MAP);
    if (mesh->tangents && mesh->normals && (features & SNI_NORMAL_MAP)) features |= SNI_TANGENTS;
    if (layer->metallic > 0 || layer->roughness < 0.9f || (features & SNI_METAL_MAP)) features |= SNI_GLOSS;
    return features | SNI_LIT | (pass->features & (SNI_SHADOWED | SNI_OWN_LIGHTS));
}

static void set_uv_transforms(const sni_program *program, const sn_layer *layer)
{
    float matrices[SN_MAP_COUNT][4], offsets[SN_MAP_COUNT][2];
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        const sn_uv_transform *uv = &layer->maps[map].transform;
        float c = cosf(uv->rotation), s = sinf(uv->rotation);
        matrices[map][0] = c * uv->scale.x;
        matrices[map][1] = s * uv->scale.x;
        matrices[map][2] = -s * uv->scale.y;
        matrices[map][3] = c * uv->scale.y;
        offsets[map][0] = uv->offset.x;
        offsets[map][1] = uv->offset.y;
    }
    glUniform4fv(program->at[SNI_U_UV_MATRIX], SN_MAP_COUNT, matrices[0]);
    glUniform2fv(program->at[SNI_U_UV_OFFSET], SN_MAP_COUNT, offsets[0]);
}

static void set_surface(const sni_program *program, const sn_layer *layer, output_kind output)
{
    glUniform4fv(program->at[SNI_U_BASE], 1, &layer->color.x);
    glUniform3fv(program->at[SNI_U_EMISSIVE], 1, &layer->emissive.x);
    glUniform2f(program->at[SNI_U_SURFACE], layer->metallic, layer->roughness);
    glUniform2f(program->at[SNI_U_STRENGTH], layer->maps[SN_MAP_NORMAL].strength,
                layer->maps[SN_MAP_OCCLUSION].strength);
    glUniform1f(program->at[SNI_U_CUTOFF], layer->alpha_cutoff);
    glUniform1i(program->at[SNI_U_OUTPUT], (GLint)output);
}

static void bind_textures(const prepared_layer *p)
{
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        if (!(p->features & 1u << map)) continue;
        glActiveTexture(GL_TEXTURE0 + (GLenum)map);
        glBindTexture(GL_TEXTURE_2D, p->textures[map]);
        glBindSampler((GLuint)map, find_sampler(p->drawable->renderer, &p->layer.maps[map]));
    }
}

static void set_blending(const sn_layer *layer, bool is_transparent)
{
    const struct blending *b = &blendings[layer->blend];
    bool is_opaque = layer->blend == SN_BLEND_OPAQUE;
    if (is_opaque) glDisable(GL_BLEND);
    else glEnable(GL_BLEND);
    glBlendEquation(b->equation);
    glBlendFuncSeparate(b->source, b->target, b->source_alpha, b->target_alpha);
    glDepthMask(is_opaque && !is_transparent && !(layer->flags & SN_LAYER_NO_DEPTH_WRITE));
    glDepthFunc(layer->flags & SN_LAYER_NO_DEPTH_TEST ? GL_ALWAYS : GL_LEQUAL);
}

static void draw_faces(const sni_pass *pass, const sni_program *program, const sni_batch *batch, uint32_t faces)
{
    if (faces & SNI_FRONT_FACES && faces & SNI_BACK_FACES) glDisable(GL_CULL_FACE);
    else glEnable(GL_CULL_FACE);
    glCullFace(faces & SNI_FRONT_FACES ? GL_BACK : GL_FRONT);
    if (sni_cull_triangles(pass, batch, faces)) sni_draw_kept(pass, program, batch);
    else sni_draw_batch(pass, program, batch);
}

// The wireframe moves surfaces back, steep ones more.
static bool hides_others(const sni_pass *pass, const sni_batch *batch, const sn_layer *layer)
{
    return layer->blend == SN_BLEND_OPAQUE && !batch->is_transparent && !(layer->alpha_cutoff > 0) &&
           !(layer->flags & (SN_LAYER_NO_DEPTH_WRITE | SN_LAYER_NO_DEPTH_TEST)) &&
           !(pass->frame->show & SN_SHOW_WIREFRAME);
}

// Back faces of a two-sided transparent part are drawn before its front faces, unless its triangles are sorted.
static void draw_sides(const sni_pass *pass, const sni_program *program, const sni_batch *batch, const sn_layer *layer)
{
    bool has_two = layer->flags & SN_LAYER_TWO_SIDED,
         is_sorted = layer->blend == SN_BLEND_ALPHA && sni_sort_triangles(pass, batch);
    glFrontFace(batch->is_mirrored ? GL_CW : GL_CCW);
    if (is_sorted) {
        if (has_two) glDisable(GL_CULL_FACE);
        else glEnable(GL_CULL_FACE);
        glCullFace(GL_BACK);
        sni_draw_sorted(pass, program, batch);
    } else if (has_two && batch->is_transparent) {
        draw_faces(pass, program, batch, SNI_BACK_FACES);
        draw_faces(pass, program, batch, SNI_FRONT_FACES);
    } else {
        const uint32_t hiding = hides_others(pass, batch, layer) ? SNI_HIDING_FACES : 0;
        draw_faces(pass, program, batch, hiding | SNI_FRONT_FACES | (has_two ? SNI_BACK_FACES : 0));
    }
}

static bool draw_prepared(const sni_pass *pass, const sni_batch *batch, prepared_layer *p)
{
    const sni_program *program = sni_program_for(pass->renderer, p->features);
    if (!program) return false;
    glUseProgram(program->id);
    glBindVertexArray(p->drawable->meshes[p->mesh].array);
    sni_gpu_mesh_use_uvs(p->drawable, p->mesh, &p->layer);
    set_uv_transforms(program, &p->layer);
    set_surface(program, &p->layer, blendings[p->layer.blend].output);
    bind_textures(p);
    sni_shadow_use(pass, program);
    sni_lights_use(pass, program);
    set_blending(&p->layer, batch->is_transparent);
    draw_sides(pass, program, batch, &p->layer);
    return true;
}

bool sni_draw_depth(const sni_pass *pass, const sni_batch *batch)
{
    const sn_drawable *drawable = batch->actor->drawable;
    const sn_part *part = &drawable->model->parts[batch->part];
    prepared_layer p = { .drawable = drawable, .mesh = part->mesh, .features = SNI_DEPTH_ONLY };
    if (drawable->model->meshes[part->mesh].morph_count > 0) p.features |= SNI_MORPHS;
    p.layer = posed_layer(batch->actor->pose, drawable->model, part->material, 0);
    // Opaque parts cast shadows, alpha-blended ones where the texture covers; additive ones do not.
    bool casts = p.layer.blend == SN_BLEND_OPAQUE || p.layer.blend == SN_BLEND_ALPHA;
    if (!casts || drawable->model->meshes[part->mesh].topology != SN_TRIANGLES) return true;
    if (p.layer.blend == SN_BLEND_ALPHA) p.layer.alpha_cutoff = 0.5f;
    p.textures[SN_MAP_COLOR] = image_texture(drawable, p.layer.maps[SN_MAP_COLOR].image, true);
    if (p.layer.alpha_cutoff > 0 && p.textures[SN_MAP_COLOR]) p.features |= SNI_ALPHA_TEST | SNI_COLOR_MAP;
    const sni_program *program = sni_program_for(pass->renderer, p.features);
    if (!program) return false;
    glUseProgram(program->id);
    glBindVertexArray(drawable->meshes[p.mesh].array);
    sni_gpu_mesh_use_uvs(drawable, p.mesh, &p.layer);
    set_uv_transforms(program, &p.layer);
    set_surface(program, &p.layer, OUTPUT_OPAQUE);
    bind_textures(&p);
    draw_faces(pass, program, batch, SNI_FRONT_FACES | SNI_BACK_FACES);
    return true;
}

bool sni_draw_wireframe(const sni_pass *pass, const sni_batch *batch)
{
    const sn_drawable *drawable = batch->actor->drawable;
    int32_t mesh = drawable->model->parts[batch->part].mesh;
    const sni_program *program = NULL;
    if (drawable->model->meshes[mesh].topology != SN_TRIANGLES) return true;
    program = sni_program_for(pass->renderer,
                              SNI_ONE_COLOR | (drawable->model->meshes[mesh].morph_count > 0 ? SNI_MORPHS : 0));
    if (!program) return false;
    glUseProgram(program->id);
    glUniform4f(program->at[SNI_U_BASE], 0.02f, 0.03f, 0.05f, 0.55f);
    glBindVertexArray(drawable->meshes[mesh].array);
    sni_gpu_mesh_use_uvs(drawable, mesh, &white_layer);
    sni_draw_edges(pass, program, batch);
    return true;
}

static bool draw_layer(const sni_pass *pass, const sni_batch *batch, int32_t index)
{
    const sn_drawable *drawable = batch->actor->drawable;
    const sn_part *part = &drawable->model->parts[batch->part];
    prepared_layer p = { .drawable = drawable, .mesh = part->mesh };
    bool show_weights = pass->frame->show & SN_SHOW_WEIGHTS;
    p.layer = posed_layer(batch->actor->pose, drawable->model, part->material, index);
    if (show_weights || (pass->frame->show & SN_SHOW_UNTEXTURED)) p.layer = untextured_layer(p.layer);
    if (show_weights) p.features |= SNI_HEAT;
    find_textures(&p);
    p.features = layer_features(pass, &drawable->model->meshes[part->mesh], &p.layer, p.features);
    return draw_prepared(pass, batch, &p);
}

static uint32_t layer_count(const sni_pass *pass, const sni_batch *batch)
{
    const sn_model *model = batch->actor->drawable->model;
    int32_t material = model->parts[batch->part].material;
    bool is_plain = pass->frame->show & (SN_SHOW_WEIGHTS | SN_SHOW_UNTEXTURED);
    return is_plain || material < 0 || model->materials[material].layer_count == 0
               ? 1
               : model->materials[material].layer_count;
}

// Layers after the first have the same depth, so depth tests must accept equal values.
bool sni_draw_layers(const sni_pass *pass, const sni_batch *batch)
{
    uint32_t count = layer_count(pass, batch);
    for (uint32_t i = 0; i < count; i++)
        if (!draw_layer(pass, batch, (int32_t)i)) return false;
    return true;
}
