// Keywords of MDL: flags and enumerations, which the tables of mdx_schema.c keep as plain numbers.
#include "format/mdx/mdx_mdl.h"

#include <string.h>

const char *const mdx_mdl_interpolation_names[4] = { "DontInterp", "Linear", "Hermite", "Bezier" };
const char *const mdx_mdl_slot_names[6] = { "TextureID",         "NormalTextureID",    "ORMTextureID",
                                            "EmissiveTextureID", "TeamColorTextureID", "ReflectionsTextureID" };

// Words of tools that are older than the official ones, or that write numbers where the format has keywords.
static const struct {
    const char *other, *standard;
} synonyms[] = {
    { "BillboardLockX", "BillboardedLockX" },
    { "BillboardLockY", "BillboardedLockY" },
    { "BillboardLockZ", "BillboardedLockZ" },
    { "SphereEnvironmentMap", "SphereEnvMap" },
    { "FresnelAlpha", "FresnelOpacity" },
    { "ShaderTypeId", "ShaderType" },
    { "RenderMode", "Flags" },
    { "LevelOfDetailName", "Name" },
    { "PopcornFxEmitter", "ParticleEmitterPopcorn" },
    { "FlagString", "AnimVisibilityGuide" },
};

sni_str mdx_mdl_standard_word(sni_str word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (sni_str_is_nocase(word, synonyms[i].other))
            return sni_str_make(synonyms[i].standard, strlen(synonyms[i].standard));
    return word;
}

// clang-format off
#define BIT(name, bit)     { name, bit, bit }
#define CHOICE(name, n)    { name, UINT32_MAX, n }
#define END                { NULL, 0, 0 }

static const mdx_mdl_keyword no_keywords[] = { END };
static const mdx_mdl_keyword sequence_flags[] = { BIT("NonLooping", MDX_NON_LOOPING), END };
static const mdx_mdl_keyword texture_flags[] = { BIT("WrapWidth", MDX_WRAP_U), BIT("WrapHeight", MDX_WRAP_V), END };
static const mdx_mdl_keyword material_flags[] = {
    BIT("ConstantColor", MDX_CONSTANT_COLOR), BIT("TwoSided", MDX_TWO_SIDED), BIT("SortPrimsNearZ", MDX_SORT_NEAR),
    BIT("SortPrimsFarZ", MDX_SORT_FAR), BIT("FullResolution", MDX_FULL_RESOLUTION), END
};
static const mdx_mdl_keyword layer_filters[] = {
    CHOICE("None", MDX_FILTER_NONE), CHOICE("Transparent", MDX_FILTER_TRANSPARENT), CHOICE("Blend", MDX_FILTER_BLEND),
    CHOICE("Additive", MDX_FILTER_ADDITIVE), CHOICE("AddAlpha", MDX_FILTER_ADD_ALPHA),
    CHOICE("Modulate", MDX_FILTER_MODULATE), CHOICE("Modulate2x", MDX_FILTER_MODULATE_2X), END
};
static const mdx_mdl_keyword layer_flags[] = {
    BIT("Unshaded", MDX_UNSHADED), BIT("SphereEnvMap", MDX_SPHERE_MAP), BIT("WrapWidth", MDX_LAYER_WRAP_U),
    BIT("WrapHeight", MDX_LAYER_WRAP_V), BIT("TwoSided", MDX_LAYER_TWO_SIDED), BIT("Unfogged", MDX_UNFOGGED),
    BIT("NoDepthTest", MDX_NO_DEPTH_TEST), BIT("NoDepthSet", MDX_NO_DEPTH_SET), BIT("Unlit", MDX_UNLIT), END
};
static const mdx_mdl_keyword geoset_flags[] = { BIT("Unselectable", MDX_UNSELECTABLE), END };
static const mdx_mdl_keyword wow_geoset_flags[] = { BIT("Unselectable", 1), END };
static const mdx_mdl_keyword geoset_anim_flags[] = { BIT("DropShadow", MDX_DROP_SHADOW), END };
static const mdx_mdl_keyword light_kinds[] = {
    CHOICE("Omnidirectional", 0), CHOICE("Directional", 1), CHOICE("Ambient", 2), END
};
static const mdx_mdl_keyword particle_filters[] = {
    CHOICE("Blend", 0), CHOICE("Additive", 1), CHOICE("Modulate", 2), CHOICE("Modulate2x", 3), CHOICE("AlphaKey", 4),
    END
};
static const mdx_mdl_keyword particle_shapes[] = { CHOICE("Head", 0), CHOICE("Tail", 1), CHOICE("Both", 2), END };
static const mdx_mdl_keyword squirt_flags[] = { CHOICE("Squirt", 1), END };
static const mdx_mdl_keyword collision_kinds[] = {
    CHOICE("Box", 0), CHOICE("Plane", 1), CHOICE("Sphere", 2), CHOICE("Cylinder", 3), END
};
static const mdx_mdl_keyword hit_test_kinds[] = {
    CHOICE("Box", 0), CHOICE("Cylinder", 1), CHOICE("Sphere", 2), CHOICE("Plane", 3), END
};

