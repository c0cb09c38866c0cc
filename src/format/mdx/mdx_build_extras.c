// What the model has no place for, as JSON beside what it belongs to. The fields of an element are those of its table,
// by the words of MDL; what is as it would be anyway is left out. Keys keep their times on the file's timeline.
#include <string.h>

#include "format/mdx/mdx_build.h"

typedef struct extras {
    mdx_builder *b;
    sni_extras own;
} extras;

static void extras_begin(extras *e, mdx_builder *b)
{
    e->b = b;
    sni_extras_begin(b->load, &e->own);
}

static const char *extras_end(extras *e) { return sni_extras_end(e->b->load, &e->own); }

// "EmissionRate" becomes "emissionRate".
static void put_key(extras *e, const char *word)
{
    char key[40];
    size_t size = strlen(word) < sizeof key ? strlen(word) : sizeof key - 1;
    memcpy(key, word, size);
    key[size] = 0;
    if (key[0] >= 'A' && key[0] <= 'Z') key[0] = (char)(key[0] + 32);
    sni_json_key(&e->own.json, key);
}

static void put_text(extras *e, const char *key, sni_str text)
{
    sni_str cut = mdx_cut(text);
    const char *clean = cut.size > 0 ? sni_text_clean(&e->b->load->scratch, cut, NULL) : NULL;
    if (!clean) return;
    put_key(e, key);
    sni_json_put_text(&e->own.json, clean);
}

static void put_integer(extras *e, const char *key, int64_t value, int64_t usual)
{
    if (value == usual) return;
    sni_json_key(&e->own.json, key);
    sni_json_put_integer(&e->own.json, value);
}

static void put_floats(extras *e, const float *values, uint32_t count)
{
    sni_json_begin_flat_array(&e->own.json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(&e->own.json, values[i]);
    sni_json_end(&e->own.json);
}

static void put_vec3(extras *e, sn_vec3 v)
{
    const float values[] = { v.x, v.y, v.z };
    put_floats(e, values, 3);
}

static void put_extent(extras *e, const mdx_extent *extent)
{
    static const mdx_extent none;
    if (memcmp(extent, &none, sizeof none) == 0) return;
    sni_json_key(&e->own.json, "minimumExtent");
    put_floats(e, extent->min, 3);
    sni_json_key(&e->own.json, "maximumExtent");
    put_floats(e, extent->max, 3);
    sni_json_key(&e->own.json, "boundsRadius");
    sni_json_put_float(&e->own.json, extent->radius);
}

static void put_value(extras *e, mdx_type type, const uint8_t *at)
{
    union {
        uint8_t byte;
        uint32_t word;
        int32_t number;
        float real;
        sn_vec3 vector;
    } value;
    switch (type) {
    case MDX_U8: sni_json_put_integer(&e->own.json, *at); break;
    case MDX_U32: memcpy(&value, at, 4), sni_json_put_integer(&e->own.json, value.word); break;
    case MDX_I32: memcpy(&value, at, 4), sni_json_put_integer(&e->own.json, value.number); break;
    case MDX_F32: memcpy(&value, at, 4), sni_json_put_float(&e->own.json, value.real); break;
    default: memcpy(&value, at, sizeof value.vector), put_vec3(e, value.vector); break;
    }
}

static size_t value_bytes(mdx_type type)
{
    return type == MDX_U8 ? 1 : type == MDX_VEC3 || type == MDX_COLOR ? sizeof(sn_vec3) : 4;
}

static bool is_usual(const mdx_field *field, const uint8_t *at)
{
    union {
        uint32_t word;
        int32_t number;
        float real;
    } value = { 0 };
    memcpy(&value, at, value_bytes(field->type) == 1 ? 1 : 4);
    if (field->count != 1) return false;
    switch (field->type) {
    case MDX_U8:
    case MDX_U32: return (float)value.word == field->fallback;
    case MDX_I32: return (float)value.number == field->fallback;
    case MDX_F32: return value.real == field->fallback;
    default: return false;
    }
}

static void put_fields(extras *e, const mdx_field *fields, const void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        const uint8_t *at = (const uint8_t *)element + field->offset;
        if (!field->word || !mdx_has_field(field, e->b->doc->version) || field->type == MDX_EXTENT) continue;
        if (field->type == MDX_NAME || field->type == MDX_PATH) {
            sni_str text;
            memcpy(&text, at, sizeof text);
            put_text(e, field->word, text);
            continue;
        }
        if (is_usual(field, at)) continue;
        put_key(e, field->word);
        if (field->count > 1) sni_json_begin_flat_array(&e->own.json);
        for (uint32_t i = 0; i < field->count; i++) put_value(e, field->type, at + i * value_bytes(field->type));
        if (field->count > 1) sni_json_end(&e->own.json);
    }
}

