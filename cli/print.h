// Output of the tool: buffered, escaped, in colour only on a terminal.
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdio.h>

#include "base/arena.h"
#include "base/writer.h"

typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_CYAN } cli_style;

// Collects text and hands it to the stream in large pieces. A failure is sticky; `reason` is its errno.
typedef struct cli_out {
    sni_heap heap;
    sni_writer text;
    FILE *stream;
    bool has_color, has_printed, failed;
    int reason;
} cli_out;

bool cli_can_erase(void);  // standard error is a terminal on which a line can be erased

void cli_out_init(cli_out *out, FILE *stream);
void cli_out_free(cli_out *out);
bool cli_out_flush(cli_out *out);  // hands everything over; false after any failure
void cli_out_drain(cli_out *out);  // the same, once enough has gathered: call it in long loops

void cli_print(cli_out *out, const char *format, ...) SNI_PRINTF(2, 3);  // our own words and numbers
void cli_print_safe(cli_out *out, const char *text);                     // words from a file: escaped
void cli_print_styled(cli_out *out, cli_style style, const char *text);  // already safe
void cli_print_float(cli_out *out, float value);                         // shortest exact form; 0 if it is not finite
void cli_style_begin(cli_out *out, cli_style style);
void cli_style_end(cli_out *out, cli_style style);

// Text in the arena; NULL only when memory ran out.
const char *cli_format(sni_arena *arena, const char *format, ...) SNI_PRINTF(2, 3);
const char *cli_escape(sni_arena *arena, const char *text);                          // safe for a terminal
const char *cli_shorten(sni_arena *arena, const char *text, uint32_t columns);       // escaped, and cut with "…"
const char *cli_shorten_path(sni_arena *arena, const char *text, uint32_t columns);  // the same, cut in the middle
const char *cli_count(sni_arena *arena, uint64_t count, const char *one, const char *many);
const char *cli_join(sni_arena *arena, const char *a, const char *separator, const char *b);  // either may be ""

// Bytes of the text that fit `limit` without splitting a character.
size_t cli_cut(const char *text, size_t limit);

// Numbers for people: four or five digits that matter, no trailing zeros.
const char *cli_number(sni_arena *arena, float value);

// Columns that escaped text takes on a terminal: combining marks none, East Asian wide ones two.
uint32_t cli_width(const char *text);

// One character of valid UTF-8: its bytes, and its columns.
size_t cli_step(const char *text, uint32_t *columns);

#endif
