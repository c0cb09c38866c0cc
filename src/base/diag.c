#include "base/diag.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

void sni_diag_init(sni_diag *diag, sni_arena *arena)
{
    memset(diag, 0, offsetof(sni_diag, steps));  // steps are written before they are read
    diag->arena = arena;
    diag->last = &diag->first;
}

void sni_diag_set_text(sni_diag *diag, const char *text, size_t size)
{
    diag->text = text;
    diag->text_size = size;
    diag->line_start = 0;
    diag->line = 1;
}

// Warnings come mostly in the order of the text, so lines are counted from the last one.
static void find_line(sni_diag *diag, uint64_t offset, uint32_t *line, uint32_t *column)
{
    *line = *column = 0;
    if (!diag->text || offset > diag->text_size) return;
    if (offset < diag->line_start) diag->line_start = 0, diag->line = 1;
    for (const char *at; (at = memchr(diag->text + diag->line_start, '\n', (size_t)(offset - diag->line_start)));) {
        diag->line_start = (uint64_t)(at + 1 - diag->text);
        diag->line++;
    }
    *line = diag->line;
    *column = (uint32_t)(offset - diag->line_start) + 1;
}

static size_t print_step(const sni_diag *diag, const sni_step *step, bool is_first, char *out, size_t room)
{
    const char *slash = diag->json_paths || !is_first ? "/" : "";
    int size = snprintf(out, room, "%s%s", slash, step->name);
    if (size < 0) return 0;
    size_t used = (size_t)size;
    if (step->index >= 0 && used < room) {
        const char *format = diag->json_paths ? "/%lld" : "[%lld]";
        size = snprintf(out + used, room - used, format, (long long)step->index);
        used += size > 0 ? (size_t)size : 0;
    }
    if (step->label && step->label[0] && used < room) {
        size = snprintf(out + used, room - used, " \"%s\"", step->label);
        used += size > 0 ? (size_t)size : 0;
    }
    return used;
}

static void print_path(const sni_diag *diag, char *out, size_t capacity)
{
    size_t used = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < diag->depth && i < SNI_PATH_DEPTH && used < capacity; i++)
        used += print_step(diag, &diag->steps[i], i == 0, out + used, capacity - used);
    sni_text_clean_fixed(out, capacity);
}

static void print_message(char *out, size_t capacity, const char *format, va_list args)
{
    if (vsnprintf(out, capacity, format, args) < 0) out[0] = 0;
    sni_text_clean_fixed(out, capacity);
}

static void fail_list(sni_diag *diag, sn_status status, uint64_t offset, const char *format, va_list args)
{
    if (sni_failed(diag)) return;
    diag->error.status = status;
    diag->error.offset = offset;
    find_line(diag, offset, &diag->error.line, &diag->error.column);
    print_path(diag, diag->error.path, sizeof diag->error.path);
    print_message(diag->error.message, sizeof diag->error.message, format, args);
}

bool(sni_fail)(sni_diag *diag, sn_status status, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_list(diag, status, offset, format, args);
    va_end(args);
    return false;
}

// The warning to count up: one with the same code and path, or the code's last when there are too many. Losses must
// also say the same, but for numbers.
static sn_warning *find_alike(sni_diag *diag, int32_t code, const char *path, const char *format, const char *message)
{
    const uint32_t most = diag->is_of_save ? SNI_LOSSES_PER_CODE : SNI_WARNINGS_PER_CODE;
    uint32_t same_code = 0;
    sn_warning *last = NULL;
    for (sni_warning_item *item = diag->first; item; item = item->next) {
        if (item->warning.code != code) continue;
        const bool says_same = strcmp(item->format, format) == 0 &&
                               (strcmp(format, "%s") != 0 || strcmp(item->warning.message, message) == 0);
        if (strcmp(item->warning.path, path) == 0 && (says_same || !diag->is_of_save)) return &item->warning;
        last = &item->warning;
        same_code++;
    }
    return same_code >= most ? last : NULL;
}

static void count_up(sn_warning *warning, uint64_t count)
{
    uint64_t room = UINT32_MAX - warning->count;
    warning->count += (uint32_t)(count < room ? count : room);
}

static void warn_list(sni_diag *diag, int32_t code, uint64_t count, uint64_t offset, const char *format, va_list args)
{
    if (diag->is_strict && count > 0) fail_list(diag, SN_ERR_INVALID, offset, format, args);
    if (!diag->arena || count == 0 || sni_failed(diag)) return;
    char path[sizeof diag->error.path], message[sizeof diag->error.message];
    print_path(diag, path, sizeof path);
    print_message(message, sizeof message, format, args);
    sn_warning *alike = find_alike(diag, code, path, format, message);
    if (alike) {
        count_up(alike, count);
        return;
    }
    sni_warning_item *item = sni_new(diag->arena, sni_warning_item, 1);
    const char *kept_path = sni_copy_text(diag->arena, path, strlen(path));
    const char *kept_message = sni_copy_text(diag->arena, message, strlen(message));
    if (!item || !kept_path || !kept_message) return;
    item->format = format;
    item->warning = (sn_warning){ .code = code, .offset = offset, .path = kept_path, .message = kept_message };
    if (offset > 0) find_line(diag, offset, &item->warning.line, &item->warning.column);
    count_up(&item->warning, count);
    *diag->last = item;
    diag->last = &item->next;
    diag->warning_count++;
}

void sni_warn(sni_diag *diag, int32_t code, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn_list(diag, code, 1, offset, format, args);
    va_end(args);
}

void sni_warn_many(sni_diag *diag, int32_t code, uint64_t count, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn_list(diag, code, count, offset, format, args);
    va_end(args);
}

void sni_warn_strict(sni_diag *diag, int32_t code, const char *format, ...)
{
    va_list args;
    if (!diag->is_strict) return;
    va_start(args, format);
    warn_list(diag, code, 1, 0, format, args);
    va_end(args);
}

enum { NOTE, WARNING };

static const sn_warning_kind warning_kinds[] = {
#define SNI_WARNING_KIND(code, name, severity, meaning, advice) { code, #name, meaning, advice, severity == NOTE },
    SNI_WARNINGS(SNI_WARNING_KIND)
#undef SNI_WARNING_KIND
};

bool sn_warning_at(uint32_t index, sn_warning_kind *kind)
{
    if (index >= sizeof warning_kinds / sizeof warning_kinds[0]) return false;
    *kind = warning_kinds[index];
    return true;
}

const char *sn_warning_name(int32_t code)
{
    for (size_t i = 0; i < sizeof warning_kinds / sizeof warning_kinds[0]; i++)
        if (warning_kinds[i].code == code) return warning_kinds[i].name;
    return "UNKNOWN";
}

const char *sn_status_name(sn_status status)
{
    static const char *const names[] = {
        "ok", "io", "format", "truncated", "corrupt", "unsupported", "limit", "memory", "cancelled", "invalid", "lossy",
    };
    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}
