// Shader sources, and programs compiled for a set of features. One source serves OpenGL 3.3 and OpenGL ES 3.0. Lighting
// is linear; the output is sRGB with premultiplied alpha, so that blending works as in the games and most viewers.
#include "render/render.h"

#include <stdio.h>

// clang-format off
static const char *const uniform_names[SNI_U_COUNT] = {
    [SNI_U_CLIP] = "u_clip", [SNI_U_EYE] = "u_eye",
    [SNI_U_STATE] = "u_state", [SNI_U_INFLUENCES] = "u_influences",
    [SNI_U_MORPHS] = "u_morphs", [SNI_U_SHAPE] = "u_shape",
    [SNI_U_UV_MATRIX] = "u_uv_matrix", [SNI_U_UV_OFFSET] = "u_uv_offset",
    [SNI_U_MAPS] = "u_maps", [SNI_U_BASE] = "u_base",
    [SNI_U_EMISSIVE] = "u_emissive", [SNI_U_SURFACE] = "u_surface",
    [SNI_U_STRENGTH] = "u_strength", [SNI_U_CUTOFF] = "u_cutoff",
    [SNI_U_OUTPUT] = "u_output", [SNI_U_KEY] = "u_key",
    [SNI_U_VIEW_AXES] = "u_view_axes", [SNI_U_SHADOW] = "u_shadow",
    [SNI_U_SHADOW_CLIP] = "u_shadow_clip", [SNI_U_SHADOW_TEXEL] = "u_shadow_texel",
    [SNI_U_LIGHT_COUNT] = "u_light_count", [SNI_U_LIGHT_POSITION] = "u_light_position",
    [SNI_U_LIGHT_AXIS] = "u_light_axis", [SNI_U_LIGHT_COLOR] = "u_light_color",
    [SNI_U_GROUND] = "u_ground", [SNI_U_GRID] = "u_grid",
    [SNI_U_SAMPLES] = "u_samples", [SNI_U_BOX] = "u_box",
};
// clang-format on

