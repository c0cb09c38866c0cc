// Mutations that keep the structure of a file, for all fuzz targets. Half of all mutations are libFuzzer's own. The
// others copy, move, remove or change a whole piece: a record of a binary file; a value, block or line of a text. Sizes
// that span the changed bytes are corrected, so that parsers read on behind them.
#include <string.h>

#include "base/reader.h"
#include "base/writer.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

enum { MOST_BYTES = 1 << 15, TRIES = 64 };

typedef struct span {
    size_t at, size;
} span;

typedef struct input {
    uint8_t *data;
    size_t size, room;
    uint64_t random;
} input;

static size_t below(input *in, size_t count)  // splitmix64
{
    uint64_t z = in->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return count > 0 ? (size_t)((z ^ z >> 31) % count) : 0;
}

// What a size is, if it is one: of the bytes behind it or of all from it on. The highest bit is a flag in W3D.
static uint32_t size_at(const uint8_t *data, size_t at) { return sni_load_u32(data + at) & 0x7fffffff; }

// Adds `change` to the size of the file, and to sizes of what begins before `at` and ends behind it. Of the sizes that
// end right at `end`, either all or none are changed: a record that is inserted there may be the last in its parent, or
// follow it.
static void correct_sizes(input *in, size_t at, size_t end, size_t change)
{
    const size_t least = end + below(in, 2);
    for (size_t i = 0; i + 4 <= at; i++) {
        const size_t size = size_at(in->data, i);
        const bool is_spanning = size >= 4 && i + 4 + size >= least && i + size <= in->size;
        if (!is_spanning && size != in->size) continue;
        sni_store_u32(in->data + i, sni_load_u32(in->data + i) + (uint32_t)change);
        i += 3;
    }
}

// Replaces a span by other bytes, unless they need more room than there is. JSON in a .glb ends at a multiple of four.
static void replace(input *in, span old, const uint8_t *with, size_t size)
{
    uint8_t copy[MOST_BYTES + 4];
    const bool is_glb = in->size > 20 && memcmp(in->data, "glTF", 4) == 0;
    if (size > MOST_BYTES) return;
    memcpy(copy, with, size);  // may be a part of the input
    while (is_glb && (size - old.size) % 4 != 0) copy[size++] = ' ';
    if (in->size - old.size + size > in->room) return;
    correct_sizes(in, old.at, old.at + old.size, size - old.size);
    memmove(in->data + old.at + size, in->data + old.at + old.size, in->size - old.at - old.size);
    memcpy(in->data + old.at, copy, size);
    in->size += size - old.size;
}

static void remove_span(input *in, span old) { replace(in, old, in->data, 0); }

// Binary files

// A record: an identifier of four bytes, the size of what follows, and that. Or from its size on, which counts itself.
// Any span where no size is found.
static span find_record(input *in, const uint8_t *data, size_t size)
{
    for (int i = 0; i < TRIES && size >= 8; i++) {
        const size_t at = below(in, size - 7) & (below(in, 8) ? ~(size_t)3 : ~(size_t)0),
                     counted = size_at(data, at + 4);
        if (counted >= 4 && counted <= size - at - 8) return (span){ at, 8 + counted };
        if (counted > 8 && counted <= size - at - 4 && below(in, 4) == 0) return (span){ at + 4, counted };
    }
    const size_t at = below(in, size);
    return (span){ at, below(in, size - at < 256 ? size - at : 256) };
}

static void change_record(input *in, span record)
{
    uint8_t copy[MOST_BYTES];
    const size_t head = record.size > 8 ? 8 : 0, size = record.size - head;
    if (size == 0 || size > MOST_BYTES / 2) return;
    memcpy(copy, in->data + record.at + head, size);
    const size_t changed = LLVMFuzzerMutate(copy, size, size + size / 4 + 64);
    replace(in, (span){ record.at + head, size }, copy, changed);
}

// Text

static bool is_text_at(const uint8_t *data, size_t size, size_t at)
{
    const size_t end = at + 16 < size ? at + 16 : size;
    while (at < end && ((data[at] >= ' ' && data[at] < 127) || (data[at] >= '\t' && data[at] <= '\r'))) at++;
    return at == end;
}

static bool is_one_of(uint8_t c, const char *set) { return c && strchr(set, c); }

static bool is_in_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_one_of(c, "+-._");
}

