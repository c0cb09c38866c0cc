// Which files make the model: those that its configuration names, or those of its name, in a pack or beside it.
#include "format/level5/level5_build.h"

#include <stdio.h>

enum { DEEPEST_PACK = 8, MOST_ARCHIVES = 64 };

static level5_file *file_at(const level5_builder *b, uint32_t index)
{
    return &level5_items(level5_file, b->files)[index];
}

static bool add_file(level5_builder *b, const level5_file *file, uint32_t *index)
{
    level5_file *slot = sni_push(&b->load->scratch, &b->files, level5_file);
    if (!slot) return false;
    *slot = *file;
    *index = b->files.count - 1;
    return true;
}

static bool is_fault_of_file(sn_status status)
{
    return status == SN_ERR_FORMAT || status == SN_ERR_TRUNCATED || status == SN_ERR_CORRUPT ||
           status == SN_ERR_UNSUPPORTED;
}

// A file that is there but cannot be read is a file less, not a model less.
const level5_doc *level5_open_file(level5_builder *b, uint32_t index)
{
    sni_diag *diag = &b->load->diag;
    level5_file *file = file_at(b, index);
    if (file->doc || file->is_bad) return file->doc;
    uint32_t depth = diag->depth;
    level5_doc *doc = sni_new(sni_load_document_arena(b->load), level5_doc, 1);
    if (!doc) return NULL;
    sni_enter_named(diag, "FILE", -1, file->name);
    bool is_good = level5_parse(b->load, file->kind, file->bytes, doc);
    if (is_good) file->doc = level5_translate(b->load, doc);
    diag->depth = depth;
    if (is_good) return file->doc;
    file->is_bad = true;
    if (!is_fault_of_file(diag->error.status)) return NULL;
    sn_error error = diag->error;
    diag->error = (sn_error){ .status = SN_OK };
    sni_warn(diag, SNI_WARN_FILE_MISSING, error.offset, "%.60s cannot be used: %.100s", file->name, error.message);
    return NULL;
}

static const char *member_name(level5_builder *b, const level5_file *pack, sni_str name)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", pack ? pack->name : "", pack ? "/" : "", level5_label(b, name));
    sni_text_clean_fixed(text, sizeof text);
    const char *copy = sni_copy_text(&b->load->scratch, text, strlen(text));
    return copy ? copy : "";
}

static bool add_members(level5_builder *b, const level5_pack *pack, int32_t number)
{
    uint32_t depth = number < 0 ? 0 : file_at(b, (uint32_t)number)->depth + 1, index;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        const char *label = member_name(b, number < 0 ? NULL : file_at(b, (uint32_t)number), entry->name);
        level5_file file = { .name = label, .last = level5_last_name(entry->name), .pack = number, .depth = depth };
        file.bytes = (sni_bytes){ entry->data.data, entry->data.count };
        file.kind = level5_find_kind(file.bytes, label);
        if (!add_file(b, &file, &index)) return false;
    }
    return true;
}

// Packs in packs: their members come behind all that were found so far.
static bool unpack(level5_builder *b, const level5_pack *pack)
{
    if (!add_members(b, pack, -1)) return false;
    for (uint32_t i = 0; i < b->files.count; i++) {
        const level5_file *file = file_at(b, i);
        if (file->kind != LEVEL5_KIND_PACK) continue;
        if (file->depth + 1 >= DEEPEST_PACK) {
            sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "%.100s lies in %u packs; it is not opened", file->name,
                     file->depth + 1);
            continue;
        }
        const level5_doc *doc = level5_open_file(b, i);
        if (doc && !add_members(b, &doc->as.pack, (int32_t)i)) return false;
        if (!sni_load_ok(b->load)) return false;
    }
    return true;
}

// Members of the model's own pack are found before others of their name.
static bool name_files(level5_builder *b, int32_t pack)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < b->files.count; i++) {
            const level5_file *file = file_at(b, i);
            bool is_near = file->pack == pack;
            if (is_near == (round == 0) && !sni_names_add(&b->load->scratch, &b->file_names, file->last, (int32_t)i))
                return false;
        }
    return true;
}

