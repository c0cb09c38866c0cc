// Several files that change together: all are written beside their targets, then all are renamed. When anything fails,
// every target is as it was before.
#ifndef SNI_TRANSACTION_H
#define SNI_TRANSACTION_H

#include "io/file.h"

typedef struct sni_transaction {
    sni_arena *arena;
    sni_list files;  // private
} sni_transaction;

// The file that will have the target's name after the commit. A target that exists must be a regular file.
bool sni_transaction_stage(sni_transaction *transaction, const char *path, const void *data, size_t size,
                           sni_diag *diag);
bool sni_transaction_commit(sni_transaction *transaction, sni_diag *diag);
void sni_transaction_discard(sni_transaction *transaction);  // does nothing after a commit

#endif
