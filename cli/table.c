#include "table.h"

enum { GAP = 2 };

cli_table cli_table_make(sni_arena *arena, const char *columns, uint32_t capacity)
{
    cli_table table = { .columns = columns, .rows = sni_new(arena, cli_row, capacity), .widest = 60 };
    if (table.rows) table.capacity = capacity;
    return table;
}

void cli_table_add(cli_table *table, cli_row row)
{
    if (table->row_count < table->capacity) table->rows[table->row_count++] = row;
}

static const char *cell_text(const cli_row *row, size_t column) { return row->cells[column] ? row->cells[column] : ""; }

// 0: nothing below the heading.
static uint32_t column_width(const cli_table *table, size_t column)
{
    uint32_t width = 0;
    for (uint32_t i = table->has_heading ? 1 : 0; i < table->row_count; i++) {
        uint32_t cell = cli_width(cell_text(&table->rows[i], column));
        if (cell > width && cell <= table->widest) width = cell;
        if (width == 0 && cell > 0) width = 1;
    }
    if (width == 0 || !table->has_heading) return width;
    uint32_t heading = cli_width(cell_text(&table->rows[0], column));
    return heading > width ? heading : width;
}

// Spaces go before a cell, never after: no line ends with them. `at` is how far the line has come.
static void print_row(const cli_table *table, const cli_row *row, const uint32_t *widths, cli_out *out, uint32_t start)
{
    bool is_heading = table->has_heading && row == table->rows;
    uint32_t at = 0;
    for (size_t i = 0; table->columns[i]; i++) {
        if (widths[i] == 0) continue;
        const char *text = cell_text(row, i);
        uint32_t width = cli_width(text), blank = width < widths[i] ? widths[i] - width : 0;
        uint32_t begin = start + (table->columns[i] == 'r' ? blank : 0);
        uint32_t spaces = begin > at ? begin - at : 0;
        if (at > 0 && spaces < GAP) spaces = GAP;
        if (width > 0) {
            sni_write_fill(&out->text, ' ', spaces);
            cli_print_styled(out, is_heading ? CLI_DIM : table->styles[i], text);
            at += spaces + width;
        }
        start += widths[i] + GAP;
    }
    sni_write_u8(&out->text, '\n');
}

void cli_table_print(const cli_table *table, cli_out *out, uint32_t indent)
{
    uint32_t widths[CLI_COLUMNS];
    for (size_t i = 0; table->columns[i]; i++) widths[i] = column_width(table, i);
    for (uint32_t i = 0; i < table->row_count; i++) {
        print_row(table, &table->rows[i], widths, out, indent);
        cli_out_drain(out);
    }
}