// Skins a vertex as sn_skin_part does: morphs first, then the joints or the node. u_state holds matrices as three rows
// and morphs as index and weight; u_shape is influences per vertex, texels per morphed vertex, vertices of the mesh. Up
// to four influences are attributes.
static const char vertex_source[] =
    "layout(location = 0) in vec3 a_position;\n"
    "layout(location = 1) in vec3 a_normal;\n"
    "layout(location = 2) in vec4 a_tangent;\n"
    "layout(location = 3) in vec4 a_color;\n"
    "layout(location = 4) in vec2 a_uv0;\n"
    "layout(location = 5) in vec2 a_uv1;\n"
    "layout(location = 6) in vec2 a_uv2;\n"
    "layout(location = 7) in vec2 a_uv3;\n"
    "layout(location = 8) in vec2 a_uv4;\n"
    "layout(location = 9) in ivec4 a_instance;\n"
    "layout(location = 10) in vec4 a_part_color;\n"
    "layout(location = 11) in vec4 a_joints;\n"
    "layout(location = 12) in vec4 a_weights;\n"
    "uniform mat4 u_clip;\n"
    "uniform sampler2D u_state, u_influences, u_morphs;\n"
    "uniform ivec3 u_shape;\n"
    "uniform vec4 u_uv_matrix[5];\n"
    "uniform vec2 u_uv_offset[5];\n"
    "out vec3 v_world;\n"
    "out vec3 v_normal;\n"
    "out vec4 v_tangent;\n"
    "#ifndef VERTEX_COLORS\n"
    "flat\n"
    "#endif\n"
    "out vec4 v_color;\n"
    "out vec2 v_uv[5];\n"
    "out float v_heat;\n"
    "invariant gl_Position;\n"
    "vec4 at(sampler2D table, int i) { return texelFetch(table, ivec2(i & 2047, i >> 11), 0); }\n"
    "mat3x4 matrix_at(int i) { return mat3x4(at(u_state, i), at(u_state, i + 1), at(u_state, i + 2)); }\n"
    "mat3x4 skin_matrix()\n"
    "{\n"
    "    mat3x4 sum = mat3x4(0.0);\n"
    "    v_heat = a_instance.w == -2 ? 1.0 : 0.0;\n"
    "    for (int i = 0; i < max(u_shape.x, 1); i++) {\n"
    "        vec2 influence = vec2(0.0, 1.0);\n"
    "        if (u_shape.x > 4) influence = at(u_influences, gl_VertexID * u_shape.x + i).xy;\n"
    "        else if (u_shape.x > 0) influence = vec2(a_joints[i], a_weights[i]);\n"
    "        if (influence.y == 0.0) continue;\n"
    "        sum += influence.y * matrix_at(a_instance.x + 3 * int(influence.x));\n"
    "        if (int(influence.x) == a_instance.w) v_heat += influence.y;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "#ifdef MORPHS\n"
    "void morph(inout vec3 position, inout vec3 normal, inout vec3 tangent)\n"
    "{\n"
    "    for (int i = 0; i < a_instance.z; i++) {\n"
    "        vec2 entry = at(u_state, a_instance.y + i).xy;\n"
    "        int texel = (int(entry.x) * u_shape.z + gl_VertexID) * u_shape.y;\n"
    "        position += entry.y * at(u_morphs, texel).xyz;\n"
    "        if (u_shape.y > 1) normal += entry.y * at(u_morphs, texel + 1).xyz;\n"
    "        if (u_shape.y > 2) tangent += entry.y * at(u_morphs, texel + 2).xyz;\n"
    "    }\n"
    "}\n"
    "#else\n"
    "void morph(inout vec3 position, inout vec3 normal, inout vec3 tangent) {}\n"
    "#endif\n"
    "vec3 unit(vec3 v, vec3 fallback)\n"
    "{\n"
    "    float size = dot(v, v);\n"
    "    return size > 0.0 ? v * inversesqrt(size) : fallback;\n"
    "}\n"
    "// Normals use the cofactor matrix, the inverse transpose times the determinant; scaled first against underflow.\n"
    "void transform_normal(mat3x4 rows, vec3 normal, vec4 tangent)\n"
    "{\n"
    "    vec3 x = rows[0].xyz, y = rows[1].xyz, z = rows[2].xyz;\n"
    "    vec3 most = max(max(abs(x), abs(y)), abs(z));\n"
    "    float scale = 1.0 / max(max(most.x, most.y), max(most.z, 1e-30));\n"
    "    x *= scale; y *= scale; z *= scale;\n"
    "    vec3 yz = cross(y, z);\n"
    "    float side = dot(x, yz) < 0.0 ? -1.0 : 1.0;\n"
    "    v_normal = unit(side * vec3(dot(yz, normal), dot(cross(z, x), normal), dot(cross(x, y), normal)), a_normal);\n"
    "    v_tangent.xyz = unit(vec3(dot(x, tangent.xyz), dot(y, tangent.xyz), dot(z, tangent.xyz)), a_tangent.xyz);\n"
    "    v_tangent.w = tangent.w * side;\n"
    "}\n"
    "vec2 uv_of(int map, vec2 uv) { return u_uv_offset[map] + mat2(u_uv_matrix[map].xy, u_uv_matrix[map].zw) * uv; }\n"
    "void main()\n"
    "{\n"
    "    vec3 position = a_position, normal = a_normal;\n"
    "    vec4 tangent = a_tangent;\n"
    "    morph(position, normal, tangent.xyz);\n"
    "    mat3x4 rows = skin_matrix();\n"
    "    v_world = vec4(position, 1.0) * rows;\n"
    "    transform_normal(rows, normal, tangent);\n"
    "    v_color = a_color * a_part_color;\n"
    "    v_uv[0] = uv_of(0, a_uv0);\n"
    "    v_uv[1] = uv_of(1, a_uv1);\n"
    "    v_uv[2] = uv_of(2, a_uv2);\n"
    "    v_uv[3] = uv_of(3, a_uv3);\n"
    "    v_uv[4] = uv_of(4, a_uv4);\n"
    "    gl_Position = u_clip * vec4(v_world, 1.0);\n"
    "    gl_PointSize = 3.0;\n"
    "}\n";

