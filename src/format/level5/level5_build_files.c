// Which files make up the model: those that its configuration names, or those with its name, in a pack or on disk. And
// what is kept of them in extras: the game, the files, commands that have no place in the model. Files without an MDS
// are models that have only extras and images.
#include <stdio.h>

#include "base/sjis.h"
#include "format/level5/level5_build.h"

enum { MOST_PACK_DEPTH = 8, MOST_ARCHIVES = 64 };

// A member of a pack, or a file found on disk.
typedef struct found_file {
    const char *path;  // for messages, with the packs around it: "town.pak/cat.chr"
    sni_str name;      // as stored, without folders
    sni_bytes bytes;
    level5_kind kind;
    int32_t pack;           // the file that it is a member of; -1: none
    uint32_t depth;         // number of packs around it
    const level5_doc *doc;  // NULL until it is opened
    const level5_doc *raw;  // the same before level5_translate
    bool is_bad;            // it could not be parsed
} found_file;

struct level5_files {
    sni_list list;           // found_file
    sni_nocase_names names;  // to index in the list
    sni_list models;         // uint32_t: files of a pack that could be the model
    const char *name;        // of the model's file
    sni_str stem;            // its name without extension, as stored
};

// --- Names ---

const char *level5_text(level5_builder *b, sni_str text)
{
    bool was_bad = false;
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->keep, text, &was_bad) : "";
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, 0, "\"%s\" is not valid Shift-JIS", clean);
    return clean ? clean : "";
}

const char *level5_label(level5_builder *b, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->scratch, text, NULL) : "";
    return clean ? clean : "";
}

const char *level5_joined_name(level5_builder *b, sni_str name, const char *part)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s.%s", level5_label(b, name), part);
    const char *joined = (size_t)length < sizeof text ? sni_copy_text(&b->load->keep, text, (size_t)length)
                                                      : level5_text(b, name);
    return joined ? joined : "";
}

// A backslash may be the second byte of a character; a slash never is.
sni_str level5_file_name(sni_str path)
{
    size_t start = 0;
    for (size_t i = 0; i < path.size; i++) {
        bool is_pair = sni_sjis_is_lead((uint8_t)path.at[i]) && i + 1 < path.size && (uint8_t)path.at[i + 1] >= 0x40;
        if (is_pair) i++;
        else if (path.at[i] == '/' || path.at[i] == '\\') start = i + 1;
    }
    return sni_str_make(path.at + start, path.size - start);
}

sni_str level5_text_before(sni_str text, const char *mark)
{
    size_t size = strlen(mark);
    for (size_t i = 0; i + size <= text.size; i++)
        if (memcmp(text.at + i, mark, size) == 0) return sni_str_make(text.at, i);
    return text;
}

// The model's name from a name in the game's files.
static void set_name(level5_builder *b, sni_str path)
{
    sni_str name = level5_file_name(path);
    b->files->name = level5_label(b, name);
    b->files->stem = level5_text_before(name, ".");
    b->title = level5_text(b, b->files->stem);
}

// The model's name from the path of the opened file, which is UTF-8 or else Shift-JIS.
static void set_name_from_path(level5_builder *b)
{
    bool was_bad = false;
    sni_str name = level5_file_name(sni_str_make(b->load->name, strlen(b->load->name)));
    b->files->name = sni_text_clean(&b->load->keep, name, &was_bad);
    b->files->stem = level5_text_before(name, ".");
    if (was_bad) set_name(b, name);
    else b->title = sni_text_clean(&b->load->keep, b->files->stem, NULL);
}

static sni_str stem_with(level5_builder *b, const char *ending)
{
    const sni_str stem = b->files->stem;
    char *text = sni_new_raw(&b->load->scratch, char, stem.size + strlen(ending));
    if (!text || stem.size == 0) return sni_str_make("", 0);
    memcpy(text, stem.at, stem.size);
    memcpy(text + stem.size, ending, strlen(ending));
    return sni_str_make(text, stem.size + strlen(ending));
}

