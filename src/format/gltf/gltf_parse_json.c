// The top of the document, and the objects that are geometry and scene. See gltf_parse_looks.c for the rest.
#include <string.h>

#include "format/gltf/gltf_parse_objects.h"

static void parse_buffer(gltf_parser *parser, void *item)
{
    gltf_buffer *buffer = item;
    sni_str key;
    if (!gltf_begin(parser, &buffer->object)) return;
    while (gltf_next(parser, &buffer->object, &key)) {
        if (sni_str_is(key, "uri")) gltf_text(parser, "uri", &buffer->uri);
        else if (sni_str_is(key, "byteLength")) gltf_u64(parser, "byteLength", &buffer->byte_length);
        else sni_json_skip(&parser->json);
    }
}

// An extension of a view. Where both names stand on one view, the first is read.
static bool parse_meshopt(gltf_parser *parser, void *item, sni_str name)
{
    static const char *const modes[] = { "", "ATTRIBUTES", "TRIANGLES", "INDICES", NULL };
    static const char *const filters[] = { "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR", NULL };
    gltf_meshopt *packed = &((gltf_view *)item)->meshopt;
    bool is_ext = sni_str_is(name, GLTF_EXT_MESHOPT);
    if (packed->extension || (!is_ext && !sni_str_is(name, GLTF_KHR_MESHOPT))) return false;
    *packed = (gltf_meshopt){ .extension = is_ext ? GLTF_EXT_MESHOPT : GLTF_KHR_MESHOPT, .buffer = -1 };
    gltf_object object;
    sni_str key;
    sni_enter(&parser->load->diag, packed->extension, -1);
    gltf_begin(parser, &object);
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "buffer")) gltf_index(parser, "buffer", &packed->buffer);
        else if (sni_str_is(key, "byteOffset")) gltf_u64(parser, "byteOffset", &packed->byte_offset);
        else if (sni_str_is(key, "byteLength")) gltf_u64(parser, "byteLength", &packed->byte_length);
        else if (sni_str_is(key, "byteStride")) gltf_u32(parser, "byteStride", &packed->stride);
        else if (sni_str_is(key, "count")) gltf_u32(parser, "count", &packed->count);
        else if (sni_str_is(key, "mode")) gltf_word(parser, "mode", modes, &packed->mode);
        else if (sni_str_is(key, "filter")) {
            packed->filter = GLTF_UNKNOWN_FILTER;
            gltf_word(parser, "filter", filters, &packed->filter);
        } else sni_json_skip(&parser->json);
    }
    sni_leave(&parser->load->diag);
    return true;
}

static void parse_view(gltf_parser *parser, void *item)
{
    gltf_view *view = item;
    bool is_good = true;
    sni_str key;
    view->buffer = view->meshopt.buffer = -1;
    if (!gltf_begin(parser, &view->object)) return;
    while (gltf_next_extended(parser, &view->object, &key, parse_meshopt, view)) {
        if (sni_str_is(key, "buffer")) is_good &= gltf_index(parser, "buffer", &view->buffer);
        else if (sni_str_is(key, "byteOffset")) is_good &= gltf_u64(parser, "byteOffset", &view->byte_offset);
        else if (sni_str_is(key, "byteLength")) is_good &= gltf_u64(parser, "byteLength", &view->byte_length);
        else if (sni_str_is(key, "byteStride")) is_good &= gltf_u32(parser, "byteStride", &view->stride);
        else if (sni_str_is(key, "target")) gltf_u32(parser, "target", &view->target);
        else sni_json_skip(&parser->json);
    }
    if (!is_good) view->buffer = -1;  // nobody can say which bytes were meant
}

static void parse_sparse_side(gltf_parser *parser, const char *name, int32_t *view, uint64_t *offset, uint32_t *type)
{
    gltf_object object;
    bool is_good = true;
    sni_str key;
    if (!gltf_is(parser, name, SNI_JSON_OBJECT) || !gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "bufferView")) is_good &= gltf_index(parser, "bufferView", view);
        else if (sni_str_is(key, "byteOffset")) is_good &= gltf_u64(parser, "byteOffset", offset);
        else if (type && sni_str_is(key, "componentType")) gltf_u32(parser, "componentType", type);
        else sni_json_skip(&parser->json);
    }
    if (!is_good) *view = -1;
}

