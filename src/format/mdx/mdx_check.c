// The rules of Warcraft III over a document: what the game refuses, ignores or plays wrongly, and what its tools warn
// of. mdx_fix.c repairs what can be repaired without loss.
#include "format/mdx/mdx_check.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { CLASSIC_VERTICES = 7433, MOST_GROUPS = 255, SKIN_BONES = 256, MOST_STEPS = 1 << 22 };

typedef struct checker {
    sni_load *load;
    sni_diag *diag;
    const mdx_doc *doc;
    bool is_classic;
    mdx_objects objects;
    bool *is_used;  // per object: vertices are attached to it
} checker;

// Objects: all elements that are nodes, in the order of the file's kinds.

bool mdx_list_objects(sni_arena *arena, const mdx_doc *doc, mdx_objects *out)
{
    uint64_t total = 0;
    *out = (mdx_objects){ 0 };
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (kind->is_node) total += mdx_element_count(doc, kind);
    out->items = sni_new_raw(arena, mdx_object *, total);
    out->kinds = sni_new_raw(arena, const mdx_kind *, total);
    out->numbers = sni_new_raw(arena, uint32_t, total);
    out->of_id = sni_new_raw(arena, int32_t, total);
    if (total > INT32_MAX || !out->items || !out->kinds || !out->numbers || !out->of_id) return false;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_element_count(doc, kind); i++) {
            out->items[out->count] = mdx_element_at(doc, kind, i);
            out->numbers[out->count] = i;
            out->kinds[out->count++] = kind;
        }
    for (uint32_t i = 0; i < out->count; i++) out->of_id[i] = -1;
    for (uint32_t i = 0; i < out->count; i++) {
        const int32_t id = out->items[i]->node.id;
        const bool is_inside = id >= 0 && (uint32_t)id < out->count && !out->items[i]->node.lacks_id;
        if (is_inside && out->of_id[id] < 0) out->of_id[id] = (int32_t)i;
        else out->has_bad_ids = true;
    }
    for (uint32_t id = 0, others = 0; id < out->count; id++) {
        const int32_t object = out->of_id[id];
        const bool is_bone = object >= 0 && out->kinds[object]->tag == MDX_BONE;
        if (is_bone && others > 0) out->has_late_bones = true;
        others += object >= 0 && !is_bone;
    }
    return true;
}

static int32_t object_of(const checker *c, int64_t id)
{
    return id >= 0 && id < c->objects.count ? c->objects.of_id[id] : -1;
}

static void enter_object(checker *c, uint32_t index)
{
    const sni_str name = mdx_trim_nul(c->objects.items[index]->node.name);
    sni_enter_named(c->diag, c->objects.kinds[index]->name, c->objects.numbers[index],
                    sni_text_clean(&c->load->scratch, name, NULL));
}

static void check_ids(checker *c)
{
    uint64_t bad = 0, late = 0;
    for (uint32_t i = 0; i < c->objects.count; i++) bad += object_of(c, c->objects.items[i]->node.id) != (int32_t)i;
    sni_warn_many(c->diag, SNI_WARN_WAR3_IDS, bad, 0, "%u objects do not have the ids 0 to %d, each once",
                  c->objects.count, (int)c->objects.count - 1);
    for (uint32_t id = 0, others = 0; id < c->objects.count; id++) {
        const bool is_bone = c->objects.of_id[id] >= 0 && c->objects.kinds[c->objects.of_id[id]]->tag == MDX_BONE;
        late += is_bone && others > 0;
        others += c->objects.of_id[id] >= 0 && !is_bone;
    }
    sni_warn_many(c->diag, SNI_WARN_WAR3_BONES_FIRST, late, 0, "bones have higher ids than other objects");
    if (c->doc->pivots.count != c->objects.count)
        sni_warn(c->diag, SNI_WARN_WAR3_PIVOTS, 0, "%u pivots for %u objects", c->doc->pivots.count, c->objects.count);
}

// Marks: 0 not visited, 1 on the way up, 2 known to end at a root.
static void check_parents(checker *c)
{
    uint8_t *marks = sni_new(&c->load->scratch, uint8_t, c->objects.count);
    for (uint32_t i = 0; marks && i < c->objects.count; i++) {
        const mdx_node *node = &c->objects.items[i]->node;
        int64_t at = i;
        enter_object(c, i);
        if (node->parent != -1 && object_of(c, node->parent) < 0)
            sni_warn(c->diag, SNI_WARN_WAR3_PARENT, c->objects.items[i]->item.offset,
                     "object %d has the parent %d, which does not exist", node->id, node->parent);
        if (node->parent == node->id)
            sni_warn(c->diag, SNI_WARN_WAR3_PARENT, c->objects.items[i]->item.offset, "object %d is its own parent",
                     node->id);
        for (; at >= 0 && marks[at] == 0; at = object_of(c, c->objects.items[at]->node.parent)) marks[at] = 1;
        if (at >= 0 && marks[at] == 1 && node->parent != node->id)
            sni_warn(c->diag, SNI_WARN_WAR3_PARENT, c->objects.items[i]->item.offset, "object %d is above itself",
                     c->objects.items[at]->node.id);
        for (at = i; at >= 0 && marks[at] == 1; at = object_of(c, c->objects.items[at]->node.parent)) marks[at] = 2;
        sni_leave(c->diag);
    }
}

