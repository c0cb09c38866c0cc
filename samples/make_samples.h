// The samples that have a file of their own; each answers whether it could be written.
#ifndef MAKE_SAMPLES_H
#define MAKE_SAMPLES_H

#include <stdbool.h>

bool make_beasts(const char *folder);    // hound.mdx, boar.mdx
bool make_golem(const char *folder);     // golem.mdx
bool make_lantern(const char *folder);   // lantern.mdl

#endif
