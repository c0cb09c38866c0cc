// Names of clips, which players ask for by name: each but once. Nodes keep theirs, since indices say which is meant.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf/gltf_export.h"

typedef struct named {
    const char *name;
    uint32_t index;
} named;

static int compare_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static bool is_known(const named *sorted, uint32_t count, const char *name)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(sorted[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low < count && strcmp(sorted[low].name, name) == 0;
}

// NAME.2, NAME.3 and so on, past those that are there already. What is made of another name differs before the last
// point.
static const char *new_name(gltf_export *export, const named *sorted, uint32_t count, const char *name,
                            uint32_t *number)
{
    size_t room = strlen(name) + 12;
    char *text = sni_new_raw(&export->save->scratch, char, room);
    do {
        if (text) snprintf(text, room, "%s.%u", name, ++*number);
    } while (text && is_known(sorted, count, text));
    return text;
}

static uint32_t sort_names(const gltf_doc *doc, named *sorted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        if (doc->animations[i].object.name) sorted[count++] = (named){ doc->animations[i].object.name, i };
    }
    if (count > 0) qsort(sorted, count, sizeof *sorted, compare_names);
    return count;
}

bool gltf_part_names(gltf_export *export)
{
    gltf_doc *doc = export->doc;
    named *sorted = sni_new_raw(&export->save->scratch, named, doc->animation_count);
    if (!sorted) return false;
    uint32_t count = sort_names(doc, sorted), number = 1;
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) != 0) {
            number = 1;
            continue;
        }
        const char **name = &doc->animations[sorted[i].index].object.name;
        *name = new_name(export, sorted, count, sorted[i].name, &number);
        if (!*name) return false;
        sni_enter_named(&export->save->diag, "animations", sorted[i].index, sorted[i].name);
        sni_warn(&export->save->diag, SNI_WARN_RENAMED, 0, "another clip has this name: written as \"%.100s\"", *name);
        sni_leave(&export->save->diag);
    }
    return true;
}
