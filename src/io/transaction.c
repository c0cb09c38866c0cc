#include "io/transaction.h"

#include <limits.h>

typedef struct staged_file {
    const char *path;
    char *staged, *aside;  // PATH_MAX bytes each; "" when there is none
} staged_file;

bool sni_transaction_stage(sni_transaction *transaction, const char *path, const void *data, size_t size,
                           sni_diag *diag)
{
    const char *copy = sni_copy_text(transaction->arena, path, strlen(path));
    char *names = sni_new(transaction->arena, char, 2 * (uint64_t)PATH_MAX);
    staged_file *file = copy && names ? sni_push(transaction->arena, &transaction->files, staged_file) : NULL;
    if (!file) return false;
    *file = (staged_file){ copy, names, names + PATH_MAX };
    return sni_file_stage(path, data, size, file->staged, PATH_MAX, diag);
}

// The old files keep a second name until all new ones are in place. One file alone needs none: it is replaced at once.
bool sni_transaction_commit(sni_transaction *transaction, sni_diag *diag)
{
    staged_file *files = transaction->files.items;
    uint32_t count = transaction->files.count, done = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < count && count > 1 && is_good; i++)
        is_good = sni_file_set_aside(files[i].path, files[i].aside, PATH_MAX, diag);
    for (; done < count && is_good; done += is_good)
        is_good = sni_file_commit(files[done].staged, files[done].path, diag);
    for (uint32_t i = 0; i < count && !is_good; i++) sni_file_restore(files[i].aside, files[i].path, i < done);
    for (uint32_t i = 0; i < count && is_good; i++) sni_file_discard(files[i].aside);
    sni_transaction_discard(transaction);
    return is_good;
}

void sni_transaction_discard(sni_transaction *transaction)
{
    staged_file *files = transaction->files.items;
    for (uint32_t i = 0; i < transaction->files.count; i++) sni_file_discard(files[i].staged);
    transaction->files.count = 0;
}