// Beside the model or in a search folder, by its name in UTF-8 or as the game has it.
static int32_t find_on_disk(level5_builder *b, sni_str name, level5_kind kind)
{
    const char *why, *label = level5_label(b, name);
    sni_bytes bytes;
    uint32_t index;
    if (!sni_load_find(b->load, sni_str_make(label, strlen(label)), "", &bytes, &why) &&
        !sni_load_find(b->load, name, "", &bytes, &why))
        return -1;
    level5_file file = { .name = label, .last = level5_last_name(name), .bytes = bytes, .kind = kind, .pack = -1 };
    if (!add_file(b, &file, &index) || !sni_names_add(&b->load->scratch, &b->file_names, file.last, (int32_t)index))
        return -1;
    return (int32_t)index;
}

const level5_doc *level5_find_file(level5_builder *b, sni_str name, level5_kind kind)
{
    if (name.size == 0) return NULL;
    int32_t index = sni_names_find(&b->file_names, level5_last_name(name));
    if (index < 0) index = find_on_disk(b, name, kind);
    if (index < 0) return NULL;
    if (file_at(b, (uint32_t)index)->kind == LEVEL5_UNKNOWN) file_at(b, (uint32_t)index)->kind = kind;
    return file_at(b, (uint32_t)index)->kind == kind ? level5_open_file(b, (uint32_t)index) : NULL;
}

// The same, told of where it is not there.
static const level5_doc *find_named(level5_builder *b, sni_str name, level5_kind kind)
{
    const level5_doc *doc = level5_find_file(b, name, kind);
    if (!doc && name.size > 0 && sni_load_ok(b->load))
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, 0, "\"%.100s\", which the configuration names, is not there",
                 level5_label(b, name));
    return doc;
}

static sni_str own_file(level5_builder *b, const char *ending)
{
    char *text = sni_new_raw(&b->load->scratch, char, b->stem.size + strlen(ending));
    if (!text || b->stem.size == 0) return sni_str_make("", 0);
    memcpy(text, b->stem.at, b->stem.size);
    memcpy(text + b->stem.size, ending, strlen(ending));
    return sni_str_make(text, b->stem.size + strlen(ending));
}

int32_t level5_find_command(const level5_config *config, uint32_t from, const char *tag)
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

static sni_str model_of(const level5_config *config)
{
    int32_t at = level5_find_command(config, 0, "MODEL");
    return at < 0 ? sni_str_make("", 0) : level5_text_argument(&config->commands[at], 0);
}

