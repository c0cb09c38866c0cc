// Extras: what the model has no members for, as JSON. The fields of an element are listed by their MDL names with a
// small first letter; fields with their usual value are left out. Key times are on the file's timeline, in
// milliseconds.
#include <string.h>

#include "format/mdx/mdx_build.h"
#include "model/extras.h"

typedef struct extras {
    mdx_builder *b;
    sni_extras base;
    sni_json_writer *json;  // of base
} extras;

static void extras_begin(extras *e, mdx_builder *b)
{
    e->b = b;
    sni_extras_begin(&b->load->keep, &e->base);
    e->json = &e->base.json;
}

static const char *extras_end(extras *e) { return sni_extras_end(&e->b->load->keep, &e->base); }

// Values

// "EmissionRate" becomes "emissionRate".
static void put_key(extras *e, const char *mdl_name)
{
    char key[40];
    size_t size = strlen(mdl_name) < sizeof key ? strlen(mdl_name) : sizeof key - 1;
    memcpy(key, mdl_name, size);
    key[size] = 0;
    if (key[0] >= 'A' && key[0] <= 'Z') key[0] = (char)(key[0] + 32);
    sni_json_key(e->json, key);
}

static void put_text(extras *e, const char *key, sni_str text)
{
    sni_str trimmed = mdx_trim_nul(text);
    const char *clean = trimmed.size > 0 ? sni_text_clean(&e->b->load->scratch, trimmed, NULL) : NULL;
    if (!clean) return;
    put_key(e, key);
    sni_json_put_text(e->json, clean);
}

static void put_integer(extras *e, const char *key, int64_t value, int64_t usual)
{
    if (value != usual) sni_extras_put_integer(&e->base, key, value);
}

static void put_float_array(extras *e, const float *values, uint32_t count)
{
    sni_json_begin_flat_array(e->json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(e->json, values[i]);
    sni_json_end(e->json);
}

static void put_extent(extras *e, const mdx_extent *extent)
{
    static const mdx_extent none;
    if (memcmp(extent, &none, sizeof none) == 0) return;
    sni_json_key(e->json, "minimumExtent");
    put_float_array(e, extent->min, 3);
    sni_json_key(e->json, "maximumExtent");
    put_float_array(e, extent->max, 3);
    sni_extras_put_float(&e->base, "boundsRadius", extent->radius);
}

// Integers of the file, as a JSON array.
static void put_integers(extras *e, const char *key, mdx_array array, bool is_signed)
{
    sni_json_key(e->json, key);
    sni_json_begin_flat_array(e->json);
    for (uint32_t i = 0; i < array.count; i++) {
        uint32_t value = sni_load_u32(array.data + 4 * (size_t)i);
        sni_json_put_integer(e->json, is_signed ? (int64_t)(int32_t)value : (int64_t)value);
    }
    sni_json_end(e->json);
}

static void put_flags(extras *e, const mdx_flag_name *names, uint32_t flags)
{
    for (; names->name; names++) sni_extras_put_flag(&e->base, names->name, flags & names->bit);
}

static void put_choice(extras *e, const char *key, const char *const *names, uint32_t count, uint32_t index)
{
    sni_extras_put_text(&e->base, key, index < count ? names[index] : "unknown");
}

// Fields and tracks

static size_t struct_bytes(mdx_type type)
{
    return type == MDX_U8 ? 1 : type == MDX_VEC3 || type == MDX_COLOR ? sizeof(sn_vec3) : 4;
}

// One value of a field as a number; vectors are not usual.
static bool is_usual(const mdx_field *field, const void *at)
{
    if (field->count != 1) return false;
    switch (field->type) {
    case MDX_U8: return (float)*(const uint8_t *)at == field->default_value;
    case MDX_U32: return (float)*(const uint32_t *)at == field->default_value;
    case MDX_I32: return (float)*(const int32_t *)at == field->default_value;
    case MDX_F32: return *(const float *)at == field->default_value;
    default: return false;
    }
}

static void put_value(extras *e, mdx_type type, const void *at)
{
    switch (type) {
    case MDX_U8: sni_json_put_integer(e->json, *(const uint8_t *)at); break;
    case MDX_U32: sni_json_put_integer(e->json, *(const uint32_t *)at); break;
    case MDX_I32: sni_json_put_integer(e->json, *(const int32_t *)at); break;
    case MDX_F32: sni_json_put_float(e->json, *(const float *)at); break;
    default: put_float_array(e, at, 3); break;
    }
}

static void put_fields(extras *e, const mdx_field *fields, const void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        const char *at = (const char *)element + field->offset;
        if (!field->mdl_name || !mdx_has_field(field, e->b->doc->version) || field->type == MDX_EXTENT) continue;
        if (field->type == MDX_NAME || field->type == MDX_PATH) {
            put_text(e, field->mdl_name, *(const sni_str *)(const void *)at);
            continue;
        }
        if (is_usual(field, at)) continue;
        put_key(e, field->mdl_name);
        if (field->count > 1) sni_json_begin_flat_array(e->json);
        for (uint32_t i = 0; i < field->count; i++) put_value(e, field->type, at + i * struct_bytes(field->type));
        if (field->count > 1) sni_json_end(e->json);
    }
}

