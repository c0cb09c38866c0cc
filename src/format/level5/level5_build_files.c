// Which files make the model: those that its configuration names, or those of its name, in a pack or beside it.
#include "format/level5/level5_build.h"

#include <stdio.h>

enum { DEEPEST_PACK = 8, MOST_ARCHIVES = 64 };

static l5_file *file_at(const l5_builder *b, uint32_t index) { return &l5_items(l5_file, b->files)[index]; }

static bool add_file(l5_builder *b, const l5_file *file, uint32_t *index)
{
    l5_file *slot = sni_push(&b->load->scratch, &b->files, l5_file);
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
const l5_doc *l5_open_file(l5_builder *b, uint32_t index)
{
    sni_diag *diag = &b->load->diag;
    l5_file *file = file_at(b, index);
    if (file->doc || file->is_bad) return file->doc;
    uint32_t depth = diag->depth;
    l5_doc *doc = sni_new(sni_load_document_arena(b->load), l5_doc, 1);
    if (!doc) return NULL;
    sni_enter_named(diag, "FILE", -1, file->name);
    bool is_good = l5_parse(b->load, file->kind, file->bytes, doc);
    if (is_good) file->doc = l5_translate(b->load, doc);
    diag->depth = depth;
    if (is_good) return file->doc;
    file->is_bad = true;
    if (!is_fault_of_file(diag->error.status)) return NULL;
    sn_error error = diag->error;
    diag->error = (sn_error){ .status = SN_OK };
    sni_warn(diag, SNI_WARN_FILE_MISSING, error.offset, "%.60s cannot be used: %.100s", file->name, error.message);
    return NULL;
}

static const char *member_name(l5_builder *b, const l5_file *pack, sni_str name)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", pack ? pack->name : "", pack ? "/" : "", l5_label(b, name));
    sni_text_clean_fixed(text, sizeof text);
    const char *copy = sni_copy_text(&b->load->scratch, text, strlen(text));
    return copy ? copy : "";
}

static bool add_members(l5_builder *b, const l5_pack *pack, int32_t number)
{
    uint32_t depth = number < 0 ? 0 : file_at(b, (uint32_t)number)->depth + 1, index;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const l5_entry *entry = &pack->entries[i];
        const char *label = member_name(b, number < 0 ? NULL : file_at(b, (uint32_t)number), entry->name);
        l5_file file = { .name = label, .last = l5_last_name(entry->name), .pack = number, .depth = depth };
        file.bytes = (sni_bytes){ entry->data.data, entry->data.count };
        file.kind = l5_find_kind(file.bytes, label);
        if (!add_file(b, &file, &index)) return false;
    }
    return true;
}

// Packs in packs: their members come behind all that were found so far.
static bool unpack(l5_builder *b, const l5_pack *pack)
{
    if (!add_members(b, pack, -1)) return false;
    for (uint32_t i = 0; i < b->files.count; i++) {
        const l5_file *file = file_at(b, i);
        if (file->kind != L5_KIND_PACK) continue;
        if (file->depth + 1 >= DEEPEST_PACK) {
            sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "%.100s lies in %u packs; it is not opened", file->name,
                     file->depth + 1);
            continue;
        }
        const l5_doc *doc = l5_open_file(b, i);
        if (doc && !add_members(b, &doc->as.pack, (int32_t)i)) return false;
        if (!sni_load_ok(b->load)) return false;
    }
    return true;
}

// Members of the model's own pack are found before others of their name.
static bool name_files(l5_builder *b, int32_t pack)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < b->files.count; i++) {
            const l5_file *file = file_at(b, i);
            bool is_near = file->pack == pack;
            if (is_near == (round == 0) && !sni_names_add(&b->load->scratch, &b->file_names, file->last, (int32_t)i))
                return false;
        }
    return true;
}

// Beside the model or in a search folder, by its name in UTF-8 or as the game has it.
static int32_t find_on_disk(l5_builder *b, sni_str name, l5_kind kind)
{
    const char *why, *label = l5_label(b, name);
    sni_bytes bytes;
    uint32_t index;
    if (!sni_load_find(b->load, sni_str_make(label, strlen(label)), "", &bytes, &why) &&
        !sni_load_find(b->load, name, "", &bytes, &why))
        return -1;
    l5_file file = { .name = label, .last = l5_last_name(name), .bytes = bytes, .kind = kind, .pack = -1 };
    if (!add_file(b, &file, &index) || !sni_names_add(&b->load->scratch, &b->file_names, file.last, (int32_t)index))
        return -1;
    return (int32_t)index;
}

