// Writes one small file of every kind that sinew decodes: make_image_seeds FOLDER (fuzz/seeds/image).
#include "image_files.h"

int main(int count, char **args)
{
    static picture p;
    const char *name;
    for (unsigned i = 0; count == 2 && picture_of_kind(i, &p, &name); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", args[1], name);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(p.data, 1, p.size, file) != p.size || fclose(file) != 0) return 1;
    }
    return count == 2 ? 0 : 2;
}
