// A model in several files: the hierarchy is often in a file of that name, animations in one file each.
#include <stdio.h>

#include "format/w3d/w3d_build.h"

enum { MAX_JOINED_FILES = 4096 };     // larger than any game needs
enum { ANIMATION_NAMES_BYTES = 36 };  // start of an animation header: version and two names
enum { HIERARCHY_NAME_BYTES = 20 };   // start of a hierarchy header: version and name
enum { MAX_PEEKED_CHUNKS = 4096, MAX_NAMED_CHUNKS = 1 << 18 };
static const char EXTENSION[] = ".w3d";

// Opening files

static bool add_file(w3d_builder *b, const char *name, const w3d_doc *doc, bool is_explicit)
{
    w3d_source_file *file = sni_push(&b->load->scratch, &b->files, w3d_source_file);
    if (!file) return false;
    *file = (w3d_source_file){ name, doc, is_explicit };
    for (uint32_t i = 0; i < doc->hierarchy_count; i++) {
        w3d_hierarchy_ref *ref = sni_push(&b->load->scratch, &b->hierarchies, w3d_hierarchy_ref);
        if (!ref) return false;
        *ref = (w3d_hierarchy_ref){ .source = &doc->hierarchies[i], .file = b->files.count - 1 };
        if (!sni_nocase_names_add(&b->load->scratch, &b->hierarchy_names, ref->source->name,
                                  (int32_t)b->hierarchies.count - 1))
            return false;
    }
    return true;
}

// A file that the user named must be readable. Others are left out with a warning.
static bool add_bytes(w3d_builder *b, const char *name, sni_bytes bytes, bool is_explicit)
{
    sni_diag *diag = &b->load->diag;
    uint32_t depth = diag->depth;
    w3d_doc *doc = sni_new(sni_load_document_arena(b->load), w3d_doc, 1);
    const char *label = w3d_label(b, sni_str_make(name, strlen(name)));
    if (!doc) return false;
    sni_enter_named(diag, "FILE", -1, label);
    bool is_parsed = w3d_parse(b->load, bytes, doc);
    diag->depth = depth;
    if (is_parsed) return add_file(b, label, doc, is_explicit);

    sn_error error = diag->error;
    bool is_bad_file = error.status == SN_ERR_FORMAT || error.status == SN_ERR_TRUNCATED ||
                       error.status == SN_ERR_CORRUPT || error.status == SN_ERR_UNSUPPORTED;
    if (is_explicit || !is_bad_file) return false;
    diag->error = (sn_error){ .status = SN_OK };
    sni_warn(diag, SNI_WARN_FILE_MISSING, error.offset, "cannot read %.60s: %.100s", label, error.message);
    return true;
}

static bool add_companion(w3d_builder *b, const sn_companion *companion)
{
    sni_bytes bytes = { companion->data, companion->size };
    if (!companion->data && !sni_load_path(b->load, companion->name, &bytes)) {
        sn_error *error = &b->load->diag.error;
        char reason[sizeof error->message];
        memcpy(reason, error->message, sizeof reason);
        snprintf(error->message, sizeof error->message, "%.60s: %.80s", sni_last_name(companion->name), reason);
        return false;
    }
    sni_load_count_input(b->load, bytes.size);
    return add_bytes(b, sni_last_name(companion->name), bytes, true);
}

// Opens NAME.w3d beside the model or in a search folder, once. Returns false only when the load has failed; `why` is
// set when there is no such file.
static bool find_file(w3d_builder *b, sni_str name, const char **why)
{
    char ref[256];
    sni_bytes bytes;
    int size = snprintf(ref, sizeof ref, "%.*s%s", (int)(name.size < 200 ? name.size : 200), name.at, EXTENSION);
    if (!sni_load_find(b->load, sni_str_make(ref, (size_t)size), "", &bytes, why)) return sni_load_ok(b->load);
    *why = "that file does not contain it";
    const char *label = w3d_label(b, sni_str_make(ref, (size_t)size));
    sni_str key = sni_str_make(label, strlen(label));
    if (sni_nocase_names_find(&b->searched_files, key) >= 0) return true;
    return sni_nocase_names_add(&b->load->scratch, &b->searched_files, key, 0) && add_bytes(b, label, bytes, false);
}