// Tracks

typedef struct key_range {
    uint32_t first, count;
} key_range;

static int32_t key_time(const checker *c, const mdx_track *track, uint32_t key)
{
    return (int32_t)sni_load_u32(track->keys.data + mdx_key_bytes(track, c->doc->version) * (size_t)key);
}

static bool have_equal_values(const checker *c, const mdx_track *track, uint32_t a, uint32_t b)
{
    const size_t bytes = mdx_key_bytes(track, c->doc->version);
    const size_t count = mdx_type_bytes(track->kind->type, c->doc->version) / 4;
    const uint8_t *x = track->keys.data + bytes * a + 4, *y = track->keys.data + bytes * b + 4;
    for (size_t i = 0; i < count; i++)
        if (track->kind->type == MDX_U32 ? sni_load_u32(x + 4 * i) != sni_load_u32(y + 4 * i)
                                         : sni_load_f32(x + 4 * i) != sni_load_f32(y + 4 * i))
            return false;
    return true;
}

// The first key at or after a time; keys must be sorted.
static uint32_t first_at(const checker *c, const mdx_track *track, int64_t time)
{
    uint32_t low = 0, high = track->keys.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (key_time(c, track, middle) < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void check_start(checker *c, const mdx_track *track, int32_t start, int32_t end, const char *what,
                        uint32_t number)
{
    const uint32_t first = first_at(c, track, start), after = first_at(c, track, (int64_t)end + 1);
    if (after < first + 2 || key_time(c, track, first) == start || have_equal_values(c, track, first, after - 1))
        return;
    sni_warn(c->diag, SNI_WARN_WAR3_KEY_AT_START, track->offset, "no key at %d, where %s %u starts; the first is at %d",
             start, what, number, key_time(c, track, first));
}

static void check_key_starts(checker *c, const mdx_track *track)
{
    const mdx_sequence *sequences = c->doc->sequences.items;
    if (track->interpolation == MDX_STEP || track->keys.count < 2) return;
    if (track->global_sequence >= 0) {
        if ((uint32_t)track->global_sequence >= c->doc->global_sequences.count) return;
        const uint32_t length = sni_load_u32(c->doc->global_sequences.data + 4 * (size_t)track->global_sequence);
        if (length <= INT32_MAX)
            check_start(c, track, 0, (int32_t)length, "global sequence", (uint32_t)track->global_sequence);
        return;
    }
    for (uint32_t i = 0; i < c->doc->sequences.count; i++)
        check_start(c, track, (int32_t)sequences[i].start, (int32_t)sequences[i].end, "sequence", i);
}

// Times of keys or events. Returns whether they are sorted.
static bool check_times(checker *c, const uint8_t *data, uint32_t count, size_t bytes, uint64_t offset)
{
    uint64_t falling = 0, repeated = 0, first_falling = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t now = (int32_t)sni_load_u32(data + bytes * i);
        const int32_t before = i > 0 ? (int32_t)sni_load_u32(data + bytes * (i - 1)) : INT32_MIN;
        if (i > 0 && now < before && falling++ == 0) first_falling = i;
        repeated += now < 0 || (i > 0 && now == before);
    }
    sni_warn_many(c->diag, SNI_WARN_WAR3_KEY_ORDER, falling, offset, "key %llu is earlier than the one before it",
                  (unsigned long long)first_falling);
    sni_warn_many(c->diag, SNI_WARN_WAR3_KEY_TWICE, repeated, offset,
                  "keys with the time of the one before, or below 0");
    return falling == 0;
}

static bool check_global(checker *c, int32_t index, uint64_t offset)
{
    if (index == -1 || (index >= 0 && (uint32_t)index < c->doc->global_sequences.count)) return true;
    sni_warn(c->diag, SNI_WARN_WAR3_REFERENCE, offset, "global sequence %d of %u", index,
             c->doc->global_sequences.count);
    return false;
}

static void check_track(checker *c, const mdx_track *track)
{
    char name[5];
    const size_t bytes = mdx_key_bytes(track, c->doc->version);
    mdx_tag_name(track->kind->tag, name);
    sni_enter(c->diag, name, -1);
    const bool is_visibility = track->kind->is_stepped && track->kind->type == MDX_F32;
    if (track->keys.count == 0) sni_warn(c->diag, SNI_WARN_WAR3_KEY_OUTSIDE, track->offset, "a track without keys");
    if (track->global_sequence == -1 && c->doc->sequences.count == 0)
        sni_warn(c->diag, SNI_WARN_WAR3_KEY_OUTSIDE, track->offset, "a track in a model without sequences");
    if (is_visibility && track->interpolation != MDX_STEP)
        sni_warn(c->diag, SNI_WARN_WAR3_VISIBILITY, track->offset, "its interpolation is %u", track->interpolation);
    check_global(c, track->global_sequence, track->offset);
    const bool is_sorted = check_times(c, track->keys.data, track->keys.count, bytes, track->offset);
    if (is_sorted && c->doc->sequences.count < MOST_STEPS) check_key_starts(c, track);
    sni_leave(c->diag);
}

static void check_tracks(checker *c, const mdx_tracks *tracks)
{
    for (uint32_t i = 0; i < tracks->count; i++) check_track(c, &tracks->items[i]);
}

// Names, paths and references

static void check_name(checker *c, sni_str name, size_t most, uint64_t offset)
{
    if (mdx_trim_nul(name).size >= most)
        sni_warn(c->diag, SNI_WARN_WAR3_NAME, offset, "%zu bytes, the field has room for %zu", mdx_trim_nul(name).size,
                 most - 1);
}

static bool ends_in(sni_str path, const char *endings)
{
    char text[MDX_PATH_BYTES + 1];
    const sni_str trimmed = mdx_trim_nul(path);
    const size_t size = trimmed.size < MDX_PATH_BYTES ? trimmed.size : MDX_PATH_BYTES;
    memcpy(text, trimmed.at, size);
    text[size] = 0;
    return sni_has_ending(text, endings);
}

static bool is_replaceable(uint32_t id) { return id <= 2 || id == 11 || id == 21 || (id >= 31 && id <= 37); }

static void check_index(checker *c, int64_t index, uint32_t count, const char *what, uint64_t offset)
{
    if (index < 0 || index >= count)
        sni_warn(c->diag, SNI_WARN_WAR3_REFERENCE, offset, "%s %lld of %u", what, (long long)index, count);
}

bool mdx_is_extent(const mdx_extent *extent)
{
    bool is_good = isfinite(extent->radius);
    for (int i = 0; i < 3; i++)
        is_good &= isfinite(extent->min[i]) && isfinite(extent->max[i]) && extent->min[i] <= extent->max[i];
    return is_good;
}

static void check_extent(checker *c, const mdx_extent *extent, uint64_t offset)
{
    if (!mdx_is_extent(extent))
        sni_warn(c->diag, SNI_WARN_WAR3_EXTENTS, offset, "the minimum is above the maximum, or not a number");
}

// Elements

static void check_header(checker *c)
{
    const uint32_t version = c->doc->version;
    const bool is_taken = c->is_classic ? version == 800
                                        : version == 800 || version == 1000 || version == 1100 || version == 1200;
    if (!is_taken)
        sni_warn(c->diag, SNI_WARN_WAR3_VERSION, 0, "version %u; %s", version,
                 c->is_classic ? "Warcraft III loads 800" : "Reforged loads 800, 1000, 1100 and 1200");
    sni_enter(c->diag, "MODL", -1);
    check_name(c, c->doc->model.name, MDX_NAME_BYTES, 0);
    check_extent(c, &c->doc->model.extent, 0);
    sni_leave(c->diag);
}

// The first word, without "Alternate" and what follows a dash.
static sni_str sequence_word(sni_str name)
{
    sni_str text = mdx_trim_nul(name), word;
    for (int i = 0; i < 2; i++) {
        while (text.size > 0 && (uint8_t)text.at[0] <= ' ') text.at++, text.size--;
        size_t size = 0;
        while (size < text.size && (uint8_t)text.at[size] > ' ' && text.at[size] != '-') size++;
        word = sni_str_make(text.at, size);
        if (!sni_str_is_nocase(word, "alternate")) break;
        text.at += size, text.size -= size;
    }
    return word;
}

static bool is_known_word(sni_str word)
{
    static const char *const words[] = { "attack",   "birth", "cinematic", "death", "decay", "dissipate", "morph",
                                         "portrait", "sleep", "spell",     "stand", "walk",  "ready" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sni_str_is_nocase(word, words[i])) return true;
    return false;
}

// The number of an earlier sequence that starts at the same time; -1: none.
static int64_t find_start(checker *c, sni_map *starts, uint32_t index)
{
    const mdx_sequence *sequences = c->doc->sequences.items;
    const uint32_t start = sequences[index].start, hash = sni_hash(&start, sizeof start);
    for (sni_map_cursor at = sni_map_find(starts, hash); sni_map_next(starts, &at);)
        if (sequences[at.item].start == start) return at.item;
    sni_map_add(starts, &c->load->scratch, hash, index);
    return -1;
}

// Each against the one before it that reaches furthest.
// The game hides a unit whose extent is out of view. A tenth of the size beyond it is no reason to complain.
static void check_box(checker *c, const mdx_sequence *sequence, const sn_bounds *bounds)
{
    const mdx_extent *extent = &sequence->extent;
    const float low[3] = { bounds->min.x, bounds->min.y, bounds->min.z };
    const float high[3] = { bounds->max.x, bounds->max.y, bounds->max.z };
    float beyond = 0.0f;
    for (int i = 0; i < 3; i++) beyond = fmaxf(beyond, fmaxf(extent->min[i] - low[i], high[i] - extent->max[i]));
    if (mdx_is_extent(extent) && beyond > 0.2f * bounds->radius)
        sni_warn(c->diag, SNI_WARN_WAR3_EXTENT_BOX, sequence->item.offset, "the model reaches %.3g beyond it",
                 (double)beyond);
}

static void check_sequences(checker *c)
{
    const mdx_sequence *sequences = c->doc->sequences.items;
    bool has_stand = false, has_death = false;
    sni_map starts = { 0 };
    int64_t furthest = INT64_MIN;
    uint32_t which = 0;
    for (uint32_t i = 0; i < c->doc->sequences.count; i++) {
        const mdx_sequence *sequence = &sequences[i];
        const int32_t start = (int32_t)sequence->start, end = (int32_t)sequence->end;
        const sni_str word = sequence_word(sequence->name);
        sni_enter_named(c->diag, "SEQS", i, sni_text_clean(&c->load->scratch, mdx_trim_nul(sequence->name), NULL));
        const int64_t same = find_start(c, &starts, i);
        if (c->doc->version == 800 && same >= 0)
            sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_ORDER, sequence->item.offset,
                     "it starts at %d, as sequence %lld does", start, (long long)same);
        else if (c->doc->version == 800 && start < furthest)
            sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_ORDER, sequence->item.offset,
                     "it starts at %d, sequence %u ends at %lld", start, which, (long long)furthest);
        if (end > furthest) furthest = end, which = i;
        if (end <= start)
            sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_TIME, sequence->item.offset, "from %d to %d", start, end);
        if (!is_known_word(word))
            sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_NAME, sequence->item.offset,
                     "its first word is none of the game's");
        has_stand |= sni_str_is_nocase(word, "stand");
        has_death |= sni_str_is_nocase(word, "death");
        check_name(c, sequence->name, MDX_NAME_BYTES, sequence->item.offset);
        check_extent(c, &sequence->extent, sequence->item.offset);
        if (c->load->clip_bounds && c->load->clip_count == c->doc->sequences.count)
            check_box(c, sequence, &c->load->clip_bounds[i]);
        sni_leave(c->diag);
    }
    if (c->doc->sequences.count == 0) sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_NAME, 0, "no sequences");
    else if (!has_stand || !has_death)
        sni_warn(c->diag, SNI_WARN_WAR3_UNIT, 0, "no sequence %s",
                 has_death   ? "\"Stand\""
                 : has_stand ? "\"Death\""
                             : "\"Stand\", none \"Death\"");
    for (uint32_t i = 0; i < c->doc->global_sequences.count; i++) {
        const int32_t length = (int32_t)sni_load_u32(c->doc->global_sequences.data + 4 * (size_t)i);
        sni_enter(c->diag, "GLBS", i);
        if (length <= 0) sni_warn(c->diag, SNI_WARN_WAR3_SEQUENCE_TIME, 0, "a length of %d", length);
        sni_leave(c->diag);
    }
}

