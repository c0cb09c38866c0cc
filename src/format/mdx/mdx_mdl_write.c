// Document to MDL, as the game's own tools write it: tabs, their order, their words. Parsing it gives the same
// document, except for what MDL cannot hold: the order of chunks and of TANG and SKIN, unknown and empty chunks, bytes
// after the NUL of a name or after the known part of an element, unused words of 1300, NaN and infinity, and quotes and
// line breaks in names. Values without a word of their own follow "//@", which other programs take for a comment.
#include "format/mdx/mdx_mdl.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct mdl_out {
    const mdx_doc *doc;
    sni_writer *to;
    sni_writer hidden;  // "//@ Also Bone 3 { Flags 0, }": goes after the block
    uint32_t depth;
    const mdx_kind *kind;  // the element being written
    uint32_t index;
    bool has_hidden;   // the Also line of the element is open
    bool ends_hidden;  // nothing but hidden lines since the last block
    bool is_inline;    // in layers and tracks: hidden statements go into the block itself
} mdl_out;

static const mdx_tracks NO_TRACKS = { NULL, 0 };

// Text and numbers

static void put(mdl_out *out, const char *text) { sni_write_text(out->to, text); }

// The shortest text that reads back as the same float. NaN and infinity become 0.
static void put_float(mdl_out *out, float value)
{
    char text[24];
    sni_write_bytes(out->to, text, sni_format_float(isfinite(value) ? value : 0, text));
}

static void put_unsigned(mdl_out *out, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    put(out, text);
}

static void put_signed(mdl_out *out, int32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, value);
    put(out, text);
}

// Up to its NUL. MDL has no escapes: a quote becomes an apostrophe, a line break a space. The game's own models have
// tabs in names.
static void put_string(mdl_out *out, sni_str text)
{
    sni_write_u8(out->to, '"');
    for (size_t i = 0; i < text.size && text.at[i]; i++) {
        char c = text.at[i];
        sni_write_u8(out->to, (uint8_t)(c == '"' ? '\'' : c == '\r' || c == '\n' ? ' ' : c));
    }
    sni_write_u8(out->to, '"');
}

// { a, b, ... } of little-endian floats.
static void put_floats(mdl_out *out, const uint8_t *values, uint32_t count)
{
    put(out, "{ ");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) put(out, ", ");
        put_float(out, sni_load_f32(values + 4 * (size_t)i));
    }
    put(out, " }");
}

static void put_vec3(mdl_out *out, float x, float y, float z)
{
    put(out, "{ "), put_float(out, x);
    put(out, ", "), put_float(out, y);
    put(out, ", "), put_float(out, z);
    put(out, " }");
}

// Lines and blocks

static void begin_line(mdl_out *out) { sni_write_fill(out->to, '\t', out->depth); }

static void end_line(mdl_out *out) { put(out, ",\n"); }

SNI_PRINTF(2, 3) static void put_line(mdl_out *out, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    begin_line(out);
    put(out, text);
    end_line(out);
}

static void put_float_line(mdl_out *out, const char *word, float value)
{
    begin_line(out);
    put(out, word);
    put_float(out, value);
    end_line(out);
}

static void open_block(mdl_out *out, const char *word, const sni_str *name, int64_t count)
{
    begin_line(out);
    put(out, word);
    if (name) put(out, " "), put_string(out, *name);
    if (count >= 0) put(out, " "), put_unsigned(out, (uint32_t)count);
    put(out, " {\n");
    out->depth++;
    out->ends_hidden = false;
}

// Word first second {
static void open_counted_block(mdl_out *out, const char *word, uint32_t first, uint32_t second)
{
    char head[64];
    snprintf(head, sizeof head, "%s %" PRIu32, word, first);
    open_block(out, head, NULL, second);
}

static void close_block(mdl_out *out)
{
    out->depth--;
    begin_line(out);
    put(out, "}\n");
}

// Hidden statements. What is put between begin and end goes there.
static sni_writer *begin_hidden(mdl_out *out)
{
    sni_writer *before = out->to;
    if (out->is_inline) {
        begin_line(out);
        put(out, "//@ ");
        return before;
    }
    out->to = &out->hidden;
    if (!out->has_hidden) {
        put(out, "//@ Also ");
        put(out, out->kind->mdl_name);
        put(out, " ");
        put_unsigned(out, out->index);
        put(out, " { ");
        out->has_hidden = true;
    }
    return before;
}

