// Saving any model as Level-5 files: the fitted model becomes documents, which are written like those that were
// loaded, side by side or in one pack.
#include "format/level5/level5_export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mime.h"
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"
#include "model/sanitize.h"

enum { STEM_BYTES = 48 };

sni_str level5_export_name(level5_exporter *x, const char *text, size_t most)
{
    bool is_whole = true;
    const sni_str name = sni_text_to_sjis(&x->encoder, x->arena, text, most, &is_whole);
    for (size_t i = 0; i < name.size; i++) {
        if ((uint8_t)name.at[i] >= ' ' && name.at[i] != 0x7F) continue;
        ((char *)(uintptr_t)name.at)[i] = '_';  // lines of the configuration must stay lines
        is_whole = false;
    }
    if (!is_whole) x->changed_names++, x->changed_name = text;
    return name;
}

static sni_str text_of(const char *text) { return sni_str_make(text, strlen(text)); }

// --- Metadata of the game in the extras ---

static sni_json open_extras(const char *extras, sni_diag *diag, sni_arena *arena)
{
    sni_diag_init(diag, NULL);
    return sni_json_make(sni_str_make(extras, strlen(extras)), 0, 64, diag, arena);
}

// "dc1" or "dc2"; 0 for a model of other formats.
static int game_of(const sn_model *model, sni_arena *arena)
{
    static const char *const games[] = { "", "dc1", "dc2" };
    sni_diag diag;
    sni_str key;
    int found = 0;
    if (!model->extras) return 0;
    sni_json json = open_extras(model->extras, &diag, arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return 0;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        const int32_t word = sni_str_is(key, "game") && sni_json_peek(&json) == SNI_JSON_STRING
                                 ? sni_json_word(&json, games, 3)
                                 : -1;
        if (word < 0) sni_json_skip(&json);
        else found = word;
    }
    return sni_json_ok(&json) ? found : 0;
}

static bool read_value(level5_exporter *x, sni_json *json, level5_command *command)
{
    sni_json ahead = *json;
    const sni_json_kind kind = sni_json_peek(json);
    level5_value *value = &command->args[command->arg_count];
    int64_t number;
    if (kind == SNI_JSON_STRING) {
        *value = (level5_value){ .kind = LEVEL5_TEXT };
        value->text = level5_export_name(x, sni_json_string(json, NULL), 255);
    } else if (kind == SNI_JSON_NUMBER) {
        const sni_str raw = sni_json_raw(json);
        const bool is_whole = !memchr(raw.at, '.', raw.size) && sni_json_integer(&ahead, &number) &&
                              number >= INT32_MIN && number <= INT32_MAX;
        *value = (level5_value){ .kind = is_whole ? LEVEL5_INT : LEVEL5_FLOAT };
        if (is_whole) value->number = (int32_t)number;
        else value->real = sni_parse_float(raw.at, raw.size);
    } else {
        sni_json_skip(json);
        return true;
    }
    command->arg_count++;
    return true;
}

// A command from an array of its arguments.
static bool read_command(level5_exporter *x, sni_json *json, const char *tag, sni_list *commands)
{
    enum { MOST = 16 };
    if (sni_json_peek(json) != SNI_JSON_ARRAY) {
        sni_json_skip(json);
        return true;
    }
    level5_command *command = sni_push(x->arena, commands, level5_command);
    level5_value *args = sni_new(x->arena, level5_value, MOST);
    if (!command || !args) return false;
    *command = (level5_command){ .tag = text_of(tag), .args = args };
    for (sni_json_enter_array(json); sni_json_next_item(json);) {
        if (command->arg_count == MOST) sni_json_skip(json);
        else if (!read_value(x, json, command)) return false;
    }
    return true;
}

static bool add_kept(level5_exporter *x, const char *tag, const char *text, sni_list *commands)
{
    level5_command *command = sni_push(x->arena, commands, level5_command);
    level5_value *value = sni_new(x->arena, level5_value, 1);
    if (!command || !value) return false;
    *command = (level5_command){ .tag = text_of(tag) };
    if (!text) return true;
    *value = (level5_value){ .kind = LEVEL5_TEXT, .text = level5_export_name(x, text, 255) };
    command->args = value;
    command->arg_count = 1;
    return true;
}