static void check_textures(checker *c)
{
    const mdx_texture *textures = c->doc->textures.items;
    for (uint32_t i = 0; i < c->doc->textures.count; i++) {
        const mdx_texture *texture = &textures[i];
        const bool has_path = mdx_trim_nul(texture->path).size > 0;
        const uint64_t offset = texture->item.offset;
        sni_enter(c->diag, "TEXS", i);
        if (has_path && !ends_in(texture->path, "blp tga tif dds"))
            sni_warn(c->diag, SNI_WARN_WAR3_TEXTURE, offset, "its path does not end in .blp, .tga, .tif or .dds");
        if (!is_replaceable(texture->replaceable))
            sni_warn(c->diag, SNI_WARN_WAR3_TEXTURE, offset, "replaceable id %u", texture->replaceable);
        if (has_path && texture->replaceable)
            sni_warn(c->diag, SNI_WARN_WAR3_TEXTURE_BOTH, offset, "replaceable id %u and a path", texture->replaceable);
        check_name(c, texture->path, MDX_PATH_BYTES, offset);
        sni_leave(c->diag);
    }
}

static void check_layer(checker *c, const mdx_layer *layer)
{
    const uint64_t offset = layer->item.offset;
    const mdx_track *flips = NULL;
    for (uint32_t i = 0; i < layer->item.tracks.count; i++)
        if (layer->item.tracks.items[i].kind->tag == MDX_KMTF) flips = &layer->item.tracks.items[i];
    const size_t bytes = flips ? mdx_key_bytes(flips, c->doc->version) : 0;
    for (uint32_t i = 0; flips && i < flips->keys.count; i++)
        check_index(c, sni_load_u32(flips->keys.data + bytes * i + 4), c->doc->textures.count, "texture", offset);
    if (!flips && layer->slot_count == 0) check_index(c, layer->texture, c->doc->textures.count, "texture", offset);
    for (uint32_t i = 0; i < layer->slot_count; i++) {
        check_index(c, layer->slots[i].texture, c->doc->textures.count, "texture", offset);
        check_tracks(c, &layer->slots[i].tracks);
    }
    if (layer->texture_anim != -1)
        check_index(c, layer->texture_anim, c->doc->texture_anims.count, "texture animation", offset);
    if (layer->filter >= MDX_FILTER_COUNT)
        sni_warn(c->diag, SNI_WARN_WAR3_MATERIAL, offset, "filter mode %u", layer->filter);
    check_tracks(c, &layer->item.tracks);
}

