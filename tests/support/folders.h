// Folders that a test fills and removes.
#ifndef TEST_FOLDERS_H
#define TEST_FOLDERS_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void remove_all(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) return;
    char path[4096];
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0) remove_all(path);
    }
    closedir(dir);
    rmdir(folder);
}

#endif
