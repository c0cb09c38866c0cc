// The format as tables: the type of each track, the fields of each element in file order. The parsers and writers of
// MDX and MDL are driven by them. Below the tables: lookups, sizes, and the packed rotations of 1300.
#include "format/mdx/mdx_doc.h"

#include <math.h>

// clang-format off
static const mdx_track_kind track_kinds[] = {
    { MDX_KGTR, MDX_VEC3,  "Translation",      false },
    { MDX_KGRT, MDX_QUAT,  "Rotation",         false },
    { MDX_KGSC, MDX_VEC3,  "Scaling",          false },
    { MDX_KMTF, MDX_U32,   "TextureID",        true },
    { MDX_KMTA, MDX_F32,   "Alpha",            false },
    { MDX_KMTE, MDX_F32,   "EmissiveGain",     false },
    { MDX_KFC3, MDX_VEC3,  "FresnelColor",     false },
    { MDX_KFCA, MDX_F32,   "FresnelOpacity",   false },
    { MDX_KFTC, MDX_F32,   "FresnelTeamColor", false },
    { MDX_KTAT, MDX_VEC3,  "Translation",      false },
    { MDX_KTAR, MDX_QUAT,  "Rotation",         false },
    { MDX_KTAS, MDX_VEC3,  "Scaling",          false },
    { MDX_KGAO, MDX_F32,   "Alpha",            false },
    { MDX_KGAC, MDX_COLOR, "Color",            false },
    { MDX_KLAS, MDX_F32,   "AttenuationStart", false },
    { MDX_KLAE, MDX_F32,   "AttenuationEnd",   false },
    { MDX_KLAC, MDX_COLOR, "Color",            false },
    { MDX_KLAI, MDX_F32,   "Intensity",        false },
    { MDX_KLBC, MDX_COLOR, "AmbColor",         false },
    { MDX_KLBI, MDX_F32,   "AmbIntensity",     false },
    { MDX_KLAV, MDX_F32,   "Visibility",       true },
    { MDX_KATV, MDX_F32,   "Visibility",       true },
    { MDX_KPEE, MDX_F32,   "EmissionRate",     false },
    { MDX_KPEG, MDX_F32,   "Gravity",          false },
    { MDX_KPLN, MDX_F32,   "Longitude",        false },
    { MDX_KPLT, MDX_F32,   "Latitude",         false },
    { MDX_KPEL, MDX_F32,   "LifeSpan",         false },
    { MDX_KPES, MDX_F32,   "InitVelocity",     false },
    { MDX_KPEV, MDX_F32,   "Visibility",       true },
    { MDX_KP2S, MDX_F32,   "Speed",            false },
    { MDX_KP2R, MDX_F32,   "Variation",        false },
    { MDX_KP2L, MDX_F32,   "Latitude",         false },
    { MDX_KP2G, MDX_F32,   "Gravity",          false },
    { MDX_KP2E, MDX_F32,   "EmissionRate",     false },
    { MDX_KP2N, MDX_F32,   "Length",           false },
    { MDX_KP2W, MDX_F32,   "Width",            false },
    { MDX_KP2V, MDX_F32,   "Visibility",       true },
    { MDX_KP2Z, MDX_F32,   "ZSource",          false },
    { MDX_KLIF, MDX_F32,   "LifeSpan",         false },
    { MDX_KPPA, MDX_F32,   "Alpha",            false },
    { MDX_KPPC, MDX_COLOR, "Color",            false },
    { MDX_KPPE, MDX_F32,   "EmissionRate",     false },
    { MDX_KPPL, MDX_F32,   "LifeSpan",         false },
    { MDX_KPPS, MDX_F32,   "Speed",            false },
    { MDX_KPPV, MDX_F32,   "Visibility",       true },
    { MDX_KRHA, MDX_F32,   "HeightAbove",      false },
    { MDX_KRHB, MDX_F32,   "HeightBelow",      false },
    { MDX_KRAL, MDX_F32,   "Alpha",            false },
    { MDX_KRCO, MDX_COLOR, "Color",            false },
    { MDX_KRTX, MDX_U32,   "TextureSlot",      true },
    { MDX_KRVS, MDX_F32,   "Visibility",       true },
    { MDX_KCTR, MDX_VEC3,  "Translation",      false },
    { MDX_KTTR, MDX_VEC3,  "Translation",      false },
    { MDX_KCRL, MDX_F32,   "Rotation",         false },
    { MDX_KVIS, MDX_F32,   "Visibility",       true },
};

