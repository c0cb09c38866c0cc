// A Draco stream: header, metadata, faces, attributes; and the numbers of an attribute as the user needs them.
#include "draco/draco.h"

#include <math.h>

#include "draco/draco_decoder.h"

bool sni_draco_charge(draco_decoder *decoder, size_t size, uint64_t count)
{
    uint64_t left = decoder->limits->work_bytes;
    if (count > left / size) {
        return sni_fail(decoder->in->diag, SN_ERR_LIMIT, sni_offset(decoder->in),
                        "decoding needs more memory than the limit: %llu bytes are left", (unsigned long long)left);
    }
    decoder->limits->work_bytes -= size * count;
    return true;
}

void *sni_draco_alloc(draco_decoder *decoder, sni_arena *arena, size_t size, uint64_t count)
{
    return sni_draco_charge(decoder, size, count) ? sni_alloc_raw(arena, size, count) : NULL;
}

bool sni_draco_corrupt(draco_decoder *decoder, const char *what)
{
    return sni_fail(decoder->in->diag, SN_ERR_CORRUPT, sni_offset(decoder->in), "%s", what);
}

// Entries are names with values. Elements inside follow the one that has them, each behind its name.
static void skip_metadata_element(sni_reader *in)
{
    uint64_t left = 1;
    for (bool has_name = false; left > 0 && sni_ok(in); has_name = true) {
        if (has_name) sni_skip(in, sni_read_u8(in));
        uint32_t entry_count = sni_draco_read_varint32(in);
        for (uint32_t i = 0; i < entry_count && sni_ok(in); i++) {
            sni_skip(in, sni_read_u8(in));
            sni_skip(in, sni_draco_read_varint32(in));
        }
        left += sni_draco_read_varint32(in);
        left--;
    }
}

static void skip_metadata(sni_reader *in)
{
    uint32_t attribute_count = sni_draco_read_varint32(in);
    for (uint32_t i = 0; i < attribute_count && sni_ok(in); i++) {
        sni_draco_read_varint32(in);
        skip_metadata_element(in);
    }
    skip_metadata_element(in);
}

sni_draco_result sni_draco_decode(sni_reader *stream, sni_draco_limits *limits, sni_arena *keep, sni_draco_mesh *mesh)
{
    enum { TRIANGULAR_MESH = 1, SEQUENTIAL = 0, EDGEBREAKER = 1, HAS_METADATA = 1 << 15 };
    draco_decoder decoder = { .in = stream, .limits = limits, .keep = keep, .mesh = mesh };
    *mesh = (sni_draco_mesh){ 0 };
    const uint8_t *header = sni_take(stream, 9);
    if (!header) return SNI_DRACO_FAILED;
    if (memcmp(header, "DRACO", 5) != 0) {
        sni_draco_corrupt(&decoder, "not a Draco stream");
        return SNI_DRACO_FAILED;
    }
    mesh->version[0] = header[5];
    mesh->version[1] = header[6];
    bool is_known = header[5] == 2 && header[6] == 2 && header[7] == TRIANGULAR_MESH && header[8] <= EDGEBREAKER;
    if (!is_known) return SNI_DRACO_UNKNOWN;
    if (sni_read_u16(stream) & HAS_METADATA) skip_metadata(stream);
    bool is_edgebreaker = header[8] == EDGEBREAKER;
    sni_arena_init(&decoder.tables, stream->arena->heap);
    sni_draco_result result = is_edgebreaker ? sni_draco_read_edgebreaker(&decoder)
                                             : sni_draco_read_sequential(&decoder);
    if (result == SNI_DRACO_OK && !sni_draco_read_attributes(&decoder, is_edgebreaker)) result = SNI_DRACO_FAILED;
    sni_arena_free(&decoder.tables);
    return result;
}

// Reading

// The unit vector of a point of the unfolded octahedron, whose coordinates are -1 to 1.
static void put_normal(float s, float t, float out[3])
{
    float x = 1.0f - fabsf(s) - fabsf(t), beyond = x < 0.0f ? -x : 0.0f;
    float y = s + (s < 0.0f ? beyond : -beyond), z = t + (t < 0.0f ? beyond : -beyond);
    float squared = x * x + y * y + z * z, scale = squared < 1e-6f ? 0.0f : 1.0f / sqrtf(squared);
    out[0] = x * scale;
    out[1] = y * scale;
    out[2] = z * scale;
}

static void put_floats(const sni_draco_attribute *attribute, uint32_t value, float *out)
{
    uint32_t largest = (1u << attribute->bits) - 1;
    if (attribute->coding == DRACO_NORMAL) {
        const int32_t *at = attribute->values + (size_t)value * 2;
        float scale = 2.0f / (float)(largest - 1);
        put_normal((float)at[0] * scale - 1.0f, (float)at[1] * scale - 1.0f, out);
        return;
    }
    const int32_t *at = attribute->values + (size_t)value * attribute->width;
    float step = attribute->range / (float)largest;
    for (uint32_t i = 0; i < attribute->width; i++) out[i] = (float)at[i] * step + attribute->lowest[i];
}

