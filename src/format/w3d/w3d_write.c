// Documents to bytes, new chunk trees, and changes to those of a document.
#include <assert.h>
#include <math.h>

#include "format/w3d/w3d_check.h"

static const uint32_t CONTAINER_BIT = 0x80000000u;  // of a stored size

// Headers on the way down, payloads and stray bytes on the way up.
void w3d_write(const w3d_doc *doc, sni_writer *out)
{
    int32_t at = doc->chunk_count > 0 ? 0 : W3D_NONE;
    while (at >= 0) {
        const w3d_chunk *chunk = &doc->chunks[at];
        sni_write_u32(out, chunk->id);
        sni_write_u32(out, chunk->size);
        if (chunk->first_child >= 0) {
            at = chunk->first_child;
            continue;
        }
        sni_write_bytes(out, chunk->bytes.data, chunk->bytes.count);
        while (chunk->next < 0 && chunk->parent >= 0) {
            chunk = &doc->chunks[chunk->parent];
            sni_write_bytes(out, chunk->bytes.data, chunk->bytes.count);
        }
        at = chunk->next;
    }
    sni_write_bytes(out, doc->stray.data, doc->stray.count);
}

w3d_tree w3d_tree_begin(sni_writer *out) { return (w3d_tree){ .out = out }; }

void w3d_open_chunk(w3d_tree *tree, uint32_t id)
{
    assert(tree->depth < W3D_MAX_DEPTH);
    tree->starts[tree->depth++] = tree->out->size;
    sni_write_u32(tree->out, id);
    sni_write_u32(tree->out, w3d_is_container(id) ? CONTAINER_BIT : 0);
}

size_t w3d_chunk_bytes(const w3d_tree *tree)
{
    assert(tree->depth > 0);
    return tree->out->failed ? 0 : tree->out->size - tree->starts[tree->depth - 1] - W3D_CHUNK_HEADER_BYTES;
}

// The writer fails when the payload is too large for a size.
void w3d_close_chunk(w3d_tree *tree)
{
    size_t size = w3d_chunk_bytes(tree), start = tree->starts[--tree->depth];
    if (size > W3D_SIZE_MASK) tree->out->failed = true;
    if (tree->out->failed) return;
    uint32_t container_bit = tree->out->data[start + 7] & 0x80u ? CONTAINER_BIT : 0;
    sni_patch_u32(tree->out, start + 4, (uint32_t)size | container_bit);
}

void w3d_put(w3d_tree *tree, const void *data, size_t size) { sni_write_bytes(tree->out, data, size); }
void w3d_put_u8(w3d_tree *tree, uint8_t value) { sni_write_u8(tree->out, value); }
void w3d_put_u16(w3d_tree *tree, uint16_t value) { sni_write_u16(tree->out, value); }
void w3d_put_u32(w3d_tree *tree, uint32_t value) { sni_write_u32(tree->out, value); }

void w3d_put_f32(w3d_tree *tree, float value)
{
    tree->has_overflow |= !isfinite(value);
    sni_write_f32(tree->out, value);
}

void w3d_put_floats(w3d_tree *tree, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) w3d_put_f32(tree, values[i]);
}

void w3d_put_name(w3d_tree *tree, const char *name, size_t size)
{
    size_t length = strlen(name) < size ? strlen(name) : size;
    sni_write_bytes(tree->out, name, length);
    sni_write_fill(tree->out, 0, size - length);
}

void w3d_put_text(w3d_tree *tree, const char *text) { sni_write_bytes(tree->out, text, strlen(text) + 1); }

void w3d_put_chunk(w3d_tree *tree, uint32_t id, const void *data, size_t size)
{
    w3d_open_chunk(tree, id);
    w3d_put(tree, data, size);
    w3d_close_chunk(tree);
}

void w3d_put_text_chunk(w3d_tree *tree, uint32_t id, const char *text)
{
    w3d_put_chunk(tree, id, text, strlen(text) + 1);
}

void w3d_open_property(w3d_tree *tree, uint32_t type, const char *name)
{
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_PROPERTY);
    w3d_put_u32(tree, type);
    w3d_put_u32(tree, (uint32_t)strlen(name) + 1);
    w3d_put_text(tree, name);
}

