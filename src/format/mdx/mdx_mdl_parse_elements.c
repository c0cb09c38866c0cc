// Statements of MDL elements that the tables do not describe: geosets, materials, nodes, sequences, shapes, cameras.
#include "format/mdx/mdx_mdl.h"

// Geosets

static sni_list list_of(mdx_array array)
{
    return (sni_list){ (void *)(uintptr_t)array.data, array.count, array.count };
}

// Arrays of one word and one list. The last four appear only in hidden statements.
static mdx_array *find_geoset_array(const mdx_mdl_parser *p, mdx_geoset *geoset, mdx_mdl_statement statement,
                                    mdx_mdl_scalar *scalar, uint32_t *width)
{
    const struct {
        const char *name;
        mdx_array *array;
        mdx_mdl_scalar scalar;
        uint32_t width;
    } arrays[] = {
        { "Vertices", &geoset->positions, MDX_MDL_F32, 3 },
        { "Normals", &geoset->normals, MDX_MDL_F32, 3 },
        { "Tangents", &geoset->tangents, MDX_MDL_F32, 4 },
        { "VertexGroup", &geoset->groups, MDX_MDL_U8, 1 },
        { "BoneIndices", &geoset->bone_indices, MDX_MDL_U32, 1 },
        { "BoneWeights", &geoset->bone_weights, MDX_MDL_U32, 1 },
        { "FaceTypes", &geoset->face_types, mdx_is_wow(p->doc) ? MDX_MDL_U8 : MDX_MDL_U32, 1 },
        { "FaceCounts", &geoset->face_counts, MDX_MDL_U32, 1 },
        { "GroupSizes", &geoset->group_sizes, MDX_MDL_U32, 1 },
        { "MatrixList", &geoset->matrices, MDX_MDL_U32, 1 },
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!mdx_mdl_is(statement, arrays[i].name)) continue;
        *scalar = arrays[i].scalar;
        *width = arrays[i].width;
        return arrays[i].array;
    }
    return NULL;
}

// Faces n total { Triangles { { i, i, ... } ... } ... }. All of them become one face group, whatever the braces are.
static void parse_faces(mdx_mdl_parser *p, mdx_geoset *geoset)
{
    sni_list faces = list_of(geoset->faces);
    while (mdx_mdl_at_number(p)) mdx_mdl_skip_count(p);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (!mdx_mdl_is(statement, "Triangles")) {
            mdx_mdl_skip_unknown(p, statement);
            continue;
        }
        mdx_array more = mdx_mdl_read_array(p, MDX_MDL_U16, 1);
        if (faces.count == 0) {
            faces = list_of(more);
            continue;
        }
        for (uint32_t i = 0; i < more.count; i++) {
            uint8_t *index = sni_list_push(p->arena, &faces, 2);
            if (!index) return;
            index[0] = more.data[2 * (size_t)i];
            index[1] = more.data[2 * (size_t)i + 1];
        }
    }
    uint8_t *type = sni_new(p->arena, uint8_t, 4), *count = sni_new(p->arena, uint8_t, 4);
    if (!type || !count) return;
    sni_store_u32(type, MDX_TRIANGLES);  // 1300 uses only the first byte
    sni_store_u32(count, faces.count);
    geoset->faces = (mdx_array){ faces.items, faces.count };
    geoset->face_types = (mdx_array){ type, 1 };
    geoset->face_counts = (mdx_array){ count, 1 };
}

// Groups n total { Matrices { id, ... }, ... }
static void parse_groups(mdx_mdl_parser *p, mdx_geoset *geoset)
{
    sni_list sizes = { 0 }, nodes = { 0 };
    while (mdx_mdl_at_number(p)) mdx_mdl_skip_count(p);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        if (mdx_mdl_peek(p) != '{') mdx_mdl_read_word(p);
        uint8_t *size = sni_list_push(p->arena, &sizes, 4);
        uint32_t before = nodes.count;
        mdx_mdl_open(p);
        while (mdx_mdl_more(p)) {
            uint8_t *node = sni_list_push(p->arena, &nodes, 4);
            if (!node) return;
            sni_store_u32(node, mdx_mdl_read_u32(p));
            if (mdx_mdl_take(p, '{')) mdx_mdl_skip_block(p);
        }
        if (size) sni_store_u32(size, nodes.count - before);
    }
    geoset->group_sizes = (mdx_array){ sizes.items, sizes.count };
    geoset->matrices = (mdx_array){ nodes.items, nodes.count };
}

