// What is shown: objects of each figure on their pivots, at their level of detail.
#include "format/w3d/w3d_build.h"
#include "base/color.h"

// Which of several objects of one name comes next in the array of level `stamp`.
typedef struct w3d_mention {
    uint32_t stamp;
    int32_t next;
} w3d_mention;

enum { FIRST_ROOTED_VERSION = 0x30000 };

static sni_str name_of(w3d_builder *b, uint32_t number)
{
    const w3d_doc *doc = b->doc;
    if (number < doc->mesh_count) return w3d_full_name(b, doc->meshes[number].container, doc->meshes[number].name);
    number -= doc->mesh_count;
    return number < doc->box_count ? doc->boxes[number].name : doc->objects[number - doc->box_count].name;
}

// From the last to the first, so that the first of a name is what the chain starts with.
static bool name_objects(w3d_builder *b)
{
    uint64_t count = (uint64_t)b->doc->mesh_count + b->doc->box_count + b->doc->object_count;
    if (count > INT32_MAX) return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%llu objects", (unsigned long long)count);
    b->next_alike = sni_new_raw(&b->load->scratch, int32_t, count);
    b->mentions = sni_new(&b->load->scratch, w3d_mention, count);
    int32_t *last = sni_new_raw(&b->load->scratch, int32_t, count);
    if (!b->next_alike || !b->mentions || !last) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_str name = name_of(b, i);
        if (!sni_names_add(&b->load->scratch, &b->full_names, name, (int32_t)i) ||
            !sni_names_add(&b->load->scratch, &b->part_names, w3d_after_dot(name), (int32_t)i))
            return false;
        int32_t first = sni_names_find(&b->full_names, name);
        b->next_alike[i] = -1;
        if (first != (int32_t)i) b->next_alike[last[first]] = (int32_t)i;
        last[first] = (int32_t)i;
    }
    return true;
}

// By full name, then by what stands behind the dot. Several of one name take turns within one array.
static int32_t find_object(w3d_builder *b, sni_str name, uint32_t stamp)
{
    int32_t first = sni_names_find(&b->full_names, name);
    if (first < 0) return sni_names_find(&b->part_names, w3d_after_dot(name));
    w3d_mention *mention = &b->mentions[first];
    if (mention->stamp != stamp || mention->next < 0) *mention = (w3d_mention){ stamp, first };
    int32_t found = mention->next;
    mention->next = b->next_alike[found];
    return found;
}

static bool is_bounding_box(sni_str name)
{
    const size_t size = strlen("BOUNDINGBOX");
    return name.size >= size && sni_str_is_nocase(sni_str_make(name.at + name.size - size, size), "BOUNDINGBOX");
}

// Old kinds of geometry that no engine draws: shadow casters and collision boxes.
static bool is_drawn(const w3d_mesh *mesh)
{
    uint32_t type = w3d_geometry_type(mesh);
    return !(mesh->attributes & W3D_HIDDEN) && (type <= W3D_GEOMETRY_SKIN || type >= W3D_GEOMETRY_CAMERA_ORIENTED);
}

static uint32_t billboard_flag(const w3d_mesh *mesh)
{
    uint32_t type = w3d_geometry_type(mesh);
    if (type == W3D_GEOMETRY_CAMERA_ALIGNED || type == W3D_GEOMETRY_CAMERA_ORIENTED) return SN_NODE_BILLBOARD;
    return type == W3D_GEOMETRY_CAMERA_Z ? SN_NODE_BILLBOARD_Z : 0;
}

// The node that carries a mesh: its pivot's, that of the root for skins, or one of its own that turns to the viewer.
static int32_t carrier_of(w3d_builder *b, const w3d_figure *figure, uint32_t pivot, const w3d_mesh *mesh)
{
    uint32_t flag = billboard_flag(mesh);
    if (w3d_is_skin(mesh)) return (int32_t)figure->first_node;
    if (!flag) return (int32_t)(figure->first_node + pivot);
    sn_node *node = w3d_add_node(b, figure, pivot, w3d_clean(b, mesh->name), NULL);
    if (node) node->flags |= flag;
    return node ? (int32_t)b->nodes.count - 1 : -1;
}

