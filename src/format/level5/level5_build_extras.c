// Extras of the model: its game, its files, and commands of the configuration that have no place in the model. Also
// models of files without an MDS, which have only extras and images.
#include <stdio.h>

#include "format/level5/level5_build.h"

// --- Files and configuration ---

static void put_files(level5_builder *b, sni_extras *extras)
{
    static const char *const kinds[] = {
        [LEVEL5_UNKNOWN] = "other",  [LEVEL5_KIND_MDS] = "mds",    [LEVEL5_KIND_TRACKS] = "tracks",
        [LEVEL5_KIND_BINDS] = "bbp", [LEVEL5_KIND_CONFIG] = "cfg", [LEVEL5_KIND_PACK] = "pack",
        [LEVEL5_KIND_IMG] = "img"
    };
    const level5_file *files = b->files.items;
    if (b->files.count == 0) return;
    sni_json_key(&extras->json, "files");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < b->files.count; i++) {
        sni_json_begin_object(&extras->json);
        sni_extras_put_text(extras, "name", files[i].path);
        sni_extras_put_text(extras, "kind", kinds[files[i].kind]);
        sni_extras_put_integer(extras, "bytes", (int64_t)files[i].bytes.size);
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static void put_models(level5_builder *b, sni_extras *extras)
{
    const uint32_t *models = b->models.items;
    if (b->models.count < 2) return;
    sni_json_key(&extras->json, "models");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < b->models.count; i++)
        sni_json_put_text(&extras->json, level5_items(level5_file, b->files)[models[i]].path);
    sni_json_end(&extras->json);
}

static void put_arguments(level5_builder *b, sni_extras *extras, const level5_command *command)
{
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < command->arg_count; i++) {
        const level5_value *value = &command->args[i];
        if (value->kind == LEVEL5_TEXT) sni_json_put_text(&extras->json, level5_label(b, value->text));
        else if (value->kind == LEVEL5_INT) sni_json_put_integer(&extras->json, value->number);
        else sni_json_put_float(&extras->json, value->real);
    }
    sni_json_end(&extras->json);
}

static void put_command(level5_builder *b, sni_extras *extras, const char *key, const char *tag)
{
    int32_t at = level5_find_command(b->config, 0, tag);
    if (at < 0) return;
    sni_json_key(&extras->json, key);
    put_arguments(b, extras, &b->config->commands[at]);
}

// SEQ_START begins a named sequence; each SEQ in it has a clip and how it is blended and repeated.
static void put_sequences(level5_builder *b, sni_extras *extras)
{
    bool is_open = false;
    if (level5_find_command(b->config, 0, "SEQ_START") < 0) return;
    sni_json_key(&extras->json, "sequences");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i <= b->config->command_count; i++) {
        bool is_last = i == b->config->command_count;
        const level5_command *command = is_last ? NULL : &b->config->commands[i];
        bool is_start = command && sni_str_is_nocase(command->tag, "SEQ_START");
        if (is_open && (is_last || is_start || sni_str_is_nocase(command->tag, "SEQ_END"))) {
            sni_json_end(&extras->json);
            sni_json_end(&extras->json);
            is_open = false;
        }
        if (is_start) {
            sni_json_begin_object(&extras->json);
            sni_extras_put_text(extras, "name", level5_label(b, level5_text_argument(command, 0)));
            sni_json_key(&extras->json, "clips");
            sni_json_begin_array(&extras->json);
            is_open = true;
        }
        if (is_open && sni_str_is_nocase(command->tag, "SEQ")) put_arguments(b, extras, command);
    }
    sni_json_end(&extras->json);
}

const char *level5_model_extras(level5_builder *b)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "game", b->game == LEVEL5_DC1 ? "dc1" : "dc2");
    sni_extras_put_text(&extras, "gameIsSo", b->game_reason);
    put_models(b, &extras);
    put_files(b, &extras);
    put_command(b, &extras, "bodySize", "BODY_SIZE");
    put_command(b, &extras, "scale", "SCALE");
    put_command(b, &extras, "position", "POSITION");
    put_command(b, &extras, "rotation", "ROTATION");
    put_sequences(b, &extras);
    return sni_extras_end(b->core.keep, &extras);
}

// --- Files without a model ---

static bool has_weights(const level5_track *track)
{
    return track->type == LEVEL5_WEIGHTS || track->type == LEVEL5_WEIGHTS_AVERAGED;
}

