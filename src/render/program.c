#include "render/render.h"

#include <stdio.h>

// clang-format off
static const struct { uint32_t feature; const char *text; } feature_names[] = {
    { SNI_COLOR_MAP, "#define COLOR_MAP\n" }, { SNI_METAL_MAP, "#define METAL_MAP\n" }, { SNI_NORMAL_MAP, "#define NORMAL_MAP\n" },
    { SNI_OCCLUSION_MAP, "#define OCCLUSION_MAP\n" }, { SNI_EMISSIVE_MAP, "#define EMISSIVE_MAP\n" }, { SNI_LIT, "#define LIT\n" },
    { SNI_GLOSS, "#define GLOSS\n" }, { SNI_ALPHA_TEST, "#define ALPHA_TEST\n" }, { SNI_SPHERE_MAP, "#define SPHERE_MAP\n" },
    { SNI_FLAT, "#define FLAT\n" }, { SNI_TANGENTS, "#define TANGENTS\n" }, { SNI_SHADOWED, "#define SHADOWED\n" },
    { SNI_OWN_LIGHTS, "#define OWN_LIGHTS\n" }, { SNI_HEAT, "#define HEAT\n" }, { SNI_DEPTH_ONLY, "#define DEPTH_ONLY\n" },
    { SNI_ONE_COLOR, "#define ONE_COLOR\n" }, { SNI_MORPHS, "#define MORPHS\n" },
    { SNI_VERTEX_COLORS, "#define VERTEX_COLORS\n" },
};
// clang-format on

enum { FEATURE_COUNT = sizeof feature_names / sizeof *feature_names, MAX_SOURCES = FEATURE_COUNT + 3 };

static const char *const versions[2] = {
    "#version 330 core\n",
    "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp "
    "sampler2DShadow;\n",
};

// One source for both: a line of version, the features, then the shader's parts.
static GLuint compile(sn_renderer *renderer, GLenum kind, uint32_t features, const char *const parts[2])
{
    const char *sources[MAX_SOURCES] = { versions[renderer->is_es] };
    GLsizei count = 1;
    for (int i = 0; i < FEATURE_COUNT; i++)
        if (features & feature_names[i].feature) sources[count++] = feature_names[i].text;
    for (int i = 0; i < 2; i++) sources[count++] = parts[i];
    GLuint shader = glCreateShader(kind);
    GLint is_good = 0;
    glShaderSource(shader, count, sources, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (is_good) return shader;
    glGetShaderInfoLog(shader, sizeof renderer->message, NULL, renderer->message);
    glDeleteShader(shader);
    return 0;
}

static GLuint link_program(sn_renderer *renderer, uint32_t features, GLuint vertex, GLuint fragment)
{
    static const char *const captured[] = { "v_world", "v_normal", "v_tangent" };
    GLint is_good = 0;
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    if (features & SNI_CAPTURE) glTransformFeedbackVaryings(program, 3, captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_good);
    if (is_good) return program;
    glGetProgramInfoLog(program, sizeof renderer->message, NULL, renderer->message);
    glDeleteProgram(program);
    return 0;
}

static GLuint make_program(sn_renderer *renderer, uint32_t features)
{
    const char *const vertex_parts[2] = { sni_vertex_source(features), "" };
    const char *const fragment_parts[2] = { features & (SNI_LIT | SNI_GROUND) ? sni_light_source() : "",
                                            sni_fragment_source(features) };
    GLuint vertex = compile(renderer, GL_VERTEX_SHADER, features, vertex_parts);
    GLuint fragment = vertex ? compile(renderer, GL_FRAGMENT_SHADER, features, fragment_parts) : 0;
    GLuint program = fragment ? link_program(renderer, features, vertex, fragment) : 0;
    if (vertex) glDeleteShader(vertex);
    if (fragment) glDeleteShader(fragment);
    return program;
}

static void set_units(const sni_program *program)
{
    GLint units[SN_MAP_COUNT];
    for (int i = 0; i < SN_MAP_COUNT; i++) units[i] = i;
    glUseProgram(program->id);
    glUniform1iv(program->at[SNI_U_MAPS], SN_MAP_COUNT, units);
    glUniform1i(program->at[SNI_U_STATE], SNI_UNIT_STATE);
    glUniform1i(program->at[SNI_U_INFLUENCES], SNI_UNIT_INFLUENCES);
    glUniform1i(program->at[SNI_U_MORPHS], SNI_UNIT_MORPHS);
    glUniform1i(program->at[SNI_U_SHADOW], SNI_UNIT_SHADOW);
}

static sni_program *programs_of(const sn_renderer *renderer) { return (sni_program *)(void *)renderer->programs.data; }

static size_t program_count(const sn_renderer *renderer) { return renderer->programs.size / sizeof(sni_program); }

const sni_program *sni_program_for(sn_renderer *renderer, uint32_t features)
{
    for (size_t i = 0; i < program_count(renderer); i++)
        if (programs_of(renderer)[i].features == features) return &programs_of(renderer)[i];
    sni_program program = { .features = features, .id = make_program(renderer, features) };
    if (!program.id) return NULL;
    for (int i = 0; i < SNI_U_COUNT; i++) program.at[i] = glGetUniformLocation(program.id, sni_uniform_names[i]);
    set_units(&program);
    sni_write_bytes(&renderer->programs, &program, sizeof program);
    if (!renderer->programs.failed) return &programs_of(renderer)[program_count(renderer) - 1];
    glDeleteProgram(program.id);
    return NULL;
}

void sni_programs_free(sn_renderer *renderer)
{
    for (size_t i = 0; i < program_count(renderer); i++) glDeleteProgram(programs_of(renderer)[i].id);
    sni_writer_free(&renderer->programs);
}