// Anim { extents } of one sequence.
static void parse_sequence_extent(mdx_mdl_parser *p, sni_list *extents)
{
    mdx_extent extent = { 0 };
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (!mdx_mdl_parse_extent(p, statement, &extent)) mdx_mdl_skip_unknown(p, statement);
    }
    uint8_t *record = sni_list_push(p->arena, extents, mdx_type_bytes(MDX_EXTENT, p->doc->version));
    if (!record) return;
    sni_store_f32(record, extent.radius);
    for (int i = 0; i < 3; i++) {
        sni_store_f32(record + 4 + 4 * i, extent.min[i]);
        sni_store_f32(record + 16 + 4 * i, extent.max[i]);
    }
}

static bool parse_geoset(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    mdx_geoset *geoset = element->at;
    mdx_mdl_scalar scalar;
    uint32_t width;
    mdx_array *array = find_geoset_array(p, geoset, statement, &scalar, &width);
    if (array) {
        *array = mdx_mdl_read_array(p, scalar, width);
    } else if (mdx_mdl_is(statement, "TVertices")) {
        mdx_array *uvs = sni_push(p->arena, &element->parts, mdx_array);
        if (uvs) *uvs = mdx_mdl_read_array(p, MDX_MDL_F32, 2);
    } else if (mdx_mdl_is(statement, "SkinWeights")) {  // with or without braces for each vertex
        geoset->skin = mdx_mdl_read_array(p, MDX_MDL_U8, MDX_SKIN_BYTES);
        geoset->skin.count *= MDX_SKIN_BYTES;
    } else if (mdx_mdl_is(statement, "Faces")) {
        parse_faces(p, geoset);
    } else if (mdx_mdl_is(statement, "Groups")) {
        parse_groups(p, geoset);
    } else if (mdx_mdl_is(statement, "Anim")) {
        parse_sequence_extent(p, &element->extents);
    } else {
        return mdx_mdl_parse_extent(p, statement, &geoset->extent);
    }
    return true;
}

// Materials

static uint32_t shader_type_of(sni_str shader)
{
    return shader.size >= 9 && sni_str_is_nocase(sni_str_make(shader.at, 9), "Shader_HD");
}

// "<= 2" after a texture id: its slot.
static bool take_slot_number(mdx_mdl_parser *p, uint32_t *slot)
{
    const char *start = p->at;
    if (mdx_mdl_peek(p) == '<' && sni_str_is(mdx_mdl_read_word(p), "<=")) {
        *slot = mdx_mdl_read_u32(p);
        return true;
    }
    p->at = start;
    return false;
}

static mdx_texture_slot *push_slot(mdx_mdl_parser *p, sni_list *slots)
{
    mdx_texture_slot *slot = sni_push(p->arena, slots, mdx_texture_slot);
    if (slot) slot->slot = slots->count - 1;
    return slot;
}

// A texture of a layer: an id, perhaps with its slot, or a track. False when it belongs to the layer itself.
static bool parse_slot(mdx_mdl_parser *p, mdx_mdl_statement statement, sni_list *slots)
{
    uint32_t named = 0;
    while (named < 6 && !mdx_mdl_is(statement, mdx_mdl_slot_names[named])) named++;
    if (named == 6) return false;
    if (!statement.is_static && mdx_mdl_at_track(p)) {
        if (!mdx_has_slots(p->doc)) return false;
        mdx_texture_slot *slot = push_slot(p, slots);
        sni_list tracks = { 0 };
        mdx_mdl_read_track(p, mdx_find_track_kind(MDX_KMTF), &tracks);
        if (slot) slot->tracks = (mdx_tracks){ tracks.items, tracks.count };
        if (slot && named > 0) slot->slot = named;
        return true;
    }
    const char *start = p->at;
    uint32_t texture = mdx_mdl_read_u32(p), number = named;
    bool has_number = take_slot_number(p, &number) || named > 0;
    if (!has_number && !mdx_has_slots(p->doc)) {
        p->at = start;
        return false;
    }
    mdx_texture_slot *slot = push_slot(p, slots);
    if (!slot) return true;
    slot->texture = texture;
    if (has_number) slot->slot = number;
    return true;
}

