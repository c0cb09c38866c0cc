#include "mdl_text.h"
#include "posed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_model.h"

sn_model *mdx_mdl_load(uint32_t version, const char *text, const sn_load_opts *opts)
{
    size_t size = strlen(text) + 64;
    char *whole = malloc(size);
    if (!whole) abort();
    int used = snprintf(whole, size, "Version {\nFormatVersion %u,\n}\n%s", version, text);
    sn_error error;
    sn_model *model = sn_load_memory(whole, (size_t)used, opts, &error);
    free(whole);
    if (!model) {
        fprintf(stderr, "%s: %s\n", error.path, error.message);
        abort();
    }
    check_model(model);
    exercise_model(model);
    return model;
}

uint32_t mdx_mdl_warnings(const sn_model *model, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strcmp(sn_warning_name(model->warnings[i].code), name) == 0) count += model->warnings[i].count;
    return count;
}

sn_vec3 mdx_mdl_vertex(const sn_model *model, int32_t clip, float seconds, float clock, uint32_t vertex)
{
    sn_vec3 places[256];
    sn_pose *pose = pose_at(model, clip, seconds, clock);
    if (model->meshes[0].vertex_count > 256 || vertex >= model->meshes[0].vertex_count) abort();
    sn_skin_part(pose, 0, places, NULL, NULL);
    sn_pose_free(pose);
    return places[vertex];
}

sn_vec3 mdx_mdl_place(const sn_model *model, const char *node, int32_t clip, float seconds, float clock)
{
    sn_pose *pose = pose_at(model, clip, seconds, clock);
    sn_mat34 world = sn_pose_world(pose, sn_model_find_node(model, node));
    sn_pose_free(pose);
    return (sn_vec3){ world.m[0][3], world.m[1][3], world.m[2][3] };
}