static void put_curve(extras *e, const mdx_track *track, const mdx_curve *curve)
{
    put_key(e, track->kind->mdl_name);
    sni_json_begin_object(e->json);
    sni_extras_put_text(&e->base, "interpolation", mdx_curve_kinds[curve->interpolation]);
    put_integer(e, "globalSequence", track->global_sequence, -1);
    sni_json_key(e->json, "times");
    sni_json_begin_flat_array(e->json);
    for (uint32_t i = 0; i < curve->key_count; i++) sni_json_put_integer(e->json, curve->times[i]);
    sni_json_end(e->json);
    sni_json_key(e->json, "values");  // with tangents: in, value, out for each key
    put_float_array(e, curve->values, curve->key_count * curve->width * mdx_values_per_key(curve));
    sni_json_end(e->json);
}

// Tracks that animate the model itself are not repeated in the extras.
static bool is_in_model(const mdx_track_kind *kind)
{
    bool is_visibility = kind->is_stepped && kind->type == MDX_F32;
    return is_visibility || kind->tag == MDX_KLAC || kind->tag == MDX_KLAI || kind->tag == MDX_KMTA ||
           kind->tag == MDX_KMTF;
}

static void put_tracks(extras *e, const mdx_tracks *tracks)
{
    bool has_any = false;
    for (uint32_t i = 0; i < tracks->count && sni_load_ok(e->b->load); i++) {
        const mdx_track *track = &tracks->items[i];
        if (is_in_model(track->kind) || mdx_find_track(tracks, track->kind->tag) != track) continue;
        const mdx_curve *curve = mdx_decode_track(e->b, track);
        if (!curve) continue;
        if (!has_any) sni_json_key(e->json, "tracks"), sni_json_begin_object(e->json);
        has_any = true;
        put_curve(e, track, curve);
    }
    if (has_any) sni_json_end(e->json);
}

static bool is_global(extras *e, const mdx_track *track)
{
    return track->global_sequence >= 0 && (uint32_t)track->global_sequence < e->b->doc->global_sequences.count;
}

// Formats without clocks of their own repeat these tracks in each clip. From here they get back what they were.
static void put_global_tracks(extras *e, const mdx_tracks *one, const mdx_tracks *two)
{
    bool has_any = false;
    for (const mdx_tracks *tracks = one; tracks; tracks = tracks == one ? two : NULL)
        for (uint32_t i = 0; i < tracks->count && sni_load_ok(e->b->load); i++) {
            const mdx_track *track = &tracks->items[i];
            const uint32_t tag = track->kind->tag;
            const bool is_kept = tag == MDX_KGTR || tag == MDX_KGRT || tag == MDX_KGSC || tag == MDX_KMTA ||
                                 tag == MDX_KTAT || tag == MDX_KLAI;
            if (!is_kept || !is_global(e, track) || mdx_find_track(tracks, tag) != track) continue;
            const mdx_curve *curve = mdx_decode_track(e->b, track);
            if (!curve) continue;
            if (!has_any) sni_json_key(e->json, MDX_GLOBAL_TRACKS), sni_json_begin_object(e->json);
            has_any = true;
            e->b->global_tracks++;
            put_curve(e, track, curve);
        }
    if (has_any) sni_json_end(e->json);
}

