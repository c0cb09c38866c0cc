// What MDX is made of, as tables: each element's fields in the file's order, each tag's meaning. Readers and writers of
// both forms walk them.
#include "format/mdx/mdx_doc.h"

#include <math.h>

#define K(a, b, c) MDX_TAG('K', a, b, c)

// clang-format off
static const mdx_track_kind track_kinds[] = {
    { K('G', 'T', 'R'), MDX_VEC3,  "Translation",      0, false },
    { K('G', 'R', 'T'), MDX_QUAT,  "Rotation",         0, false },
    { K('G', 'S', 'C'), MDX_VEC3,  "Scaling",          1, false },
    { K('M', 'T', 'F'), MDX_U32,   "TextureID",        0, true },
    { K('M', 'T', 'A'), MDX_F32,   "Alpha",            1, false },
    { K('M', 'T', 'E'), MDX_F32,   "EmissiveGain",     1, false },
    { K('F', 'C', '3'), MDX_VEC3,  "FresnelColor",     1, false },
    { K('F', 'C', 'A'), MDX_F32,   "FresnelOpacity",   0, false },
    { K('F', 'T', 'C'), MDX_F32,   "FresnelTeamColor", 0, false },
    { K('T', 'A', 'T'), MDX_VEC3,  "Translation",      0, false },
    { K('T', 'A', 'R'), MDX_QUAT,  "Rotation",         0, false },
    { K('T', 'A', 'S'), MDX_VEC3,  "Scaling",          1, false },
    { K('G', 'A', 'O'), MDX_F32,   "Alpha",            1, false },
    { K('G', 'A', 'C'), MDX_COLOR, "Color",            1, false },
    { K('L', 'A', 'S'), MDX_F32,   "AttenuationStart", 0, false },
    { K('L', 'A', 'E'), MDX_F32,   "AttenuationEnd",   0, false },
    { K('L', 'A', 'C'), MDX_COLOR, "Color",            0, false },
    { K('L', 'A', 'I'), MDX_F32,   "Intensity",        0, false },
    { K('L', 'B', 'C'), MDX_COLOR, "AmbColor",         0, false },
    { K('L', 'B', 'I'), MDX_F32,   "AmbIntensity",     0, false },
    { K('L', 'A', 'V'), MDX_F32,   "Visibility",       1, true },
    { K('A', 'T', 'V'), MDX_F32,   "Visibility",       1, true },
    { K('P', 'E', 'E'), MDX_F32,   "EmissionRate",     0, false },
    { K('P', 'E', 'G'), MDX_F32,   "Gravity",          0, false },
    { K('P', 'L', 'N'), MDX_F32,   "Longitude",        0, false },
    { K('P', 'L', 'T'), MDX_F32,   "Latitude",         0, false },
    { K('P', 'E', 'L'), MDX_F32,   "LifeSpan",         0, false },
    { K('P', 'E', 'S'), MDX_F32,   "InitVelocity",     0, false },
    { K('P', 'E', 'V'), MDX_F32,   "Visibility",       1, true },
    { K('P', '2', 'S'), MDX_F32,   "Speed",            0, false },
    { K('P', '2', 'R'), MDX_F32,   "Variation",        0, false },
    { K('P', '2', 'L'), MDX_F32,   "Latitude",         0, false },
    { K('P', '2', 'G'), MDX_F32,   "Gravity",          0, false },
    { K('P', '2', 'E'), MDX_F32,   "EmissionRate",     0, false },
    { K('P', '2', 'N'), MDX_F32,   "Length",           0, false },
    { K('P', '2', 'W'), MDX_F32,   "Width",            0, false },
    { K('P', '2', 'V'), MDX_F32,   "Visibility",       1, true },
    { K('P', '2', 'Z'), MDX_F32,   "ZSource",          0, false },
    { K('L', 'I', 'F'), MDX_F32,   "LifeSpan",         0, false },
    { K('P', 'P', 'A'), MDX_F32,   "Alpha",            1, false },
    { K('P', 'P', 'C'), MDX_COLOR, "Color",            1, false },
    { K('P', 'P', 'E'), MDX_F32,   "EmissionRate",     0, false },
    { K('P', 'P', 'L'), MDX_F32,   "LifeSpan",         0, false },
    { K('P', 'P', 'S'), MDX_F32,   "Speed",            0, false },
    { K('P', 'P', 'V'), MDX_F32,   "Visibility",       1, true },
    { K('R', 'H', 'A'), MDX_F32,   "HeightAbove",      0, false },
    { K('R', 'H', 'B'), MDX_F32,   "HeightBelow",      0, false },
    { K('R', 'A', 'L'), MDX_F32,   "Alpha",            1, false },
    { K('R', 'C', 'O'), MDX_COLOR, "Color",            0, false },
    { K('R', 'T', 'X'), MDX_U32,   "TextureSlot",      0, true },
    { K('R', 'V', 'S'), MDX_F32,   "Visibility",       1, true },
    { K('C', 'T', 'R'), MDX_VEC3,  "Translation",      0, false },
    { K('T', 'T', 'R'), MDX_VEC3,  "Translation",      0, false },
    { K('C', 'R', 'L'), MDX_F32,   "Rotation",         0, false },
    { K('V', 'I', 'S'), MDX_F32,   "Visibility",       1, true },
};
// clang-format on

