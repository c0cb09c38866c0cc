// The words of MDL that the tables of the format do not have.
#include "format/mdx/mdx_mdl.h"

#include <stddef.h>
#include <string.h>

const char *const mdx_mdl_interpolation_words[4] = { "DontInterp", "Linear", "Hermite", "Bezier" };
const char *const mdx_mdl_slot_words[6] = { "TextureID",         "NormalTextureID",    "ORMTextureID",
                                            "EmissiveTextureID", "TeamColorTextureID", "ReflectionsTextureID" };

// Words of tools that had them before the format's own were known, or that say numbers where it has words.
// clang-format off
static const struct { const char *other, *usual; } other_words[] = {
    { "BillboardLockX", "BillboardedLockX" }, { "BillboardLockY", "BillboardedLockY" }, { "BillboardLockZ", "BillboardedLockZ" },
    { "SphereEnvironmentMap", "SphereEnvMap" }, { "FresnelAlpha", "FresnelOpacity" }, { "ShaderTypeId", "ShaderType" },
    { "RenderMode", "Flags" }, { "LevelOfDetailName", "Name" }, { "PopcornFxEmitter", "ParticleEmitterPopcorn" },
    { "FlagString", "AnimVisibilityGuide" },
};
// clang-format on

sni_str mdx_mdl_usual_word(sni_str word)
{
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (sni_str_is_nocase(word, other_words[i].other))
            return sni_str_make(other_words[i].usual, strlen(other_words[i].usual));
    return word;
}

uint32_t mdx_mdl_shape_points(uint32_t kind) { return kind > MDX_CYLINDER ? 0 : kind == MDX_SPHERE ? 1 : 2; }

bool mdx_mdl_shape_has_radius(uint32_t kind) { return kind == MDX_SPHERE || kind == MDX_CYLINDER; }

// clang-format off
#define BIT(word, bit)    { word, bit, bit }
#define CHOICE(word, n)   { word, UINT32_MAX, n }
#define END               { NULL, 0, 0 }
// clang-format on

static const mdx_mdl_word sequence_words[] = { BIT("NonLooping", MDX_SEQUENCE_STOPS), END };
static const mdx_mdl_word texture_words[] = { BIT("WrapWidth", MDX_WRAP_U), BIT("WrapHeight", MDX_WRAP_V), END };
static const mdx_mdl_word material_words[] = {
    BIT("ConstantColor", MDX_CONSTANT_COLOR),   BIT("TwoSided", MDX_TWO_SIDED),
    BIT("SortPrimsNearZ", MDX_SORT_NEAR),       BIT("SortPrimsFarZ", MDX_SORT_FAR),
    BIT("FullResolution", MDX_FULL_RESOLUTION), END
};
static const mdx_mdl_word filter_words[] = { CHOICE("None", MDX_FILTER_NONE),
                                             CHOICE("Transparent", MDX_FILTER_TRANSPARENT),
                                             CHOICE("Blend", MDX_FILTER_BLEND),
                                             CHOICE("Additive", MDX_FILTER_ADDITIVE),
                                             CHOICE("AddAlpha", MDX_FILTER_ADD_ALPHA),
                                             CHOICE("Modulate", MDX_FILTER_MODULATE),
                                             CHOICE("Modulate2x", MDX_FILTER_MODULATE_2X),
                                             END };
static const mdx_mdl_word layer_words[] = { BIT("Unshaded", MDX_UNSHADED),
                                            BIT("SphereEnvMap", MDX_SPHERE_MAP),
                                            BIT("WrapWidth", MDX_LAYER_WRAP_U),
                                            BIT("WrapHeight", MDX_LAYER_WRAP_V),
                                            BIT("TwoSided", MDX_LAYER_TWO_SIDED),
                                            BIT("Unfogged", MDX_UNFOGGED),
                                            BIT("NoDepthTest", MDX_NO_DEPTH_TEST),
                                            BIT("NoDepthSet", MDX_NO_DEPTH_SET),
                                            BIT("Unlit", MDX_UNLIT),
                                            END };
static const mdx_mdl_word geoset_words[] = { BIT("Unselectable", MDX_UNSELECTABLE), END };
static const mdx_mdl_word alpha_geoset_words[] = { BIT("Unselectable", 1), END };
static const mdx_mdl_word geoset_anim_words[] = { BIT("DropShadow", MDX_DROP_SHADOW), END };
static const mdx_mdl_word no_words[] = { END };
static const mdx_mdl_word light_words[] = { CHOICE("Omnidirectional", 0), CHOICE("Directional", 1),
                                            CHOICE("Ambient", 2), END };
static const mdx_mdl_word particle_words[] = { CHOICE("Blend", 0),      CHOICE("Additive", 1), CHOICE("Modulate", 2),
                                               CHOICE("Modulate2x", 3), CHOICE("AlphaKey", 4), END };