static void parse_sparse(gltf_parser *parser, gltf_sparse *sparse)
{
    gltf_object object;
    sni_str key;
    *sparse = (gltf_sparse){ .index_view = -1, .value_view = -1 };
    if (!gltf_is(parser, "sparse", SNI_JSON_OBJECT) || !gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "count")) gltf_u32(parser, "count", &sparse->count);
        else if (sni_str_is(key, "indices"))
            parse_sparse_side(parser, "indices", &sparse->index_view, &sparse->index_offset, &sparse->index_type);
        else if (sni_str_is(key, "values"))
            parse_sparse_side(parser, "values", &sparse->value_view, &sparse->value_offset, NULL);
        else sni_json_skip(&parser->json);
    }
}

static void parse_accessor(gltf_parser *parser, void *item)
{
    static const char *const types[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", NULL };
    gltf_accessor *accessor = item;
    uint32_t type = GLTF_NO_TYPE;
    bool is_good = true;
    sni_str key;
    accessor->view = -1;
    if (!gltf_begin(parser, &accessor->object)) return;
    while (gltf_next(parser, &accessor->object, &key)) {
        if (sni_str_is(key, "bufferView")) is_good &= gltf_index(parser, "bufferView", &accessor->view);
        else if (sni_str_is(key, "byteOffset")) is_good &= gltf_u64(parser, "byteOffset", &accessor->byte_offset);
        else if (sni_str_is(key, "componentType")) gltf_u32(parser, "componentType", &accessor->component_type);
        else if (sni_str_is(key, "count")) gltf_u32(parser, "count", &accessor->count);
        else if (sni_str_is(key, "type")) gltf_word(parser, "type", types, &type);
        else if (sni_str_is(key, "normalized")) gltf_bool(parser, "normalized", &accessor->is_normalized);
        else if (sni_str_is(key, "min")) gltf_float_list(parser, "min", &accessor->min);
        else if (sni_str_is(key, "max")) gltf_float_list(parser, "max", &accessor->max);
        else if (sni_str_is(key, "sparse")) parse_sparse(parser, &accessor->sparse);
        else sni_json_skip(&parser->json);
    }
    accessor->type = is_good ? (gltf_type)type : GLTF_NO_TYPE;
}

void gltf_parse_attributes(gltf_parser *parser, const char *name, gltf_attributes *attributes)
{
    if (!gltf_is(parser, name, SNI_JSON_OBJECT)) return;
    sni_list list = { 0 };
    sni_str key;
    for (sni_json_enter_object(&parser->json); sni_json_next_key(&parser->json, &key);) {
        const char *semantic = sni_text_clean(&parser->load->scratch, key, NULL);
        int32_t accessor = -1;
        gltf_index(parser, semantic, &accessor);
        gltf_attribute *item = NULL;
        for (uint32_t i = 0; !item && i < list.count && list.count <= 64; i++) {
            gltf_attribute *earlier = (gltf_attribute *)list.items + i;
            if (strcmp(earlier->name, semantic) == 0) item = earlier;  // a duplicate key: the last wins
        }
        if (!item) item = sni_push(&parser->load->scratch, &list, gltf_attribute);
        if (!item) return;
        *item = (gltf_attribute){ semantic, accessor };
    }
    if (list.count == 0 && sni_json_ok(&parser->json)) gltf_warn_at(parser, name, SNI_WARN_JSON_EMPTY, "is empty");
    *attributes = (gltf_attributes){ list.items, list.count };
}

static void parse_targets(gltf_parser *parser, gltf_primitive *primitive)
{
    if (!gltf_is(parser, "targets", SNI_JSON_ARRAY)) return;
    sni_list list = { 0 };
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        gltf_attributes *target = sni_push(&parser->load->scratch, &list, gltf_attributes);
        if (!target) return;
        gltf_parse_attributes(parser, "targets", target);
    }
    primitive->targets = list.items;
    primitive->target_count = list.count;
    if (list.count == 0 && sni_json_ok(&parser->json)) gltf_warn_at(parser, "targets", SNI_WARN_JSON_EMPTY, "is empty");
}

