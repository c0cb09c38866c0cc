// A model in several files: the hierarchy may lie in one of its own, animations in many.
#include <stdio.h>

#include "format/w3d/w3d_build.h"

// No folder of a game has as many animations; a hostile one would have us read for ever.
enum { FOLDER_ENTRIES_MAX = 65536, FOLDER_FILES_MAX = 4096, HEADER_BYTES = 8, ANIMATION_HEADER_BYTES = 36 };
static const uint64_t FOLDER_BYTES_MAX = 512 << 20;
static const char ENDING[] = ".w3d";

static bool add_file(w3d_builder *b, const char *name, const w3d_doc *doc, bool is_asked)
{
    w3d_source *file = sni_push(&b->load->scratch, &b->files, w3d_source);
    if (!file) return false;
    *file = (w3d_source){ name, doc, is_asked };
    for (uint32_t i = 0; i < doc->hierarchy_count; i++) {
        w3d_known *known = sni_push(&b->load->scratch, &b->known, w3d_known);
        if (!known) return false;
        *known = (w3d_known){ .source = &doc->hierarchies[i], .file = b->files.count - 1 };
        if (!sni_names_add(&b->load->scratch, &b->hierarchies, known->source->name, (int32_t)b->known.count - 1))
            return false;
    }
    return true;
}

static bool is_fault_of_file(sn_status status)
{
    return status == SN_ERR_FORMAT || status == SN_ERR_TRUNCATED || status == SN_ERR_CORRUPT ||
           status == SN_ERR_UNSUPPORTED;
}

// A file that was found but cannot be read is a file less; one that the user named is a failure.
static bool add_bytes(w3d_builder *b, const char *name, sni_bytes bytes, bool is_asked)
{
    sni_diag *diag = &b->load->diag;
    uint32_t depth = diag->depth;
    w3d_doc *doc = sni_new(sni_load_document_arena(b->load), w3d_doc, 1);
    const char *label = w3d_label(b, sni_str_make(name, strlen(name)));
    if (!doc) return false;
    sni_enter_named(diag, "FILE", -1, label);
    bool is_good = w3d_parse(b->load, bytes, doc);
    diag->depth = depth;
    if (is_good) return add_file(b, label, doc, is_asked);
    if (is_asked || !is_fault_of_file(diag->error.status)) return false;
    sn_error error = diag->error;
    diag->error = (sn_error){ .status = SN_OK };
    sni_warn(diag, SNI_WARN_FILE_MISSING, error.offset, "%.60s cannot be used: %.100s", label, error.message);
    return true;
}

static bool add_companion(w3d_builder *b, const sn_companion *companion)
{
    sni_bytes bytes = { companion->data, companion->size };
    if (!companion->data && !sni_load_path(b->load, companion->name, &bytes)) return false;
    sni_load_count_input(b->load, bytes.size);
    return add_bytes(b, sni_last_name(companion->name), bytes, true);
}

// "NAME.w3d" beside the model or in a search folder, once. False only when the load has failed.
static bool add_found(w3d_builder *b, sni_str name, const char **why)
{
    char ref[256];
    sni_bytes bytes;
    int size = snprintf(ref, sizeof ref, "%.*s%s", (int)(name.size < 200 ? name.size : 200), name.at, ENDING);
    if (!sni_load_find(b->load, sni_str_make(ref, (size_t)size), "", &bytes, why)) return sni_load_ok(b->load);
    *why = "that file has none of this name";
    const char *kept = w3d_label(b, sni_str_make(ref, (size_t)size));
    sni_str label = sni_str_make(kept, strlen(kept));
    if (sni_names_find(&b->found_files, label) >= 0) return true;
    return sni_names_add(&b->load->scratch, &b->found_files, label, 0) && add_bytes(b, kept, bytes, false);
}

int32_t w3d_find_hierarchy(w3d_builder *b, sni_str name)
{
    const char *why = "";
    if (b->chosen >= 0) return b->chosen;
    int32_t known = sni_names_find(&b->hierarchies, name);
    if (known >= 0) return known;
    if (!add_found(b, name, &why)) return -1;
    known = sni_names_find(&b->hierarchies, name);
    if (known < 0) {
        const char *label = w3d_label(b, name);
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, 0, "hierarchy \"%s\" is not in the file, and of %s.w3d: %s",
                 label, label, why);
    }
    return known;
}

static bool is_open(const w3d_builder *b, const char *name)
{
    const w3d_source *files = b->files.items;
    for (uint32_t i = 0; i < b->files.count; i++)
        if (sni_str_is_nocase(sni_str_make(name, strlen(name)), sni_last_name(files[i].name))) return true;
    return false;
}

