#include "io/save.h"

#include <stdio.h>
#include <string.h>

#include "base/mime.h"

typedef struct sni_written {
    const char *path;
    uint64_t size;
} sni_written;

void sni_save_init(sni_save *save, const char *path, uint64_t memory_limit, const sn_save_opts *opts)
{
    memset(save, 0, sizeof *save);
    save->opts = opts;
    save->path = path;
    sni_heap_init(&save->heap, opts ? &opts->allocator : NULL, memory_limit);
    save->heap.diag = &save->diag;
    if (opts) save->heap.cancelled = opts->cancelled, save->heap.cancelled_user = opts->user;
    sni_arena_init(&save->scratch, &save->heap);
    sni_diag_init(&save->diag, &save->scratch);
    save->diag.is_of_save = true;
    save->files.arena = &save->scratch;
}

void sni_save_count_pixels(sni_save *save, const sn_pixels *pixels)
{
    const uint64_t bytes_each = 16, room = (uint64_t)2048 << 20;
    if (save->opts && save->opts->memory_bytes) return;
    uint64_t wanted = bytes_each * pixels->width * pixels->height;
    if (save->heap.limit < room) save->heap.limit = wanted < room - save->heap.limit ? save->heap.limit + wanted : room;
}

void sni_save_free(sni_save *save) { sni_arena_free(&save->scratch); }

bool sni_save_has_ending(const sni_save *save, const char *ending) { return sni_has_ending(save->path, ending); }

const char *sni_save_name(sni_save *save, const char *ending)
{
    const char *name = sni_last_name(save->path);
    if (sni_save_has_ending(save, ending)) return name;  // "X.GLB" stays as it was asked for
    size_t stem = sni_stem_size(name), size = strlen(ending);
    char *made = sni_new_raw(&save->scratch, char, (uint64_t)stem + size + 2);
    if (!made) return "";
    memcpy(made, name, stem);
    made[stem] = '.';
    memcpy(made + stem + 1, ending, size + 1);
    return made;
}

// An output of several files has no place in one sn_bytes.
static bool emit_to_memory(sni_save *save, const char *name, const void *data, size_t size)
{
    if (save->emitted.data)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "the output has several files (\"%.80s\"); save it to disk",
                        name);
    uint8_t *copy = sni_new_raw(&save->memory->arena, uint8_t, size);
    if (!copy) return sni_fail(&save->diag, SN_ERR_MEMORY, 0, "out of memory: %zu bytes", size);
    if (size > 0) memcpy(copy, data, size);
    save->emitted = (sni_bytes){ copy, size };
    return true;
}

static const char *path_beside(sni_save *save, const char *name)
{
    size_t folder = (size_t)(sni_last_name(save->path) - save->path), length = strlen(name);
    char *path = sni_new_raw(&save->scratch, char, (uint64_t)folder + length + 1);
    if (!path) return NULL;
    memcpy(path, save->path, folder);
    memcpy(path + folder, name, length + 1);
    return path;
}

bool sni_save_emit(sni_save *save, const char *name, const void *data, size_t size)
{
    if (!sni_save_ok(save)) return false;
    if (save->memory) return emit_to_memory(save, name, data, size);
    if (save->opts && save->opts->write) {
        if (save->opts->write(save->opts->user, name, data, size)) return true;
        return sni_fail(&save->diag, SN_ERR_CANCELLED, 0, "the write callback stopped saving at \"%.80s\"", name);
    }
    const char *path = path_beside(save, name);
    if (!path) return false;
    if (save->opts && save->opts->may_write && !save->opts->may_write(save->opts->user, path))
        return sni_fail(&save->diag, SN_ERR_CANCELLED, 0, "the may_write callback stopped saving at \"%.80s\"", name);
    if (save->opts && save->opts->wrote) {
        sni_written *written = sni_push(&save->scratch, &save->written, sni_written);
        if (!written) return false;
        *written = (sni_written){ path, size };
    }
    if (sni_file_is_stream(path)) return sni_file_write(path, data, size, &save->diag);
    return sni_transaction_stage(&save->files, path, data, size, &save->diag);
}

