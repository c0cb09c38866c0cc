// Two beasts on four legs: a hound of Warcraft III (800) and a boar of World of Warcraft's alpha (1300), which store
// the same things in different ways.
#include "make_samples.h"
#include "mdx_maker.h"

#include <string.h>

// Bones first, then what stands between pelvis and chest: a child may come before its parent. It is a helper in World
// of Warcraft; Warcraft III attaches vertices to bones only.
enum {
    PELVIS,
    CHEST,
    NECK,
    HEAD,
    TAIL,
    TAIL_TIP,
    LEGS,
    BONES = LEGS + 8,
    SWAY = BONES,
    LAMP,
    OVERHEAD,
    DUST,
    TRAIL,
    STEP,
    BALL,
    BOX,
    NODES
};
enum { LEG_COUNT = 4, GROUP_OF_LEGS = 10, GROUPS = GROUP_OF_LEGS + 3 * LEG_COUNT, MOST_MOVERS = 6 };

#define TAG(a, b, c, d) MDX_TAG(a, b, c, d)

typedef struct tube_of_rings {
    sn_vec3 along;
    uint32_t corners, count;
    float top, bottom;
    mdx_ring rings[8];
} tube_of_rings;

typedef struct beast {
    const char *name, *picture;
    uint32_t version;
    float scale;
    float pivots[LEGS][3];           // of the bones before the legs
    float legs[LEG_COUNT][3], knee;  // where legs begin, and how high knees are
    const tube_of_rings *tubes, *eyes;
    uint32_t tube_count;
} beast;

// clang-format off
static const tube_of_rings hound_tubes[] = {
    { { 1, 0, 0 }, 8, 7, 0, 0.5f, { { -37, 0, 51, 5, 6, 0 }, { -30, 0, 51, 10, 11, 0 }, { -16, 0, 50, 11, 12, 0 },
      { 0, 0, 48, 10, 11, 1 },
        { 14, 0, 48, 13, 15, 2 }, { 26, 0, 51, 12, 14, 3 }, { 36, 0, 56, 7, 8, 3 } } },
    { { 0.70710678f, 0, 0.70710678f }, 8, 3, 0.5f, 0.7f,
      { { 28, 0, 54, 9, 11, 3 }, { 37, 0, 63, 7, 8, 4 }, { 46, 0, 72, 6, 6, 5 } } },
    { { 1, 0, 0 }, 8, 5, 0.5f, 0.7f,
      { { 40, 0, 73, 5, 5, 5 }, { 47, 0, 74, 8, 8, 6 }, { 55, 0, 72, 6, 7, 6 }, { 64, 0, 69, 4, 4.5f, 6 },
        { 71, 0, 68, 3, 3, 6 } } },
    { { 0, 0, 1 }, 4, 2, 0.7f, 0.8f, { { 45, 6, 79, 3, 2, 6 }, { 43, 7, 90, 0.5f, 0.5f, 6 } } },
    { { 0, 0, 1 }, 4, 2, 0.7f, 0.8f, { { 45, -6, 79, 3, 2, 6 }, { 43, -7, 90, 0.5f, 0.5f, 6 } } },
    { { -1, 0, 0 }, 8, 4, 0.8f, 1, { { -33, 0, 55, 4, 4, 7 }, { -46, 0, 60, 3, 3, 8 }, { -58, 0, 66, 2, 2, 9 },
      { -68, 0, 72, 0.5f, 0.5f, 9 } } },
};
// clang-format on
static const tube_of_rings hound_eyes[] = {
    { { 1, 0, 0 }, 4, 2, 0, 1, { { 57, 4.5f, 76, 1.5f, 1.5f, 0 }, { 61, 4, 75, 0.8f, 0.8f, 0 } } },
    { { 1, 0, 0 }, 4, 2, 0, 1, { { 57, -4.5f, 76, 1.5f, 1.5f, 0 }, { 61, -4, 75, 0.8f, 0.8f, 0 } } },
};

