#include "io/transaction.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/writer.h"

typedef struct target_file {
    const char *path;
    sni_staged staged;
} target_file;

typedef struct owned_file {
    const char *path, *reference;
    sni_content content;
} owned_file;

bool sni_transaction_lock(sni_transaction *transaction, const char *folder, sni_diag *diag)
{
    if (!transaction->has_lock) transaction->has_lock = sni_folder_lock(folder, &transaction->lock, diag);
    return transaction->has_lock;
}

bool sni_transaction_stage(sni_transaction *transaction, const char *path, const void *data, size_t size,
                           sni_diag *diag)
{
    const char *copy = sni_copy_text(transaction->arena, path, strlen(path));
    target_file *file = copy ? sni_push(transaction->arena, &transaction->files, target_file) : NULL;
    if (!file) return false;
    file->path = copy;
    file->staged.file = -1;
    return sni_file_stage(path, SNI_PART, data, size, &file->staged, diag);
}

bool sni_transaction_own(sni_transaction *transaction, const char *path, const char *reference, sni_content content)
{
    const char *copy = sni_copy_text(transaction->arena, path, strlen(path));
    const char *text = sni_copy_text(transaction->arena, reference, strlen(reference));
    owned_file *owned = copy && text ? sni_push(transaction->arena, &transaction->owned, owned_file) : NULL;
    if (owned) *owned = (owned_file){ copy, text, content };
    return owned != NULL;
}

// The bytes are compared too: since the journal was written someone may have put another file there.
static void remove_unused(const char *main_path, const owned_file *owned)
{
    sni_content content;
    if (!sni_file_identify(owned->path, &content)) return;
    if (content.size != owned->content.size || content.hash != owned->content.hash) return;
    if (!sni_file_quotes(main_path, owned->reference)) sni_file_remove(owned->path);
}

// The journal is what a crash leaves of a transaction, beside its unfinished files. It holds texts, each ended by a
// NUL: the name of the main file, then the name, reference, size and hash of each owned one.

static bool stage_journal(const sni_transaction *transaction, sni_staged *journal, sni_diag *diag)
{
    const target_file *files = transaction->files.items, *main_file = &files[transaction->files.count - 1];
    const owned_file *owned = transaction->owned.items;
    sni_writer out;
    sni_writer_init(&out, transaction->arena->heap);
    sni_write_bytes(&out, sni_last_name(main_file->path), strlen(sni_last_name(main_file->path)) + 1);
    for (uint32_t i = 0; i < transaction->owned.count; i++) {
        char numbers[48];
        const char *name = sni_last_name(owned[i].path);
        int size = snprintf(numbers, sizeof numbers, "%llu %08x", (unsigned long long)owned[i].content.size,
                            owned[i].content.hash);
        sni_write_bytes(&out, name, strlen(name) + 1);
        sni_write_bytes(&out, owned[i].reference, strlen(owned[i].reference) + 1);
        sni_write_bytes(&out, numbers, (size_t)size + 1);
    }
    bool is_staged = !out.failed && sni_file_stage(main_file->path, SNI_JOURNAL, out.data, out.size, journal, diag);
    sni_writer_free(&out);
    return is_staged;
}

// The next text of a journal; NULL at its end.
static const char *next_text(sni_bytes *rest)
{
    const char *text = (const char *)rest->data, *nul = rest->size > 0 ? memchr(text, 0, rest->size) : NULL;
    if (!nul) return NULL;
    *rest = (sni_bytes){ rest->data + (nul + 1 - text), rest->size - (size_t)(nul + 1 - text) };
    return text;
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    size_t size = strlen(folder);
    int length = snprintf(path, PATH_MAX, "%s%s%s", folder, size > 0 && folder[size - 1] != '/' ? "/" : "", name);
    return !strchr(name, '/') && length >= 0 && length < PATH_MAX;
}

// Anyone may have written the journals in a folder: a thousand entries that name one large file must not be hashed.
enum { SETTLE_BYTES = 1 << 30 };
typedef struct settling {
    const char *folder;
    uint64_t bytes_left;  // that may still be read
} settling;

static bool may_read(settling *s, const char *main_path, const char *path, uint64_t size)
{
    sni_diag diag;
    uint64_t own, main_size;
    sni_diag_init(&diag, NULL);
    if (!sni_file_size(path, &own, &diag) || own != size) return false;
    if (!sni_file_size(main_path, &main_size, &diag)) main_size = 0;
    if (own > s->bytes_left || main_size > s->bytes_left - own) return false;
    s->bytes_left -= own + main_size;
    return true;
}

static void settle_journal(void *user, sni_bytes rest)
{
    settling *s = user;
    const char *folder = s->folder, *name = next_text(&rest);
    char main_path[PATH_MAX], path[PATH_MAX];
    if (!name || !join(main_path, folder, name)) return;
    while ((name = next_text(&rest))) {
        const char *reference = next_text(&rest), *numbers = reference ? next_text(&rest) : NULL;
        if (!numbers || !join(path, folder, name)) return;
        char *end;
        owned_file owned = { path, reference, { strtoull(numbers, &end, 10), 0 } };
        owned.content.hash = (uint32_t)strtoul(end, NULL, 16);
        if (may_read(s, main_path, path, owned.content.size)) remove_unused(main_path, &owned);
    }
}

void sni_transaction_clean(const char *folder)
{
    int lock;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    if (!sni_folder_lock(folder, &lock, &diag)) return;
    settling s = { folder, SETTLE_BYTES };
    sni_folder_clean(folder, settle_journal, &s);
    sni_folder_unlock(&lock);
}

bool sni_transaction_commit(sni_transaction *transaction, sni_diag *diag)
{
    target_file *files = transaction->files.items;
    const owned_file *owned = transaction->owned.items;
    const uint32_t count = transaction->files.count;
    sni_staged journal = { .file = -1 };
    bool is_good = count == 0 || transaction->owned.count == 0 || stage_journal(transaction, &journal, diag);
    for (uint32_t i = 0; i < count && is_good; i++) is_good = sni_file_commit(&files[i].staged, files[i].path, diag);
    for (uint32_t i = 0; i < transaction->owned.count && count > 0; i++)
        remove_unused(files[count - 1].path, &owned[i]);
    sni_file_discard(&journal);
    sni_transaction_discard(transaction);
    return is_good;
}

void sni_transaction_discard(sni_transaction *transaction)
{
    target_file *files = transaction->files.items;
    for (uint32_t i = 0; i < transaction->files.count; i++) sni_file_discard(&files[i].staged);
    transaction->files.count = transaction->owned.count = 0;
    if (transaction->has_lock) sni_folder_unlock(&transaction->lock);
    transaction->has_lock = false;
}