// The default lights: one key light over the viewer's left shoulder, sky light and ground reflection. A surface in the
// key light has about the colour of its texture.
static const char light_source[] =
    "uniform vec3 u_eye, u_key;\n"
    "#ifdef SHADOWED\n"
    "uniform highp sampler2DShadow u_shadow;\n"
    "uniform mat4 u_shadow_clip;\n"
    "uniform vec2 u_shadow_texel;\n"
    "float shadow_factor(vec3 world, vec3 normal)\n"
    "{\n"
    "    vec4 clip = u_shadow_clip * vec4(world + normal * u_shadow_texel.y, 1.0);\n"
    "    vec3 at = clip.xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;\n"
    "    float sum = 0.0;\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        sum += texture(u_shadow, vec3(at.xy + (vec2(i & 1, i >> 1) * 2.0 - 1.0) * u_shadow_texel.x,\n"
    "                                      at.z - 0.0005));\n"
    "    return sum * 0.25;\n"
    "}\n"
    "#else\n"
    "float shadow_factor(vec3 world, vec3 normal) { return 1.0; }\n"
    "#endif\n"
    "const vec3 sky = vec3(0.80, 0.84, 0.90), horizon = vec3(0.62, 0.60, 0.58), earth = vec3(0.30, 0.27, 0.25);\n"
    "vec3 environment(vec3 d) { return d.y > 0.0 ? mix(horizon, sky, d.y) : mix(horizon, earth, -d.y); }\n"
    "float fifth(float x) { return x * x * x * x * x; }\n"
    "// Environment reflection: sky and ground, with a bright spot at the key light and one opposite.\n"
    "vec3 reflected(vec3 d, float roughness)\n"
    "{\n"
    "    float rough = sqrt(roughness), sharp = mix(60.0, 1.5, rough), strong = mix(2.6, 0.35, rough);\n"
    "    vec3 across = normalize(vec3(-u_key.x, 0.35, -u_key.z));\n"
    "    vec2 off = 1.0 + sharp * 0.5 * (1.0 - vec2(dot(d, u_key), dot(d, across)));\n"
    "    float window = 1.0 / (off.x * off.x) + 0.5 / (off.y * off.y);\n"
    "    return environment(d) * 0.8 + vec3(1.0, 0.98, 0.94) * (strong * window);\n"
    "}\n"
    "struct surface { vec3 world, normal, color; float metallic, roughness, occlusion; };\n"
    "vec3 direct(surface s, vec3 to_light, vec3 view, vec3 f0)\n"
    "{\n"
    "    float lambert = max(dot(s.normal, to_light), 0.0);\n"
    "    vec3 light = s.color * (1.0 - s.metallic) * lambert;\n"
    "#ifdef GLOSS\n"
    "    vec3 halfway = normalize(to_light + view);\n"
    "    float a = max(s.roughness * s.roughness, 0.01), nh = max(dot(s.normal, halfway), 0.0);\n"
    "    float vh = max(dot(view, halfway), 0.0), nv = max(dot(s.normal, view), 0.05);\n"
    "    float spread = nh * nh * (a * a - 1.0) + 1.0;\n"
    "    float peak = a * a / (4.0 * spread * spread * max(mix(2.0 * nv * lambert, nv + lambert, a), 0.05));\n"
    "    light += (f0 + (1.0 - f0) * fifth(1.0 - vh)) * peak * lambert;\n"
    "#endif\n"
    "    return light;\n"
    "}\n"
    "#ifdef OWN_LIGHTS\n"
    "uniform int u_light_count;\n"
    "uniform vec4 u_light_position[8], u_light_axis[8], u_light_color[8];\n"
    "// position.w: 0 for a directional light, else 2 + cosine of the inner cone; axis.w: cosine of the outer cone;\n"
    "// color.w: range.\n"
    "vec3 key_light(surface s, vec3 view, vec3 f0)\n"
    "{\n"
    "    vec3 sum = vec3(0.0);\n"
    "    for (int i = 0; i < u_light_count; i++) {\n"
    "        vec3 to_light = u_light_position[i].w > 0.0 ? u_light_position[i].xyz - s.world : -u_light_axis[i].xyz;\n"
    "        float far = length(to_light), range = u_light_color[i].w;\n"
    "        to_light /= max(far, 1e-20);\n"
    "        float fall = 1.0;\n"
    "        if (u_light_position[i].w > 0.0) {\n"
    "            float rest = range > 0.0 ? clamp(1.0 - pow(far / range, 4.0), 0.0, 1.0) : 1.0;\n"
    "            fall = rest / max(far * far, 1e-10);\n"
    "            float inner = u_light_position[i].w - 2.0, outer = u_light_axis[i].w;\n"
    "            float cone = clamp((dot(-to_light, u_light_axis[i].xyz) - outer) / max(inner - outer, 0.001),\n"
    "                               0.0, 1.0);\n"
    "            fall *= cone * cone;\n"
    "        }\n"
    "        sum += direct(s, to_light, view, f0) * u_light_color[i].rgb * fall;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "const float ambient = 0.25;\n"
    "#else\n"
    "vec3 key_light(surface s, vec3 view, vec3 f0)\n"
    "{\n"
    "    return direct(s, u_key, view, f0) * vec3(1.22, 1.18, 1.12) * shadow_factor(s.world, s.normal);\n"
    "}\n"
    "const float ambient = 0.70;\n"
    "#endif\n"
    "vec3 shade(surface s)\n"
    "{\n"
    "    vec3 view = normalize(u_eye - s.world), f0 = mix(vec3(0.04), s.color, s.metallic);\n"
    "    vec3 light = environment(s.normal) * s.color * (1.0 - s.metallic);\n"
    "#ifdef GLOSS\n"
    "    float nv = max(dot(s.normal, view), 0.0);\n"
    "    vec3 mirror = f0 + (max(vec3(1.0 - s.roughness), f0) - f0) * fifth(1.0 - nv);\n"
    "    light += reflected(reflect(-view, s.normal), s.roughness) * mirror;\n"
    "#endif\n"
    "    return light * ambient * s.occlusion + key_light(s, view, f0);\n"
    "}\n"
    "// Tone mapping: colours below the shoulder are unchanged; brighter ones roll off towards white.\n"
    "vec3 tone_map(vec3 light)\n"
    "{\n"
    "    const float shoulder = 0.76;\n"
    "    float peak = max(light.r, max(light.g, light.b));\n"
    "    if (peak <= shoulder) return light;\n"
    "    float rest = 1.0 - shoulder, bent = 1.0 - rest * rest / (peak + rest - shoulder);\n"
    "    return mix(light * (bent / peak), vec3(bent), 1.0 - 1.0 / (0.15 * (peak - bent) + 1.0));\n"
    "}\n";