static const mdx_mdl_word head_words[] = { CHOICE("Head", 0), CHOICE("Tail", 1), CHOICE("Both", 2), END };
static const mdx_mdl_word squirt_words[] = { CHOICE("Squirt", 1), END };
static const mdx_mdl_word shape_words[] = { CHOICE("Box", 0), CHOICE("Plane", 1), CHOICE("Sphere", 2),
                                            CHOICE("Cylinder", 3), END };
static const mdx_mdl_word hit_words[] = { CHOICE("Box", 0), CHOICE("Cylinder", 1), CHOICE("Sphere", 2),
                                          CHOICE("Plane", 3), END };

// Every node's, then those of its kind. What DontInherit names is read by hand: it may hold several.
#define NODE_WORDS                                                                             \
    { "DontInherit { Translation }", MDX_NODE_OWN_TRANSLATION, MDX_NODE_OWN_TRANSLATION },     \
        { "DontInherit { Scaling }", MDX_NODE_OWN_SCALE, MDX_NODE_OWN_SCALE },                 \
        { "DontInherit { Rotation }", MDX_NODE_OWN_ROTATION, MDX_NODE_OWN_ROTATION },          \
        BIT("Billboarded", MDX_NODE_BILLBOARD), BIT("BillboardedLockX", MDX_NODE_BILLBOARD_X), \
        BIT("BillboardedLockY", MDX_NODE_BILLBOARD_Y), BIT("BillboardedLockZ", MDX_NODE_BILLBOARD_Z)

static const mdx_mdl_word node_words[] = { NODE_WORDS, BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED), END };
static const mdx_mdl_word alpha_node_words[] = { NODE_WORDS, END };
static const mdx_mdl_word emitter_words[] = { NODE_WORDS, BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED),
                                              BIT("EmitterUsesMDL", 0x8000), BIT("EmitterUsesTGA", 0x10000), END };
static const mdx_mdl_word alpha_emitter_words[] = { NODE_WORDS, BIT("EmitterUsesMDL", 0x10000),
                                                    BIT("EmitterUsesTGA", 0x8000), END };
#define PARTICLE_WORDS                                                                                             \
    BIT("SortPrimsFarZ", 0x10000), BIT("Unshaded", 0x8000), BIT("LineEmitter", 0x20000), BIT("Unfogged", 0x40000), \
        BIT("ModelSpace", 0x80000)
static const mdx_mdl_word emitter2_words[] = { NODE_WORDS, BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED),
                                               PARTICLE_WORDS, BIT("XYQuad", 0x100000), END };
static const mdx_mdl_word alpha_emitter2_words[] = { NODE_WORDS, PARTICLE_WORDS, BIT("XYQuad", 0x8000000), END };
static const mdx_mdl_word popcorn_words[] = { NODE_WORDS,
                                              BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED),
                                              BIT("SortPrimsFarZ", 0x10000),
                                              BIT("Unshaded", 0x8000),
                                              BIT("PopcornScaling", 0x40000),
                                              END };

#define BEFORE_ALPHA 0, MDX_ALPHA_VERSION - 1
#define ALPHA        MDX_ALPHA_VERSION, UINT16_MAX
#define ALWAYS       0, UINT16_MAX
// clang-format off
#define NODE_FLAGS(words, alpha_words) \
    { offsetof(mdx_object, node.flags), BEFORE_ALPHA, "Flags", NULL, words }, \
    { offsetof(mdx_object, node.flags), ALPHA, "Flags", NULL, alpha_words }
#define LAST { 0, 0, 0, NULL, NULL, NULL }
// clang-format on

static const mdx_mdl_number none[] = { LAST };
static const mdx_mdl_number sequence_numbers[] = {
    { offsetof(mdx_sequence, flags), ALWAYS, "Flags", NULL, sequence_words }, LAST
};
static const mdx_mdl_number texture_numbers[] = {
    { offsetof(mdx_texture, flags), ALWAYS, "Flags", NULL, texture_words }, LAST
};
static const mdx_mdl_number material_numbers[] = {
    { offsetof(mdx_material, flags), BEFORE_ALPHA, "Flags", NULL, material_words }, LAST
};
static const mdx_mdl_number layer_numbers[] = { { offsetof(mdx_layer, filter), ALWAYS, "Filter", "FilterMode",
                                                  filter_words },
                                                { offsetof(mdx_layer, flags), ALWAYS, "Flags", NULL, layer_words },
                                                LAST };
