// Material extensions of glTF that a model keeps as text, sn_material.extensions: which properties they have, which
// values these may have. Read into a struct, changed there, written again.
#ifndef SNI_EXTENSIONS_H
#define SNI_EXTENSIONS_H

#include "base/json.h"

// In the order in which they are written.
typedef enum sni_extension {
    SNI_ANISOTROPY,
    SNI_CLEARCOAT,
    SNI_DIFFUSE_TRANSMISSION,
    SNI_DISPERSION,
    SNI_IOR,
    SNI_IRIDESCENCE,
    SNI_SHEEN,
    SNI_SPECULAR,
    SNI_TRANSMISSION,
    SNI_VOLUME,
    SNI_VOLUME_SCATTER,
    SNI_EXTENSION_COUNT
} sni_extension;

// Extension, name, how many numbers (0: a texture), least and greatest value, whether 0 is allowed too.
// clang-format off
#define SNI_EXTENSION_PROPERTIES(X) \
    X(ANISOTROPY, anisotropyStrength, 1, 0, 1, false) \
    X(ANISOTROPY, anisotropyRotation, 1, -FLT_MAX, FLT_MAX, false) \
    X(ANISOTROPY, anisotropyTexture, 0, 0, 0, false) \
    X(CLEARCOAT, clearcoatFactor, 1, 0, 1, false) \
    X(CLEARCOAT, clearcoatTexture, 0, 0, 0, false) \
    X(CLEARCOAT, clearcoatRoughnessFactor, 1, 0, 1, false) \
    X(CLEARCOAT, clearcoatRoughnessTexture, 0, 0, 0, false) \
    X(CLEARCOAT, clearcoatNormalTexture, 0, 0, 0, false) \
    X(DIFFUSE_TRANSMISSION, diffuseTransmissionFactor, 1, 0, 1, false) \
    X(DIFFUSE_TRANSMISSION, diffuseTransmissionTexture, 0, 0, 0, false) \
    X(DIFFUSE_TRANSMISSION, diffuseTransmissionColorFactor, 3, 0, 1, false) \
    X(DIFFUSE_TRANSMISSION, diffuseTransmissionColorTexture, 0, 0, 0, false) \
    X(DISPERSION, dispersion, 1, 0, FLT_MAX, false) \
    X(IOR, ior, 1, 1, FLT_MAX, true) \
    X(IRIDESCENCE, iridescenceFactor, 1, 0, 1, false) \
    X(IRIDESCENCE, iridescenceTexture, 0, 0, 0, false) \
    X(IRIDESCENCE, iridescenceIor, 1, 1, FLT_MAX, false) \
    X(IRIDESCENCE, iridescenceThicknessMinimum, 1, 0, FLT_MAX, false) \
    X(IRIDESCENCE, iridescenceThicknessMaximum, 1, 0, FLT_MAX, false) \
    X(IRIDESCENCE, iridescenceThicknessTexture, 0, 0, 0, false) \
    X(SHEEN, sheenColorFactor, 3, 0, 1, false) \
    X(SHEEN, sheenColorTexture, 0, 0, 0, false) \
    X(SHEEN, sheenRoughnessFactor, 1, 0, 1, false) \
    X(SHEEN, sheenRoughnessTexture, 0, 0, 0, false) \
    X(SPECULAR, specularFactor, 1, 0, 1, false) \
    X(SPECULAR, specularTexture, 0, 0, 0, false) \
    X(SPECULAR, specularColorFactor, 3, 0, FLT_MAX, false) \
    X(SPECULAR, specularColorTexture, 0, 0, 0, false) \
    X(TRANSMISSION, transmissionFactor, 1, 0, 1, false) \
    X(TRANSMISSION, transmissionTexture, 0, 0, 0, false) \
    X(VOLUME, thicknessFactor, 1, 0, FLT_MAX, false) \
    X(VOLUME, thicknessTexture, 0, 0, 0, false) \
    X(VOLUME, attenuationDistance, 1, FLT_MIN, FLT_MAX, false) \
    X(VOLUME, attenuationColor, 3, 0, 1, false) \
    X(VOLUME_SCATTER, multiscatterColor, 3, 0, 1, false) \
    X(VOLUME_SCATTER, scatterAnisotropy, 1, -0.999999f, 0.999999f, false)
// clang-format on

typedef enum sni_extension_property {
#define SNI_PROPERTY_ENUM(extension, name, width, low, high, or_zero) SNI_PROPERTY_##name,
    SNI_EXTENSION_PROPERTIES(SNI_PROPERTY_ENUM)
#undef SNI_PROPERTY_ENUM
        SNI_PROPERTY_COUNT
} sni_extension_property;

typedef struct sni_extensions {
    uint32_t present;  // 1 << sni_extension
    union {
        float numbers[3];
        int32_t map;  // of a texture: an index into sn_material.extension_maps; -1: there is none
    } values[SNI_PROPERTY_COUNT];
    bool has[SNI_PROPERTY_COUNT];
    uint32_t dropped;  // properties that are unknown or have values that are not allowed
} sni_extensions;

const char *sni_extension_name(sni_extension extension);  // "KHR_materials_anisotropy"
bool sni_extension_is_map(sni_extension_property property);

// Of a name or property that occurs twice the first counts. `read_texture` consumes a texture's value and returns its
// map; NULL: the value is the map, as in sn_material.extensions.
void sni_extensions_read(sni_extensions *out, sni_json *json, int32_t (*read_texture)(void *user, sni_json *json),
                         void *user);

// The text that a model keeps; empty for NULL.
void sni_extensions_read_text(sni_extensions *out, const char *text, sni_arena *scratch);

// One object. `put_texture` writes the value of a texture; NULL: its map.
typedef void sni_put_texture(void *user, sni_extension_property property, int32_t map, sni_json_writer *out);
void sni_extensions_write(const sni_extensions *extensions, sni_json_writer *out, sni_put_texture *put_texture,
                          void *user);

void sni_extensions_remove(sni_extensions *extensions, sni_extension extension);

#endif