// --- Files ---

static found_file *file_at(const level5_builder *b, uint32_t index)
{
    return &level5_items(found_file, b->files->list)[index];
}

// A bad file is reported as missing; only other errors, such as limits, fail the load.
static const level5_doc *open_file(level5_builder *b, uint32_t index)
{
    sni_diag *diag = &b->load->diag;
    found_file *file = file_at(b, index);
    if (file->doc || file->is_bad) return file->doc;
    uint32_t depth = diag->depth;
    level5_doc *doc = sni_new(sni_load_document_arena(b->load), level5_doc, 1);
    if (!doc) return NULL;
    sni_enter_named(diag, "FILE", -1, file->path);
    file->is_bad = !level5_parse(b->load, file->kind, file->bytes, doc);
    if (!file->is_bad) file->doc = level5_translate(b->load, doc), file->raw = doc;
    diag->depth = depth;
    if (!file->is_bad) return file->doc;

    sn_error error = diag->error;
    bool is_fault_of_file = error.status == SN_ERR_FORMAT || error.status == SN_ERR_TRUNCATED ||
                            error.status == SN_ERR_CORRUPT || error.status == SN_ERR_UNSUPPORTED;
    if (!is_fault_of_file) return NULL;
    diag->error = (sn_error){ .status = SN_OK };
    sni_warn(diag, SNI_WARN_FILE_MISSING, error.offset, "cannot use %.60s: %.100s", file->path, error.message);
    return NULL;
}

// Finds a file by name: in the packs, then on disk by its name in UTF-8 or as stored.
static const level5_doc *find_file(level5_builder *b, sni_str name, level5_kind kind)
{
    if (name.size == 0) return NULL;
    int32_t index = sni_nocase_names_find(&b->files->names, level5_file_name(name));
    if (index < 0) {
        const char *why, *label = level5_label(b, name);
        sni_bytes bytes;
        if (!sni_load_find(b->load, sni_str_make(label, strlen(label)), "", &bytes, &why) &&
            !sni_load_find(b->load, name, "", &bytes, &why))
            return NULL;
        found_file *file = sni_push(&b->load->scratch, &b->files->list, found_file);
        index = (int32_t)b->files->list.count - 1;
        if (!file || !sni_nocase_names_add(&b->load->scratch, &b->files->names, level5_file_name(name), index))
            return NULL;
        *file = (found_file){ .path = label, .name = level5_file_name(name), .bytes = bytes, .kind = kind, .pack = -1 };
    }
    found_file *file = file_at(b, (uint32_t)index);
    if (file->kind == LEVEL5_UNKNOWN) file->kind = kind;
    return file->kind == kind ? open_file(b, (uint32_t)index) : NULL;
}

static const level5_doc *find_configured(level5_builder *b, sni_str name, level5_kind kind)
{
    const level5_doc *doc = find_file(b, name, kind);
    if (!doc && name.size > 0 && sni_load_ok(b->load))
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, 0, "\"%.100s\", named in the configuration, was not found",
                 level5_label(b, name));
    return doc;
}

// Of images; NULL: none.
static bool add_archive(level5_builder *b, const level5_doc *doc)
{
    const level5_img *const *known = b->archives.items;
    if (!doc) return sni_load_ok(b->load);
    for (uint32_t i = 0; i < b->archives.count; i++)
        if (known[i] == &doc->as.img) return true;
    if (b->archives.count == MOST_ARCHIVES) {
        sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "more than %d image archives", (int)MOST_ARCHIVES);
        return true;
    }
    const level5_img **slot = sni_push(&b->load->scratch, &b->archives, const level5_img *);
    if (slot) *slot = &doc->as.img;
    return slot != NULL;
}

// --- Configurations ---

static int32_t find_command(const level5_config *config, uint32_t from, const char *tag)
{
    for (uint32_t i = from; config && i < config->command_count; i++)
        if (sni_str_is_nocase(config->commands[i].tag, tag)) return (int32_t)i;
    return -1;
}

