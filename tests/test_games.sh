#!/usr/bin/env bash
# Models of old games, from outside: test_games.sh TOOL SAMPLES. MDX and MDL become each other, the files of a W3D model are
# joined, also out of a BIG archive. How many clips there are and how they are called, samples/make_w3d*.c says.
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
tool=$(realpath "$1")
samples=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# shellcheck source-path=SCRIPTDIR source=cli_harness.sh
. "$here/cli_harness.sh"

clips_are() { json "$1" "d.clips.map(c => c.name).join(' ') === '$2'"; }

test_forms()
{
    for name in hound golem boar; do
        works "$name to text" convert -q "$samples/$name.mdx" -o "$name.mdl"
        works "$name and back" convert -q "$name.mdl" -o "$name.mdx"
        holds "$name is the same" cmp "$samples/$name.mdx" "$name.mdx"
        works "$name, again" check --round-trip "$samples/$name.mdx"
        says "$name, again" "$out" 'round trip: identical$'
    done
    says 'text begins as the game writes it' "$(grep -v '^//' hound.mdl | head -n 1)" '^Version \{'
    works 'a folder of text' convert -q --to mdl "$samples/hound.mdx" -o texts/
    holds 'a folder of text' cmp hound.mdl texts/hound.mdl
    fails_quietly 'no document of another format' 4 convert "$samples/arm.glb" -o arm.mdx
    holds 'nothing is left of it' test ! -e arm.mdx
    { printf '\n' && cat hound.mdl; } >spaced.mdl
    run check --round-trip spaced.mdl
    says 'text keeps its meaning, not its spaces' "$code $out" 'round trip: the same document in other bytes, byte 0 .*line 1'
}

test_joining()
{
    works 'a skin alone' info --json "$samples/soldier_skn.w3d"
    clips_are 'a skin alone' ''
    works 'all of the folder' info --json --with-anims "$samples/soldier_skn.w3d"
    clips_are 'all of the folder' 'SOLDIER_BOW SOLDIER_WALK SOLDIER_WAVE'
    works 'those named' info --json --anim "$samples/soldier_wave.w3d" --anim "$samples/soldier_bow.w3d" "$samples/soldier_skn.w3d"
    clips_are 'those named' 'SOLDIER_WAVE SOLDIER_BOW'
    works 'the hierarchy, named' info --json --hierarchy soldier_skl "$samples/soldier_skn.w3d"
    run info --hierarchy nothere "$samples/soldier_skn.w3d"
    says 'a hierarchy that is not there' "$code $err" '^3 .*no hierarchy "nothere"'
    works 'an animation alone' info --json "$samples/soldier_walk.w3d"
    clips_are 'an animation alone' 'SOLDIER_WALK'
    works 'into one file' convert -q --with-anims "$samples/soldier_skn.w3d" -o soldier.glb
    works 'into one file' info --json soldier.glb
    clips_are 'into one file' 'SOLDIER_BOW SOLDIER_WALK SOLDIER_WAVE'
}

test_big()
{
    big w3d.big soldier_skn.w3d soldier_skl.w3d soldier_walk.w3d soldier.tga
    works 'what is in it' info --json w3d.big
    json 'what is in it' 'd.files === 4 && d.models.length === 3 && d.refused === 0'
    works 'skin and skeleton out of it' info --json --archive w3d.big art/w3d_/SOLDIER_SKN.W3D
    json 'skin and skeleton out of it' 'd.skins.length === 1 && d.skins[0].joints === 11'
    works 'the animation too' info --json --archive w3d.big --anim 'Art\W3D_\soldier_walk.w3d' 'Art\W3D_\soldier_skn.w3d'
    clips_are 'the animation too' 'SOLDIER_WALK'
    works 'all of it' convert -q w3d.big -o made/
    same 'all of it' "$(find made -name '*.glb' | wc -l)" 3
    head -c 60 w3d.big >cut.big
    run info cut.big
    holds 'a cut archive' test "$code" -gt 1
}

test_forms
test_joining
test_big
finish
