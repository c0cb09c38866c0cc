// The rules of Warcraft III, each by a small MDL that breaks it; and repairs, read back from the text that is saved.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"
#include "sinew/sinew.h"

// A model that follows all rules.
#define HEAD      "Version {\n FormatVersion 800,\n}\nModel \"M\" {\n BlendTime 150,\n}\n"
#define BOX(size) "MaximumExtent { " #size ", " #size ", 0 },\n BoundsRadius 2,\n"
#define SEQUENCES                                                                                              \
    "Sequences 2 {\n Anim \"Stand\" {\n Interval { 0, 1000 },\n " BOX(1) " }\n Anim \"Death\" {\n Interval { " \
                                                                         "2000, 3000 },\n " BOX(1) " }\n}\n"
#define LOOKS                                                                                                  \
    "Textures 1 {\n Bitmap {\n Image \"Textures\\white.blp\",\n }\n}\nMaterials 1 {\n Material {\n Layer {\n " \
    "FilterMode None,\n static TextureID 0,\n }\n }\n}\n"
#define GEOSET_WITH(groups, extents)                                                                                   \
    "Geoset {\n Vertices 3 {\n { 0, 0, 0 },\n { 1, 0, 0 },\n { 0, 1, 0 },\n }\n Normals 3 {\n { 0, 0, 1 },\n { 0, 0, " \
    "1 },\n { 0, 0, 1 },\n }\n TVertices 3 {\n { 0, 0 },\n { 1, 0 },\n { 0, 1 },\n }\n VertexGroup {\n 0,\n 0,\n "     \
    "0,\n "                                                                                                            \
    "}\n Faces 1 3 {\n Triangles {\n { 0, 1, 2 },\n }\n }\n Groups " groups "\n MaximumExtent { 1, 1, 0 },\n " extents \
    " MaterialID 0,\n SelectionGroup 0,\n}\n"
#define EXTENTS                                                                                                       \
    "Anim {\n MaximumExtent { 1, 1, 0 },\n BoundsRadius 2,\n }\n Anim {\n MaximumExtent { 1, 1, 0 },\n BoundsRadius " \
    "2,\n }\n"
#define GEOSET GEOSET_WITH("1 1 {\n Matrices { 0 },\n }", EXTENTS)
#define BONE   "Bone \"B\" {\n ObjectId 0,\n GeosetId 0,\n GeosetAnimId None,\n}\n"
#define ORIGIN "Attachment \"Origin Ref\" {\n ObjectId 1,\n AttachmentID 0,\n}\n"
#define PIVOTS "PivotPoints 2 {\n { 0, 0, 0 },\n { 0, 0, 5 },\n}\n"

static sn_model *load(const char *text)
{
    sn_error error;
    const sn_load_opts opts = { .name = "m.mdl", .game = SN_GAME_WARCRAFT_3, .keep_document = true };
    sn_model *model = sn_load_memory(text, strlen(text), &opts, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    return model;
}

static const sn_warning *find(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strcmp(sn_warning_name(model->warnings[i].code), name) == 0) return &model->warnings[i];
    return NULL;
}

static void test_good(void **state)
{
    (void)state;
    sn_model *model = load(HEAD SEQUENCES LOOKS GEOSET BONE ORIGIN PIVOTS);
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strncmp(sn_warning_name(model->warnings[i].code), "WAR3_", 5) == 0)
            fail_msg("%s: %s", sn_warning_name(model->warnings[i].code), model->warnings[i].message);
    sn_model_free(model);
}

#define PARTICLES(more)                                                                                     \
    "ParticleEmitter2 \"P\" {\n ObjectId 2,\n static Speed 1,\n static Latitude 1,\n LifeSpan 1,\n static " \
    "EmissionRate "                                                                                         \
    "1,\n static Length 1,\n static Width 1,\n Blend,\n Head,\n TailLength 1,\n TextureID 0,\n " more "}\n"
