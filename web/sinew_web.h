// The web module: what JavaScript calls, over the public headers. web/core/index.mjs and web/page/worker.js are its
// callers.
//
// A module is one instance for one thread, so its state is static: the last error, and one buffer for results, which
// are valid until the next call. Texts are JSON.
#ifndef SINEW_WEB_H
#define SINEW_WEB_H

#include <sinew/files.h>
#include <sinew/render.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/writer.h"

#define WEB_EXPORT __attribute__((used, visibility("default")))

typedef struct web_model {
    sn_model *model;
    sn_pose *pose;            // of core callers: no root transform
    uint64_t bytes;           // of this struct, for freeing
    struct web_scene *scene;  // web_render.c; NULL: not shown yet
} web_model;

// A JSON text in the result buffer: begin, write, then return web_text_end().
sni_json_writer web_text_begin(void);
const char *web_text_end(void);
// Room in the result buffer, aligned for floats; NULL: out of memory, reported.
void *web_room(size_t size);

bool web_fail(const sn_error *error);  // keeps it for web_error; returns false
bool web_fail_memory(void);
bool web_is_late(void *user);     // past the time of web_set_deadline
void *web_allocate(size_t size);  // zeroed; NULL: out of memory, reported
void web_release(void *memory, size_t size);

// web_render.c has its own; a module without the renderer has one that does nothing.
void web_scene_free(struct web_scene *scene);

#endif
