// KHR_draco_mesh_compression: a packed primitive gets accessors of its own, which hold what was unpacked.
#include <string.h>

#include "format/gltf/gltf_doc.h"
#include "format/gltf/gltf_draco.h"

// Whether a primitive can do without its packed form.
static bool has_plain_twin(const gltf_doc *doc, const gltf_primitive *primitive)
{
    bool is_plain = primitive->indices < 0 || doc->accessors[primitive->indices].view >= 0;
    for (uint32_t i = 0; i < primitive->attributes.count; i++) {
        int32_t accessor = primitive->attributes.items[i].accessor;
        is_plain = is_plain && (accessor < 0 || doc->accessors[accessor].view >= 0);
    }
    return is_plain;
}

static bool use_plain(sni_load *load, const gltf_doc *doc, gltf_primitive *primitive, const char *what)
{
    primitive->draco.is_read = false;
    if (has_plain_twin(doc, primitive)) return true;
    return sni_fail(&load->diag, SN_ERR_UNSUPPORTED, primitive->object.offset, "%s is not read by this build of sinew",
                    what);
}

#ifdef SINEW_HAS_DRACO

typedef struct gltf_unpacker {
    sni_load *load;
    gltf_doc *doc;
    bool *is_refused;  // views that do not fit their primitive: not decoded again and again
} gltf_unpacker;

static bool leave_out(gltf_unpacker *unpacker, gltf_primitive *primitive, const char *why)
{
    sni_warn(&unpacker->load->diag, SNI_WARN_GLTF_PRIMITIVE, primitive->object.offset, "%s; left out", why);
    unpacker->is_refused[primitive->draco.view] = true;
    primitive->is_left_out = true;
    return true;
}

static gltf_attribute *find_attribute(const gltf_attributes *attributes, const char *name)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (strcmp(attributes->items[i].name, name) == 0) return &attributes->items[i];
    }
    return NULL;
}

// The copy of an accessor that takes the unpacked numbers. There is room: gltf_unpack_primitives counted.
static gltf_accessor *add_accessor(gltf_doc *doc, int32_t *index, gltf_accessor accessor, void *data)
{
    gltf_accessor *added = &doc->accessors[doc->accessor_count];
    *added = accessor;
    added->view = -1;
    added->byte_offset = 0;
    added->unpacked.data = data;
    added->unpacked.size = (size_t)gltf_element_bytes(added) * added->count;
    *index = (int32_t)doc->accessor_count++;
    return added;
}

// False: it does not fit, or the load has failed.
static bool unpack_attribute(gltf_unpacker *unpacker, const gltf_draco_mesh *mesh, const gltf_attribute *packed,
                             int32_t *index)
{
    if (*index < 0 || packed->accessor < 0) return false;
    gltf_accessor accessor = unpacker->doc->accessors[*index];
    uint32_t width = gltf_components(accessor.type), bytes = gltf_component_bytes(accessor.component_type);
    if (accessor.count != gltf_draco_points(mesh) || accessor.type > GLTF_VEC4 || width == 0 || bytes == 0)
        return false;
    void *data = sni_alloc_raw(&unpacker->load->scratch, (size_t)width * bytes, accessor.count);
    if (!data || !gltf_draco_read_attribute(mesh, (uint32_t)packed->accessor, accessor.component_type, width, data))
        return false;
    add_accessor(unpacker->doc, index, accessor, data);
    return true;
}

// Draco holds triangles only, whatever the mode was.
static bool unpack_indices(gltf_unpacker *unpacker, const gltf_draco_mesh *mesh, gltf_primitive *primitive)
{
    uint64_t count = (uint64_t)gltf_draco_faces(mesh) * 3;
    gltf_accessor accessor = { .type = GLTF_SCALAR };
    if (primitive->indices >= 0) accessor = unpacker->doc->accessors[primitive->indices];
    bool is_list = primitive->mode == GLTF_TRIANGLES && primitive->indices >= 0;
    if (accessor.type != GLTF_SCALAR || (is_list && accessor.count != count)) return false;
    uint32_t *indices = sni_new_raw(&unpacker->load->scratch, uint32_t, count);
    if (!indices || !gltf_draco_read_indices(mesh, indices)) return false;
    accessor.count = (uint32_t)count;
    accessor.component_type = GLTF_U32;
    accessor.sparse.count = 0;
    add_accessor(unpacker->doc, &primitive->indices, accessor, indices);
    primitive->mode = GLTF_TRIANGLES;
    return true;
}

