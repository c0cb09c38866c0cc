// The only C++ of the library: Draco's decoders with memory limits, and a C interface that throws nothing.
#include "format/gltf/gltf_draco.h"

#include <new>

#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>

struct gltf_draco_mesh {
    draco::Mesh mesh;
};

namespace {

// Estimated peak memory of the decoders: corner tables, symbols and orders per face, maps per point.
constexpr uint64_t bytes_per_face = 128, bytes_per_face_of_seams = 40, bytes_per_point = 16;

bool read_count(draco::DecoderBuffer *buffer, bool is_varint, uint32_t *count)
{
    return is_varint ? draco::DecodeVarint(count, buffer) : buffer->Decode(count);
}

// The memory for a stream, from its counts, before anything is allocated. The buffer is a copy: nothing is consumed.
bool read_face_cost(draco::DecoderBuffer buffer, uint16_t version, bool is_edgebreaker, uint64_t *cost)
{
    bool is_varint = version >= (is_edgebreaker ? DRACO_BITSTREAM_VERSION(2, 0) : DRACO_BITSTREAM_VERSION(2, 2));
    uint32_t added = 0, vertices = 0, faces = 0;
    uint8_t seams = 0;
    if (is_edgebreaker) {
        bool has_added = version < DRACO_BITSTREAM_VERSION(2, 2);
        if ((has_added && !read_count(&buffer, is_varint, &added)) || !read_count(&buffer, is_varint, &vertices) ||
            !read_count(&buffer, is_varint, &faces) || !buffer.Decode(&seams))
            return false;
    } else if (!read_count(&buffer, is_varint, &faces) || !read_count(&buffer, is_varint, &vertices)) {
        return false;
    }
    *cost = faces * (bytes_per_face + bytes_per_face_of_seams * seams) + (uint64_t(added) + vertices) * bytes_per_point;
    return true;
}

// A decoder that checks the limit at the two points where counts are known and memory is not yet allocated.
template <class Decoder, bool is_edgebreaker>
class limited_decoder : public Decoder {
public:
    explicit limited_decoder(uint64_t memory) : memory_(memory) {}
    bool is_too_large = false;

protected:
    bool DecodeConnectivity() override
    {
        uint64_t cost = 0;
        if (!read_face_cost(*this->buffer(), this->bitstream_version(), is_edgebreaker, &cost)) return false;
        return can_take(cost) && Decoder::DecodeConnectivity();
    }

    // A value, its quantized form and its prediction.
    bool DecodeAllAttributes() override
    {
        const draco::PointCloud *cloud = this->point_cloud();
        uint64_t per_point = 0;
        for (int32_t i = 0; i < cloud->num_attributes(); i++) {
            const draco::PointAttribute *attribute = cloud->attribute(i);
            per_point += uint64_t(attribute->byte_stride()) + 12u * attribute->num_components() + bytes_per_point;
            if (!can_take(per_point * cloud->num_points())) return false;
        }
        return Decoder::DecodeAllAttributes();
    }

private:
    bool can_take(uint64_t cost)
    {
        is_too_large = is_too_large || cost > memory_;
        return !is_too_large;
    }