sni_str level5_text_argument(const level5_command *command, uint32_t index)
{
    if (index >= command->arg_count || command->args[index].kind != LEVEL5_TEXT) return sni_str_make("", 0);
    return command->args[index].text;
}

static sni_str model_name(const level5_config *config)
{
    int32_t at = find_command(config, 0, "MODEL");
    return at < 0 ? sni_str_make("", 0) : level5_text_argument(&config->commands[at], 0);
}

// Each MOTION, with the KEYs up to the next one. KEYs before the first MOTION belong to a motion without a file.
static bool read_motions(level5_builder *b)
{
    const level5_config *config = b->config;
    level5_motion *motion = NULL;
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        bool is_motion = sni_str_is_nocase(command->tag, "MOTION");
        if (is_motion || (!motion && sni_str_is_nocase(command->tag, "KEY"))) {
            motion = sni_push(&b->load->scratch, &b->motions, level5_motion);
            if (!motion) return false;
            *motion = (level5_motion){ .first = is_motion ? i + 1 : i };
            if (is_motion) {
                motion->set = command->arg_count > 0 ? command->args[0].number : 0;
                motion->mot = level5_text_argument(command, 1);
                motion->bbp = level5_text_argument(command, 2);
                motion->wgt = level5_text_argument(command, 3);
            }
        }
        if (motion) motion->end = i + 1;
    }
    return true;
}

// Meshes that deform are listed in VERTEX_ANIME (DC2) or in ALLOC_DBUFF and ALLOC_MDT (DC1).
bool level5_lists_skins(const level5_command *command)
{
    return sni_str_is_nocase(command->tag, "VERTEX_ANIME") || sni_str_is_nocase(command->tag, "ALLOC_DBUFF") ||
           sni_str_is_nocase(command->tag, "ALLOC_MDT");
}

static bool read_skinned_meshes(level5_builder *b)
{
    for (uint32_t i = 0; i < b->config->command_count; i++) {
        const level5_command *command = &b->config->commands[i];
        const bool is_list = level5_lists_skins(command);
        if (sni_str_is_nocase(command->tag, "SHAPE_ANIME"))
            b->has_shape_anime = command->arg_count == 0 || command->args[0].number != 0;
        for (uint32_t k = 0; is_list && k < command->arg_count; k++) {
            sni_str name = level5_text_before(level5_text_argument(command, k), "__");
            if (name.size > 0 && !sni_nocase_names_add(&b->load->scratch, &b->skinned, name, 0)) return false;
        }
    }
    return true;
}

static bool collect_configured(level5_builder *b)
{
    const level5_config *config = b->config;
    for (int32_t i = find_command(config, 0, "IMG"); i >= 0; i = find_command(config, (uint32_t)i + 1, "IMG"))
        if (!add_archive(b, find_configured(b, level5_text_argument(&config->commands[i], 1), LEVEL5_KIND_IMG)))
            return false;
    if (!read_motions(b) || !read_skinned_meshes(b)) return false;
    for (uint32_t i = 0; i < b->motions.count; i++) {
        level5_motion *motion = &level5_items(level5_motion, b->motions)[i];
        const level5_doc *mot = find_configured(b, motion->mot, LEVEL5_KIND_TRACKS);
        const level5_doc *bbp = b->binds ? NULL : find_configured(b, motion->bbp, LEVEL5_KIND_BINDS);
        if (mot) motion->tracks = &mot->as.tracks;
        if (bbp) b->binds = &bbp->as.binds;
    }
    return sni_load_ok(b->load);
}