static void end_hidden(mdl_out *out, sni_writer *before)
{
    put(out, out->is_inline ? ",\n" : ", ");
    out->to = before;
}

static void hide_number(mdl_out *out, const char *word, uint32_t value)
{
    sni_writer *before = begin_hidden(out);
    put(out, word);
    put(out, " ");
    put_unsigned(out, value);
    end_hidden(out, before);
}

// Arrays

// Word n { { a, b, c }, ... }
static void put_records(mdl_out *out, const char *word, mdx_array array, uint32_t width)
{
    open_block(out, word, NULL, array.count);
    for (uint32_t i = 0; i < array.count; i++) {
        begin_line(out);
        put_floats(out, array.data + 4 * (size_t)width * i, width);
        end_line(out);
    }
    close_block(out);
}

// Word { a, b, ... }
static void put_numbers(mdl_out *out, const char *word, mdx_array array, mdx_mdl_scalar scalar)
{
    put(out, word);
    put(out, "{ ");
    for (uint32_t i = 0; i < array.count; i++) {
        if (i > 0) put(out, ", ");
        switch (scalar) {
        case MDX_MDL_F32: put_float(out, sni_load_f32(array.data + 4 * (size_t)i)); break;
        case MDX_MDL_U32: put_unsigned(out, sni_load_u32(array.data + 4 * (size_t)i)); break;
        case MDX_MDL_U16: put_unsigned(out, sni_load_u16(array.data + 2 * (size_t)i)); break;
        case MDX_MDL_U8: put_unsigned(out, array.data[i]); break;
        }
    }
    put(out, " }");
}

static void hide_numbers(mdl_out *out, const char *word, mdx_array array, mdx_mdl_scalar scalar)
{
    sni_writer *before = begin_hidden(out);
    put_numbers(out, word, array, scalar);
    end_hidden(out, before);
}

static void put_extent(mdl_out *out, const mdx_extent *extent)
{
    begin_line(out);
    put(out, "MinimumExtent ");
    put_vec3(out, extent->min[0], extent->min[1], extent->min[2]);
    end_line(out);
    begin_line(out);
    put(out, "MaximumExtent ");
    put_vec3(out, extent->max[0], extent->max[1], extent->max[2]);
    end_line(out);
    put_float_line(out, "BoundsRadius ", extent->radius);
}

// Fields and keywords

static void put_field_value(mdl_out *out, const mdx_field *field, const void *at, uint32_t i)
{
    const sn_vec3 *v = (const sn_vec3 *)at + i;
    int32_t number = 0;
    switch (field->type) {
    case MDX_U8: put_unsigned(out, ((const uint8_t *)at)[i]); break;
    case MDX_U32: put_unsigned(out, ((const uint32_t *)at)[i]); break;
    case MDX_I32:
        number = ((const int32_t *)at)[i];
        if (number == -1 && out->kind && out->kind->tag == MDX_BONE)
            put(out, field->offset == offsetof(mdx_bone, geoset) ? "Multiple" : "None");
        else put_signed(out, number);
        break;
    case MDX_F32: put_float(out, ((const float *)at)[i]); break;
    case MDX_VEC3: put_vec3(out, v->x, v->y, v->z); break;
    case MDX_COLOR: put_vec3(out, v->z, v->y, v->x); break;
    case MDX_NAME:
    case MDX_PATH: put_string(out, *(const sni_str *)at); break;
    case MDX_QUAT:
    case MDX_EXTENT: break;  // not fields of MDL
    }
}

static void put_field(mdl_out *out, const mdx_field *field, const void *element)
{
    const void *at = (const char *)element + field->offset;
    if (field->track) put(out, "static ");
    put(out, field->mdl_name);
    put(out, " ");
    if (field->count == 1) {
        put_field_value(out, field, at, 0);
    } else if (field->type == MDX_COLOR) {  // SegmentColor { Color { b, g, r }, ... }
        put(out, "{\n");
        out->depth++;
        for (uint32_t i = 0; i < field->count; i++) {
            begin_line(out);
            put(out, "Color ");
            put_field_value(out, field, at, i);
            end_line(out);
        }
        out->depth--;
        begin_line(out);
        put(out, "}");
    } else {
        for (uint32_t i = 0; i < field->count; i++) {
            put(out, i == 0 ? "{ " : ", ");
            put_field_value(out, field, at, i);
        }
        put(out, " }");
    }
}

