// Errors and warnings: only the first error is kept, equal warnings are counted, both have a path and an offset.
#ifndef SNI_DIAG_H
#define SNI_DIAG_H

#include "base/diag_codes.h"
#include "sinew/sinew.h"

enum sni_warning_code {
#define SNI_WARNING_ENUM(code, name, severity, meaning, advice) SNI_WARN_##name = code,
    SNI_WARNINGS(SNI_WARNING_ENUM)
#undef SNI_WARNING_ENUM
};

// The rules of games, which have a block of codes each.
static inline bool sni_warning_is_rule(int32_t code)
{
    return (code >= SNI_WARN_WAR3_VERSION && code <= SNI_WARN_WAR3_UNUSED) ||
           (code >= SNI_WARN_SAGE_NAME && code <= SNI_WARN_SAGE_TREE) ||
           (code >= SNI_WARN_DARK_CLOUD_FORMAT && code <= SNI_WARN_DARK_CLOUD_IMAGE);
}

enum { SNI_PATH_DEPTH = 24, SNI_WARNINGS_PER_CODE = 64, SNI_LOSSES_PER_CODE = 4096 };

typedef struct sni_arena sni_arena;

// One step of the path: a literal name, an index (-1: none), and perhaps the item's own name.
typedef struct sni_step {
    const char *name;
    int64_t index;
    const char *label;
} sni_step;

typedef struct sni_warning_item {
    struct sni_warning_item *next;
    const char *format;  // of the message
    sn_warning warning;
} sni_warning_item;

typedef struct sni_diag {
    sn_error error;    // status SN_OK until something failed
    sni_arena *arena;  // where warnings live; NULL: warnings are dropped
    sni_warning_item *first, **last;
    uint32_t warning_count;
    const char *text;  // offsets are in this text, so that lines can be counted; NULL: the file is binary
    size_t text_size;
    uint64_t line_start;  // where line `line` begins: the last that was asked for
    uint32_t line;
    bool json_paths;  // "/nodes/3" instead of "NODES[3]"
    bool is_of_save;  // warnings are losses, each with its own numbers: only what says the same is counted
    bool is_strict;   // what would be repaired with a warning fails: SN_ERR_INVALID
    uint32_t depth;   // may exceed SNI_PATH_DEPTH: deeper steps are not shown
    sni_step steps[SNI_PATH_DEPTH];
} sni_diag;

void sni_diag_init(sni_diag *diag, sni_arena *arena);
void sni_diag_set_text(sni_diag *diag, const char *text, size_t size);  // must outlive the diagnostics

// The current path. Names must outlive the step; nothing is formatted until needed.
static inline void sni_enter_named(sni_diag *diag, const char *name, int64_t index, const char *label)
{
    if (diag->depth < SNI_PATH_DEPTH) diag->steps[diag->depth] = (sni_step){ name, index, label };
    diag->depth++;
}

static inline void sni_enter(sni_diag *diag, const char *name, int64_t index)
{
    sni_enter_named(diag, name, index, NULL);
}

// From an element of a list, which was entered last, to another one.
static inline void sni_enter_next(sni_diag *diag, int64_t index)
{
    if (diag->depth <= SNI_PATH_DEPTH) diag->steps[diag->depth - 1].index = index;
}

static inline void sni_leave(sni_diag *diag)
{
    if (diag->depth > 0) diag->depth--;
}

#if defined(__GNUC__)
#    define SNI_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#    define SNI_PRINTF(text, args)
#endif

// Only the first failure is kept. Always returns false, for `return sni_fail(...)`.
bool sni_fail(sni_diag *diag, sn_status status, uint64_t offset, const char *format, ...) SNI_PRINTF(4, 5);
#ifdef __clang_analyzer__  // it sees one file at a time
#    define sni_fail(...) (sni_fail(__VA_ARGS__), false)
#endif
void sni_warn(sni_diag *diag, int32_t code, uint64_t offset, const char *format, ...) SNI_PRINTF(4, 5);

// The same warning `count` times (0: none), for loops that count first and report once.
void sni_warn_many(sni_diag *diag, int32_t code, uint64_t count, uint64_t offset, const char *format, ...)
    SNI_PRINTF(5, 6);

// For repairs that are not worth a warning: reported only where the diagnostics are strict.
void sni_warn_strict(sni_diag *diag, int32_t code, const char *format, ...) SNI_PRINTF(3, 4);

static inline bool sni_failed(const sni_diag *diag) { return diag->error.status != SN_OK; }

#endif
