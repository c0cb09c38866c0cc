// Rows of text in aligned columns.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "print.h"

enum { CLI_COLUMNS = 6 };

typedef struct cli_row {
    const char *cells[CLI_COLUMNS];
} cli_row;  // safe text; NULL and "" are empty

typedef struct cli_table {
    const char *columns;  // one letter each: 'l' left, 'r' right
    cli_row *rows;
    uint32_t row_count, capacity;
    bool has_heading;  // the first row
    uint32_t widest;   // a cell wider than this pushes only its own row
    cli_style styles[CLI_COLUMNS];
} cli_table;

// Room for `capacity` rows; more are dropped. After a memory failure the table stays empty.
cli_table cli_table_make(sni_arena *arena, const char *columns, uint32_t capacity);
void cli_table_add(cli_table *table, cli_row row);

// Columns that are empty in every row but the heading are left out.
void cli_table_print(const cli_table *table, cli_out *out, uint32_t indent);

#endif