const mdx_track_kind *mdx_find_track(uint32_t tag)
{
    for (size_t i = 0; i < sizeof track_kinds / sizeof *track_kinds; i++)
        if (track_kinds[i].tag == tag) return &track_kinds[i];
    return NULL;
}

const uint32_t mdx_node_tracks[] = { K('G', 'T', 'R'), K('G', 'R', 'T'), K('G', 'S', 'C'), 0 };
const uint32_t mdx_layer_tracks[] = {
    K('M', 'T', 'F'), K('M', 'T', 'A'), K('M', 'T', 'E'), K('F', 'C', '3'), K('F', 'C', 'A'), K('F', 'T', 'C'), 0
};
static const uint32_t texture_anim_tracks[] = { K('T', 'A', 'T'), K('T', 'A', 'R'), K('T', 'A', 'S'), 0 };
static const uint32_t geoset_anim_tracks[] = { K('G', 'A', 'O'), K('G', 'A', 'C'), 0 };
static const uint32_t light_tracks[] = { K('L', 'A', 'S'), K('L', 'A', 'E'), K('L', 'A', 'C'),
                                         K('L', 'A', 'I'), K('L', 'B', 'I'), K('L', 'B', 'C'),
                                         K('L', 'A', 'V'), K('V', 'I', 'S'), 0 };
static const uint32_t attachment_tracks[] = { K('A', 'T', 'V'), K('V', 'I', 'S'), 0 };
static const uint32_t emitter_tracks[] = { K('P', 'E', 'E'), K('P', 'E', 'G'), K('P', 'L', 'N'),
                                           K('P', 'L', 'T'), K('P', 'E', 'L'), K('P', 'E', 'S'),
                                           K('P', 'E', 'V'), K('V', 'I', 'S'), 0 };
static const uint32_t emitter2_tracks[] = { K('P', '2', 'S'),
                                            K('P', '2', 'R'),
                                            K('P', '2', 'L'),
                                            K('P', 'L', 'N'),
                                            K('P', '2', 'G'),
                                            K('L', 'I', 'F'),
                                            K('P', '2', 'E'),
                                            K('P', '2', 'N'),
                                            K('P', '2', 'W'),
                                            K('P', '2', 'V'),
                                            K('P', '2', 'Z'),
                                            K('V', 'I', 'S'),
                                            0 };
static const uint32_t popcorn_tracks[] = {
    K('P', 'P', 'A'), K('P', 'P', 'C'), K('P', 'P', 'E'), K('P', 'P', 'L'), K('P', 'P', 'S'), K('P', 'P', 'V'), 0
};
static const uint32_t ribbon_tracks[] = { K('R', 'H', 'A'), K('R', 'H', 'B'), K('R', 'A', 'L'), K('R', 'C', 'O'),
                                          K('R', 'T', 'X'), K('R', 'V', 'S'), K('V', 'I', 'S'), 0 };
static const uint32_t camera_tracks[] = { K('C', 'T', 'R'), K('T', 'T', 'R'), K('C', 'R', 'L'), K('V', 'I', 'S'), 0 };
static const uint32_t no_tracks[] = { 0 };

#define ANY 0, UINT16_MAX
// clang-format off
#define FIELD(type, owner, member, word, fallback)       { type, 1, offsetof(owner, member), ANY, 0, word, fallback }
#define FIELDS(type, count, owner, member, word)         { type, count, offsetof(owner, member), ANY, 0, word, 0 }
#define MOVES(type, owner, member, word, fallback, track) { type, 1, offsetof(owner, member), ANY, track, word, fallback }
#define SINCE(since, until, type, owner, member, word, fallback, track) \
    { type, 1, offsetof(owner, member), since, until, track, word, fallback }