static bool parse_draco(gltf_parser *parser, void *item, sni_str name)
{
    gltf_draco_primitive *draco = &((gltf_primitive *)item)->draco;
    gltf_object object;
    sni_str key;
    if (!sni_str_is(name, GLTF_DRACO)) return false;
    *draco = (gltf_draco_primitive){ .is_read = true, .view = -1 };
    sni_enter(&parser->load->diag, GLTF_DRACO, -1);
    gltf_begin(parser, &object);
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "bufferView")) gltf_index(parser, "bufferView", &draco->view);
        else if (sni_str_is(key, "attributes")) gltf_parse_attributes(parser, "attributes", &draco->attributes);
        else sni_json_skip(&parser->json);
    }
    sni_leave(&parser->load->diag);
    return true;
}

static void parse_primitive(gltf_parser *parser, void *item)
{
    gltf_primitive *primitive = item;
    sni_str key;
    primitive->indices = primitive->material = primitive->draco.view = -1;
    primitive->mode = GLTF_TRIANGLES;
    if (!gltf_begin(parser, &primitive->object)) return;
    while (gltf_next_extended(parser, &primitive->object, &key, parse_draco, primitive)) {
        if (sni_str_is(key, "attributes")) gltf_parse_attributes(parser, "attributes", &primitive->attributes);
        else if (sni_str_is(key, "indices"))
            primitive->is_broken |= !gltf_index(parser, "indices", &primitive->indices);
        else if (sni_str_is(key, "material")) gltf_index(parser, "material", &primitive->material);
        else if (sni_str_is(key, "mode")) gltf_u32(parser, "mode", &primitive->mode);
        else if (sni_str_is(key, "targets")) parse_targets(parser, primitive);
        else sni_json_skip(&parser->json);
    }
}

// extras.targetNames: a habit of exporters, not a rule; anything that does not fit it is left alone.
static void read_target_names(gltf_parser *parser, gltf_mesh *mesh)
{
    if (!mesh->object.extras) return;
    sni_str text = sni_str_make(mesh->object.extras, strlen(mesh->object.extras));
    sni_arena *keep = &parser->load->keep;
    sni_json json = sni_json_make(text, 0, parser->load->limits.depth, &parser->load->diag, keep);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return;
    sni_str key;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (!sni_str_is(key, "targetNames") || sni_json_peek(&json) != SNI_JSON_ARRAY) {
            sni_json_skip(&json);
            continue;
        }
        sni_list names = { 0 };
        for (sni_json_enter_array(&json); sni_json_next_item(&json);) {
            const char **name = sni_push(&parser->load->scratch, &names, const char *);
            if (!name) return;
            *name = "";
            if (sni_json_peek(&json) == SNI_JSON_STRING) *name = sni_json_string(&json, NULL);
            else sni_json_skip(&json);
        }
        mesh->target_names = (gltf_texts){ names.items, names.count };
    }
}

static void parse_mesh(gltf_parser *parser, void *item)
{
    gltf_mesh *mesh = item;
    sni_str key;
    if (!gltf_begin(parser, &mesh->object)) return;
    while (gltf_next(parser, &mesh->object, &key)) {
        if (sni_str_is(key, "primitives"))
            gltf_object_list(parser, "primitives", sizeof(gltf_primitive), parse_primitive, &mesh->primitives,
                             &mesh->primitive_count);
        else if (sni_str_is(key, "weights")) gltf_float_list(parser, "weights", &mesh->weights);
        else sni_json_skip(&parser->json);
    }
    read_target_names(parser, mesh);
}