void w3d_put_texture_property(w3d_tree *tree, const char *name, const char *file)
{
    w3d_open_property(tree, W3D_TEXTURE_PROPERTY, name);
    w3d_put_u32(tree, (uint32_t)strlen(file) + 1);
    w3d_put_text(tree, file);
    w3d_close_chunk(tree);
}

void w3d_put_float_property(w3d_tree *tree, const char *name, const float *values, uint32_t count)
{
    w3d_open_property(tree, W3D_FLOAT + count - 1, name);
    w3d_put_floats(tree, values, count);
    w3d_close_chunk(tree);
}

// Changes to a document's chunks, for repairs. What was loaded is not touched.

static w3d_chunk *at(const w3d_edit *edit, int32_t chunk) { return &((w3d_chunk *)edit->chunks.items)[chunk]; }

bool w3d_edit_begin(w3d_edit *edit, sni_save *save, const w3d_doc *doc)
{
    *edit = (w3d_edit){ .save = save, .old = doc->chunk_count };
    edit->doc = sni_new_raw(&save->scratch, w3d_doc, 1);
    edit->is_own = sni_new(&save->scratch, bool, doc->chunk_count);
    if (!edit->doc || !edit->is_own) return false;
    *edit->doc = *doc;
    for (uint32_t i = 0; i < doc->chunk_count; i++) {
        w3d_chunk *chunk = sni_push(&save->scratch, &edit->chunks, w3d_chunk);
        if (!chunk) return false;
        *chunk = doc->chunks[i];
    }
    return true;
}

uint8_t *w3d_edit_bytes(w3d_edit *edit, int32_t chunk, w3d_repair_kind kind)
{
    w3d_array *bytes = &at(edit, chunk)->bytes;
    const bool is_new = (uint32_t)chunk >= edit->old || edit->is_own[chunk];
    uint8_t *data = is_new ? (uint8_t *)(uintptr_t)bytes->data
                           : sni_new_raw(&edit->save->scratch, uint8_t, bytes->count);
    if (!data) {
        edit->has_failed = true;
        return NULL;
    }
    edit->counts[kind]++;
    if (is_new) return data;
    if (bytes->count > 0) memcpy(data, bytes->data, bytes->count);
    bytes->data = data;
    edit->is_own[chunk] = true;
    return data;
}

void w3d_edit_replace(w3d_edit *edit, int32_t chunk, const void *data, size_t size, w3d_repair_kind kind)
{
    at(edit, chunk)->bytes = (w3d_array){ data, (uint32_t)size };
    if ((uint32_t)chunk < edit->old) edit->is_own[chunk] = true;
    edit->counts[kind]++;
}

static void unlink_chunk(w3d_edit *edit, int32_t chunk)
{
    int32_t *slot = &at(edit, at(edit, chunk)->parent)->first_child;
    while (*slot != chunk) slot = &at(edit, *slot)->next;
    *slot = at(edit, chunk)->next;
}

static void link_chunk(w3d_edit *edit, int32_t chunk, int32_t after)
{
    int32_t *slot = after < 0 ? &at(edit, at(edit, chunk)->parent)->first_child : &at(edit, after)->next;
    at(edit, chunk)->next = *slot;
    *slot = chunk;
}

void w3d_edit_arrange(w3d_edit *edit, int32_t parent, int32_t header, int32_t second, w3d_repair_kind kind)
{
    int32_t lists[3][2] = { { W3D_NONE, W3D_NONE }, { W3D_NONE, W3D_NONE }, { W3D_NONE, W3D_NONE } };  // first, last
    for (int32_t chunk = at(edit, parent)->first_child, next; chunk >= 0; chunk = next) {
        int32_t *list = lists[chunk == header ? 0 : at(edit, chunk)->id == at(edit, second)->id ? 1 : 2];
        next = at(edit, chunk)->next;
        if (list[0] < 0) list[0] = chunk;
        else at(edit, list[1])->next = chunk;
        list[1] = chunk;
    }
    int32_t *end = &at(edit, parent)->first_child;
    for (int i = 0; i < 3; i++) {
        if (lists[i][0] < 0) continue;
        *end = lists[i][0];
        end = &at(edit, lists[i][1])->next;
    }
    *end = W3D_NONE;
    edit->counts[kind]++;
}