const uint32_t mdx_node_tracks[] = { MDX_KGTR, MDX_KGRT, MDX_KGSC, 0 };
const uint32_t mdx_layer_tracks[] = { MDX_KMTF, MDX_KMTA, MDX_KMTE, MDX_KFC3, MDX_KFCA, MDX_KFTC, 0 };
static const uint32_t texture_anim_tracks[] = { MDX_KTAT, MDX_KTAR, MDX_KTAS, 0 };
static const uint32_t geoset_anim_tracks[] = { MDX_KGAO, MDX_KGAC, 0 };
static const uint32_t light_tracks[] = {
    MDX_KLAS, MDX_KLAE, MDX_KLAC, MDX_KLAI, MDX_KLBI, MDX_KLBC, MDX_KLAV, MDX_KVIS, 0
};
static const uint32_t attachment_tracks[] = { MDX_KATV, MDX_KVIS, 0 };
static const uint32_t emitter_tracks[] = {
    MDX_KPEE, MDX_KPEG, MDX_KPLN, MDX_KPLT, MDX_KPEL, MDX_KPES, MDX_KPEV, MDX_KVIS, 0
};
static const uint32_t emitter2_tracks[] = {
    MDX_KP2S, MDX_KP2R, MDX_KP2L, MDX_KPLN, MDX_KP2G, MDX_KLIF, MDX_KP2E, MDX_KP2N, MDX_KP2W, MDX_KP2V, MDX_KP2Z,
    MDX_KVIS, 0
};
static const uint32_t popcorn_tracks[] = { MDX_KPPA, MDX_KPPC, MDX_KPPE, MDX_KPPL, MDX_KPPS, MDX_KPPV, 0 };
static const uint32_t ribbon_tracks[] = {
    MDX_KRHA, MDX_KRHB, MDX_KRAL, MDX_KRCO, MDX_KRTX, MDX_KRVS, MDX_KVIS, 0
};
static const uint32_t camera_tracks[] = { MDX_KCTR, MDX_KTTR, MDX_KCRL, MDX_KVIS, 0 };
static const uint32_t no_tracks[] = { 0 };

// Arguments: versions, type, count, struct and member, name in MDL, default value, tag of the animating track.
#define ROW(since, until, type, count, owner, member, name, value, track) \
    { type, count, offsetof(owner, member), since, until, track, name, value }
#define FIELD(type, owner, member, name, value)           ROW(0, UINT16_MAX, type, 1, owner, member, name, value, 0)
#define FIELDS(type, count, owner, member, name)          ROW(0, UINT16_MAX, type, count, owner, member, name, 0, 0)
#define ANIMATED(type, owner, member, name, value, track) ROW(0, UINT16_MAX, type, 1, owner, member, name, value, track)
#define SINCE(since, until, type, owner, member, name, value, track) \
    ROW(since, until, type, 1, owner, member, name, value, track)
#define END { MDX_U8, 0, 0, 0, 0, 0, NULL, 0 }

static const mdx_field no_fields[] = { END };

const mdx_field mdx_model_fields[] = {
    FIELD(MDX_NAME, mdx_model, name, NULL, 0),
    FIELD(MDX_PATH, mdx_model, animation_file, "AnimationFile", 0),
    FIELD(MDX_EXTENT, mdx_model, extent, NULL, 0),
    FIELD(MDX_U32, mdx_model, blend_time, "BlendTime", 0),
    SINCE(1300, UINT16_MAX, MDX_U8, mdx_model, flags, "Flags", 0, 0),
    END
};

#define SEQUENCE_START                                     \
    FIELD(MDX_NAME, mdx_sequence, name, NULL, 0),          \
    FIELD(MDX_U32, mdx_sequence, start, NULL, 0),          \
    FIELD(MDX_U32, mdx_sequence, end, NULL, 0),            \
    FIELD(MDX_F32, mdx_sequence, move_speed, "MoveSpeed", 0), \
    FIELD(MDX_U32, mdx_sequence, flags, NULL, 0)

static const mdx_field sequence_fields[] = {
    SEQUENCE_START,
    FIELD(MDX_F32, mdx_sequence, rarity, "Rarity", 0),
    FIELD(MDX_U32, mdx_sequence, sync_point, "SyncPoint", 0),
    FIELD(MDX_EXTENT, mdx_sequence, extent, NULL, 0),
    END
};