#define END { MDX_U8, 0, 0, 0, 0, 0, NULL, 0 }
// clang-format on

static const mdx_field no_fields[] = { END };

// clang-format off
const mdx_field mdx_model_fields[] = {
    FIELD(MDX_NAME, mdx_model, name, NULL, 0),
    FIELD(MDX_PATH, mdx_model, animation_file, "AnimationFile", 0),
    FIELD(MDX_EXTENT, mdx_model, extent, NULL, 0),
    FIELD(MDX_U32, mdx_model, blend_time, "BlendTime", 0),
    SINCE(1300, UINT16_MAX, MDX_U8, mdx_model, flags, "Flags", 0, 0),
    END
};

static const mdx_field sequence_fields[] = {
    FIELD(MDX_NAME, mdx_sequence, name, NULL, 0),
    FIELD(MDX_U32, mdx_sequence, start, NULL, 0),
    FIELD(MDX_U32, mdx_sequence, end, NULL, 0),
    FIELD(MDX_F32, mdx_sequence, move_speed, "MoveSpeed", 0),
    FIELD(MDX_U32, mdx_sequence, flags, NULL, 0),
    FIELD(MDX_F32, mdx_sequence, rarity, "Rarity", 0),
    FIELD(MDX_U32, mdx_sequence, sync_point, "SyncPoint", 0),
    FIELD(MDX_EXTENT, mdx_sequence, extent, NULL, 0),
    END
};

static const mdx_field alpha_sequence_fields[] = {
    FIELD(MDX_NAME, mdx_sequence, name, NULL, 0),
    FIELD(MDX_U32, mdx_sequence, start, NULL, 0),
    FIELD(MDX_U32, mdx_sequence, end, NULL, 0),
    FIELD(MDX_F32, mdx_sequence, move_speed, "MoveSpeed", 0),
    FIELD(MDX_U32, mdx_sequence, flags, NULL, 0),
    FIELD(MDX_EXTENT, mdx_sequence, extent, NULL, 0),
    FIELD(MDX_F32, mdx_sequence, rarity, "Frequency", 0),
    FIELD(MDX_U32, mdx_sequence, replay_min, "ReplayMin", 0),
    FIELD(MDX_U32, mdx_sequence, replay_max, "ReplayMax", 0),
    FIELD(MDX_U32, mdx_sequence, blend_time, "BlendTime", 0),
    END
};
// clang-format on

static const mdx_field texture_fields[] = { FIELD(MDX_U32, mdx_texture, replaceable, "ReplaceableId", 0),
                                            FIELD(MDX_PATH, mdx_texture, path, "Image", 0),
                                            FIELD(MDX_U32, mdx_texture, flags, NULL, 0), END };

static const mdx_field material_fields[] = { FIELD(MDX_I32, mdx_material, priority_plane, "PriorityPlane", 0),
                                             FIELD(MDX_U32, mdx_material, flags, NULL, 0),
                                             SINCE(900, 1099, MDX_NAME, mdx_material, shader, "Shader", 0, 0), END };

static const mdx_field alpha_material_fields[] = { FIELD(MDX_I32, mdx_material, priority_plane, "PriorityPlane", 0),
                                                   END };

// clang-format off
const mdx_field mdx_layer_fields[] = {
    FIELD(MDX_U32, mdx_layer, filter, NULL, 0),
    FIELD(MDX_U32, mdx_layer, flags, NULL, 0),
    MOVES(MDX_I32, mdx_layer, texture, "TextureID", 0, K('M', 'T', 'F')),
    FIELD(MDX_I32, mdx_layer, texture_anim, "TVertexAnimId", -1),
    FIELD(MDX_I32, mdx_layer, coord, "CoordId", 0),
    MOVES(MDX_F32, mdx_layer, alpha, "Alpha", 1, K('M', 'T', 'A')),
    SINCE(900, 1299, MDX_F32, mdx_layer, emissive_gain, "EmissiveGain", 1, K('M', 'T', 'E')),
    SINCE(900, 1299, MDX_VEC3, mdx_layer, fresnel_color, "FresnelColor", 1, K('F', 'C', '3')),      // 900: see is_short. Not turned in MDL
    SINCE(900, 1299, MDX_F32, mdx_layer, fresnel_opacity, "FresnelOpacity", 0, K('F', 'C', 'A')),
    SINCE(900, 1299, MDX_F32, mdx_layer, fresnel_team_color, "FresnelTeamColor", 0, K('F', 'T', 'C')),
    END
};
// clang-format on

