// check: the findings of each file, and the reports that continuous integration reads.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/batch/batch.h"

typedef enum cli_level { CLI_NOTE, CLI_WARNING, CLI_ERROR, CLI_NEVER } cli_level;
extern const char *const cli_level_names[];

typedef struct cli_finding {
    cli_level level;
    int32_t code;      // of a warning; 0: an error or the round trip
    const char *rule;  // "NODE_CYCLE", "error-truncated", "round-trip"
    const char *path, *message;
    bool has_place;
    uint64_t offset;
    uint32_t line, column, count;
} cli_finding;

typedef struct cli_round_trip {
    bool was_asked;
    sn_round_trip result;
    sn_error error;  // its own: a file that cannot be loaded is reported once, by the check
} cli_round_trip;

// One checked file.
typedef struct cli_checked {
    cli_job *job;
    cli_level fail_on;
    sni_list findings;  // cli_finding, the ignored ones left out
    sni_list warnings;  // sn_warning among them
    uint32_t ignored;
    cli_round_trip trip;
    sni_list repairs;  // sn_warning: what --fix changed
} cli_checked;

typedef struct cli_check_totals {
    uint64_t files, failed_files, unreadable_files;
    uint64_t findings[CLI_NEVER], ignored;  // by level
} cli_check_totals;

// check_report.c. Each prints one file; the report is these, joined, between head and tail.
typedef struct cli_check_report {
    const char *name;  // of --format
    const char *separator;
    void (*file)(const cli_checked *checked);
    void (*head)(cli_out *out, const cli_check_totals *totals);
    void (*tail)(cli_out *out);
} cli_check_report;

const cli_check_report *cli_check_report_find(const char *name);  // NULL: plain text

static inline const cli_finding *cli_findings(const cli_checked *checked) { return checked->findings.items; }

#endif
