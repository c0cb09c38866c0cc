// The looks of a part: its layers in order, each with the program, textures and blending that it asks for.
#include "render/render.h"

// What the fragment shader hands over, and how it meets what is there. Colours come multiplied by their alpha; the
// alpha of the picture is what covers the background.
typedef enum outcome { OUTPUT_OPAQUE, OUTPUT_BLEND, OUTPUT_ADD, OUTPUT_MULTIPLY } outcome;

// clang-format off
static const struct blending { outcome output; GLenum equation, source, target, source_alpha, target_alpha; } blendings[] = {
    [SN_BLEND_OPAQUE]      = { OUTPUT_OPAQUE, GL_FUNC_ADD, GL_ONE, GL_ZERO, GL_ONE, GL_ZERO },
    [SN_BLEND_ALPHA]       = { OUTPUT_BLEND, GL_FUNC_ADD, GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_ADD]         = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_ADD_ALPHA]   = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_MODULATE]    = { OUTPUT_MULTIPLY, GL_FUNC_ADD, GL_DST_COLOR, GL_ZERO, GL_ZERO, GL_ONE },
    [SN_BLEND_MODULATE_2X] = { OUTPUT_MULTIPLY, GL_FUNC_ADD, GL_DST_COLOR, GL_SRC_COLOR, GL_ZERO, GL_ONE },
    [SN_BLEND_SCREEN]      = { OUTPUT_ADD, GL_FUNC_ADD, GL_ONE, GL_ONE_MINUS_SRC_COLOR, GL_ONE, GL_ONE_MINUS_SRC_ALPHA },
    [SN_BLEND_SUBTRACT]    = { OUTPUT_ADD, GL_FUNC_REVERSE_SUBTRACT, GL_ONE, GL_ONE, GL_ZERO, GL_ONE },
};
// clang-format on

// One layer of a job as it is drawn now.
typedef struct coat {
    const sn_drawable *drawable;
    sn_layer layer;  // with the pose's state in it
    int32_t mesh;
    uint32_t features;
    GLuint textures[SN_MAP_COUNT];
} coat;

static const sn_layer white_layer = {
    .maps = { { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 } },
    .color = { 1, 1, 1, 1 },
    .roughness = 1,
};

static const sn_vec4 clay = { 0.55f, 0.54f, 0.52f, 1 };

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

// Without textures, or for weights: the shape alone, in one colour.
static sn_layer plain_layer(sn_layer from)
{
    sn_layer layer = white_layer;
    layer.color = clay;
    layer.flags = from.flags & SN_LAYER_TWO_SIDED;
    return layer;
}

static void find_textures(coat *c)
{
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        bool is_srgb = map == SN_MAP_COLOR || map == SN_MAP_EMISSIVE;
        int32_t image = c->layer.maps[map].image;
        c->textures[map] = sni_gpu_image_of(c->drawable, image, is_srgb);
        if (map == SN_MAP_COLOR && image >= 0 && c->textures[map] == 0) c->textures[map] = c->drawable->renderer->grey;
        if (c->textures[map]) c->features |= 1u << map;
    }
}

static uint32_t features_of(const sni_pass *pass, const sn_mesh *mesh, const sn_layer *layer, uint32_t features)
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

static void set_surface(const sni_program *program, const sn_layer *layer, outcome output)
{
    glUniform4fv(program->at[SNI_U_BASE], 1, &layer->color.x);
    glUniform3fv(program->at[SNI_U_EMISSIVE], 1, &layer->emissive.x);
    glUniform2f(program->at[SNI_U_SURFACE], layer->metallic, layer->roughness);
    glUniform2f(program->at[SNI_U_STRENGTH], layer->maps[SN_MAP_NORMAL].strength,
                layer->maps[SN_MAP_OCCLUSION].strength);
    glUniform1f(program->at[SNI_U_CUTOFF], layer->alpha_cutoff);
    glUniform1i(program->at[SNI_U_OUTPUT], (GLint)output);
}

static void bind_textures(const coat *c)
{
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        if (!(c->features & 1u << map)) continue;
        glActiveTexture(GL_TEXTURE0 + (GLenum)map);
        glBindTexture(GL_TEXTURE_2D, c->textures[map]);
        glBindSampler((GLuint)map, sni_sampler_of(c->drawable->renderer, &c->layer.maps[map]));
    }
}

static void set_blending(const sn_layer *layer, bool is_clear)
{
    const struct blending *b = &blendings[layer->blend];
    bool is_opaque = layer->blend == SN_BLEND_OPAQUE;
    if (is_opaque) glDisable(GL_BLEND);
    else glEnable(GL_BLEND);
    glBlendEquation(b->equation);
    glBlendFuncSeparate(b->source, b->target, b->source_alpha, b->target_alpha);
    glDepthMask(is_opaque && !is_clear && !(layer->flags & SN_LAYER_NO_DEPTH_WRITE));
    glDepthFunc(layer->flags & SN_LAYER_NO_DEPTH_TEST ? GL_ALWAYS : GL_LEQUAL);
}