static bool show_mesh(w3d_builder *b, w3d_figure *figure, uint32_t pivot, int32_t number, int32_t lod, bool is_hidden)
{
    const w3d_mesh *mesh = &b->doc->meshes[number];
    w3d_range range;
    sni_enter_named(&b->load->diag, "MESH", number, w3d_label(b, mesh->name));
    bool is_built = w3d_build_mesh(b, number, figure, &range);
    sni_leave(&b->load->diag);
    if (!is_built) return false;
    int32_t node = range.count > 0 ? carrier_of(b, figure, pivot, mesh) : 0;
    for (uint32_t i = 0; i < range.count; i++) {
        sn_part *part = node >= 0 ? sni_push(&b->load->keep, &b->parts, sn_part) : NULL;
        if (!part) return false;
        *part = (sn_part){
            .mesh = (int32_t)(range.first + i), .node = node, .skin = -1, .lod = lod, .color = { 1, 1, 1, 1 }
        };
        part->skin = w3d_is_skin(mesh) ? figure->skin : -1;
        part->material = w3d_items(int32_t, b->mesh_materials)[range.first + i];
        part->is_hidden = is_hidden || !is_drawn(mesh);
        if (!w3d_carry(b, figure, pivot, true, (int32_t)b->parts.count - 1)) return false;
    }
    return true;
}

static bool add_reference(w3d_builder *b, w3d_figure *figure, uint32_t pivot, sni_str name, const char *kind)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    sni_extras_put_text(&extras, "kind", kind);
    w3d_say_text(&extras, b, "object", name);
    const char *text = sni_extras_end(b->load, &extras);
    sn_node *node = w3d_add_node(b, figure, pivot, w3d_clean(b, w3d_after_dot(name)), text);
    if (!node) return false;
    node->flags |= SN_NODE_ATTACHMENT;
    return w3d_carry(b, figure, pivot, false, (int32_t)b->nodes.count - 1);
}

// What this file does not have lies in another one: its name stays.
static bool show_object(w3d_builder *b, w3d_figure *figure, uint32_t pivot, sni_str name, int32_t lod, uint32_t stamp,
                        const char *missing)
{
    int32_t number = find_object(b, name, stamp);
    if (number >= 0 && (uint32_t)number < b->doc->mesh_count)
        return show_mesh(b, figure, pivot, number, lod, is_bounding_box(name));
    if (number >= 0) return w3d_build_object(b, figure, pivot, number);
    if (b->load->lint)
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, 0, "\"%s\" is not in this file", w3d_label(b, name));
    return add_reference(b, figure, pivot, name, missing);
}

static uint32_t pivot_of(const w3d_figure *figure, uint32_t bone)
{
    const w3d_hlod *hlod = figure->hlod;
    bool is_old = hlod->is_hmodel && hlod->version < FIRST_ROOTED_VERSION;
    uint64_t pivot = (uint64_t)bone + is_old;
    return pivot < figure->skeleton->pivot_count ? (uint32_t)pivot : 0;
}

static bool show_lods(w3d_builder *b, w3d_figure *figure, uint32_t *stamp)
{
    const w3d_hlod *hlod = figure->hlod;
    for (uint32_t l = 0; l < hlod->lod_count; l++) {
        const w3d_lod *lod = &hlod->lods[l];
        ++*stamp;
        for (uint32_t i = 0; i < lod->object_count; i++) {
            const w3d_sub_object *object = &lod->objects[i];
            int32_t level = (int32_t)(hlod->lod_count - 1 - l);  // the file has the coarsest first
            sni_str name = hlod->is_hmodel ? w3d_full_name(b, hlod->name, object->name) : object->name;
            if (!show_object(b, figure, pivot_of(figure, object->bone), name, level, *stamp, "external")) return false;
        }
    }
    if (hlod->lod_count > b->model->lod_count) b->model->lod_count = hlod->lod_count;
    return true;
}

