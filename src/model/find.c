#include <string.h>

#include "sinew/sinew.h"

int32_t sn_model_find_node(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; name && i < model->node_count; i++) {
        if (strcmp(model->nodes[i].name, name) == 0) return (int32_t)i;
    }
    return -1;
}

int32_t sn_model_find_clip(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; name && i < model->clip_count; i++) {
        if (strcmp(model->clips[i].name, name) == 0) return (int32_t)i;
    }
    return -1;
}