static void check_materials(checker *c)
{
    const mdx_material *materials = c->doc->materials.items;
    const mdx_texture_anim *anims = c->doc->texture_anims.items;
    for (uint32_t i = 0; i < c->doc->materials.count; i++) {
        const sni_str shader = mdx_trim_nul(materials[i].shader);
        sni_enter(c->diag, "MTLS", i);
        if (materials[i].layer_count == 0)
            sni_warn(c->diag, SNI_WARN_WAR3_MATERIAL, materials[i].item.offset, "it has no layers");
        if (shader.size > 0 && !sni_str_is(shader, "Shader_SD_FixedFunction") &&
            !sni_str_is(shader, "Shader_HD_DefaultUnit"))
            sni_warn(c->diag, SNI_WARN_WAR3_MATERIAL, materials[i].item.offset, "an unknown shader");
        for (uint32_t k = 0; k < materials[i].layer_count; k++) {
            sni_enter(c->diag, "LAYS", k);
            check_layer(c, &materials[i].layers[k]);
            sni_leave(c->diag);
        }
        sni_leave(c->diag);
    }
    for (uint32_t i = 0; i < c->doc->texture_anims.count; i++) {
        sni_enter(c->diag, "TXAN", i);
        check_tracks(c, &anims[i].item.tracks);
        sni_leave(c->diag);
    }
}

