// What the model says of its files: which there are, of which game, and what the configuration knows beyond the model.
#include <stdio.h>

#include "format/level5/level5_build.h"

static const char *kind_name(const level5_file *file)
{
    static const char *const names[] = {
        [LEVEL5_UNKNOWN] = "other",  [LEVEL5_KIND_MDS] = "mds",    [LEVEL5_KIND_TRACKS] = "tracks",
        [LEVEL5_KIND_BINDS] = "bbp", [LEVEL5_KIND_CONFIG] = "cfg", [LEVEL5_KIND_PACK] = "pack",
        [LEVEL5_KIND_IMG] = "img"
    };
    return file->kind < sizeof names / sizeof *names ? names[file->kind] : "other";
}

static void say_files(level5_builder *b, sni_extras *extras)
{
    const level5_file *files = b->files.items;
    if (b->files.count == 0) return;
    sni_json_key(&extras->json, "files");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < b->files.count; i++) {
        sni_json_begin_object(&extras->json);
        sni_extras_put_text(extras, "name", files[i].name);
        sni_extras_put_text(extras, "kind", kind_name(&files[i]));
        sni_extras_put_integer(extras, "bytes", (int64_t)files[i].bytes.size);
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static void say_models(level5_builder *b, sni_extras *extras)
{
    const uint32_t *models = b->models.items;
    if (b->models.count < 2) return;
    sni_json_key(&extras->json, "models");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < b->models.count; i++)
        sni_json_put_text(&extras->json, level5_items(level5_file, b->files)[models[i]].name);
    sni_json_end(&extras->json);
}

static void put_argument(level5_builder *b, sni_extras *extras, const level5_value *value)
{
    if (value->kind == LEVEL5_TEXT) sni_json_put_text(&extras->json, level5_label(b, value->text));
    else if (value->kind == LEVEL5_INT) sni_json_put_integer(&extras->json, value->number);
    else sni_json_put_float(&extras->json, value->real);
}

static void say_command(level5_builder *b, sni_extras *extras, const char *key, const char *tag)
{
    int32_t at = level5_find_command(b->config, 0, tag);
    if (at < 0) return;
    const level5_command *command = &b->config->commands[at];
    sni_json_key(&extras->json, key);
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < command->arg_count; i++) put_argument(b, extras, &command->args[i]);
    sni_json_end(&extras->json);
}

// SEQ_START names a sequence of clips, each SEQ behind it a clip with how it is blended and repeated.
static void say_sequences(level5_builder *b, sni_extras *extras)
{
    bool is_open = false;
    if (level5_find_command(b->config, 0, "SEQ_START") < 0) return;
    sni_json_key(&extras->json, "sequences");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < b->config->command_count; i++) {
        const level5_command *command = &b->config->commands[i];
        bool is_start = sni_str_is_nocase(command->tag, "SEQ_START"),
             is_end = sni_str_is_nocase(command->tag, "SEQ_END");
        if (is_open && (is_start || is_end)) {
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
        if (!is_open || !sni_str_is_nocase(command->tag, "SEQ")) continue;
        sni_json_begin_flat_array(&extras->json);
        for (uint32_t k = 0; k < command->arg_count; k++) put_argument(b, extras, &command->args[k]);
        sni_json_end(&extras->json);
    }
    if (is_open) sni_json_end(&extras->json), sni_json_end(&extras->json);
    sni_json_end(&extras->json);
}

const char *level5_model_extras(level5_builder *b)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "game", b->game == LEVEL5_DC1 ? "dc1" : "dc2");
    sni_extras_put_text(&extras, "gameIsSo", b->game_reason);
    say_models(b, &extras);
    say_files(b, &extras);
    say_command(b, &extras, "bodySize", "BODY_SIZE");
    say_command(b, &extras, "scale", "SCALE");
    say_command(b, &extras, "position", "POSITION");
    say_command(b, &extras, "rotation", "ROTATION");
    say_sequences(b, &extras);
    return sni_extras_end(b->load, &extras);
}

static bool is_weight(const level5_track *track)
{
    return track->type == LEVEL5_WEIGHTS || track->type == LEVEL5_WEIGHTS_AVERAGED;
}

static bool has_weights(const level5_tracks *tracks)
{
    return tracks->track_count > 0 && is_weight(&tracks->tracks[0]);
}

// What a track holds in one number: all per cents of a bone, or the frames from the first to the last.
static void say_sum(sni_extras *extras, const level5_track *track)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < track->keys.count; i++) sum += level5_read_key(track, i).value[0];
    sni_extras_put_float(extras, "sum", (float)sum);
}

