// What bench_save saves and converts.
#ifndef BENCH_SAVE_FOLDER_H
#define BENCH_SAVE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

// Fills an empty folder with MDX models and 1.08 textures for each, 45 % of which are duplicates of others. False when
// it cannot be written.
bool write_folder(const char *folder, uint32_t models);

void make_texture(uint8_t *rgba, uint32_t side, uint32_t seed);

#endif
