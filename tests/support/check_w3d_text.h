// W3D as text gives back the file's bytes.
#ifndef TEST_CHECK_W3D_TEXT_H
#define TEST_CHECK_W3D_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Bytes of a .w3d or .w3d.json: as text and back they are the same bytes, and the text of those is the same text.
// Aborts on a difference. Returns whether they can be loaded.
bool check_w3d_text(const void *data, size_t size);

#endif