static void say_frames(sni_extras *extras, const level5_track *track)
{
    if (track->keys.count == 0) return;
    sni_extras_put_integer(extras, "first", level5_read_key(track, 0).frame);
    sni_extras_put_integer(extras, "last", level5_read_key(track, track->keys.count - 1).frame);
}

static void say_tracks(sni_extras *extras, const level5_tracks *tracks)
{
    sni_json_key(&extras->json, "tracks");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        sni_json_begin_object(&extras->json);
        sni_extras_put_integer(extras, "node", track->node);
        if (is_weight(track)) sni_extras_put_integer(extras, "bone", track->target);
        else
            sni_extras_put_integer(extras, "type", track->type),
                sni_extras_put_integer(extras, "target", track->target);
        sni_extras_put_integer(extras, "count", track->keys.count);
        if (is_weight(track)) say_sum(extras, track);
        else say_frames(extras, track);
        sni_json_end(&extras->json);
    }
    sni_json_end(&extras->json);
}

static const char *alone_kind(const level5_doc *doc)
{
    switch (doc->kind) {
    case LEVEL5_KIND_TRACKS: return has_weights(&doc->as.tracks) ? "weights" : "motion";
    case LEVEL5_KIND_BINDS: return "binds";
    case LEVEL5_KIND_IMG: return "pictures";
    case LEVEL5_KIND_CONFIG: return "configuration";
    default: return "pack";
    }
}

static const char *alone_extras(level5_builder *b, const level5_doc *doc)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "kind", alone_kind(doc));
    if (doc->kind == LEVEL5_KIND_TRACKS) say_tracks(&extras, &doc->as.tracks);
    if (doc->kind == LEVEL5_KIND_BINDS) sni_extras_put_integer(&extras, "matrices", doc->as.binds.matrices.count);
    if (doc->kind == LEVEL5_KIND_PACK) say_files(b, &extras);
    return sni_extras_end(b->load, &extras);
}

// Which model it is for: one of its own name, or the one that it names.
static void warn_alone(level5_builder *b, const level5_doc *doc)
{
    static const char *const says[] = {
        [LEVEL5_KIND_TRACKS] = "tracks", [LEVEL5_KIND_BINDS] = "bind matrices", [LEVEL5_KIND_CONFIG] = "a configuration"
    };
    const char *why;
    char name[160];
    sni_bytes bytes;
    sni_diag *diag = &b->load->diag;
    if (doc->kind == LEVEL5_KIND_IMG) return;
    if (doc->kind == LEVEL5_KIND_PACK) {
        sni_warn(diag, SNI_WARN_LEVEL5_ALONE, 0, "a pack without a model; its files are listed");
        return;
    }
    int32_t command = doc->kind == LEVEL5_KIND_CONFIG ? level5_find_command(&doc->as.config, 0, "MODEL") : -1;
    sni_str named = command < 0 ? sni_str_make("", 0)
                                : level5_last_name(level5_text_argument(&doc->as.config.commands[command], 0));
    if (named.size > 0) snprintf(name, sizeof name, "%.150s", level5_label(b, named));
    else snprintf(name, sizeof name, "%.150s.mds", b->stem.size > 0 ? b->title : "NAME");
    const char *what = doc->kind == LEVEL5_KIND_TRACKS ? (has_weights(&doc->as.tracks) ? "weights" : "motion")
                                                       : says[doc->kind];
    bool is_there = sni_load_find(b->load, sni_str_make(name, strlen(name)), "", &bytes, &why);
    sni_warn(diag, SNI_WARN_LEVEL5_ALONE, 0, "%s alone; the model is %.100s, %s", what, name,
             is_there ? "which lies beside it: open that" : "which is not beside it");
}

// A file without its model: pictures are shown as they are, of the rest the headers are listed.
bool level5_build_alone(level5_builder *b, const level5_doc *doc)
{
    const level5_img **slot = doc->kind == LEVEL5_KIND_IMG
                                  ? sni_push(&b->load->scratch, &b->archives, const level5_img *)
                                  : NULL;
    if (slot) *slot = &doc->as.img;
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_PACK && i < b->files.count; i++) {
        const level5_file *file = &level5_items(level5_file, b->files)[i];
        const level5_doc *img = file->kind == LEVEL5_KIND_IMG ? level5_open_file(b, i) : NULL;
        if (img && !level5_add_archive(b, img)) return false;
    }
    if (!sni_load_ok(b->load) || !level5_keep_all_images(b)) return false;
    warn_alone(b, doc);
    b->model->extras = alone_extras(b, doc);
    return sni_load_ok(b->load);
}