// clang-format off
static const tube_of_rings boar_tubes[] = {
    { { 1, 0, 0 }, 8, 7, 0, 0.5f, { { -40, 0, 42, 8, 9, 0 }, { -32, 0, 42, 15, 16, 0 }, { -16, 0, 43, 18, 19, 0 },
      { 0, 0, 45, 19, 21, 1 },
        { 14, 0, 47, 18, 23, 2 }, { 26, 0, 46, 16, 20, 3 }, { 36, 0, 43, 12, 14, 3 } } },
    { { 1, 0, 0 }, 8, 6, 0.5f, 0.75f,
      { { 32, 0, 43, 11, 13, 4 }, { 40, 0, 41, 10, 11, 5 }, { 48, 0, 38, 8, 9, 6 }, { 56, 0, 35, 6, 6, 6 },
        { 62, 0, 34, 5, 5, 6 }, { 63, 0, 34, 6, 6, 6 } } },
    { { 0.70710678f, 0, 0.70710678f }, 4, 2, 0.75f, 0.8f,
      { { 55, 5, 32, 1.2f, 1.2f, 6 }, { 61, 8, 42, 0.2f, 0.2f, 6 } } },
    { { 0.70710678f, 0, 0.70710678f }, 4, 2, 0.75f, 0.8f,
      { { 55, -5, 32, 1.2f, 1.2f, 6 }, { 61, -8, 42, 0.2f, 0.2f, 6 } } },
    { { 0, 0, 1 }, 4, 2, 0.8f, 0.85f, { { 38, 7, 49, 3, 2, 6 }, { 35, 11, 57, 0.5f, 0.5f, 6 } } },
    { { 0, 0, 1 }, 4, 2, 0.8f, 0.85f, { { 38, -7, 49, 3, 2, 6 }, { 35, -11, 57, 0.5f, 0.5f, 6 } } },
    { { -1, 0, 0 }, 8, 4, 0.85f, 1, { { -38, 0, 48, 2, 2, 7 }, { -44, 0, 50, 1.5f, 1.5f, 8 }, { -48, 0, 46, 1, 1, 9 },
      { -52, 0, 48, 0.5f, 0.5f, 9 } } },
};
// clang-format on
static const tube_of_rings boar_eyes[] = {
    { { 1, 0, 0 }, 4, 2, 0, 1, { { 48, 7, 43, 1.5f, 1.5f, 0 }, { 51, 6.5f, 42, 0.8f, 0.8f, 0 } } },
    { { 1, 0, 0 }, 4, 2, 0, 1, { { 48, -7, 43, 1.5f, 1.5f, 0 }, { 51, -6.5f, 42, 0.8f, 0.8f, 0 } } },
};

static const beast hound = {
    .name = "Hound",
    .picture = "hound.blp",
    .version = 800,
    .scale = 1,
    .pivots = { { -24, 0, 50 }, { 14, 0, 50 }, { 30, 0, 57 }, { 44, 0, 72 }, { -34, 0, 55 }, { -50, 0, 62 } },
    .legs = { { 22, 9, 46 }, { 22, -9, 46 }, { -26, 8, 46 }, { -26, -8, 46 } },
    .knee = 22,
    .tubes = hound_tubes,
    .eyes = hound_eyes,
    .tube_count = sizeof hound_tubes / sizeof *hound_tubes,
};

static const beast boar = {
    .name = "Boar",
    .picture = "boar.blp",
    .version = 1300,
    .scale = 1.0f / 32,
    .pivots = { { -22, 0, 42 }, { 14, 0, 46 }, { 32, 0, 43 }, { 42, 0, 40 }, { -38, 0, 48 }, { -46, 0, 48 } },
    .legs = { { 22, 11, 36 }, { 22, -11, 36 }, { -26, 11, 34 }, { -26, -11, 34 } },
    .knee = 16,
    .tubes = boar_tubes,
    .eyes = boar_eyes,
    .tube_count = sizeof boar_tubes / sizeof *boar_tubes,
};

// Shape

static void put_tubes(mdx_body *body, const beast *kind, const tube_of_rings *tubes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mdx_tube tube = { tubes[i].along, tubes[i].top, tubes[i].bottom, tubes[i].corners, kind->scale };
        mdx_body_tube(body, &tube, tubes[i].rings, tubes[i].count);
    }
}

static void put_leg(mdx_body *body, const beast *kind, uint32_t which)
{
    const float *hip = kind->legs[which], knee = kind->knee;
    uint8_t group = (uint8_t)(GROUP_OF_LEGS + 3 * which);
    mdx_ring rings[6] = { { hip[0], hip[1], hip[2], 5, 7, group },
                          { hip[0], hip[1], (hip[2] + knee) / 2, 4.5f, 5, group },
                          { hip[0] - 1, hip[1], knee, 3.5f, 4, (uint8_t)(group + 1) },
                          { hip[0] - 2, hip[1], knee / 3, 2.5f, 3, (uint8_t)(group + 2) },
                          { hip[0] - 1, hip[1], 2, 3, 4, (uint8_t)(group + 2) },
                          { hip[0] + 1, hip[1], 0, 3.5f, 6, (uint8_t)(group + 2) } };
    mdx_tube tube = { { 0, 0, -1 }, 0.5f, 0.75f, 8, kind->scale };
    mdx_body_tube(body, &tube, rings, 6);
}