static bool read_sequences(level5_exporter *x, sni_json *json, sni_list *commands)
{
    sni_str key;
    if (sni_json_peek(json) != SNI_JSON_ARRAY) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_array(json); sni_json_next_item(json);) {
        if (sni_json_peek(json) != SNI_JSON_OBJECT) {
            sni_json_skip(json);
            continue;
        }
        bool has_name = false;
        for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
            if (sni_str_is(key, "name") && sni_json_peek(json) == SNI_JSON_STRING && !has_name) {
                has_name = true;
                if (!add_kept(x, "SEQ_START", sni_json_string(json, NULL), commands)) return false;
            } else if (has_name && sni_str_is(key, "clips") && sni_json_peek(json) == SNI_JSON_ARRAY) {
                for (sni_json_enter_array(json); sni_json_next_item(json);)
                    if (!read_command(x, json, "SEQ", commands)) return false;
            } else {
                sni_json_skip(json);
            }
        }
        if (has_name && !add_kept(x, "SEQ_END", NULL, commands)) return false;
    }
    return true;
}

// Commands of the configuration (level5_command) that the extras of the model kept.
static bool read_model_extras(level5_exporter *x, sni_list *commands)
{
    static const struct {
        const char *key, *tag;
    } kinds[] = {
        { "bodySize", "BODY_SIZE" }, { "scale", "SCALE" }, { "position", "POSITION" }, { "rotation", "ROTATION" }
    };
    sni_diag diag;
    sni_str key;
    if (!x->is_native || !x->model->extras) return true;
    sni_json json = open_extras(x->model->extras, &diag, x->arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return true;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        size_t i = 0;
        while (i < 4 && !sni_str_is(key, kinds[i].key)) i++;
        if (i < 4 ? !read_command(x, &json, kinds[i].tag, commands)
                  : sni_str_is(key, "sequences") && !read_sequences(x, &json, commands))
            return false;
        if (i == 4 && !sni_str_is(key, "sequences")) sni_json_skip(&json);
    }
    return true;
}

// The number that a clip had, for the first number of DC1's list.
static bool read_number(level5_exporter *x, const sn_clip *clip, int64_t *number)
{
    sni_diag diag;
    sni_str key;
    bool is_found = false;
    if (!clip->extras) return false;
    sni_json json = open_extras(clip->extras, &diag, x->arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return false;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        const bool is_number = sni_str_is(key, "number") && sni_json_peek(&json) == SNI_JSON_NUMBER;
        if (is_number && sni_json_integer(&json, number)) is_found = true;
        else sni_json_skip(&json);
    }
    return is_found && *number >= 0 && *number <= INT32_MAX;
}

// --- Files ---

typedef struct out_file {
    const char *name;  // in UTF-8
    sni_writer bytes;
} out_file;

typedef struct out_files {
    level5_exporter *x;
    const char *stem;
    const char *model;              // name of the MDS
    const sni_list *kept_commands;  // level5_command: the last ones of the configuration
    out_file files[16];
    uint32_t count;
} out_files;

static const char *file_name(const out_files *f, const char *ending)
{
    char *name = sni_new_raw(f->x->arena, char, strlen(f->stem) + strlen(ending) + 1);
    if (!name) return "";
    memcpy(name, f->stem, strlen(f->stem));
    memcpy(name + strlen(f->stem), ending, strlen(ending) + 1);
    return name;
}

// What is computed from large numbers may not be finite.
static bool is_finite(const level5_doc *doc)
{
    enum { VALUE_AT = 16, COLORS = 12 };
    const level5_mds *mds = &doc->as.mds;
    const level5_tracks *tracks = &doc->as.tracks;
    const level5_config *config = &doc->as.config;
    bool is_good = true;
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_BINDS && i < 16 * doc->as.binds.matrices.count; i++)
        is_good &= fabsf(sni_load_f32(doc->as.binds.matrices.data + 4 * (size_t)i)) < 1e30f;  // they are multiplied
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_TRACKS && i < tracks->track_count; i++)
        for (uint32_t k = 0; k < tracks->tracks[i].keys.count; k++)
            is_good &= sni_all_words_finite(tracks->tracks[i].keys.data + (size_t)k * LEVEL5_KEY_BYTES + VALUE_AT, 4);
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_CONFIG && i < config->command_count; i++)
        for (uint32_t k = 0; k < config->commands[i].arg_count; k++)
            is_good &= config->commands[i].args[k].kind != LEVEL5_FLOAT || isfinite(config->commands[i].args[k].real);
    if (doc->kind != LEVEL5_KIND_MDS) return is_good;
    for (uint32_t i = 0; i < mds->node_count; i++) is_good &= sni_all_finite(mds->nodes[i].matrix, 16);
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        const level5_mesh *mesh = &mds->meshes[i];
        const level5_array vectors[] = { mesh->positions, mesh->normals, mesh->colors, mesh->uvs };
        for (int k = 0; k < 4; k++) is_good &= sni_all_words_finite(vectors[k].data, 4ull * vectors[k].count);
        for (uint32_t k = 0; k < mesh->materials.count; k++)
            is_good &= sni_all_words_finite(mesh->materials.data + (size_t)k * LEVEL5_MATERIAL_BYTES, COLORS);
    }
    return is_good;
}

