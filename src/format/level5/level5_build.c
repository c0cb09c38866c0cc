// The model out of its files: what each holds is put together by the files beside this one.
#include "format/level5/level5_build.h"

static void hand_over(level5_builder *b)
{
    sn_model *model = b->model;
    model->nodes = b->nodes.items, model->node_count = b->nodes.count;
    model->parts = b->parts.items, model->part_count = b->parts.count;
    model->meshes = b->meshes.items, model->mesh_count = b->meshes.count;
    model->skins = b->skins.items, model->skin_count = b->skins.count;
    model->materials = b->materials.items, model->material_count = b->materials.count;
    model->images = b->images.items, model->image_count = b->images.count;
    model->cameras = b->cameras.items, model->camera_count = b->cameras.count;
    model->clips = b->clips.items, model->clip_count = b->clips.count;
}

static bool build_whole(level5_builder *b)
{
    return level5_make_bones(b) && level5_choose_game(b) && level5_gather_weights(b) && level5_read_timelines(b) &&
           level5_index_images(b) && level5_build_nodes(b) && level5_build_cameras(b) && level5_build_meshes(b) &&
           level5_build_clips(b);
}

bool level5_build(sni_load *load, const level5_doc *opened, sn_model *model)
{
    const level5_doc *doc = level5_translate(load, opened);
    level5_builder *b = sni_new(&load->scratch, level5_builder, 1);
    if (!b || !doc) return false;
    b->load = load;
    b->model = model;
    b->pixels_left = load->limits.image_pixels;
    model->up_axis = SN_Y_UP;
    if (!level5_gather(b, doc)) return false;
    if (!(b->mds ? build_whole(b) : level5_build_alone(b, doc))) return false;
    model->name = b->title;
    if (b->mds) model->extras = level5_model_extras(b);
    hand_over(b);
    return sni_load_ok(load);
}
