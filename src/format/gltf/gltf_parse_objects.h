// The objects of a document that gltf_parse_looks.c reads.
#ifndef GLTF_PARSE_OBJECTS_H
#define GLTF_PARSE_OBJECTS_H

#include "format/gltf/gltf_props.h"

void gltf_parse_animation(gltf_parser *parser, void *item);
void gltf_parse_material(gltf_parser *parser, void *item);
void gltf_parse_texture(gltf_parser *parser, void *item);
void gltf_parse_texture_sampler(gltf_parser *parser, void *item);
void gltf_parse_image(gltf_parser *parser, void *item);
void gltf_parse_camera(gltf_parser *parser, void *item);

#endif