// Nodes

const char *const mdx_particle_filters[5] = { "blend", "additive", "modulate", "modulate2x", "alphaKey" };
const char *const mdx_particle_kinds[3] = { "head", "tail", "both" };
const char *const mdx_shape_kinds[4] = { "box", "plane", "sphere", "cylinder" };
const char *const mdx_curve_kinds[4] = { "step", "linear", "hermite", "bezier" };

// Textures of a model are numbered anew when it is saved: the path identifies this one.
static void put_texture(extras *e, int32_t index)
{
    if (index < 0 || (uint32_t)index >= e->b->doc->textures.count) return;
    const mdx_texture *texture = (const mdx_texture *)e->b->doc->textures.items + index;
    sni_json_key(e->json, "texture");
    sni_json_begin_object(e->json);
    put_text(e, "path", texture->path);
    put_integer(e, "replaceableId", texture->replaceable, 0);
    put_integer(e, "flags", texture->flags, 0);
    sni_json_end(e->json);
}

static void put_emitter2(extras *e, const mdx_emitter2 *emitter)
{
    put_choice(e, "filterMode", mdx_particle_filters, 5, emitter->filter);
    put_choice(e, "particles", mdx_particle_kinds, 3, emitter->head_or_tail);
    sni_extras_put_flag(&e->base, "squirt", emitter->squirt);
    put_texture(e, emitter->texture);
}

static void put_event(extras *e, const mdx_event *event)
{
    if (!event->has_times) return;
    put_integer(e, "globalSequence", event->global_sequence, -1);
    put_integers(e, "times", event->times, true);
}

// Hit tests number their kinds differently.
static void put_shape(extras *e, const mdx_shape *shape, bool is_hit_test)
{
    static const char *const hit_kinds[] = { "box", "cylinder", "sphere", "plane" };
    put_choice(e, "shape", is_hit_test ? hit_kinds : mdx_shape_kinds, 4, shape->kind);
    sni_json_key(e->json, "values");
    sni_json_begin_flat_array(e->json);
    for (uint32_t i = 0; i < shape->values.count; i++)
        sni_json_put_float(e->json, sni_load_f32(shape->values.data + 4 * (size_t)i));
    sni_json_end(e->json);
}

const mdx_flag_name *mdx_node_flag_names(uint32_t tag, bool is_wow)
{
    // clang-format off
    static const mdx_flag_name node_names[] = { { MDX_NODE_CAMERA_ANCHORED, "cameraAnchored" }, { 0, NULL } };
    static const mdx_flag_name particle_names[] = {
        { MDX_NODE_CAMERA_ANCHORED, "cameraAnchored" },
        { 0x8000, "unshaded" }, { 0x10000, "sortPrimsFarZ" }, { 0x20000, "lineEmitter" }, { 0x40000, "unfogged" },
        { 0x80000, "modelSpace" }, { 0x100000, "xyQuad" }, { 0, NULL }
    };
    static const mdx_flag_name wow_particle_names[] = {
        { 0x8000, "unshaded" }, { 0x10000, "sortPrimsFarZ" }, { 0x20000, "lineEmitter" }, { 0x40000, "unfogged" },
        { 0x80000, "modelSpace" }, { 0x100000, "inheritScale" }, { 0x200000, "instantVelocity" },
        { 0x400000, "zeroXKill" }, { 0x800000, "zVelocityOnly" }, { 0x1000000, "tumbler" }, { 0x2000000, "tailGrows" },
        { 0x4000000, "extrude" }, { 0x8000000, "xyQuad" }, { 0x10000000, "project" }, { 0x20000000, "follow" },
        { 0, NULL }
    };
    static const mdx_flag_name emitter_names[] = {
        { MDX_NODE_CAMERA_ANCHORED, "cameraAnchored" },
        { 0x8000, "emitterUsesMdl" }, { 0x10000, "emitterUsesTga" }, { 0, NULL }
    };
    static const mdx_flag_name wow_emitter_names[] = {
        { 0x8000, "emitterUsesTga" }, { 0x10000, "emitterUsesMdl" }, { 0, NULL }
    };
    static const mdx_flag_name none[] = { { 0, NULL } };
    // clang-format on
    if (tag == MDX_PRE2 || tag == MDX_CORN) return is_wow ? wow_particle_names : particle_names;
    if (tag == MDX_PREM) return is_wow ? wow_emitter_names : emitter_names;
    return is_wow ? none : node_names;
}

