// Several files that change together: all are written beside their targets, then renamed in the order they were staged.
// The last one is the main file, which refers to the others. Those are new or hold the same bytes as before, so that at
// every moment the main file on disk and the files that it refers to belong together. When anything fails, everything
// is as it was before.
#ifndef SNI_TRANSACTION_H
#define SNI_TRANSACTION_H

#include "io/file.h"

typedef struct sni_transaction {
    sni_arena *arena;
    sni_list files, owned;  // private
    bool has_lock;
    int lock;
} sni_transaction;

// Waits for other transactions in the folder. Call it before looking at what is in there.
bool sni_transaction_lock(sni_transaction *transaction, const char *folder, sni_diag *diag);

// The file that will have the target's name after the commit.
bool sni_transaction_stage(sni_transaction *transaction, const char *path, const void *data, size_t size,
                           sni_diag *diag);

// A file that nothing but the main file uses, which has `reference` in double quotes if it does. Files that it does
// not use are removed: when the transaction ends, whether it succeeds or not, or after a crash by
// sni_transaction_clean. It must be of this transaction, or exist.
bool sni_transaction_own(sni_transaction *transaction, const char *path, const char *reference, sni_content content);

bool sni_transaction_commit(sni_transaction *transaction, sni_diag *diag);
void sni_transaction_discard(sni_transaction *transaction);  // does nothing after a commit

// Removes what processes that are dead have left in a folder.
void sni_transaction_clean(const char *folder);

#endif