// The text of a file (a.w3d.json) stands for the file beside it (a.w3d).
static bool has_last_name(const w3d_source_file *file, const char *last_name)
{
    const char *own = sni_last_name(file->name);
    const size_t size = strlen(own) - (sni_has_ending(own, "w3d.json") ? strlen(".json") : 0);
    return sni_str_equal_nocase(sni_str_make(last_name, strlen(last_name)), sni_str_make(own, size));
}

static bool is_open(const w3d_builder *b, const char *last_name)
{
    for (uint32_t i = 0; i < b->files.count; i++)
        if (has_last_name(&w3d_items(w3d_source_file, b->files)[i], last_name)) return true;
    return false;
}

// What a file has for others: hierarchies ('H') and animations for a hierarchy ('A'), by the hierarchy's name. Looks at
// top-level chunks and the start of their headers only.
static bool read_labels(sni_peek *peek)
{
    uint64_t at = 0;
    uint8_t head[W3D_CHUNK_HEADER_BYTES], names[W3D_CHUNK_HEADER_BYTES + ANIMATION_NAMES_BYTES];
    for (int i = 0; i < MAX_PEEKED_CHUNKS && sni_peek_read(peek, at, head, sizeof head); i++) {
        const uint32_t id = sni_load_u32(head), size = sni_load_u32(head + 4) & W3D_SIZE_MASK;
        const bool is_hierarchy = id == W3D_HIERARCHY;
        at += W3D_CHUNK_HEADER_BYTES;
        if (is_hierarchy || id == W3D_ANIMATION || id == W3D_COMPRESSED || id == W3D_MORPH_ANIMATION) {
            const size_t bytes = W3D_CHUNK_HEADER_BYTES + (is_hierarchy ? HIERARCHY_NAME_BYTES : ANIMATION_NAMES_BYTES);
            const char *name = (const char *)names + bytes - W3D_NAME_BYTES;
            if (!sni_peek_read(peek, at, names, bytes)) break;
            if (!sni_peek_add(peek, is_hierarchy ? 'H' : 'A', sni_str_make(name, strnlen(name, W3D_NAME_BYTES))))
                return false;
        }
        at += size;
    }
    return true;
}

static const sni_labeller labeller = { "w3d", read_labels };

// The first child with this id, of the chunk whose contents are from `at` to `end`. False: it has none. `left` chunks
// may be looked at.
static bool peek_child(const sni_peek *peek, uint32_t id, uint64_t *at, uint64_t *end, uint32_t *left)
{
    uint8_t head[W3D_CHUNK_HEADER_BYTES];
    while (*left > 0 && *at + W3D_CHUNK_HEADER_BYTES <= *end && sni_peek_read(peek, *at, head, sizeof head)) {
        --*left;
        const uint64_t size = sni_load_u32(head + 4) & W3D_SIZE_MASK;
        *at += W3D_CHUNK_HEADER_BYTES;
        if (sni_load_u32(head) == id) {
            if (size < *end - *at) *end = *at + size;
            return true;
        }
        *at += size;
    }
    return false;
}

// "SKELETON.NAME" is looked for in NAME.w3d.
static bool add_pose_names(sni_peek *peek, uint64_t at, uint64_t end, uint32_t *left)
{
    uint64_t channel_end = end;
    for (; peek_child(peek, W3D_MORPH_CHANNEL, &at, &channel_end, left); at = channel_end, channel_end = end) {
        char text[64];
        uint64_t pose = at, pose_end = channel_end;
        if (!peek_child(peek, W3D_MORPH_POSE, &pose, &pose_end, left)) continue;
        const size_t size = pose_end - pose < sizeof text ? (size_t)(pose_end - pose) : sizeof text;
        if (sni_peek_read(peek, pose, text, size) &&
            !sni_peek_add(peek, 'P', w3d_after_dot(sni_str_make(text, strnlen(text, size)))))
            return false;
    }
    return true;
}

