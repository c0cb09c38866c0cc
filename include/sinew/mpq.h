// libsinew_mpq: MPQ archives (Warcraft III, StarCraft, Diablo II) through StormLib, as a kind for sn_archive_open.
//
//     sn_archive_opts opts = { .kinds = &sn_mpq, .kind_count = 1 };
//     sn_archive *archive = sn_archive_open("war3.mpq", &opts, &error);
//     sn_model *model = sn_load_archive(archive, "Units\\Human\\Footman\\Footman.mdx", NULL, &error);
//
// StormLib is not made for several threads: one lock guards all calls into it. It allocates with malloc, and damaged
// archives may make it allocate more than sn_limits allows; sizes that it reports are checked before they are used.
#ifndef SINEW_MPQ_H
#define SINEW_MPQ_H

#include <sinew/files.h>

#ifdef __cplusplus
extern "C" {
#endif

SN_API extern const sn_archive_kind sn_mpq;

#ifdef __cplusplus
}
#endif
#endif
