// Every chunk id that is known, and the path of a chunk for diagnostics.
#include <stdio.h>

#include "format/w3d/w3d_doc.h"

// C: container of chunks, L: leaf, N: a parent may have several.
#define C  true, false
#define CN true, true
#define L  false, false
#define LN false, true

// clang-format off
const w3d_kind w3d_kinds[] = {
    // Meshes
    { 0x0000, "MESH", CN },
    { 0x0001, "MESH_HEADER", L },
    { 0x0002, "VERTICES", L },
    { 0x0003, "VERTEX_NORMALS", L },
    { 0x0004, "SURRENDER_NORMALS", L },
    { 0x0005, "TEXCOORDS", L },
    { 0x0006, "MATERIALS", L },
    { 0x0007, "OLD_TRIANGLES", L },
    { 0x0008, "OLD_QUADS", L },
    { 0x0009, "OLD_SURRENDER_TRIANGLES", L },
    { 0x000A, "OLD_POV_TRIANGLES", L },
    { 0x000B, "OLD_POV_QUADS", L },
    { 0x000C, "MESH_USER_TEXT", L },
    { 0x000D, "VERTEX_COLORS", L },
    { 0x000E, "VERTEX_INFLUENCES", L },
    { 0x000F, "DAMAGE", CN },
    { 0x0010, "DAMAGE_HEADER", L },
    { 0x0011, "DAMAGE_VERTICES", L },
    { 0x0012, "DAMAGE_COLORS", L },
    { 0x0013, "DAMAGE_MATERIALS", L },
    { 0x0014, "MATERIALS2", L },

    // Materials before version 4
    { 0x0015, "MATERIALS3", C },
    { 0x0016, "MATERIAL3", CN },
    { 0x0017, "MATERIAL3_NAME", L },
    { 0x0018, "MATERIAL3_INFO", L },
    { 0x0019, "MATERIAL3_DC_MAP", C },
    { 0x001A, "MAP3_FILENAME", L },
    { 0x001B, "MAP3_INFO", L },
    { 0x001C, "MATERIAL3_DI_MAP", C },
    { 0x001D, "MATERIAL3_SC_MAP", C },
    { 0x001E, "MATERIAL3_SI_MAP", C },

    // Meshes since version 3
    { 0x001F, "MESH_HEADER3", L },
    { 0x0020, "TRIANGLES", L },
    { 0x0021, "PER_TRI_MATERIALS", L },
    { 0x0022, "VERTEX_SHADE_INDICES", L },
    { 0x0023, "PRELIT_UNLIT", C },
    { 0x0024, "PRELIT_VERTEX", C },
    { 0x0025, "PRELIT_LIGHTMAP_MULTI_PASS", C },
    { 0x0026, "PRELIT_LIGHTMAP_MULTI_TEXTURE", C },

    // Materials
    { 0x0028, "MATERIAL_INFO", L },
    { 0x0029, "SHADERS", L },
    { 0x002A, "VERTEX_MATERIALS", C },
    { 0x002B, "VERTEX_MATERIAL", CN },
    { 0x002C, "VERTEX_MATERIAL_NAME", L },
    { 0x002D, "VERTEX_MATERIAL_INFO", L },
    { 0x002E, "VERTEX_MAPPER_ARGS0", L },
    { 0x002F, "VERTEX_MAPPER_ARGS1", L },
    { 0x0030, "TEXTURES", C },
    { 0x0031, "TEXTURE", CN },
    { 0x0032, "TEXTURE_NAME", L },
    { 0x0033, "TEXTURE_INFO", L },
    { 0x0038, "MATERIAL_PASS", CN },
    { 0x0039, "VERTEX_MATERIAL_IDS", L },
    { 0x003A, "SHADER_IDS", L },
    { 0x003B, "DCG", LN },
    { 0x003C, "DIG", L },
    { 0x003E, "SCG", L },
    { 0x003F, "SHADER_MATERIAL_ID", L },
    { 0x0048, "TEXTURE_STAGE", CN },
    { 0x0049, "TEXTURE_IDS", L },
    { 0x004A, "STAGE_TEXCOORDS", L },
    { 0x004B, "PER_FACE_TEXCOORD_IDS", L },

    // Shader materials
    { 0x0050, "SHADER_MATERIALS", C },
    { 0x0051, "SHADER_MATERIAL", CN },
    { 0x0052, "SHADER_MATERIAL_HEADER", L },
    { 0x0053, "SHADER_MATERIAL_PROPERTY", LN },

    // More of meshes
    { 0x0058, "DEFORM", L },
    { 0x0059, "DEFORM_SET", L },
    { 0x005A, "DEFORM_KEYFRAME", L },
    { 0x005B, "DEFORM_DATA", L },
    { 0x0060, "TANGENTS", L },
    { 0x0061, "BITANGENTS", L },
    { 0x0080, "PS2_SHADERS", L },
    { 0x0090, "AABTREE", C },
    { 0x0091, "AABTREE_HEADER", L },
    { 0x0092, "AABTREE_POLYINDICES", L },
    { 0x0093, "AABTREE_NODES", L },

    // Hierarchies
    { 0x0100, "HIERARCHY", CN },
    { 0x0101, "HIERARCHY_HEADER", L },
    { 0x0102, "PIVOTS", L },
    { 0x0103, "PIVOT_FIXUPS", L },

    // Animations
    { 0x0200, "ANIMATION", CN },
    { 0x0201, "ANIMATION_HEADER", L },
    { 0x0202, "ANIMATION_CHANNEL", LN },
    { 0x0203, "BIT_CHANNEL", LN },
    { 0x0280, "COMPRESSED_ANIMATION", CN },
    { 0x0281, "COMPRESSED_ANIMATION_HEADER", L },
    { 0x0282, "COMPRESSED_ANIMATION_CHANNEL", LN },
    { 0x0283, "COMPRESSED_BIT_CHANNEL", LN },
    { 0x0284, "COMPRESSED_ANIMATION_MOTION_CHANNEL", LN },
    { 0x02C0, "MORPH_ANIMATION", CN },
    { 0x02C1, "MORPHANIM_HEADER", L },
    { 0x02C2, "MORPHANIM_CHANNEL", CN },
    { 0x02C3, "MORPHANIM_POSENAME", L },
    { 0x02C4, "MORPHANIM_KEYDATA", L },
    { 0x02C5, "MORPHANIM_PIVOTCHANNELDATA", L },

    // Models
    { 0x0300, "HMODEL", CN },
    { 0x0301, "HMODEL_HEADER", L },
    { 0x0302, "NODE", LN },
    { 0x0303, "COLLISION_NODE", LN },
    { 0x0304, "SKIN_NODE", LN },
    { 0x0305, "HMODEL_AUX_DATA", L },
    { 0x0306, "SHADOW_NODE", LN },
    { 0x0400, "LODMODEL", CN },
    { 0x0401, "LODMODEL_HEADER", L },
    { 0x0402, "LOD", LN },
    { 0x0420, "COLLECTION", CN },
    { 0x0421, "COLLECTION_HEADER", L },
    { 0x0422, "COLLECTION_OBJ_NAME", LN },
    { 0x0423, "PLACEHOLDER", LN },
    { 0x0424, "TRANSFORM_NODE", LN },
    { 0x0440, "POINTS", LN },

    // Lights
    { 0x0460, "LIGHT", CN },
    { 0x0461, "LIGHT_INFO", L },
    { 0x0462, "SPOT_LIGHT_INFO", L },
    { 0x0463, "NEAR_ATTENUATION", L },
    { 0x0464, "FAR_ATTENUATION", L },
    { 0x0465, "SPOT_LIGHT_INFO_5_0", L },
    { 0x0466, "LIGHT_PULSE", L },

    // Emitters
    { 0x0500, "EMITTER", CN },
    { 0x0501, "EMITTER_HEADER", L },
    { 0x0502, "EMITTER_USER_DATA", L },
    { 0x0503, "EMITTER_INFO", L },
    { 0x0504, "EMITTER_INFOV2", L },
    { 0x0505, "EMITTER_PROPS", L },
    { 0x0506, "EMITTER_COLOR_KEYFRAME", L },
    { 0x0507, "EMITTER_OPACITY_KEYFRAME", L },
    { 0x0508, "EMITTER_SIZE_KEYFRAME", L },
    { 0x0509, "EMITTER_LINE_PROPERTIES", L },
    { 0x050A, "EMITTER_ROTATION_KEYFRAMES", L },
    { 0x050B, "EMITTER_FRAME_KEYFRAMES", L },
    { 0x050C, "EMITTER_BLUR_TIME_KEYFRAMES", L },
    { 0x050D, "EMITTER_EXTRA_INFO", L },

    // Aggregates
    { 0x0600, "AGGREGATE", CN },
    { 0x0601, "AGGREGATE_HEADER", L },
    { 0x0602, "AGGREGATE_INFO", L },
    { 0x0603, "TEXTURE_REPLACER_INFO", L },
    { 0x0604, "AGGREGATE_CLASS_INFO", L },

    // Levels of detail
    { 0x0700, "HLOD", CN },
    { 0x0701, "HLOD_HEADER", L },
    { 0x0702, "HLOD_LOD_ARRAY", CN },
    { 0x0703, "HLOD_ARRAY_HEADER", L },
    { 0x0704, "HLOD_SUB_OBJECT", LN },
    { 0x0705, "HLOD_AGGREGATE_ARRAY", C },
    { 0x0706, "HLOD_PROXY_ARRAY", C },
    { 0x0707, "HLOD_LIGHT_ARRAY", C },

    // Other objects
    { 0x0740, "BOX", LN },
    { 0x0741, "SPHERE", CN },
    { 0x0742, "RING", CN },
    { 0x0750, "NULL_OBJECT", LN },
    { 0x0800, "LIGHTSCAPE", CN },
    { 0x0801, "LIGHTSCAPE_LIGHT", CN },
    { 0x0802, "LIGHT_TRANSFORM", L },
    { 0x0900, "DAZZLE", CN },
    { 0x0901, "DAZZLE_NAME", L },
    { 0x0902, "DAZZLE_TYPENAME", L },
    { 0x0A00, "SOUNDROBJ", CN },
    { 0x0A01, "SOUNDROBJ_HEADER", L },
    { 0x0A02, "SOUNDROBJ_DEFINITION", L },

    // Scalable shader meshes
    { 0x0B00, "SHDMESH", CN },
    { 0x0B01, "SHDMESH_NAME", L },
    { 0x0B02, "SHDMESH_HEADER", L },
    { 0x0B03, "SHDMESH_USER_TEXT", L },
    { 0x0B20, "SHDSUBMESH", CN },
    { 0x0B21, "SHDSUBMESH_HEADER", L },
    { 0x0B40, "SHDSUBMESH_SHADER", CN },
    { 0x0B41, "SHDSUBMESH_SHADER_CLASSID", L },
    { 0x0B42, "SHDSUBMESH_SHADER_DEF", L },
    { 0x0B43, "SHDSUBMESH_VERTICES", L },
    { 0x0B44, "SHDSUBMESH_VERTEX_NORMALS", L },
    { 0x0B45, "SHDSUBMESH_TRIANGLES", L },
    { 0x0B46, "SHDSUBMESH_VERTEX_SHADE_INDICES", L },
    { 0x0B47, "SHDSUBMESH_UV0", L },
    { 0x0B48, "SHDSUBMESH_UV1", L },
    { 0x0B49, "SHDSUBMESH_TANGENT_BASIS_S", L },
    { 0x0B4A, "SHDSUBMESH_TANGENT_BASIS_T", L },
    { 0x0B4B, "SHDSUBMESH_TANGENT_BASIS_SXT", L },
    { 0x0B4C, "SHDSUBMESH_COLOR", L },
    { 0x0B4D, "SHDSUBMESH_VERTEX_INFLUENCES", L },

    // Extensions of meshes
    { 0x0C00, "SECONDARY_VERTICES", L },
    { 0x0C01, "SECONDARY_NORMALS", L },
    { 0x0C02, "LIGHTMAP_UV", L },
    { 0x0C03, "VERTEX_INFLUENCES_EXTENDED", L },
};
// clang-format on

