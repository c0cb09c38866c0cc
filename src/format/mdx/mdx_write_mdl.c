// Document to MDL, as the game's own tools write it: tabs, their order, their words. Reading it gives the same
// document, except for what MDL has no place for: the order of chunks and of TANG and SKIN, unknown chunks, bytes
// behind the NUL of a name or behind what is known of an element, empty chunks, 1300's unused words, NaN and infinity;
// and quotes and line breaks in names. Facts without a word of their own stand behind "//@", where other programs see a
// comment.
#include "format/mdx/mdx_mdl_out.h"

#include <string.h>

static const mdx_list *list_of(const mdx_mdl_out *out, const mdx_kind *kind)
{
    return (const mdx_list *)(const void *)((const char *)out->doc + kind->list);
}

// Particle { } of an emitter, Target { } of a camera: some of their owner's values stand inside.
typedef struct inner_block {
    const char *word;
    uint32_t tags[2];
} inner_block;

static const inner_block *inner_of(const mdx_kind *kind)
{
    static const inner_block particle = { "Particle", { MDX_TAG('K', 'P', 'E', 'L'), MDX_TAG('K', 'P', 'E', 'S') } };
    static const inner_block target = { "Target", { MDX_TAG('K', 'T', 'T', 'R'), 0 } };
    if (kind->tag == MDX_TAG('P', 'R', 'E', 'M')) return &particle;
    return kind->tag == MDX_TAG('C', 'A', 'M', 'S') ? &target : NULL;
}

static bool is_inner_track(const inner_block *inner, const mdx_track *track)
{
    return inner && (track->kind->tag == inner->tags[0] || track->kind->tag == inner->tags[1]);
}

static bool is_inner_field(const mdx_kind *kind, const mdx_field *field)
{
    if (kind->tag != MDX_TAG('P', 'R', 'E', 'M')) return false;
    return field->offset == offsetof(mdx_emitter, path) || field->offset == offsetof(mdx_emitter, life_span) ||
           field->offset == offsetof(mdx_emitter, speed);
}

// What the game writes only where it says something.
static bool is_always(const mdx_mdl_out *out, const mdx_field *field)
{
    const mdx_kind *kind = out->kind;
    bool has_all = kind->is_node || kind->tag == MDX_TAG('C', 'A', 'M', 'S') ||
                   kind->tag == MDX_TAG('G', 'E', 'O', 'A');
    return has_all && field->type != MDX_NAME && field->type != MDX_PATH && strcmp(field->word, "ReplaceableId") != 0 &&
           strcmp(field->word, "PriorityPlane") != 0;
}

static void put_inner_fields(mdx_mdl_out *out, const void *element)
{
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    if (out->kind->tag == MDX_TAG('C', 'A', 'M', 'S')) {
        static const mdx_field position = {
            MDX_VEC3, 1, offsetof(mdx_camera, target), 0, UINT16_MAX, 0, "Position", 0
        };
        mdx_mdl_put_still(out, &position, element, tracks, true);
        return;
    }
    for (const mdx_field *field = mdx_mdl_fields_of(out->kind, out->doc->version); field->count; field++)
        if (is_inner_field(out->kind, field)) mdx_mdl_put_still(out, field, element, tracks, is_always(out, field));
}

// In the document's order: an inner block is opened as often as that needs.
static void put_tracks(mdx_mdl_out *out, const void *element)
{
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    const inner_block *inner = inner_of(out->kind);
    bool is_open = false, is_said = !inner;
    for (uint32_t i = 0; i <= tracks.count; i++) {
        bool is_inner = i < tracks.count ? is_inner_track(inner, &tracks.items[i]) : !is_said;
        if (is_open && !is_inner) mdx_mdl_close(out);
        if (!is_open && is_inner) mdx_mdl_open(out, inner->word, NULL, -1);
        is_open = is_inner;
        if (is_inner && !is_said) put_inner_fields(out, element), is_said = true;
        if (i < tracks.count) mdx_mdl_put_track(out, &tracks.items[i]);
    }
    if (is_open) mdx_mdl_close(out);
}

