// A golem of Warcraft III: Reforged (1100): bytes for weights, tangents, a bind pose, two levels of detail, layers with
// slots.
#include "make_samples.h"
#include "mdx_maker.h"

#include <string.h>

enum {
    ROOT,
    SPINE,
    HEAD,
    ARM_L,
    HAND_L,
    ARM_R,
    HAND_R,
    LEG_L,
    FOOT_L,
    LEG_R,
    FOOT_R,
    BONES,
    CHEST_REF = BONES,
    EMBERS,
    NODES
};
enum { DIFFUSE, NORMAL, ORM, EMISSIVE, TEAM, ENVIRONMENT, SLOTS };

#define TAG(a, b, c, d) MDX_TAG(a, b, c, d)

static const float pivots[NODES][3] = { { 0, 0, 50 },   { 0, 0, 64 },   { 2, 0, 94 }, { 0, 24, 86 }, { 1, 27, 62 },
                                        { 0, -24, 86 }, { 1, -27, 62 }, { 0, 9, 48 }, { 0, 10, 25 }, { 0, -9, 48 },
                                        { 0, -10, 25 }, { 14, 0, 80 },  { 0, 0, 90 } };

// Who moves a ring, in 255ths. Each ring's group is a row of this.
typedef struct skin_row {
    uint8_t bones[4], weights[4];
} skin_row;
// clang-format off
static const skin_row rows[] = {
    { { ROOT }, { 255 } }, { { ROOT, SPINE }, { 128, 127 } }, { { SPINE }, { 255 } },
    { { SPINE, HEAD }, { 155, 100 } }, { { HEAD }, { 255 } },
    { { SPINE, ARM_L }, { 85, 170 } }, { { ARM_L }, { 255 } }, { { ARM_L, HAND_L }, { 128, 127 } },
    { { HAND_L }, { 255 } },
    { { SPINE, ARM_R }, { 85, 170 } }, { { ARM_R }, { 255 } }, { { ARM_R, HAND_R }, { 128, 127 } },
    { { HAND_R }, { 255 } },
    { { ROOT, SPINE, LEG_L }, { 100, 27, 128 } }, { { LEG_L }, { 255 } }, { { LEG_L, FOOT_L }, { 128, 127 } },
    { { FOOT_L }, { 255 } },
    { { ROOT, SPINE, LEG_R }, { 100, 27, 128 } }, { { LEG_R }, { 255 } }, { { LEG_R, FOOT_R }, { 128, 127 } },
    { { FOOT_R }, { 255 } },
};
// clang-format on
enum { ARM_ROWS = 5, LEG_ROWS = 13 };

static void put_arm(mdx_body *body, const mdx_tube *tube, float side, uint8_t row)
{
    uint8_t bend = (uint8_t)(row + 2), low = (uint8_t)(row + 3), high = (uint8_t)(row + 1);
    mdx_ring rings[6] = { { 0, 23 * side, 92, 7, 7, row },        { 0, 26 * side, 78, 7, 7, high },
                          { 1, 27 * side, 62, 5.5f, 5.5f, bend }, { 2, 28 * side, 46, 7, 7, low },
                          { 4, 28 * side, 34, 9, 9, low },        { 4, 28 * side, 27, 6, 6, low } };
    mdx_body_tube(body, tube, rings, 6);
}

static void put_leg(mdx_body *body, const mdx_tube *tube, float side, uint8_t row)
{
    uint8_t bend = (uint8_t)(row + 2), low = (uint8_t)(row + 3), high = (uint8_t)(row + 1);
    mdx_ring rings[5] = { { 0, 8 * side, 52, 7, 8, row },
                          { 0, 10 * side, 37, 7.5f, 8, high },
                          { 0, 10 * side, 25, 6, 6.5f, bend },
                          { 0, 10 * side, 9, 7.5f, 7.5f, low },
                          { 3, 10 * side, 0, 8.5f, 11, low } };
    mdx_body_tube(body, tube, rings, 5);
}