// "x-1f3a9c20.bin" for "x.bin"; later attempts add "-2" and so on.
static const char *name_with_hash(sni_save *save, const char *name, uint32_t hash, unsigned attempt)
{
    const char *dot = strrchr(name, '.');
    size_t size = strlen(name) + 24;
    char *made = sni_new_raw(&save->scratch, char, size), number[16] = "";
    if (attempt > 1) snprintf(number, sizeof number, "-%u", attempt);
    if (made) snprintf(made, size, "%.*s-%08x%s%s", (int)(dot - name), name, hash, number, dot);
    return made;
}

static const char *choose_name(sni_save *save, const char *plain, const void *data, size_t size, bool *is_there)
{
    const char *name = plain;
    const sni_content content = sni_content_of(data, size);
    *is_there = false;
    if (!sni_save_is_to_disk(save) || !sni_save_ok(save)) return plain;
    const char *folder = sni_copy_text(&save->scratch, save->path, (size_t)(sni_last_name(save->path) - save->path));
    if (!folder || !sni_transaction_lock(&save->files, folder, &save->diag)) return NULL;
    for (unsigned attempt = 1; name; attempt++) {
        const char *path = path_beside(save, name);
        if (!path || !sni_file_exists(path)) return path ? name : NULL;
        *is_there = sni_file_holds(path, data, size);
        if (*is_there) return name;
        name = name_with_hash(save, plain, content.hash, attempt);
    }
    return NULL;
}

const char *sni_save_choose_name(sni_save *save, const char *ending, const void *data, size_t size, bool *is_there)
{
    return choose_name(save, sni_save_name(save, ending), data, size, is_there);
}

// Letters, digits, '_' and '-' of the image's name.
void sni_save_image_name(const sn_image *image, uint32_t index, char out[48])
{
    const char *from = image->name[0] ? image->name : sni_last_name(image->uri);
    size_t size = 0;
    for (; *from && *from != '.' && size < 40; from++) {
        const char c = *from;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                              c == '-';
        if (is_plain) out[size++] = c;
    }
    out[size] = 0;
    if (size == 0) snprintf(out, 48, "texture%u", index);
}

const char *sni_save_image_ending(const sn_image *image)
{
    return strcmp(image->mime_type, SNI_MIME_BLP) == 0   ? "blp"
           : strcmp(image->mime_type, SNI_MIME_DDS) == 0 ? "dds"
           : strcmp(image->mime_type, SNI_MIME_TGA) == 0 ? "tga"
                                                         : NULL;
}

const char *sni_save_emit_image(sni_save *save, sni_nocase_names *used, const sn_image *image, uint32_t index,
                                bool is_short)
{
    char name[48], full[64];
    bool is_there = false;
    const char *ending = sni_save_image_ending(image);
    sni_save_image_name(image, index, name);
    snprintf(full, sizeof full, "%s.%s", name, ending);
    for (uint32_t number = index + 1; sni_nocase_names_find(used, sni_str_make(full, strlen(full))) >= 0; number++)
        snprintf(full, sizeof full, "%.40s-%u.%s", name, number, ending);
    const char *kept = sni_copy_text(&save->scratch, full, strlen(full));
    if (!kept || !sni_nocase_names_add(&save->scratch, used, sni_str_make(kept, strlen(kept)), (int32_t)index))
        return NULL;
    const char *file = choose_name(save, is_short ? kept : sni_save_name(save, kept), image->data, (size_t)image->size,
                                   &is_there);
    if (!file || (!is_there && !sni_save_emit(save, file, image->data, (size_t)image->size))) return NULL;
    return file;
}

bool sni_save_own(sni_save *save, const char *name, const char *reference, const void *data, size_t size)
{
    sni_content content;
    const char *path = path_beside(save, name);
    if (!path || !sni_save_is_to_disk(save)) return path != NULL;
    if (data) content = sni_content_of(data, size);
    else if (!sni_file_identify(path, &content)) return true;
    return sni_transaction_own(&save->files, path, reference, content);
}

bool sni_save_end(sni_save *save, bool is_saved)
{
    if (is_saved && sni_save_ok(save) && sni_transaction_commit(&save->files, &save->diag)) {
        const sni_written *written = save->written.items;
        for (uint32_t i = 0; i < save->written.count; i++)
            save->opts->wrote(save->opts->user, written[i].path, written[i].size);
        return true;
    }
    sni_transaction_discard(&save->files);
    return false;
}
