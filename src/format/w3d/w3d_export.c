// Saving any model as W3D: one file, or a skin, a skeleton and a file per animation as the games have them.
#include "format/w3d/w3d_export.h"

#include <stdio.h>

#include "base/mime.h"
#include "format/w3d/w3d_text.h"

// Names

// A character is not cut in two.
static size_t cut_length(const char *text, size_t most)
{
    size_t size = strlen(text);
    if (size <= most) return size;
    for (size = most; size > 0 && ((uint8_t)text[size] & 0xC0) == 0x80;) size--;
    return size;
}

// Names that repeat end in the number of the thing: "Bone_12".
const char *w3d_unique_name(w3d_exporter *x, sni_nocase_names *used, const char *name, const char *fallback,
                            uint32_t index)
{
    char made[W3D_NAME_BYTES], number[16];
    if (!name[0]) name = fallback;
    size_t size = cut_length(name, W3D_NAME_LENGTH);
    memcpy(made, name, size);
    made[size] = 0;
    x->cut_names += size < strlen(name);
    const bool is_taken = sni_nocase_names_find(used, sni_str_make(made, size)) >= 0;
    x->changed_names += is_taken;
    for (uint64_t tries = index; sni_nocase_names_find(used, sni_str_make(made, strlen(made))) >= 0; tries += 7919) {
        const int digits = snprintf(number, sizeof number, "_%u", (uint32_t)tries);
        size = cut_length(name, (size_t)(W3D_NAME_LENGTH - digits));
        memcpy(made, name, size);
        memcpy(made + size, number, (size_t)digits + 1);
    }
    const char *kept = sni_copy_text(x->arena, made, strlen(made));
    if (!kept || !sni_nocase_names_add(x->arena, used, sni_str_make(kept, strlen(kept)), (int32_t)index)) return NULL;
    return kept;
}

const char *w3d_object_name(w3d_exporter *x, const char *name)
{
    char full[W3D_LONG_NAME_BYTES];
    const int size = snprintf(full, sizeof full, "%.15s.%.15s", x->container, name);
    return sni_copy_text(x->arena, full, (size_t)size);
}

bool w3d_add_object(w3d_exporter *x, sni_list *list, const char *name, uint32_t pivot, int32_t lod)
{
    w3d_out_object *object = name ? sni_push(x->arena, list, w3d_out_object) : NULL;
    if (object) *object = (w3d_out_object){ name, pivot, lod };
    return object != NULL;
}

// The game looks for "NAME.w3d": the file's name is the container's. A dot would end it.
static const char *container_name(w3d_exporter *x, const char *ending)
{
    const char *file = sni_last_name(x->save->path);
    const size_t room = W3D_NAME_LENGTH - strlen(ending), added = strlen(ending);
    size_t stem = sni_stem_size(file);
    if (added > 0 && stem > added && sni_str_is_nocase(sni_str_make(file + stem - added, added), ending)) stem -= added;
    char *name = sni_new_raw(x->arena, char, stem + strlen(ending) + 1);
    if (!name) return NULL;
    memcpy(name, file, stem);
    name[stem] = 0;
    const size_t size = cut_length(name, room);
    for (size_t i = 0; i < size; i++)
        if (name[i] == '.') name[i] = '_';
    if (size < stem)
        sni_warn(&x->save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "the name \"%.60s\" is longer than %u bytes: the game looks for \"%.*s%s.w3d\"", file, (unsigned)room,
                 (int)size, name, ending);
    memcpy(name + size, ending, strlen(ending) + 1);
    return name;
}

// Files

static bool is_text(const w3d_exporter *x) { return sni_save_has_ending(x->save, "w3d.json"); }

static bool emit(w3d_exporter *x, const char *name, const w3d_tree *tree)
{
    const sni_writer *out = tree->out;
    sni_writer text;
    w3d_doc doc = { 0 };
    if (out->failed && sni_save_ok(x->save))
        return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "\"%.80s\" is too large for the format", name);
    if (tree->has_overflow)
        return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "a number is too large for the format");
    if (!is_text(x)) return sni_save_emit(x->save, name, out->data, out->size);
    sni_writer_init(&text, &x->save->heap);
    bool is_saved = w3d_parse_chunks(&x->save->diag, x->arena, (sni_bytes){ out->data, out->size }, &doc);
    if (is_saved) w3d_text_write(&doc, x->arena, &text);
    is_saved = is_saved && !text.failed && sni_save_emit(x->save, name, text.data, text.size);
    sni_writer_free(&text);
    return is_saved;
}

// "NAME_skl.w3d" for "NAME.w3d", with the part before the ending cut as the container is.
static const char *file_of(w3d_exporter *x, const char *object)
{
    const size_t size = strlen(object);
    char *name = sni_new_raw(x->arena, char, size + sizeof ".w3d.json");
    if (!name) return NULL;
    memcpy(name, object, size);
    strcpy(name + size, is_text(x) ? ".w3d.json" : ".w3d");
    return name;
}

static const char *clip_name(w3d_exporter *x, sni_nocase_names *used, uint32_t clip)
{
    char fallback[16];
    snprintf(fallback, sizeof fallback, "CLIP%u", clip);
    return w3d_unique_name(x, used, x->model->clips[clip].name, fallback, clip);
}

static bool save_clips(w3d_exporter *x, w3d_tree *tree)
{
    sni_nocase_names used = { 0 };
    for (uint32_t i = 0; i < x->model->clip_count; i++) {
        const char *name = clip_name(x, &used, i);
        if (!name || !w3d_export_clip(x, tree, i, name)) return false;
    }
    return true;
}