// The end of the block or string that begins at `at`, or of the word.
static size_t value_end(const uint8_t *data, size_t size, size_t at)
{
    size_t depth = 0, end = at;
    if (data[at] == '"') {
        for (end++; end < size && data[end] != '"'; end++) end += data[end] == '\\';
        return end < size ? end + 1 : size;
    }
    if (!is_one_of(data[at], "{[")) {
        while (end < size && is_in_word(data[end])) end++;
        return end;
    }
    for (; end < size; end++) {
        if (is_one_of(data[end], "{[")) depth++;
        if (is_one_of(data[end], "}]") && --depth == 0) return end + 1;
    }
    return size;
}

// A word, string or block.
static span find_value(input *in, const uint8_t *data, size_t size)
{
    size_t at = below(in, size);
    const char *starts = below(in, 2) ? "{[" : "\"";
    if (below(in, 2))
        while (at < size && !is_one_of(data[at], starts)) at++;
    else
        while (at < size && !is_in_word(data[at])) at++;
    while (at > 0 && at < size && is_in_word(data[at]) && is_in_word(data[at - 1])) at--;
    return at < size ? (span){ at, value_end(data, size, at) - at } : (span){ size, 0 };
}

// A property, an element of a list, a statement: with the comma behind it, else with that before it.
static span find_item(input *in, const uint8_t *data, size_t size)
{
    size_t start = below(in, size), end;
    while (start > 0 && !is_one_of(data[start - 1], "{}[],\n")) start--;
    for (end = start; end < size && !is_one_of(data[end], "}],");) {
        const bool is_block = is_one_of(data[end], "{[");
        end = is_block || data[end] == '"' ? value_end(data, size, end) : end + 1;
        if (is_block) break;
    }
    if (end < size && data[end] == ',') end++;
    else if (start > 0 && data[start - 1] == ',') start--;
    return (span){ start, end - start };
}

static void change_number(input *in)
{
    static const char *const numbers[] = { "0",     "1",          "-1",   "2",     "3",   "0.5",        "-0.25", "1e38",
                                           "1e-45", "2147483648", "4096", "65536", "255", "4294967295", "1.5",   "7" };
    const char *number = numbers[below(in, sizeof numbers / sizeof *numbers)];
    size_t at = below(in, in->size);
    while (at < in->size && !(in->data[at] >= '0' && in->data[at] <= '9')) at++;
    if (at == in->size) return;
    if (below(in, 2)) in->data[at] = (uint8_t)('0' + below(in, 10));
    else replace(in, (span){ at, value_end(in->data, in->size, at) - at }, (const uint8_t *)number, strlen(number));
}

static void change_text(input *in, const uint8_t *from, size_t from_size)
{
    const size_t choice = below(in, 5);
    if (choice == 0) {
        change_number(in);
        return;
    }
    const bool is_value = choice == 1;
    const span old = (is_value ? find_value : find_item)(in, in->data, in->size);
    const span source = (is_value ? find_value : find_item)(in, from, from_size);
    if (is_value) replace(in, old, from + source.at, source.size);
    else if (choice == 2) remove_span(in, old);
    else if (choice == 3) replace(in, (span){ old.at + old.size, 0 }, in->data + old.at, old.size);
    else replace(in, (span){ old.at + old.size, 0 }, from + source.at, source.size);
}

static void change_binary(input *in, const uint8_t *from, size_t from_size)
{
    const span old = find_record(in, in->data, in->size), source = find_record(in, from, from_size);
    const size_t end = old.at + old.size;
    switch (below(in, 6)) {
    case 0: remove_span(in, old); break;
    case 1: replace(in, (span){ end, 0 }, in->data + old.at, old.size); break;
    case 2: replace(in, old, from + source.at, source.size); break;
    case 3: replace(in, (span){ below(in, 2) ? old.at : end, 0 }, from + source.at, source.size); break;
    default: change_record(in, old); break;
    }
}

static size_t change(input *in, const uint8_t *from, size_t from_size)
{
    for (size_t changes = 1 + below(in, 3); changes > 0 && in->size > 0; changes--)
        if (is_text_at(in->data, in->size, below(in, in->size))) change_text(in, from, from_size);
        else change_binary(in, from, from_size);
    return in->size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    input in = { data, size, max_size, seed };
    if (size == 0 || below(&in, 2)) return LLVMFuzzerMutate(data, size, max_size);
    return change(&in, data, size);
}

// Pieces of another input.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    input in = { out, size < max_size ? size : max_size, max_size, seed };
    memcpy(out, data, in.size);
    return other_size > 0 ? change(&in, other, other_size) : in.size;
}