// Compares a float as it is written: bit for bit, NaN and infinity as 0.
static bool is_written_as(float value, float default_value)
{
    float written = isfinite(value) ? value : 0;
    return memcmp(&written, &default_value, sizeof written) == 0;
}

static bool is_default(const mdx_field *field, const void *element)
{
    const void *at = (const char *)element + field->offset;
    const sn_vec3 *v = at;
    const sni_str *text = at;
    float value = field->default_value;
    if (field->type == MDX_NAME || field->type == MDX_PATH) return text->size == 0 || text->at[0] == 0;
    if (field->count != 1) return false;
    switch (field->type) {
    case MDX_U8: return *(const uint8_t *)at == 0;
    case MDX_U32: return *(const uint32_t *)at == 0;
    case MDX_I32: return *(const int32_t *)at == (int32_t)value;
    case MDX_F32: return is_written_as(*(const float *)at, value);
    case MDX_VEC3:
    case MDX_COLOR: return is_written_as(v->x, value) && is_written_as(v->y, value) && is_written_as(v->z, value);
    default: return false;
    }
}

static bool has_track(mdx_tracks tracks, uint32_t tag)
{
    for (uint32_t i = 0; i < tracks.count; i++)
        if (tracks.items[i].kind->tag == tag) return true;
    return false;
}

// A field as a line; one with its default value only if `always`. An animated field comes before its track: programs
// that keep only one of the two take the last.
static void put_field_line(mdl_out *out, const mdx_field *field, const void *element, mdx_tracks tracks, bool always)
{
    bool is_animated = field->track && has_track(tracks, field->track);
    if (is_default(field, element) && (is_animated || !always)) return;
    begin_line(out);
    put_field(out, field, element);
    end_line(out);
}

// The keywords of an element. `implied` are bits of the first number that the block expresses without keywords.
static void put_keywords(mdl_out *out, uint32_t tag, const void *element, uint32_t implied)
{
    uint32_t expressed = implied;
    for (const mdx_mdl_keyword_field *field = mdx_mdl_keyword_fields(tag); field->raw_name; field++) {
        if (!mdx_mdl_has_keyword_field(field, out->doc->version)) continue;
        uint32_t value = *(const uint32_t *)(const void *)((const char *)element + field->offset), shown = value;
        if (field->prefix && shown >= MDX_FILTER_COUNT) shown = MDX_FILTER_BLEND;  // some programs need a FilterMode
        for (const mdx_mdl_keyword *keyword = field->keywords; keyword->name; keyword++) {
            if ((shown & keyword->mask) != keyword->bits) continue;
            put_line(out, "%s%s%s", field->prefix ? field->prefix : "", field->prefix ? " " : "", keyword->name);
            expressed = (expressed & ~keyword->mask) | keyword->bits;
        }
        if (expressed != value) hide_number(out, field->raw_name, value);
        expressed = 0;
    }
}

// Tracks

static void put_key_value(mdl_out *out, mdx_type type, const uint8_t *at)
{
    if (type == MDX_U32) {
        put_unsigned(out, sni_load_u32(at));
    } else if (type == MDX_F32) {
        put_float(out, sni_load_f32(at));
    } else if (type == MDX_QUAT && mdx_is_wow(out->doc)) {
        sn_quat q = mdx_unpack_quat(at);
        const float values[] = { q.x, q.y, q.z, q.w };
        uint8_t bytes[16];
        for (size_t i = 0; i < 4; i++) sni_store_f32(bytes + 4 * i, values[i]);
        put_floats(out, bytes, 4);
    } else {
        put_floats(out, at, type == MDX_QUAT ? 4 : 3);
    }
}

static void put_key(mdl_out *out, const mdx_track *track, const uint8_t *key)
{
    static const char *const tangents[] = { "\tInTan ", "\tOutTan " };
    size_t value_bytes = mdx_type_bytes(track->kind->type, out->doc->version);
    begin_line(out);
    put_signed(out, (int32_t)sni_load_u32(key));
    put(out, ": ");
    put_key_value(out, track->kind->type, key + 4);
    end_line(out);
    for (size_t i = 0; track->interpolation > MDX_LINEAR && i < 2; i++) {
        begin_line(out);
        put(out, tangents[i]);
        put_key_value(out, track->kind->type, key + 4 + (i + 1) * value_bytes);
        end_line(out);
    }
}