// Groups of one, two, three and six nodes; all of a group have the same weight.
static const uint8_t movers[GROUPS][MOST_MOVERS + 1] = {
    // how many, who
    { 1, PELVIS },
    { 3, PELVIS, SWAY, CHEST },
    { 1, CHEST },
    { 6, CHEST, NECK, LEGS, LEGS + 2, SWAY, PELVIS },
    { 1, NECK },
    { 2, NECK, HEAD },
    { 1, HEAD },
    { 1, TAIL },
    { 2, TAIL, TAIL_TIP },
    { 1, TAIL_TIP },
    { 1, LEGS },
    { 2, LEGS, LEGS + 1 },
    { 1, LEGS + 1 },
    { 1, LEGS + 2 },
    { 2, LEGS + 2, LEGS + 3 },
    { 1, LEGS + 3 },
    { 1, LEGS + 4 },
    { 2, LEGS + 4, LEGS + 5 },
    { 1, LEGS + 5 },
    { 1, LEGS + 6 },
    { 2, LEGS + 6, LEGS + 7 },
    { 1, LEGS + 7 },
};

// The alpha repeats the skin in two words for each vertex.
static void put_packed_skin(mdx_maker *m, mdx_geoset *geoset, const mdx_body *body)
{
    static uint32_t indices[MDX_MOST_VERTICES], weights[MDX_MOST_VERTICES];
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        const uint8_t *group = movers[body->groups[i]];
        uint32_t count = group[0] < 4 ? group[0] : 4;
        indices[i] = weights[i] = 0;
        for (uint32_t k = 0; k < count; k++) {
            indices[i] |= (uint32_t)group[k + 1] << 8 * k;
            weights[i] |= (255 / count + (k == 0 ? 255 % count : 0)) << 8 * (3 - k);
        }
    }
    geoset->bone_indices = mdx_maker_u32s(m, indices, body->vertex_count);
    geoset->bone_weights = mdx_maker_u32s(m, weights, body->vertex_count);
}

static void put_skin(mdx_maker *m, mdx_geoset *geoset, const mdx_body *body)
{
    uint32_t sizes[GROUPS], nodes[GROUPS * MOST_MOVERS], count = 0;
    for (uint32_t i = 0; i < GROUPS; i++) {
        sizes[i] = movers[i][0];
        for (uint32_t k = 0; k < sizes[i]; k++) nodes[count++] = movers[i][k + 1];
    }
    geoset->group_sizes = mdx_maker_u32s(m, sizes, GROUPS);
    geoset->matrices = mdx_maker_u32s(m, nodes, count);
    if (mdx_is_wow(&m->doc)) put_packed_skin(m, geoset, body);
}

static void put_geosets(mdx_maker *m, const beast *kind)
{
    static mdx_body body, eyes;
    memset(&body, 0, sizeof body);
    memset(&eyes, 0, sizeof eyes);
    put_tubes(&body, kind, kind->tubes, kind->tube_count);
    for (uint32_t i = 0; i < LEG_COUNT; i++) put_leg(&body, kind, i);
    put_tubes(&eyes, kind, kind->eyes, 2);
    put_skin(m, mdx_maker_geoset(m, &body, 0), &body);
    mdx_geoset *glow = mdx_maker_geoset(m, &eyes, 1);
    glow->group_sizes = mdx_maker_u32s(m, &(uint32_t){ 1 }, 1);
    glow->matrices = mdx_maker_u32s(m, &(uint32_t){ HEAD }, 1);
    m->doc.model.extent = mdx_body_extent(&body);
    mdx_sequence *sequences = m->doc.sequences.items;
    for (uint32_t i = 0; i < m->doc.sequences.count; i++) sequences[i].extent = m->doc.model.extent;
}

// Looks

// Fur with stripes; a saddle through which the team's colour shows.
static uint8_t shade_fur(uint32_t x, uint32_t y, uint8_t *alpha)
{
    uint32_t noise = (x * 2654435761u ^ y * 2246822519u) >> 13;
    if (y >= 9 && y < 12) *alpha = x % 32 < 17 ? 0 : 255;
    return (uint8_t)(((x + y / 2) % 8 < 2 ? 2 : 0) + noise % 2);
}

