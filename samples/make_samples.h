// The samples that have a file of their own; each answers whether it could be written.
#ifndef MAKE_SAMPLES_H
#define MAKE_SAMPLES_H

#include <stdbool.h>

bool make_beasts(const char *folder);   // hound.mdx, boar.mdx
bool make_golem(const char *folder);    // golem.mdx
bool make_lantern(const char *folder);  // lantern.mdl
bool make_tank(const char *folder);     // tank.w3d
bool make_soldier(const char *folder);  // soldier_skn.w3d, _skl, and _wave, _walk, _bow to move him
bool make_serpent(const char *folder);  // serpent.w3d
bool make_house(const char *folder);    // house.w3d
bool make_arms(const char *folder);     // arm1.mds, arm2.mds, each with .wgt, .bbp, .mot, .img and .cfg
bool make_toy(const char *folder);      // toys.pak
bool make_rabbit(const char *folder);   // rabbit.chr
bool make_kobold(const char *folder);   // kobold/: the same character for all games
bool make_disc(const char *folder);     // disc.hd3, disc.dat: out of samples that are there

#endif