static void put_curve(extras *e, const mdx_track *track, const mdx_curve *curve)
{
    static const char *const kinds[] = {
        [SN_STEP] = "step", [SN_LINEAR] = "linear", [SN_HERMITE] = "hermite", [SN_BEZIER] = "bezier"
    };
    put_key(e, track->kind->word);
    sni_json_begin_object(&e->own.json);
    sni_extras_put_text(&e->own, "interpolation", kinds[curve->interpolation]);
    put_integer(e, "globalSequence", track->global_sequence, -1);
    sni_json_key(&e->own.json, "times");
    sni_json_begin_flat_array(&e->own.json);
    for (uint32_t i = 0; i < curve->key_count; i++) sni_json_put_integer(&e->own.json, curve->times[i]);
    sni_json_end(&e->own.json);
    sni_json_key(&e->own.json, "values");  // with tangents: in, value, out for each key
    put_floats(e, curve->values, curve->key_count * curve->width * (curve->interpolation >= SN_HERMITE ? 3 : 1));
    sni_json_end(&e->own.json);
}

// Tracks that move something of the model are not told again.
static bool is_told(uint32_t tag)
{
    static const uint32_t tags[] = { MDX_TAG('K', 'L', 'A', 'C'), MDX_TAG('K', 'L', 'A', 'I'),
                                     MDX_TAG('K', 'M', 'T', 'A'), MDX_TAG('K', 'M', 'T', 'F') };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i] == tag) return false;
    const mdx_track_kind *kind = mdx_find_track(tag);
    return !kind->is_stepped || kind->type != MDX_F32;
}

static void put_tracks(extras *e, const mdx_tracks *tracks)
{
    bool has_any = false;
    for (uint32_t i = 0; i < tracks->count && sni_load_ok(e->b->load); i++) {
        const mdx_track *track = &tracks->items[i];
        if (!is_told(track->kind->tag) || mdx_find_owned(tracks, track->kind->tag) != track) continue;
        const mdx_curve *curve = mdx_decode_track(e->b, track);
        if (!curve) continue;
        if (!has_any) sni_json_key(&e->own.json, "tracks"), sni_json_begin_object(&e->own.json);
        has_any = true;
        put_curve(e, track, curve);
    }
    if (has_any) sni_json_end(&e->own.json);
}

typedef struct bit_word {
    uint32_t bit;
    const char *word;
} bit_word;

static void put_bits(extras *e, const bit_word *words, uint32_t bits)
{
    for (; words->word; words++) {
        if (!(bits & words->bit)) continue;
        sni_json_key(&e->own.json, words->word);
        sni_json_put_bool(&e->own.json, true);
    }
}

static const char *word_of(const char *const *words, uint32_t count, uint32_t index)
{
    return index < count ? words[index] : "unknown";
}

static void put_emitter2(extras *e, const mdx_emitter2 *emitter)
{
    static const char *const filters[] = { "blend", "additive", "modulate", "modulate2x", "alphaKey" };
    static const char *const shapes[] = { "head", "tail", "both" };
    sni_extras_put_text(&e->own, "filterMode", word_of(filters, 5, emitter->filter));
    sni_extras_put_text(&e->own, "particles", word_of(shapes, 3, emitter->head_or_tail));
    if (!emitter->squirt) return;
    sni_json_key(&e->own.json, "squirt");
    sni_json_put_bool(&e->own.json, true);
}

static void put_event(extras *e, const mdx_event *event)
{
    if (!event->has_times) return;
    put_integer(e, "globalSequence", event->global_sequence, -1);
    sni_json_key(&e->own.json, "times");
    sni_json_begin_flat_array(&e->own.json);
    for (uint32_t i = 0; i < event->times.count; i++)
        sni_json_put_integer(&e->own.json, (int32_t)sni_load_u32(event->times.data + 4 * (size_t)i));
    sni_json_end(&e->own.json);
}

// Hit tests number their kinds otherwise.
static void put_shape(extras *e, const mdx_shape *shape, bool is_hit_test)
{
    static const char *const kinds[] = { "box", "plane", "sphere", "cylinder" };
    static const char *const hit_kinds[] = { "box", "cylinder", "sphere", "plane" };
    sni_extras_put_text(&e->own, "shape", word_of(is_hit_test ? hit_kinds : kinds, 4, shape->kind));
    sni_json_key(&e->own.json, "values");
    sni_json_begin_flat_array(&e->own.json);
    for (uint32_t i = 0; i < shape->values.count; i++)
        sni_json_put_float(&e->own.json, sni_load_f32(shape->values.data + 4 * (size_t)i));
    sni_json_end(&e->own.json);
}