static void put_node_flags(extras *e, const mdx_node_source *source)
{
    put_flags(e, mdx_node_flag_names(source->kind->tag, mdx_is_wow(e->b->doc)), source->object->node.flags);
}

const char *mdx_node_extras(mdx_builder *b, const mdx_node_source *source)
{
    const mdx_kind *kind = source->kind;
    const void *element = source->object;
    extras e;
    extras_begin(&e, b);
    sni_extras_put_text(&e.base, "kind", kind->mdl_name);
    put_fields(&e, mdx_fields_of(kind, b->doc->version), element);
    if (kind->tag == MDX_PRE2) put_emitter2(&e, element);
    if (kind->tag == MDX_EVTS) put_event(&e, element);
    if (kind->tag == MDX_CLID || kind->tag == MDX_HTST) put_shape(&e, element, kind->tag == MDX_HTST);
    put_node_flags(&e, source);
    put_tracks(&e, &source->object->item.tracks);
    put_global_tracks(&e, &source->object->node.tracks, &source->object->item.tracks);
    return extras_end(&e);
}

// Everything else

const char *mdx_sequence_extras(mdx_builder *b, const mdx_sequence *sequence)
{
    extras e;
    extras_begin(&e, b);
    sni_json_key(e.json, "interval");
    sni_json_begin_flat_array(e.json);
    sni_json_put_integer(e.json, (int32_t)sequence->start);
    sni_json_put_integer(e.json, (int32_t)sequence->end);
    sni_json_end(e.json);
    sni_extras_put_flag(&e.base, "nonLooping", sequence->flags & MDX_NON_LOOPING);
    put_fields(&e, mdx_fields_of(mdx_find_kind(MDX_SEQS), b->doc->version), sequence);
    put_extent(&e, &sequence->extent);
    return extras_end(&e);
}

const char *const mdx_layer_filters[MDX_FILTER_COUNT] = { "None",     "Transparent", "Blend",     "Additive",
                                                          "AddAlpha", "Modulate",    "Modulate2x" };

static void put_layer(extras *e, const mdx_layer *layer, bool is_joined)
{
    uint32_t version = e->b->doc->version;
    sni_json_begin_object(e->json);
    put_choice(e, "filterMode", mdx_layer_filters, MDX_FILTER_COUNT, layer->filter);
    sni_extras_put_flag(&e->base, "unfogged", layer->flags & MDX_UNFOGGED);
    if (version >= 900 && version < MDX_WOW_VERSION && !layer->is_short) {
        sni_extras_put_floats(&e->base, "fresnelColor", &layer->fresnel_color.x, 3);
        sni_extras_put_float(&e->base, "fresnelOpacity", layer->fresnel_opacity);
        sni_extras_put_float(&e->base, "fresnelTeamColor", layer->fresnel_team_color);
    }
    put_tracks(e, &layer->item.tracks);
    const mdx_texture_anim *anims = e->b->doc->texture_anims.items;
    const bool has_anim = layer->texture_anim >= 0 && (uint32_t)layer->texture_anim < e->b->doc->texture_anims.count;
    put_global_tracks(e, &layer->item.tracks, has_anim ? &anims[layer->texture_anim].item.tracks : NULL);
    if (is_joined) {
        put_texture(e, layer->texture);
        put_integer(e, "shading", layer->flags, 0);
        put_integer(e, "coordId", layer->coord, 0);
        if (layer->alpha != 1.0f) sni_extras_put_float(&e->base, "alpha", layer->alpha);
    }
    sni_json_end(e->json);
}