// Behind the arrays; the extents of the sequences follow.
// clang-format off
const mdx_field mdx_geoset_fields[] = {
    FIELD(MDX_U32, mdx_geoset, material, "MaterialID", 0),
    FIELD(MDX_U32, mdx_geoset, selection_group, "SelectionGroup", 0),
    FIELD(MDX_U32, mdx_geoset, selection_flags, NULL, 0),
    SINCE(900, 1299, MDX_I32, mdx_geoset, lod, "LevelOfDetail", 0, 0),
    SINCE(900, 1299, MDX_NAME, mdx_geoset, lod_name, "Name", 0, 0),
    FIELD(MDX_EXTENT, mdx_geoset, extent, NULL, 0),
    END
};

#define SECTION(a, b, c, d, owner, array, bytes, alpha_bytes) \
    { MDX_TAG(a, b, c, d), (const char[]){ a, b, c, d, 0 }, offsetof(owner, array), bytes, alpha_bytes }

const mdx_section mdx_geoset_sections[] = {
    SECTION('V', 'R', 'T', 'X', mdx_geoset, positions, 12, 12),
    SECTION('N', 'R', 'M', 'S', mdx_geoset, normals, 12, 12),
    SECTION('P', 'T', 'Y', 'P', mdx_geoset, face_types, 4, 1),
    SECTION('P', 'C', 'N', 'T', mdx_geoset, face_counts, 4, 4),
    SECTION('P', 'V', 'T', 'X', mdx_geoset, faces, 2, 2),
    SECTION('G', 'N', 'D', 'X', mdx_geoset, groups, 1, 1),
    SECTION('M', 'T', 'G', 'C', mdx_geoset, group_sizes, 4, 4),
    SECTION('M', 'A', 'T', 'S', mdx_geoset, matrices, 4, 4),
    SECTION('B', 'I', 'D', 'X', mdx_geoset, bone_indices, 0, 4),
    SECTION('B', 'W', 'G', 'T', mdx_geoset, bone_weights, 0, 4),
    { .tag = 0 }
};

const mdx_section mdx_collision_sections[] = {
    SECTION('V', 'R', 'T', 'X', mdx_doc, collision_positions, 12, 12),
    SECTION('T', 'R', 'I', ' ', mdx_doc, collision_faces, 2, 2),
    SECTION('N', 'R', 'M', 'S', mdx_doc, collision_normals, 12, 12),
    { .tag = 0 }
};

static const mdx_field geoset_anim_fields[] = {
    MOVES(MDX_F32, mdx_geoset_anim, alpha, "Alpha", 1, K('G', 'A', 'O')),
    FIELD(MDX_U32, mdx_geoset_anim, flags, NULL, 0),
    MOVES(MDX_COLOR, mdx_geoset_anim, color, "Color", 1, K('G', 'A', 'C')),
    FIELD(MDX_I32, mdx_geoset_anim, geoset, "GeosetId", -1),
    END
};

static const mdx_field alpha_geoset_anim_fields[] = {
    FIELD(MDX_I32, mdx_geoset_anim, geoset, "GeosetId", -1),
    MOVES(MDX_F32, mdx_geoset_anim, alpha, "Alpha", 1, K('G', 'A', 'O')),
    MOVES(MDX_COLOR, mdx_geoset_anim, color, "Color", 1, K('G', 'A', 'C')),
    FIELD(MDX_U32, mdx_geoset_anim, flags, NULL, 0),
    END
};
// clang-format on

static const mdx_field bone_fields[] = { FIELD(MDX_I32, mdx_bone, geoset, "GeosetId", -1),           // -1: "Multiple"
                                         FIELD(MDX_I32, mdx_bone, geoset_anim, "GeosetAnimId", -1),  // -1: "None"
                                         END };

// clang-format off
static const mdx_field light_fields[] = {
    FIELD(MDX_U32, mdx_light, kind, NULL, 0),
    MOVES(MDX_F32, mdx_light, attenuation_start, "AttenuationStart", 0, K('L', 'A', 'S')),
    MOVES(MDX_F32, mdx_light, attenuation_end, "AttenuationEnd", 0, K('L', 'A', 'E')),
    MOVES(MDX_COLOR, mdx_light, color, "Color", 1, K('L', 'A', 'C')),
    MOVES(MDX_F32, mdx_light, intensity, "Intensity", 0, K('L', 'A', 'I')),
    MOVES(MDX_COLOR, mdx_light, ambient_color, "AmbColor", 1, K('L', 'B', 'C')),
    MOVES(MDX_F32, mdx_light, ambient_intensity, "AmbIntensity", 0, K('L', 'B', 'I')),
    SINCE(1200, 1299, MDX_F32, mdx_light, shadow_intensity, "ShadowIntensity", 0.4f, 0),
    END
};
// clang-format on