const uint32_t w3d_kind_count = sizeof w3d_kinds / sizeof *w3d_kinds;
_Static_assert(sizeof w3d_kinds / sizeof *w3d_kinds <= W3D_MAX_KINDS, "the parser counts chunks by kind");

// clang-format off
const char *const w3d_collision_names[W3D_COLLISION_KINDS] = {
    "physical", "projectile", "visibility", "camera", "vehicle", "user1", "user2", "user3",
};
const char *const w3d_mapper_names[W3D_MAPPERS] = {
    "uv", "environment", "cheap environment", "screen", "linear offset", "silhouette", "scale", "grid", "rotate",
    "sine offset", "step offset", "zigzag offset", "classic world environment", "world environment",
    "grid classic environment", "grid environment", "random", "edge", "bump environment",
    "grid classic world environment", "grid world environment",
};
// clang-format on

uint32_t w3d_find_kind(uint32_t id)
{
    uint32_t first = 0, end = w3d_kind_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (w3d_kinds[middle].id == id) return middle;
        if (w3d_kinds[middle].id < id) first = middle + 1;
        else end = middle;
    }
    return w3d_kind_count;
}

bool w3d_is_container(uint32_t id)
{
    uint32_t kind = w3d_find_kind(id);
    return kind < w3d_kind_count && w3d_kinds[kind].is_container;
}

