// The container: a .glb's chunks, or plain JSON text.
#include <string.h>

#include "format/gltf/gltf_doc.h"

static bool parse_chunk(sni_load *load, sni_reader *file, uint32_t index, gltf_container *container)
{
    sni_diag *diag = &load->diag;
    uint64_t offset = sni_offset(file);
    uint32_t size = sni_read_u32(file), type = sni_read_u32(file);
    sni_reader chunk = sni_read_window(file, size);
    if (!sni_ok(file)) return false;
    if (size % 4) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "%u bytes are no multiple of 4", size);
    if (index == 0) {
        if (type != GLTF_CHUNK_JSON)
            return sni_fail(diag, SN_ERR_CORRUPT, offset, "the first chunk is 0x%08X, not JSON", type);
        container->json = sni_str_make((const char *)chunk.at, size);
        container->json_offset = chunk.origin;
    } else if (type == GLTF_CHUNK_JSON) {
        sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "a second JSON chunk was ignored");
    } else if (type == GLTF_CHUNK_BIN) {
        if (container->has_bin) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "a second BIN chunk was ignored");
        else if (index != 1) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "BIN is chunk %u, not the second", index);
        if (!container->has_bin) container->bin = (sni_bytes){ chunk.at, size };
        container->has_bin = true;
        if (size == 0 && load->lint) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "the BIN chunk is empty");
    }
    return true;
}

static bool parse_glb(sni_load *load, sni_bytes bytes, gltf_container *container)
{
    sni_diag *diag = &load->diag;
    sni_reader file = sni_reader_make(bytes.data, bytes.size, diag, &load->scratch);
    sni_skip(&file, 4);
    uint32_t version = sni_read_u32(&file), length = sni_read_u32(&file);
    if (!sni_ok(&file)) return false;
    if (version == 1) return sni_fail(diag, SN_ERR_UNSUPPORTED, 4, "glTF 1.0 is not supported");
    if (version != 2)
        return sni_fail(diag, SN_ERR_UNSUPPORTED, 4, "GLB container version %u is not supported", version);
    if (length < 20) return sni_fail(diag, SN_ERR_CORRUPT, 8, "a length of %u leaves no room for a chunk", length);
    if (length > bytes.size)
        return sni_fail(diag, SN_ERR_TRUNCATED, 8, "the header says %u bytes, the file has %zu", length, bytes.size);
    if (length < bytes.size)
        sni_warn(diag, SNI_WARN_GLB_LENGTH, 8, "%zu bytes follow the %u of the header", bytes.size - length, length);
    file.end = file.start + length;
    for (uint32_t i = 0; sni_rest(&file) > 0; i++) {
        sni_enter(diag, "chunk", i);
        bool is_good = parse_chunk(load, &file, i, container);
        sni_leave(diag);
        if (!is_good) return false;
    }
    return true;
}

bool gltf_parse_container(sni_load *load, sni_bytes bytes, gltf_container *container)
{
    *container = (gltf_container){ .bin = { (const uint8_t *)"", 0 } };
    container->is_glb = bytes.size >= 4 && sni_load_u32(bytes.data) == GLTF_GLB_MAGIC;
    if (container->is_glb) {
        if (!parse_glb(load, bytes, container)) return false;
    } else {
        container->json = sni_str_make((const char *)bytes.data, bytes.size);
    }
    if (sni_str_starts(container->json, "\xEF\xBB\xBF")) {
        sni_warn(&load->diag, SNI_WARN_JSON_BOM, container->json_offset, "a byte order mark before the JSON");
        container->json.at += 3;
        container->json.size -= 3;
        container->json_offset += 3;
    }
    return true;
}