static void put_body(mdx_body *body, uint32_t corners)
{
    static const mdx_ring torso[6] = { { 0, 0, 43, 10, 8, 0 },  { 0, 0, 54, 14, 10, 0 }, { 0, 0, 66, 14, 10, 1 },
                                       { 2, 0, 80, 22, 14, 2 }, { 1, 0, 91, 19, 12, 2 }, { 1, 0, 96, 9, 8, 2 } };
    static const mdx_ring head[4] = {
        { 3, 0, 94, 6, 6, 3 }, { 4, 0, 101, 8.5f, 8.5f, 4 }, { 4, 0, 110, 7.5f, 8, 4 }, { 3, 0, 115, 3, 3, 4 }
    };
    mdx_tube up = { { 0, 0, 1 }, 0, 0.5f, corners, 1 }, down = { { 0, 0, -1 }, 0.5f, 1, corners, 1 };
    memset(body, 0, sizeof *body);
    mdx_body_tube(body, &up, torso, 6);
    mdx_body_tube(body, &up, head, 4);
    put_arm(body, &down, 1, ARM_ROWS);
    put_arm(body, &down, -1, ARM_ROWS + 4);
    put_leg(body, &down, 1, LEG_ROWS);
    put_leg(body, &down, -1, LEG_ROWS + 4);
}

// Vertices name bones and weights; groups and matrices are there, as in the game's files, and mean nothing.
static void put_geoset(mdx_maker *m, uint32_t corners, int32_t lod, const char *name, uint32_t material)
{
    static mdx_body body;
    static uint8_t skin[MDX_MOST_VERTICES][8];
    uint32_t sizes[BONES], bones[BONES];
    put_body(&body, corners);
    for (uint32_t i = 0; i < body.vertex_count; i++) {
        memcpy(skin[i], rows[body.groups[i]].bones, 4);
        memcpy(skin[i] + 4, rows[body.groups[i]].weights, 4);
    }
    for (uint32_t i = 0; i < BONES; i++) sizes[i] = 1, bones[i] = i;
    mdx_geoset *geoset = mdx_maker_geoset(m, &body, material);
    geoset->groups.count = 0;
    geoset->group_sizes = mdx_maker_u32s(m, sizes, BONES);
    geoset->matrices = mdx_maker_u32s(m, bones, BONES);
    geoset->lod = lod;
    geoset->lod_name = mdx_maker_text(name);
    geoset->tangents = mdx_maker_floats(m, &body.tangents[0][0], body.vertex_count, 4);
    geoset->skin = mdx_maker_bytes(m, &skin[0][0], 8 * body.vertex_count);
    if (lod == 0) m->doc.model.extent = geoset->extent;
}

static void put_layer(mdx_maker *m, uint32_t slots, uint32_t shader_type, bool pulses)
{
    mdx_material *material = sni_push(&m->arena, &m->doc.materials, mdx_material);
    *material = (mdx_material){ .has_layers = true, .layers = sni_new(&m->arena, mdx_layer, 1), .layer_count = 1 };
    mdx_layer *layer = material->layers;
    *layer = (mdx_layer){ .filter = MDX_FILTER_NONE,
                          .texture_anim = -1,
                          .alpha = 1,
                          .emissive_gain = 1,
                          .fresnel_color = { 1, 1, 1 },
                          .shader_type = shader_type,
                          .slots = sni_new(&m->arena, mdx_texture_slot, slots),
                          .slot_count = slots };
    for (uint32_t i = 0; i < slots; i++) layer->slots[i] = (mdx_texture_slot){ .texture = i, .slot = i };
    if (pulses)
        mdx_maker_track(m, &layer->item.tracks, TAG('K', 'M', 'T', 'E'), MDX_LINEAR, 0,
                        MDX_KEYS({ 0, { 1 } }, { 800, { 2.5f } }, { 1600, { 1 } }));
}

static mdx_maker_key turn_key(int32_t time, float x, float y, float z)
{
    sn_quat q = mdx_maker_turn(x, y, z);
    return (mdx_maker_key){ time, { q.x, q.y, q.z, q.w } };
}