const l5_doc *l5_find_file(l5_builder *b, sni_str name, l5_kind kind)
{
    if (name.size == 0) return NULL;
    int32_t index = sni_names_find(&b->file_names, l5_last_name(name));
    if (index < 0) index = find_on_disk(b, name, kind);
    if (index < 0) return NULL;
    if (file_at(b, (uint32_t)index)->kind == L5_UNKNOWN) file_at(b, (uint32_t)index)->kind = kind;
    return file_at(b, (uint32_t)index)->kind == kind ? l5_open_file(b, (uint32_t)index) : NULL;
}

// The same, told of where it is not there.
static const l5_doc *find_named(l5_builder *b, sni_str name, l5_kind kind)
{
    const l5_doc *doc = l5_find_file(b, name, kind);
    if (!doc && name.size > 0 && sni_load_ok(b->load))
        sni_warn(&b->load->diag, SNI_WARN_FILE_MISSING, 0, "\"%.100s\", which the configuration names, is not there",
                 l5_label(b, name));
    return doc;
}

static sni_str own_file(l5_builder *b, const char *ending)
{
    char *text = sni_new_raw(&b->load->scratch, char, b->stem.size + strlen(ending));
    if (!text || b->stem.size == 0) return sni_str_make("", 0);
    memcpy(text, b->stem.at, b->stem.size);
    memcpy(text + b->stem.size, ending, strlen(ending));
    return sni_str_make(text, b->stem.size + strlen(ending));
}

int32_t l5_find_command(const l5_config *config, uint32_t from, const char *tag)
{
    for (uint32_t i = from; config && i < config->command_count; i++)
        if (sni_str_is_nocase(config->commands[i].tag, tag)) return (int32_t)i;
    return -1;
}

sni_str l5_text_argument(const l5_command *command, uint32_t index)
{
    if (index >= command->arg_count || command->args[index].kind != L5_TEXT) return sni_str_make("", 0);
    return command->args[index].text;
}

static sni_str model_of(const l5_config *config)
{
    int32_t at = l5_find_command(config, 0, "MODEL");
    return at < 0 ? sni_str_make("", 0) : l5_text_argument(&config->commands[at], 0);
}

// What a configuration says of timelines: each MOTION, with the KEYs up to the next.
static bool read_motions(l5_builder *b)
{
    const l5_config *config = b->config;
    l5_motion *motion = NULL;
    for (uint32_t i = 0; i < config->command_count; i++) {
        const l5_command *command = &config->commands[i];
        bool is_motion = sni_str_is_nocase(command->tag, "MOTION");
        bool is_stray_key = !motion && sni_str_is_nocase(command->tag, "KEY");
        if (is_motion || is_stray_key) {
            motion = sni_push(&b->load->scratch, &b->motions, l5_motion);
            if (!motion) return false;
            *motion = (l5_motion){ .first = is_motion ? i + 1 : i };
            if (is_motion) {
                motion->set = command->arg_count > 0 ? command->args[0].number : 0;
                motion->mot = l5_text_argument(command, 1);
                motion->bbp = l5_text_argument(command, 2);
                motion->wgt = l5_text_argument(command, 3);
            }
        }
        if (motion) motion->end = i + 1;
    }
    return true;
}

// Dark Cloud 2 names meshes that bend or change in VERTEX_ANIME, Dark Cloud 1 in ALLOC_DBUFF and ALLOC_MDT.
static bool read_bent(l5_builder *b)
{
    for (uint32_t i = 0; i < b->config->command_count; i++) {
        const l5_command *command = &b->config->commands[i];
        bool is_list = sni_str_is_nocase(command->tag, "VERTEX_ANIME") ||
                       sni_str_is_nocase(command->tag, "ALLOC_DBUFF") || sni_str_is_nocase(command->tag, "ALLOC_MDT");
        if (sni_str_is_nocase(command->tag, "SHAPE_ANIME"))
            b->has_shapes = command->arg_count == 0 || command->args[0].number != 0;
        for (uint32_t k = 0; is_list && k < command->arg_count; k++) {
            sni_str name = l5_before(l5_text_argument(command, k), "__");
            if (name.size > 0 && !sni_names_add(&b->load->scratch, &b->bent, name, 0)) return false;
        }
    }
    return true;
}