static const char fragment_source[] =
    "in vec3 v_world;\n"
    "in vec3 v_normal;\n"
    "in vec4 v_tangent;\n"
    "#ifndef VERTEX_COLORS\n"
    "flat\n"
    "#endif\n"
    "in vec4 v_color;\n"
    "in vec2 v_uv[5];\n"
    "in float v_heat;\n"
    "uniform sampler2D u_maps[5];\n"
    "uniform vec4 u_base;\n"
    "uniform vec3 u_emissive;\n"
    "uniform vec2 u_surface, u_strength;\n"
    "uniform float u_cutoff;\n"
    "uniform int u_output;\n"
    "uniform mat3 u_view_axes;\n"
    "out vec4 o_color;\n"
    "// sRGB conversion by fitted curves without pow(), exact to 0.1/255. Textures are decoded after filtering: "
    "decoding\n"
    "// every filtered texel would dominate the cost on software drivers.\n"
    "vec3 encoded(vec3 c)\n"
    "{\n"
    "    c = clamp(c, 0.0, 1.0);\n"
    "    vec3 root = sqrt(c), curve = root * 0.83384205 + sqrt(root) * 0.29803134 - c * 0.05534608 - 0.07688658;\n"
    "    return mix(c * 12.92, curve, vec3(greaterThan(c, vec3(0.0031308))));\n"
    "}\n"
    "vec3 decoded(vec3 c)\n"
    "{\n"
    "    vec3 curve = (((c * -0.11693282 + 0.52678610) * c + 0.56020569) * c + 0.02843822) * c + 0.00104446;\n"
    "    return mix(c * (1.0 / 12.92), curve, vec3(greaterThan(c, vec3(0.04045))));\n"
    "}\n"
    "vec3 normal_of_face() { return normalize(cross(dFdx(v_world), dFdy(v_world))); }\n"
    "vec3 normal_of_surface()\n"
    "{\n"
    "#ifdef FLAT\n"
    "    return normal_of_face();\n"
    "#else\n"
    "    return normalize(v_normal) * (gl_FrontFacing ? 1.0 : -1.0);\n"
    "#endif\n"
    "}\n"
    "vec2 color_uv(vec3 normal)\n"
    "{\n"
    "#ifdef SPHERE_MAP\n"
    "    vec3 seen = normal * u_view_axes;\n"
    "    return vec2(0.5 + 0.5 * seen.x, 0.5 - 0.5 * seen.y);\n"
    "#else\n"
    "    return v_uv[0];\n"
    "#endif\n"
    "}\n"
    "#ifdef NORMAL_MAP\n"
    "vec3 apply_normal_map(vec3 normal)\n"
    "{\n"
    "    vec3 bump = texture(u_maps[2], v_uv[2]).xyz * 2.0 - 1.0;\n"
    "    bump.xy *= u_strength.x;\n"
    "#ifdef TANGENTS\n"
    "    vec3 tangent = v_tangent.xyz, across = cross(v_normal, tangent) * v_tangent.w;\n"
    "    if (!gl_FrontFacing) { tangent = -tangent; across = -across; }\n"
    "#else\n"
    "    vec3 px = dFdx(v_world), py = dFdy(v_world);\n"
    "    vec2 tx = dFdx(v_uv[2]), ty = dFdy(v_uv[2]);\n"
    "    vec3 ny = cross(py, normal), nx = cross(normal, px);\n"
    "    vec3 tangent = ny * tx.x + nx * ty.x, across = -(ny * tx.y + nx * ty.y);\n"
    "    float scale = inversesqrt(max(max(dot(tangent, tangent), dot(across, across)), 1e-30));\n"
    "    tangent *= scale; across *= scale;\n"
    "#endif\n"
    "    return normalize(tangent * bump.x + across * bump.y + normal * bump.z);\n"
    "}\n"
    "#else\n"
    "vec3 apply_normal_map(vec3 normal) { return normal; }\n"
    "#endif\n"
    "#ifdef HEAT\n"
    "vec3 heat_color(float heat)\n"
    "{\n"
    "    vec3 cold = mix(vec3(0.02, 0.03, 0.30), vec3(0.0, 0.45, 0.55), clamp(heat * 4.0, 0.0, 1.0));\n"
    "    vec3 warm = mix(cold, vec3(0.10, 0.55, 0.05), clamp(heat * 4.0 - 1.0, 0.0, 1.0));\n"
    "    vec3 hot = mix(warm, vec3(0.85, 0.62, 0.02), clamp(heat * 4.0 - 2.0, 0.0, 1.0));\n"
    "    return mix(hot, vec3(0.80, 0.03, 0.01), clamp(heat * 4.0 - 3.0, 0.0, 1.0));\n"
    "}\n"
    "#endif\n"
    "vec3 light_of(vec3 color, vec3 normal)\n"
    "{\n"
    "    vec3 glow = u_emissive;\n"
    "#ifdef EMISSIVE_MAP\n"
    "    glow *= decoded(texture(u_maps[4], v_uv[4]).rgb);\n"
    "#endif\n"
    "#ifdef LIT\n"
    "    surface s = surface(v_world, apply_normal_map(normal), color, u_surface.x, u_surface.y, 1.0);\n"
    "#ifdef METAL_MAP\n"
    "    vec2 metal = texture(u_maps[1], v_uv[1]).bg;\n"
    "    s.metallic *= metal.x;\n"
    "    s.roughness *= metal.y;\n"
    "#endif\n"
    "#ifdef OCCLUSION_MAP\n"
    "    s.occlusion = 1.0 + u_strength.y * (texture(u_maps[3], v_uv[3]).r - 1.0);\n"
    "#endif\n"
    "    return tone_map(shade(s) + glow);\n"
    "#else\n"
    "    return color + glow;\n"
    "#endif\n"
    "}\n"
    "// u_output: 0 opaque, 1 blended, 2 added, 3 multiplied.\n"
    "vec4 finished(vec3 color, float alpha)\n"
    "{\n"
    "    color = encoded(color);\n"
    "    if (u_output == 0) return vec4(color, 1.0);\n"
    "    if (u_output == 1) return vec4(color * alpha, alpha);\n"
    "    if (u_output == 2) return vec4(color * alpha, max(color.r, max(color.g, color.b)) * alpha);\n"
    "    return vec4(color, 1.0);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "#ifdef ONE_COLOR\n"
    "    o_color = u_base;\n"
    "#else\n"
    "    vec4 color = u_base * v_color;\n"
    "    vec3 normal = normal_of_surface();\n"
    "#ifdef COLOR_MAP\n"
    "    vec4 texel = texture(u_maps[0], color_uv(normal));\n"
    "    color *= vec4(decoded(texel.rgb), texel.a);\n"
    "#endif\n"
    "#ifdef ALPHA_TEST\n"
    "    if (color.a < u_cutoff) discard;\n"
    "#endif\n"
    "#ifdef HEAT\n"
    "    color.rgb = heat_color(v_heat);\n"
    "#endif\n"
    "    o_color = finished(light_of(color.rgb, normal), color.a);\n"
    "#endif\n"
    "}\n";