// Hidden statements: the number of the last slot, the texture that its track replaces, the layer's own texture.
static bool parse_hidden_of_layer(mdx_mdl_parser *p, mdx_mdl_statement statement, mdx_layer *layer, sni_list *slots)
{
    mdx_texture_slot *last = slots->count ? (mdx_texture_slot *)slots->items + slots->count - 1 : NULL;
    if (last && mdx_mdl_is(statement, "Slot")) last->slot = mdx_mdl_read_u32(p);
    else if (last && mdx_mdl_is(statement, "SlotTexture")) last->texture = mdx_mdl_read_u32(p);
    else if (mdx_mdl_is(statement, "Texture")) layer->texture = mdx_mdl_read_i32(p);
    else if (mdx_mdl_is(statement, "ShaderType")) layer->shader_type = mdx_mdl_read_u32(p);
    else if (mdx_mdl_is(statement, "Short")) layer->is_short = mdx_mdl_read_u32(p) != 0;
    else return false;
    return true;
}

static void parse_layer(mdx_mdl_parser *p, mdx_mdl_element *element, uint64_t offset)
{
    mdx_material *material = element->at;
    mdx_layer layer = { .item.offset = offset };
    sni_list slots = { 0 }, tracks = { 0 };
    bool has_slots = mdx_has_slots(p->doc);
    mdx_mdl_set_defaults(mdx_layer_fields, p->doc->version, &layer);
    if (has_slots) layer.shader_type = shader_type_of(element->shader);
    sni_enter(&p->load->diag, "Layer", element->parts.count);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (mdx_mdl_is(statement, "Shader")) {
            sni_str shader = mdx_mdl_read_text(p, MDX_NAME_BYTES);
            layer.shader_type = shader_type_of(shader);
            if (!has_slots && !material->shader.size) material->shader = shader;
        } else if (!parse_slot(p, statement, &slots) && !mdx_mdl_parse_keyword(p, MDX_LAYS, statement, &layer) &&
                   !parse_hidden_of_layer(p, statement, &layer, &slots) &&
                   !mdx_mdl_parse_field(p, mdx_layer_fields, statement, &layer, &tracks)) {
            mdx_mdl_skip_unknown(p, statement);
        }
    }
    sni_leave(&p->load->diag);
    layer.item.tracks = (mdx_tracks){ tracks.items, tracks.count };

    // Before 1100 each texture is a separate layer, but drafts of 900 list them as 1100 does.
    bool is_split = slots.count > 0 && !has_slots;
    if (!is_split) layer.slots = slots.items, layer.slot_count = slots.count;
    for (uint32_t i = 0; i < (is_split ? slots.count : 1); i++) {
        mdx_layer *kept = sni_push(p->arena, &element->parts, mdx_layer);
        if (!kept) return;
        if (is_split) layer.texture = (int32_t)((const mdx_texture_slot *)slots.items)[i].texture;
        *kept = layer;
        layer.item.tracks = (mdx_tracks){ NULL, 0 };
    }
}

static bool parse_material(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    if (mdx_mdl_is(statement, "Layer")) parse_layer(p, element, statement.offset);
    else if (mdx_mdl_is(statement, "Shader") && mdx_has_slots(p->doc))
        element->shader = mdx_mdl_read_text(p, MDX_NAME_BYTES);
    else return false;
    return true;
}

// Nodes

// DontInherit { Rotation, Scaling }
static void parse_dont_inherit(mdx_mdl_parser *p, mdx_node *node)
{
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (mdx_mdl_is(statement, "Translation")) node->flags |= MDX_NODE_OWN_TRANSLATION;
        else if (mdx_mdl_is(statement, "Scaling")) node->flags |= MDX_NODE_OWN_SCALE;
        else if (mdx_mdl_is(statement, "Rotation")) node->flags |= MDX_NODE_OWN_ROTATION;
        else mdx_mdl_skip_unknown(p, statement);
    }
}