static void put_material(mdx_maker *m, uint32_t count, const mdx_layer *layers)
{
    mdx_material *material = sni_push(&m->arena, &m->doc.materials, mdx_material);
    material->has_layers = true;
    material->layers = sni_new(&m->arena, mdx_layer, count);
    material->layer_count = count;
    memcpy(material->layers, layers, count * sizeof *layers);
}

// Skin over team colour, and eyes that glow and shimmer.
static void put_materials(mdx_maker *m, const beast *kind)
{
    bool is_alpha = kind->version >= MDX_WOW_VERSION;
    mdx_maker_texture(m, kind->picture, 0);
    if (!is_alpha) mdx_maker_texture(m, "", 1);
    mdx_maker_texture(m, "glow.blp", 0);
    mdx_layer team = { .filter = MDX_FILTER_NONE, .texture = 1, .texture_anim = -1, .alpha = 1 };
    mdx_layer skin = {
        .filter = is_alpha ? MDX_FILTER_NONE : MDX_FILTER_BLEND, .texture = 0, .texture_anim = -1, .alpha = 1
    };
    mdx_layer glow = { .filter = MDX_FILTER_ADDITIVE,
                       .flags = MDX_UNSHADED | MDX_LAYER_TWO_SIDED,
                       .texture = is_alpha ? 1 : 2,
                       .alpha = 1 };
    mdx_maker_track(m, &glow.item.tracks, TAG('K', 'M', 'T', 'A'), MDX_LINEAR, 0,
                    MDX_KEYS({ 0, { 1 } }, { 600, { 0.6f } }, { 1200, { 1 } }));
    put_material(m, is_alpha ? 1 : 2, is_alpha ? &skin : (mdx_layer[]){ team, skin });
    put_material(m, 1, &glow);
    mdx_texture_anim *shimmer = sni_push(&m->arena, &m->doc.texture_anims, mdx_texture_anim);
    mdx_maker_track(m, &shimmer->item.tracks, TAG('K', 'T', 'A', 'T'), MDX_LINEAR, 0,
                    MDX_KEYS({ 0, { 0, 0, 0 } }, { 1200, { 1, 0, 0 } }));
}

// The eyes close when it dies; in colours that tracks say from blue to red.
static void put_geoset_anims(mdx_maker *m)
{
    mdx_geoset_anim *body = sni_push(&m->arena, &m->doc.geoset_anims, mdx_geoset_anim);
    *body = (mdx_geoset_anim){
        .alpha = 1, .geoset = 0, .color = { 1, 1, 1 }, .flags = mdx_is_wow(&m->doc) ? 0 : MDX_DROP_SHADOW
    };
    mdx_geoset_anim *eyes = sni_push(&m->arena, &m->doc.geoset_anims, mdx_geoset_anim);
    *eyes = (mdx_geoset_anim){
        .alpha = 1, .geoset = 1, .color = { 1, 0.8f, 0.2f }, .flags = mdx_is_wow(&m->doc) ? 1 : MDX_USE_COLOR
    };
    mdx_maker_track(m, &eyes->item.tracks, TAG('K', 'G', 'A', 'O'), MDX_STEP, -1,
                    MDX_KEYS({ 0, { 1 } }, { 2500, { 1 } }, { 5000, { 1 } }, { 6000, { 0 } }));
    mdx_maker_track(m, &eyes->item.tracks, TAG('K', 'G', 'A', 'C'), MDX_LINEAR, -1,
                    MDX_KEYS({ 0, { 0.2f, 0.8f, 1 } }, { 2000, { 0.2f, 0.8f, 1 } }, { 2500, { 0.1f, 0.3f, 1 } },
                             { 3500, { 0.1f, 0.3f, 1 } }));
}

// Motion: Stand 0 to 2000, Walk 2500 to 3500, Death 5000 to 6500

static void put_sequences(mdx_maker *m, float speed)
{
    static const uint32_t wag = 1200;
    mdx_maker_sequence(m, "Stand", 0, 2000, 0, 0);
    mdx_maker_sequence(m, "Walk", 2500, 3500, speed, 0);
    mdx_maker_sequence(m, "Death", 5000, 6500, 0, MDX_NON_LOOPING);
    m->doc.global_sequences = mdx_maker_u32s(m, &wag, 1);
    if (!mdx_is_wow(&m->doc)) return;
    for (uint32_t i = 0; i < 3; i++) ((mdx_sequence *)m->doc.sequences.items)[i].blend_time = 150;
}