static bool write_file(out_files *f, const char *name, level5_doc *doc)
{
    if (!is_finite(doc))
        return sni_fail(&f->x->save->diag, SN_ERR_UNSUPPORTED, 0, "a number is too large for the format");
    out_file *file = &f->files[f->count++];
    file->name = name;
    sni_writer_init(&file->bytes, &f->x->save->heap);
    if (!level5_layout(f->x->arena, doc)) return false;
    level5_write(doc, &file->bytes);
    if (file->bytes.size > UINT32_MAX)
        return sni_fail(&f->x->save->diag, SN_ERR_UNSUPPORTED, 0, "a file of more than 4 GB");
    return !file->bytes.failed;
}

static bool write_tracks(out_files *f, const char *name, const sni_list *tracks)
{
    level5_doc doc = { .kind = LEVEL5_KIND_TRACKS };
    doc.as.tracks.tracks = tracks->items;
    doc.as.tracks.track_count = tracks->count;
    return write_file(f, name, &doc);
}

// Into the order of their numbers.
static bool write_mds(out_files *f)
{
    level5_exporter *x = f->x;
    level5_doc doc = { .kind = LEVEL5_KIND_MDS };
    level5_node *nodes = sni_new(x->arena, level5_node, x->nodes.count);
    level5_mesh *meshes = sni_new(x->arena, level5_mesh, x->meshes.count);
    int32_t *places = sni_new_raw(x->arena, int32_t, x->meshes.count);
    uint32_t mesh_count = 0;
    if (!nodes || !meshes || !places) return false;
    for (uint32_t i = 0; i < x->meshes.count; i++) {
        const level5_out_mesh *from = &level5_items(level5_out_mesh, x->meshes)[i];
        places[i] = from->shared >= 0 ? places[from->shared] : (int32_t)mesh_count++;
        meshes[places[i]] = from->mesh;
    }
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        const level5_out_node *from = level5_out_node_at(x, (int32_t)i);
        level5_node *node = &nodes[level5_number(x, (int32_t)i)];
        *node = (level5_node){ .name = from->name,
                               .parent = level5_number(x, from->parent),
                               .mesh = from->mesh >= 0 ? places[from->mesh] : -1 };
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++) node->matrix[4 * c + r] = r < 3 ? from->local.m[r][c] : c == 3 ? 1.0f : 0.0f;
    }
    doc.as.mds.nodes = nodes, doc.as.mds.node_count = x->nodes.count;
    doc.as.mds.meshes = meshes, doc.as.mds.mesh_count = mesh_count;
    return write_file(f, f->model, &doc);
}

static bool write_pictures(out_files *f)
{
    level5_exporter *x = f->x;
    level5_doc doc = { .kind = LEVEL5_KIND_IMG };
    if (x->pictures.count == 0) return true;
    doc.as.img.kind = x->game == LEVEL5_DC1 ? LEVEL5_IMG : LEVEL5_IM3;
    doc.as.img.pictures = x->pictures.items;
    doc.as.img.picture_count = x->pictures.count;
    return write_file(f, file_name(f, ".img"), &doc);
}

// --- The configuration ---

typedef struct config_writer {
    level5_exporter *x;
    sni_list commands;
    bool failed;
} config_writer;

static level5_command *add_command(config_writer *c, const char *tag, uint32_t most)
{
    level5_command *command = sni_push(c->x->arena, &c->commands, level5_command);
    level5_value *args = sni_new(c->x->arena, level5_value, most);
    if (!command || !args) {
        c->failed = true;
        return NULL;
    }
    *command = (level5_command){ .tag = text_of(tag), .args = args };
    return command;
}