static bool parse_node(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    mdx_node *node = &((mdx_object *)element->at)->node;
    if (mdx_mdl_is(statement, "ObjectId")) node->id = mdx_mdl_read_i32(p), node->lacks_id = false;
    else if (mdx_mdl_is(statement, "Parent")) node->parent = mdx_mdl_read_i32(p);
    else if (mdx_mdl_is(statement, "DontInherit")) parse_dont_inherit(p, node);
    else return mdx_mdl_parse_track(p, mdx_node_tracks, statement, &element->node_tracks);
    return true;
}

static bool parse_event(mdx_mdl_parser *p, mdx_event *event, mdx_mdl_statement statement)
{
    if (!mdx_mdl_is(statement, "EventTrack")) return false;
    sni_list times = { 0 };
    event->has_times = true;
    mdx_mdl_skip_count(p);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        if (!mdx_mdl_at_number(p)) {
            mdx_mdl_statement inner = mdx_mdl_read_statement(p);
            if (mdx_mdl_is(inner, "GlobalSeqId")) event->global_sequence = mdx_mdl_read_i32(p);
            else mdx_mdl_skip_unknown(p, inner);
            continue;
        }
        uint8_t *time = sni_list_push(p->arena, &times, 4);
        if (time) sni_store_u32(time, (uint32_t)mdx_mdl_read_i32(p));
    }
    event->times = (mdx_array){ times.items ? times.items : sni_new(p->arena, uint8_t, 0), times.count };
    return true;
}

// Points and radius. The hidden Values { } has all numbers of a shape with an unusual number of them.
static bool parse_shape(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    mdx_shape *shape = element->at;
    if (mdx_mdl_is(statement, "Values")) {
        shape->values = mdx_mdl_read_array(p, MDX_MDL_F32, 1);
    } else if (mdx_mdl_is(statement, "BoundsRadius")) {
        element->has_shape = true;
        mdx_mdl_read_floats(p, &element->radius, 1);
    } else if (mdx_mdl_is(statement, "Vertices")) {
        element->has_shape = true;
        mdx_array points = mdx_mdl_read_array(p, MDX_MDL_F32, 3);
        for (uint32_t i = 0; i < 6 && i < 3 * points.count; i++) element->points[i] = sni_load_f32(points.data + 4 * i);
    } else {
        return false;
    }
    return true;
}

// As many numbers as MDX has for this kind, whatever the text has.
static void end_shape(mdx_mdl_parser *p, mdx_mdl_element *element)
{
    mdx_shape *shape = element->at;
    const mdx_array given = shape->values;
    const bool is_hit_test = element->kind->tag == MDX_HTST, has_values = given.data && !element->has_shape;
    const uint32_t point_floats = 3 * mdx_mdl_shape_points(shape->kind);
    const uint32_t count = is_hit_test ? mdx_hit_test_size(shape->kind)
                                       : point_floats + mdx_mdl_shape_has_radius(shape->kind);
    if (has_values && (!is_hit_test || given.count == count)) return;
    uint8_t *values = sni_new(p->arena, uint8_t, 4 * (uint64_t)count);
    if (!values) return;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_values) sni_store_f32(values + 4 * i, i < point_floats ? element->points[i] : element->radius);
        else if (i < given.count) sni_store_u32(values + 4 * i, sni_load_u32(given.data + 4 * (size_t)i));
    }
    shape->values = (mdx_array){ values, count };
    if (has_values)
        sni_warn(&p->load->diag, SNI_WARN_MDL_LIST, mdx_mdl_offset(p), "%u numbers instead of %u", given.count, count);
}

// Sequences and cameras