static void put_node_flags(extras *e, const mdx_source *source)
{
    static const bit_word usual[] = { { MDX_NODE_CAMERA_ANCHORED, "cameraAnchored" }, { 0, NULL } };
    static const bit_word particles[] = { { 0x8000, "unshaded" },
                                          { 0x10000, "sortPrimsFarZ" },
                                          { 0x20000, "lineEmitter" },
                                          { 0x40000, "unfogged" },
                                          { 0x80000, "modelSpace" },
                                          { 0x100000, "xyQuad" },
                                          { 0, NULL } };
    static const bit_word alpha_particles[] = { { 0x8000, "unshaded" },          { 0x10000, "sortPrimsFarZ" },
                                                { 0x20000, "lineEmitter" },      { 0x40000, "unfogged" },
                                                { 0x80000, "modelSpace" },       { 0x100000, "inheritScale" },
                                                { 0x200000, "instantVelocity" }, { 0x400000, "zeroXKill" },
                                                { 0x800000, "zVelocityOnly" },   { 0x1000000, "tumbler" },
                                                { 0x2000000, "tailGrows" },      { 0x4000000, "extrude" },
                                                { 0x8000000, "xyQuad" },         { 0x10000000, "project" },
                                                { 0x20000000, "follow" },        { 0, NULL } };
    static const bit_word models[] = { { 0x8000, "emitterUsesMdl" }, { 0x10000, "emitterUsesTga" }, { 0, NULL } };
    static const bit_word alpha_models[] = { { 0x8000, "emitterUsesTga" }, { 0x10000, "emitterUsesMdl" }, { 0, NULL } };
    uint32_t flags = source->object->node.flags;
    bool is_alpha = mdx_is_alpha(e->b->doc);
    if (!is_alpha) put_bits(e, usual, flags);
    if (source->kind->tag == MDX_TAG('P', 'R', 'E', '2') || source->kind->tag == MDX_TAG('C', 'O', 'R', 'N'))
        put_bits(e, is_alpha ? alpha_particles : particles, flags);
    if (source->kind->tag == MDX_TAG('P', 'R', 'E', 'M')) put_bits(e, is_alpha ? alpha_models : models, flags);
}

const char *mdx_node_extras(mdx_builder *b, const mdx_source *source)
{
    const mdx_kind *kind = source->kind;
    const void *element = source->object;
    extras e;
    extras_begin(&e, b);
    sni_extras_put_text(&e.own, "kind", kind->word);
    put_fields(&e, mdx_is_alpha(b->doc) ? kind->alpha_fields : kind->fields, element);
    if (kind->tag == MDX_TAG('P', 'R', 'E', '2')) put_emitter2(&e, element);
    if (kind->tag == MDX_TAG('E', 'V', 'T', 'S')) put_event(&e, element);
    if (kind->tag == MDX_TAG('C', 'L', 'I', 'D')) put_shape(&e, element, false);
    if (kind->tag == MDX_TAG('H', 'T', 'S', 'T')) put_shape(&e, element, true);
    put_node_flags(&e, source);
    put_tracks(&e, &source->object->item.tracks);
    return extras_end(&e);
}

const char *mdx_sequence_extras(mdx_builder *b, const mdx_sequence *sequence)
{
    const mdx_kind *kind = mdx_find_kind(MDX_TAG('S', 'E', 'Q', 'S'));
    extras e;
    extras_begin(&e, b);
    sni_json_key(&e.own.json, "interval");
    sni_json_begin_flat_array(&e.own.json);
    sni_json_put_integer(&e.own.json, sequence->start);
    sni_json_put_integer(&e.own.json, sequence->end);
    sni_json_end(&e.own.json);
    if (sequence->flags & MDX_SEQUENCE_STOPS)
        sni_json_key(&e.own.json, "nonLooping"), sni_json_put_bool(&e.own.json, true);
    put_fields(&e, mdx_is_alpha(b->doc) ? kind->alpha_fields : kind->fields, sequence);
    put_extent(&e, &sequence->extent);
    return extras_end(&e);
}

static void put_layer(extras *e, const mdx_layer *layer)
{
    static const char *const filters[] = { "None",     "Transparent", "Blend",     "Additive",
                                           "AddAlpha", "Modulate",    "Modulate2x" };
    static const bit_word flags[] = { { MDX_UNFOGGED, "unfogged" }, { 0, NULL } };
    uint32_t version = e->b->doc->version;
    sni_json_begin_object(&e->own.json);
    sni_extras_put_text(&e->own, "filterMode", word_of(filters, 7, layer->filter));
    put_bits(e, flags, layer->flags);
    if (version >= 900 && !layer->is_short && !mdx_is_alpha(e->b->doc)) {
        sni_json_key(&e->own.json, "fresnelColor");
        put_vec3(e, layer->fresnel_color);
        sni_json_key(&e->own.json, "fresnelOpacity");
        sni_json_put_float(&e->own.json, layer->fresnel_opacity);
        sni_json_key(&e->own.json, "fresnelTeamColor");
        sni_json_put_float(&e->own.json, layer->fresnel_team_color);
    }
    put_tracks(e, &layer->item.tracks);
    sni_json_end(&e->own.json);
}

