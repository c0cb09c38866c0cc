#include "draco_encode.h"

#include <cstring>

#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

template <typename T>
static int add_attribute(draco::Mesh *mesh, draco::GeometryAttribute::Type kind, draco::DataType type, int width,
                         bool is_normalized, uint32_t count, const T *values)
{
    draco::GeometryAttribute attribute;
    attribute.Init(kind, nullptr, static_cast<uint8_t>(width), type, is_normalized, int64_t(sizeof(T)) * width, 0);
    int id = mesh->AddAttribute(attribute, true, count);
    for (uint32_t i = 0; i < count; i++)
        mesh->attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i), values + size_t(i) * size_t(width));
    return id;
}

size_t encode_draco(bool is_edgebreaker, uint32_t vertex_count, const float *positions, const uint8_t *colors,
                    uint32_t face_count, const uint32_t *indices, uint8_t *out, size_t capacity)
{
    draco::Mesh mesh;
    mesh.set_num_points(vertex_count);
    add_attribute(&mesh, draco::GeometryAttribute::POSITION, draco::DT_FLOAT32, 3, false, vertex_count, positions);
    add_attribute(&mesh, draco::GeometryAttribute::COLOR, draco::DT_UINT8, 4, true, vertex_count, colors);
    for (uint32_t i = 0; i < face_count; i++) {
        const uint32_t *face = indices + size_t(i) * 3;
        mesh.AddFace({ draco::PointIndex(face[0]), draco::PointIndex(face[1]), draco::PointIndex(face[2]) });
    }
    draco::ExpertEncoder encoder(mesh);
    encoder.SetEncodingMethod(is_edgebreaker ? draco::MESH_EDGEBREAKER_ENCODING : draco::MESH_SEQUENTIAL_ENCODING);
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeToBuffer(&buffer).ok() || buffer.size() > capacity) return 0;
    memcpy(out, buffer.data(), buffer.size());
    return buffer.size();
}