// The animation is called like its file, "X_WALK". Where both names do not fit, that of a clip is its last word, and
// then the model's is cut.
static bool save_clip_file(w3d_exporter *x, sni_nocase_names *used, uint32_t clip, const char *stem)
{
    enum { MOST_OF_CLIP = 9 };
    sni_writer out;
    char wanted[W3D_NAME_BYTES];
    const char *word = x->model->clips[clip].name, *last = strrchr(word, '_');
    if (strlen(stem) + 1 + strlen(word) > W3D_NAME_LENGTH && last && last[1]) word = last + 1;
    const bool fits = strlen(stem) + 1 + strlen(word) <= W3D_NAME_LENGTH;
    const int size = (int)cut_length(word, fits ? W3D_NAME_LENGTH : MOST_OF_CLIP),
              room = (int)cut_length(stem, (size_t)(W3D_NAME_LENGTH - 1 - size));
    snprintf(wanted, sizeof wanted, "%.*s_%.*s", room, stem, size, word);
    for (char *at = wanted; *at; at++)
        if (strchr(" ./\\:*?\"<>|", *at)) *at = '_';
    const char *name = w3d_unique_name(x, used, wanted, "CLIP", clip), *file = name ? file_of(x, name) : NULL;
    if (!file) return false;
    sni_writer_init(&out, &x->save->heap);
    w3d_tree tree = w3d_tree_begin(&out);
    const bool is_saved = w3d_export_clip(x, &tree, clip, name) && emit(x, file, &tree);
    sni_writer_free(&out);
    return is_saved;
}

static bool save_split(w3d_exporter *x, const w3d_tree *model)
{
    sni_writer out;
    sni_nocase_names used = { 0 };
    const size_t size = strlen(x->container) - strlen("_skn");
    const char *stem = sni_copy_text(x->arena, x->container, size), *file = file_of(x, x->hierarchy);
    if (!stem || !file) return false;
    const char *const taken[] = { x->container, x->hierarchy };
    for (int i = 0; i < 2; i++)
        if (!sni_nocase_names_add(x->arena, &used, sni_str_make(taken[i], strlen(taken[i])), 0)) return false;
    sni_writer_init(&out, &x->save->heap);
    w3d_tree tree = w3d_tree_begin(&out);
    w3d_export_hierarchy(x, &tree);
    bool is_saved = emit(x, file, &tree);
    sni_writer_free(&out);
    for (uint32_t i = 0; is_saved && i < x->model->clip_count; i++) is_saved = save_clip_file(x, &used, i, stem);
    if (is_saved && model->out->size == 0 && !model->out->failed) return true;  // only a skeleton
    file = file_of(x, x->container);
    return is_saved && file && emit(x, file, model);
}

static void report_losses(w3d_exporter *x)
{
    const sn_model *model = x->model;
    const uint32_t scenes = x->save->source->scene_count;
    uint64_t lines = 0;
    for (uint32_t i = 0; i < model->part_count; i++)
        lines += model->meshes[model->parts[i].mesh].topology != SN_TRIANGLES;
    sni_save_lose(x->save, "names", x->cut_names, "cut to 15 bytes");
    sni_save_lose(x->save, "names", x->changed_names, "duplicates got a number");
    sni_save_lose(x->save, "parts", lines, "lines and points were left out");
    w3d_report_materials(x);
    sni_save_lose(x->save, "cameras", model->camera_count, "left out");
    sni_save_lose(x->save, "events", model->event_count, "left out");
    sni_save_lose(x->save, "scenes", scenes > 1 ? scenes : 0, "merged into one");
}

void w3d_fit(sni_save *save, const sn_model *model, sni_holds *holds)
{
    (void)model;
    const sn_save_opts *opts = save->opts;
    static const char *const images[] = { SNI_MIME_TGA, SNI_MIME_DDS, NULL };
    const bool is_bfme = opts && opts->game == SN_GAME_BFME;
    *holds = (sni_holds){ .is_rebound = true,
                          .is_rigid = true,
                          .max_rate = opts && opts->w3d_animation == SN_W3D_TIMECODED ? 1000 : 120,
                          .influences = is_bfme ? 2 : 1,
                          .weight_steps = is_bfme ? 100 : 0,
                          .has_tangents = is_bfme,
                          .has_all_tangents = is_bfme,
                          .images = images };
}

bool w3d_save(sni_save *save, const sn_model *model)
{
    const sn_save_opts *opts = save->opts;
    w3d_exporter x = {
        .save = save, .arena = &save->scratch, .model = model, .is_bfme = opts && opts->game == SN_GAME_BFME
    };
    const bool is_split = opts && opts->w3d_split;
    if (is_split && save->memory)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "several files cannot be saved to memory");
    x.container = container_name(&x, is_split ? "_skn" : "");
    if (!x.container) return false;
    x.hierarchy = x.container;
    if (is_split) {
        char *name = sni_copy_text(x.arena, x.container, strlen(x.container));
        if (!name) return false;
        name[strlen(name) - 1] = 'l';  // _skl
        x.hierarchy = name;
    }

    sni_writer out;
    sni_writer_init(&out, &save->heap);
    w3d_tree tree = w3d_tree_begin(&out);
    bool is_saved = w3d_plan_pivots(&x) && w3d_export_textures(&x);
    if (is_saved && !is_split) {
        w3d_export_hierarchy(&x, &tree);
        is_saved = save_clips(&x, &tree);
    }
    is_saved = is_saved && w3d_export_meshes(&x, &tree) && w3d_export_objects(&x, &tree);
    if (is_saved) {
        report_losses(&x);
        is_saved = is_split ? save_split(&x, &tree) : emit(&x, sni_last_name(save->path), &tree);
    }
    sni_writer_free(&out);
    return is_saved && sni_save_ok(save);
}