const mdx_flag_name mdx_material_flag_names[] = { { MDX_CONSTANT_COLOR, "constantColor" },
                                                  { MDX_SORT_NEAR, "sortPrimsNearZ" },
                                                  { MDX_SORT_FAR, "sortPrimsFarZ" },
                                                  { MDX_FULL_RESOLUTION, "fullResolution" },
                                                  { 0, NULL } };

const char *mdx_material_extras(mdx_builder *b, const mdx_material *material)
{
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "priorityPlane", material->priority_plane, 0);
    put_flags(&e, mdx_material_flag_names, material->flags);
    put_text(&e, "shader", material->shader);
    sni_json_key(e.json, "layers");
    sni_json_begin_array(e.json);
    // Formats with one layer join them.
    const bool is_joined = material->layer_count > 1 && b->doc->version < 900;
    for (uint32_t i = 0; i < material->layer_count; i++) put_layer(&e, &material->layers[i], is_joined);
    sni_json_end(e.json);
    return extras_end(&e);
}

const char *mdx_geoset_extras(mdx_builder *b, const mdx_geoset *geoset, const mdx_geoset_anim *anim)
{
    bool is_wow = mdx_is_wow(b->doc);
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "selectionGroup", geoset->selection_group, 0);
    sni_extras_put_flag(&e.base, "unselectable", geoset->selection_flags & (is_wow ? 1 : MDX_UNSELECTABLE));
    sni_extras_put_flag(&e.base, "dropShadow", anim && !is_wow && anim->flags & MDX_DROP_SHADOW);
    put_extent(&e, &geoset->extent);
    return extras_end(&e);
}

const char *mdx_camera_extras(mdx_builder *b, const mdx_camera *camera)
{
    extras e;
    extras_begin(&e, b);
    sni_extras_put_floats(&e.base, "target", &camera->target.x, 3);
    return extras_end(&e);
}

static bool is_known_chunk(uint32_t tag)
{
    return tag == MDX_VERS || tag == MDX_MODL || tag == MDX_GLBS || tag == MDX_PIVT || tag == MDX_BPOS ||
           mdx_find_kind(tag);
}

const char *mdx_model_extras(mdx_builder *b)
{
    const mdx_doc *doc = b->doc;
    const mdx_face_fx *face_fx = doc->face_fx.items;
    const mdx_chunk *chunks = doc->chunks.items;
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "version", doc->version, 0);
    put_text(&e, "name", doc->model.name);
    put_fields(&e, mdx_model_fields, &doc->model);
    put_extent(&e, &doc->model.extent);
    if (doc->global_sequences.count > 0) put_integers(&e, "globalSequences", doc->global_sequences, false);
    put_integer(&e, MDX_GLOBAL_TRACKS, b->global_tracks, 0);
    if (doc->face_fx.count > 0) {
        sni_json_key(e.json, "faceFx");
        sni_json_begin_array(e.json);
        for (uint32_t i = 0; i < doc->face_fx.count; i++) {
            sni_json_begin_object(e.json);
            put_text(&e, "name", face_fx[i].name);
            put_text(&e, "path", face_fx[i].path);
            sni_json_end(e.json);
        }
        sni_json_end(e.json);
    }
    bool has_unknown = false;
    for (uint32_t i = 0; i < doc->chunks.count; i++) {
        char tag[5] = { 0 };
        if (is_known_chunk(chunks[i].tag)) continue;
        if (!has_unknown) sni_json_key(e.json, "unknownChunks"), sni_json_begin_flat_array(e.json);
        has_unknown = true;
        sni_store_u32((uint8_t *)tag, chunks[i].tag);
        sni_json_put_text(e.json, tag);
    }
    if (has_unknown) sni_json_end(e.json);
    return extras_end(&e);
}