// What a configuration says of timelines: each MOTION, with the KEYs up to the next.
static bool read_motions(level5_builder *b)
{
    const level5_config *config = b->config;
    level5_motion *motion = NULL;
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        bool is_motion = sni_str_is_nocase(command->tag, "MOTION");
        bool is_stray_key = !motion && sni_str_is_nocase(command->tag, "KEY");
        if (is_motion || is_stray_key) {
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

// Dark Cloud 2 names meshes that bend or change in VERTEX_ANIME, Dark Cloud 1 in ALLOC_DBUFF and ALLOC_MDT.
static bool read_bent(level5_builder *b)
{
    for (uint32_t i = 0; i < b->config->command_count; i++) {
        const level5_command *command = &b->config->commands[i];
        bool is_list = sni_str_is_nocase(command->tag, "VERTEX_ANIME") ||
                       sni_str_is_nocase(command->tag, "ALLOC_DBUFF") || sni_str_is_nocase(command->tag, "ALLOC_MDT");
        if (sni_str_is_nocase(command->tag, "SHAPE_ANIME"))
            b->has_shapes = command->arg_count == 0 || command->args[0].number != 0;
        for (uint32_t k = 0; is_list && k < command->arg_count; k++) {
            sni_str name = level5_before(level5_text_argument(command, k), "__");
            if (name.size > 0 && !sni_names_add(&b->load->scratch, &b->bent, name, 0)) return false;
        }
    }
    return true;
}

bool level5_add_archive(level5_builder *b, const level5_doc *doc)
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

static bool gather_configured(level5_builder *b)
{
    const level5_config *config = b->config;
    for (int32_t i = level5_find_command(config, 0, "IMG"); i >= 0;
         i = level5_find_command(config, (uint32_t)i + 1, "IMG"))
        if (!level5_add_archive(b, find_named(b, level5_text_argument(&config->commands[i], 1), LEVEL5_KIND_IMG)))
            return false;
    if (!read_motions(b) || !read_bent(b)) return false;
    for (uint32_t i = 0; i < b->motions.count; i++) {
        level5_motion *motion = &level5_items(level5_motion, b->motions)[i];
        const level5_doc *mot = find_named(b, motion->mot, LEVEL5_KIND_TRACKS);
        const level5_doc *bbp = b->binds ? NULL : find_named(b, motion->bbp, LEVEL5_KIND_BINDS);
        if (mot) motion->tracks = &mot->as.tracks;
        if (bbp) b->binds = &bbp->as.binds;
    }
    return sni_load_ok(b->load);
}

// Without a configuration files go by the model's own name; in a pack, any pictures will do.
static bool gather_by_name(level5_builder *b, int32_t pack, bool is_packed)
{
    level5_motion *motion = sni_push(&b->load->scratch, &b->motions, level5_motion);
    if (!motion) return false;
    motion->mot = own_file(b, ".mot");
    const level5_doc *mot = level5_find_file(b, motion->mot, LEVEL5_KIND_TRACKS);
    if (mot) motion->tracks = &mot->as.tracks;
    if (!level5_add_archive(b, level5_find_file(b, own_file(b, ".img"), LEVEL5_KIND_IMG))) return false;
    for (uint32_t i = 0; is_packed && b->archives.count == 0 && i < b->files.count; i++)
        if (file_at(b, i)->kind == LEVEL5_KIND_IMG && file_at(b, i)->pack == pack &&
            !level5_add_archive(b, level5_open_file(b, i)))
            return false;
    return sni_load_ok(b->load);
}

static bool gather_rest(level5_builder *b, int32_t pack, bool is_packed)
{
    if (!(b->config ? gather_configured(b) : gather_by_name(b, pack, is_packed))) return false;
    const level5_doc *bbp = b->binds ? NULL : level5_find_file(b, own_file(b, ".bbp"), LEVEL5_KIND_BINDS);
    if (bbp) b->binds = &bbp->as.binds;
    return sni_load_ok(b->load);
}

// Dark Cloud 2 takes the file of the model's name whatever the configuration says, Dark Cloud 1 the one that is named.
bool level5_gather_weights(level5_builder *b)
{
    const level5_motion *motions = b->motions.items;
    const level5_doc *doc = NULL;
    if (b->weights) return true;
    if (b->game == LEVEL5_DC2 || !b->config) doc = level5_find_file(b, own_file(b, ".wgt"), LEVEL5_KIND_TRACKS);
    for (uint32_t i = 0; i < b->motions.count && !doc && sni_load_ok(b->load); i++)
        doc = find_named(b, motions[i].wgt, LEVEL5_KIND_TRACKS);
    if (doc) b->weights = &doc->as.tracks;
    return sni_load_ok(b->load);
}

// By a name of the game's files.
static void name_model(level5_builder *b, sni_str name)
{
    b->name = level5_label(b, level5_last_name(name));
    b->stem = level5_before(level5_last_name(name), ".");
    b->title = level5_clean(b, b->stem);
}

// By that of a file on disk, which is UTF-8, or else as the game has it.
static void name_by_path(level5_builder *b)
{
    bool was_bad = false;
    sni_str name = level5_last_name(sni_str_make(b->load->name, strlen(b->load->name)));
    const char *clean = sni_text_clean(&b->load->keep, name, &was_bad);
    name_model(b, was_bad ? name : sni_str_make("", 0));
    if (was_bad) return;
    b->name = clean;
    b->stem = level5_before(name, ".");
    b->title = sni_text_clean(&b->load->keep, b->stem, NULL);
}

// A configuration beside an MDS is its own where it names it as its model.
static const level5_config *find_config(level5_builder *b)
{
    sni_str own = sni_str_make(b->name, strlen(b->name));
    const sni_str tries[2] = { own_file(b, ".cfg"), sni_str_make("info.cfg", 8) };
    for (int i = 0; i < 2 && own.size > 0; i++) {
        const level5_doc *doc = level5_find_file(b, tries[i], LEVEL5_KIND_CONFIG);
        sni_str model = doc ? model_of(&doc->as.config) : sni_str_make("", 0);
        const char *named = level5_label(b, level5_last_name(model));
        if (model.size > 0 && sni_str_equal_nocase(sni_str_make(named, strlen(named)), own)) return &doc->as.config;
    }
    return NULL;
}

// Dragon Quest VIII has weights and binds in the MDS.
static void take_mds(level5_builder *b, const level5_mds *mds)
{
    b->mds = mds;
    b->weights = mds->weights;
    b->binds = mds->binds;
}

static bool gather_around_mds(level5_builder *b, const level5_mds *mds)
{
    take_mds(b, mds);
    b->config = find_config(b);
    return sni_load_ok(b->load) && gather_rest(b, -1, false);
}

static bool take_config(level5_builder *b, const level5_config *config, int32_t pack)
{
    sni_str model = model_of(config);
    const level5_doc *doc = level5_find_file(b, model, LEVEL5_KIND_MDS);
    if (!doc) return sni_load_ok(b->load);
    name_model(b, model);
    b->config = config;
    take_mds(b, &doc->as.mds);
    return gather_rest(b, pack, true);
}

// Models of a pack: each configuration that names one; without any, each MDS.
static bool list_models(level5_builder *b, level5_kind kind)
{
    for (uint32_t i = 0; i < b->files.count && sni_load_ok(b->load); i++) {
        if (file_at(b, i)->kind != kind) continue;
        const level5_doc *doc = level5_open_file(b, i);
        if (!doc || (kind == LEVEL5_KIND_CONFIG && model_of(&doc->as.config).size == 0)) continue;
        uint32_t *slot = sni_push(&b->load->scratch, &b->models, uint32_t);
        if (!slot) return false;
        *slot = i;
    }
    return sni_load_ok(b->load);
}

static bool take_member(level5_builder *b, uint32_t index)
{
    const level5_file *file = file_at(b, index);
    const level5_doc *doc = file->doc;
    int32_t pack = file->pack;
    b->file_names = (sni_names){ 0 };
    if (!name_files(b, pack)) return false;
    if (file->kind == LEVEL5_KIND_CONFIG) return take_config(b, &doc->as.config, pack);
    name_model(b, file->last);
    take_mds(b, &doc->as.mds);
    return gather_rest(b, pack, true);
}

static bool gather_pack(level5_builder *b, const level5_pack *pack)
{
    if (!unpack(b, pack) || !list_models(b, LEVEL5_KIND_CONFIG)) return false;
    for (uint32_t i = 0; i < b->models.count && !b->mds; i++)
        if (!take_member(b, level5_items(uint32_t, b->models)[i])) return false;
    if (!b->mds) {
        b->models.count = 0;
        if (!list_models(b, LEVEL5_KIND_MDS)) return false;
        if (b->models.count > 0 && !take_member(b, level5_items(uint32_t, b->models)[0])) return false;
    }
    if (b->models.count > 1)
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_MODELS, 0,
                 "%u models; this is %.80s. Others open by their names, with the pack as an archive", b->models.count,
                 b->name);
    return sni_load_ok(b->load);
}

bool level5_gather(level5_builder *b, const level5_doc *doc)
{
    name_by_path(b);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return gather_around_mds(b, &doc->as.mds);
    case LEVEL5_KIND_CONFIG: return take_config(b, &doc->as.config, -1);
    case LEVEL5_KIND_PACK: return gather_pack(b, &doc->as.pack);
    default: return true;
    }
}