bool l5_add_archive(l5_builder *b, const l5_doc *doc)
{
    const l5_img *const *known = b->archives.items;
    if (!doc) return sni_load_ok(b->load);
    for (uint32_t i = 0; i < b->archives.count; i++)
        if (known[i] == &doc->as.img) return true;
    if (b->archives.count == MOST_ARCHIVES) {
        sni_warn(&b->load->diag, SNI_WARN_LOST_CONTENT, 0, "more than %d image archives", (int)MOST_ARCHIVES);
        return true;
    }
    const l5_img **slot = sni_push(&b->load->scratch, &b->archives, const l5_img *);
    if (slot) *slot = &doc->as.img;
    return slot != NULL;
}

static bool gather_configured(l5_builder *b)
{
    const l5_config *config = b->config;
    for (int32_t i = l5_find_command(config, 0, "IMG"); i >= 0; i = l5_find_command(config, (uint32_t)i + 1, "IMG"))
        if (!l5_add_archive(b, find_named(b, l5_text_argument(&config->commands[i], 1), L5_KIND_IMG))) return false;
    if (!read_motions(b) || !read_bent(b)) return false;
    for (uint32_t i = 0; i < b->motions.count; i++) {
        l5_motion *motion = &l5_items(l5_motion, b->motions)[i];
        const l5_doc *mot = find_named(b, motion->mot, L5_KIND_TRACKS);
        const l5_doc *bbp = b->binds ? NULL : find_named(b, motion->bbp, L5_KIND_BINDS);
        if (mot) motion->tracks = &mot->as.tracks;
        if (bbp) b->binds = &bbp->as.binds;
    }
    return sni_load_ok(b->load);
}

// Without a configuration files go by the model's own name; in a pack, any pictures will do.
static bool gather_by_name(l5_builder *b, int32_t pack, bool is_packed)
{
    l5_motion *motion = sni_push(&b->load->scratch, &b->motions, l5_motion);
    if (!motion) return false;
    motion->mot = own_file(b, ".mot");
    const l5_doc *mot = l5_find_file(b, motion->mot, L5_KIND_TRACKS);
    if (mot) motion->tracks = &mot->as.tracks;
    if (!l5_add_archive(b, l5_find_file(b, own_file(b, ".img"), L5_KIND_IMG))) return false;
    for (uint32_t i = 0; is_packed && b->archives.count == 0 && i < b->files.count; i++)
        if (file_at(b, i)->kind == L5_KIND_IMG && file_at(b, i)->pack == pack && !l5_add_archive(b, l5_open_file(b, i)))
            return false;
    return sni_load_ok(b->load);
}

static bool gather_rest(l5_builder *b, int32_t pack, bool is_packed)
{
    if (!(b->config ? gather_configured(b) : gather_by_name(b, pack, is_packed))) return false;
    const l5_doc *bbp = b->binds ? NULL : l5_find_file(b, own_file(b, ".bbp"), L5_KIND_BINDS);
    if (bbp) b->binds = &bbp->as.binds;
    return sni_load_ok(b->load);
}

// Dark Cloud 2 takes the file of the model's name whatever the configuration says, Dark Cloud 1 the one that is named.
bool l5_gather_weights(l5_builder *b)
{
    const l5_motion *motions = b->motions.items;
    const l5_doc *doc = NULL;
    if (b->weights) return true;
    if (b->game == L5_DC2 || !b->config) doc = l5_find_file(b, own_file(b, ".wgt"), L5_KIND_TRACKS);
    for (uint32_t i = 0; i < b->motions.count && !doc && sni_load_ok(b->load); i++)
        doc = find_named(b, motions[i].wgt, L5_KIND_TRACKS);
    if (doc) b->weights = &doc->as.tracks;
    return sni_load_ok(b->load);
}

// By a name of the game's files.
static void name_model(l5_builder *b, sni_str name)
{
    b->name = l5_label(b, l5_last_name(name));
    b->stem = l5_before(l5_last_name(name), ".");
    b->title = l5_clean(b, b->stem);
}