static bool parse_sequence(mdx_mdl_parser *p, mdx_sequence *sequence, mdx_mdl_statement statement)
{
    if (mdx_mdl_parse_extent(p, statement, &sequence->extent)) return true;
    if (mdx_mdl_is(statement, "Looping")) return true;
    if (!mdx_mdl_is(statement, "Interval")) return false;
    bool has_brace = mdx_mdl_take(p, '{');
    sequence->start = mdx_mdl_read_u32(p);
    sequence->end = mdx_mdl_read_u32(p);
    while (has_brace && mdx_mdl_more(p)) mdx_mdl_skip_unknown(p, mdx_mdl_read_statement(p));
    return true;
}

// Inside Target { }.
static bool parse_camera_target(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    mdx_camera *camera = element->at;
    if (mdx_mdl_is(statement, "Position")) mdx_mdl_read_floats(p, &camera->target.x, 3);
    else if (mdx_mdl_is(statement, "Translation") && mdx_mdl_at_track(p))
        mdx_mdl_read_track(p, mdx_find_track_kind(MDX_KTTR), &element->tracks);
    else return false;
    return true;
}

bool mdx_mdl_parse_special(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement)
{
    if (element->kind->is_node && parse_node(p, element, statement)) return true;
    switch (element->kind->tag) {
    case MDX_GEOS: return parse_geoset(p, element, statement);
    case MDX_MTLS: return parse_material(p, element, statement);
    case MDX_SEQS: return parse_sequence(p, element->at, statement);
    case MDX_EVTS: return parse_event(p, element->at, statement);
    case MDX_CLID:
    case MDX_HTST: return parse_shape(p, element, statement);
    case MDX_CAMS: return element->in_target && parse_camera_target(p, element, statement);
    case MDX_GEOA:  // a colour sets its flag as well
        if (mdx_mdl_is(statement, "Color")) ((mdx_geoset_anim *)element->at)->flags |= mdx_use_color_flag(p->doc);
        return false;
    case MDX_LITE:
        if (!mdx_mdl_is(statement, "Short")) return false;
        ((mdx_light *)element->at)->is_short = mdx_mdl_read_u32(p) != 0;
        return true;
    case MDX_PRE2:
        if (!mdx_mdl_is(statement, "Spline")) return false;
        ((mdx_emitter2 *)element->at)->spline = mdx_mdl_read_array(p, MDX_MDL_F32, 3);
        return true;
    default: return false;
    }
}

void mdx_mdl_end_element(mdx_mdl_parser *p, mdx_mdl_element *element)
{
    if (element->kind->tag == MDX_GEOS) {
        mdx_geoset *geoset = element->at;
        if (element->parts.count > 0) geoset->uvs = element->parts.items, geoset->uv_count = element->parts.count;
        if (element->extents.count > 0) geoset->extents = (mdx_array){ element->extents.items, element->extents.count };
        geoset->has_uvs = true;
    }
    if (element->kind->tag == MDX_MTLS) {
        mdx_material *material = element->at;
        if (element->parts.count > 0)
            material->layers = element->parts.items, material->layer_count = element->parts.count;
        material->has_layers = true;
    }
    if (element->kind->tag == MDX_CLID || element->kind->tag == MDX_HTST) end_shape(p, element);
}

// Nodes without an ObjectId get the lowest ids that no other node has.
void mdx_mdl_assign_ids(mdx_mdl_parser *p)
{
    uint32_t count = 0, next = 0;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->is_node) count += mdx_element_count(p->doc, kind);
    bool *is_used = sni_new(p->arena, bool, count);
    if (!is_used) return;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_element_count(p->doc, kind); i++) {
            const mdx_node *node = &((const mdx_object *)mdx_element_at(p->doc, kind, i))->node;
            if (!node->lacks_id && node->id >= 0 && (uint32_t)node->id < count) is_used[node->id] = true;
        }
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_element_count(p->doc, kind); i++) {
            mdx_object *object = mdx_element_at(p->doc, kind, i);
            if (!object->node.lacks_id) continue;
            while (next < count && is_used[next]) next++;
            object->node.id = (int32_t)next++;
            object->node.lacks_id = false;
            sni_warn(&p->load->diag, SNI_WARN_MDL_ID, object->item.offset, "%s[%u] has no ObjectId; it gets %d",
                     kind->mdl_name, i, object->node.id);
        }
}