    uint64_t memory_;
};

template <class Decoder>
gltf_draco_result decode_with(Decoder &&decoder, draco::DecoderBuffer *buffer, draco::Mesh *mesh)
{
    draco::DecoderOptions options;
    draco::Status status = decoder.Decode(options, buffer, mesh);
    if (status.ok()) return GLTF_DRACO_OK;
    if (decoder.is_too_large) return GLTF_DRACO_TOO_LARGE;
    bool is_unknown = status.code() == draco::Status::UNKNOWN_VERSION ||
                      status.code() == draco::Status::UNSUPPORTED_VERSION;
    return is_unknown ? GLTF_DRACO_UNKNOWN : GLTF_DRACO_DAMAGED;
}

gltf_draco_result decode(const uint8_t *data, size_t size, uint64_t memory, draco::Mesh *mesh)
{
    using namespace draco;
    DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(data), size);
    DecoderBuffer ahead(buffer);
    DracoHeader header;
    if (!PointCloudDecoder::DecodeHeader(&ahead, &header).ok()) return GLTF_DRACO_DAMAGED;
    if (header.encoder_type != TRIANGULAR_MESH) return GLTF_DRACO_UNKNOWN;
    if (header.encoder_method == MESH_EDGEBREAKER_ENCODING)
        return decode_with(limited_decoder<MeshEdgebreakerDecoder, true>(memory), &buffer, mesh);
    if (header.encoder_method == MESH_SEQUENTIAL_ENCODING)
        return decode_with(limited_decoder<MeshSequentialDecoder, false>(memory), &buffer, mesh);
    return GLTF_DRACO_UNKNOWN;
}

template <typename T>
bool read_values(const draco::Mesh &mesh, const draco::PointAttribute &attribute, uint32_t width, void *out)
{
    T *at = static_cast<T *>(out);
    for (uint32_t i = 0; i < mesh.num_points(); i++, at += width) {
        draco::AttributeValueIndex value = attribute.mapped_index(draco::PointIndex(i));
        if (value.value() >= attribute.size()) return false;
        if (!attribute.ConvertValue<T>(value, static_cast<int8_t>(width), at)) return false;
    }
    return true;
}

}  // namespace

gltf_draco_result gltf_draco_decode(const uint8_t *data, size_t size, uint64_t memory, gltf_draco_mesh **mesh)
{
    *mesh = nullptr;
    gltf_draco_mesh *made = nullptr;
    gltf_draco_result result = GLTF_DRACO_NO_MEMORY;
    try {
        made = new gltf_draco_mesh;
        result = decode(data, size, memory, &made->mesh);
    } catch (const std::bad_alloc &) {
        result = GLTF_DRACO_NO_MEMORY;
    } catch (...) {
        result = GLTF_DRACO_DAMAGED;
    }
    if (result == GLTF_DRACO_OK) *mesh = made;
    else delete made;
    return result;
}

void gltf_draco_free(gltf_draco_mesh *mesh) { delete mesh; }
uint32_t gltf_draco_points(const gltf_draco_mesh *mesh) { return mesh->mesh.num_points(); }
uint32_t gltf_draco_faces(const gltf_draco_mesh *mesh) { return mesh->mesh.num_faces(); }

bool gltf_draco_read_indices(const gltf_draco_mesh *mesh, uint32_t *out)
{
    for (uint32_t i = 0; i < mesh->mesh.num_faces(); i++) {
        const draco::Mesh::Face &face = mesh->mesh.face(draco::FaceIndex(i));
        for (size_t c = 0; c < 3; c++) {
            uint32_t point = face[c].value();
            if (point >= mesh->mesh.num_points()) return false;
            out[size_t(i) * 3 + c] = point;
        }
    }
    return true;
}

bool gltf_draco_read_attribute(const gltf_draco_mesh *mesh, uint32_t id, uint32_t component_type, uint32_t width,
                               void *out)
{
    const draco::PointAttribute *attribute = mesh->mesh.GetAttributeByUniqueId(id);
    if (!attribute || uint32_t(attribute->num_components()) != width) return false;
    switch (component_type) {
    case 5120: return read_values<int8_t>(mesh->mesh, *attribute, width, out);
    case 5121: return read_values<uint8_t>(mesh->mesh, *attribute, width, out);
    case 5122: return read_values<int16_t>(mesh->mesh, *attribute, width, out);
    case 5123: return read_values<uint16_t>(mesh->mesh, *attribute, width, out);
    case 5125: return read_values<uint32_t>(mesh->mesh, *attribute, width, out);
    case 5126: return read_values<float>(mesh->mesh, *attribute, width, out);
    default: return false;
    }
}
