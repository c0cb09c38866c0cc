// Names to numbers: compared whatever their case, looked up by the thousand.
#ifndef SNI_NAMES_H
#define SNI_NAMES_H

#include "base/text.h"

typedef struct sni_names {
    struct sni_name *slots;
    uint32_t count, slot_count;
} sni_names;

// The first of alike names keeps its number. The text must outlive the names. False when the arena failed.
bool sni_names_add(sni_arena *arena, sni_names *names, sni_str name, int32_t number);
int32_t sni_names_find(const sni_names *names, sni_str name);  // -1: none

bool sni_str_same(sni_str a, sni_str b);  // whatever the case of ASCII letters

#endif
