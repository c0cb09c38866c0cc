#include "image/frames.h"

#include <string.h>

sni_box sni_changed_box(const sn_pixels *before, const sn_pixels *now)
{
    uint32_t left = now->width, right = 0, top = now->height, bottom = 0;
    for (uint32_t y = 0; y < now->height; y++) {
        size_t row = (size_t)y * now->width * 4;
        if (memcmp(before->rgba + row, now->rgba + row, (size_t)now->width * 4) == 0) continue;
        uint32_t first = 0, last = now->width - 1;
        while (memcmp(before->rgba + row + 4 * (size_t)first, now->rgba + row + 4 * (size_t)first, 4) == 0) first++;
        while (memcmp(before->rgba + row + 4 * (size_t)last, now->rgba + row + 4 * (size_t)last, 4) == 0) last--;
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y;
    }
    return top == now->height ? (sni_box){ 0, 0, 1, 1 } : (sni_box){ left, top, right - left + 1, bottom - top + 1 };
}
