// A model out of an archive of game files: 05_archive war3.mpq Units/Human/Footman/Footman.mdx
// Without a name it lists the models of the archive.
#include <sinew/files.h>
#include <stdio.h>

static int list_models(const sn_archive *archive)
{
    sn_archive_info info = sn_archive_describe(archive);
    printf("%s: %s, %u files\n", info.path, info.title, info.file_count);
    sn_archive_entry entry;
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++)
        if (sn_is_model_name(entry.name)) printf("%10llu  %s\n", (unsigned long long)entry.size, entry.name);
    return 0;
}

static int load_model(const sn_archive *archive, const char *name)
{
    // Textures are found beside the model, then anywhere in the archive. More places: sn_load_opts.search.
    sn_error error;
    sn_model *model = sn_load_archive(archive, name, NULL, &error);
    if (!model) return fprintf(stderr, "%s: %s\n", name, error.message), 1;
    printf("%s: %s, %u nodes, %u clips\n", name, model->format, model->node_count, model->clip_count);
    for (uint32_t i = 0; i < model->image_count; i++)
        printf("image %s: %s\n", model->images[i].uri, model->images[i].data ? "found" : "missing");
    sn_model_free(model);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) return fprintf(stderr, "usage: 05_archive ARCHIVE [NAME]\n"), 2;

    sn_error error;
    sn_archive *archive = sn_archive_open(argv[1], NULL, &error);
    if (!archive) return fprintf(stderr, "%s: %s\n", argv[1], error.message), 1;
    int code = argc == 3 ? load_model(archive, argv[2]) : list_models(archive);
    sn_archive_close(archive);
    return code;
}