// Geosets

// What is wrong with the vertices of one geoset.
typedef struct attachments {
    uint64_t not_bones, missing, sums;
    uint32_t first_not_bone, first_missing, first_sum;
} attachments;

// 0: a bone, 1: another object, 2: nothing.
static int attach(checker *c, uint32_t id)
{
    const int32_t object = object_of(c, id);
    if (object < 0) return 2;
    c->is_used[object] = true;
    return c->objects.kinds[object]->tag == MDX_BONE ? 0 : 1;
}

static void count_vertex(attachments *a, uint32_t vertex, bool is_other, bool is_missing)
{
    if (is_other && a->not_bones++ == 0) a->first_not_bone = vertex;
    if (is_missing && a->missing++ == 0) a->first_missing = vertex;
}

static void check_skin(checker *c, const mdx_geoset *geoset, attachments *a)
{
    for (uint32_t i = 0; i < geoset->skin.count / MDX_SKIN_BYTES; i++) {
        const uint8_t *bytes = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i;
        uint32_t sum = 0;
        bool is_other = false, is_missing = false;
        for (uint32_t k = 0; k < 4; k++) {
            const int result = bytes[4 + k] > 0 ? attach(c, bytes[k]) : 0;
            sum += bytes[4 + k];
            is_other |= result == 1;
            is_missing |= result == 2;
        }
        count_vertex(a, i, is_other, is_missing || sum == 0);
        if (sum > 0 && sum != 255 && a->sums++ == 0) a->first_sum = i;
    }
}

static bool check_groups(checker *c, const mdx_geoset *geoset, attachments *a)
{
    const uint32_t groups = geoset->group_sizes.count;
    uint8_t *results = sni_new(&c->load->scratch, uint8_t, groups);  // 1: has an object that is no bone, 2: nothing
    uint64_t at = 0;
    if (!results) return false;
    for (uint32_t i = 0; i < groups; i++) {
        const uint32_t size = sni_load_u32(geoset->group_sizes.data + 4 * (size_t)i);
        for (uint32_t k = 0; k < size && at < geoset->matrices.count; k++, at++)
            results[i] |= (uint8_t)attach(c, sni_load_u32(geoset->matrices.data + 4 * (size_t)at));
        if (size == 0) results[i] |= 4;
    }
    for (uint32_t i = 0; i < geoset->groups.count; i++) {
        const uint8_t group = geoset->groups.data[i];
        count_vertex(a, i, group < groups && results[group] & 1, group >= groups || results[group] & 2);
    }
    return true;
}