// Without a configuration: the files with the model's name. In a pack, if there is no such image archive, all of them.
static bool collect_by_name(level5_builder *b, int32_t pack, bool is_packed)
{
    level5_motion *motion = sni_push(&b->load->scratch, &b->motions, level5_motion);
    if (!motion) return false;
    motion->mot = stem_with(b, ".mot");
    const level5_doc *mot = find_file(b, motion->mot, LEVEL5_KIND_TRACKS);
    if (mot) motion->tracks = &mot->as.tracks;
    if (!add_archive(b, find_file(b, stem_with(b, ".img"), LEVEL5_KIND_IMG))) return false;
    for (uint32_t i = 0; is_packed && b->archives.count == 0 && i < b->files->list.count; i++)
        if (file_at(b, i)->kind == LEVEL5_KIND_IMG && file_at(b, i)->pack == pack && !add_archive(b, open_file(b, i)))
            return false;
    return sni_load_ok(b->load);
}

// All other files of the model. Dragon Quest VIII stores weights and binds in the MDS.
static bool collect_around(level5_builder *b, const level5_mds *mds, int32_t pack, bool is_packed)
{
    b->mds = mds;
    b->weights = mds->weights;
    b->binds = mds->binds;
    if (!(b->config ? collect_configured(b) : collect_by_name(b, pack, is_packed))) return false;
    const level5_doc *bbp = b->binds ? NULL : find_file(b, stem_with(b, ".bbp"), LEVEL5_KIND_BINDS);
    if (bbp) b->binds = &bbp->as.binds;
    return sni_load_ok(b->load);
}

// DC2 uses the file with the model's name whatever the configuration names, DC1 the configured one.
bool level5_find_weights(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    const level5_doc *doc = NULL;
    if (b->weights) return true;
    if (b->game == LEVEL5_DC2 || !b->config) doc = find_file(b, stem_with(b, ".wgt"), LEVEL5_KIND_TRACKS);
    for (uint32_t i = 0; i < b->motions.count && !doc && sni_load_ok(b->load); i++)
        doc = find_configured(b, motions[i].wgt, LEVEL5_KIND_TRACKS);
    if (doc) b->weights = &doc->as.tracks;
    return sni_load_ok(b->load);
}

// --- Opened as an MDS, a configuration or a pack ---

// A configuration beside an MDS is used if its MODEL is this MDS.
static bool collect_for_mds(level5_builder *b, const level5_mds *mds)
{
    sni_str name = sni_str_make(b->files->name, strlen(b->files->name));
    const sni_str tries[2] = { stem_with(b, ".cfg"), sni_str_make("info.cfg", 8) };
    for (int i = 0; i < 2 && name.size > 0 && !b->config; i++) {
        const level5_doc *doc = find_file(b, tries[i], LEVEL5_KIND_CONFIG);
        sni_str model = doc ? model_name(&doc->as.config) : sni_str_make("", 0);
        const char *label = level5_label(b, level5_file_name(model));
        if (model.size > 0 && sni_str_equal_nocase(sni_str_make(label, strlen(label)), name))
            b->config = &doc->as.config;
    }
    return sni_load_ok(b->load) && collect_around(b, mds, -1, false);
}

static bool collect_for_config(level5_builder *b, const level5_config *config, int32_t pack)
{
    sni_str model = model_name(config);
    const level5_doc *doc = find_file(b, model, LEVEL5_KIND_MDS);
    if (!doc) return sni_load_ok(b->load);
    set_name(b, model);
    b->config = config;
    return collect_around(b, &doc->as.mds, pack, true);
}

static bool add_members(level5_builder *b, const level5_pack *pack, int32_t number)
{
    uint32_t depth = number < 0 ? 0 : file_at(b, (uint32_t)number)->depth + 1;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        char text[256];
        snprintf(text, sizeof text, "%s%s%s", number < 0 ? "" : file_at(b, (uint32_t)number)->path,
                 number < 0 ? "" : "/", level5_label(b, entry->name));
        sni_text_clean_fixed(text, sizeof text);
        const char *path = sni_copy_text(&b->load->scratch, text, strlen(text));
        sni_bytes bytes = { entry->data.data, entry->data.count };
        found_file *file = sni_push(&b->load->scratch, &b->files->list, found_file);
        if (!file || !path) return false;
        *file = (found_file){ .path = path,
                              .name = level5_file_name(entry->name),
                              .bytes = bytes,
                              .kind = level5_find_kind(bytes, path),
                              .pack = number,
                              .depth = depth };
    }
    return true;
}