static const mdx_field attachment_fields[] = { FIELD(MDX_PATH, mdx_attachment, path, "Path", 0),
                                               FIELD(MDX_I32, mdx_attachment, attachment_id, "AttachmentID", 0), END };

static const mdx_field alpha_attachment_fields[] = { FIELD(MDX_I32, mdx_attachment, attachment_id, "AttachmentID", 0),
                                                     FIELD(MDX_U8, mdx_attachment, padding, "Padding", 0),
                                                     FIELD(MDX_PATH, mdx_attachment, path, "Path", 0), END };

// clang-format off
static const mdx_field emitter_fields[] = {
    MOVES(MDX_F32, mdx_emitter, emission_rate, "EmissionRate", 0, K('P', 'E', 'E')),
    MOVES(MDX_F32, mdx_emitter, gravity, "Gravity", 0, K('P', 'E', 'G')),
    MOVES(MDX_F32, mdx_emitter, longitude, "Longitude", 0, K('P', 'L', 'N')),
    MOVES(MDX_F32, mdx_emitter, latitude, "Latitude", 0, K('P', 'L', 'T')),
    FIELD(MDX_PATH, mdx_emitter, path, "Path", 0),                // it and the next two inside Particle { }
    MOVES(MDX_F32, mdx_emitter, life_span, "LifeSpan", 0, K('P', 'E', 'L')),
    MOVES(MDX_F32, mdx_emitter, speed, "InitVelocity", 0, K('P', 'E', 'S')),
    END
};
// clang-format on

// What a particle looks like, from birth to end: alike in all versions.
#define PARTICLE_FIELDS                                                                                               \
    FIELD(MDX_U32, mdx_emitter2, rows, "Rows", 0), FIELD(MDX_U32, mdx_emitter2, columns, "Columns", 0),               \
        FIELD(MDX_U32, mdx_emitter2, head_or_tail, NULL, 0),                                                          \
        FIELD(MDX_F32, mdx_emitter2, tail_length, "TailLength", 0),                                                   \
        FIELD(MDX_F32, mdx_emitter2, middle_time, "Time", 0),                                                         \
        FIELDS(MDX_COLOR, 3, mdx_emitter2, colors, "SegmentColor"), FIELDS(MDX_U8, 3, mdx_emitter2, alphas, "Alpha"), \
        FIELD(MDX_VEC3, mdx_emitter2, scales, "ParticleScaling", 0),                                                  \
        FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[0], "LifeSpanUVAnim"),                                              \
        FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[1], "DecayUVAnim"),                                                 \
        FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[2], "TailUVAnim"),                                                  \
        FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[3], "TailDecayUVAnim")

// clang-format off
static const mdx_field emitter2_fields[] = {
    MOVES(MDX_F32, mdx_emitter2, speed, "Speed", 0, K('P', '2', 'S')),
    MOVES(MDX_F32, mdx_emitter2, variation, "Variation", 0, K('P', '2', 'R')),
    MOVES(MDX_F32, mdx_emitter2, latitude, "Latitude", 0, K('P', '2', 'L')),
    MOVES(MDX_F32, mdx_emitter2, gravity, "Gravity", 0, K('P', '2', 'G')),
    FIELD(MDX_F32, mdx_emitter2, life_span, "LifeSpan", 0),
    MOVES(MDX_F32, mdx_emitter2, emission_rate, "EmissionRate", 0, K('P', '2', 'E')),
    MOVES(MDX_F32, mdx_emitter2, length, "Length", 0, K('P', '2', 'N')),
    MOVES(MDX_F32, mdx_emitter2, width, "Width", 0, K('P', '2', 'W')),
    FIELD(MDX_U32, mdx_emitter2, filter, NULL, 0),
    PARTICLE_FIELDS,
    FIELD(MDX_I32, mdx_emitter2, texture, "TextureID", 0),
    FIELD(MDX_U32, mdx_emitter2, squirt, NULL, 0),
    FIELD(MDX_I32, mdx_emitter2, priority_plane, "PriorityPlane", 0),
    FIELD(MDX_U32, mdx_emitter2, replaceable, "ReplaceableId", 0),
    END
};
// clang-format on

