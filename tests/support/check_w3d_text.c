#include "check_w3d_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

static bool rewrite(const void *data, size_t size, const char *name, const char *ending, sn_bytes *out)
{
    const sn_load_opts opts = { .name = name, .keep_document = true };
    sn_error error;
    *out = (sn_bytes){ 0 };
    sn_model *model = sn_load_memory(data, size, &opts, &error);
    const bool is_w3d = model && strcmp(model->format, "w3d") == 0;
    const bool is_saved = is_w3d && sn_save_memory(model, ending, NULL, out, &error) == SN_OK;
    if (is_w3d && !is_saved) {
        fprintf(stderr, "W3D text: cannot be saved as .%s: %s\n", ending, error.message);
        abort();
    }
    sn_model_free(model);
    return is_saved;
}

static void require_same(const sn_bytes *a, const void *b, size_t size, const char *what)
{
    if (a->size == size && memcmp(a->data, b, size) == 0) return;
    fprintf(stderr, "W3D text: other %s\n", what);
    abort();
}

bool check_w3d_text(const void *data, size_t size)
{
    sn_bytes binary, text, again, text_again;
    if (!rewrite(data, size, "x", "w3d", &binary)) return false;
    if (!rewrite(binary.data, binary.size, "x.w3d", "w3d.json", &text)) {  // a file of no chunks is no W3D file
        sn_bytes_free(&binary);
        return true;
    }
    if (!rewrite(text.data, text.size, "x.w3d.json", "w3d", &again) ||
        !rewrite(text.data, text.size, "x.w3d.json", "w3d.json", &text_again)) {
        fprintf(stderr, "W3D text: cannot be loaded\n");
        abort();
    }
    require_same(&again, binary.data, binary.size, "bytes");
    require_same(&text_again, text.data, text.size, "text");
    sn_bytes_free(&binary);
    sn_bytes_free(&text);
    sn_bytes_free(&again);
    sn_bytes_free(&text_again);
    return true;
}