// Aggregates are in every level, wherever they lie; proxies are only places.
static bool show_extras(w3d_builder *b, w3d_figure *figure, uint32_t *stamp)
{
    const w3d_lod *aggregates = &figure->hlod->aggregates, *proxies = &figure->hlod->proxies;
    ++*stamp;
    for (uint32_t i = 0; i < aggregates->object_count; i++) {
        const w3d_sub_object *object = &aggregates->objects[i];
        if (!show_object(b, figure, pivot_of(figure, object->bone), object->name, -1, *stamp, "aggregate"))
            return false;
    }
    for (uint32_t i = 0; i < proxies->object_count; i++) {
        const w3d_sub_object *object = &proxies->objects[i];
        if (!add_reference(b, figure, pivot_of(figure, object->bone), object->name, "proxy")) return false;
    }
    return true;
}

static bool show_collections(w3d_builder *b, w3d_figure *figure, bool *has_any)
{
    const w3d_doc *doc = b->doc;
    for (uint32_t i = 0; i < doc->object_count; i++) {
        const w3d_object *object = &doc->objects[i];
        if (object->id != W3D_COLLECTION) continue;
        *has_any = true;
        for (uint32_t m = 0; m < object->member_count; m++)
            if (!show_object(b, figure, 0, object->members[m].name, 0, i + 1, "external")) return false;
    }
    return true;
}

// With a hierarchy beside them, meshes sit on the pivot of their name.
static bool name_pivots(w3d_builder *b, const w3d_figure *figure, sni_names *pivots)
{
    const w3d_skeleton *skeleton = figure->skeleton;
    for (uint32_t i = skeleton->shift; i < skeleton->pivot_count; i++) {
        w3d_pivot pivot = w3d_read_pivot(skeleton->source, i - skeleton->shift);
        if (!sni_names_add(&b->load->scratch, pivots, pivot.name, (int32_t)i)) return false;
    }
    return true;
}

static bool show_loose(w3d_builder *b, w3d_figure *figure)
{
    const w3d_doc *doc = b->doc;
    sni_names pivots = { 0 };
    bool has_collection = false;
    uint64_t count = (uint64_t)doc->mesh_count + doc->box_count + doc->object_count;
    if (!show_collections(b, figure, &has_collection) || !name_pivots(b, figure, &pivots)) return false;
    for (uint32_t i = 0; i < count && !has_collection; i++) {
        bool is_mesh = i < doc->mesh_count;
        int32_t pivot = sni_names_find(&pivots, is_mesh ? doc->meshes[i].name : w3d_after_dot(name_of(b, i)));
        uint32_t on = pivot > 0 ? (uint32_t)pivot : 0;
        if (!(is_mesh ? show_mesh(b, figure, on, (int32_t)i, 0, false) : w3d_build_object(b, figure, on, (int32_t)i)))
            return false;
    }
    return true;
}

bool w3d_build_shown(w3d_builder *b)
{
    uint32_t stamp = 0;
    b->ranges = sni_new(&b->load->scratch, w3d_range, b->doc->mesh_count);
    if (!b->ranges || !name_objects(b)) return false;
    for (uint32_t i = 0; i < b->figures.count; i++) {
        w3d_figure *figure = &w3d_items(w3d_figure, b->figures)[i];
        bool is_shown = true;
        if (figure->hlod) sni_enter_named(&b->load->diag, "HLOD", i, w3d_label(b, figure->name));
        if (figure->hlod) {
            is_shown = show_lods(b, figure, &stamp) && show_extras(b, figure, &stamp);
        } else if (b->doc->hlod_count == 0 && i == 0) {
            is_shown = show_loose(b, figure);
        }
        if (figure->hlod) sni_leave(&b->load->diag);
        if (!is_shown) return false;
    }
    return w3d_build_lights(b);
}