// 1300 says with another bit that a geoset has a colour. A colour that is not used is not shown.
static bool shows_color(const mdx_mdl_out *out, const mdx_geoset_anim *anim)
{
    return (anim->flags & (mdx_is_alpha(out->doc) ? 1u : MDX_USE_COLOR)) ||
           mdx_mdl_has_track(anim->item.tracks, MDX_TAG('K', 'G', 'A', 'C'));
}

static void put_color(mdx_mdl_out *out, const mdx_field *field, const mdx_geoset_anim *anim)
{
    bool is_hidden = !shows_color(out, anim);
    if (!is_hidden || mdx_mdl_is_fallback(field, anim)) {
        mdx_mdl_put_still(out, field, anim, anim->item.tracks, !is_hidden);
        return;
    }
    sni_writer *before = mdx_mdl_begin_hidden(out);
    mdx_mdl_put_field(out, field, anim);
    mdx_mdl_end_hidden(out, before);
    mdx_mdl_hide_number(out, "Flags", anim->flags);
}

static void put_fields(mdx_mdl_out *out, const void *element)
{
    mdx_tracks tracks = ((const mdx_item *)element)->tracks;
    bool is_geoset_anim = out->kind->tag == MDX_TAG('G', 'E', 'O', 'A');
    bool is_short = out->kind->tag == MDX_TAG('L', 'I', 'T', 'E') && ((const mdx_light *)element)->is_short;
    for (const mdx_field *field = mdx_mdl_fields_of(out->kind, out->doc->version); field->count; field++) {
        if (!field->word || !mdx_has_field(field, out->doc->version) || is_inner_field(out->kind, field)) continue;
        if (is_short && field->offset == offsetof(mdx_light, shadow_intensity)) mdx_mdl_hide_number(out, "Short", 1);
        else if (is_geoset_anim && field->type == MDX_COLOR) put_color(out, field, element);
        else mdx_mdl_put_still(out, field, element, tracks, is_always(out, field));
    }
}

static void put_event(mdx_mdl_out *out, const mdx_event *event)
{
    if (!event->has_times) return;
    mdx_mdl_open(out, "EventTrack", NULL, event->times.count);
    if (event->global_sequence != -1) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "GlobalSeqId ");
        mdx_mdl_put_signed(out, event->global_sequence);
        mdx_mdl_end_line(out);
    }
    for (uint32_t i = 0; i < event->times.count; i++) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put_signed(out, (int32_t)sni_load_u32(event->times.data + 4 * (size_t)i));
        mdx_mdl_end_line(out);
    }
    mdx_mdl_close(out);
}

static void put_shape(mdx_mdl_out *out, const mdx_shape *shape)
{
    uint32_t points = mdx_mdl_shape_points(shape->kind);
    bool has_radius = mdx_mdl_shape_has_radius(shape->kind);
    bool is_usual = out->kind->tag == MDX_TAG('C', 'L', 'I', 'D') && points > 0 &&
                    shape->values.count == 3 * points + has_radius;
    if (!is_usual) {
        sni_writer *before = mdx_mdl_begin_hidden(out);
        mdx_mdl_put_numbers(out, "Values ", shape->values, MDX_MDL_F32);
        mdx_mdl_end_hidden(out, before);
        return;
    }
    mdx_mdl_put_records(out, "Vertices", (mdx_array){ shape->values.data, points }, 3);
    if (!has_radius) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "BoundsRadius ");
    mdx_mdl_put_float(out, sni_load_f32(shape->values.data + 12 * (size_t)points));
    mdx_mdl_end_line(out);
}

static void put_sequence(mdx_mdl_out *out, const mdx_sequence *sequence)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "Interval { ");
    mdx_mdl_put_unsigned(out, sequence->start);
    mdx_mdl_put(out, ", ");
    mdx_mdl_put_unsigned(out, sequence->end);
    mdx_mdl_put(out, " }");
    mdx_mdl_end_line(out);
}

static void put_node_head(mdx_mdl_out *out, const mdx_node *node)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "ObjectId ");
    mdx_mdl_put_signed(out, node->id);
    mdx_mdl_end_line(out);
    if (node->parent == -1) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "Parent ");
    mdx_mdl_put_signed(out, node->parent);
    mdx_mdl_end_line(out);
}