static void put_track(mdl_out *out, const mdx_track *track)
{
    bool was_inline = out->is_inline, is_known = track->interpolation <= MDX_BEZIER;
    size_t key_bytes = mdx_key_bytes(track, out->doc->version);
    open_block(out, track->kind->mdl_name, NULL, track->keys.count);
    out->is_inline = true;
    put_line(out, "%s", mdx_mdl_interpolation_names[is_known ? track->interpolation : MDX_BEZIER]);
    if (!is_known) hide_number(out, "Interpolation", track->interpolation);
    if (track->global_sequence != -1) put_line(out, "GlobalSeqId %" PRId32, track->global_sequence);
    for (uint32_t i = 0; i < track->keys.count; i++) put_key(out, track, track->keys.data + key_bytes * i);
    out->is_inline = was_inline;
    close_block(out);
}

static void put_tracks(mdl_out *out, mdx_tracks tracks)
{
    for (uint32_t i = 0; i < tracks.count; i++) put_track(out, &tracks.items[i]);
}

// Geosets

// MDL has one group of triangles; other groups are hidden from other programs.
static void put_faces(mdl_out *out, const mdx_geoset *geoset)
{
    mdx_array types = geoset->face_types, counts = geoset->face_counts;
    bool is_wow = mdx_is_wow(out->doc);
    if (types.count == 0 && counts.count == 0 && geoset->faces.count == 0) return;
    open_counted_block(out, "Faces", 1, geoset->faces.count);
    open_block(out, "Triangles", NULL, -1);
    begin_line(out);
    put_numbers(out, "", geoset->faces, MDX_MDL_U16);
    end_line(out);
    close_block(out);
    close_block(out);
    if (types.count != 1 || (is_wow ? types.data[0] : sni_load_u32(types.data)) != MDX_TRIANGLES)
        hide_numbers(out, "FaceTypes ", types, is_wow ? MDX_MDL_U8 : MDX_MDL_U32);
    if (counts.count != 1 || sni_load_u32(counts.data) != geoset->faces.count)
        hide_numbers(out, "FaceCounts ", counts, MDX_MDL_U32);
}

// Group sizes that do not add up to the list of nodes are hidden in full.
static void put_groups(mdl_out *out, const mdx_geoset *geoset)
{
    mdx_array sizes = geoset->group_sizes, nodes = geoset->matrices;
    uint32_t at = 0;
    bool is_sound = true;
    if (sizes.count == 0 && nodes.count == 0) return;
    open_counted_block(out, "Groups", sizes.count, nodes.count);
    for (uint32_t i = 0; i < sizes.count; i++) {
        uint32_t size = sni_load_u32(sizes.data + 4 * (size_t)i), rest = nodes.count - at;
        uint32_t count = size <= rest ? size : rest;
        mdx_array group = { count > 0 ? nodes.data + 4 * (size_t)at : NULL, count };
        is_sound = is_sound && count == size;
        begin_line(out);
        put_numbers(out, "Matrices ", group, MDX_MDL_U32);
        end_line(out);
        at += count;
    }
    close_block(out);
    if (is_sound && at == nodes.count) return;
    hide_numbers(out, "GroupSizes ", sizes, MDX_MDL_U32);
    hide_numbers(out, "MatrixList ", nodes, MDX_MDL_U32);
}