// Behind them: the spline, the squirt.
// clang-format off
static const mdx_field alpha_emitter2_fields[] = {
    FIELD(MDX_U32, mdx_emitter2, emitter_bytes, "EmitterSize", 0),
    FIELD(MDX_U32, mdx_emitter2, emitter_type, "EmitterType", 0),
    MOVES(MDX_F32, mdx_emitter2, speed, "Speed", 0, K('P', '2', 'S')),
    MOVES(MDX_F32, mdx_emitter2, variation, "Variation", 0, K('P', '2', 'R')),
    MOVES(MDX_F32, mdx_emitter2, latitude, "Latitude", 0, K('P', '2', 'L')),
    MOVES(MDX_F32, mdx_emitter2, longitude, "Longitude", 0, K('P', 'L', 'N')),
    MOVES(MDX_F32, mdx_emitter2, gravity, "Gravity", 0, K('P', '2', 'G')),
    MOVES(MDX_F32, mdx_emitter2, z_source, "ZSource", 0, K('P', '2', 'Z')),
    MOVES(MDX_F32, mdx_emitter2, life_span, "LifeSpan", 0, K('L', 'I', 'F')),
    MOVES(MDX_F32, mdx_emitter2, emission_rate, "EmissionRate", 0, K('P', '2', 'E')),
    MOVES(MDX_F32, mdx_emitter2, length, "Length", 0, K('P', '2', 'N')),
    MOVES(MDX_F32, mdx_emitter2, width, "Width", 0, K('P', '2', 'W')),
    PARTICLE_FIELDS,
    FIELD(MDX_U32, mdx_emitter2, filter, NULL, 0),
    FIELD(MDX_I32, mdx_emitter2, texture, "TextureID", 0),
    FIELD(MDX_I32, mdx_emitter2, priority_plane, "PriorityPlane", 0),
    FIELD(MDX_U32, mdx_emitter2, replaceable, "ReplaceableId", 0),
    FIELD(MDX_PATH, mdx_emitter2, geometry_path, "GeometryPath", 0),
    FIELD(MDX_PATH, mdx_emitter2, recursion_path, "RecursionPath", 0),
    FIELDS(MDX_F32, 5, mdx_emitter2, twinkle, "Twinkle"),
    FIELDS(MDX_F32, 6, mdx_emitter2, tumble, "Tumble"),
    FIELD(MDX_F32, mdx_emitter2, drag, "Drag", 0),
    FIELD(MDX_F32, mdx_emitter2, spin, "Spin", 0),
    FIELDS(MDX_F32, 3, mdx_emitter2, wind, "Wind"),
    FIELD(MDX_F32, mdx_emitter2, wind_time, "WindTime", 0),
    FIELDS(MDX_F32, 4, mdx_emitter2, follow, "Follow"),
    END
};

static const mdx_field popcorn_fields[] = {
    MOVES(MDX_F32, mdx_popcorn, life_span, "LifeSpan", 0, K('P', 'P', 'L')),
    MOVES(MDX_F32, mdx_popcorn, emission_rate, "EmissionRate", 0, K('P', 'P', 'E')),
    MOVES(MDX_F32, mdx_popcorn, speed, "Speed", 0, K('P', 'P', 'S')),
    MOVES(MDX_COLOR, mdx_popcorn, color, "Color", 1, K('P', 'P', 'C')),
    MOVES(MDX_F32, mdx_popcorn, alpha, "Alpha", 1, K('P', 'P', 'A')),
    FIELD(MDX_U32, mdx_popcorn, replaceable, "ReplaceableId", 0),
    FIELD(MDX_PATH, mdx_popcorn, path, "Path", 0),
    FIELD(MDX_PATH, mdx_popcorn, visibility_guide, "AnimVisibilityGuide", 0),
    END
};
// clang-format on

#define RIBBON_FIELDS                                                                                              \
    MOVES(MDX_F32, mdx_ribbon, height_above, "HeightAbove", 0, K('R', 'H', 'A')),                                  \
        MOVES(MDX_F32, mdx_ribbon, height_below, "HeightBelow", 0, K('R', 'H', 'B')),                              \
        MOVES(MDX_F32, mdx_ribbon, alpha, "Alpha", 1, K('R', 'A', 'L')),                                           \
        MOVES(MDX_COLOR, mdx_ribbon, color, "Color", 1, K('R', 'C', 'O')),                                         \
        FIELD(MDX_F32, mdx_ribbon, life_span, "LifeSpan", 0),                                                      \
        MOVES(MDX_U32, mdx_ribbon, texture_slot, "TextureSlot", 0, K('R', 'T', 'X')),                              \
        FIELD(MDX_U32, mdx_ribbon, emission_rate, "EmissionRate", 0), FIELD(MDX_U32, mdx_ribbon, rows, "Rows", 0), \
        FIELD(MDX_U32, mdx_ribbon, columns, "Columns", 0), FIELD(MDX_I32, mdx_ribbon, material, "MaterialID", 0),  \
        FIELD(MDX_F32, mdx_ribbon, gravity, "Gravity", 0), END