static void report_attachments(checker *c, const attachments *a, uint64_t offset)
{
    sni_warn_many(c->diag, SNI_WARN_WAR3_NOT_A_BONE, a->not_bones, offset, "vertices, the first is %u",
                  a->first_not_bone);
    sni_warn_many(c->diag, SNI_WARN_WAR3_UNATTACHED, a->missing, offset, "vertices, the first is %u", a->first_missing);
    sni_warn_many(c->diag, SNI_WARN_WAR3_WEIGHTS, a->sums, offset, "vertices, the first is %u", a->first_sum);
}

static bool check_geoset(checker *c, const mdx_geoset *geoset, uint32_t anims)
{
    const uint64_t offset = geoset->item.offset;
    const mdx_material *materials = c->doc->materials.items;
    attachments a = { 0 };
    const bool has_material = geoset->material < c->doc->materials.count;
    const bool is_hd = has_material &&
                       sni_str_is(mdx_trim_nul(materials[geoset->material].shader), "Shader_HD_DefaultUnit");
    const bool has_skin = c->doc->version > 800 && geoset->skin.count > 0;
    check_index(c, geoset->material, c->doc->materials.count, "material", offset);
    if (!is_hd && c->doc->version < 1100 && geoset->positions.count >= CLASSIC_VERTICES)
        sni_warn(c->diag, SNI_WARN_WAR3_VERTICES, offset, "%u vertices, the game draws up to %d",
                 geoset->positions.count, CLASSIC_VERTICES - 1);
    if (!has_skin && geoset->group_sizes.count > MOST_GROUPS)
        sni_warn(c->diag, SNI_WARN_WAR3_GROUPS, offset, "%u groups of bones", geoset->group_sizes.count);
    if (has_skin) check_skin(c, geoset, &a);
    else if (c->doc->bones.count > 0 && !check_groups(c, geoset, &a)) return false;
    report_attachments(c, &a, offset);
    if (has_skin && is_hd && geoset->tangents.count != geoset->positions.count)
        sni_warn(c->diag, SNI_WARN_WAR3_BIND_POSE, offset, "%u tangents for %u vertices", geoset->tangents.count,
                 geoset->positions.count);
    if (geoset->faces.count == 0) sni_warn(c->diag, SNI_WARN_WAR3_GEOSET, offset, "it has no faces");
    if (anims > 1) sni_warn(c->diag, SNI_WARN_WAR3_GEOSET, offset, "%u geoset animations", anims);
    if (c->doc->version == 800 && geoset->extents.count != c->doc->sequences.count)
        sni_warn(c->diag, SNI_WARN_WAR3_EXTENTS, offset, "%u extents for %u sequences", geoset->extents.count,
                 c->doc->sequences.count);
    check_extent(c, &geoset->extent, offset);
    for (uint32_t i = 0; i < geoset->extents.count; i++) {
        const mdx_extent extent = mdx_load_extent(geoset->extents.data + 28 * (size_t)i);
        check_extent(c, &extent, offset);
    }
    return true;
}

static bool check_geosets(checker *c)
{
    const mdx_geoset *geosets = c->doc->geosets.items;
    const mdx_geoset_anim *anims = c->doc->geoset_anims.items;
    uint32_t *anim_counts = sni_new(&c->load->scratch, uint32_t, c->doc->geosets.count);
    if (!anim_counts) return false;
    for (uint32_t i = 0; i < c->doc->geoset_anims.count; i++) {
        sni_enter(c->diag, "GEOA", i);
        check_index(c, anims[i].geoset, c->doc->geosets.count, "geoset", anims[i].item.offset);
        check_tracks(c, &anims[i].item.tracks);
        sni_leave(c->diag);
        if (anims[i].geoset >= 0 && (uint32_t)anims[i].geoset < c->doc->geosets.count) anim_counts[anims[i].geoset]++;
    }
    for (uint32_t i = 0; i < c->doc->geosets.count; i++) {
        sni_enter(c->diag, "GEOS", i);
        const bool is_checked = check_geoset(c, &geosets[i], anim_counts[i]);
        sni_leave(c->diag);
        if (!is_checked) return false;
    }
    return true;
}

// Objects by kind

static bool has_track(const mdx_tracks *tracks, uint32_t tag)
{
    for (uint32_t i = 0; i < tracks->count; i++)
        if (tracks->items[i].kind->tag == tag) return true;
    return false;
}