static const mdx_field wow_sequence_fields[] = {
    SEQUENCE_START,
    FIELD(MDX_EXTENT, mdx_sequence, extent, NULL, 0),
    FIELD(MDX_F32, mdx_sequence, rarity, "Frequency", 0),
    FIELD(MDX_U32, mdx_sequence, replay_min, "ReplayMin", 0),
    FIELD(MDX_U32, mdx_sequence, replay_max, "ReplayMax", 0),
    FIELD(MDX_U32, mdx_sequence, blend_time, "BlendTime", 0),
    END
};

static const mdx_field texture_fields[] = {
    FIELD(MDX_U32, mdx_texture, replaceable, "ReplaceableId", 0),
    FIELD(MDX_PATH, mdx_texture, path, "Image", 0),
    FIELD(MDX_U32, mdx_texture, flags, NULL, 0),
    END
};

static const mdx_field material_fields[] = {
    FIELD(MDX_I32, mdx_material, priority_plane, "PriorityPlane", 0),
    FIELD(MDX_U32, mdx_material, flags, NULL, 0),
    SINCE(900, 1099, MDX_NAME, mdx_material, shader, "Shader", 0, 0),
    END
};

static const mdx_field wow_material_fields[] = {
    FIELD(MDX_I32, mdx_material, priority_plane, "PriorityPlane", 0),
    END
};

const mdx_field mdx_layer_fields[] = {
    FIELD(MDX_U32, mdx_layer, filter, NULL, 0),
    FIELD(MDX_U32, mdx_layer, flags, NULL, 0),
    ANIMATED(MDX_I32, mdx_layer, texture, "TextureID", 0, MDX_KMTF),
    FIELD(MDX_I32, mdx_layer, texture_anim, "TVertexAnimId", -1),
    FIELD(MDX_I32, mdx_layer, coord, "CoordId", 0),
    ANIMATED(MDX_F32, mdx_layer, alpha, "Alpha", 1, MDX_KMTA),
    SINCE(900, 1299, MDX_F32, mdx_layer, emissive_gain, "EmissiveGain", 1, MDX_KMTE),
    SINCE(900, 1299, MDX_VEC3, mdx_layer, fresnel_color, "FresnelColor", 1, MDX_KFC3),  // R,G,B in MDL too
    SINCE(900, 1299, MDX_F32, mdx_layer, fresnel_opacity, "FresnelOpacity", 0, MDX_KFCA),
    SINCE(900, 1299, MDX_F32, mdx_layer, fresnel_team_color, "FresnelTeamColor", 0, MDX_KFTC),
    END
};

// After the arrays. The extents of the sequences follow.
const mdx_field mdx_geoset_fields[] = {
    FIELD(MDX_U32, mdx_geoset, material, "MaterialID", 0),
    FIELD(MDX_U32, mdx_geoset, selection_group, "SelectionGroup", 0),
    FIELD(MDX_U32, mdx_geoset, selection_flags, NULL, 0),
    SINCE(900, 1299, MDX_I32, mdx_geoset, lod, "LevelOfDetail", 0, 0),
    SINCE(900, 1299, MDX_NAME, mdx_geoset, lod_name, "Name", 0, 0),
    FIELD(MDX_EXTENT, mdx_geoset, extent, NULL, 0),
    END
};

#define SECTION(tag, owner, array, bytes, wow_bytes) { MDX_##tag, #tag, offsetof(owner, array), bytes, wow_bytes }

const mdx_section mdx_geoset_sections[] = {
    SECTION(VRTX, mdx_geoset, positions, 12, 12),
    SECTION(NRMS, mdx_geoset, normals, 12, 12),
    SECTION(PTYP, mdx_geoset, face_types, 4, 1),
    SECTION(PCNT, mdx_geoset, face_counts, 4, 4),
    SECTION(PVTX, mdx_geoset, faces, 2, 2),
    SECTION(GNDX, mdx_geoset, groups, 1, 1),
    SECTION(MTGC, mdx_geoset, group_sizes, 4, 4),
    SECTION(MATS, mdx_geoset, matrices, 4, 4),
    SECTION(BIDX, mdx_geoset, bone_indices, 0, 4),
    SECTION(BWGT, mdx_geoset, bone_weights, 0, 4),
    { .tag = 0 }
};

