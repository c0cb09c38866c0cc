// The objects of a document, for each other: gltf_parse_json.c, gltf_parse_looks.c, gltf_parse_extensions.c.
#ifndef GLTF_PARSE_OBJECTS_H
#define GLTF_PARSE_OBJECTS_H

#include "format/gltf/gltf_props.h"

void gltf_parse_animation(gltf_parser *parser, void *item);
void gltf_parse_material(gltf_parser *parser, void *item);
void gltf_parse_texture(gltf_parser *parser, void *item);
void gltf_parse_texture_sampler(gltf_parser *parser, void *item);
void gltf_parse_image(gltf_parser *parser, void *item);
void gltf_parse_camera(gltf_parser *parser, void *item);

void gltf_parse_attributes(gltf_parser *parser, const char *name, gltf_attributes *attributes);

void gltf_parse_texture_info(gltf_parser *parser, const char *name, gltf_texture_info *info);

// The extensions of one kind of object each; see gltf_read_extension.
bool gltf_read_document_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_read_node_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_read_material_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_read_texture_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_read_texture_info_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_read_target_extension(gltf_parser *parser, void *item, sni_str name);

#endif