static const mdx_field ribbon_fields[] = { RIBBON_FIELDS };
static const mdx_field alpha_ribbon_fields[] = { FIELD(MDX_U32, mdx_ribbon, emitter_bytes, "EmitterSize", 0),
                                                 RIBBON_FIELDS };

// clang-format off
static const mdx_field camera_fields[] = {
    FIELD(MDX_NAME, mdx_camera, name, NULL, 0),
    FIELD(MDX_VEC3, mdx_camera, position, "Position", 0),
    FIELD(MDX_F32, mdx_camera, fov, "FieldOfView", 0),
    FIELD(MDX_F32, mdx_camera, far_clip, "FarClip", 0),
    FIELD(MDX_F32, mdx_camera, near_clip, "NearClip", 0),
    FIELD(MDX_VEC3, mdx_camera, target, NULL, 0),                 // Position inside Target { }
    END
};
// clang-format on

static const mdx_field face_fx_fields[] = { FIELD(MDX_NAME, mdx_face_fx, name, NULL, 0),
                                            FIELD(MDX_PATH, mdx_face_fx, path, "Path", 0), END };

#define KIND(a, b, c, d, word, list, type) \
    .tag = MDX_TAG(a, b, c, d), .name = (const char[]){ a, b, c, d, 0 }, word, offsetof(mdx_doc, list), sizeof(type)

//                              word                      list           struct            sized  node   1300: counted,
//                              sized
// clang-format off
const mdx_kind mdx_kinds[] = {
    { KIND('S', 'E', 'Q', 'S', "Anim",                   sequences,     mdx_sequence),     false, false, true,  false, sequence_fields,    alpha_sequence_fields,    no_tracks },
    { KIND('M', 'T', 'L', 'S', "Material",               materials,     mdx_material),     true,  false, true,  true,  material_fields,    alpha_material_fields,    no_tracks },
    { KIND('T', 'E', 'X', 'S', "Bitmap",                 textures,      mdx_texture),      false, false, false, false, texture_fields,     texture_fields,           no_tracks },
    { KIND('T', 'X', 'A', 'N', "TVertexAnim",            texture_anims, mdx_texture_anim), true,  false, true,  true,  no_fields,          no_fields,                texture_anim_tracks },
    { KIND('G', 'E', 'O', 'S', "Geoset",                 geosets,       mdx_geoset),       true,  false, true,  true,  no_fields,          no_fields,                no_tracks },
    { KIND('G', 'E', 'O', 'A', "GeosetAnim",             geoset_anims,  mdx_geoset_anim),  true,  false, true,  true,  geoset_anim_fields, alpha_geoset_anim_fields, geoset_anim_tracks },
    { KIND('B', 'O', 'N', 'E', "Bone",                   bones,         mdx_bone),         false, true,  true,  false, bone_fields,        bone_fields,              no_tracks },
    { KIND('L', 'I', 'T', 'E', "Light",                  lights,        mdx_light),        true,  true,  true,  true,  light_fields,       light_fields,             light_tracks },
    { KIND('H', 'E', 'L', 'P', "Helper",                 helpers,       mdx_helper),       false, true,  true,  false, no_fields,          no_fields,                no_tracks },
    { KIND('A', 'T', 'C', 'H', "Attachment",             attachments,   mdx_attachment),   true,  true,  true,  true,  attachment_fields,  alpha_attachment_fields,  attachment_tracks },
    { KIND('P', 'R', 'E', 'M', "ParticleEmitter",        emitters,      mdx_emitter),      true,  true,  true,  true,  emitter_fields,     emitter_fields,           emitter_tracks },
    { KIND('P', 'R', 'E', '2', "ParticleEmitter2",       emitters2,     mdx_emitter2),     true,  true,  true,  true,  emitter2_fields,    alpha_emitter2_fields,    emitter2_tracks },
    { KIND('C', 'O', 'R', 'N', "ParticleEmitterPopcorn", popcorns,      mdx_popcorn),      true,  true,  true,  true,  popcorn_fields,     popcorn_fields,           popcorn_tracks },
    { KIND('R', 'I', 'B', 'B', "RibbonEmitter",          ribbons,       mdx_ribbon),       true,  true,  true,  true,  ribbon_fields,      alpha_ribbon_fields,      ribbon_tracks },
    { KIND('E', 'V', 'T', 'S', "EventObject",            events,        mdx_event),        false, true,  true,  true,  no_fields,          no_fields,                no_tracks },
    { KIND('C', 'L', 'I', 'D', "CollisionShape",         shapes,        mdx_shape),        false, true,  false, false, no_fields,          no_fields,                no_tracks },
    { KIND('H', 'T', 'S', 'T', "HitTestShape",           hit_tests,     mdx_shape),        true,  true,  true,  true,  no_fields,          no_fields,                no_tracks },
    { KIND('C', 'A', 'M', 'S', "Camera",                 cameras,       mdx_camera),       true,  false, true,  true,  camera_fields,      camera_fields,            camera_tracks },
    { KIND('F', 'A', 'F', 'X', "FaceFX",                 face_fx,       mdx_face_fx),      false, false, true,  false, face_fx_fields,     face_fx_fields,           no_tracks },
    { .tag = 0 }
};
// clang-format on