// Shadow map: only alpha-tested parts need a texture.
static const char depth_source[] = "#ifndef VERTEX_COLORS\n"
                                   "flat\n"
                                   "#endif\n"
                                   "in vec4 v_color;\n"
                                   "in vec2 v_uv[5];\n"
                                   "uniform sampler2D u_maps[5];\n"
                                   "uniform vec4 u_base;\n"
                                   "uniform float u_cutoff;\n"
                                   "void main()\n"
                                   "{\n"
                                   "#ifdef ALPHA_TEST\n"
                                   "    if (u_base.a * v_color.a * texture(u_maps[0], v_uv[0]).a < u_cutoff) discard;\n"
                                   "#endif\n"
                                   "}\n";

// The ground: a square around the scene; grid lines and shadow fade out towards its edge.
static const char ground_vertex_source[] = "uniform mat4 u_clip;\n"
                                           "uniform vec4 u_ground;\n"
                                           "out vec3 v_world;\n"
                                           "void main()\n"
                                           "{\n"
                                           "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
                                           "    v_world = u_ground.xyz + vec3(corner.x, 0.0, corner.y) * u_ground.w;\n"
                                           "    gl_Position = u_clip * vec4(v_world, 1.0);\n"
                                           "}\n";

// u_grid: cell size, brightness and strength of the lines, strength of the shadow.
static const char ground_source[] =
    "in vec3 v_world;\n"
    "uniform vec4 u_ground, u_grid;\n"
    "out vec4 o_color;\n"
    "float lines(vec2 at, float cell)\n"
    "{\n"
    "    vec2 cells = at / cell, wide = max(fwidth(cells), 1e-6);\n"
    "    vec2 near = abs(fract(cells - 0.5) - 0.5) / wide;\n"
    "    vec2 sharp = clamp(1.0 - near, 0.0, 1.0) * clamp(0.5 / wide - 0.5, 0.0, 1.0);\n"
    "    return max(sharp.x, sharp.y);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    vec2 at = v_world.xz;\n"
    "    float fade = 1.0 - smoothstep(0.3, 1.0, length(at - u_ground.xz) / u_ground.w);\n"
    "    float line = max(lines(at, u_grid.x) * 0.55, lines(at, u_grid.x * 5.0)) * u_grid.z;\n"
    "    vec3 color = vec3(u_grid.y);\n"
    "    float shade = u_grid.w * (1.0 - shadow_factor(v_world, vec3(0.0))) * fade, drawn = line * fade;\n"
    "    o_color = vec4(color * drawn * (1.0 - shade), drawn + shade - drawn * shade);\n"
    "}\n";

