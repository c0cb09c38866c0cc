#include "format/format.h"
#include "format/gltf/gltf_doc.h"
#include "model/builder.h"

// A GLB says who it is. JSON text could be anything: it must open an object that soon names a key.
static int gltf_probe(sni_bytes bytes)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size;
    if (bytes.size >= 4 && sni_load_u32(at) == GLTF_GLB_MAGIC) return 100;
    if (bytes.size >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF) at += 3;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    if (at == end || *at != '{') return 0;
    for (at++; at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'); at++) {}
    return at == end || *at == '"' || *at == '}' ? 60 : 0;
}

static bool gltf_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    gltf_container container;
    gltf_doc *doc = sni_new(&load->scratch, gltf_doc, 1);
    load->diag.json_paths = true;
    if (!doc || !gltf_parse_container(load, bytes, &container) || !gltf_parse_json(load, &container, doc)) return false;
    gltf_resolve(load, doc);
    if (!gltf_load_buffers(load, &container, doc) || !gltf_unpack_views(load, doc)) return false;
    if (load->lint) gltf_lint(load, doc);
    return gltf_unpack_primitives(load, doc) && gltf_build(load, doc, model) && sni_model_finish(load, model);
}

const sni_format sni_format_gltf = {
    .name = "gltf",
    .title = "glTF 2.0",
    .extensions = "gltf glb",
    .has_exact_refs = true,
    .probe = gltf_probe,
    .load = gltf_load,
    .save = gltf_save,
};
