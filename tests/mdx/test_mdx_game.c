// The rules of Warcraft III, each by a small MDL that breaks it; and repairs, read back from the text that is saved.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"
#include "sinew/sinew.h"

// A model that follows all rules.
#define HEAD "Version {\n FormatVersion 800,\n}\nModel \"M\" {\n BlendTime 150,\n}\n"
#define SEQUENCES                                                                                                   \
    "Sequences 2 {\n Anim \"Stand\" {\n Interval { 0, 1000 },\n }\n Anim \"Death\" {\n Interval { 2000, 3000 },\n " \
    "}\n}\n"
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
        check_repaired(model, "mdl");
        check_repaired(model, "mdx");
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_rules),
                                        cmocka_unit_test(test_start_key), cmocka_unit_test(test_ids),
                                        cmocka_unit_test(test_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