static double load_number(sni_draco_type type, const uint8_t *at)
{
    switch (type) {
    case SNI_DRACO_INT8: return (int8_t)at[0];
    case SNI_DRACO_UINT8: return at[0];
    case SNI_DRACO_INT16: return (int16_t)sni_load_u16(at);
    case SNI_DRACO_UINT16: return sni_load_u16(at);
    case SNI_DRACO_INT32: return (int32_t)sni_load_u32(at);
    case SNI_DRACO_UINT32: return sni_load_u32(at);
    default: return (double)sni_load_f32(at);
    }
}

typedef struct number_range {
    uint32_t bytes;
    double lowest, highest;
} number_range;

static const number_range ranges[] = {
    [SNI_DRACO_INT8] = { 1, INT8_MIN, INT8_MAX },     [SNI_DRACO_UINT8] = { 1, 0, UINT8_MAX },
    [SNI_DRACO_INT16] = { 2, INT16_MIN, INT16_MAX },  [SNI_DRACO_UINT16] = { 2, 0, UINT16_MAX },
    [SNI_DRACO_INT32] = { 4, INT32_MIN, INT32_MAX },  [SNI_DRACO_UINT32] = { 4, 0, UINT32_MAX },
    [SNI_DRACO_FLOAT32] = { 4, -INFINITY, INFINITY },
};

static void store(uint8_t *out, uint32_t bytes, uint32_t bits)
{
    for (uint32_t i = 0; i < bytes; i++) out[i] = (uint8_t)(bits >> (8 * i));
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Floats become integers as they are, integers become fractions of their type where the stream says so.
static bool put_number(const sni_draco_attribute *attribute, sni_draco_type type, double number, uint8_t *out)
{
    const number_range *range = &ranges[type];
    if (type == SNI_DRACO_FLOAT32) {
        bool is_fraction = attribute->is_normalized && attribute->type != SNI_DRACO_FLOAT32;
        store(out, 4, float_bits((float)(is_fraction ? number / ranges[attribute->type].highest : number)));
        return true;
    }
    if (!(number >= range->lowest && number <= range->highest)) return false;
    store(out, range->bytes, number < 0 ? (uint32_t)(int32_t)number : (uint32_t)number);
    return true;
}

// The numbers of one value, little-endian, in the type of the attribute.
static void put_value(const sni_draco_attribute *attribute, uint32_t value, uint8_t *out)
{
    uint32_t width = attribute->width, bytes = ranges[attribute->type].bytes;
    float floats[DRACO_WIDTH] = { 0 };
    switch (attribute->coding) {
    case DRACO_PLAIN: memcpy(out, attribute->bytes + (size_t)value * width * bytes, (size_t)width * bytes); return;
    case DRACO_INTEGER:
        for (uint32_t i = 0; i < width; i++)
            store(out + (size_t)i * bytes, bytes, (uint32_t)attribute->values[(size_t)value * width + i]);
        return;
    default:
        put_floats(attribute, value, floats);
        for (uint32_t i = 0; i < width; i++) store(out + (size_t)i * 4, 4, float_bits(floats[i]));
    }
}

bool sni_draco_read(const sni_draco_mesh *mesh, uint32_t id, sni_draco_type type, uint32_t width, void *out)
{
    uint32_t index = 0;
    while (index < mesh->attribute_count && mesh->attributes[index].id != id) index++;
    if (index == mesh->attribute_count || mesh->attributes[index].width != width) return false;
    const sni_draco_attribute *attribute = &mesh->attributes[index];
    if (attribute->type >= sizeof ranges / sizeof ranges[0] || ranges[attribute->type].bytes == 0) return false;
    const uint32_t *value_of_point = attribute->sequence->value_of_point;
    uint32_t from_bytes = ranges[attribute->type].bytes, to_bytes = ranges[type].bytes;
    uint8_t *at = out, value[DRACO_WIDTH * 4];
    for (uint32_t p = 0; p < mesh->point_count; p++, at += width * to_bytes) {
        bool is_same = attribute->type == type;
        put_value(attribute, value_of_point ? value_of_point[p] : p, is_same ? at : value);
        for (uint32_t i = 0; i < width && !is_same; i++) {
            double number = load_number((sni_draco_type)attribute->type, value + (size_t)i * from_bytes);
            if (!put_number(attribute, type, number, at + (size_t)i * to_bytes)) return false;
        }
    }
    return true;
}
