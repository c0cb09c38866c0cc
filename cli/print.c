#include "print.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { DRAIN_BYTES = 1 << 18 };

static bool is_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return term && term[0] && strcmp(term, "dumb") != 0 && isatty(fileno(stream)) == 1;
}

static bool wants_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    return !(no_color && no_color[0]) && is_terminal(stream);
}

bool cli_can_erase(void) { return is_terminal(stderr); }

void cli_out_init(cli_out *out, FILE *stream)
{
    memset(out, 0, sizeof *out);
    sni_heap_init(&out->heap, NULL, UINT64_MAX);
    sni_writer_init(&out->text, &out->heap);
    out->stream = stream;
    out->has_color = wants_color(stream);
}

void cli_out_free(cli_out *out) { sni_writer_free(&out->text); }

static void out_fail(cli_out *out, int reason)
{
    if (!out->failed) out->reason = reason;
    out->failed = true;
}

static void flush_text(cli_out *out)
{
    if (out->text.failed) out_fail(out, ENOMEM);
    if (!out->failed && out->text.size > 0) {
        errno = 0;
        if (fwrite(out->text.data, 1, out->text.size, out->stream) != out->text.size) out_fail(out, errno);
        out->has_printed = true;
    }
    out->text.size = 0;
}

bool cli_out_flush(cli_out *out)
{
    flush_text(out);
    errno = 0;
    if (!out->failed && (fflush(out->stream) != 0 || ferror(out->stream))) out_fail(out, errno);
    return !out->failed;
}

void cli_out_drain(cli_out *out)
{
    if (out->text.size >= DRAIN_BYTES || out->text.failed) flush_text(out);
}

void cli_print(cli_out *out, const char *format, ...)
{
    char text[256];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(text, sizeof text, format, list);
    if (size >= 0 && (size_t)size < sizeof text) {
        sni_write_bytes(&out->text, text, (size_t)size);
    } else if (size >= 0) {
        char *large = sni_heap_alloc(&out->heap, (size_t)size + 1);
        if (large) vsnprintf(large, (size_t)size + 1, format, again);
        if (large) sni_write_bytes(&out->text, large, (size_t)size);
        else out->text.failed = true;
        sni_heap_free(&out->heap, large, (size_t)size + 1);
    }
    va_end(again);
    va_end(list);
}

void cli_print_safe(cli_out *out, const char *text)
{
    char small[128];
    size_t size = sni_text_printable(text, small, sizeof small);
    if (size < sizeof small) {
        sni_write_bytes(&out->text, small, size);
        return;
    }
    char *large = sni_heap_alloc(&out->heap, size + 1);
    if (large) sni_text_printable(text, large, size + 1);
    if (large) sni_write_bytes(&out->text, large, size);
    else out->text.failed = true;
    sni_heap_free(&out->heap, large, size + 1);
}

static const char *style_code(cli_style style)
{
    switch (style) {
    case CLI_BOLD: return "\x1b[1m";
    case CLI_DIM: return "\x1b[2m";
    case CLI_RED: return "\x1b[31m";
    case CLI_GREEN: return "\x1b[32m";
    case CLI_YELLOW: return "\x1b[33m";
    case CLI_CYAN: return "\x1b[36m";
    case CLI_PLAIN: break;
    }
    return "";
}

void cli_style_begin(cli_out *out, cli_style style)
{
    if (out->has_color) sni_write_text(&out->text, style_code(style));
}

void cli_style_end(cli_out *out, cli_style style)
{
    if (out->has_color && style != CLI_PLAIN) sni_write_text(&out->text, "\x1b[0m");
}

void cli_print_styled(cli_out *out, cli_style style, const char *text)
{
    cli_style_begin(out, style);
    sni_write_text(&out->text, text);
    cli_style_end(out, style);
}

void cli_print_float(cli_out *out, float value)
{
    char text[24];
    size_t size = sni_format_float(isfinite(value) ? value : 0.0f, text);
    sni_write_bytes(&out->text, text, size);
}