static void put_texture(mdx_mdl_out *out, const mdx_texture *texture)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "Image ");
    mdx_mdl_put_string(out, texture->path);
    mdx_mdl_end_line(out);
    if (texture->replaceable == 0) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "ReplaceableId ");
    mdx_mdl_put_unsigned(out, texture->replaceable);
    mdx_mdl_end_line(out);
}

// The bits of the first number that the block says by itself.
static uint32_t silent_bits(const mdx_mdl_out *out, const void *element)
{
    if (out->kind->is_node) return mdx_mdl_type_bits(out->kind->tag, out->doc->version);
    bool is_colored = out->kind->tag == MDX_TAG('G', 'E', 'O', 'A') && shows_color(out, element);
    return !is_colored ? 0 : mdx_is_alpha(out->doc) ? 1 : MDX_USE_COLOR;
}

static void put_body(mdx_mdl_out *out, const void *element)
{
    const mdx_emitter2 *emitter = element;
    switch (out->kind->tag) {
    case MDX_TAG('G', 'E', 'O', 'S'): mdx_mdl_put_geoset(out, element); return;
    case MDX_TAG('M', 'T', 'L', 'S'): mdx_mdl_put_material(out, element); return;
    case MDX_TAG('T', 'E', 'X', 'S'): put_texture(out, element); break;
    case MDX_TAG('S', 'E', 'Q', 'S'): put_sequence(out, element); break;
    default: break;
    }
    if (out->kind->is_node) put_node_head(out, &((const mdx_object *)element)->node);
    mdx_mdl_put_words(out, out->kind->tag, element, silent_bits(out, element));
    if (out->kind->tag != MDX_TAG('T', 'E', 'X', 'S')) put_fields(out, element);
    switch (out->kind->tag) {
    case MDX_TAG('S', 'E', 'Q', 'S'): mdx_mdl_put_extent(out, &((const mdx_sequence *)element)->extent); break;
    case MDX_TAG('E', 'V', 'T', 'S'): put_event(out, element); break;
    case MDX_TAG('C', 'L', 'I', 'D'):
    case MDX_TAG('H', 'T', 'S', 'T'): put_shape(out, element); break;
    case MDX_TAG('P', 'R', 'E', '2'):
        if (emitter->spline.count > 0) mdx_mdl_put_records(out, "Spline", emitter->spline, 3);
        break;
    default: break;
    }
    put_tracks(out, element);
    if (!out->kind->is_node) return;
    mdx_tracks node = ((const mdx_object *)element)->node.tracks;
    for (uint32_t i = 0; i < node.count; i++) mdx_mdl_put_track(out, &node.items[i]);
}

static const sni_str *name_of(const mdx_mdl_out *out, const void *element)
{
    if (out->kind->is_node) return &((const mdx_object *)element)->node.name;
    for (const mdx_field *field = mdx_mdl_fields_of(out->kind, out->doc->version); field->count; field++)
        if (field->type == MDX_NAME && !field->word)
            return (const sni_str *)(const void *)((const char *)element + field->offset);
    return NULL;
}

static void put_element(mdx_mdl_out *out, const void *element)
{
    mdx_mdl_open(out, out->kind->word, name_of(out, element), -1);
    put_body(out, element);
    mdx_mdl_close(out);
    if (out->has_later) sni_write_text(&out->later, "}\n");
    out->has_later = false;
}

static void put_later(mdx_mdl_out *out)
{
    if (out->later.size > 0) out->ends_hidden = true;
    sni_write_bytes(out->to, out->later.data, out->later.size);
    out->later.size = 0;
}

static void put_kind(mdx_mdl_out *out, const char *tag, const char *wrapper)
{
    const mdx_kind *kind = mdx_find_kind(MDX_TAG(tag[0], tag[1], tag[2], tag[3]));
    const mdx_list *list = list_of(out, kind);
    if (list->count == 0) return;
    if (wrapper) mdx_mdl_open(out, wrapper, NULL, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        out->kind = kind;
        out->index = i;
        put_element(out, (const char *)list->items + i * kind->item_bytes);
        if (!wrapper) put_later(out);
    }
    if (wrapper) mdx_mdl_close(out);
    put_later(out);
    out->kind = NULL;
}

static void put_count(mdx_mdl_out *out, const char *word, uint32_t count)
{
    if (count == 0) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, word);
    mdx_mdl_put_unsigned(out, count);
    mdx_mdl_end_line(out);
}