const char *w3d_chunk_name(uint32_t id)
{
    uint32_t kind = w3d_find_kind(id);
    return kind < w3d_kind_count ? w3d_kinds[kind].name : "UNKNOWN";
}

void w3d_enter(sni_diag *diag, const w3d_doc *doc, int32_t chunk)
{
    int32_t path[W3D_MAX_DEPTH + 1], depth = 0;
    for (; chunk >= 0 && depth <= W3D_MAX_DEPTH; chunk = doc->chunks[chunk].parent) path[depth++] = chunk;
    while (depth > 0) {
        const w3d_chunk *at = &doc->chunks[path[--depth]];
        uint32_t kind = w3d_find_kind(at->id);
        bool has_index = kind == w3d_kind_count || w3d_kinds[kind].is_repeatable;
        sni_enter(diag, w3d_chunk_name(at->id), has_index ? (int64_t)at->ordinal : -1);
    }
}

void w3d_leave(sni_diag *diag, const w3d_doc *doc, int32_t chunk)
{
    for (; chunk >= 0; chunk = doc->chunks[chunk].parent) sni_leave(diag);
}

void w3d_locate(const w3d_doc *doc, uint64_t offset, char path[112])
{
    // The last chunk that starts at or before the byte: chunks are sorted by offset.
    uint32_t first = 0, end = doc->chunk_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (doc->chunks[middle].offset <= offset) first = middle + 1;
        else end = middle;
    }

    // A byte past its payload is a stray byte of one of its parents; those of the innermost come first.
    int32_t chunk = (int32_t)first - 1;
    uint64_t byte_end = chunk >= 0 ? doc->chunks[chunk].offset + W3D_CHUNK_HEADER_BYTES : 0;
    for (; chunk >= 0; chunk = doc->chunks[chunk].parent) {
        byte_end += doc->chunks[chunk].bytes.count;
        if (offset < byte_end) break;
    }

    sni_diag diag;
    sni_diag_init(&diag, NULL);
    w3d_enter(&diag, doc, chunk);
    sni_fail(&diag, SN_ERR_CORRUPT, offset, "located");  // formats the path the way errors have it
    snprintf(path, 112, "%s", diag.error.path);
}