static void put_tracks(sni_extras *extras, const level5_tracks *tracks)
{
    sni_json_key(&extras->json, "tracks");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        uint32_t count = track->keys.count;
        sni_json_begin_object(&extras->json);
        sni_extras_put_integer(extras, "node", track->node);
        if (has_weights(track)) {
            double sum = 0.0;
            for (uint32_t k = 0; k < count; k++) sum += level5_read_key(track, k).value[0];
            sni_extras_put_integer(extras, "bone", track->target);
            sni_extras_put_integer(extras, "count", count);
            sni_extras_put_float(extras, "sum", (float)sum);
        } else {
            sni_extras_put_integer(extras, "type", track->type);
            sni_extras_put_integer(extras, "target", track->target);
            sni_extras_put_integer(extras, "count", count);
            if (count > 0) sni_extras_put_integer(extras, "first", level5_read_key(track, 0).frame);
            if (count > 0) sni_extras_put_integer(extras, "last", level5_read_key(track, count - 1).frame);
        }
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static const char *standalone_kind(const level5_doc *doc)
{
    const level5_tracks *tracks = &doc->as.tracks;
    switch (doc->kind) {
    case LEVEL5_KIND_TRACKS: return tracks->track_count > 0 && has_weights(&tracks->tracks[0]) ? "weights" : "motion";
    case LEVEL5_KIND_BINDS: return "binds";
    case LEVEL5_KIND_IMG: return "pictures";
    case LEVEL5_KIND_CONFIG: return "configuration";
    default: return "pack";
    }
}

// Reports which model the file belongs to: the one that a configuration names, or the one with the file's name.
static void warn_standalone(level5_builder *b, const level5_doc *doc)
{
    const char *why, *kind = doc->kind == LEVEL5_KIND_BINDS ? "bind matrices" : standalone_kind(doc);
    char name[160];
    sni_bytes bytes;
    sni_diag *diag = &b->load->diag;
    if (doc->kind == LEVEL5_KIND_IMG) return;
    if (doc->kind == LEVEL5_KIND_PACK) {
        sni_warn(diag, SNI_WARN_LEVEL5_ALONE, 0, "a pack without a model; its files are listed in the extras");
        return;
    }
    const level5_config *config = doc->kind == LEVEL5_KIND_CONFIG ? &doc->as.config : NULL;
    int32_t command = level5_find_command(config, 0, "MODEL");
    sni_str named = command < 0 ? sni_str_make("", 0)
                                : level5_file_name(level5_text_argument(&config->commands[command], 0));
    if (named.size > 0) snprintf(name, sizeof name, "%.150s", level5_label(b, named));
    else snprintf(name, sizeof name, "%.150s.mds", b->stem.size > 0 ? b->title : "NAME");
    bool is_found = sni_load_find(b->load, sni_str_make(name, strlen(name)), "", &bytes, &why);
    sni_warn(diag, SNI_WARN_LEVEL5_ALONE, 0, "%s without a model; %s %.100s%s", kind,
             is_found ? "open its model" : "its model", name, is_found ? "" : " was not found");
}

bool level5_build_standalone(level5_builder *b, const level5_doc *doc)
{
    if (doc->kind == LEVEL5_KIND_IMG && !level5_add_archive(b, doc)) return false;
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_PACK && i < b->files.count; i++) {
        const level5_file *file = &level5_items(level5_file, b->files)[i];
        if (file->kind == LEVEL5_KIND_IMG && !level5_add_archive(b, level5_open_file(b, i))) return false;
    }
    if (!sni_load_ok(b->load) || !level5_add_all_images(b)) return false;
    warn_standalone(b, doc);
    return sni_load_ok(b->load);
}

const char *level5_standalone_extras(level5_builder *b, const level5_doc *doc)
{
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    sni_extras_put_text(&extras, "kind", standalone_kind(doc));
    if (doc->kind == LEVEL5_KIND_TRACKS) put_tracks(&extras, &doc->as.tracks);
    if (doc->kind == LEVEL5_KIND_BINDS) sni_extras_put_integer(&extras, "matrices", doc->as.binds.matrices.count);
    if (doc->kind == LEVEL5_KIND_PACK) put_files(b, &extras);
    return sni_extras_end(b->core.keep, &extras);
}