const char *mdx_material_extras(mdx_builder *b, const mdx_material *material)
{
    static const bit_word flags[] = { { MDX_CONSTANT_COLOR, "constantColor" },
                                      { MDX_SORT_NEAR, "sortPrimsNearZ" },
                                      { MDX_SORT_FAR, "sortPrimsFarZ" },
                                      { MDX_FULL_RESOLUTION, "fullResolution" },
                                      { 0, NULL } };
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "priorityPlane", material->priority_plane, 0);
    put_bits(&e, flags, material->flags);
    put_text(&e, "shader", material->shader);
    sni_json_key(&e.own.json, "layers");
    sni_json_begin_array(&e.own.json);
    for (uint32_t i = 0; i < material->layer_count; i++) put_layer(&e, &material->layers[i]);
    sni_json_end(&e.own.json);
    return extras_end(&e);
}

const char *mdx_geoset_extras(mdx_builder *b, const mdx_geoset *geoset, const mdx_geoset_anim *anim)
{
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "selectionGroup", geoset->selection_group, 0);
    if (geoset->selection_flags & (mdx_is_alpha(b->doc) ? 1 : MDX_UNSELECTABLE))
        sni_json_key(&e.own.json, "unselectable"), sni_json_put_bool(&e.own.json, true);
    if (anim && !mdx_is_alpha(b->doc) && anim->flags & MDX_DROP_SHADOW)
        sni_json_key(&e.own.json, "dropShadow"), sni_json_put_bool(&e.own.json, true);
    put_extent(&e, &geoset->extent);
    return extras_end(&e);
}

const char *mdx_camera_extras(mdx_builder *b, const mdx_camera *camera)
{
    extras e;
    extras_begin(&e, b);
    sni_json_key(&e.own.json, "target");
    put_vec3(&e, camera->target);
    return extras_end(&e);
}

static void put_face_fx(extras *e)
{
    const mdx_face_fx *items = e->b->doc->face_fx.items;
    if (e->b->doc->face_fx.count == 0) return;
    sni_json_key(&e->own.json, "faceFx");
    sni_json_begin_array(&e->own.json);
    for (uint32_t i = 0; i < e->b->doc->face_fx.count; i++) {
        sni_json_begin_object(&e->own.json);
        put_text(e, "name", items[i].name);
        put_text(e, "path", items[i].path);
        sni_json_end(&e->own.json);
    }
    sni_json_end(&e->own.json);
}

static void put_global_sequences(extras *e)
{
    const mdx_array *globals = &e->b->doc->global_sequences;
    if (globals->count == 0) return;
    sni_json_key(&e->own.json, "globalSequences");
    sni_json_begin_flat_array(&e->own.json);
    for (uint32_t i = 0; i < globals->count; i++)
        sni_json_put_integer(&e->own.json, sni_load_u32(globals->data + 4 * (size_t)i));
    sni_json_end(&e->own.json);
}

static bool is_known(uint32_t tag)
{
    static const uint32_t others[] = { MDX_TAG('V', 'E', 'R', 'S'), MDX_TAG('M', 'O', 'D', 'L'),
                                       MDX_TAG('G', 'L', 'B', 'S'), MDX_TAG('P', 'I', 'V', 'T'),
                                       MDX_TAG('B', 'P', 'O', 'S') };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] == tag) return true;
    return mdx_find_kind(tag) != NULL;
}

static void put_unknown_chunks(extras *e)
{
    const mdx_chunk *chunks = e->b->doc->chunks.items;
    bool has_any = false;
    for (uint32_t i = 0; i < e->b->doc->chunks.count; i++) {
        char tag[5] = { 0 };
        if (is_known(chunks[i].tag)) continue;
        if (!has_any) sni_json_key(&e->own.json, "unknownChunks"), sni_json_begin_flat_array(&e->own.json);
        has_any = true;
        sni_store_u32((uint8_t *)tag, chunks[i].tag);
        sni_json_put_text(&e->own.json, tag);
    }
    if (has_any) sni_json_end(&e->own.json);
}

const char *mdx_model_extras(mdx_builder *b)
{
    extras e;
    extras_begin(&e, b);
    put_integer(&e, "version", b->doc->version, 0);
    put_fields(&e, mdx_model_fields, &b->doc->model);
    put_extent(&e, &b->doc->model.extent);
    put_global_sequences(&e);
    put_face_fx(&e);
    put_unknown_chunks(&e);
    return extras_end(&e);
}