// Of all nodes. DontInherit is parsed elsewhere, as its block may hold several words; these entries are for writing.
#define WOW_NODE_FLAGS                                                                                \
    { "DontInherit { Translation }", MDX_NODE_OWN_TRANSLATION, MDX_NODE_OWN_TRANSLATION },            \
    { "DontInherit { Scaling }", MDX_NODE_OWN_SCALE, MDX_NODE_OWN_SCALE },                            \
    { "DontInherit { Rotation }", MDX_NODE_OWN_ROTATION, MDX_NODE_OWN_ROTATION },                     \
    BIT("Billboarded", MDX_NODE_BILLBOARD), BIT("BillboardedLockX", MDX_NODE_BILLBOARD_X),            \
    BIT("BillboardedLockY", MDX_NODE_BILLBOARD_Y), BIT("BillboardedLockZ", MDX_NODE_BILLBOARD_Z)
#define NODE_FLAGS WOW_NODE_FLAGS, BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED)
#define PARTICLE_FLAGS                                                                                \
    BIT("SortPrimsFarZ", 0x10000), BIT("Unshaded", 0x8000), BIT("LineEmitter", 0x20000),              \
    BIT("Unfogged", 0x40000), BIT("ModelSpace", 0x80000)

static const mdx_mdl_keyword node_flags[] = { NODE_FLAGS, END };
static const mdx_mdl_keyword wow_node_flags[] = { WOW_NODE_FLAGS, END };
static const mdx_mdl_keyword emitter_flags[] = {
    NODE_FLAGS, BIT("EmitterUsesMDL", 0x8000), BIT("EmitterUsesTGA", 0x10000), END
};
static const mdx_mdl_keyword wow_emitter_flags[] = {
    WOW_NODE_FLAGS, BIT("EmitterUsesMDL", 0x10000), BIT("EmitterUsesTGA", 0x8000), END
};
static const mdx_mdl_keyword emitter2_flags[] = { NODE_FLAGS, PARTICLE_FLAGS, BIT("XYQuad", 0x100000), END };
static const mdx_mdl_keyword wow_emitter2_flags[] = { WOW_NODE_FLAGS, PARTICLE_FLAGS, BIT("XYQuad", 0x8000000), END };
static const mdx_mdl_keyword popcorn_flags[] = {
    NODE_FLAGS, BIT("SortPrimsFarZ", 0x10000), BIT("Unshaded", 0x8000), BIT("PopcornScaling", 0x40000), END
};

// Which member of an element has which keywords.
#define WARCRAFT(owner, member, raw_name, keywords) \
    { offsetof(owner, member), 0, MDX_WOW_VERSION - 1, raw_name, NULL, keywords }
#define WOW(owner, member, raw_name, keywords) \
    { offsetof(owner, member), MDX_WOW_VERSION, UINT16_MAX, raw_name, NULL, keywords }
#define ALWAYS(owner, member, raw_name, prefix, keywords) \
    { offsetof(owner, member), 0, UINT16_MAX, raw_name, prefix, keywords }
#define NODE(keywords, wow_keywords) \
    WARCRAFT(mdx_object, node.flags, "Flags", keywords), WOW(mdx_object, node.flags, "Flags", wow_keywords)
#define LAST { 0, 0, 0, NULL, NULL, NULL }