static void parse_node(gltf_parser *parser, void *item)
{
    gltf_node *node = item;
    sni_str key;
    node->mesh = node->skin = node->camera = node->light = -1;
    node->trs.rotation.w = 1.0f;
    node->trs.scale = (sn_vec3){ 1, 1, 1 };
    if (!gltf_begin(parser, &node->object)) return;
    while (gltf_next_extended(parser, &node->object, &key, gltf_read_node_extension, node)) {
        if (sni_str_is(key, "children")) gltf_index_list(parser, "children", &node->children);
        else if (sni_str_is(key, "mesh")) gltf_index(parser, "mesh", &node->mesh);
        else if (sni_str_is(key, "skin")) gltf_index(parser, "skin", &node->skin);
        else if (sni_str_is(key, "camera")) gltf_index(parser, "camera", &node->camera);
        else if (sni_str_is(key, "translation"))
            node->has_trs |= gltf_vector(parser, "translation", &node->trs.translation.x, 3);
        else if (sni_str_is(key, "rotation"))
            node->has_trs |= gltf_vector(parser, "rotation", &node->trs.rotation.x, 4);
        else if (sni_str_is(key, "scale")) node->has_trs |= gltf_vector(parser, "scale", &node->trs.scale.x, 3);
        else if (sni_str_is(key, "matrix")) node->has_matrix |= gltf_vector(parser, "matrix", node->matrix, 16);
        else if (sni_str_is(key, "weights")) gltf_float_list(parser, "weights", &node->weights);
        else sni_json_skip(&parser->json);
    }
}

static void parse_skin(gltf_parser *parser, void *item)
{
    gltf_skin *skin = item;
    sni_str key;
    skin->inverse_binds = skin->skeleton = -1;
    if (!gltf_begin(parser, &skin->object)) return;
    while (gltf_next(parser, &skin->object, &key)) {
        if (sni_str_is(key, "inverseBindMatrices")) gltf_index(parser, "inverseBindMatrices", &skin->inverse_binds);
        else if (sni_str_is(key, "skeleton")) gltf_index(parser, "skeleton", &skin->skeleton);
        else if (sni_str_is(key, "joints")) gltf_index_list(parser, "joints", &skin->joints);
        else sni_json_skip(&parser->json);
    }
}

static void parse_scene(gltf_parser *parser, void *item)
{
    gltf_scene *scene = item;
    sni_str key;
    if (!gltf_begin(parser, &scene->object)) return;
    while (gltf_next(parser, &scene->object, &key)) {
        if (sni_str_is(key, "nodes")) gltf_index_list(parser, "nodes", &scene->nodes);
        else sni_json_skip(&parser->json);
    }
}

static void parse_asset(gltf_parser *parser, gltf_asset *asset)
{
    sni_str key;
    sni_enter(&parser->load->diag, "asset", -1);
    if (gltf_begin(parser, &asset->object)) {
        while (gltf_next(parser, &asset->object, &key)) {
            if (sni_str_is(key, "version")) gltf_text(parser, "version", &asset->version);
            else if (sni_str_is(key, "minVersion")) gltf_text(parser, "minVersion", &asset->min_version);
            else if (sni_str_is(key, "generator")) gltf_text(parser, "generator", &asset->generator);
            else if (sni_str_is(key, "copyright")) gltf_text(parser, "copyright", &asset->copyright);
            else sni_json_skip(&parser->json);
        }
    }
    sni_leave(&parser->load->diag);
}

