// A text as people write it: MDL is read as it comes, so this one is not written by sinew.
#include "make_samples.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "// A lantern on a post, written by hand: every kind of line that MDL has, in the habits of several programs.\n"
    "Version {\n\tFormatVersion 800,\n}\nModel \"Lantern\" {\n\tNumGeosets 2,\n\tNumGeosetAnims 1,\n\tNumBones 2,\n"
    "\tBlendTime 150,\n\tMinimumExtent { -4, -8, 0 },\n\tMaximumExtent { 36, 8, 96 },\n\tBoundsRadius 60,\n}\nSequences 2 {\n"
    "\tAnim \"Stand\" {\n\t\tInterval { 0, 2000 },\n\t\tMinimumExtent { -4, -8, 0 },\n\t\tMaximumExtent { 36, 8, 96 },\n"
    "\t\tBoundsRadius 60,\n\t}\n\tAnim \"Death\" {\n\t\tInterval { 3000, 4000 },\n\t\tNonLooping,\n\t\tRarity 1,\n\t}\n}\n"
    "GlobalSequences 1 {\n\tDuration 700,\n}\nTextures 3 {\n\tBitmap {\n\t\tImage \"boar.blp\",\n\t\tWrapWidth,\n"
    "\t\tWrapHeight,\n\t}\n\tBitmap {\n\t\tImage \"glow.blp\",\n\t}\n\tBitmap {\n\t\tImage \"\",\n\t\tReplaceableId 1,\n\t}\n"
    "}\nMaterials 2 {\n\tMaterial {\n\t\tLayer {\n\t\t\tFilterMode None,\n\t\t\tstatic TextureID 0,\n\t\t}\n\t}\n"
    "\tMaterial {\n\t\tSortPrimsFarZ,\n\t\tPriorityPlane 1,\n\t\tLayer {\n\t\t\tFilterMode None,\n\t\t\tstatic TextureID 2,\n"
    "\t\t}\n\t\tLayer {\n\t\t\tFilterMode Additive,\n\t\t\tUnshaded,\n\t\t\tUnfogged,\n\t\t\tTwoSided,\n"
    "\t\t\tTVertexAnimId 0,\n\t\t\tTextureID 2 {\n\t\t\t\tDontInterp,\n\t\t\t\tGlobalSeqId 0,\n\t\t\t\t0: 1,\n"
    "\t\t\t\t350: 2,\n\t\t\t}\n\t\t\tAlpha 3 {\n\t\t\t\tHermite,\n\t\t\t\tGlobalSeqId 0,\n\t\t\t\t0: 1,\n\t\t\t\t\tInTan 0,\n"
    "\t\t\t\t\tOutTan 0,\n\t\t\t\t350: 0.5,\n\t\t\t\t\tInTan 0,\n\t\t\t\t\tOutTan 0,\n\t\t\t\t700: 1,\n\t\t\t\t\tInTan 0,\n"
    "\t\t\t\t\tOutTan 0,\n\t\t\t}\n\t\t}\n\t}\n}\nTextureAnims 1 {\n\tTVertexAnim {\n\t\tTranslation 2 {\n\t\t\tLinear,\n"
    "\t\t\tGlobalSeqId 0,\n\t\t\t0: { 0, 0, 0 },\n\t\t\t700: { 0, 1, 0 },\n\t\t}\n\t}\n}\nGeoset {\n\tVertices 16 {\n"
    "\t\t{ 4, -4, 0 },\n\t\t{ 4, 4, 0 },\n\t\t{ 4, 4, 96 },\n\t\t{ 4, -4, 96 },\n\t\t{ -4, 4, 0 },\n\t\t{ -4, -4, 0 },\n"
    "\t\t{ -4, -4, 96 },\n\t\t{ -4, 4, 96 },\n\t\t{ 4, 4, 0 },\n\t\t{ -4, 4, 0 },\n\t\t{ -4, 4, 96 },\n\t\t{ 4, 4, 96 },\n"
    "\t\t{ -4, -4, 0 },\n\t\t{ 4, -4, 0 },\n\t\t{ 4, -4, 96 },\n\t\t{ -4, -4, 96 },\n\t}\n\tNormals 16 {\n\t\t{ 1, 0, 0 },\n"
    "\t\t{ 1, 0, 0 },\n\t\t{ 1, 0, 0 },\n\t\t{ 1, 0, 0 },\n\t\t{ -1, 0, 0 },\n\t\t{ -1, 0, 0 },\n\t\t{ -1, 0, 0 },\n"
    "\t\t{ -1, 0, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, -1, 0 },\n"
    "\t\t{ 0, -1, 0 },\n\t\t{ 0, -1, 0 },\n\t\t{ 0, -1, 0 },\n\t}\n\tTVertices 16 {\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n"
    "\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n"
    "\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t}\n\tVertexGroup {\n\t\t0,\n"
    "\t\t0,\n\t\t1,\n\t\t1,\n\t\t0,\n\t\t0,\n\t\t1,\n\t\t1,\n\t\t0,\n\t\t0,\n\t\t1,\n\t\t1,\n\t\t0,\n\t\t0,\n\t\t1,\n\t\t1,\n"
    "\t}\n\tFaces 1 24 {\n\t\tTriangles {\n"
    "\t\t\t{ 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 8, 10, 11, 12, 13, 14, 12, 14, 15 },\n\t\t}\n\t}\n\tGroups 2 3 {\n"
    "\t\tMatrices { 0 },\n\t\tMatrices { 0, 1 },\n\t}\n\tMinimumExtent { -4, -4, 0 },\n\tMaximumExtent { 4, 4, 96 },\n"
    "\tBoundsRadius 48,\n\tMaterialID 0,\n\tSelectionGroup 0,\n}\nGeoset {\n\tVertices 16 {\n\t\t{ 36, -8, 56 },\n"
    "\t\t{ 36, 8, 56 },\n\t\t{ 36, 8, 80 },\n\t\t{ 36, -8, 80 },\n\t\t{ 20, 8, 56 },\n\t\t{ 20, -8, 56 },\n"
    "\t\t{ 20, -8, 80 },\n\t\t{ 20, 8, 80 },\n\t\t{ 36, 8, 56 },\n\t\t{ 20, 8, 56 },\n\t\t{ 20, 8, 80 },\n"
    "\t\t{ 36, 8, 80 },\n\t\t{ 20, -8, 56 },\n\t\t{ 36, -8, 56 },\n\t\t{ 36, -8, 80 },\n\t\t{ 20, -8, 80 },\n\t}\n"
    "\tNormals 16 {\n\t\t{ 1, 0, 0 },\n\t\t{ 1, 0, 0 },\n\t\t{ 1, 0, 0 },\n\t\t{ 1, 0, 0 },\n\t\t{ -1, 0, 0 },\n"
    "\t\t{ -1, 0, 0 },\n\t\t{ -1, 0, 0 },\n\t\t{ -1, 0, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, 1, 0 },\n\t\t{ 0, 1, 0 },\n"
    "\t\t{ 0, 1, 0 },\n\t\t{ 0, -1, 0 },\n\t\t{ 0, -1, 0 },\n\t\t{ 0, -1, 0 },\n\t\t{ 0, -1, 0 },\n\t}\n\tTVertices 16 {\n"
    "\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n"
    "\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n\t\t{ 0, 1 },\n\t\t{ 1, 1 },\n\t\t{ 1, 0 },\n\t\t{ 0, 0 },\n"
    "\t}\n\tVertexGroup {\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n"
    "\t\t0,\n\t\t0,\n\t\t0,\n\t\t0,\n\t}\n\tFaces 1 24 {\n\t\tTriangles {\n"
    "\t\t\t{ 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 8, 10, 11, 12, 13, 14, 12, 14, 15 },\n\t\t}\n\t}\n\tGroups 1 1 {\n"
    "\t\tMatrices { 1 },\n\t}\n\tMinimumExtent { 20, -8, 56 },\n\tMaximumExtent { 36, 8, 80 },\n\tBoundsRadius 16,\n"
    "\tAnim {\n\t\tMinimumExtent { 20, -20, 50 },\n\t\tMaximumExtent { 40, 20, 80 },\n\t\tBoundsRadius 24,\n\t}\n"
    "\tMaterialID 1,\n\tSelectionGroup 0,\n\tUnselectable,\n}\nGeosetAnim {\n\tAlpha 3 {\n\t\tLinear,\n\t\t0: 1,\n"
    "\t\t3000: 1,\n\t\t4000: 0,\n\t}\n\tstatic Color { 0.6, 0.8, 1 }, // blue, green, red\n\tGeosetId 1,\n}\n"
    "Bone \"Post\" {\n\tObjectId 0,\n\tGeosetId 0,\n\tGeosetAnimId None,\n\tRotation 2 {\n\t\tLinear,\n"
    "\t\t3000: { 0, 0, 0, 1 },\n\t\t4000: { 0, 0.70710677, 0, 0.70710677 },\n\t}\n}\nBone \"Arm\" {\n\tObjectId 1,\n"
    "\tParent 0,\t// \"Post\"\n\tGeosetId Multiple,\n\tGeosetAnimId 0,\n\tTranslation 2 {\n\t\tBezier,\n\t\t0: { 0, 0, 0 },\n"
    "\t\t\tInTan { 0, 0, 0 },\n\t\t\tOutTan { 0, 0, 1 },\n\t\t2000: { 0, 0, 0 },\n\t\t\tInTan { 0, 0, 1 },\n"
    "\t\t\tOutTan { 0, 0, 0 },\n\t}\n\tRotation 3 {\n\t\tHermite,\n\t\t0: { 0.1305262, 0, 0, 0.9914449 },\n"
    "\t\t\tInTan { 0.1305262, 0, 0, 0.9914449 },\n\t\t\tOutTan { 0.1305262, 0, 0, 0.9914449 },\n"
    "\t\t1000: { -0.1305262, 0, 0, 0.9914449 },\n\t\t\tInTan { -0.1305262, 0, 0, 0.9914449 },\n"
    "\t\t\tOutTan { -0.1305262, 0, 0, 0.9914449 },\n\t\t2000: { 0.1305262, 0, 0, 0.9914449 },\n"
    "\t\t\tInTan { 0.1305262, 0, 0, 0.9914449 },\n\t\t\tOutTan { 0.1305262, 0, 0, 0.9914449 },\n\t}\n\tScaling 2 {\n"
    "\t\tDontInterp,\n\t\t0: { 1, 1, 1 },\n\t\t3500: { 1, 1, 0.5 },\n\t}\n}\nLight \"Flame\" {\n\tObjectId 2,\n\tParent 1,\n"
    "\tOmnidirectional,\n\tstatic AttenuationStart 80,\n\tstatic AttenuationEnd 200,\n\tIntensity 2 {\n\t\tLinear,\n"
    "\t\tGlobalSeqId 0,\n\t\t0: 4,\n\t\t350: 5,\n\t}\n\tstatic Color { 0.3, 0.7, 1 },\n\tstatic AmbIntensity 0,\n"
    "\tstatic AmbColor { 1, 1, 1 },\n\tVisibility 2 {\n\t\tDontInterp,\n\t\t0: 1,\n\t\t4000: 0,\n\t}\n}\nHelper \"Moths\" {\n"
    "\tObjectId 3,\n\tParent 1,\n\tBillboarded,\n\tDontInherit { Rotation },\n}\nAttachment \"Overhead Ref\" {\n"
    "\tObjectId 4,\n\tParent 0,\n\tAttachmentID 0,\n}\nPivotPoints 9 {\n\t{ 0, 0, 0 },\n\t{ 0, 0, 96 },\n\t{ 28, 0, 68 },\n"
    "\t{ 28, 0, 80 },\n\t{ 0, 0, 110 },\n\t{ 28, 0, 90 },\n\t{ 28, 0, 60 },\n\t{ 0, 0, 0 },\n\t{ 0, 0, 48 },\n}\n"
    "ParticleEmitter2 \"Sparks\" {\n\tObjectId 5,\n\tParent 3,\n\tSortPrimsFarZ,\n\tUnshaded,\n\tstatic Speed 20,\n"
    "\tstatic Variation 0.5,\n\tstatic Latitude 30,\n\tstatic Gravity -5,\n\tLifeSpan 1.5,\n\tEmissionRate 2 {\n"
    "\t\tDontInterp,\n\t\t0: 6,\n\t\t3000: 0,\n\t}\n\tstatic Width 8,\n\tstatic Length 8,\n\tAdditive,\n\tRows 1,\n"
    "\tColumns 1,\n\tHead,\n\tTailLength 1,\n\tTime 0.5,\n\tSegmentColor {\n\t\tColor { 0.2, 0.6, 1 },\n"
    "\t\tColor { 0.1, 0.4, 1 },\n\t\tColor { 0, 0.1, 0.4 },\n\t},\n\tAlpha { 255, 200, 0 },\n\tParticleScaling { 1, 2, 1 },\n"
    "\tLifeSpanUVAnim { 0, 0, 1 },\n\tDecayUVAnim { 0, 0, 1 },\n\tTailUVAnim { 0, 0, 1 },\n\tTailDecayUVAnim { 0, 0, 1 },\n"
    "\tTextureID 1,\n}\nRibbonEmitter \"Trail\" {\n\tObjectId 6,\n\tParent 1,\n\tstatic HeightAbove 2,\n"
    "\tstatic HeightBelow 2,\n\tstatic Alpha 0.5,\n\tstatic Color { 0.3, 0.7, 1 },\n\tstatic TextureSlot 0,\n"
    "\tEmissionRate 10,\n\tLifeSpan 0.5,\n\tRows 1,\n\tColumns 1,\n\tMaterialID 1,\n}\nEventObject \"SNDxLANT\" {\n"
    "\tObjectId 7,\n\tParent 0,\n\tEventTrack 2 {\n\t\t0,\n\t\t3000,\n\t}\n}\nCollisionShape \"Trunk\" {\n\tObjectId 8,\n"
    "\tBox,\n\tVertices 2 {\n\t\t{ -4, -4, 0 },\n\t\t{ 4, 4, 96 },\n\t}\n}\nCamera \"Portrait\" {\n"
    "\tPosition { 160, 0, 90 },\n\tFieldOfView 0.75,\n\tFarClip 1000,\n\tNearClip 8,\n\tTarget {\n"
    "\t\tPosition { 10, 0, 70 },\n\t}\n}\n";

bool make_lantern(const char *folder)
{
    char path[1024];
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    snprintf(path, sizeof path, "%s/lantern.mdl", folder);
    if (sni_file_write(path, text, strlen(text), &diag)) return true;
    fprintf(stderr, "%s: %s\n", path, diag.error.message);
    return false;
}
