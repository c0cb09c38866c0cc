// RefPack, the packing of EA's games: runs of new bytes, and copies of bytes that were unpacked before.
#ifndef CLI_REFPACK_H
#define CLI_REFPACK_H

#include "io/file.h"

// Does it begin as packed files do? No file that games keep unpacked begins so.
bool cli_refpack_is(sni_bytes packed);

// All that is packed in it, into the arena. False where it is damaged; the diag is told what is wrong and at which
// byte.
bool cli_refpack_unpack(sni_bytes packed, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

#endif
