// What is in a model: 01_info knight.glb
#include <sinew/sinew.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: 01_info FILE\n"), 2;

    sn_error error;
    sn_model *model = sn_load_file(argv[1], NULL, &error);
    if (!model) {
        fprintf(stderr, "%s: error at byte %llu in %s: %s\n", argv[1], (unsigned long long)error.offset, error.path,
                error.message);
        return 1;
    }
    printf("%s: %u nodes, %u meshes, %u skins\n", model->format, model->node_count, model->mesh_count,
           model->skin_count);
    for (uint32_t i = 0; i < model->clip_count; i++)
        printf("clip %s: %.2f s\n", model->clips[i].name, (double)model->clips[i].duration);
    for (uint32_t i = 0; i < model->warning_count; i++)
        printf("warning %s: %s\n", sn_warning_name(model->warnings[i].code), model->warnings[i].message);
    sn_model_free(model);
    return 0;
}