#define PIVOTS3  "PivotPoints 3 {\n { 0, 0, 0 },\n { 0, 0, 5 },\n { 0, 0, 0 },\n}\n"
#define BASE     HEAD SEQUENCES LOOKS GEOSET BONE ORIGIN
#define TRACK(t) "Bone \"B\" {\n ObjectId 0,\n GeosetId 0,\n GeosetAnimId None,\n " t "}\n"
#define MOVED(t)                         \
    HEAD SEQUENCES LOOKS GEOSET TRACK(t) \
    ORIGIN PIVOTS

#define HEAD1000 "Version {\n FormatVersion 1000,\n}\nModel \"M\" {\n BlendTime 150,\n}\n"
#define SKINNED(weights)                                                                                    \
    "Geoset {\n Vertices 1 {\n { 0, 0, 0 },\n }\n Normals 1 {\n { 0, 0, 1 },\n }\n TVertices 1 {\n { 0, 0 " \
    "},\n }\n SkinWeights 1 {\n { 0, 0, 0, 0, " weights                                                     \
    " },\n }\n Faces 1 3 {\n Triangles {\n { 0, 0, 0 },\n }\n }\n MaterialID 0,\n}\n"

static const struct {
    const char *name, *path, *text;
} rules[] = {
    { "WAR3_VERSION", "", "Version {\n FormatVersion 900,\n}\n" SEQUENCES },
    { "WAR3_IDS", "", HEAD SEQUENCES LOOKS GEOSET BONE "Helper \"H\" {\n ObjectId 7,\n}\n" ORIGIN PIVOTS3 },
    { "WAR3_BONES_FIRST", "",
      HEAD SEQUENCES LOOKS GEOSET BONE "Helper \"H\" {\n ObjectId 1,\n}\nBone \"C\" {\n ObjectId 2,\n}\n" PIVOTS3 },
    { "WAR3_PIVOTS", "", BASE "PivotPoints 1 {\n { 0, 0, 0 },\n}\n" },
    { "WAR3_PARENT", "HELP[0]", BASE "Helper \"H\" {\n ObjectId 2,\n Parent 2,\n}\n" PIVOTS3 },
    { "WAR3_NOT_A_BONE", "GEOS[0]",
      HEAD SEQUENCES LOOKS GEOSET_WITH("1 1 {\n Matrices { 1 },\n }", EXTENTS) BONE ORIGIN PIVOTS },
    { "WAR3_UNATTACHED", "GEOS[0]",
      HEAD SEQUENCES LOOKS GEOSET_WITH("1 1 {\n Matrices { 9 },\n }", EXTENTS) BONE ORIGIN PIVOTS },
    { "WAR3_SEQUENCE_ORDER", "SEQS[1]",
      HEAD "Sequences 2 {\n Anim \"Stand\" {\n Interval { 500, 1000 },\n }\n Anim \"Death\" {\n Interval { 0, 400 },\n "
           "}\n}\n" },
    { "WAR3_SEQUENCE_TIME", "SEQS[0]", HEAD "Sequences 1 {\n Anim \"Stand\" {\n Interval { 9, 9 },\n }\n}\n" },
    { "WAR3_SEQUENCE_NAME", "SEQS[0]", HEAD "Sequences 1 {\n Anim \"Idle\" {\n Interval { 0, 9 },\n }\n}\n" },
    { "WAR3_UNIT", "", HEAD "Sequences 1 {\n Anim \"Stand\" {\n Interval { 0, 9 },\n }\n}\n" },
    { "WAR3_ORIGIN", "", HEAD SEQUENCES },
    { "WAR3_EXTENTS", "GEOS[0]",
      HEAD SEQUENCES LOOKS GEOSET_WITH("1 1 {\n Matrices { 0 },\n }", "") BONE ORIGIN PIVOTS },
    { "WAR3_EXTENT_BOX", "SEQS[0]",
      HEAD "Sequences 1 {\n Anim \"Stand\" {\n Interval { 0, 1000 },\n " BOX(
          0.5) " }\n}\n" LOOKS GEOSET BONE ORIGIN PIVOTS },
    { "WAR3_KEY_ORDER", "BONE[0] \"B\"/KGTR",
      MOVED("Translation 2 {\n Linear,\n 9: { 0, 0, 0 },\n 0: { 0, 0, 1 },\n }\n") },
    { "WAR3_KEY_TWICE", "BONE[0] \"B\"/KGTR",
      MOVED("Translation 2 {\n Linear,\n 0: { 0, 0, 0 },\n 0: { 0, 0, 0 },\n }\n") },
    { "WAR3_KEY_AT_START", "BONE[0] \"B\"/KGTR",
      MOVED("Translation 2 {\n Linear,\n 100: { 0, 0, 0 },\n 900: { 0, 0, 1 },\n }\n") },
    { "WAR3_VISIBILITY", "ATCH[1] \"O\"/KATV",
      BASE "Attachment \"O\" {\n ObjectId 2,\n AttachmentID 1,\n Visibility 1 {\n Linear,\n 0: 1,\n }\n}\n" PIVOTS3 },
    { "WAR3_TEXTURE", "TEXS[0]", HEAD "Textures 1 {\n Bitmap {\n Image \"a.png\",\n }\n}\n" },
    { "WAR3_TEXTURE", "TEXS[0]", HEAD "Textures 1 {\n Bitmap {\n Image \"\",\n ReplaceableId 9,\n }\n}\n" },
    { "WAR3_TEXTURE_BOTH", "TEXS[0]", HEAD "Textures 1 {\n Bitmap {\n Image \"a.blp\",\n ReplaceableId 1,\n }\n}\n" },
    { "WAR3_MATERIAL", "MTLS[0]", HEAD "Materials 1 {\n Material {\n }\n}\n" },
    { "WAR3_REFERENCE", "MTLS[0]/LAYS[0]",
      HEAD "Materials 1 {\n Material {\n Layer {\n FilterMode None,\n static TextureID 4,\n }\n }\n}\n" },
    { "WAR3_GEOSET", "GEOS[0]", BASE "GeosetAnim {\n GeosetId 0,\n}\nGeosetAnim {\n GeosetId 0,\n}\n" PIVOTS },
    { "WAR3_INVISIBLE", "BONE[0]",
      HEAD SEQUENCES LOOKS GEOSET
      "GeosetAnim {\n static Alpha 0,\n GeosetId 0,\n}\nBone \"B\" {\n ObjectId 0,\n GeosetId "
      "0,\n GeosetAnimId 0,\n}\n" ORIGIN PIVOTS },
    { "WAR3_LIGHT", "LITE[0]",
      BASE "Light \"L\" {\n ObjectId 2,\n Omnidirectional,\n static AttenuationStart 10,\n static AttenuationEnd "
           "20,\n}\n" PIVOTS3 },
    { "WAR3_PATH", "ATCH[0]", HEAD "Attachment \"A\" {\n ObjectId 0,\n Path \"a.txt\",\n}\n" },
    { "WAR3_EMITTER", "PRE2[0]", BASE PARTICLES("Time 2,\n Rows 1,\n Columns 1,\n") PIVOTS3 },
    { "WAR3_EMITTER", "PRE2[0]", BASE PARTICLES("Time 0.5,\n Rows 1,\n Columns 1,\n Squirt,\n") PIVOTS3 },
    { "WAR3_EMITTER_GRID", "PRE2[0]", BASE PARTICLES("Time 0.5,\n Rows 3,\n Columns 1,\n") PIVOTS3 },
    { "WAR3_EVENT", "EVTS[0]", BASE "EventObject \"SNDxAAAA\" {\n ObjectId 2,\n}\n" PIVOTS3 },
    { "WAR3_EVENT_NAME", "EVTS[0]",
      BASE "EventObject \"Boom\" {\n ObjectId 2,\n EventTrack 1 {\n 5,\n }\n}\n" PIVOTS3 },
    { "WAR3_CAMERA", "CAMS[0]", BASE "Camera \"C\" {\n FieldOfView 1,\n}\n" PIVOTS },
    { "WAR3_UNUSED", "BONE[0]", HEAD SEQUENCES BONE ORIGIN PIVOTS },
    { "WAR3_KEY_OUTSIDE", "BONE[0] \"B\"/KGTR",
      HEAD LOOKS GEOSET TRACK("Translation 1 {\n Linear,\n 0: { 0, 0, 0 },\n }\n") },
    { "WAR3_SHAPE", "CLID[0]", BASE "CollisionShape \"C\" {\n ObjectId 2,\n Box,\n Values { 1, 2, 3 }\n}\n" PIVOTS3 },
    { "WAR3_WEIGHTS", "GEOS[0]", HEAD1000 LOOKS SKINNED("200, 0, 0, 0") BONE },
    { "WAR3_BIND_POSE", "",
      HEAD1000 BONE "BindPose {\n Matrices 1 {\n { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 },\n }\n}\n" },
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        sn_model *model = load(rules[i].text);
        const sn_warning *found = find(model, rules[i].name);
        if (!found) fail_msg("rule %zu: %s is not found", i, rules[i].name);
        const size_t size = strlen(rules[i].path);
        if (strncmp(found->path, rules[i].path, size) != 0 || (size == 0 && found->path[0]))
            fail_msg("rule %zu: %s at \"%s\", not at \"%s\"", i, rules[i].name, found->path, rules[i].path);
        check_repaired(model, NULL, false);
        sn_model_free(model);
    }
}