const mdx_kind *mdx_find_kind(uint32_t tag)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->tag == tag) return kind;
    return NULL;
}

// 1300 has a mesh in CLID; HTST is its own.
const mdx_kind *mdx_find_chunk_kind(const mdx_doc *doc, uint32_t tag)
{
    if (tag == (mdx_is_alpha(doc) ? MDX_TAG('C', 'L', 'I', 'D') : MDX_TAG('H', 'T', 'S', 'T'))) return NULL;
    return mdx_find_kind(tag);
}

bool mdx_check_version(sni_diag *diag, uint64_t offset, uint32_t version)
{
    bool is_alpha = version == MDX_ALPHA_VERSION || version == 1400 || version == MDX_BATCHES_VERSION;
    if (version > MDX_ALPHA_VERSION && !is_alpha)
        return sni_fail(diag, SN_ERR_UNSUPPORTED, offset,
                        "version %u is not supported (800 to 1200, 1300, 1400 and 1500 are)", version);
    bool is_known = version >= 800 && (version <= 1200 || is_alpha) && version % 100 == 0;
    if (!is_known) sni_warn(diag, SNI_WARN_MDX_VERSION, offset, "version %u", version);
    return true;
}

size_t mdx_type_bytes(mdx_type type, uint32_t version)
{
    switch (type) {
    case MDX_U8: return 1;
    case MDX_U32:
    case MDX_I32:
    case MDX_F32: return 4;
    case MDX_VEC3:
    case MDX_COLOR: return 12;
    case MDX_QUAT: return version >= MDX_ALPHA_VERSION ? 8 : 16;
    case MDX_EXTENT: return 28;
    case MDX_NAME: return MDX_NAME_BYTES;
    case MDX_PATH: return MDX_PATH_BYTES;
    }
    return 0;
}

size_t mdx_key_bytes(const mdx_track *track, uint32_t version)
{
    size_t value = mdx_type_bytes(track->kind->type, version);
    return 4 + (track->interpolation > MDX_LINEAR ? 3 * value : value);
}

// A signed number of `bits` bits whose lowest stands at bit `shift`.
static float packed_part(uint64_t packed, int shift, int bits)
{
    uint64_t raw = packed >> shift & (((uint64_t)1 << bits) - 1), sign = (uint64_t)1 << (bits - 1);
    return (float)((int64_t)(raw ^ sign) - (int64_t)sign) / (float)sign;
}

sn_quat mdx_unpack_quat(const uint8_t *at)
{
    uint64_t packed = sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32;
    sn_quat q = { packed_part(packed, 42, 22), packed_part(packed, 21, 21), packed_part(packed, 0, 21), 0 };
    double rest = 1.0 - ((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z);
    q.w = rest >= 1.0 / (1 << 20) ? (float)sqrt(rest) : 0.0f;
    return q;
}

static uint64_t pack_part(float value, int shift, int bits)
{
    double limit = (double)((uint64_t)1 << (bits - 1));
    double scaled = floor((double)value * limit + 0.5);
    if (!(scaled >= -limit)) scaled = -limit;  // NaN too
    if (scaled > limit - 1) scaled = limit - 1;
    return ((uint64_t)(int64_t)scaled & (((uint64_t)1 << bits) - 1)) << shift;
}

uint64_t mdx_pack_quat(sn_quat q)
{
    float sign = q.w < 0 ? -1.0f : 1.0f;
    return pack_part(sign * q.x, 42, 22) | pack_part(sign * q.y, 21, 21) | pack_part(sign * q.z, 0, 21);
}
