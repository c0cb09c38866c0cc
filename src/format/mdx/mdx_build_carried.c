// What nodes carry: lights and cameras.
#include "base/math.h"
#include "format/mdx/mdx_build.h"

static sn_light make_light(const mdx_builder *b, const mdx_source *source)
{
    static const sn_light_kind kinds[] = { SN_LIGHT_POINT, SN_LIGHT_DIRECTIONAL, SN_LIGHT_AMBIENT };
    const mdx_light *from = (const mdx_light *)(const void *)source->object;
    sn_light light = { .name = b->nodes[source->node].name, .node = source->node };
    light.color = from->color;
    light.intensity = from->intensity;
    light.kind = from->kind < 3 ? kinds[from->kind] : SN_LIGHT_POINT;
    if (light.kind == SN_LIGHT_POINT && from->attenuation_end > 0.0f) light.range = from->attenuation_end;
    return light;
}

static void drive_light(mdx_builder *b, const mdx_tracks *tracks, const sn_light *light, int32_t index)
{
    const float none[3] = { 0, 0, 0 };
    mdx_curve *color = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'L', 'A', 'C')));
    mdx_drive *drive = mdx_add_drive(b, color, SN_TARGET_LIGHT, index, SN_CHANNEL_COLOR);
    mdx_drive_fallback(b, drive, none, &light->color.x, 3);
    mdx_curve *intensity = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'L', 'A', 'I')));
    drive = mdx_add_drive(b, intensity, SN_TARGET_LIGHT, index, SN_CHANNEL_INTENSITY);
    mdx_drive_fallback(b, drive, none, &light->intensity, 1);
}

static bool build_lights(mdx_builder *b)
{
    sn_light *lights = sni_new(&b->load->keep, sn_light, b->doc->lights.count);
    uint32_t count = 0;
    if (!lights) return false;
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_source *source = &b->sources[i];
        if (source->kind->tag != MDX_TAG('L', 'I', 'T', 'E')) continue;
        sni_enter(&b->load->diag, "LITE", source->number);
        lights[count] = make_light(b, source);
        drive_light(b, &source->object->item.tracks, &lights[count], (int32_t)count);
        sni_leave(&b->load->diag);
        count++;
    }
    b->model->lights = lights;
    b->model->light_count = count;
    return sni_load_ok(b->load);
}

// From a place towards another, Z upwards, then turned about where it looks. A camera looks along its -Z.
static sn_quat look_at(sn_vec3 from, sn_vec3 to, float roll)
{
    const sn_vec3 up = { 0, 0, 1 }, forward = { 1, 0, 0 };
    sn_vec3 back = sni_scale(sni_unit(sni_sub(to, from), forward), -1.0f);
    sn_vec3 right = sni_unit(sni_cross(up, back), sni_vec3(0, -1, 0));  // straight up or down: as if it faced +X
    sn_mat34 axes = { 0 };
    sni_mat34_set_column(&axes, 0, right);
    sni_mat34_set_column(&axes, 1, sni_cross(back, right));
    sni_mat34_set_column(&axes, 2, back);
    sn_quat turn = sni_mat34_rotation(&axes);
    return roll == 0.0f ? turn : sni_quat_unit(sni_quat_mul(turn, sni_quat_axis(sni_vec3(0, 0, -1), roll)));
}

sn_trs mdx_camera_rest(const mdx_camera *camera)
{
    sn_trs rest = { camera->position, look_at(camera->position, camera->target, 0.0f), { 1, 1, 1 } };
    return rest;
}

typedef struct aim {
    const mdx_camera *camera;
    mdx_curve *move, *target, *roll;
} aim;

// Where it looks depends on all three tracks.
static void emit_aim(mdx_clips *clips, const mdx_drive *drive)
{
    const aim *a = drive->baked;
    const sn_track tracks[] = { mdx_clip_slice(clips, a->move), mdx_clip_slice(clips, a->target),
                                mdx_clip_slice(clips, a->roll) };
    mdx_bake bake = { .tracks = tracks, .count = 3 };
    if (tracks[0].key_count + tracks[1].key_count + tracks[2].key_count == 0 || !mdx_bake_times(clips, &bake)) return;
    sn_quat *turns = sni_new_raw(&clips->builder->load->keep, sn_quat, bake.key_count);
    if (!turns) return;
    for (uint32_t i = 0; i < bake.key_count; i++) {
        sn_vec3 from = a->camera->position, to = a->camera->target;
        float roll = 0.0f;
        mdx_bake_sample(clips, &tracks[0], bake.times[i], &from.x);
        mdx_bake_sample(clips, &tracks[1], bake.times[i], &to.x);
        mdx_bake_sample(clips, &tracks[2], bake.times[i], &roll);
        turns[i] = look_at(from, to, roll);
    }
    sn_track track = mdx_baked(&bake, SN_CHANNEL_ROTATION, 4, &turns->x);
    mdx_clip_push(clips, drive, &track);
}

static bool drive_camera(mdx_builder *b, const mdx_camera *camera, int32_t node)
{
    const mdx_tracks *tracks = &camera->item.tracks;
    aim *a = sni_new(&b->load->scratch, aim, 1);
    if (!a) return false;
    a->camera = camera;
    a->move = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'C', 'T', 'R')));
    a->target = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'T', 'T', 'R')));
    a->roll = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'C', 'R', 'L')));
    if (a->move) mdx_curve_move(a->move, &camera->position.x);
    if (a->target) mdx_curve_move(a->target, &camera->target.x);
    mdx_add_drive(b, a->move, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION);
    mdx_curve *any = a->move ? a->move : a->target ? a->target : a->roll;
    mdx_drive *drive = mdx_add_drive(b, any, SN_TARGET_NODE, node, SN_CHANNEL_ROTATION);
    if (drive) drive->emit = emit_aim, drive->baked = a;
    return sni_load_ok(b->load);
}

static bool build_cameras(mdx_builder *b)
{
    const mdx_camera *sources = b->doc->cameras.items;
    uint32_t count = b->doc->cameras.count;
    sn_camera *cameras = sni_new(&b->load->keep, sn_camera, count);
    if (!cameras) return false;
    for (uint32_t i = 0; i < count; i++) {
        const mdx_camera *from = &sources[i];
        sni_enter(&b->load->diag, "CAMS", i);
        cameras[i] = (sn_camera){ .name = b->nodes[b->camera_nodes[i]].name,
                                  .node = b->camera_nodes[i],
                                  .is_perspective = true };
        cameras[i].extras = mdx_camera_extras(b, from);
        cameras[i].fov_y = from->fov;
        cameras[i].near_plane = from->near_clip;
        cameras[i].far_plane = from->far_clip;
        bool is_driven = drive_camera(b, from, b->camera_nodes[i]);
        sni_leave(&b->load->diag);
        if (!is_driven) return false;
    }
    b->model->cameras = cameras;
    b->model->camera_count = count;
    return true;
}

bool mdx_build_carried(mdx_builder *b) { return build_lights(b) && build_cameras(b); }