static int32_t first_of_file(const w3d_builder *b, const char *name)
{
    const w3d_known *known = b->known.items;
    const w3d_source *files = b->files.items;
    for (uint32_t i = 0; i < b->known.count; i++)
        if (sni_str_is_nocase(sni_str_make(name, strlen(name)), sni_last_name(files[known[i].file].name)))
            return (int32_t)i;
    return -1;
}

static bool choose_hierarchy(w3d_builder *b, const char *wanted)
{
    const char *why = "";
    sni_str name = sni_str_make(wanted, strlen(wanted));
    if (sni_has_ending(wanted, "w3d")) {
        if (!is_open(b, sni_last_name(wanted)) && !add_companion(b, &(sn_companion){ .name = wanted })) return false;
        b->chosen = first_of_file(b, sni_last_name(wanted));
    } else if (sni_names_find(&b->hierarchies, name) < 0 && !add_found(b, name, &why)) {
        return false;
    }
    if (b->chosen < 0) b->chosen = sni_names_find(&b->hierarchies, name);
    if (b->chosen >= 0) return true;
    return sni_fail(&b->load->diag, SN_ERR_IO, 0, "there is no hierarchy \"%.100s\" to choose", wanted);
}

bool w3d_gather_files(w3d_builder *b)
{
    const sn_load_opts *opts = b->load->opts;
    b->chosen = -1;
    if (!add_file(b, b->load->name, b->doc, true)) return false;
    for (uint32_t i = 0; opts && i < opts->companion_count; i++)
        if (!add_companion(b, &opts->companions[i])) return false;
    return !opts || !opts->hierarchy || choose_hierarchy(b, opts->hierarchy);
}

// Does any animation name one of these hierarchies? A look at the headers is enough.
static bool has_animation_of(sni_bytes bytes, const sni_names *wanted)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size;
    while ((size_t)(end - at) >= HEADER_BYTES) {
        uint32_t id = sni_load_u32(at), size = sni_load_u32(at + 4) & 0x7FFFFFFF;
        at += HEADER_BYTES;
        bool is_animation = id == W3D_ANIMATION || id == W3D_COMPRESSED || id == W3D_MORPH_ANIMATION;
        if (is_animation && (size_t)(end - at) >= HEADER_BYTES + ANIMATION_HEADER_BYTES) {
            const char *name = (const char *)at + HEADER_BYTES + 4 + W3D_NAME_BYTES;
            const char *nul = memchr(name, 0, W3D_NAME_BYTES);
            size_t length = nul ? (size_t)(nul - name) : W3D_NAME_BYTES;
            if (sni_names_find(wanted, sni_str_make(name, length)) >= 0) return true;
        }
        at += size < (size_t)(end - at) ? size : (size_t)(end - at);
    }
    return false;
}

// Files beside the model, one after the other: the user's, or those of its folder. Each is read into an arena of its
// own and given back at once, for most are not wanted; input stands above the ceiling while it is looked at.
typedef struct peeker {
    w3d_builder *b;
    sni_list entries;
    uint32_t next;
    sni_arena arena;
} peeker;

static bool read_entry(peeker *p, const char *name, sni_bytes *bytes)
{
    char path[4096];
    sni_diag diag;
    sni_load *load = p->b->load;
    uint64_t limit = load->heap->limit;
    if (snprintf(path, sizeof path, "%s/%s", load->folder, name) >= (int)sizeof path) return false;
    sni_diag_init(&diag, NULL);
    if (!load->has_memory_limit) load->heap->limit += load->limits.file_bytes + (1 << 20);
    bool is_read = sni_file_read(path, load->limits.file_bytes, &p->arena, &diag, bytes);
    load->heap->limit = limit;
    return is_read;
}

static bool peek(peeker *p, const char **name, sni_bytes *bytes)
{
    const sn_load_opts *opts = p->b->load->opts;
    sni_arena_free(&p->arena);
    *bytes = (sni_bytes){ NULL, 0 };
    if (opts->peek_ref) {
        const void *data = NULL;
        bool is_there = opts->peek_ref(opts->user, p->next++, name, &data, &bytes->size);
        bytes->data = data;
        return is_there;
    }
    while (p->next < p->entries.count) {
        const sni_folder_entry *entry = &w3d_items(sni_folder_entry, p->entries)[p->next++];
        *name = entry->name;
        if (!entry->is_folder && sni_has_ending(*name, "w3d") && !is_open(p->b, *name) && read_entry(p, *name, bytes))
            return true;
    }
    return false;
}