static void put_text(config_writer *c, level5_command *command, sni_str text)
{
    (void)c;
    if (command) command->args[command->arg_count++] = (level5_value){ .kind = LEVEL5_TEXT, .text = text };
}

static void put_file(config_writer *c, level5_command *command, const char *name)
{
    put_text(c, command, level5_export_name(c->x, name, 255));
}

static void put_int(level5_command *command, int32_t number)
{
    if (command) command->args[command->arg_count++] = (level5_value){ .kind = LEVEL5_INT, .number = number };
}

static void put_float(level5_command *command, float real)
{
    if (command) command->args[command->arg_count++] = (level5_value){ .kind = LEVEL5_FLOAT, .real = real };
}

// Which meshes change their vertices.
static void put_changing_meshes(config_writer *c)
{
    level5_exporter *x = c->x;
    const level5_out_mesh *meshes = x->meshes.items;
    const bool is_first = x->game == LEVEL5_DC1;
    level5_command *command = NULL;
    bool has_skin = false;
    for (uint32_t i = 0; i < x->meshes.count; i++) has_skin |= meshes[i].skin >= 0;
    for (uint32_t i = 0; i < x->meshes.count && !c->failed; i++) {
        const int32_t node = x->model->parts[meshes[i].parts[0]].node;
        const bool has_shapes = x->has_morphs && meshes[i].skin < 0 &&
                                level5_has_track(x, SN_TARGET_NODE, node, 0, SN_CHANNEL_MORPHS);
        if (meshes[i].skin < 0 && !has_shapes) continue;
        if (is_first || !command)
            command = add_command(c, is_first ? "ALLOC_DBUFF" : "VERTEX_ANIME", is_first ? 1 : x->meshes.count);
        put_text(c, command, level5_text_before(level5_out_node_at(x, meshes[i].node)->name, "__"));
    }
    if (!is_first && x->has_morphs && !has_skin) put_int(add_command(c, "SHAPE_ANIME", 1), 1);
}

// "clip 3" or "set 1 clip 3": what the importer calls a clip without a name.
static bool is_number_name(const char *name)
{
    static const char *const words[] = { "set ", " clip " };
    const char *at = name;
    for (int i = strncmp(at, "set ", 4) == 0 ? 0 : 1; i < 2; i++) {
        const char *word = i == 1 && at == name ? "clip " : words[i];
        if (strncmp(at, word, strlen(word)) != 0) return false;
        at += strlen(word);
        if (*at < '0' || *at > '9') return false;
        while (*at >= '0' && *at <= '9') at++;
    }
    return *at == 0;
}

// DC1 has the names of clips in comments. A comment ends with its line.
static void put_clip(config_writer *c, uint32_t index)
{
    level5_exporter *x = c->x;
    const sn_clip *clip = &x->model->clips[index];
    const level5_interval *interval = &x->intervals[index];
    level5_command *command = add_command(c, "KEY", 4);
    const sni_str name = level5_export_name(x, clip->name, 255);
    if (!command) return;
    if (x->game == LEVEL5_DC2) put_text(c, command, name);
    else if (!x->is_native || !is_number_name(clip->name)) command->comment = name;
    put_int(command, (int32_t)interval->start);
    put_int(command, (int32_t)interval->end);
    put_float(command, interval->speed);
}

static void put_motion(config_writer *c, const out_files *f, const level5_motion_out *motion, bool has_weights)
{
    level5_exporter *x = c->x;
    char ending[16];
    const int32_t set = motion ? motion->set : 0;
    snprintf(ending, sizeof ending, set > 0 ? "_%d.mot" : ".mot", set);
    level5_command *command = add_command(c, "MOTION", 4);
    put_int(command, set);
    put_file(c, command, motion && motion->tracks.count > 0 ? file_name(f, ending) : "");
    put_file(c, command, file_name(f, ".bbp"));
    put_file(c, command, has_weights ? file_name(f, ".wgt") : "");
    if (!motion) return;
    int64_t number = 0;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < motion->clip_count; i++)
        if (motion->clips[i].clip < first) first = motion->clips[i].clip;
    command = add_command(c, "KEY_START", 1);
    if (x->game == LEVEL5_DC1) {
        if (!x->is_native || !read_number(x, &x->model->clips[first], &number)) number = 0;
        put_int(command, (int32_t)number);
    }
    for (uint32_t i = 0; i < x->model->clip_count && !c->failed; i++)
        if (x->intervals[i].set == set) put_clip(c, i);
    add_command(c, "KEY_END", 0);
}