const mdx_section mdx_collision_sections[] = {
    SECTION(VRTX, mdx_doc, collision_positions, 12, 12),
    SECTION(TRI, mdx_doc, collision_faces, 2, 2),
    SECTION(NRMS, mdx_doc, collision_normals, 12, 12),
    { .tag = 0 }
};

static const mdx_field geoset_anim_fields[] = {
    ANIMATED(MDX_F32, mdx_geoset_anim, alpha, "Alpha", 1, MDX_KGAO),
    FIELD(MDX_U32, mdx_geoset_anim, flags, NULL, 0),
    ANIMATED(MDX_COLOR, mdx_geoset_anim, color, "Color", 1, MDX_KGAC),
    FIELD(MDX_I32, mdx_geoset_anim, geoset, "GeosetId", -1),
    END
};

static const mdx_field wow_geoset_anim_fields[] = {
    FIELD(MDX_I32, mdx_geoset_anim, geoset, "GeosetId", -1),
    ANIMATED(MDX_F32, mdx_geoset_anim, alpha, "Alpha", 1, MDX_KGAO),
    ANIMATED(MDX_COLOR, mdx_geoset_anim, color, "Color", 1, MDX_KGAC),
    FIELD(MDX_U32, mdx_geoset_anim, flags, NULL, 0),
    END
};

static const mdx_field bone_fields[] = {
    FIELD(MDX_I32, mdx_bone, geoset, "GeosetId", -1),           // -1: "Multiple"
    FIELD(MDX_I32, mdx_bone, geoset_anim, "GeosetAnimId", -1),  // -1: "None"
    END
};

static const mdx_field light_fields[] = {
    FIELD(MDX_U32, mdx_light, kind, NULL, 0),
    ANIMATED(MDX_F32, mdx_light, attenuation_start, "AttenuationStart", 0, MDX_KLAS),
    ANIMATED(MDX_F32, mdx_light, attenuation_end, "AttenuationEnd", 0, MDX_KLAE),
    ANIMATED(MDX_COLOR, mdx_light, color, "Color", 1, MDX_KLAC),
    ANIMATED(MDX_F32, mdx_light, intensity, "Intensity", 0, MDX_KLAI),
    ANIMATED(MDX_COLOR, mdx_light, ambient_color, "AmbColor", 1, MDX_KLBC),
    ANIMATED(MDX_F32, mdx_light, ambient_intensity, "AmbIntensity", 0, MDX_KLBI),
    SINCE(1200, 1299, MDX_F32, mdx_light, shadow_intensity, "ShadowIntensity", 0.4f, 0),
    END
};

static const mdx_field attachment_fields[] = {
    FIELD(MDX_PATH, mdx_attachment, path, "Path", 0),
    FIELD(MDX_I32, mdx_attachment, attachment_id, "AttachmentID", 0),
    END
};

static const mdx_field wow_attachment_fields[] = {
    FIELD(MDX_I32, mdx_attachment, attachment_id, "AttachmentID", 0),
    FIELD(MDX_U8, mdx_attachment, padding, "Padding", 0),
    FIELD(MDX_PATH, mdx_attachment, path, "Path", 0),
    END
};

static const mdx_field emitter_fields[] = {
    ANIMATED(MDX_F32, mdx_emitter, emission_rate, "EmissionRate", 0, MDX_KPEE),
    ANIMATED(MDX_F32, mdx_emitter, gravity, "Gravity", 0, MDX_KPEG),
    ANIMATED(MDX_F32, mdx_emitter, longitude, "Longitude", 0, MDX_KPLN),
    ANIMATED(MDX_F32, mdx_emitter, latitude, "Latitude", 0, MDX_KPLT),
    FIELD(MDX_PATH, mdx_emitter, path, "Path", 0),                       // MDL: these three are inside Particle { }
    ANIMATED(MDX_F32, mdx_emitter, life_span, "LifeSpan", 0, MDX_KPEL),
    ANIMATED(MDX_F32, mdx_emitter, speed, "InitVelocity", 0, MDX_KPES),
    END
};