// By that of a file on disk, which is UTF-8, or else as the game has it.
static void name_by_path(l5_builder *b)
{
    bool was_bad = false;
    sni_str name = l5_last_name(sni_str_make(b->load->name, strlen(b->load->name)));
    const char *clean = sni_text_clean(&b->load->keep, name, &was_bad);
    name_model(b, was_bad ? name : sni_str_make("", 0));
    if (was_bad) return;
    b->name = clean;
    b->stem = l5_before(name, ".");
    b->title = sni_text_clean(&b->load->keep, b->stem, NULL);
}

// A configuration beside an MDS is its own where it names it as its model.
static const l5_config *find_config(l5_builder *b)
{
    sni_str own = sni_str_make(b->name, strlen(b->name));
    const sni_str tries[2] = { own_file(b, ".cfg"), sni_str_make("info.cfg", 8) };
    for (int i = 0; i < 2 && own.size > 0; i++) {
        const l5_doc *doc = l5_find_file(b, tries[i], L5_KIND_CONFIG);
        sni_str model = doc ? model_of(&doc->as.config) : sni_str_make("", 0);
        const char *named = l5_label(b, l5_last_name(model));
        if (model.size > 0 && sni_str_same(sni_str_make(named, strlen(named)), own)) return &doc->as.config;
    }
    return NULL;
}

// Dragon Quest VIII has weights and binds in the MDS.
static void take_mds(l5_builder *b, const l5_mds *mds)
{
    b->mds = mds;
    b->weights = mds->weights;
    b->binds = mds->binds;
}

static bool gather_around_mds(l5_builder *b, const l5_mds *mds)
{
    take_mds(b, mds);
    b->config = find_config(b);
    return sni_load_ok(b->load) && gather_rest(b, -1, false);
}

static bool take_config(l5_builder *b, const l5_config *config, int32_t pack)
{
    sni_str model = model_of(config);
    const l5_doc *doc = l5_find_file(b, model, L5_KIND_MDS);
    if (!doc) return sni_load_ok(b->load);
    name_model(b, model);
    b->config = config;
    take_mds(b, &doc->as.mds);
    return gather_rest(b, pack, true);
}

// Models of a pack: each configuration that names one; without any, each MDS.
static bool list_models(l5_builder *b, l5_kind kind)
{
    for (uint32_t i = 0; i < b->files.count && sni_load_ok(b->load); i++) {
        if (file_at(b, i)->kind != kind) continue;
        const l5_doc *doc = l5_open_file(b, i);
        if (!doc || (kind == L5_KIND_CONFIG && model_of(&doc->as.config).size == 0)) continue;
        uint32_t *slot = sni_push(&b->load->scratch, &b->models, uint32_t);
        if (!slot) return false;
        *slot = i;
    }
    return sni_load_ok(b->load);
}

static bool take_member(l5_builder *b, uint32_t index)
{
    const l5_file *file = file_at(b, index);
    const l5_doc *doc = file->doc;
    int32_t pack = file->pack;
    b->file_names = (sni_names){ 0 };
    if (!name_files(b, pack)) return false;
    if (file->kind == L5_KIND_CONFIG) return take_config(b, &doc->as.config, pack);
    name_model(b, file->last);
    take_mds(b, &doc->as.mds);
    return gather_rest(b, pack, true);
}

static bool gather_pack(l5_builder *b, const l5_pack *pack)
{
    if (!unpack(b, pack) || !list_models(b, L5_KIND_CONFIG)) return false;
    for (uint32_t i = 0; i < b->models.count && !b->mds; i++)
        if (!take_member(b, l5_items(uint32_t, b->models)[i])) return false;
    if (!b->mds) {
        b->models.count = 0;
        if (!list_models(b, L5_KIND_MDS)) return false;
        if (b->models.count > 0 && !take_member(b, l5_items(uint32_t, b->models)[0])) return false;
    }
    if (b->models.count > 1)
        sni_warn(&b->load->diag, SNI_WARN_L5_MODELS, 0,
                 "%u models; this is %.80s. Others open by their names, with the pack as an archive", b->models.count,
                 b->name);
    return sni_load_ok(b->load);
}

bool l5_gather(l5_builder *b, const l5_doc *doc)
{
    name_by_path(b);
    switch (doc->kind) {
    case L5_KIND_MDS: return gather_around_mds(b, &doc->as.mds);
    case L5_KIND_CONFIG: return take_config(b, &doc->as.config, -1);
    case L5_KIND_PACK: return gather_pack(b, &doc->as.pack);
    default: return true;
    }
}