static bool unpack_mesh(gltf_unpacker *unpacker, gltf_primitive *primitive, const gltf_draco_mesh *mesh)
{
    sni_load *load = unpacker->load;
    for (uint32_t i = 0; i < primitive->draco.attributes.count; i++) {
        const gltf_attribute *packed = &primitive->draco.attributes.items[i];
        gltf_attribute *attribute = find_attribute(&primitive->attributes, packed->name);
        if (!attribute || unpack_attribute(unpacker, mesh, packed, &attribute->accessor)) continue;
        return sni_load_ok(load) && leave_out(unpacker, primitive, "an accessor does not fit what Draco unpacks");
    }
    if (unpack_indices(unpacker, mesh, primitive)) return true;
    return sni_load_ok(load) && leave_out(unpacker, primitive, "its indices do not fit what Draco unpacks");
}

static bool unpack_primitive(gltf_unpacker *unpacker, gltf_primitive *primitive)
{
    sni_load *load = unpacker->load;
    uint64_t offset = primitive->object.offset;
    sni_bytes bytes;
    if (primitive->draco.view < 0) return sni_fail(&load->diag, SN_ERR_CORRUPT, offset, "no bufferView");
    if (unpacker->is_refused[primitive->draco.view])
        return leave_out(unpacker, primitive, "its view fits no primitive");
    bool is_triangles = primitive->mode == GLTF_TRIANGLES || primitive->mode == GLTF_TRIANGLE_STRIP;
    if (!is_triangles || !find_attribute(&primitive->draco.attributes, "POSITION"))
        return leave_out(unpacker, primitive, "Draco packs triangles with positions only");
    if (!gltf_view_bytes(load, unpacker->doc, primitive->draco.view, &bytes))
        return sni_load_ok(load) && leave_out(unpacker, primitive, "its view has no bytes");
    gltf_draco_mesh *mesh;
    bool is_good = false;
    switch (gltf_draco_decode(bytes.data, bytes.size, load->heap->limit - load->heap->used, &mesh)) {
    case GLTF_DRACO_OK: is_good = unpack_mesh(unpacker, primitive, mesh); break;
    case GLTF_DRACO_UNKNOWN: is_good = use_plain(load, unpacker->doc, primitive, "this version of Draco"); break;
    case GLTF_DRACO_TOO_LARGE:
        sni_fail(&load->diag, SN_ERR_LIMIT, offset, "Draco would need more memory than is allowed");
        break;
    case GLTF_DRACO_NO_MEMORY: sni_fail(&load->diag, SN_ERR_MEMORY, offset, "Draco has no memory"); break;
    default: sni_fail(&load->diag, SN_ERR_CORRUPT, offset, "%zu bytes that Draco cannot read", bytes.size); break;
    }
    gltf_draco_free(mesh);
    return is_good;
}

// Copies the accessors to where there is room for those that will be added.
static bool make_room(sni_load *load, gltf_doc *doc)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        for (uint32_t p = 0; p < doc->meshes[i].primitive_count; p++) {
            const gltf_draco_primitive *draco = &doc->meshes[i].primitives[p].draco;
            if (draco->is_read) added += (uint64_t)draco->attributes.count + 1;
        }
    }
    if (added == 0) return true;
    gltf_accessor *accessors = sni_new(&load->scratch, gltf_accessor, doc->accessor_count + added);
    if (accessors && doc->accessor_count > 0)
        memcpy(accessors, doc->accessors, doc->accessor_count * sizeof *accessors);
    if (accessors) doc->accessors = accessors;
    return accessors != NULL;
}

#endif

bool gltf_unpack_primitives(sni_load *load, gltf_doc *doc)
{
#ifdef SINEW_HAS_DRACO
    gltf_unpacker unpacker = { load, doc, sni_new(&load->scratch, bool, doc->view_count) };
    if (!unpacker.is_refused || !make_room(load, doc)) return false;
#endif
    bool is_good = true;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        sni_enter(&load->diag, "meshes", i);
        for (uint32_t p = 0; p < doc->meshes[i].primitive_count && is_good; p++) {
            gltf_primitive *primitive = &doc->meshes[i].primitives[p];
            if (!primitive->draco.is_read) continue;
            sni_enter(&load->diag, "primitives", p);
            sni_enter(&load->diag, "extensions", -1);
            sni_enter(&load->diag, GLTF_DRACO, -1);
#ifdef SINEW_HAS_DRACO
            is_good = unpack_primitive(&unpacker, primitive);
#else
            is_good = use_plain(load, doc, primitive, GLTF_DRACO);
#endif
            sni_leave(&load->diag);
            sni_leave(&load->diag);
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
    }
    return is_good && sni_load_ok(load);
}
