// info of an archive: its models, and with --all the other files.
#include "job.h"
#include "table.h"

enum { SHORT_LIST = 12, PATH_COLUMNS = 60 };

static uint32_t count_models(const sn_archive *archive)
{
    uint32_t count = 0;
    sn_archive_entry entry;
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++) count += sn_is_model_name(entry.name);
    return count;
}

static void put_files(sni_json_writer *json, const char *key, const sn_archive *archive, bool are_models)
{
    sn_archive_entry entry;
    cli_json_list(json, key);
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++) {
        if (sn_is_model_name(entry.name) != are_models) continue;
        sni_json_begin_object(json);
        cli_json_text(json, "name", entry.name);
        cli_json_integer(json, "bytes", (int64_t)entry.size);
        sni_json_end(json);
    }
    sni_json_end(json);
}

static void put_json(cli_job *job, const sn_archive *archive, const sn_archive_info *info)
{
    sni_json_writer json = cli_json_begin(job, "sinew.archive/2");
    cli_json_text(&json, "format", info->title);
    if (info->detail) cli_json_text(&json, "detail", info->detail);
    cli_json_integer(&json, "file_count", info->file_count);
    cli_json_integer(&json, "refused_count", info->refused_count);
    cli_json_integer(&json, "damaged_count", info->damaged_count);
    cli_json_integer(&json, "overlap_count", info->overlap_count);
    put_files(&json, "models", archive, true);
    if (cli_job_has(job, CLI_OPTION_ALL)) put_files(&json, "others", archive, false);
    cli_json_end(job, &json);
}

static void print_files(cli_job *job, const char *title, const sn_archive *archive, bool are_models, uint32_t count)
{
    uint32_t shown = cli_job_has(job, CLI_OPTION_ALL) || count <= SHORT_LIST ? count : SHORT_LIST;
    cli_table table = cli_table_make(&job->arena, "lr", shown + 1);
    sn_archive_entry entry;
    table.has_heading = true;
    cli_table_add(&table, (cli_row){ { "name", "bytes" } });
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry) && table.row_count <= shown; i++) {
        if (sn_is_model_name(entry.name) != are_models) continue;
        const char *bytes = cli_format(&job->arena, "%llu", (unsigned long long)entry.size);
        const char *name = cli_job_has(job, CLI_OPTION_ALL) ? cli_escape(&job->arena, entry.name)
                                                            : cli_shorten_path(&job->arena, entry.name, PATH_COLUMNS);
        cli_table_add(&table, (cli_row){ { name, bytes } });
    }
    cli_print(job->out, "\n");
    cli_print_styled(job->out, CLI_BOLD, title);
    cli_print(job->out, "\n");
    cli_table_print(&table, job->out, 2);
    if (shown < count) cli_print(job->out, "  … %u more\n", count - shown);
}

static void print_left_out(cli_job *job, const sn_archive_info *info)
{
    if (info->refused_count > 0)
        cli_print(job->out, "  %u more are left out: their names lead out of the archive\n", info->refused_count);
    if (info->damaged_count > 0)
        cli_print(job->out, "  %u more are left out: no name, or outside the data\n", info->damaged_count);
    if (info->overlap_count > 0) cli_print(job->out, "  %u begin inside another file\n", info->overlap_count);
}

int cli_info_archive(cli_job *job)
{
    const sn_archive *archive = job->input->archive;
    const sn_archive_info info = sn_archive_describe(archive);
    const char *detail = info.detail ? info.detail : "";
    uint32_t count = count_models(archive);
    if (cli_job_has(job, CLI_OPTION_JSON)) {
        put_json(job, archive, &info);
        return CLI_EXIT_OK;
    }
    const char *files = cli_count(&job->arena, info.file_count, "file", "files");
    const char *models = cli_count(&job->arena, count, "model", "models");
    cli_job_begin_text(job);
    cli_print_styled(job->out, CLI_BOLD, job->shown);
    cli_print(job->out, "\n  %s%s%s%s: %s, %s\n", info.title, detail[0] ? " (" : "", detail, detail[0] ? ")" : "",
              files ? files : "", models ? models : "");
    print_left_out(job, &info);
    uint32_t others = cli_job_has(job, CLI_OPTION_ALL) ? info.file_count - count : 0;
    if (count > 0) print_files(job, "Models", archive, true, count);
    if (others > 0) print_files(job, "Other files", archive, false, others);
    return CLI_EXIT_OK;
}