static void check_bone(checker *c, const mdx_bone *bone, uint32_t index)
{
    const float THRESHOLD = 0.1f;
    const mdx_geoset_anim *anims = c->doc->geoset_anims.items;
    const uint64_t offset = bone->object.item.offset;
    if (bone->geoset != -1) check_index(c, bone->geoset, c->doc->geosets.count, "geoset", offset);
    if (bone->geoset_anim != -1)
        check_index(c, bone->geoset_anim, c->doc->geoset_anims.count, "geoset animation", offset);
    if (bone->geoset != -1 && bone->geoset_anim >= 0 && (uint32_t)bone->geoset_anim < c->doc->geoset_anims.count) {
        const mdx_geoset_anim *anim = &anims[bone->geoset_anim];
        if (anim->alpha < THRESHOLD && !has_track(&anim->item.tracks, MDX_KGAO))
            sni_warn(c->diag, SNI_WARN_WAR3_INVISIBLE, offset, "geoset animation %d has an alpha of %g",
                     bone->geoset_anim, (double)anim->alpha);
    }
    if (!c->is_used[index]) sni_warn(c->diag, SNI_WARN_WAR3_UNUSED, offset, "no vertex is attached to it");
}

static void check_light(checker *c, const mdx_light *light)
{
    if (light->attenuation_start < 80.0f || light->attenuation_end > 200.0f ||
        light->attenuation_end <= light->attenuation_start)
        sni_warn(c->diag, SNI_WARN_WAR3_LIGHT, light->object.item.offset, "it fades from %g to %g",
                 (double)light->attenuation_start, (double)light->attenuation_end);
}

static bool is_power(uint32_t value) { return value > 0 && (value & (value - 1)) == 0; }

static void check_emitter2(checker *c, const mdx_emitter2 *emitter)
{
    enum { XY_QUAD = 0x100000 };
    const uint64_t offset = emitter->object.item.offset;
    check_index(c, emitter->texture, c->doc->textures.count, "texture", offset);
    if (emitter->filter > 4) sni_warn(c->diag, SNI_WARN_WAR3_MATERIAL, offset, "filter mode %u", emitter->filter);
    if (!is_replaceable(emitter->replaceable))
        sni_warn(c->diag, SNI_WARN_WAR3_TEXTURE, offset, "replaceable id %u", emitter->replaceable);
    if (emitter->object.node.flags & XY_QUAD && (emitter->speed == 0.0f || emitter->latitude == 0.0f))
        sni_warn(c->diag, SNI_WARN_WAR3_EMITTER, offset, "XY quads need a speed and a latitude");
    if (!(emitter->middle_time >= 0.0f && emitter->middle_time <= 1.0f))
        sni_warn(c->diag, SNI_WARN_WAR3_EMITTER, offset, "the middle time is %g, not from 0 to 1",
                 (double)emitter->middle_time);
    if (emitter->squirt && !has_track(&emitter->object.item.tracks, MDX_KP2E))
        sni_warn(c->diag, SNI_WARN_WAR3_EMITTER, offset, "it squirts, but its emission rate is not animated");
    if (!is_power(emitter->rows) || !is_power(emitter->columns))
        sni_warn(c->diag, SNI_WARN_WAR3_EMITTER_GRID, offset, "%u rows, %u columns", emitter->rows, emitter->columns);
}

static void check_event(checker *c, const mdx_event *event)
{
    static const char *const kinds[] = { "SND", "SPL", "FPT", "UBR", "SPN" };
    const uint64_t offset = event->object.item.offset;
    const sni_str name = mdx_trim_nul(event->object.node.name);
    bool is_known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        is_known |= name.size == 8 && sni_str_is_nocase(sni_str_make(name.at, 3), kinds[i]);
    if (!is_known) sni_warn(c->diag, SNI_WARN_WAR3_EVENT_NAME, offset, "it is not like SNDxAAAA");
    if (event->times.count == 0) sni_warn(c->diag, SNI_WARN_WAR3_EVENT, offset, "it has no times");
    check_global(c, event->global_sequence, offset);
    check_times(c, event->times.data, event->times.count, 4, offset);
}

static void check_shape(checker *c, const mdx_shape *shape)
{
    const bool is_good = shape->kind == MDX_SPHERE     ? shape->values.count == 4
                         : shape->kind == MDX_CYLINDER ? shape->values.count == 7
                                                       : shape->kind <= MDX_PLANE && shape->values.count == 6;
    if (!is_good)
        sni_warn(c->diag, SNI_WARN_WAR3_SHAPE, shape->object.item.offset, "kind %u with %u numbers", shape->kind,
                 shape->values.count);
}