static bool begin_peeking(peeker *p)
{
    sni_load *load = p->b->load;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_arena_init(&p->arena, load->heap);
    if (load->opts->peek_ref || !load->folder) return true;
    if (!sni_folder_list(load->folder, FOLDER_ENTRIES_MAX, &load->scratch, &diag, &p->entries) && sni_load_ok(load))
        sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, 0, "the folder's animations are left out: %.100s",
                 diag.error.message);
    return sni_load_ok(load);
}

static bool name_skeletons(w3d_builder *b, sni_names *wanted)
{
    const w3d_figure *figures = b->figures.items;
    for (uint32_t i = 0; i < b->figures.count; i++) {
        if (!sni_names_add(&b->load->scratch, wanted, figures[i].hierarchy, 0)) return false;
        if (figures[i].skeleton->source && !sni_names_add(&b->load->scratch, wanted, figures[i].skeleton->name, 0))
            return false;
    }
    return true;
}

bool w3d_gather_folder(w3d_builder *b)
{
    peeker p = { .b = b };
    sni_names wanted = { 0 };
    const char *name = "", *why = "";
    sni_bytes bytes;
    uint64_t total = 0;
    if (!b->load->opts || !b->load->opts->folder_clips) return true;
    if (!name_skeletons(b, &wanted) || !begin_peeking(&p)) return false;
    for (uint32_t looked = 0; sni_load_ok(b->load) && peek(&p, &name, &bytes); looked++) {
        total += bytes.size;
        if (looked >= FOLDER_FILES_MAX || total > FOLDER_BYTES_MAX) {
            sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0,
                     "there are more files beside it than are looked at; from %.80s on they are left out", name);
            break;
        }
        if (!sni_has_ending(name, "w3d") || is_open(b, name) || !has_animation_of(bytes, &wanted)) continue;
        if (!add_found(b, sni_str_make(name, strlen(name) - (sizeof ENDING - 1)), &why)) break;
    }
    sni_arena_free(&p.arena);
    return sni_load_ok(b->load);
}

static bool name_poses(w3d_builder *b, const w3d_doc *doc)
{
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const w3d_animation *animation = &doc->animations[i];
        sni_str name = w3d_full_name(b, animation->hierarchy, animation->name);
        w3d_pose *pose = sni_push(&b->load->scratch, &b->poses, w3d_pose);
        if (!pose || !sni_names_add(&b->load->scratch, &b->pose_names, name, (int32_t)b->poses.count - 1)) return false;
        *pose = (w3d_pose){ doc, animation };
    }
    return true;
}

const w3d_pose *w3d_find_pose(const w3d_builder *b, sni_str name)
{
    int32_t pose = sni_names_find(&b->pose_names, name);
    return pose >= 0 ? &w3d_items(w3d_pose, b->poses)[pose] : NULL;
}

// An animation that is in no file yet lies in "NAME.w3d", by what stands behind the dot.
static bool add_pose(w3d_builder *b, sni_str name, uint64_t offset)
{
    const char *why = "";
    uint32_t count = b->files.count;
    if (name.size == 0 || w3d_find_pose(b, name)) return true;
    if (!add_found(b, w3d_after_dot(name), &why)) return false;
    for (; count < b->files.count; count++)
        if (!name_poses(b, w3d_items(w3d_source, b->files)[count].doc)) return false;
    if (!w3d_find_pose(b, name))
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, offset, "poses of animation \"%s\" are not there: %s",
                 w3d_label(b, name), why);
    return sni_load_ok(b->load);
}

static bool add_poses(w3d_builder *b, const w3d_doc *doc, const w3d_morph *morph)
{
    for (uint32_t i = 0; i < morph->channel_count; i++)
        if (!add_pose(b, morph->channels[i].pose, w3d_offset(doc, morph->channels[i].chunk))) return false;
    return true;
}

bool w3d_gather_poses(w3d_builder *b)
{
    uint32_t count = b->files.count, named = 0;
    for (uint32_t i = 0; i < count; i++) {
        const w3d_doc *doc = w3d_items(w3d_source, b->files)[i].doc;
        if (doc->morph_count == 0) continue;
        for (; named < count; named++)
            if (!name_poses(b, w3d_items(w3d_source, b->files)[named].doc)) return false;
        for (uint32_t k = 0; k < doc->morph_count; k++)
            if (!add_poses(b, doc, &doc->morphs[k])) return false;
    }
    return true;
}