#define PARTICLE_FIELDS                                                \
    FIELD(MDX_U32, mdx_emitter2, rows, "Rows", 0),                     \
    FIELD(MDX_U32, mdx_emitter2, columns, "Columns", 0),               \
    FIELD(MDX_U32, mdx_emitter2, head_or_tail, NULL, 0),               \
    FIELD(MDX_F32, mdx_emitter2, tail_length, "TailLength", 0),        \
    FIELD(MDX_F32, mdx_emitter2, middle_time, "Time", 0),              \
    FIELDS(MDX_COLOR, 3, mdx_emitter2, colors, "SegmentColor"),        \
    FIELDS(MDX_U8, 3, mdx_emitter2, alphas, "Alpha"),                  \
    FIELD(MDX_VEC3, mdx_emitter2, scales, "ParticleScaling", 0),       \
    FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[0], "LifeSpanUVAnim"),   \
    FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[1], "DecayUVAnim"),      \
    FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[2], "TailUVAnim"),       \
    FIELDS(MDX_U32, 3, mdx_emitter2, uv_anims[3], "TailDecayUVAnim")

static const mdx_field emitter2_fields[] = {
    ANIMATED(MDX_F32, mdx_emitter2, speed, "Speed", 0, MDX_KP2S),
    ANIMATED(MDX_F32, mdx_emitter2, variation, "Variation", 0, MDX_KP2R),
    ANIMATED(MDX_F32, mdx_emitter2, latitude, "Latitude", 0, MDX_KP2L),
    ANIMATED(MDX_F32, mdx_emitter2, gravity, "Gravity", 0, MDX_KP2G),
    FIELD(MDX_F32, mdx_emitter2, life_span, "LifeSpan", 0),
    ANIMATED(MDX_F32, mdx_emitter2, emission_rate, "EmissionRate", 0, MDX_KP2E),
    ANIMATED(MDX_F32, mdx_emitter2, length, "Length", 0, MDX_KP2N),
    ANIMATED(MDX_F32, mdx_emitter2, width, "Width", 0, MDX_KP2W),
    FIELD(MDX_U32, mdx_emitter2, filter, NULL, 0),
    PARTICLE_FIELDS,
    FIELD(MDX_I32, mdx_emitter2, texture, "TextureID", 0),
    FIELD(MDX_U32, mdx_emitter2, squirt, NULL, 0),
    FIELD(MDX_I32, mdx_emitter2, priority_plane, "PriorityPlane", 0),
    FIELD(MDX_U32, mdx_emitter2, replaceable, "ReplaceableId", 0),
    END
};

// The spline and the squirt follow.
static const mdx_field wow_emitter2_fields[] = {
    FIELD(MDX_U32, mdx_emitter2, emitter_bytes, "EmitterSize", 0),
    FIELD(MDX_U32, mdx_emitter2, emitter_type, "EmitterType", 0),
    ANIMATED(MDX_F32, mdx_emitter2, speed, "Speed", 0, MDX_KP2S),
    ANIMATED(MDX_F32, mdx_emitter2, variation, "Variation", 0, MDX_KP2R),
    ANIMATED(MDX_F32, mdx_emitter2, latitude, "Latitude", 0, MDX_KP2L),
    ANIMATED(MDX_F32, mdx_emitter2, longitude, "Longitude", 0, MDX_KPLN),
    ANIMATED(MDX_F32, mdx_emitter2, gravity, "Gravity", 0, MDX_KP2G),
    ANIMATED(MDX_F32, mdx_emitter2, z_source, "ZSource", 0, MDX_KP2Z),
    ANIMATED(MDX_F32, mdx_emitter2, life_span, "LifeSpan", 0, MDX_KLIF),
    ANIMATED(MDX_F32, mdx_emitter2, emission_rate, "EmissionRate", 0, MDX_KP2E),
    ANIMATED(MDX_F32, mdx_emitter2, length, "Length", 0, MDX_KP2N),
    ANIMATED(MDX_F32, mdx_emitter2, width, "Width", 0, MDX_KP2W),
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
    ANIMATED(MDX_F32, mdx_popcorn, life_span, "LifeSpan", 0, MDX_KPPL),
    ANIMATED(MDX_F32, mdx_popcorn, emission_rate, "EmissionRate", 0, MDX_KPPE),
    ANIMATED(MDX_F32, mdx_popcorn, speed, "Speed", 0, MDX_KPPS),
    ANIMATED(MDX_COLOR, mdx_popcorn, color, "Color", 1, MDX_KPPC),
    ANIMATED(MDX_F32, mdx_popcorn, alpha, "Alpha", 1, MDX_KPPA),
    FIELD(MDX_U32, mdx_popcorn, replaceable, "ReplaceableId", 0),
    FIELD(MDX_PATH, mdx_popcorn, path, "Path", 0),
    FIELD(MDX_PATH, mdx_popcorn, visibility_guide, "AnimVisibilityGuide", 0),
    END
};