static const mdx_mdl_number geoset_numbers[] = {
    { offsetof(mdx_geoset, selection_flags), BEFORE_ALPHA, "Flags", NULL, geoset_words },
    { offsetof(mdx_geoset, selection_flags), ALPHA, "Flags", NULL, alpha_geoset_words },
    LAST
};
static const mdx_mdl_number geoset_anim_numbers[] = {
    { offsetof(mdx_geoset_anim, flags), BEFORE_ALPHA, "Flags", NULL, geoset_anim_words },
    { offsetof(mdx_geoset_anim, flags), ALPHA, "Flags", NULL, no_words },
    LAST
};
static const mdx_mdl_number node_numbers[] = { NODE_FLAGS(node_words, alpha_node_words), LAST };
static const mdx_mdl_number light_numbers[] = { NODE_FLAGS(node_words, alpha_node_words),
                                                { offsetof(mdx_light, kind), ALWAYS, "LightType", NULL, light_words },
                                                LAST };
static const mdx_mdl_number emitter_numbers[] = { NODE_FLAGS(emitter_words, alpha_emitter_words), LAST };
static const mdx_mdl_number emitter2_numbers[] = {
    NODE_FLAGS(emitter2_words, alpha_emitter2_words),
    { offsetof(mdx_emitter2, squirt), ALWAYS, "SquirtCount", NULL, squirt_words },
    { offsetof(mdx_emitter2, filter), ALWAYS, "Filter", NULL, particle_words },
    { offsetof(mdx_emitter2, head_or_tail), ALWAYS, "HeadOrTail", NULL, head_words },
    LAST
};
static const mdx_mdl_number popcorn_numbers[] = { NODE_FLAGS(popcorn_words, popcorn_words), LAST };
static const mdx_mdl_number shape_numbers[] = { NODE_FLAGS(node_words, alpha_node_words),
                                                { offsetof(mdx_shape, kind), ALWAYS, "ShapeType", NULL, shape_words },
                                                LAST };
static const mdx_mdl_number hit_numbers[] = { NODE_FLAGS(node_words, alpha_node_words),
                                              { offsetof(mdx_shape, kind), ALWAYS, "ShapeType", NULL, hit_words },
                                              LAST };

const mdx_mdl_number *mdx_mdl_numbers_of(uint32_t tag)
{
    switch (tag) {
    case MDX_TAG('S', 'E', 'Q', 'S'): return sequence_numbers;
    case MDX_TAG('T', 'E', 'X', 'S'): return texture_numbers;
    case MDX_TAG('M', 'T', 'L', 'S'): return material_numbers;
    case MDX_MDL_LAYER: return layer_numbers;
    case MDX_TAG('G', 'E', 'O', 'S'): return geoset_numbers;
    case MDX_TAG('G', 'E', 'O', 'A'): return geoset_anim_numbers;
    case MDX_TAG('L', 'I', 'T', 'E'): return light_numbers;
    case MDX_TAG('P', 'R', 'E', 'M'): return emitter_numbers;
    case MDX_TAG('P', 'R', 'E', '2'): return emitter2_numbers;
    case MDX_TAG('C', 'O', 'R', 'N'): return popcorn_numbers;
    case MDX_TAG('C', 'L', 'I', 'D'): return shape_numbers;
    case MDX_TAG('H', 'T', 'S', 'T'): return hit_numbers;
    case MDX_TAG('B', 'O', 'N', 'E'):
    case MDX_TAG('H', 'E', 'L', 'P'):
    case MDX_TAG('A', 'T', 'C', 'H'):
    case MDX_TAG('R', 'I', 'B', 'B'):
    case MDX_TAG('E', 'V', 'T', 'S'): return node_numbers;
    default: return none;
    }
}

const mdx_field *mdx_mdl_fields_of(const mdx_kind *kind, uint32_t version)
{
    if (kind->tag == MDX_TAG('G', 'E', 'O', 'S')) return mdx_geoset_fields;
    return version >= MDX_ALPHA_VERSION ? kind->alpha_fields : kind->fields;
}

uint32_t mdx_mdl_type_bits(uint32_t tag, uint32_t version)
{
    static const struct {
        uint32_t tag, bits, alpha_bits;
    } types[] = {
        { MDX_TAG('B', 'O', 'N', 'E'), 0x100, 0 },     { MDX_TAG('L', 'I', 'T', 'E'), 0x200, 0x100 },
        { MDX_TAG('E', 'V', 'T', 'S'), 0x400, 0x200 }, { MDX_TAG('A', 'T', 'C', 'H'), 0x800, 0x400 },
        { MDX_TAG('P', 'R', 'E', 'M'), 0x1000, 0 },    { MDX_TAG('P', 'R', 'E', '2'), 0x1000, 0x800 },
        { MDX_TAG('C', 'O', 'R', 'N'), 0x1000, 0 },    { MDX_TAG('C', 'L', 'I', 'D'), 0x2000, 0 },
        { MDX_TAG('H', 'T', 'S', 'T'), 0, 0x1000 },    { MDX_TAG('R', 'I', 'B', 'B'), 0x4000, 0x2000 },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].tag == tag) return version >= MDX_ALPHA_VERSION ? types[i].alpha_bits : types[i].bits;
    return 0;
}
