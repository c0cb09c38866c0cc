// Reports of check for continuous integration: SARIF 2.1.0 and JUnit.
#include <string.h>

#include "check.h"

// SARIF

static const char error_prefix[] = "error-";

// RFC 3986: letters, digits and "-._~/" stay; a path from the root becomes a file URI.
static const char *uri_of(sni_arena *arena, const char *path)
{
    static const char hex[] = "0123456789ABCDEF";
    char *out = sni_new_raw(arena, char, 8 + 3 * strlen(path));
    if (!out) return "";
    size_t size = 0;
    if (path[0] == '/') memcpy(out, "file://", 7), size = 7;
    for (const uint8_t *at = (const uint8_t *)path; *at; at++) {
        bool is_plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z') || strchr("-._~/", *at);
        if (is_plain) out[size++] = (char)*at;
        else out[size++] = '%', out[size++] = hex[*at >> 4], out[size++] = hex[*at & 15];
    }
    out[size] = 0;
    return out;
}

static void put_message(sni_json_writer *json, const char *key, const char *text)
{
    sni_json_key(json, key);
    sni_json_begin_object(json);
    cli_json_text(json, "text", text);
    sni_json_end(json);
}

static void put_region(sni_json_writer *json, const cli_finding *finding)
{
    if (!finding->has_place) return;
    sni_json_key(json, "region");
    sni_json_begin_object(json);
    if (finding->line > 0) {
        cli_json_integer(json, "startLine", finding->line);
        cli_json_integer(json, "startColumn", finding->column);
    }
    cli_json_integer(json, "byteOffset", (int64_t)finding->offset);
    sni_json_end(json);
}

// A file in an archive is a logical location inside the archive's.
static void put_location(sni_json_writer *json, const cli_checked *checked, const cli_finding *finding)
{
    cli_job *job = checked->job;
    const cli_input *input = job->input;
    const char *inside = input->archive ? cli_join(&job->arena, input->name, "/", finding->path) : finding->path;
    cli_json_list(json, "locations");
    sni_json_begin_object(json);
    sni_json_key(json, "physicalLocation");
    sni_json_begin_object(json);
    sni_json_key(json, "artifactLocation");
    sni_json_begin_object(json);
    cli_json_text(json, "uri", uri_of(&job->arena, cli_is_dash(input->path) ? "stdin" : input->path));
    sni_json_end(json);
    if (!input->archive) put_region(json, finding);
    sni_json_end(json);
    if (inside && inside[0]) {
        cli_json_list(json, "logicalLocations");
        sni_json_begin_object(json);
        cli_json_text(json, "fullyQualifiedName", inside);
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
    sni_json_end(json);
}

static void put_sarif_file(const cli_checked *checked)
{
    cli_out *out = checked->job->out;
    for (uint32_t i = 0; i < checked->findings.count; i++) {
        const cli_finding *finding = &cli_findings(checked)[i];
        sni_json_writer json = sni_json_writer_make(&out->text, false);
        if (i > 0) cli_print(out, ",\n");
        sni_json_begin_object(&json);
        cli_json_text(&json, "ruleId", finding->rule);
        cli_json_text(&json, "level", cli_level_names[finding->level]);
        put_message(&json, "message", finding->message);
        put_location(&json, checked, finding);
        cli_json_integer(&json, "occurrenceCount", finding->count);
        sni_json_end(&json);
    }
}

static void put_rule(sni_json_writer *json, const char *id, const char *meaning, const char *advice, cli_level level)
{
    sni_json_begin_object(json);
    cli_json_text(json, "id", id);
    if (meaning) put_message(json, "shortDescription", meaning);
    if (advice) put_message(json, "help", advice);
    sni_json_key(json, "defaultConfiguration");
    sni_json_begin_object(json);
    cli_json_text(json, "level", cli_level_names[level]);
    sni_json_end(json);
    sni_json_end(json);
}

static void put_rules(sni_json_writer *json)
{
    sn_warning_kind kind;
    char id[32];
    cli_json_list(json, "rules");
    for (uint32_t i = 0; sn_warning_at(i, &kind); i++)
        put_rule(json, kind.name, kind.meaning, kind.advice, kind.is_note ? CLI_NOTE : CLI_WARNING);
    for (int i = SN_OK + 1; i <= SN_ERR_LOSSY; i++) {
        snprintf(id, sizeof id, "%s%s", error_prefix, sn_status_name((sn_status)i));
        put_rule(json, id, "the file cannot be loaded", NULL, CLI_ERROR);
    }
    put_rule(json, "round-trip", "sinew does not write the file back unchanged", NULL, CLI_WARNING);
    sni_json_end(json);
}

static void put_sarif_head(cli_out *out, const cli_check_totals *totals)
{
    (void)totals;
    cli_print(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\n"
                   "\"runs\":[{\"tool\":");
    sni_json_writer json = sni_json_writer_make(&out->text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, "driver");
    sni_json_begin_object(&json);
    cli_json_text(&json, "name", "sinew");
    cli_json_text(&json, "version", SN_VERSION);
    put_rules(&json);
    sni_json_end(&json);
    sni_json_end(&json);
    cli_print(out, ",\n\"results\":[\n");
}

static void put_sarif_tail(cli_out *out) { cli_print(out, "\n]}]}\n"); }

// JUnit: a test for each file, which fails with all its findings.

static void put_xml(cli_out *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&') sni_write_text(&out->text, "&amp;");
        else if (*text == '<') sni_write_text(&out->text, "&lt;");
        else if (*text == '>') sni_write_text(&out->text, "&gt;");
        else if (*text == '"') sni_write_text(&out->text, "&quot;");
        else sni_write_u8(&out->text, (uint8_t)*text);
    }
}