static mdx_maker_key turn_key(int32_t time, float x, float y, float z)
{
    sn_quat q = mdx_maker_turn(x, y, z);
    return (mdx_maker_key){ time, { q.x, q.y, q.z, q.w } };
}

// A key whose tangents are the same rotation: the curve rests there.
static mdx_maker_key rest_key(int32_t time, float x, float y, float z)
{
    mdx_maker_key key = turn_key(time, x, y, z);
    memcpy(key.values + 4, key.values, 4 * sizeof(float));
    memcpy(key.values + 8, key.values, 4 * sizeof(float));
    return key;
}

// Legs across from each other swing together; knees bend while their leg comes forward.
static void move_leg(mdx_maker *m, mdx_bone *bones, uint32_t which)
{
    float reach = which == 0 || which == 3 ? 0.3f : -0.3f, fold = which < 2 ? 0.25f : -0.25f;
    mdx_tracks *upper = &bones[LEGS + 2 * which].object.node.tracks,
               *lower = &bones[LEGS + 2 * which + 1].object.node.tracks;
    float sunk = which < 2 ? -0.9f : 0.9f;
    const mdx_maker_key swing[] = { turn_key(2500, 0, -reach, 0), turn_key(3000, 0, reach, 0),
                                    turn_key(3500, 0, -reach, 0), turn_key(5000, 0, 0, 0),
                                    turn_key(6000, 0, sunk, 0),   turn_key(6500, 0, sunk, 0) };
    const mdx_maker_key bend[] = { turn_key(2500, 0, 0, 0),        turn_key(reach > 0 ? 3250 : 2750, 0, fold, 0),
                                   turn_key(3500, 0, 0, 0),        turn_key(5000, 0, 0, 0),
                                   turn_key(6000, 0, 2 * fold, 0), turn_key(6500, 0, 2 * fold, 0) };
    mdx_maker_track(m, upper, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, sizeof swing / sizeof *swing, swing);
    mdx_maker_track(m, lower, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, sizeof bend / sizeof *bend, bend);
}

