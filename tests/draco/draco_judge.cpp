#include "draco_judge.h"

#include <cstring>
#include <memory>

#include <draco/compression/decode.h>
#include <draco/compression/expert_encode.h>
#include <draco/mesh/mesh.h>

struct draco_judged {
    std::unique_ptr<draco::Mesh> mesh;
};

template <typename T>
static void add_attribute(draco::Mesh *mesh, draco::GeometryAttribute::Type kind, draco::DataType type, int width,
                          bool is_normalized, const T *values)
{
    if (!values) return;
    draco::GeometryAttribute attribute;
    attribute.Init(kind, nullptr, static_cast<uint8_t>(width), type, is_normalized, int64_t(sizeof(T)) * width, 0);
    int id = mesh->AddAttribute(attribute, true, mesh->num_points());
    for (uint32_t i = 0; i < mesh->num_points(); i++)
        mesh->attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i), values + size_t(i) * size_t(width));
}

size_t draco_judge_encode(const draco_soup *soup, const draco_options *options, uint8_t *out, size_t capacity)
{
    using draco::GeometryAttribute;
    draco::Mesh mesh;
    mesh.set_num_points(soup->face_count * 3);
    mesh.SetNumFaces(soup->face_count);
    for (uint32_t i = 0; i < soup->face_count; i++) {
        mesh.SetFace(draco::FaceIndex(i),
                     { draco::PointIndex(i * 3), draco::PointIndex(i * 3 + 1), draco::PointIndex(i * 3 + 2) });
    }
    add_attribute(&mesh, GeometryAttribute::POSITION, draco::DT_FLOAT32, 3, false, soup->positions);
    add_attribute(&mesh, GeometryAttribute::NORMAL, draco::DT_FLOAT32, 3, false, soup->normals);
    add_attribute(&mesh, GeometryAttribute::TEX_COORD, draco::DT_FLOAT32, 2, false, soup->texcoords);
    add_attribute(&mesh, GeometryAttribute::COLOR, draco::DT_UINT8, 4, true, soup->colors);
    add_attribute(&mesh, GeometryAttribute::GENERIC, draco::DT_UINT16, 4, false, soup->joints);
    add_attribute(&mesh, GeometryAttribute::GENERIC, draco::DT_FLOAT32, 4, false, soup->weights);
    if (!options->is_order_kept) {
        mesh.DeduplicateAttributeValues();
        mesh.DeduplicatePointIds();
    }
    if (options->has_metadata) {
        auto metadata = std::make_unique<draco::GeometryMetadata>();
        metadata->AddEntryString("name", "torus");
        auto inner = std::make_unique<draco::Metadata>();
        inner->AddEntryInt("number", 7);
        inner->AddSubMetadata("deeper", std::make_unique<draco::Metadata>());
        metadata->AddSubMetadata("inner", std::move(inner));
        mesh.AddMetadata(std::move(metadata));
        auto own = std::make_unique<draco::AttributeMetadata>();
        own->AddEntryDouble("scale", 0.5);
        mesh.AddAttributeMetadata(0, std::move(own));
    }

    draco::ExpertEncoder encoder(mesh);
    encoder.SetSpeedOptions(10 - options->level, 10 - options->level);
    if (options->is_sequential) encoder.SetEncodingMethod(draco::MESH_SEQUENTIAL_ENCODING);
    encoder.options().SetGlobalBool("split_mesh_on_seams", options->splits_at_seams);
    if (options->has_plain_entropy) encoder.options().SetGlobalBool("use_built_in_attribute_compression", false);
    encoder.options().SetGlobalBool("compress_connectivity", options->has_packed_indices);
    if (options->traversal > 0) {
        encoder.SetEncodingMethod(draco::MESH_EDGEBREAKER_ENCODING);
        encoder.SetEncodingSubmethod(options->traversal == 1 ? draco::MESH_EDGEBREAKER_STANDARD_ENCODING
                                                             : draco::MESH_EDGEBREAKER_VALENCE_ENCODING);
    }
    for (int i = 0; i < mesh.num_attributes() && options->bits > 0; i++) encoder.SetAttributeQuantization(i, options->bits);
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeToBuffer(&buffer).ok() || buffer.size() > capacity) return 0;
    memcpy(out, buffer.data(), buffer.size());
    return buffer.size();
}

draco_judged *draco_judge_decode(const uint8_t *data, size_t size)
{
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(data), size);
    draco::Decoder decoder;
    auto result = decoder.DecodeMeshFromBuffer(&buffer);
    return result.ok() ? new draco_judged{ std::move(result).value() } : nullptr;
}

void draco_judge_free(draco_judged *mesh) { delete mesh; }
uint32_t draco_judge_points(const draco_judged *mesh) { return mesh->mesh->num_points(); }
uint32_t draco_judge_faces(const draco_judged *mesh) { return mesh->mesh->num_faces(); }
uint32_t draco_judge_attributes(const draco_judged *mesh) { return static_cast<uint32_t>(mesh->mesh->num_attributes()); }

void draco_judge_indices(const draco_judged *mesh, uint32_t *out)
{
    for (uint32_t i = 0; i < mesh->mesh->num_faces(); i++)
        for (size_t c = 0; c < 3; c++) *out++ = mesh->mesh->face(draco::FaceIndex(i))[c].value();
}

size_t draco_judge_values(const draco_judged *mesh, uint32_t attribute, uint32_t *id, uint32_t *type, uint32_t *width,
                          uint8_t *out, size_t capacity)
{
    const draco::PointAttribute *from = mesh->mesh->attribute(static_cast<int>(attribute));
    size_t stride = static_cast<size_t>(from->byte_stride()), size = stride * mesh->mesh->num_points();
    *id = from->unique_id();
    *type = static_cast<uint32_t>(from->data_type());
    *width = static_cast<uint32_t>(from->num_components());
    for (uint32_t i = 0; i < mesh->mesh->num_points() && size <= capacity; i++)
        from->GetMappedValue(draco::PointIndex(i), out + i * stride);
    return size;
}