static void put_geoset(mdl_out *out, const mdx_geoset *geoset)
{
    put_records(out, "Vertices", geoset->positions, 3);
    put_records(out, "Normals", geoset->normals, 3);
    for (uint32_t i = 0; i < geoset->uv_count; i++) put_records(out, "TVertices", geoset->uvs[i], 2);
    if (geoset->tangents.data) put_records(out, "Tangents", geoset->tangents, 4);
    if (geoset->groups.count > 0) {
        open_block(out, "VertexGroup", NULL, -1);
        for (uint32_t i = 0; i < geoset->groups.count; i++) put_line(out, "%u", geoset->groups.data[i]);
        close_block(out);
    }
    if (geoset->skin.data) {
        open_block(out, "SkinWeights", NULL, geoset->skin.count / MDX_SKIN_BYTES);
        for (uint32_t i = 0; i < geoset->skin.count / MDX_SKIN_BYTES; i++) {
            const uint8_t *s = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i;
            put_line(out, "%u, %u, %u, %u, %u, %u, %u, %u", s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
        }
        close_block(out);
    }
    put_faces(out, geoset);
    put_groups(out, geoset);
    if (geoset->bone_indices.count > 0) hide_numbers(out, "BoneIndices ", geoset->bone_indices, MDX_MDL_U32);
    if (geoset->bone_weights.count > 0) hide_numbers(out, "BoneWeights ", geoset->bone_weights, MDX_MDL_U32);
    put_extent(out, &geoset->extent);
    for (uint32_t i = 0; i < geoset->extents.count; i++) {
        mdx_extent extent;
        sni_load_words(geoset->extents.data + sizeof extent * i, &extent, sizeof extent / 4);
        open_block(out, "Anim", NULL, -1);
        put_extent(out, &extent);
        close_block(out);
    }
    for (const mdx_field *field = mdx_geoset_fields; field->count; field++)
        if (field->mdl_name && mdx_has_field(field, out->doc->version))
            put_field_line(out, field, geoset, NO_TRACKS, field->type != MDX_NAME);
    put_keywords(out, MDX_GEOS, geoset, 0);
}

// Materials

// Textures of a layer of 1100, and its shader.
static void put_slots(mdl_out *out, const mdx_layer *layer)
{
    if (layer->shader_type == 1) put_line(out, "Shader \"Shader_HD_DefaultUnit\"");
    else if (layer->shader_type > 1) hide_number(out, "ShaderType", layer->shader_type);
    for (uint32_t i = 0; i < layer->slot_count; i++) {
        const mdx_texture_slot *slot = &layer->slots[i];
        put_tracks(out, slot->tracks);
        if (slot->tracks.count > 0) {
            if (slot->slot != i) hide_number(out, "Slot", slot->slot);
            if (slot->texture != 0) hide_number(out, "SlotTexture", slot->texture);
        } else if (layer->slot_count > 1 || slot->slot != 0) {
            put_line(out, "static TextureID %" PRIu32 " <= %" PRIu32, slot->texture, slot->slot);
        } else {
            put_line(out, "static TextureID %" PRIu32, slot->texture);
        }
    }
    if (layer->texture != 0) hide_number(out, "Texture", (uint32_t)layer->texture);
}

static void put_layer(mdl_out *out, const mdx_layer *layer)
{
    bool has_slots = mdx_has_slots(out->doc);
    open_block(out, "Layer", NULL, -1);
    out->is_inline = true;
    put_keywords(out, MDX_LAYS, layer, 0);
    if (has_slots) put_slots(out, layer);
    if (layer->is_short) hide_number(out, "Short", 1);
    for (const mdx_field *field = mdx_layer_fields; field->count; field++) {
        bool is_texture = field->offset == offsetof(mdx_layer, texture);
        bool is_omitted = (is_texture && has_slots) ||
                          (layer->is_short && field->offset >= offsetof(mdx_layer, fresnel_color));
        if (!field->mdl_name || !mdx_has_field(field, out->doc->version) || is_omitted) continue;
        put_field_line(out, field, layer, layer->item.tracks, is_texture);
    }
    put_tracks(out, layer->item.tracks);
    out->is_inline = false;
    close_block(out);
}

static void put_material(mdl_out *out, const mdx_material *material)
{
    put_keywords(out, MDX_MTLS, material, 0);
    for (const mdx_field *field = mdx_fields_of(out->kind, out->doc->version); field->count; field++)
        if (field->mdl_name && mdx_has_field(field, out->doc->version))
            put_field_line(out, field, material, NO_TRACKS, false);
    for (uint32_t i = 0; i < material->layer_count; i++) put_layer(out, &material->layers[i]);
}

// Other elements

// Fields that the game writes even when they have their default value.
static bool is_always_written(const mdl_out *out, const mdx_field *field)
{
    const mdx_kind *kind = out->kind;
    bool has_all = kind->is_node || kind->tag == MDX_CAMS || kind->tag == MDX_GEOA;
    return has_all && field->type != MDX_NAME && field->type != MDX_PATH &&
           strcmp(field->mdl_name, "ReplaceableId") != 0 && strcmp(field->mdl_name, "PriorityPlane") != 0;
}

// Particle { } of an emitter and Target { } of a camera hold some values of their owner.
static const char *inner_block_of(const mdx_kind *kind)
{
    return kind->tag == MDX_PREM ? "Particle" : kind->tag == MDX_CAMS ? "Target" : NULL;
}

static bool is_inner_track(const mdx_kind *kind, uint32_t tag)
{
    return kind->tag == MDX_PREM ? tag == MDX_KPEL || tag == MDX_KPES : kind->tag == MDX_CAMS && tag == MDX_KTTR;
}

static bool is_inner_field(const mdx_kind *kind, const mdx_field *field)
{
    return kind->tag == MDX_PREM &&
           (field->offset == offsetof(mdx_emitter, path) || field->offset == offsetof(mdx_emitter, life_span) ||
            field->offset == offsetof(mdx_emitter, speed));
}

static void put_inner_fields(mdl_out *out, const void *element)
{
    static const mdx_field position = { MDX_VEC3, 1, offsetof(mdx_camera, target), 0, UINT16_MAX, 0, "Position", 0 };
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    if (out->kind->tag == MDX_CAMS) put_field_line(out, &position, element, tracks, true);
    for (const mdx_field *field = mdx_fields_of(out->kind, out->doc->version); field->count; field++)
        if (is_inner_field(out->kind, field))
            put_field_line(out, field, element, tracks, is_always_written(out, field));
}

// Keeps the order of the tracks, so an inner block may be opened several times. The first time it has the fields too.
static void put_element_tracks(mdl_out *out, const void *element)
{
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    const char *inner = inner_block_of(out->kind);
    bool is_open = false, has_fields = !inner;
    for (uint32_t i = 0; i <= tracks.count; i++) {
        bool is_end = i == tracks.count;
        bool is_inner = is_end ? !has_fields : is_inner_track(out->kind, tracks.items[i].kind->tag);
        if (is_open && !is_inner) close_block(out);
        if (!is_open && is_inner) open_block(out, inner, NULL, -1);
        is_open = is_inner;
        if (is_inner && !has_fields) put_inner_fields(out, element), has_fields = true;
        if (!is_end) put_track(out, &tracks.items[i]);
    }
    if (is_open) close_block(out);
}

static bool has_visible_color(const mdl_out *out, const mdx_geoset_anim *anim)
{
    return (anim->flags & mdx_use_color_flag(out->doc)) || has_track(anim->item.tracks, MDX_KGAC);
}

// Writing the colour of a geoset animation would set its flag, so an unused colour is hidden.
static void put_geoset_color(mdl_out *out, const mdx_field *field, const mdx_geoset_anim *anim)
{
    bool is_visible = has_visible_color(out, anim);
    if (is_visible || is_default(field, anim)) {
        put_field_line(out, field, anim, anim->item.tracks, is_visible);
        return;
    }
    sni_writer *before = begin_hidden(out);
    put_field(out, field, anim);
    end_hidden(out, before);
    hide_number(out, "Flags", anim->flags);
}

static void put_fields(mdl_out *out, const void *element)
{
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    bool is_short = out->kind->tag == MDX_LITE && ((const mdx_light *)element)->is_short;
    for (const mdx_field *field = mdx_fields_of(out->kind, out->doc->version); field->count; field++) {
        if (!field->mdl_name || !mdx_has_field(field, out->doc->version) || is_inner_field(out->kind, field)) continue;
        if (is_short && field->offset == offsetof(mdx_light, shadow_intensity)) hide_number(out, "Short", 1);
        else if (out->kind->tag == MDX_GEOA && field->type == MDX_COLOR) put_geoset_color(out, field, element);
        else put_field_line(out, field, element, tracks, is_always_written(out, field));
    }
}

static void put_event(mdl_out *out, const mdx_event *event)
{
    if (!event->has_times) return;
    open_block(out, "EventTrack", NULL, event->times.count);
    if (event->global_sequence != -1) put_line(out, "GlobalSeqId %" PRId32, event->global_sequence);
    for (uint32_t i = 0; i < event->times.count; i++)
        put_line(out, "%" PRId32, (int32_t)sni_load_u32(event->times.data + 4 * (size_t)i));
    close_block(out);
}

static void put_shape(mdl_out *out, const mdx_shape *shape)
{
    uint32_t points = mdx_mdl_shape_points(shape->kind);
    bool has_radius = mdx_mdl_shape_has_radius(shape->kind);
    if (out->kind->tag != MDX_CLID || points == 0 || shape->values.count != 3 * points + has_radius) {
        hide_numbers(out, "Values ", shape->values, MDX_MDL_F32);
        return;
    }
    put_records(out, "Vertices", (mdx_array){ shape->values.data, points }, 3);
    if (has_radius) put_float_line(out, "BoundsRadius ", sni_load_f32(shape->values.data + 12 * (size_t)points));
}

static void put_texture(mdl_out *out, const mdx_texture *texture)
{
    begin_line(out);
    put(out, "Image ");
    put_string(out, texture->path);
    end_line(out);
    if (texture->replaceable != 0) put_line(out, "ReplaceableId %" PRIu32, texture->replaceable);
    put_keywords(out, MDX_TEXS, texture, 0);
}

static void put_sequence(mdl_out *out, const mdx_sequence *sequence)
{
    put_line(out, "Interval { %" PRId32 ", %" PRId32 " }", (int32_t)sequence->start, (int32_t)sequence->end);
    put_keywords(out, MDX_SEQS, sequence, 0);
    put_fields(out, sequence);
    put_extent(out, &sequence->extent);
}

static void put_node(mdl_out *out, const mdx_object *object)
{
    const void *element = object;
    put_line(out, "ObjectId %" PRId32, object->node.id);
    if (object->node.parent != -1) put_line(out, "Parent %" PRId32, object->node.parent);
    put_keywords(out, out->kind->tag, object, mdx_mdl_type_flags(out->kind->tag, out->doc->version));
    put_fields(out, object);
    if (out->kind->tag == MDX_EVTS) put_event(out, element);
    if (out->kind->tag == MDX_CLID || out->kind->tag == MDX_HTST) put_shape(out, element);
    if (out->kind->tag == MDX_PRE2) {
        const mdx_emitter2 *emitter = element;
        if (emitter->spline.count > 0) put_records(out, "Spline", emitter->spline, 3);
    }
    put_element_tracks(out, object);
    put_tracks(out, object->node.tracks);
}

static void put_element(mdl_out *out, const void *element)
{
    const mdx_kind *kind = out->kind;
    const sni_str *name = kind->is_node ? &((const mdx_object *)element)->node.name : NULL;
    for (const mdx_field *field = mdx_fields_of(kind, out->doc->version); field->count; field++)
        if (field->type == MDX_NAME && !field->mdl_name)
            name = (const sni_str *)(const void *)((const char *)element + field->offset);
    open_block(out, kind->mdl_name, name, -1);
    if (kind->is_node) put_node(out, element);
    else if (kind->tag == MDX_GEOS) put_geoset(out, element);
    else if (kind->tag == MDX_MTLS) put_material(out, element);
    else if (kind->tag == MDX_TEXS) put_texture(out, element);
    else if (kind->tag == MDX_SEQS) put_sequence(out, element);
    else {
        bool is_colored = kind->tag == MDX_GEOA && has_visible_color(out, element);
        put_keywords(out, kind->tag, element, is_colored ? mdx_use_color_flag(out->doc) : 0);
        put_fields(out, element);
        put_element_tracks(out, element);
    }
    close_block(out);
    if (out->has_hidden) sni_write_text(&out->hidden, "}\n");
    out->has_hidden = false;
}

static void put_hidden_lines(mdl_out *out)
{
    if (out->hidden.size > 0) out->ends_hidden = true;
    sni_write_bytes(out->to, out->hidden.data, out->hidden.size);
    out->hidden.size = 0;
}

// All elements of a kind. A wrapper is a block around them: "Textures 2 {".
static void put_kind(mdl_out *out, uint32_t tag, const char *wrapper)
{
    const mdx_kind *kind = mdx_find_kind(tag);
    uint32_t count = mdx_element_count(out->doc, kind);
    if (count == 0) return;
    if (wrapper) open_block(out, wrapper, NULL, count);
    out->kind = kind;
    for (out->index = 0; out->index < count; out->index++) {
        put_element(out, mdx_element_at(out->doc, kind, out->index));
        if (!wrapper) put_hidden_lines(out);
    }
    if (wrapper) close_block(out);
    put_hidden_lines(out);
    out->kind = NULL;
}

// The file

static void put_model(mdl_out *out)
{
    const mdx_doc *doc = out->doc;
    const struct {
        const char *name;
        uint32_t count;
    } counts[] = {
        { "NumGeosets", doc->geosets.count },
        { "NumGeosetAnims", doc->geoset_anims.count },
        { "NumHelpers", doc->helpers.count },
        { "NumLights", doc->lights.count },
        { "NumBones", doc->bones.count },
        { "NumAttachments", doc->attachments.count },
        { "NumParticleEmitters", doc->emitters.count },
        { "NumParticleEmitters2", doc->emitters2.count },
        { "NumRibbonEmitters", doc->ribbons.count },
        { "NumEvents", doc->events.count },
    };
    open_block(out, "Version", NULL, -1);
    put_line(out, "FormatVersion %" PRIu32, doc->version);
    close_block(out);
    open_block(out, "Model", &doc->model.name, -1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].count > 0) put_line(out, "%s %" PRIu32, counts[i].name, counts[i].count);
    for (const mdx_field *field = mdx_model_fields; field->count; field++)
        if (field->mdl_name && mdx_has_field(field, doc->version))
            put_field_line(out, field, &doc->model, NO_TRACKS, field->type == MDX_U32);
    put_extent(out, &doc->model.extent);
    close_block(out);
}