// The hierarchies that a file has, is made for or is on, and the poses it refers to: all that leads from one file to
// another is one of these, or the name of the file.
static bool read_part_names(sni_peek *peek)
{
    static const struct {
        uint32_t id, header, at;  // where the hierarchy's name is in the header
    } rows[] = {
        { W3D_HIERARCHY, W3D_HIERARCHY_HEADER, 4 },    { W3D_ANIMATION, W3D_ANIMATION_HEADER, 20 },
        { W3D_COMPRESSED, W3D_COMPRESSED_HEADER, 20 }, { W3D_HMODEL, W3D_HMODEL_HEADER, 20 },
        { W3D_MORPH_ANIMATION, W3D_MORPH_HEADER, 20 }, { W3D_HLOD, W3D_HLOD_HEADER, 24 },
    };
    uint64_t at = 0;
    uint32_t left = MAX_NAMED_CHUNKS;
    uint8_t head[W3D_CHUNK_HEADER_BYTES];
    for (; left > 0 && sni_peek_read(peek, at, head, sizeof head); left--) {
        const uint32_t id = sni_load_u32(head);
        const uint64_t first = at + W3D_CHUNK_HEADER_BYTES, end = first + (sni_load_u32(head + 4) & W3D_SIZE_MASK);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char name[W3D_NAME_BYTES];
            uint64_t header = first, header_end = end;
            if (rows[i].id != id || !peek_child(peek, rows[i].header, &header, &header_end, &left)) continue;
            if (sni_peek_read(peek, header + rows[i].at, name, sizeof name) &&
                !sni_peek_add(peek, 'P', sni_str_make(name, strnlen(name, sizeof name))))
                return false;
        }
        if (id == W3D_MORPH_ANIMATION && !add_pose_names(peek, first, end, &left)) return false;
        at = end;
        if (left == 0) break;
    }
    return true;
}

const sni_labeller w3d_part_names = { "w3d", read_part_names };

// Hierarchies

typedef struct label_files {
    w3d_builder *b;
    uint32_t count;
} label_files;

static bool open_labelled(void *user, const char *name)
{
    label_files *files = user;
    const char *why = "";
    if (is_open(files->b, name)) return true;
    if (files->count++ >= MAX_JOINED_FILES) {
        sni_warn(&files->b->load->diag, SNI_WARN_LOST_CONTENT, 0,
                 "too many files have animations for this model; those from %.80s on are left out", name);
        return false;
    }
    return find_file(files->b, sni_str_make(name, strlen(name) - (sizeof EXTENSION - 1)), &why);
}

static bool open_first(void *user, const char *name) { return open_labelled(user, name) && false; }

// In the model's files, in NAME.w3d, or in any other file around the model.
int32_t w3d_find_hierarchy(w3d_builder *b, sni_str name)
{
    const char *why = "";
    label_files files = { b, 0 };
    if (b->forced_hierarchy >= 0) return b->forced_hierarchy;
    int32_t found = sni_nocase_names_find(&b->hierarchy_names, name);
    if (found >= 0 || !find_file(b, name, &why)) return found;
    found = sni_nocase_names_find(&b->hierarchy_names, name);
    if (found < 0 && name.size > 0) {
        sni_load_find_labelled(b->load, &labeller, 'H', name, open_first, &files);
        found = sni_nocase_names_find(&b->hierarchy_names, name);
    }
    if (found < 0) {
        const char *label = w3d_label(b, name);
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, 0,
                 "hierarchy \"%s\" not found: it is not in this file; %s.w3d: %s", label, label, why);
    }
    return found;
}

// The user's choice: the name of a hierarchy, or a file, whose first hierarchy is used.
static bool force_hierarchy(w3d_builder *b, const char *choice)
{
    const char *why = "", *last_name = sni_last_name(choice);
    sni_str name = sni_str_make(choice, strlen(choice));
    if (sni_has_ending(choice, "w3d")) {
        if (!is_open(b, last_name) && !add_companion(b, &(sn_companion){ .name = choice })) return false;
        const w3d_hierarchy_ref *refs = b->hierarchies.items;
        const w3d_source_file *files = b->files.items;
        for (uint32_t i = 0; i < b->hierarchies.count && b->forced_hierarchy < 0; i++)
            if (has_last_name(&files[refs[i].file], last_name)) b->forced_hierarchy = (int32_t)i;
    } else if (sni_nocase_names_find(&b->hierarchy_names, name) < 0 && !find_file(b, name, &why)) {
        return false;
    }
    if (b->forced_hierarchy < 0) b->forced_hierarchy = sni_nocase_names_find(&b->hierarchy_names, name);
    if (b->forced_hierarchy >= 0) return true;
    return sni_fail(&b->load->diag, SN_ERR_IO, 0, "hierarchy \"%.100s\" not found", choice);
}