// Weights that sum to 255 are as they should be.
static void test_good_weights(void **state)
{
    (void)state;
    sn_model *model = load(HEAD1000 LOOKS SKINNED("200, 55, 0, 0") BONE);
    assert_null(find(model, "WAR3_WEIGHTS"));
    sn_model_free(model);
}

// Geosets at the limits of the game and one past them.
static void check_geoset(uint32_t vertices, uint32_t groups, const char *name)
{
    static char text[1 << 20];
    size_t at = (size_t)snprintf(text, sizeof text, "%sGeoset {\n Vertices %u {\n", HEAD LOOKS, vertices);
    for (uint32_t i = 0; i < vertices; i++) at += (size_t)snprintf(text + at, sizeof text - at, " { %u, 0, 0 },\n", i);
    at += (size_t)snprintf(text + at, sizeof text - at, " }\n Normals %u {\n", vertices);
    for (uint32_t i = 0; i < vertices; i++) at += (size_t)snprintf(text + at, sizeof text - at, " { 0, 0, 1 },\n");
    at += (size_t)snprintf(text + at, sizeof text - at, " }\n VertexGroup {\n");
    for (uint32_t i = 0; i < vertices; i++) at += (size_t)snprintf(text + at, sizeof text - at, " 0,\n");
    at += (size_t)snprintf(text + at, sizeof text - at,
                           " }\n Faces 1 3 {\n Triangles {\n { 0, 1, 2 },\n }\n }\n Groups %u %u {\n", groups, groups);
    for (uint32_t i = 0; i < groups; i++) at += (size_t)snprintf(text + at, sizeof text - at, " Matrices { 0 },\n");
    snprintf(text + at, sizeof text - at, " }\n MaterialID 0,\n}\n%s", BONE);
    sn_model *model = load(text);
    const sn_warning *vertices_found = find(model, "WAR3_VERTICES"), *groups_found = find(model, "WAR3_GROUPS");
    assert_true((vertices_found != NULL) == (strcmp(name, "WAR3_VERTICES") == 0));
    assert_true((groups_found != NULL) == (strcmp(name, "WAR3_GROUPS") == 0));
    if (find(model, name)) assert_string_equal(find(model, name)->path, "GEOS[0]");
    sn_model_free(model);
}