// Debug drawing: positions are in clip space.
static const char debug_vertex_source[] = "layout(location = 0) in vec4 a_clip;\n"
                                          "layout(location = 3) in vec4 a_color;\n"
                                          "layout(location = 4) in vec2 a_texel;\n"
                                          "out vec4 v_color;\n"
                                          "out vec2 v_texel;\n"
                                          "void main()\n"
                                          "{\n"
                                          "    v_color = vec4(a_color.rgb * a_color.a, a_color.a);\n"
                                          "    v_texel = a_texel;\n"
                                          "    gl_Position = a_clip;\n"
                                          "}\n";

static const char debug_source[] = "in vec4 v_color;\nout vec4 o_color;\nvoid main() { o_color = v_color; }\n";

static const char glyph_source[] =
    "in vec4 v_color;\n"
    "in vec2 v_texel;\n"
    "uniform sampler2D u_maps[5];\n"
    "out vec4 o_color;\n"
    "void main() { o_color = v_color * texture(u_maps[0], v_texel / vec2(textureSize(u_maps[0], 0))).r; }\n";

// One triangle that covers the picture.
static const char resolve_vertex_source[] =
    "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }\n";

// A rectangle: two corners in clip space.
static const char image_vertex_source[] = "uniform vec4 u_box;\n"
                                          "out vec2 v_uv;\n"
                                          "void main()\n"
                                          "{\n"
                                          "    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                          "    gl_Position = vec4(mix(u_box.x, u_box.z, v_uv.x), "
                                          "mix(u_box.w, u_box.y, v_uv.y), -1.0, 1.0);\n"
                                          "}\n";

static const char image_source[] = "in vec2 v_uv;\n"
                                   "uniform sampler2D u_maps[5];\n"
                                   "uniform vec4 u_base;\n"
                                   "out vec4 o_color;\n"
                                   "void main()\n"
                                   "{\n"
                                   "    vec4 color = texture(u_maps[0], v_uv) * u_base;\n"
                                   "    o_color = vec4(color.rgb * color.a, color.a);\n"
                                   "}\n";

// Flips the rows: the first row is the top of the picture.
static const char resolve_source[] = "uniform sampler2DMS u_samples;\n"
                                     "out vec4 o_color;\n"
                                     "vec4 at(int i) { return texelFetch(u_samples, ivec2(gl_FragCoord.x, "
                                     "float(textureSize(u_samples).y) - gl_FragCoord.y), i); }\n"
                                     "void main() { o_color = (at(0) + at(1) + at(2) + at(3)) * 0.25; }\n";

static const char empty_source[] = "out vec4 o_color;\nvoid main() { o_color = vec4(0.0); }\n";

static const char *vertex_source_for(uint32_t features)
{
    if (features & SNI_GROUND) return ground_vertex_source;
    if (features & SNI_RESOLVE) return resolve_vertex_source;
    if (features & SNI_IMAGE_RECT) return image_vertex_source;
    return features & SNI_DEBUG_DRAW ? debug_vertex_source : vertex_source;
}

static const char *fragment_source_for(uint32_t features)
{
    if (features & SNI_CAPTURE) return empty_source;
    if (features & SNI_GROUND) return ground_source;
    if (features & SNI_RESOLVE) return resolve_source;
    if (features & SNI_IMAGE_RECT) return image_source;
    if (features & SNI_DEBUG_DRAW) return features & SNI_COLOR_MAP ? glyph_source : debug_source;
    return features & SNI_DEPTH_ONLY ? depth_source : fragment_source;
}

// clang-format off
static const struct { uint32_t feature; const char *text; } feature_names[] = {
    { SNI_COLOR_MAP, "#define COLOR_MAP\n" }, { SNI_METAL_MAP, "#define METAL_MAP\n" },
    { SNI_NORMAL_MAP, "#define NORMAL_MAP\n" }, { SNI_OCCLUSION_MAP, "#define OCCLUSION_MAP\n" },
    { SNI_EMISSIVE_MAP, "#define EMISSIVE_MAP\n" }, { SNI_LIT, "#define LIT\n" },
    { SNI_GLOSS, "#define GLOSS\n" }, { SNI_ALPHA_TEST, "#define ALPHA_TEST\n" },
    { SNI_SPHERE_MAP, "#define SPHERE_MAP\n" }, { SNI_FLAT, "#define FLAT\n" },
    { SNI_TANGENTS, "#define TANGENTS\n" }, { SNI_SHADOWED, "#define SHADOWED\n" },
    { SNI_OWN_LIGHTS, "#define OWN_LIGHTS\n" }, { SNI_HEAT, "#define HEAT\n" },
    { SNI_DEPTH_ONLY, "#define DEPTH_ONLY\n" }, { SNI_ONE_COLOR, "#define ONE_COLOR\n" },
    { SNI_MORPHS, "#define MORPHS\n" }, { SNI_VERTEX_COLORS, "#define VERTEX_COLORS\n" },
};
// clang-format on

enum { FEATURE_COUNT = sizeof feature_names / sizeof *feature_names, MAX_SOURCES = FEATURE_COUNT + 3 };

static const char *const versions[2] = {
    "#version 330 core\n",
    "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
    "precision highp sampler2DShadow;\n",
};

// The source is a version line, a #define per feature, then the parts of the shader.
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
    const char *const vertex_parts[2] = { vertex_source_for(features), "" };
    const char *const fragment_parts[2] = { features & (SNI_LIT | SNI_GROUND) ? light_source : "",
                                            fragment_source_for(features) };
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
    for (int i = 0; i < SNI_U_COUNT; i++) program.at[i] = glGetUniformLocation(program.id, uniform_names[i]);
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