static void move_body(mdx_maker *m, mdx_bone *bones, mdx_node *sway, float scale)
{
    float low = 1.5f * scale, high = 6 * scale, down = -34 * scale;
    // Hermite: the tangents are what a segment would travel at that speed.
    mdx_maker_track(m, &bones[PELVIS].object.node.tracks, TAG('K', 'G', 'T', 'R'), MDX_HERMITE, -1,
                    MDX_KEYS({ 2500, { 0, 0, -low, 0, 0, 0, 0, 0, 0 } }, { 2750, { 0, 0, low, 0, 0, 0, 0, 0, 0 } },
                             { 3000, { 0, 0, -low, 0, 0, 0, 0, 0, 0 } }, { 3250, { 0, 0, low, 0, 0, 0, 0, 0, 0 } },
                             { 3500, { 0, 0, -low, 0, 0, 0, 0, 0, 0 } }, { 5000, { 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
                             { 6000, { 0, 0, down, 0, 0, 2 * down, 0, 0, 0 } },
                             { 6500, { 0, 0, down, 0, 0, 0, 0, 0, 0 } }));
    // Bezier: the tangents are points that pull the curve.
    mdx_maker_track(m, &sway->tracks, TAG('K', 'G', 'T', 'R'), MDX_BEZIER, -1,
                    MDX_KEYS({ 0, { 0, 0, 0, 0, 0, 0, 0, 0, high / 6 } },
                             { 1000, { 0, 0, high / 4, 0, 0, high / 4, 0, 0, high / 4 } },
                             { 2000, { 0, 0, 0, 0, 0, high / 6, 0, 0, 0 } }));
    mdx_maker_track(m, &sway->tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, -1, 3,
                    (mdx_maker_key[]){ turn_key(2500, 0, 0, 0.05f), turn_key(3000, 0, 0, -0.05f),
                                       turn_key(3500, 0, 0, 0.05f) });
    mdx_maker_track(m, &bones[CHEST].object.node.tracks, TAG('K', 'G', 'S', 'C'), MDX_LINEAR, 0,
                    MDX_KEYS({ 0, { 1, 1, 1 } }, { 600, { 1, 1.05f, 1.05f } }, { 1200, { 1, 1, 1 } }));
    mdx_maker_track(m, &bones[HEAD].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_HERMITE, -1, 7,
                    (mdx_maker_key[]){ rest_key(0, 0, 0, 0), rest_key(700, 0, 0.05f, 0.3f),
                                       rest_key(1400, 0, 0.05f, -0.3f), rest_key(2000, 0, 0, 0),
                                       rest_key(5000, 0, 0, 0), rest_key(6000, 0.2f, 0.5f, 0.2f),
                                       rest_key(6500, 0.2f, 0.5f, 0.2f) });
    mdx_maker_track(m, &bones[TAIL].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_LINEAR, 0, 3,
                    (mdx_maker_key[]){ turn_key(0, 0, 0, 0.35f), turn_key(600, 0, 0, -0.35f),
                                       turn_key(1200, 0, 0, 0.35f) });
    mdx_maker_track(m, &bones[TAIL_TIP].object.node.tracks, TAG('K', 'G', 'R', 'T'), MDX_HERMITE, 0, 3,
                    (mdx_maker_key[]){ rest_key(0, 0, 0, 0.25f), rest_key(600, 0, 0, -0.25f),
                                       rest_key(1200, 0, 0, 0.25f) });
}

// Nodes

static void put_bones(mdx_maker *m)
{
    static const struct {
        const char *name;
        int32_t parent;
    } bones[BONES] = { { "Bone_Pelvis", -1 },        { "Bone_Chest", SWAY },      { "Bone_Neck", CHEST },
                       { "Bone_Head", NECK },        { "Bone_Tail", PELVIS },     { "Bone_Tail_Tip", TAIL },
                       { "Bone_Leg_FL", CHEST },     { "Bone_Shin_FL", LEGS },    { "Bone_Leg_FR", CHEST },
                       { "Bone_Shin_FR", LEGS + 2 }, { "Bone_Leg_BL", PELVIS },   { "Bone_Shin_BL", LEGS + 4 },
                       { "Bone_Leg_BR", PELVIS },    { "Bone_Shin_BR", LEGS + 6 } };
    uint32_t flags = mdx_is_wow(&m->doc) ? 0 : 0x100;
    for (int32_t i = 0; i < BONES; i++) {
        mdx_bone *bone = sni_push(&m->arena, &m->doc.bones, mdx_bone);
        *bone = (mdx_bone){ .object.node = mdx_maker_node(bones[i].name, i, bones[i].parent, flags),
                            .geoset = i == HEAD ? -1 : 0,
                            .geoset_anim = -1 };
    }
}

static mdx_node *put_sway(mdx_maker *m)
{
    if (mdx_is_wow(&m->doc)) {
        mdx_helper *helper = sni_push(&m->arena, &m->doc.helpers, mdx_helper);
        helper->object.node = mdx_maker_node("Sway", SWAY, PELVIS, 0);
        return &helper->object.node;
    }
    mdx_bone *bone = sni_push(&m->arena, &m->doc.bones, mdx_bone);
    *bone = (mdx_bone){ .object.node = mdx_maker_node("Sway", SWAY, PELVIS, 0x100), .geoset = 0, .geoset_anim = -1 };
    return &bone->object.node;
}

static void put_pivots(mdx_maker *m, const beast *kind)
{
    float pivots[NODES][3] = { { 0 } };
    memcpy(pivots, kind->pivots, sizeof kind->pivots);
    for (uint32_t i = 0; i < LEG_COUNT; i++) {
        memcpy(pivots[LEGS + 2 * i], kind->legs[i], sizeof pivots[0]);
        memcpy(pivots[LEGS + 2 * i + 1], (float[3]){ kind->legs[i][0], kind->legs[i][1], kind->knee },
               sizeof pivots[0]);
    }
    memcpy(pivots[SWAY], (float[3]){ -4, 0, 50 }, sizeof pivots[0]);
    for (int i = LAMP; i <= OVERHEAD; i++) memcpy(pivots[i], kind->pivots[HEAD], sizeof pivots[0]);
    pivots[LAMP][0] += 14, pivots[OVERHEAD][2] += 30;
    memcpy(pivots[DUST], (float[3]){ -26, 0, 2 }, sizeof pivots[0]);
    memcpy(pivots[TRAIL], kind->pivots[TAIL_TIP], sizeof pivots[0]);
    for (int i = 0; i < NODES; i++)
        for (int axis = 0; axis < 3; axis++) pivots[i][axis] *= kind->scale;
    m->doc.pivots = mdx_maker_floats(m, &pivots[0][0], NODES, 3);
}

static void put_emitters(mdx_maker *m, const beast *kind)
{
    bool is_alpha = mdx_is_wow(&m->doc);
    mdx_emitter2 *dust = sni_push(&m->arena, &m->doc.emitters2, mdx_emitter2);
    *dust = (mdx_emitter2){ .object.node = mdx_maker_node("Dust", DUST, PELVIS, is_alpha ? 0x800 : 0x1000),
                            .speed = 20 * kind->scale,
                            .variation = 0.3f,
                            .latitude = 30,
                            .gravity = -5 * kind->scale,
                            .life_span = 0.8f,
                            .emission_rate = 6,
                            .length = 10 * kind->scale,
                            .width = 20 * kind->scale,
                            .filter = 0,
                            .rows = 1,
                            .columns = 1,
                            .tail_length = 1,
                            .middle_time = 0.5f,
                            .colors = { { 0.7f, 0.6f, 0.45f }, { 0.7f, 0.6f, 0.45f }, { 0.6f, 0.55f, 0.5f } },
                            .alphas = { 120, 80, 0 },
                            .scales = { 4 * kind->scale, 8 * kind->scale, 14 * kind->scale },
                            .texture = is_alpha ? 1 : 2,
                            .emitter_type = 1 };
    for (int i = 0; i < 4; i++) dust->uv_anims[i][2] = 1;
    mdx_maker_track(m, &dust->object.item.tracks, is_alpha ? TAG('K', 'V', 'I', 'S') : TAG('K', 'P', '2', 'V'),
                    MDX_STEP, -1, MDX_KEYS({ 0, { 0 } }, { 2500, { 1 } }, { 5000, { 0 } }));
    mdx_ribbon *trail = sni_push(&m->arena, &m->doc.ribbons, mdx_ribbon);
    *trail = (mdx_ribbon){ .object.node = mdx_maker_node("Trail", TRAIL, TAIL_TIP, is_alpha ? 0x2000 : 0x4000),
                           .height_above = 2 * kind->scale,
                           .height_below = 2 * kind->scale,
                           .alpha = 0.5f,
                           .life_span = 0.5f,
                           .color = { 1, 0.8f, 0.2f },
                           .emission_rate = 20,
                           .rows = 1,
                           .columns = 1,
                           .material = 1 };
    mdx_maker_track(m, &trail->object.item.tracks, TAG('K', 'R', 'A', 'L'), MDX_LINEAR, 0,
                    MDX_KEYS({ 0, { 0.5f } }, { 600, { 0.1f } }, { 1200, { 0.5f } }));
}

static void put_marks(mdx_maker *m, const beast *kind)
{
    bool is_alpha = mdx_is_wow(&m->doc);
    static const uint32_t steps[4] = { 2500, 2750, 3000, 3250 };
    mdx_light *lamp = sni_push(&m->arena, &m->doc.lights, mdx_light);
    *lamp = (mdx_light){ .object.node = mdx_maker_node("Eye Light", LAMP, HEAD, is_alpha ? 0x100 : 0x200),
                         .attenuation_start = 20 * kind->scale,
                         .attenuation_end = 80 * kind->scale,
                         .color = { 1, 0.8f, 0.2f },
                         .intensity = 1,
                         .ambient_color = { 1, 1, 1 } };
    mdx_attachment *overhead = sni_push(&m->arena, &m->doc.attachments, mdx_attachment);
    *overhead = (mdx_attachment){
        .object.node = mdx_maker_node("Overhead Ref", OVERHEAD, HEAD, is_alpha ? 0x400 : 0x800), .attachment_id = 0
    };
    mdx_maker_track(m, &overhead->object.item.tracks, is_alpha ? TAG('K', 'V', 'I', 'S') : TAG('K', 'A', 'T', 'V'),
                    MDX_STEP, -1, MDX_KEYS({ 0, { 1 } }, { 2500, { 1 } }, { 5000, { 1 } }, { 6000, { 0 } }));
    mdx_event *step = sni_push(&m->arena, &m->doc.events, mdx_event);
    *step = (mdx_event){ .object.node = mdx_maker_node(is_alpha ? "$FSD" : "FPTxHND0", STEP, PELVIS,
                                                       is_alpha ? 0x200 : 0x400),
                         .has_times = true,
                         .global_sequence = -1,
                         .times = mdx_maker_u32s(m, steps, 4) };
    mdx_camera *camera = sni_push(&m->arena, &m->doc.cameras, mdx_camera);
    const float *head = kind->pivots[HEAD], scale = kind->scale;
    *camera = (mdx_camera){ .name = mdx_maker_text("Portrait"),
                            .position = { (head[0] + 80) * scale, 30 * scale, (head[2] + 10) * scale },
                            .target = { head[0] * scale, 0, head[2] * scale },
                            .fov = 0.75f,
                            .far_clip = 500 * scale,
                            .near_clip = 4 * scale };
}

// What may be clicked: a ball around the body, a box around all.
static void put_shapes(mdx_maker *m, float scale)
{
    bool is_alpha = mdx_is_wow(&m->doc);
    mdx_list *list = is_alpha ? &m->doc.hit_tests : &m->doc.shapes;
    const float ball[4] = { 0, 0, 48 * scale, 34 * scale };
    const float box[6] = { -45 * scale, -18 * scale, 0, 66 * scale, 18 * scale, 85 * scale };
    mdx_shape *shape = sni_push(&m->arena, list, mdx_shape);
    *shape = (mdx_shape){ .object.node = mdx_maker_node("Ball", BALL, PELVIS, is_alpha ? 0x1000 : 0x2000),
                          .kind = MDX_SPHERE,
                          .values = mdx_maker_floats(m, ball, 4, 1) };
    shape = sni_push(&m->arena, list, mdx_shape);
    *shape = (mdx_shape){ .object.node = mdx_maker_node("Box", BOX, -1, is_alpha ? 0x1000 : 0x2000),
                          .kind = MDX_BOX,
                          .values = mdx_maker_floats(m, box, 6, 1) };
}

// The alpha's collision is a mesh: a board at breast height.
static void put_board(mdx_maker *m, float scale)
{
    const float corners[4][3] = { { -40 * scale, -16 * scale, 40 * scale },
                                  { 40 * scale, -16 * scale, 40 * scale },
                                  { 40 * scale, 16 * scale, 40 * scale },
                                  { -40 * scale, 16 * scale, 40 * scale } };
    const float normals[2][3] = { { 0, 0, 1 }, { 0, 0, 1 } };
    const uint16_t faces[6] = { 0, 1, 2, 0, 2, 3 };
    m->doc.collision_positions = mdx_maker_floats(m, &corners[0][0], 4, 3);
    m->doc.collision_faces = mdx_maker_u16s(m, faces, 6);
    m->doc.collision_normals = mdx_maker_floats(m, &normals[0][0], 2, 3);
}

static bool make_beast(const char *folder, const beast *kind, const char *file, const char *picture,
                       const blp_color palette[4])
{
    mdx_maker m;
    mdx_maker_init(&m, kind->version, kind->name);
    put_sequences(&m, 220 * kind->scale);
    put_materials(&m, kind);
    put_geosets(&m, kind);
    put_geoset_anims(&m);
    put_bones(&m);
    mdx_node *sway = put_sway(&m);
    mdx_bone *bones = m.doc.bones.items;
    move_body(&m, bones, sway, kind->scale);
    for (uint32_t i = 0; i < LEG_COUNT; i++) move_leg(&m, bones, i);
    put_pivots(&m, kind);
    put_emitters(&m, kind);
    put_marks(&m, kind);
    put_shapes(&m, kind->scale);
    if (mdx_is_wow(&m.doc)) put_board(&m, kind->scale);
    bool is_made = mdx_maker_save(&m, folder, file) &&
                   mdx_maker_picture(&m, folder, picture, 32, palette, 4, shade_fur);
    mdx_maker_free(&m);
    return is_made;
}

static uint8_t shade_glow(uint32_t x, uint32_t y, uint8_t *alpha)
{
    int32_t dx = 2 * (int32_t)x - 15, dy = 2 * (int32_t)y - 15, far = dx * dx + dy * dy;
    *alpha = (uint8_t)(far > 255 ? 0 : 255 - far);
    return (uint8_t)(far > 255 ? 3 : far / 64);
}

static bool make_glow(const char *folder)
{
    static const blp_color fire[4] = { { 255, 240, 190 }, { 255, 200, 90 }, { 200, 110, 20 }, { 0, 0, 0 } };
    mdx_maker m;
    mdx_maker_init(&m, 800, "");
    bool is_made = mdx_maker_picture(&m, folder, "glow.blp", 16, fire, 4, shade_glow);
    mdx_maker_free(&m);
    return is_made;
}

bool make_beasts(const char *folder)
{
    static const blp_color grey[4] = { { 112, 104, 98 }, { 122, 114, 106 }, { 66, 60, 58 }, { 74, 68, 64 } };
    static const blp_color brown[4] = { { 118, 82, 54 }, { 130, 92, 62 }, { 74, 50, 34 }, { 84, 58, 40 } };
    return make_beast(folder, &hound, "hound.mdx", "hound.blp", grey) &&
           make_beast(folder, &boar, "boar.mdx", "boar.blp", brown) && make_glow(folder);
}