#define RIBBON_FIELDS                                                      \
    ANIMATED(MDX_F32, mdx_ribbon, height_above, "HeightAbove", 0, MDX_KRHA), \
    ANIMATED(MDX_F32, mdx_ribbon, height_below, "HeightBelow", 0, MDX_KRHB), \
    ANIMATED(MDX_F32, mdx_ribbon, alpha, "Alpha", 1, MDX_KRAL),            \
    ANIMATED(MDX_COLOR, mdx_ribbon, color, "Color", 1, MDX_KRCO),          \
    FIELD(MDX_F32, mdx_ribbon, life_span, "LifeSpan", 0),                  \
    ANIMATED(MDX_U32, mdx_ribbon, texture_slot, "TextureSlot", 0, MDX_KRTX), \
    FIELD(MDX_U32, mdx_ribbon, emission_rate, "EmissionRate", 0),          \
    FIELD(MDX_U32, mdx_ribbon, rows, "Rows", 0),                           \
    FIELD(MDX_U32, mdx_ribbon, columns, "Columns", 0),                     \
    FIELD(MDX_I32, mdx_ribbon, material, "MaterialID", 0),                 \
    FIELD(MDX_F32, mdx_ribbon, gravity, "Gravity", 0),                     \
    END

static const mdx_field ribbon_fields[] = { RIBBON_FIELDS };
static const mdx_field wow_ribbon_fields[] = {
    FIELD(MDX_U32, mdx_ribbon, emitter_bytes, "EmitterSize", 0), RIBBON_FIELDS
};

static const mdx_field camera_fields[] = {
    FIELD(MDX_NAME, mdx_camera, name, NULL, 0),
    FIELD(MDX_VEC3, mdx_camera, position, "Position", 0),
    FIELD(MDX_F32, mdx_camera, fov, "FieldOfView", 0),
    FIELD(MDX_F32, mdx_camera, far_clip, "FarClip", 0),
    FIELD(MDX_F32, mdx_camera, near_clip, "NearClip", 0),
    FIELD(MDX_VEC3, mdx_camera, target, NULL, 0),  // MDL: Position inside Target { }
    END
};

static const mdx_field face_fx_fields[] = {
    FIELD(MDX_NAME, mdx_face_fx, name, NULL, 0),
    FIELD(MDX_PATH, mdx_face_fx, path, "Path", 0),
    END
};

// Flags: is sized, is a node; in 1300: is counted, is sized.
#define KIND(tag, name, list, type) MDX_##tag, #tag, name, offsetof(mdx_doc, list), sizeof(type)

const mdx_kind mdx_kinds[] = {
    { KIND(SEQS, "Anim", sequences, mdx_sequence), false, false, true, false,
      sequence_fields, wow_sequence_fields, no_tracks },
    { KIND(MTLS, "Material", materials, mdx_material), true, false, true, true,
      material_fields, wow_material_fields, no_tracks },
    { KIND(TEXS, "Bitmap", textures, mdx_texture), false, false, false, false,
      texture_fields, texture_fields, no_tracks },
    { KIND(TXAN, "TVertexAnim", texture_anims, mdx_texture_anim), true, false, true, true,
      no_fields, no_fields, texture_anim_tracks },
    { KIND(GEOS, "Geoset", geosets, mdx_geoset), true, false, true, true,
      mdx_geoset_fields, mdx_geoset_fields, no_tracks },
    { KIND(GEOA, "GeosetAnim", geoset_anims, mdx_geoset_anim), true, false, true, true,
      geoset_anim_fields, wow_geoset_anim_fields, geoset_anim_tracks },
    { KIND(BONE, "Bone", bones, mdx_bone), false, true, true, false,
      bone_fields, bone_fields, no_tracks },
    { KIND(LITE, "Light", lights, mdx_light), true, true, true, true,
      light_fields, light_fields, light_tracks },
    { KIND(HELP, "Helper", helpers, mdx_helper), false, true, true, false,
      no_fields, no_fields, no_tracks },
    { KIND(ATCH, "Attachment", attachments, mdx_attachment), true, true, true, true,
      attachment_fields, wow_attachment_fields, attachment_tracks },
    { KIND(PREM, "ParticleEmitter", emitters, mdx_emitter), true, true, true, true,
      emitter_fields, emitter_fields, emitter_tracks },
    { KIND(PRE2, "ParticleEmitter2", emitters2, mdx_emitter2), true, true, true, true,
      emitter2_fields, wow_emitter2_fields, emitter2_tracks },
    { KIND(CORN, "ParticleEmitterPopcorn", popcorns, mdx_popcorn), true, true, true, true,
      popcorn_fields, popcorn_fields, popcorn_tracks },
    { KIND(RIBB, "RibbonEmitter", ribbons, mdx_ribbon), true, true, true, true,
      ribbon_fields, wow_ribbon_fields, ribbon_tracks },
    { KIND(EVTS, "EventObject", events, mdx_event), false, true, true, true,
      no_fields, no_fields, no_tracks },
    { KIND(CLID, "CollisionShape", shapes, mdx_shape), false, true, false, false,
      no_fields, no_fields, no_tracks },
    { KIND(HTST, "HitTestShape", hit_tests, mdx_shape), true, true, true, true,
      no_fields, no_fields, no_tracks },
    { KIND(CAMS, "Camera", cameras, mdx_camera), true, false, true, true,
      camera_fields, camera_fields, camera_tracks },
    { KIND(FAFX, "FaceFX", face_fx, mdx_face_fx), false, false, true, false,
      face_fx_fields, face_fx_fields, no_tracks },
    { .tag = 0 }
};
// clang-format on

