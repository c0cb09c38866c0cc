// Known layouts of games' files, recognised upward from a model.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/resolve.h"

enum { LEVELS = 3 };

static const char data_folders[] = "abilities buildings doodads environment objects sharedmodels splats ui units";
static const char texture_folders[] = "textures Textures TEXTURES replaceabletextures ReplaceableTextures";
static const char disc_folders[] = "chara dun gedit";  // others have names that any folder may have
static const char map_files[] = "war3map.w3i war3campaign.w3f";

static bool is_one_of(const char *name, const char *names)
{
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (sni_str_is_nocase(sni_str_make(at, size), name)) return true;
        at += size;
    }
    return false;
}

// Is one of the names in the folder, besides `other`?
static bool has_one_of(const char *folder, const char *names, const char *other)
{
    char path[PATH_MAX];
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        int length = snprintf(path, sizeof path, "%s/%.*s", folder, (int)size, at);
        bool is_other = !sni_str_is_nocase(sni_str_make(at, size), other);
        if (is_other && length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0) return true;
        at += size;
    }
    return false;
}

// `below` is the folder in `path` through which the model is reached, "" at its own.
static const char *recognise(const char *path, const char *below)
{
    const char *name = sni_last_name(path);
    if (sni_has_ending(name, "w3x w3m w3n") || is_one_of(below, "war3mapImported war3campImported") ||
        has_one_of(path, map_files, ""))
        return "Warcraft III map";
    if (is_one_of(name, "art") && is_one_of(below, "w3d")) return "Generals or Battle for Middle-earth";
    if (is_one_of(below, data_folders) && has_one_of(path, texture_folders, "")) return "Warcraft III";
    if (is_one_of(below, disc_folders) && has_one_of(path, disc_folders, below)) return "Dark Cloud";
    return NULL;
}

bool sni_layout_find(const char *folder, char *root, size_t capacity, const char **title)
{
    char path[PATH_MAX], below[PATH_MAX] = "";
    if (!realpath(folder[0] ? folder : ".", path)) return false;
    for (int level = 0; level <= LEVELS; level++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path) return false;  // the top of the disk, or a folder in it
        *title = recognise(path, below);
        if (*title && strlen(path) < capacity) {
            memcpy(root, path, strlen(path) + 1);
            return true;
        }
        memcpy(below, slash + 1, strlen(slash + 1) + 1);
        *slash = 0;
    }
    return false;
}

bool sn_layout_find(const char *model_path, char *root, size_t capacity, const char **title)
{
    char folder[PATH_MAX];
    size_t size = (size_t)(sni_last_name(model_path) - model_path);
    if (size >= sizeof folder) return false;
    memcpy(folder, model_path, size);
    folder[size] = 0;
    return sni_layout_find(folder, root, capacity, title);
}