// Stand 0 to 2400, Walk 3000 to 4200, Death 5000 to 6200: it falls on its back.
static void put_motion(mdx_maker *m, mdx_bone *bones)
{
    static const int8_t forward[BONES] = { [ARM_L] = -1, [ARM_R] = 1, [LEG_L] = 1, [LEG_R] = -1 };
    for (uint32_t i = 0; i < BONES; i++) {
        float reach = 0.25f * (float)forward[i];
        const mdx_maker_key swing[3] = { turn_key(3000, 0, reach, 0), turn_key(3600, 0, -reach, 0),
                                         turn_key(4200, 0, reach, 0) };
        if (forward[i])
            mdx_maker_track(m, &bones[i].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 3, swing);
    }
    for (uint32_t i = 0; i < 2; i++) {
        int32_t lifted = i ? 3900 : 3300;
        const mdx_maker_key knee[3] = { turn_key(3000, 0, 0, 0), turn_key(lifted, 0, 0.3f, 0),
                                        turn_key(4200, 0, 0, 0) };
        const mdx_maker_key elbow[3] = { turn_key(0, 0, -0.15f, 0), turn_key(1200, 0, -0.25f, 0),
                                         turn_key(2400, 0, -0.15f, 0) };
        mdx_maker_track(m, &bones[i ? FOOT_L : FOOT_R].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 3,
                        knee);
        mdx_maker_track(m, &bones[i ? HAND_L : HAND_R].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 3,
                        elbow);
    }
    mdx_maker_track(m, &bones[ROOT].object.node.tracks, TAG('K', 'G', 'T', 'R'), MDX_LINEAR, -1,
                    MDX_KEYS({ 3000, { 0, 0, -1 } }, { 3300, { 0, 0, 1 } }, { 3600, { 0, 0, -1 } },
                             { 3900, { 0, 0, 1 } }, { 4200, { 0, 0, -1 } }));
    mdx_maker_track(m, &bones[ROOT].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 3,
                    (mdx_maker_key[]){ turn_key(5000, 0, 0, 0), turn_key(5800, 0, -0.7f, 0),
                                       turn_key(6200, 0, -0.7f, 0) });
    mdx_maker_track(m, &bones[SPINE].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 6,
                    (mdx_maker_key[]){ turn_key(0, 0, 0, 0), turn_key(1200, 0, 0.04f, 0), turn_key(2400, 0, 0, 0),
                                       turn_key(3000, 0, 0.05f, 0.08f), turn_key(3600, 0, 0.05f, -0.08f),
                                       turn_key(4200, 0, 0.05f, 0.08f) });
}

static void put_nodes(mdx_maker *m)
{
    static const struct {
        const char *name;
        int32_t parent;
    } names[BONES] = { { "Root", -1 },      { "Spine", ROOT },  { "Head", SPINE },   { "Arm_L", SPINE },
                       { "Hand_L", ARM_L }, { "Arm_R", SPINE }, { "Hand_R", ARM_R }, { "Leg_L", ROOT },
                       { "Foot_L", LEG_L }, { "Leg_R", ROOT },  { "Foot_R", LEG_R } };
    for (int32_t i = 0; i < BONES; i++) {
        mdx_bone *bone = sni_push(&m->arena, &m->doc.bones, mdx_bone);
        *bone = (mdx_bone){ .object.node = mdx_maker_node(names[i].name, i, names[i].parent, 0x100),
                            .geoset = -1,
                            .geoset_anim = -1 };
    }
    put_motion(m, m->doc.bones.items);
    mdx_attachment *chest = sni_push(&m->arena, &m->doc.attachments, mdx_attachment);
    chest->object.node = mdx_maker_node("Chest Ref", CHEST_REF, SPINE, 0x800);
    mdx_popcorn *embers = sni_push(&m->arena, &m->doc.popcorns, mdx_popcorn);
    *embers = (mdx_popcorn){ .object.node = mdx_maker_node("Embers", EMBERS, SPINE, 0x1000),
                             .life_span = 1,
                             .emission_rate = 1,
                             .speed = 1,
                             .alpha = 1,
                             .color = { 1, 1, 1 },
                             .path = mdx_maker_text("embers.pkb"),
                             .visibility_guide = mdx_maker_text("Always=on") };
    m->doc.pivots = mdx_maker_floats(m, &pivots[0][0], NODES, 3);
}

