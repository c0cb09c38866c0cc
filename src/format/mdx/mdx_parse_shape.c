// Events, collision shapes and hit tests: the elements whose length their own content tells.
#include "format/mdx/mdx_parse.h"

enum { NODE_BYTES = 96, SHAPE_KINDS = 4, SHAPE_LENGTHS = 3 };

void mdx_parse_event(sni_reader *in, mdx_event *event)
{
    event->global_sequence = -1;
    if (!mdx_next_is(in, MDX_TAG('K', 'E', 'V', 'T'))) return;
    sni_enter(in->diag, "KEVT", -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    event->has_times = true;
    event->global_sequence = sni_read_i32(in);
    event->times = mdx_take_array(in, count, 4);
    sni_leave(in->diag);
}

// After that many bytes the chunk ends, or a node begins whose size can be true.
static bool ends_well(const sni_reader *in, size_t bytes)
{
    if (sni_rest(in) < bytes) return false;
    size_t rest = sni_rest(in) - bytes;
    if (rest < NODE_BYTES) return rest == 0;
    uint32_t size = sni_load_u32(in->at + bytes);
    return size >= NODE_BYTES && size <= rest;
}

// How many floats a shape has, nobody says but its kind. Of kinds 1 and 3 the files have more than one idea: a plane is
// two points, or a length and a width; a cylinder two points and a radius, or a point, a height and a radius.
static uint32_t find_float_count(const sni_reader *in, uint32_t kind)
{
    static const uint8_t counts[SHAPE_KINDS][SHAPE_LENGTHS] = { { 6, 6, 6 }, { 6, 5, 2 }, { 4, 4, 4 }, { 7, 2, 6 } };
    const uint8_t *first = counts[kind], *end = first + SHAPE_LENGTHS;
    for (const uint8_t *count = first; count < end; count++)
        if (ends_well(in, *count * 4u)) return *count;
    return kind == 3 && sni_rest(in) < 24 ? 2 : *first;
}

void mdx_parse_shape(sni_reader *in, mdx_shape *shape)
{
    shape->kind = sni_read_u32(in);
    if (shape->kind < SHAPE_KINDS) shape->values = mdx_take_array(in, find_float_count(in, shape->kind), 4);
    else
        shape->object.item.rest = mdx_keep_rest(in, "shape that is known");  // no way to know where the next one begins
}

void mdx_parse_hit_test(sni_reader *in, mdx_shape *shape)
{
    static const uint8_t counts[SHAPE_KINDS] = { 6, 5, 4, 2 };
    shape->kind = sni_read_u8(in);
    if (shape->kind < SHAPE_KINDS) shape->values = mdx_take_array(in, counts[shape->kind], 4);
}