const mdx_track_kind *mdx_find_track_kind(uint32_t tag)
{
    for (size_t i = 0; i < sizeof track_kinds / sizeof *track_kinds; i++)
        if (track_kinds[i].tag == tag) return &track_kinds[i];
    return NULL;
}

const mdx_kind *mdx_find_kind(uint32_t tag)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->tag == tag) return kind;
    return NULL;
}

// CLID of 1300 is a mesh; only 1300 has HTST.
const mdx_kind *mdx_find_chunk_kind(const mdx_doc *doc, uint32_t tag)
{
    return tag == (mdx_is_wow(doc) ? MDX_CLID : MDX_HTST) ? NULL : mdx_find_kind(tag);
}

bool mdx_check_version(sni_diag *diag, uint64_t offset, uint32_t version)
{
    bool is_wow = version == MDX_WOW_VERSION || version == 1400 || version == MDX_BATCHES_VERSION;
    if (version > MDX_WOW_VERSION && !is_wow)
        return sni_fail(diag, SN_ERR_UNSUPPORTED, offset,
                        "version %u is not supported (only 800 to 1200, 1300, 1400 and 1500)", version);
    bool is_known = version >= 800 && (version <= 1200 || is_wow) && version % 100 == 0;
    if (!is_known) sni_warn(diag, SNI_WARN_MDX_VERSION, offset, "unknown version %u", version);
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
    case MDX_QUAT: return version >= MDX_WOW_VERSION ? 8 : 16;
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

void mdx_tag_name(uint32_t tag, char name[5])
{
    for (int i = 0; i < 4; i++) {
        char c = (char)(tag >> 8 * i & 0xFF);
        name[i] = c < ' ' || c > '~' ? '?' : c;
    }
    name[4] = 0;
}

// A signed fixed-point number of `bits` bits in -1..1, at bit `shift`.
static float unpack_component(uint64_t packed, int shift, int bits)
{
    uint64_t raw = packed >> shift & (((uint64_t)1 << bits) - 1), sign = (uint64_t)1 << (bits - 1);
    return (float)((int64_t)(raw ^ sign) - (int64_t)sign) / (float)sign;
}

// x in 22 bits, y and z in 21 bits each; w is not stored and never negative.
sn_quat mdx_unpack_quat(const uint8_t *at)
{
    uint64_t packed = sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32;
    sn_quat q = { unpack_component(packed, 42, 22), unpack_component(packed, 21, 21), unpack_component(packed, 0, 21),
                  0 };
    double rest = 1.0 - ((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z);
    q.w = rest >= 1.0 / (1 << 20) ? (float)sqrt(rest) : 0.0f;
    return q;
}

static uint64_t pack_component(float value, int shift, int bits)
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
    return pack_component(sign * q.x, 42, 22) | pack_component(sign * q.y, 21, 21) | pack_component(sign * q.z, 0, 21);
}
