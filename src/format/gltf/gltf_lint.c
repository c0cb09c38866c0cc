#include "format/gltf/gltf_doc.h"
void gltf_lint(sni_load *load, const gltf_doc *doc) { (void)load; (void)doc; }