static bool parse_arrays(gltf_parser *parser, sni_str key)
{
    gltf_doc *doc = parser->doc;
#define GLTF_ARRAY(text, type, parse, field)                                                      \
    if (sni_str_is(key, text)) {                                                                  \
        gltf_object_list(parser, text, sizeof(type), parse, &doc->field##s, &doc->field##_count); \
        return true;                                                                              \
    }
    GLTF_ARRAY("buffers", gltf_buffer, parse_buffer, buffer)
    GLTF_ARRAY("bufferViews", gltf_view, parse_view, view)
    GLTF_ARRAY("accessors", gltf_accessor, parse_accessor, accessor)
    GLTF_ARRAY("nodes", gltf_node, parse_node, node)
    GLTF_ARRAY("skins", gltf_skin, parse_skin, skin)
    GLTF_ARRAY("scenes", gltf_scene, parse_scene, scene)
    GLTF_ARRAY("animations", gltf_animation, gltf_parse_animation, animation)
    GLTF_ARRAY("materials", gltf_material, gltf_parse_material, material)
    GLTF_ARRAY("textures", gltf_texture, gltf_parse_texture, texture)
    GLTF_ARRAY("samplers", gltf_texture_sampler, gltf_parse_texture_sampler, sampler)
    GLTF_ARRAY("images", gltf_image, gltf_parse_image, image)
    GLTF_ARRAY("cameras", gltf_camera, gltf_parse_camera, camera)
#undef GLTF_ARRAY
    if (!sni_str_is(key, "meshes")) return false;
    gltf_object_list(parser, "meshes", sizeof(gltf_mesh), parse_mesh, &doc->meshes, &doc->mesh_count);
    return true;
}

static void parse_top(gltf_parser *parser)
{
    gltf_doc *doc = parser->doc;
    gltf_object top = { 0 };
    sni_str key;
    if (sni_json_peek(&parser->json) != SNI_JSON_OBJECT) {
        sni_fail(&parser->load->diag, SN_ERR_CORRUPT, sni_json_offset(&parser->json), "the JSON is not an object");
        return;
    }
    gltf_begin(parser, &top);
    while (gltf_next_extended(parser, &top, &key, gltf_read_document_extension, doc)) {
        if (parse_arrays(parser, key)) continue;
        if (sni_str_is(key, "asset")) parse_asset(parser, &doc->asset);
        else if (sni_str_is(key, "scene")) gltf_index(parser, "scene", &doc->scene);
        else if (sni_str_is(key, "extensionsUsed")) gltf_text_list(parser, "extensionsUsed", &doc->extensions_used);
        else if (sni_str_is(key, "extensionsRequired"))
            gltf_text_list(parser, "extensionsRequired", &doc->extensions_required);
        else sni_json_skip(&parser->json);
    }
    sni_json_finish(&parser->json);
    doc->extras = top.extras;
    doc->extensions = top.extensions;
}

// "2.0": digits, a point, digits.
static bool parse_version(const char *text, uint32_t *major, uint32_t *minor)
{
    uint32_t parts[2] = { 0, 0 };
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        const char *start = at;
        for (; *at >= '0' && *at <= '9' && at - start < 6; at++) parts[i] = parts[i] * 10 + (uint32_t)(*at - '0');
        if (at == start || *at != (i == 0 ? '.' : 0)) return false;
        at++;
    }
    *major = parts[0];
    *minor = parts[1];
    return true;
}

static bool check_version(sni_load *load, const gltf_asset *asset)
{
    sni_diag *diag = &load->diag;
    uint32_t major = 0, minor = 0, min_major = 2, min_minor = 0;
    if (!asset->version || !parse_version(asset->version, &major, &minor))
        return sni_fail(diag, SN_ERR_CORRUPT, asset->object.offset, "no version: this is not a glTF file");
    bool has_min = asset->min_version && parse_version(asset->min_version, &min_major, &min_minor);
    if (major != 2 && !(has_min && min_major == 2))
        return sni_fail(diag, SN_ERR_UNSUPPORTED, asset->object.offset, "glTF %s is not supported", asset->version);
    if (has_min && (min_major != 2 || min_minor > 0))
        return sni_fail(diag, SN_ERR_UNSUPPORTED, asset->object.offset, "needs a reader of glTF %s",
                        asset->min_version);
    if (minor > 0 || major != 2)
        sni_warn(diag, SNI_WARN_GLTF_MINOR_VERSION, asset->object.offset, "glTF %s read as 2.0", asset->version);
    return true;
}

bool gltf_parse_json(sni_load *load, const gltf_container *container, gltf_doc *doc)
{
    gltf_parser parser = { .load = load, .doc = doc };
    parser.json = sni_json_make(container->json, container->json_offset, load->limits.depth, &load->diag,
                                &load->scratch);
    doc->scene = -1;
    parse_top(&parser);
    doc->extensions_found = (gltf_texts){ parser.extensions_found.items, parser.extensions_found.count };
    if (!sni_load_ok(load)) return false;
    sni_enter(&load->diag, "asset", -1);
    bool is_good = check_version(load, &doc->asset);
    sni_leave(&load->diag);
    return is_good && gltf_check_extensions(load, doc);
}