// What is clear and has two sides shows its inside through its outside: that goes first, where triangles have no order.
static void draw_sides(const sni_pass *pass, const sni_program *program, const sni_job *job, const sn_layer *layer)
{
    bool has_two = layer->flags & SN_LAYER_TWO_SIDED,
         is_ordered = layer->blend == SN_BLEND_ALPHA && sni_order_triangles(pass, job);
    glFrontFace(job->is_mirrored ? GL_CW : GL_CCW);
    if (has_two && (is_ordered || !job->is_clear)) glDisable(GL_CULL_FACE);
    else glEnable(GL_CULL_FACE);
    if (has_two && job->is_clear && !is_ordered) {
        glCullFace(GL_FRONT);
        sni_draw_job(pass, program, job);
    }
    glCullFace(GL_BACK);
    if (is_ordered) sni_draw_ordered(pass, program, job);
    else sni_draw_job(pass, program, job);
}

static bool draw_coat(const sni_pass *pass, const sni_job *job, coat *c)
{
    const sni_program *program = sni_program_for(pass->renderer, c->features);
    if (!program) return false;
    glUseProgram(program->id);
    glBindVertexArray(c->drawable->meshes[c->mesh].array);
    sni_gpu_mesh_use_uvs(c->drawable, c->mesh, &c->layer);
    set_uv_transforms(program, &c->layer);
    set_surface(program, &c->layer, blendings[c->layer.blend].output);
    bind_textures(c);
    sni_shadow_use(pass, program);
    sni_lights_use(pass, program);
    set_blending(&c->layer, job->is_clear);
    draw_sides(pass, program, job, &c->layer);
    return true;
}

// Shadows are thrown by what is not clear and, where its texture covers, by what is blended; light that is added throws
// none.
static bool casts(const sn_layer *layer) { return layer->blend == SN_BLEND_OPAQUE || layer->blend == SN_BLEND_ALPHA; }

bool sni_draw_caster(const sni_pass *pass, const sni_job *job)
{
    const sn_drawable *drawable = job->actor->drawable;
    const sn_part *part = &drawable->model->parts[job->part];
    coat c = { .drawable = drawable, .mesh = part->mesh, .features = SNI_DEPTH_ONLY };
    if (drawable->model->meshes[part->mesh].morph_count > 0) c.features |= SNI_MORPHS;
    c.layer = posed_layer(job->actor->pose, drawable->model, part->material, 0);
    if (!casts(&c.layer) || drawable->model->meshes[part->mesh].topology != SN_TRIANGLES) return true;
    if (c.layer.blend == SN_BLEND_ALPHA) c.layer.alpha_cutoff = 0.5f;
    c.textures[SN_MAP_COLOR] = sni_gpu_image_of(drawable, c.layer.maps[SN_MAP_COLOR].image, true);
    if (c.layer.alpha_cutoff > 0 && c.textures[SN_MAP_COLOR]) c.features |= SNI_ALPHA_TEST | SNI_COLOR_MAP;
    const sni_program *program = sni_program_for(pass->renderer, c.features);
    if (!program) return false;
    glUseProgram(program->id);
    glBindVertexArray(drawable->meshes[c.mesh].array);
    sni_gpu_mesh_use_uvs(drawable, c.mesh, &c.layer);
    set_uv_transforms(program, &c.layer);
    set_surface(program, &c.layer, OUTPUT_OPAQUE);
    bind_textures(&c);
    glDisable(GL_CULL_FACE);
    sni_draw_job(pass, program, job);
    return true;
}

bool sni_draw_wire(const sni_pass *pass, const sni_job *job)
{
    const sn_drawable *drawable = job->actor->drawable;
    int32_t mesh = drawable->model->parts[job->part].mesh;
    const sni_program *program = NULL;
    if (drawable->model->meshes[mesh].topology != SN_TRIANGLES) return true;
    program = sni_program_for(pass->renderer,
                              SNI_ONE_COLOR | (drawable->model->meshes[mesh].morph_count > 0 ? SNI_MORPHS : 0));
    if (!program) return false;
    glUseProgram(program->id);
    glUniform4f(program->at[SNI_U_BASE], 0.02f, 0.03f, 0.05f, 0.55f);
    glBindVertexArray(drawable->meshes[mesh].array);
    sni_gpu_mesh_use_uvs(drawable, mesh, &white_layer);
    sni_draw_wires(pass, program, job);
    return true;
}

static bool draw_layer(const sni_pass *pass, const sni_job *job, int32_t index)
{
    const sn_drawable *drawable = job->actor->drawable;
    const sn_part *part = &drawable->model->parts[job->part];
    coat c = { .drawable = drawable, .mesh = part->mesh };
    bool shows_weights = pass->frame->show & SN_SHOW_WEIGHTS;
    c.layer = posed_layer(job->actor->pose, drawable->model, part->material, index);
    if (shows_weights || (pass->frame->show & SN_SHOW_PLAIN)) c.layer = plain_layer(c.layer);
    if (shows_weights) c.features |= SNI_HEAT;
    find_textures(&c);
    c.features = features_of(pass, &drawable->model->meshes[part->mesh], &c.layer, c.features);
    return draw_coat(pass, job, &c);
}

static uint32_t layer_count(const sni_pass *pass, const sni_job *job)
{
    const sn_model *model = job->actor->drawable->model;
    int32_t material = model->parts[job->part].material;
    bool is_plain = pass->frame->show & (SN_SHOW_WEIGHTS | SN_SHOW_PLAIN);
    return is_plain || material < 0 || model->materials[material].layer_count == 0
               ? 1
               : model->materials[material].layer_count;
}

// Those above the first lie on it: the same depth must do.
bool sni_draw_layers(const sni_pass *pass, const sni_job *job)
{
    uint32_t count = layer_count(pass, job);
    for (uint32_t i = 0; i < count; i++)
        if (!draw_layer(pass, job, (int32_t)i)) return false;
    return true;
}
