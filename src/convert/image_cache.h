// PNGs made of textures, kept for other saves (sn_image_cache).
#ifndef SNI_IMAGE_CACHE_H
#define SNI_IMAGE_CACHE_H

#include "base/arena.h"
#include "base/reader.h"

// The PNG that was made of these bytes, copied to the arena, and its size in pixels. False: none is kept, or the arena
// failed.
bool sni_image_cache_find(sn_image_cache *cache, sni_bytes source, sni_arena *arena, sni_bytes *png, sn_pixels *size);

// Keeps a PNG. What was not used for longest goes when there is no room; failing to keep it is no error.
void sni_image_cache_add(sn_image_cache *cache, sni_bytes source, sni_bytes png, const sn_pixels *size);

#endif