static bool build_skins(w3d_builder *b)
{
    for (uint32_t i = 0; i < b->figures.count; i++) {
        const w3d_figure *figure = &w3d_items(w3d_figure, b->figures)[i];
        if (figure->skin < 0) continue;
        int32_t *joints = sni_new(&b->load->keep, int32_t, figure->joint_count);
        sn_mat34 *binds = sni_new(&b->load->keep, sn_mat34, figure->joint_count);
        if (!joints || !binds) return false;
        for (uint32_t k = 0; k < figure->joint_count; k++) {
            const w3d_mat *world = &figure->skeleton->worlds[figure->joints[k]];
            joints[k] = (int32_t)figure->first_node + figure->joints[k];
            for (int r = 0; r < 3; r++) {  // rotations and translations only: the transpose inverts
                for (int c = 0; c < 3; c++) binds[k].m[r][c] = (float)world->m[c][r];
                binds[k].m[r][3] = (float)-(world->m[0][r] * world->m[0][3] + world->m[1][r] * world->m[1][3] +
                                            world->m[2][r] * world->m[2][3]);
            }
        }
        w3d_items(sn_skin, b->skins)[figure->skin] = (sn_skin){ w3d_clean(b, figure->skeleton->name), joints, binds,
                                                                figure->joint_count };
    }
    return sni_load_ok(b->load);
}

static bool build_scenes(w3d_builder *b)
{
    sn_scene *scenes = sni_new(&b->load->keep, sn_scene, b->figures.count);
    if (!scenes) return false;
    for (uint32_t i = 0; i < b->figures.count; i++) {
        const w3d_figure *figure = &w3d_items(w3d_figure, b->figures)[i];
        const w3d_skeleton *skeleton = figure->skeleton;
        uint32_t count = 0;
        for (uint32_t k = 0; k < skeleton->pivot_count; k++) count += skeleton->parents[k] < 0;
        int32_t *roots = sni_new(&b->load->keep, int32_t, count);
        if (!roots) return false;
        scenes[i] = (sn_scene){ w3d_clean(b, figure->name), roots, 0 };
        for (uint32_t k = 0; k < skeleton->pivot_count; k++)
            if (skeleton->parents[k] < 0) roots[scenes[i].root_count++] = (int32_t)(figure->first_node + k);
    }
    b->model->scenes = scenes;
    b->model->scene_count = b->figures.count;
    b->model->default_scene = 0;
    return true;
}

static void hand_over(w3d_builder *b)
{
    sn_model *model = b->model;
    model->nodes = b->nodes.items, model->node_count = b->nodes.count;
    model->parts = b->parts.items, model->part_count = b->parts.count;
    model->meshes = b->meshes.items, model->mesh_count = b->meshes.count;
    model->skins = b->skins.items, model->skin_count = b->skins.count;
    model->materials = b->materials.items, model->material_count = b->materials.count;
    model->images = b->images.items, model->image_count = b->images.count;
    model->lights = b->lights.items, model->light_count = b->lights.count;
    model->clips = b->clips.items, model->clip_count = b->clips.count;
}

bool w3d_build(sni_load *load, const w3d_doc *doc, sn_model *model)
{
    w3d_builder *b = sni_new(&load->scratch, w3d_builder, 1);
    if (!b) return false;
    b->load = load, b->doc = doc, b->model = model;
    for (int i = 0; i < 256; i++) b->linear[i] = (float)sni_linear_of(i / 255.0);
    model->up_axis = SN_Z_UP;
    if (!w3d_gather_files(b) || !w3d_build_figures(b) || !w3d_gather_folder(b)) return false;
    if (!w3d_gather_poses(b) || !w3d_build_shown(b)) return false;
    if (!build_skins(b) || !w3d_build_clips(b) || !build_scenes(b)) return false;
    model->name = model->scenes[0].name;
    hand_over(b);
    return sni_load_ok(load);
}