static const mdx_mdl_keyword_field no_fields[] = { LAST };
static const mdx_mdl_keyword_field sequence_fields[] = {
    ALWAYS(mdx_sequence, flags, "Flags", NULL, sequence_flags), LAST
};
static const mdx_mdl_keyword_field texture_fields[] = {
    ALWAYS(mdx_texture, flags, "Flags", NULL, texture_flags), LAST
};
static const mdx_mdl_keyword_field material_fields[] = {
    WARCRAFT(mdx_material, flags, "Flags", material_flags), LAST
};
static const mdx_mdl_keyword_field layer_fields[] = {
    ALWAYS(mdx_layer, filter, "Filter", "FilterMode", layer_filters),
    ALWAYS(mdx_layer, flags, "Flags", NULL, layer_flags),
    LAST
};
static const mdx_mdl_keyword_field geoset_fields[] = {
    WARCRAFT(mdx_geoset, selection_flags, "Flags", geoset_flags),
    WOW(mdx_geoset, selection_flags, "Flags", wow_geoset_flags),
    LAST
};
static const mdx_mdl_keyword_field geoset_anim_fields[] = {
    WARCRAFT(mdx_geoset_anim, flags, "Flags", geoset_anim_flags),
    WOW(mdx_geoset_anim, flags, "Flags", no_keywords),
    LAST
};
static const mdx_mdl_keyword_field node_fields[] = { NODE(node_flags, wow_node_flags), LAST };
static const mdx_mdl_keyword_field light_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_light, kind, "LightType", NULL, light_kinds), LAST
};
static const mdx_mdl_keyword_field emitter_fields[] = { NODE(emitter_flags, wow_emitter_flags), LAST };
static const mdx_mdl_keyword_field emitter2_fields[] = {
    NODE(emitter2_flags, wow_emitter2_flags),
    ALWAYS(mdx_emitter2, squirt, "SquirtCount", NULL, squirt_flags),
    ALWAYS(mdx_emitter2, filter, "Filter", NULL, particle_filters),
    ALWAYS(mdx_emitter2, head_or_tail, "HeadOrTail", NULL, particle_shapes),
    LAST
};
static const mdx_mdl_keyword_field popcorn_fields[] = { NODE(popcorn_flags, popcorn_flags), LAST };
static const mdx_mdl_keyword_field shape_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_shape, kind, "ShapeType", NULL, collision_kinds), LAST
};
static const mdx_mdl_keyword_field hit_test_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_shape, kind, "ShapeType", NULL, hit_test_kinds), LAST
};
// clang-format on

const mdx_mdl_keyword_field *mdx_mdl_keyword_fields(uint32_t tag)
{
    switch (tag) {
    case MDX_SEQS: return sequence_fields;
    case MDX_TEXS: return texture_fields;
    case MDX_MTLS: return material_fields;
    case MDX_LAYS: return layer_fields;
    case MDX_GEOS: return geoset_fields;
    case MDX_GEOA: return geoset_anim_fields;
    case MDX_LITE: return light_fields;
    case MDX_PREM: return emitter_fields;
    case MDX_PRE2: return emitter2_fields;
    case MDX_CORN: return popcorn_fields;
    case MDX_CLID: return shape_fields;
    case MDX_HTST: return hit_test_fields;
    case MDX_BONE:
    case MDX_HELP:
    case MDX_ATCH:
    case MDX_RIBB:
    case MDX_EVTS: return node_fields;
    default: return no_fields;
    }
}

uint32_t mdx_mdl_type_flags(uint32_t tag, uint32_t version)
{
    static const struct {
        uint32_t tag, flags, wow_flags;
    } types[] = {
        { MDX_BONE, 0x100, 0 },  { MDX_LITE, 0x200, 0x100 },   { MDX_EVTS, 0x400, 0x200 }, { MDX_ATCH, 0x800, 0x400 },
        { MDX_PREM, 0x1000, 0 }, { MDX_PRE2, 0x1000, 0x800 },  { MDX_CORN, 0x1000, 0 },    { MDX_CLID, 0x2000, 0 },
        { MDX_HTST, 0, 0x1000 }, { MDX_RIBB, 0x4000, 0x2000 },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].tag == tag) return version >= MDX_WOW_VERSION ? types[i].wow_flags : types[i].flags;
    return 0;
}