static void put_xml_finding(const cli_checked *checked, const cli_finding *finding)
{
    sni_arena *arena = &checked->job->arena;
    cli_out *out = checked->job->out;
    const char *place = finding->has_place ? cli_place_text(arena, finding->offset, finding->line, finding->column)
                                           : "",
               *path = cli_escape(arena, finding->path), *message = cli_escape(arena, finding->message);
    if (!place || !path || !message) return;
    cli_print(out, "%s %s%s%s", cli_level_names[finding->level], finding->rule, place, path[0] ? " in " : "");
    put_xml(out, path);
    cli_print(out, ": ");
    put_xml(out, message);
    cli_print(out, "\n");
}

// Findings at or above the level that fails, or those below it.
static uint32_t put_xml_findings(const cli_checked *checked, bool do_fail, const char *element)
{
    cli_out *out = checked->job->out;
    const cli_finding *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < checked->findings.count; i++) {
        const cli_finding *finding = &cli_findings(checked)[i];
        if ((finding->level >= checked->fail_on) != do_fail) continue;
        if (!first) first = finding;
        count++;
    }
    if (count == 0) return 0;
    cli_print(out, "<%s", element);
    if (do_fail) {
        const char *message = cli_escape(&checked->job->arena, first->message);
        cli_print(out, " type=\"%s\" message=\"", first->rule);
        put_xml(out, message ? message : "");
        if (count > 1) cli_print(out, " (and %u more)", count - 1);
        cli_print(out, "\"");
    }
    cli_print(out, ">");
    for (uint32_t i = 0; i < checked->findings.count; i++)
        if ((cli_findings(checked)[i].level >= checked->fail_on) == do_fail)
            put_xml_finding(checked, &cli_findings(checked)[i]);
    cli_print(out, "</%s>", element);
    return count;
}

static void put_junit_file(const cli_checked *checked)
{
    const cli_job *job = checked->job;
    bool is_unreadable = job->error.status != SN_OK;
    cli_print(job->out, "<testcase classname=\"sinew.check\" name=\"");
    put_xml(job->out, job->shown);
    cli_print(job->out, "\">");
    put_xml_findings(checked, true, is_unreadable ? "error" : "failure");
    put_xml_findings(checked, false, "system-out");
    cli_print(job->out, "</testcase>");
}

static void put_junit_head(cli_out *out, const cli_check_totals *totals)
{
    const unsigned long long files = totals->files, errors = totals->unreadable_files,
                             failures = totals->failed_files - totals->unreadable_files;
    cli_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    cli_print(out, "<testsuites tests=\"%llu\" failures=\"%llu\" errors=\"%llu\">\n", files, failures, errors);
    cli_print(out, "<testsuite name=\"sinew check\" tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" skipped=\"0\">\n",
              files, failures, errors);
}

static void put_junit_tail(cli_out *out) { cli_print(out, "\n</testsuite>\n</testsuites>\n"); }

const cli_check_report *cli_check_report_find(const char *name)
{
    static const cli_check_report reports[] = {
        { "sarif", ",\n", put_sarif_file, put_sarif_head, put_sarif_tail },
        { "junit", "\n", put_junit_file, put_junit_head, put_junit_tail },
    };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strcmp(reports[i].name, name) == 0) return &reports[i];
    return NULL;
}