static void test_limits(void **state)
{
    (void)state;
    check_geoset(7432, 255, "");
    check_geoset(7433, 1, "WAR3_VERTICES");
    check_geoset(3, 256, "WAR3_GROUPS");
}

// MDL cuts names when it is read; in MDX they may fill the field of 80 bytes.
static void test_name(void **state)
{
    (void)state;
    enum { VERSION = 12, MODEL = 8 + 372 };
    for (int size = 79; size <= 80; size++) {
        uint8_t file[4 + VERSION + MODEL] = "MDLXVERS\4\0\0\0\x20\3\0\0MODL\x74\1";
        const sn_load_opts opts = { .name = "m.mdx", .game = SN_GAME_WARCRAFT_3, .keep_document = true };
        sn_error error;
        memset(file + 4 + VERSION + 8, 'n', (size_t)size);
        sn_model *model = sn_load_memory(file, sizeof file, &opts, &error);
        if (!model) fail_msg("%s: %s", error.path, error.message);
        assert_true((find(model, "WAR3_NAME") != NULL) == (size == 80));
        check_repaired(model, NULL, false);
        sn_model_free(model);
    }
}

static sn_bytes repair(const char *text)
{
    sn_error error;
    sn_bytes bytes;
    sn_model *model = load(text);
    const sn_save_opts opts = { .game = SN_GAME_WARCRAFT_3, .repairs = true };
    if (sn_save_memory(model, "mdl", &opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model_free(model);
    return bytes;
}

static void expect(const char *text, const char *const *parts)
{
    sn_bytes bytes = repair(text);
    char *copy = calloc(bytes.size + 1, 1);
    memcpy(copy, bytes.data, bytes.size);
    for (; *parts; parts++)
        if (!strstr(copy, *parts)) fail_msg("\"%s\" is not in:\n%s", *parts, copy);
    free(copy);
    sn_bytes_free(&bytes);
}

// From 1 at 900 to 0 at 100, across 1000 = 0: half of the way of 200 ms.
static void test_start_key(void **state)
{
    (void)state;
    expect(MOVED("Translation 2 {\n Linear,\n 100: { 0, 0, 0 },\n 900: { 0, 0, 1 },\n }\n"),
           (const char *const[]){ "Translation 3 {", "0: { 0, 0, 0.5 },", "100: { 0, 0, 0 },", NULL });
}

// From 1 at 700 to 0 at 100, across 1000 = 0: three quarters of the way of 400 ms. The key and the tangents beside it
// are those of the two halves of the curve.
static void test_start_key_of_curves(void **state)
{
    (void)state;
    expect(MOVED("Translation 2 {\n Hermite,\n 100: { 0, 0, 0 },\n InTan { 0, 0, 2 },\n OutTan { 0, 0, 8 },\n"
                 " 700: { 0, 0, 1 },\n InTan { 0, 0, 16 },\n OutTan { 0, 0, 4 },\n }\n"),
           (const char *const[]){ "0: { 0, 0, 0.0625 },\n\t\t\tInTan { 0, 0, -1.5 },\n\t\t\tOutTan { 0, 0, -0.5 },",
                                  "100: { 0, 0, 0 },\n\t\t\tInTan { 0, 0, 0.5 },\n\t\t\tOutTan { 0, 0, 8 },",
                                  "700: { 0, 0, 1 },\n\t\t\tInTan { 0, 0, 16 },\n\t\t\tOutTan { 0, 0, 3 },", NULL });
    expect(MOVED("Translation 2 {\n Bezier,\n 100: { 0, 0, 0 },\n InTan { 0, 0, -1 },\n OutTan { 0, 0, 8 },\n"
                 " 700: { 0, 0, 1 },\n InTan { 0, 0, 16 },\n OutTan { 0, 0, 2 },\n }\n"),
           (const char *const[]){ "0: { 0, 0, -0.125 },\n\t\t\tInTan { 0, 0, 0.25 },\n\t\t\tOutTan { 0, 0, -0.25 },",
                                  "100: { 0, 0, 0 },\n\t\t\tInTan { 0, 0, -0.25 },",
                                  "700: { 0, 0, 1 },\n\t\t\tInTan { 0, 0, 16 },\n\t\t\tOutTan { 0, 0, 1.75 },", NULL });
}

static sn_track first_track(const sn_model *model)
{
    assert_true(model->clips[0].track_count > 0);
    sn_track track = model->clips[0].tracks[0];
    track.wrap = SN_WRAP_CYCLE;  // from the last key to the first, without a jump at the first
    return track;
}

// Whether the first track shows the same around the whole loop after the model was saved.
// Half of the way overflows: a repair must not write what is no number. One that was none counts as 0.
static void test_start_key_overflows(void **state)
{
    (void)state;
#define FAR   "340000000000000000000000000000000000000"
#define CURVE "{ " FAR ", 0, 0 },\n InTan { -" FAR ", 0, 0 },\n OutTan { " FAR ", 0, 0 },\n"
    expect(MOVED("Translation 2 {\n Hermite,\n 100: " CURVE " 900: { -" FAR ", 1, 0 },\n InTan { -" FAR
                 ", 0, 0 },\n OutTan { " FAR ", 0, 0 },\n }\n"),
           (const char *const[]){ "Translation 2 {", NULL });

    sn_error error;
    sn_bytes bytes;
    sn_model *model = load(MOVED("Rotation 2 {\n Linear,\n 100: { 0, 0, 0, 1 },\n 900: { 0, 0.6, 0, 0.8 },\n }\n"));
    if (sn_save_memory(model, "mdx", NULL, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model_free(model);
    const sn_load_opts opts = { .name = "m.mdx", .game = SN_GAME_WARCRAFT_3, .keep_document = true };
    const float from = 0.6f, to = NAN;
    uint8_t *copy = malloc(bytes.size), *at = copy;
    memcpy(copy, bytes.data, bytes.size);
    while (memcmp(at, &from, sizeof from) != 0) at++;
    memcpy(at, &to, sizeof to);
    model = sn_load_memory(copy, bytes.size, &opts, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    assert_non_null(find(model, "WAR3_KEY_AT_START"));
    check_repaired(model, NULL, false);
    sn_model_free(model);
    sn_bytes_free(&bytes);
    free(copy);
}

static void check_shape(const char *text, const sn_save_opts *opts, double most)
{
    sn_error error;
    sn_bytes bytes;
    sn_model *model = load(text);
    if (sn_save_memory(model, "mdx", opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    assert_non_null(again);
    const sn_track was = first_track(model), is = first_track(again);
    const float duration = model->clips[0].duration;
    assert_true(is.times[0] == 0.0f && is.key_count > was.key_count);
    for (int i = 0; i <= 200; i++) {
        const float time = duration * (float)i / 200.0f;
        float a[4] = { 0 }, b[4] = { 0 };
        double same = 0.0, opposite = 0.0;
        sn_track_sample(&was, time, duration, time, a);
        sn_track_sample(&is, time, duration, time, b);
        for (int k = 0; k < 4; k++) same = fmax(same, fabs(a[k] - b[k])), opposite = fmax(opposite, fabs(a[k] + b[k]));
        if (fmin(same, was.width == 4 ? opposite : same) > most)
            fail_msg("at %g: %g %g %g %g was %g %g %g %g", time, b[0], b[1], b[2], b[3], a[0], a[1], a[2], a[3]);
    }
    sn_model_free(again);
    sn_model_free(model);
    sn_bytes_free(&bytes);
}

#define TURNED                                                                                                        \
    "Rotation 2 {\n Hermite,\n 100: { 0, 0, 0, 1 },\n InTan { 0.6, 0, 0, 0.8 },\n OutTan { 0, 0.6, 0, 0.8 },\n 700: " \
    "{ 0, 0, 0.8, 0.6 },\n InTan { 0, 0, 0.6, 0.8 },\n OutTan { 0, 0.8, 0, 0.6 },\n }\n"

// Both that repairs and that exporting add keys at the start keep the curve: cubic ones exactly, a squad to 2e-4 rad.
static void test_start_key_keeps_the_shape(void **state)
{
    static const char *const cubics[] = {
        MOVED("Translation 2 {\n Hermite,\n 130: { 0, 0, 0 },\n InTan { 0, 3, 2 },\n OutTan { 0, 0, 8 },\n 690: { 0, "
              "0, 1 "
              "},\n InTan { 0, 0, 16 },\n OutTan { 5, 0, 4 },\n }\n"),
        MOVED(
            "Translation 3 {\n Bezier,\n 130: { 0, 0, 0 },\n InTan { 0, 3, 2 },\n OutTan { 0, 0, 8 },\n 400: { 1, 2, 3 "
            "},\n InTan { 1, 1, 1 },\n OutTan { 2, 2, 2 },\n 690: { 0, 0, 1 },\n InTan { 0, 0, 16 },\n OutTan { 5, 0, "
            "4 "
            "},\n }\n"),
    };
    const sn_save_opts repaired = { .game = SN_GAME_WARCRAFT_3, .repairs = true }, exported = { .mdx_version = 800 };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_shape(cubics[i], &repaired, 1e-5);
        check_shape(cubics[i], &exported, 1e-5);
    }
    check_shape(MOVED(TURNED), &repaired, 1.2e-4);
    check_shape(MOVED(TURNED), &exported, 1.2e-4);
}

// A sequence that shares its stretch of the timeline with another gets no key: the other would change.
static void test_start_key_of_overlaps(void **state)
{
    (void)state;
    expect(HEAD
           "Sequences 2 {\n Anim \"Stand\" {\n Interval { 0, 1000 },\n }\n Anim \"Death\" {\n Interval { 500, 2000 "
           "},\n }\n}\n" LOOKS GEOSET
           "Bone \"B\" {\n ObjectId 0,\n GeosetId 0,\n GeosetAnimId None,\n Translation 3 {\n Linear,\n 0: { 0, 0, 0 "
           "},\n 900: { 0, 0, 1 },\n 1500: { 0, 0, 3 },\n }\n}\n" ORIGIN PIVOTS,
           (const char *const[]){ "Translation 3 {", NULL });
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) count++;
    return count;
}

// Two triangles; the second is moved by 10 while the model dies. At rest and in the first sequence all boxes are equal:
// those of the model, a sequence and, twice, a geoset and its sequence; and the first geoset does not move.
static void test_extents(void **state)
{
    static const char text[] = HEAD SEQUENCES LOOKS GEOSET GEOSET_WITH("1 1 {\n Matrices { 1 },\n }", EXTENTS) BONE
        "Bone \"C\" {\n ObjectId 1,\n GeosetId 1,\n GeosetAnimId None,\n Translation 3 {\n Linear,\n 0: { 0, 0, 0 },\n "
        "2000: { 10, 0, 0 },\n 3000: { 10, 0, 0 },\n }\n}\nAttachment \"Origin Ref\" {\n ObjectId 2,\n AttachmentID "
        "0,\n}\nPivotPoints 3 {\n { 0, 0, 0 },\n { 0, 0, 0 },\n { 0, 0, 5 },\n}\n";
    sn_error error;
    sn_bytes bytes;
    (void)state;
    sn_model *model = load(text);
    if (sn_save_memory(model, "mdl", &(sn_save_opts){ .mdx_version = 800 }, &bytes, &error) != SN_OK)
        fail_msg("%s", error.message);
    char *copy = calloc(bytes.size + 1, 1);
    memcpy(copy, bytes.data, bytes.size);
    assert_int_equal(count_text(copy, "MinimumExtent { 10, 0, 0 }"), 1);
    assert_int_equal(count_text(copy, "MaximumExtent { 11, 1, 0 }"), 2);
    assert_int_equal(count_text(copy, "MaximumExtent { 1, 1, 0 }"), 7);
    free(copy);
    sn_bytes_free(&bytes);
    sn_model_free(model);
}

static void test_ids(void **state)
{
    (void)state;
    expect(HEAD SEQUENCES LOOKS
               GEOSET_WITH("1 1 {\n Matrices { 9 },\n }",
                           EXTENTS) "Bone \"B\" {\n ObjectId 9,\n Parent 4,\n}\nHelper \"H\" {\n ObjectId "
                                    "4,\n}\n"
                                    "PivotPoints 10 {\n { 0, 0, 0 },\n { 0, 0, 0 },\n { 0, 0, 0 "
                                    "},\n { 0, 0, 0 },\n { 4, 4, 4 },\n { 0, 0, 0 },\n { 0, 0, 0 },\n { 0, "
                                    "0, 0 },\n { 0, 0, 0 },\n { 9, 9, 9 },\n}\n",
           (const char *const[]){ "ObjectId 0,\n\tParent 1,", "ObjectId 1,", "Matrices { 0 },",
                                  "PivotPoints 2 {\n\t{ 9, 9, 9 },\n\t{ 4, 4, 4 },", NULL });
}

static void test_order(void **state)
{
    (void)state;
    expect(HEAD
           "Sequences 2 {\n Anim \"Stand\" {\n Interval { 500, 1000 },\n }\n Anim \"Death\" {\n Interval { 0, 400 },\n "
           "}\n}\n",
           (const char *const[]){ "Anim \"Death\" {\n\t\tInterval { 0, 400 },", NULL });
    expect(MOVED("Translation 2 {\n Linear,\n 9: { 0, 0, 0 },\n 0: { 0, 0, 1 },\n }\n"),
           (const char *const[]){ "0: { 0, 0, 1 },\n\t\t9: { 0, 0, 0 },", NULL });
}

// A rule without a file that breaks it proves nothing. Those of sizes have tests of their own.
static void test_each_rule_is_broken(void **state)
{
    sn_warning_kind kind;
    (void)state;
    for (uint32_t k = 0; sn_warning_at(k, &kind); k++) {
        size_t i = 0;
        if (strncmp(kind.name, "WAR3_", 5) != 0 || strcmp(kind.name, "WAR3_GROUPS") == 0 ||
            strcmp(kind.name, "WAR3_VERTICES") == 0 || strcmp(kind.name, "WAR3_NAME") == 0)
            continue;
        while (i < sizeof rules / sizeof *rules && strcmp(rules[i].name, kind.name) != 0) i++;
        if (i == sizeof rules / sizeof *rules) fail_msg("no file breaks %s", kind.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_good),
                                        cmocka_unit_test(test_each_rule_is_broken),
                                        cmocka_unit_test(test_rules),
                                        cmocka_unit_test(test_good_weights),
                                        cmocka_unit_test(test_limits),
                                        cmocka_unit_test(test_name),
                                        cmocka_unit_test(test_start_key),
                                        cmocka_unit_test(test_start_key_of_curves),
                                        cmocka_unit_test(test_start_key_overflows),
                                        cmocka_unit_test(test_start_key_keeps_the_shape),
                                        cmocka_unit_test(test_start_key_of_overlaps),
                                        cmocka_unit_test(test_extents),
                                        cmocka_unit_test(test_ids),
                                        cmocka_unit_test(test_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
