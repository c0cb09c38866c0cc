// What the parts of the command `info` share.
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "job.h"
#include "table.h"

uint32_t cli_info_rows(const cli_job *job, uint32_t count);  // how many of them are shown
void cli_info_section(cli_job *job, const char *title, const cli_table *table, uint32_t count);
void cli_info_lists(cli_job *job);

#endif