static void put_model(mdx_mdl_out *out)
{
    const mdx_doc *doc = out->doc;
    mdx_mdl_open(out, "Version", NULL, -1);
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "FormatVersion ");
    mdx_mdl_put_unsigned(out, doc->version);
    mdx_mdl_end_line(out);
    mdx_mdl_close(out);
    mdx_mdl_open(out, "Model", &doc->model.name, -1);
    put_count(out, "NumGeosets ", doc->geosets.count);
    put_count(out, "NumGeosetAnims ", doc->geoset_anims.count);
    put_count(out, "NumHelpers ", doc->helpers.count);
    put_count(out, "NumLights ", doc->lights.count);
    put_count(out, "NumBones ", doc->bones.count);
    put_count(out, "NumAttachments ", doc->attachments.count);
    put_count(out, "NumParticleEmitters ", doc->emitters.count);
    put_count(out, "NumParticleEmitters2 ", doc->emitters2.count);
    put_count(out, "NumRibbonEmitters ", doc->ribbons.count);
    put_count(out, "NumEvents ", doc->events.count);
    for (const mdx_field *field = mdx_model_fields; field->count; field++)
        if (field->word && mdx_has_field(field, doc->version))
            mdx_mdl_put_still(out, field, &doc->model, (mdx_tracks){ NULL, 0 }, field->type == MDX_U32);
    mdx_mdl_put_extent(out, &doc->model.extent);
    mdx_mdl_close(out);
}

static void put_global_sequences(mdx_mdl_out *out)
{
    mdx_array durations = out->doc->global_sequences;
    if (durations.count == 0) return;
    mdx_mdl_open(out, "GlobalSequences", NULL, durations.count);
    for (uint32_t i = 0; i < durations.count; i++) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "Duration ");
        mdx_mdl_put_unsigned(out, sni_load_u32(durations.data + 4 * (size_t)i));
        mdx_mdl_end_line(out);
    }
    mdx_mdl_close(out);
}

static void put_bind_pose(mdx_mdl_out *out)
{
    if (out->doc->bind_pose.count == 0) return;
    mdx_mdl_open(out, "BindPose", NULL, -1);
    mdx_mdl_put_records(out, "Matrices", out->doc->bind_pose, 12);
    mdx_mdl_close(out);
}

static void put_collision_mesh(mdx_mdl_out *out)
{
    const mdx_doc *doc = out->doc;
    if (!mdx_is_alpha(doc) || doc->collision_positions.count == 0) return;
    mdx_mdl_open(out, "CollisionMesh", NULL, -1);
    mdx_mdl_put_records(out, "Vertices", doc->collision_positions, 3);
    mdx_mdl_begin_line(out);
    mdx_mdl_put_numbers(out, "Triangles ", doc->collision_faces, MDX_MDL_U16);
    mdx_mdl_end_line(out);
    mdx_mdl_put_records(out, "Normals", doc->collision_normals, 3);
    mdx_mdl_close(out);
}

void mdx_write_mdl(const mdx_doc *doc, sni_writer *to)
{
    mdx_mdl_out out = { .doc = doc, .to = to };
    sni_writer_init(&out.later, to->heap);
    put_model(&out);
    put_kind(&out, "SEQS", "Sequences");
    put_global_sequences(&out);
    put_kind(&out, "TEXS", "Textures");
    put_kind(&out, "MTLS", "Materials");
    put_kind(&out, "TXAN", "TextureAnims");
    static const char *const plain[] = { "GEOS", "GEOA", "BONE", "LITE", "HELP", "ATCH" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) put_kind(&out, plain[i], NULL);
    if (doc->pivots.count > 0) mdx_mdl_put_records(&out, "PivotPoints", doc->pivots, 3);
    static const char *const more[] = { "PREM", "PRE2", "CORN", "RIBB", "CAMS", "EVTS", "CLID", "HTST", "FAFX" };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) put_kind(&out, more[i], NULL);
    put_collision_mesh(&out);
    put_bind_pose(&out);
    if (out.ends_hidden) mdx_mdl_put(&out, "\n");  // some readers want more text behind a comment
    to->failed = to->failed || out.later.failed;
    sni_writer_free(&out.later);
}