// All files of a pack and, breadth first, of the packs inside it.
static bool unpack(level5_builder *b, const level5_pack *pack)
{
    if (!add_members(b, pack, -1)) return false;
    for (uint32_t i = 0; i < b->files->list.count; i++) {
        const found_file *file = file_at(b, i);
        if (file->kind != LEVEL5_KIND_PACK) continue;
        if (file->depth + 1 >= MOST_PACK_DEPTH) {
            sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "%.100s is nested in %u packs; not opened", file->path,
                     file->depth + 1);
            continue;
        }
        const level5_doc *doc = open_file(b, i);
        if (doc && !add_members(b, &doc->as.pack, (int32_t)i)) return false;
        if (!sni_load_ok(b->load)) return false;
    }
    return true;
}

// The models of a pack: each configuration with a MODEL; without any, each MDS.
static bool list_models(level5_builder *b, level5_kind kind)
{
    sni_list *models = &b->files->models;
    models->count = 0;
    for (uint32_t i = 0; i < b->files->list.count && sni_load_ok(b->load); i++) {
        if (file_at(b, i)->kind != kind) continue;
        const level5_doc *doc = open_file(b, i);
        if (!doc || (kind == LEVEL5_KIND_CONFIG && model_name(&doc->as.config).size == 0)) continue;
        uint32_t *slot = sni_push(&b->load->scratch, models, uint32_t);
        if (!slot) return false;
        *slot = i;
    }
    return sni_load_ok(b->load);
}

// Members of the same pack are found before others of the same name.
static bool collect_for_member(level5_builder *b, uint32_t index)
{
    const found_file *member = file_at(b, index);
    const level5_doc *doc = member->doc;
    int32_t pack = member->pack;
    b->files->names = (sni_nocase_names){ 0 };
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < b->files->list.count; i++) {
            const found_file *file = file_at(b, i);
            bool is_near = file->pack == pack;
            if (is_near == (round == 0) &&
                !sni_nocase_names_add(&b->load->scratch, &b->files->names, file->name, (int32_t)i))
                return false;
        }
    if (member->kind == LEVEL5_KIND_CONFIG) return collect_for_config(b, &doc->as.config, pack);
    set_name(b, member->name);
    return collect_around(b, &doc->as.mds, pack, true);
}

static bool collect_for_pack(level5_builder *b, const level5_pack *pack)
{
    const sni_list *models = &b->files->models;
    if (!unpack(b, pack) || !list_models(b, LEVEL5_KIND_CONFIG)) return false;
    for (uint32_t i = 0; i < models->count && !b->mds; i++)
        if (!collect_for_member(b, level5_items(uint32_t, *models)[i])) return false;
    if (!b->mds) {
        if (!list_models(b, LEVEL5_KIND_MDS)) return false;
        if (models->count > 0 && !collect_for_member(b, level5_items(uint32_t, *models)[0])) return false;
    }
    if (models->count > 1)
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_MODELS, 0,
                 "%u models, this is %.80s; open the others by name, with the pack as an archive", models->count,
                 b->files->name);
    return sni_load_ok(b->load);
}

bool level5_collect_files(level5_builder *b, const level5_doc *doc)
{
    b->files = sni_new(&b->load->scratch, level5_files, 1);
    if (!b->files) return false;
    set_name_from_path(b);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return collect_for_mds(b, &doc->as.mds);
    case LEVEL5_KIND_CONFIG: return collect_for_config(b, &doc->as.config, -1);
    case LEVEL5_KIND_PACK: return collect_for_pack(b, &doc->as.pack);
    default: return true;
    }
}