bool w3d_open_files(w3d_builder *b)
{
    const sn_load_opts *opts = b->load->opts;
    b->forced_hierarchy = -1;
    if (!add_file(b, b->load->name, b->doc, true)) return false;
    for (uint32_t i = 0; opts && i < opts->companion_count; i++)
        if (!add_companion(b, &opts->companions[i])) return false;
    return !opts || !opts->hierarchy || force_hierarchy(b, opts->hierarchy);
}

// Animations for the hierarchies in use. A file without meshes is itself such a part, and shows what it has.
bool w3d_find_animation_files(w3d_builder *b)
{
    label_files files = { b, 0 };
    const w3d_doc *doc = b->doc;
    if (!b->load->opts || !b->load->opts->folder_clips || (doc->mesh_count == 0 && doc->hlod_count == 0)) return true;
    for (uint32_t i = 0; i < b->instances.count && sni_load_ok(b->load); i++) {
        const w3d_instance *instance = &w3d_items(w3d_instance, b->instances)[i];
        const sni_str own = instance->skeleton->source ? instance->skeleton->name : instance->hierarchy;
        if (own.size > 0) sni_load_find_labelled(b->load, &labeller, 'A', own, open_labelled, &files);
        if (instance->hierarchy.size > 0 && !sni_str_equal_nocase(own, instance->hierarchy))
            sni_load_find_labelled(b->load, &labeller, 'A', instance->hierarchy, open_labelled, &files);
    }
    return sni_load_ok(b->load);
}

// Animations whose poses morph animations show

static bool index_animations(w3d_builder *b, uint32_t first_file)
{
    for (uint32_t f = first_file; f < b->files.count; f++) {
        const w3d_doc *doc = w3d_items(w3d_source_file, b->files)[f].doc;
        for (uint32_t i = 0; i < doc->animation_count; i++) {
            const w3d_animation *animation = &doc->animations[i];
            sni_str name = w3d_full_name(b, animation->hierarchy, animation->name);
            w3d_animation_ref *ref = sni_push(&b->load->scratch, &b->animations, w3d_animation_ref);
            if (!ref ||
                !sni_nocase_names_add(&b->load->scratch, &b->animation_names, name, (int32_t)b->animations.count - 1))
                return false;
            *ref = (w3d_animation_ref){ doc, animation };
        }
    }
    return true;
}

const w3d_animation_ref *w3d_find_animation(const w3d_builder *b, sni_str full_name)
{
    int32_t found = sni_nocase_names_find(&b->animation_names, full_name);
    return found >= 0 ? &w3d_items(w3d_animation_ref, b->animations)[found] : NULL;
}

// An animation "SKELETON.NAME" that is in no open file is in NAME.w3d.
static bool find_pose_file(w3d_builder *b, sni_str name, uint64_t offset)
{
    const char *why = "";
    uint32_t file_count = b->files.count;
    if (name.size == 0 || w3d_find_animation(b, name)) return true;
    if (!find_file(b, w3d_after_dot(name), &why) || !index_animations(b, file_count)) return false;
    if (!w3d_find_animation(b, name))
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, offset, "pose animation \"%s\" not found: %s",
                 w3d_label(b, name), why);
    return sni_load_ok(b->load);
}

bool w3d_find_pose_files(w3d_builder *b)
{
    uint32_t file_count = b->files.count, morph_count = 0;
    for (uint32_t f = 0; f < file_count; f++) morph_count += w3d_items(w3d_source_file, b->files)[f].doc->morph_count;
    if (morph_count == 0) return true;
    if (!index_animations(b, 0)) return false;
    for (uint32_t f = 0; f < file_count; f++) {
        const w3d_doc *doc = w3d_items(w3d_source_file, b->files)[f].doc;
        for (uint32_t i = 0; i < doc->morph_count; i++) {
            const w3d_morph *morph = &doc->morphs[i];
            for (uint32_t c = 0; c < morph->channel_count; c++)
                if (!find_pose_file(b, morph->channels[c].pose, w3d_offset(doc, morph->channels[c].chunk)))
                    return false;
        }
    }
    return true;
}