static void put_global_sequences(mdl_out *out)
{
    mdx_array durations = out->doc->global_sequences;
    if (durations.count == 0) return;
    open_block(out, "GlobalSequences", NULL, durations.count);
    for (uint32_t i = 0; i < durations.count; i++)
        put_line(out, "Duration %" PRIu32, sni_load_u32(durations.data + 4 * (size_t)i));
    close_block(out);
}

static void put_collision_mesh(mdl_out *out)
{
    const mdx_doc *doc = out->doc;
    if (!mdx_is_wow(doc) || doc->collision_positions.count == 0) return;
    open_block(out, "CollisionMesh", NULL, -1);
    put_records(out, "Vertices", doc->collision_positions, 3);
    begin_line(out);
    put_numbers(out, "Triangles ", doc->collision_faces, MDX_MDL_U16);
    end_line(out);
    put_records(out, "Normals", doc->collision_normals, 3);
    close_block(out);
}

void mdx_mdl_write(const mdx_doc *doc, sni_writer *to)
{
    static const uint32_t before_pivots[] = { MDX_GEOS, MDX_GEOA, MDX_BONE, MDX_LITE, MDX_HELP, MDX_ATCH };
    static const uint32_t after_pivots[] = { MDX_PREM, MDX_PRE2, MDX_CORN, MDX_RIBB, MDX_CAMS,
                                             MDX_EVTS, MDX_CLID, MDX_HTST, MDX_FAFX };
    mdl_out out = { .doc = doc, .to = to };
    sni_writer_init(&out.hidden, to->heap);
    put_model(&out);
    put_kind(&out, MDX_SEQS, "Sequences");
    put_global_sequences(&out);
    put_kind(&out, MDX_TEXS, "Textures");
    put_kind(&out, MDX_MTLS, "Materials");
    put_kind(&out, MDX_TXAN, "TextureAnims");
    for (size_t i = 0; i < sizeof before_pivots / sizeof *before_pivots; i++) put_kind(&out, before_pivots[i], NULL);
    if (doc->pivots.count > 0) put_records(&out, "PivotPoints", doc->pivots, 3);
    for (size_t i = 0; i < sizeof after_pivots / sizeof *after_pivots; i++) put_kind(&out, after_pivots[i], NULL);
    put_collision_mesh(&out);
    if (doc->bind_pose.count > 0) {
        open_block(&out, "BindPose", NULL, -1);
        put_records(&out, "Matrices", doc->bind_pose, 12);
        close_block(&out);
    }
    if (out.ends_hidden) put(&out, "\n");  // some programs need text after a comment
    to->failed = to->failed || out.hidden.failed;
    sni_writer_free(&out.hidden);
}