static void check_path(checker *c, sni_str path, const char *endings, bool is_needed, uint64_t offset)
{
    const bool has_path = mdx_trim_nul(path).size > 0;
    if ((has_path || is_needed) && !ends_in(path, endings))
        sni_warn(c->diag, SNI_WARN_WAR3_PATH, offset,
                 has_path ? "it does not end in .%.3s" : "it has none; .%.3s is needed", endings);
    check_name(c, path, MDX_PATH_BYTES, offset);
}

static void check_object(checker *c, uint32_t index)
{
    const mdx_object *object = c->objects.items[index];
    const void *element = object;
    const uint64_t offset = object->item.offset;
    switch (c->objects.kinds[index]->tag) {
    case MDX_BONE: check_bone(c, element, index); break;
    case MDX_LITE: check_light(c, element); break;
    case MDX_ATCH: check_path(c, ((const mdx_attachment *)element)->path, "mdl mdx", false, offset); break;
    case MDX_PREM: check_path(c, ((const mdx_emitter *)element)->path, "mdl mdx", true, offset); break;
    case MDX_PRE2: check_emitter2(c, element); break;
    case MDX_RIBB:
        check_index(c, ((const mdx_ribbon *)element)->material, c->doc->materials.count, "material", offset);
        break;
    case MDX_EVTS: check_event(c, element); break;
    case MDX_CLID: check_shape(c, element); break;
    case MDX_CORN:
        if (mdx_trim_nul(((const mdx_popcorn *)element)->visibility_guide).size == 0)
            sni_warn(c->diag, SNI_WARN_WAR3_EMITTER, offset, "it has no animation visibility guide");
        break;
    default: break;
    }
    check_name(c, object->node.name, MDX_NAME_BYTES, offset);
    check_tracks(c, &object->node.tracks);
    check_tracks(c, &object->item.tracks);
}

static bool starts_with(sni_str text, const char *word)
{
    const size_t size = strlen(word);
    return text.size >= size && sni_str_is_nocase(sni_str_make(text.at, size), word);
}

static void check_objects(checker *c)
{
    bool has_origin = false;
    for (uint32_t i = 0; i < c->objects.count; i++) {
        enter_object(c, i);
        check_object(c, i);
        sni_leave(c->diag);
        has_origin |= c->objects.kinds[i]->tag == MDX_ATCH &&
                      starts_with(mdx_trim_nul(c->objects.items[i]->node.name), "Origin Ref");
    }
    if (!has_origin) sni_warn(c->diag, SNI_WARN_WAR3_ORIGIN, 0, "no attachment \"Origin Ref\"");
}

static void check_cameras(checker *c)
{
    const mdx_camera *cameras = c->doc->cameras.items;
    const mdx_sequence *sequences = c->doc->sequences.items;
    const mdx_face_fx *effects = c->doc->face_fx.items;
    bool has_portrait = false;
    for (uint32_t i = 0; i < c->doc->sequences.count; i++)
        has_portrait |= sni_str_is_nocase(sequence_word(sequences[i].name), "portrait");
    for (uint32_t i = 0; i < c->doc->cameras.count; i++) {
        sni_enter(c->diag, "CAMS", i);
        if (!has_portrait) sni_warn(c->diag, SNI_WARN_WAR3_CAMERA, cameras[i].item.offset, "no sequence \"Portrait\"");
        check_name(c, cameras[i].name, MDX_NAME_BYTES, cameras[i].item.offset);
        check_tracks(c, &cameras[i].item.tracks);
        sni_leave(c->diag);
    }
    for (uint32_t i = 0; i < c->doc->face_fx.count; i++) {
        sni_enter(c->diag, "FAFX", i);
        check_path(c, effects[i].path, "facefx facefx_ingame", false, effects[i].item.offset);
        sni_leave(c->diag);
    }
    const uint64_t wanted = (uint64_t)c->objects.count + 1, got = c->doc->bind_pose.count;
    if (got > 0 && got != wanted && (c->doc->cameras.count == 0 || got != wanted - 1 + c->doc->cameras.count))
        sni_warn(c->diag, SNI_WARN_WAR3_BIND_POSE, 0, "%llu matrices, %llu are needed", (unsigned long long)got,
                 (unsigned long long)wanted);
}

bool mdx_check_game(sni_load *load, const void *document, sn_game game)
{
    checker c = { .load = load, .diag = &load->diag, .doc = document, .is_classic = game == SN_GAME_WARCRAFT_3 };
    if (!mdx_list_objects(&load->scratch, c.doc, &c.objects)) return false;
    c.is_used = sni_new(&load->scratch, bool, c.objects.count);
    if (!c.is_used) return false;
    check_header(&c);
    if (mdx_is_wow(c.doc)) return true;  // the version is all that matters
    check_sequences(&c);
    check_textures(&c);
    check_materials(&c);
    if (!check_geosets(&c)) return false;
    check_ids(&c);
    check_parents(&c);
    check_objects(&c);
    check_cameras(&c);
    return sni_load_ok(load);
}