static bool write_config(out_files *f, const char *name, bool has_weights)
{
    level5_exporter *x = f->x;
    config_writer c = { .x = x };
    level5_doc doc = { .kind = LEVEL5_KIND_CONFIG };
    if (x->game == LEVEL5_DC2) add_command(&c, "V2", 0);
    if (x->pictures.count > 0) {
        level5_command *command = add_command(&c, "IMG", 2);
        put_int(command, 0);
        put_file(&c, command, file_name(f, ".img"));
        add_command(&c, "IMG_END", 0);
    }
    put_changing_meshes(&c);
    put_file(&c, add_command(&c, "MODEL", 1), f->model);
    for (uint32_t i = 0; i < x->motions.count; i++)
        put_motion(&c, f, &level5_items(level5_motion_out, x->motions)[i], has_weights);
    if (x->motions.count == 0 && has_weights) put_motion(&c, f, NULL, has_weights);
    if (x->motions.count > 0 || has_weights) add_command(&c, "MOTION_END", 0);
    for (uint32_t i = 0; i < f->kept_commands->count; i++) {
        level5_command *command = sni_push(x->arena, &c.commands, level5_command);
        if (!command) return false;
        *command = level5_items(level5_command, *f->kept_commands)[i];
    }
    if (c.failed) return false;
    doc.as.config = (level5_config){ .commands = c.commands.items,
                                     .command_count = c.commands.count,
                                     .has_semicolons = x->game == LEVEL5_DC2,
                                     .rest = { "", 0 } };
    return write_file(f, name, &doc);
}

// --- Output ---

static bool write_pack(out_files *f, sni_writer *out)
{
    level5_doc doc = { .kind = LEVEL5_KIND_PACK };
    level5_entry *entries = sni_new(f->x->arena, level5_entry, f->count);
    if (!entries) return false;
    for (uint32_t i = 0; i < f->count; i++) {
        const out_file *file = &f->files[f->count - 1 - i];  // the configuration first
        entries[i].name = level5_export_name(f->x, file->name, SNI_LEVEL5_PACK_NAME_BYTES - 1);
        entries[i].data = (level5_array){ file->bytes.data, (uint32_t)file->bytes.size };
    }
    doc.as.pack.entries = entries;
    doc.as.pack.entry_count = f->count;
    if (!level5_layout(f->x->arena, &doc)) return false;
    level5_write(&doc, out);
    return !out->failed;
}

// The file that was asked for comes last.
static bool emit(out_files *f, bool is_pack)
{
    sni_save *save = f->x->save;
    const char *name = sni_last_name(save->path);
    if (is_pack) {
        sni_writer pack;
        sni_writer_init(&pack, &save->heap);
        const bool is_done = write_pack(f, &pack) && sni_save_emit(save, name, pack.data, pack.size);
        sni_writer_free(&pack);
        return is_done;
    }
    for (uint32_t i = 1; i < f->count && !save->memory; i++)
        if (!sni_save_emit(save, f->files[i].name, f->files[i].bytes.data, f->files[i].bytes.size)) return false;
    if (save->memory)
        sni_save_lose(f->x->save, "files", f->count - 1,
                      "only the first file is saved to memory; weights, bind pose, motion, textures or configuration "
                      "were left out");
    return sni_save_emit(save, name, f->files[0].bytes.data, f->files[0].bytes.size);
}

static bool write_files(out_files *f, bool is_pack)
{
    level5_exporter *x = f->x;
    level5_doc binds = { .kind = LEVEL5_KIND_BINDS };
    sni_list weights = { 0 };
    if (!write_mds(f) || !level5_export_binds(x, &binds.as.binds) || !level5_export_weights(x, &weights)) return false;
    const bool has_weights = weights.count > 0;
    if (!write_file(f, file_name(f, ".bbp"), &binds)) return false;
    if (has_weights && !write_tracks(f, file_name(f, ".wgt"), &weights)) return false;
    for (uint32_t i = 0; i < x->motions.count; i++) {
        const level5_motion_out *motion = &level5_items(level5_motion_out, x->motions)[i];
        char ending[16];
        snprintf(ending, sizeof ending, motion->set > 0 ? "_%d.mot" : ".mot", motion->set);
        if (motion->tracks.count > 0 && !write_tracks(f, file_name(f, ending), &motion->tracks)) return false;
    }
    return write_pictures(f) && write_config(f, is_pack ? "info.cfg" : file_name(f, ".cfg"), has_weights);
}