// Nodes by their number, then the camera: three axes and a place each.
static void put_view(mdx_maker *m)
{
    float poses[NODES + 1][12];
    mdx_camera *camera = sni_push(&m->arena, &m->doc.cameras, mdx_camera);
    *camera = (mdx_camera){ .name = mdx_maker_text("Portrait"),
                            .position = { 110, 20, 108 },
                            .target = { 0, 0, 98 },
                            .fov = 0.7f,
                            .far_clip = 600,
                            .near_clip = 8 };
    for (uint32_t i = 0; i <= NODES; i++) {
        const float *place = i < NODES ? pivots[i] : &camera->position.x;
        memcpy(poses[i], (float[12]){ 1, 0, 0, 0, 1, 0, 0, 0, 1, place[0], place[1], place[2] }, sizeof poses[i]);
    }
    m->doc.bind_pose = mdx_maker_floats(m, &poses[0][0], NODES + 1, 12);
    mdx_face_fx *face = sni_push(&m->arena, &m->doc.face_fx, mdx_face_fx);
    *face = (mdx_face_fx){ .name = mdx_maker_text("Head"), .path = mdx_maker_text("golem.facefx_ingame") };
}

// Pictures: blocks of stone with cracks that glow.
static bool is_crack(uint32_t x, uint32_t y) { return y % 8 == 3 || (x + y / 8 * 5) % 11 == 0; }
static uint8_t shade_stone(uint32_t x, uint32_t y, uint8_t *alpha)
{
    (void)alpha;
    return is_crack(x, y) ? 3 : (uint8_t)((x * 2654435761u ^ y * 2246822519u) >> 13 & 1);
}
static uint8_t shade_cracks(uint32_t x, uint32_t y, uint8_t *alpha)
{
    (void)alpha;
    return is_crack(x, y) && y >= 8 && y < 16 ? 1 : 0;
}
static uint8_t shade_flat(uint32_t x, uint32_t y, uint8_t *alpha)
{
    (void)x, (void)y, (void)alpha;
    return 0;
}
static uint8_t shade_team(uint32_t x, uint32_t y, uint8_t *alpha)
{
    *alpha = x < 32 && y >= 11 && y < 14 ? 255 : 0;
    return 0;
}

static bool make_pictures(mdx_maker *m, const char *folder)
{
    static const blp_color stone[4] = { { 120, 122, 126 }, { 132, 134, 138 }, { 0, 0, 0 }, { 60, 58, 60 } },
                           flat[1] = { { 128, 128, 255 } }, orm[1] = { { 255, 210, 0 } },
                           embers[2] = { { 0, 0, 0 }, { 255, 120, 30 } }, sky[1] = { { 140, 160, 190 } };
    return mdx_maker_picture(m, folder, "golem_diffuse.blp", 32, stone, 4, shade_stone) &&
           mdx_maker_picture(m, folder, "golem_normal.blp", 4, flat, 1, shade_flat) &&
           mdx_maker_picture(m, folder, "golem_orm.blp", 32, orm, 1, shade_team) &&
           mdx_maker_picture(m, folder, "golem_emissive.blp", 32, embers, 2, shade_cracks) &&
           mdx_maker_picture(m, folder, "golem_environment.blp", 4, sky, 1, shade_flat);
}

bool make_golem(const char *folder)
{
    static const uint32_t pulse = 1600;
    mdx_maker m;
    mdx_maker_init(&m, 1100, "Golem");
    mdx_maker_sequence(&m, "Stand", 0, 2400, 0, 0);
    mdx_maker_sequence(&m, "Walk", 3000, 4200, 160, 0);
    mdx_maker_sequence(&m, "Death", 5000, 6200, 0, MDX_NON_LOOPING);
    m.doc.global_sequences = mdx_maker_u32s(&m, &pulse, 1);
    mdx_maker_texture(&m, "golem_diffuse.blp", 0);
    mdx_maker_texture(&m, "golem_normal.blp", 0);
    mdx_maker_texture(&m, "golem_orm.blp", 0);
    mdx_maker_texture(&m, "golem_emissive.blp", 0);
    mdx_maker_texture(&m, "", 1);
    mdx_maker_texture(&m, "golem_environment.blp", 0);
    put_layer(&m, SLOTS, 1, true);
    put_layer(&m, 1, 0, false);
    put_geoset(&m, 8, 0, "golem_lod0", 0);
    put_geoset(&m, 4, 1, "golem_lod1", 1);
    mdx_sequence *sequences = m.doc.sequences.items;
    for (uint32_t i = 0; i < m.doc.sequences.count; i++) sequences[i].extent = m.doc.model.extent;
    put_nodes(&m);
    put_view(&m);
    bool is_made = mdx_maker_save(&m, folder, "golem.mdx") && make_pictures(&m, folder);
    mdx_maker_free(&m);
    return is_made;
}