bool level5_list_model(level5_builder *b, level5_doc *doc)
{
    sni_arena *arena = sni_load_document_arena(b->load);
    const uint32_t file_count = b->files->list.count;
    const sni_str name = b->files->stem;
    level5_model *model = sni_new(arena, level5_model, 1);
    level5_opened *files = sni_new(arena, level5_opened, file_count);
    const char *stem = sni_copy_text(arena, name.at ? name.at : "", name.size);
    if (!model || !files || !stem) return false;
    for (uint32_t i = 0; i < file_count; i++) {
        const char *path = file_at(b, i)->path;
        files[i] = (level5_opened){ sni_copy_text(arena, path, strlen(path)), file_at(b, i)->raw };
        if (!files[i].path) return false;
    }
    *model = (level5_model){ .files = files,
                             .file_count = file_count,
                             .mds = b->mds,
                             .config = b->config,
                             .weights = b->weights,
                             .binds = b->binds,
                             .stem = sni_str_make(stem, name.size) };
    doc->model = model;
    return true;
}

// --- Extras ---

static void put_files(level5_builder *b, sni_extras *extras)
{
    static const char *const kinds[] = {
        [LEVEL5_UNKNOWN] = "other",  [LEVEL5_KIND_MDS] = "mds",    [LEVEL5_KIND_TRACKS] = "tracks",
        [LEVEL5_KIND_BINDS] = "bbp", [LEVEL5_KIND_CONFIG] = "cfg", [LEVEL5_KIND_PACK] = "pack",
        [LEVEL5_KIND_IMG] = "img"
    };
    const found_file *files = b->files->list.items;
    if (b->files->list.count == 0) return;
    sni_json_key(&extras->json, "files");
    sni_json_begin_array(&extras->json);
    for (uint32_t i = 0; i < b->files->list.count; i++) {
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
    const uint32_t *models = b->files->models.items;
    if (b->files->models.count < 2) return;
    sni_json_key(&extras->json, "models");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < b->files->models.count; i++)
        sni_json_put_text(&extras->json, level5_items(found_file, b->files->list)[models[i]].path);
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
    int32_t at = find_command(b->config, 0, tag);
    if (at < 0) return;
    sni_json_key(&extras->json, key);
    put_arguments(b, extras, &b->config->commands[at]);
}

// SEQ_START begins a named sequence; each SEQ in it has a clip and how it is blended and repeated.
static void put_sequences(level5_builder *b, sni_extras *extras)
{
    bool is_open = false;
    if (find_command(b->config, 0, "SEQ_START") < 0) return;
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
    sni_extras_put_text(&extras, "gameDetectedBy", b->game_reason);
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
    int32_t command = find_command(config, 0, "MODEL");
    sni_str named = command < 0 ? sni_str_make("", 0)
                                : level5_file_name(level5_text_argument(&config->commands[command], 0));
    if (named.size > 0) snprintf(name, sizeof name, "%.150s", level5_label(b, named));
    else snprintf(name, sizeof name, "%.150s.mds", b->files->stem.size > 0 ? b->title : "NAME");
    bool is_found = sni_load_find(b->load, sni_str_make(name, strlen(name)), "", &bytes, &why);
    sni_warn(diag, SNI_WARN_LEVEL5_ALONE, 0, "%s without a model; %s %.100s%s", kind,
             is_found ? "open its model" : "its model", name, is_found ? "" : " was not found");
}

bool level5_build_standalone(level5_builder *b, const level5_doc *doc)
{
    if (doc->kind == LEVEL5_KIND_IMG && !add_archive(b, doc)) return false;
    for (uint32_t i = 0; doc->kind == LEVEL5_KIND_PACK && i < b->files->list.count; i++) {
        const found_file *file = &level5_items(found_file, b->files->list)[i];
        if (file->kind == LEVEL5_KIND_IMG && !add_archive(b, open_file(b, i))) return false;
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