static void report_lost(level5_exporter *x)
{
    const sn_model *model = x->model;
    uint64_t flags = 0, billboards = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const uint32_t turned = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z;
        flags += (model->nodes[i].flags & (SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Z)) != 0;
        billboards += model->up_axis == SN_Z_UP && (model->nodes[i].flags & turned);
    }
    sni_save_lose(x->save, "nodes", model->up_axis == SN_Z_UP ? billboards : flags,
                  "billboards face the front of the model, not the viewer");
    sni_save_lose(x->save, "cameras", model->camera_count, "left out");
    sni_save_lose(x->save, "lights", model->light_count, "left out");
    sni_save_lose(x->save, "events", model->event_count, "left out");
    sni_save_lose(x->save, "shapes", model->shape_count, "left out");
    char text[128];
    snprintf(text, sizeof text, "changed: longer than 31 bytes, not Shift-JIS, or with two underscores: \"%.48s\"",
             x->changed_name ? x->changed_name : "");
    sni_save_lose(x->save, "names", x->changed_names, text);
}

static level5_game target_game(const sn_save_opts *opts, const sn_model *model, sni_arena *arena)
{
    if (opts && opts->game == SN_GAME_DARK_CLOUD) return LEVEL5_DC1;
    if (opts && opts->game == SN_GAME_DARK_CLOUD_2) return LEVEL5_DC2;
    return game_of(model, arena) == LEVEL5_DC1 ? LEVEL5_DC1 : LEVEL5_DC2;
}

void level5_fit(sni_save *save, const sn_model *model, sni_holds *holds)
{
    static const char *const images[] = { SNI_MIME_TIM2, NULL };
    *holds = (sni_holds){ .is_linear = true,
                          .has_billboards = true,
                          .blends = 1u << SN_BLEND_ADD | 1u << SN_BLEND_ADD_ALPHA | 1u << SN_BLEND_SUBTRACT,
                          .influences = target_game(save->opts, model, &save->scratch) == LEVEL5_DC1 ? 0 : 4,
                          .images = images };
}

// Names of files beside the model have its name up to the first dot, as DC2 expects of the weights.
static const char *stem_of(level5_exporter *x, bool is_pack)
{
    const char *name = sni_last_name(x->save->path), *dot = strchr(name, '.');
    const char *stem = sni_copy_text(x->arena, name, dot ? (size_t)(dot - name) : strlen(name));
    if (!stem) return "";
    const sni_str known = level5_export_name(x, stem, is_pack ? STEM_BYTES : 4096);
    stem = sni_text_from_sjis(x->arena, known, NULL);
    return stem[0] ? stem : "model";
}

bool level5_save(sni_save *save, const sn_model *model)
{
    level5_exporter x = { .save = save, .arena = &save->scratch, .model = model };
    x.game = target_game(save->opts, model, x.arena);
    x.is_native = game_of(model, x.arena) != 0;
    const bool is_pack = !sni_save_has_ending(save, "mds");
    sni_list kept_commands = { 0 };
    out_files f = { .x = &x, .stem = stem_of(&x, is_pack), .kept_commands = &kept_commands };
    f.model = is_pack ? file_name(&f, ".mds") : sni_last_name(save->path);
    bool is_saved = read_model_extras(&x, &kept_commands) && sni_track_index_make(x.arena, model, &x.found) &&
                    level5_index_images(&x) && level5_export_nodes(&x) && level5_place_skins(&x) &&
                    level5_export_meshes(&x) && level5_order_nodes(&x) && level5_export_timelines(&x);
    if (is_saved) level5_report_materials(&x);
    is_saved = is_saved && write_files(&f, is_pack);
    report_lost(&x);
    is_saved = is_saved && sni_save_ok(save) && emit(&f, is_pack);
    for (uint32_t i = 0; i < f.count; i++) sni_writer_free(&f.files[i].bytes);
    return is_saved && sni_save_ok(save);
}

// Only a pack is the whole of what was loaded.
bool level5_keeps(const void *document, const char *ending)
{
    return ((const level5_doc *)document)->kind == LEVEL5_KIND_PACK && strcmp(ending, "mds") != 0;
}