// Its sizes count for nothing from now on: it has no parent.
void w3d_edit_remove(w3d_edit *edit, int32_t chunk, w3d_repair_kind kind)
{
    unlink_chunk(edit, chunk);
    at(edit, chunk)->parent = W3D_NONE;
    edit->counts[kind]++;
}

void w3d_edit_insert(w3d_edit *edit, int32_t parent, int32_t after, uint32_t id, const void *data, size_t size,
                     w3d_repair_kind kind)
{
    w3d_chunk *chunk = size <= W3D_SIZE_MASK ? sni_push(&edit->save->scratch, &edit->chunks, w3d_chunk) : NULL;
    if (!chunk) {
        edit->has_failed = true;
        return;
    }
    *chunk = (w3d_chunk){
        .id = id, .parent = parent, .first_child = W3D_NONE, .next = W3D_NONE, .bytes = { data, (uint32_t)size }
    };
    link_chunk(edit, (int32_t)edit->chunks.count - 1, after);
    edit->counts[kind]++;
}

// Children come after their parents: from the last to the first, each size is complete when it is added. Bytes that the
// file lacks and what is left over after a container's last chunk do not change.
static bool correct_sizes(w3d_edit *edit, uint64_t *changed)
{
    uint64_t *sizes = sni_new(&edit->save->scratch, uint64_t, edit->chunks.count);
    if (!sizes) return false;
    for (uint32_t i = edit->chunks.count; i-- > 0;) {
        w3d_chunk *chunk = at(edit, (int32_t)i);
        sizes[i] += chunk->bytes.count;
        if (chunk->parent >= 0) sizes[chunk->parent] += sizes[i] + W3D_CHUNK_HEADER_BYTES;
        if (sizes[i] > W3D_SIZE_MASK)
            return sni_fail(&edit->save->diag, SN_ERR_UNSUPPORTED, 0, "the file is too large for the format");
        if ((chunk->size & W3D_SIZE_MASK) == sizes[i]) continue;
        *changed += i < edit->old;
        chunk->size = (chunk->size & ~(uint32_t)W3D_SIZE_MASK) | (uint32_t)sizes[i];
    }
    return true;
}

bool w3d_edit_end(w3d_edit *edit)
{
    static const struct {
        const char *part, *text;
    } words[W3D_FIX_KINDS] = {
        [W3D_FIX_NAME] = { "names", "names were cut to 15 bytes" },
        [W3D_FIX_HEADER] = { "headers", "the header became the first chunk of its object" },
        [W3D_FIX_ROOT] = { "roots", "pivot 0 became the only root" },
        [W3D_FIX_ROOT_PLACE] = { "root", "the motion of pivot 0, which the game ignores, was removed" },
        [W3D_FIX_LODS] = { "levels", "the count and position of levels of detail were corrected" },
        [W3D_FIX_LOD_SIZE] = { "screen sizes", "the size limit of the finest level of detail was removed" },
        [W3D_FIX_BONE] = { "objects", "skins and objects without a bone were attached to bone 0" },
        [W3D_FIX_MATERIAL_INFO] = { "materials", "the counts of materials were corrected" },
        [W3D_FIX_BOUNDS] = { "bounds", "box and sphere were computed" },
        [W3D_FIX_SHADE_INDICES] = { "shade indices", "shade indices were added" },
        [W3D_FIX_FIXUPS] = { "fixups", "identity fixups were added" },
        [W3D_FIX_SKIN_TYPE] = { "types", "the geometry type of meshes was corrected" },
        [W3D_FIX_VISIBILITY] = { "visibility", "the default of visibility channels became 1" },
        [W3D_FIX_TEXTURE] = { "textures", "folders were removed from texture names" },
        [W3D_FIX_TREE] = { "collision", "collision trees were removed; the game computes them" },
    };
    uint64_t changed = 0, repairs = 0;
    if (edit->has_failed || !correct_sizes(edit, &changed)) return false;
    for (int i = 0; i < W3D_FIX_KINDS; i++) {
        sni_save_report_repair(edit->save, words[i].part, edit->counts[i], words[i].text);
        repairs += edit->counts[i];
    }
    if (repairs == 0) sni_save_report_repair(edit->save, "sizes", changed, "sizes of chunks were corrected");
    edit->doc->chunks = edit->chunks.items;
    edit->doc->chunk_count = edit->chunks.count;
    return true;
}
