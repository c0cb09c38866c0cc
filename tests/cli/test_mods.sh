#!/usr/bin/env bash
# Mods from outside: test_mods.sh TOOL SAMPLES. Textures, skeletons and animations are found wherever they are in the mod or in
# the base game; parts are joined; what shows nothing says why. Which clips there are, samples/make_w3d_soldier.c says.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
export HOME=$work XDG_CONFIG_HOME=$work/config
unset SINEW_GAME

all_clips='SOLDIER_BOW SOLDIER_WALK SOLDIER_WAVE'
clips_are() { json "$1" "d.clips.map(c => c.name).join(' ') === '$2'"; }
# sizes TITLE SIZES ARGUMENT...: of the images that info finds; 0 is a missing one.
sizes() { works "$1" info --json "${@:3}"; json "$1" "d.images.map(i => i.bytes).join(' ') === '$2'"; }

# mdl FILE TEXTURE...: a model with one triangle for its first texture.
mdl()
{
    file=$1
    shift
    {
        printf 'Version { FormatVersion 800, }\nModel "m" { BlendTime 150, }\nTextures %d {\n' $#
        for texture in "$@"; do printf 'Bitmap { Image "%s", }\n' "$texture"; done
        printf '}\nMaterials 1 { Material { Layer { FilterMode None, static TextureID 0, } } }\n'
        printf 'Geoset { Vertices 3 { { 0, 0, 0 }, { 9, 0, 0 }, { 0, 9, 0 }, } Normals 3 { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, }\n'
        printf 'TVertices 3 { { 0, 0 }, { 1, 0 }, { 0, 1 }, } VertexGroup { 0, 0, 0, }\n'
        printf 'Faces 1 3 { Triangles { { 0, 1, 2 }, } } Groups 1 1 { Matrices { 0 }, } MaterialID 0, }\n'
        printf 'Bone "b" { ObjectId 0, GeosetId 0, GeosetAnimId None, }\nPivotPoints 1 { { 0, 0, 0 }, }\n'
    } >"$file"
}

test_roots()
{
    mkdir -p mod/models/far mod/textures
    mdl mod/models/far/x.mdl 'Textures\\skin.blp' '..\\..\\up.blp' 'C:\\art\\drive.blp' '/etc/root.blp'
    printf 1 >mod/textures/skin.blp; printf 22 >mod/textures/up.blp; printf 333 >mod/textures/drive.blp; printf 4444 >mod/root.blp
    printf 55555 >up.blp
    sizes 'the model alone' '0 0 0 0' mod/models/far/x.mdl
    for verb in info check; do
        run $verb --json mod/
        holds "$verb: a folder is a root" test "$code" -le 1
        says "$verb: a folder is a root" "$out" 'x\.mdl'
        same "$verb: nothing is missing" "$(grep -cE 'IMAGE_MISSING|"missing"' <<<"$out")" 0
    done
    sizes 'a folder is a root, paths that lead out by their last name' '1 2 3 4' mod
    run convert mod/ -o mod_out/ --report report.json
    cp report.json out
    json 'convert: a folder is a root' 'd.files.length === 1 && !d.files[0].warnings.some(w => w.name === "IMAGE_MISSING")'
}

test_layouts()
{
    mkdir -p map/war3mapImported game/Units/Hero game/Textures bfme/Art/W3D/so bfme/Art/CompiledTextures/so other/w3d
    printf 1 >map/skin.blp
    mdl map/war3mapImported/x.mdl 'skin.blp'
    sizes 'the root of a Warcraft map' 1 map/war3mapImported/x.mdl
    sizes 'not with --no-layout' 0 --no-layout map/war3mapImported/x.mdl
    run info map/war3mapImported/x.mdl
    says 'the root is reported' "$out" "layout +Warcraft III map: $(realpath map) is searched"
    run convert map/war3mapImported/x.mdl -o x.glb
    says 'the root is reported by convert' "$err" "note: also searched $(realpath map) \(Warcraft III map\); --no-layout"
    mdl game/Units/Hero/x.mdl 'Textures\\Hero.blp'
    printf 22 >game/Textures/hero.blp
    sizes 'the data of Warcraft' 2 game/Units/Hero/x.mdl
    cd game/Units/Hero && sizes 'the same from inside' 2 x.mdl
    cd "$work" || exit 1
    cp "$samples/soldier_skn.w3d" bfme/Art/W3D/so/ && cp "$samples/soldier_skl.w3d" bfme/Art/W3D/
    cp "$samples/soldier.tga" bfme/Art/CompiledTextures/so/
    works 'Art around W3D' info --json bfme/Art/W3D/so/soldier_skn.w3d
    json 'Art around W3D' 'd.images.every(i => i.bytes > 0) && d.skins.length === 1'
    mkdir -p deep/Art/W3D/a/b/c && cp "$samples/soldier_skn.w3d" deep/Art/W3D/a/b/c/ && cp "$samples/soldier_skl.w3d" deep/Art/
    run info --json deep/Art/W3D/a/b/c/soldier_skn.w3d
    json 'not more than three levels' 'd.skins.length === 0'
    cp "$samples/soldier_skn.w3d" other/w3d/ && cp "$samples/soldier_skl.w3d" other/
    run info --json other/w3d/soldier_skn.w3d
    json 'not by half of the names' 'd.skins.length === 0'
    mkdir Folder.w3x && mdl Folder.w3x/x.mdl 'skin.blp' && printf 1 >Folder.w3x/skin.blp
    sizes 'a folder that is called like an archive' 1 Folder.w3x
}

test_games()
{
    mkdir -p mine base/sub
    mdl mine/x.mdl 'Textures\\one.blp' 'Textures\\two.blp'
    mkdir -p tree/Textures && printf 1 >tree/Textures/one.blp
    sizes 'without the game' '0 0' mine/x.mdl
    sizes 'the loose files of a game' '1 0' --game tree mine/x.mdl
    printf 333 >mine/one.blp
    sizes 'a path in the game before a name in the mod' '1 0' --game tree mine/x.mdl
    rm mine/one.blp
    SINEW_GAME=$work/nothing:$work/tree run info mine/x.mdl
    same 'a game that is not there' "$code" 3
    SINEW_GAME=$work/tree sizes 'by the environment' '1 0' mine/x.mdl
    works 'config' config game war3 tree
    works 'config, listed' config
    same 'config, listed' "$out" "game war3 $(realpath tree)"
    same 'config, the file' "$(cat config/sinew/games.conf)" "war3 $(realpath tree)"
    sizes 'by the configuration' '1 0' mine/x.mdl
    cp "$samples/soldier_skn.w3d" "$samples/soldier_skl.w3d" mine/ && printf 1 >tree/soldier.tga
    run info --json mine/soldier_skn.w3d
    json 'not for models of other games' 'd.images.every(i => i.bytes === 0)'
    works 'config, forgotten' config game war3 ''
    sizes 'config, forgotten' '0 0' mine/x.mdl
    fails_quietly 'config: no such game' 2 config game chess .
    fails_quietly 'config: no such folder' 3 config game war3 nothing
    mv config/sinew/games.conf kept.conf && mkdir config/sinew/games.conf
    fails_quietly 'config: what cannot be read is not replaced' 3 config game war3 tree
    rmdir config/sinew/games.conf && mv kept.conf config/sinew/games.conf
    # Of two archives the first by name counts, as in Generals; "!" comes before letters.
    (
        samples=$work/a && mkdir a && cp "$here/../../samples/soldier.tga" a/ && big "$work/base/zz.big" soldier.tga
        samples=$work/b && mkdir b && head -c 100 "$here/../../samples/soldier.tga" >b/soldier.tga && big "$work/base/sub/!mod.big" soldier.tga
        big "$work/base/!mod.big" soldier.tga
    )
    run info --json --game base mine/soldier_skn.w3d
    json 'archives by name' 'd.images.some(i => i.bytes === 100)'
    printf x >base/broken.big
    run info --game base mine/soldier_skn.w3d
    says 'an archive that cannot be opened' "$code $err" '^0 sinew: base: warning: 1 of its archives cannot be opened, the first is .*broken.big'
}

test_joining()
{
    mkdir -p w3d/skins w3d/skeletons w3d/moves other
    cp "$samples/soldier_skn.w3d" w3d/skins/ && cp "$samples/soldier_skl.w3d" w3d/skeletons/renamed.w3d
    cp "$samples"/soldier_{bow,walk,wave}.w3d w3d/moves/ && cp "$samples/soldier.tga" w3d/
    run convert w3d/ -o joined/ --report report.json
    same 'one output' "$code $(files_in joined)" '0 ./skins/soldier_skn.glb '
    says 'summary' "$err" '^1 converted, 0 skipped, 0 failed, 4 joined to others'
    cp report.json out
    json 'report' 'd.joined_count === 4 && d.empty_count === 0 && d.files.filter(f => f.status === "joined").every(f => f.into === "w3d/skins/soldier_skn.w3d")'
    works 'clips' info --json joined/skins/soldier_skn.glb
    clips_are 'clips' "$all_clips"
    run convert w3d/ -q --keep-parts -o kept/
    same 'all outputs' "$code $(find kept -name '*.glb' | wc -l)" '1 5'
    run convert w3d/ -q --no-anims -o plain/
    same 'without animations they are models of their own' "$code $(find plain -name '*.glb' | wc -l)" '0 4'
    cp -r w3d foreign && sed -i 's/SOLDIER_SKL/ANOTHER_SKL/' foreign/moves/soldier_walk.w3d
    run convert foreign/ -o foreign_out/
    works 'an animation of another hierarchy' info --json foreign_out/skins/soldier_skn.glb
    clips_are 'an animation of another hierarchy' 'SOLDIER_BOW SOLDIER_WAVE'
    mkdir lonely && cp "$samples/soldier_skn.w3d" lonely/
    run convert lonely/ -o lonely_out/
    says 'a missing skeleton' "$code $err" '^0 .*FILE_MISSING.*: hierarchy "SOLDIER_SKL" not found: it is not in this file; SOLDIER_SKL.w3d: file not found'
    mkdir move && cp "$samples/soldier_bow.w3d" move/
    run convert move/ -o move_out/ --report report.json
    says 'a missing skeleton, nothing moves' "$code $err" '^1 .*EMPTY: its animations move nothing: hierarchy "SOLDIER_SKL" not found: it is not in this file; SOLDIER_SKL.w3d: file not found'
    says 'a missing skeleton, counted' "$err" '^0 converted, 0 skipped, 0 failed, 1 empty'
    cp report.json out
    json 'a missing skeleton, in the report' 'd.empty_count === 1 && d.files[0].status === "empty" && d.files[0].warnings.some(w => w.name === "EMPTY")'
    run info lonely/soldier_skn.w3d
    says 'where it was looked for' "$out" 'searched for the missing files below lonely/'
    if "$tool" render "$samples/arm.glb" -q --size 8 -o probe.png 2>/dev/null; then
        run render lonely/soldier_skn.w3d --size 8 -o lonely.png
        says 'render says so too' "$code $err" '^0 .*warning 25 FILE_MISSING.*SOLDIER_SKL'
        run render w3d/ --size 8 -o pictures/
        same 'render draws parts once' "$code $(files_in pictures)" '0 ./skins/soldier_skn.png '
    fi
    mkdir effect && mdl effect/x.mdl skin.blp
    sed -i '/^Geoset/,/^Faces/d; s/^Bone.*/ParticleEmitter2 "Sparks" { ObjectId 0, }/' effect/x.mdl
    run info effect/x.mdl
    says 'emitters are counted and named' "$out" 'not drawn +1 emitters and ribbons: Sparks'
    works 'emitters are counted in JSON' info --json effect/x.mdl
    json 'emitters are counted in JSON' 'd.undrawn_effect_count === 1 && d.empty.includes("no meshes")'
    run convert effect/x.mdl -o effect.glb
    says 'emitters alone are an empty model' "$err" 'EMPTY: it has no meshes; its 1 emitters and ribbons \(Sparks\)'
}

test_others()
{
    mkdir -p tree2/models tree2/buffers
    sed 's#crane.bin#../buffers/crane.bin#' "$samples/crane.gltf" >tree2/models/crane.gltf
    cp "$samples/crane.bin" tree2/buffers/
    run info tree2/models/crane.gltf
    same 'a buffer above: not by itself' "$code" 3
    works 'a buffer above: where the user allows it' info --search tree2 tree2/models/crane.gltf
    cd tree2/models && works 'a buffer above: with --search ..' info --search .. crane.gltf
    cd "$work" || exit 1
    run info --search tree2/models tree2/models/crane.gltf
    same 'a buffer above: not by another folder' "$code" 3
    works 'a buffer above: in the folder that the user named' info tree2/
    mkdir -p doodads && printf W3do >doodads/war3map.w3d && printf W3do >doodads/War3mapSkin.w3d && mdl doodads/x.mdl a.blp
    run convert doodads/ -o doodads_out/
    same 'object data of a map is no model' "$code $(files_in doodads_out)" '0 ./x.glb '
    mkdir disc && cp "$samples/disc.dat" disc/DATA.DAT && cp "$samples/disc.hd3" disc/DATA.HD3
    run convert disc/ -o disc_out/
    says 'a disc archive in a folder' "$code $err" "no models in this folder; they are in the disc archive: give 'disc/DATA.DAT' instead"
    if command -v genisoimage >/dev/null; then
        mkdir disc/Chara && cp "$samples/arm.glb" 'disc/Chara/An arm.glb'
        for names in -l -R -J; do
            genisoimage -quiet $names -o image.iso disc 2>/dev/null
            works "$names: a disc image" extract -q -f image.iso -o image/
            holds "$names: the same bytes" cmp "$(find image -iname 'an*arm.glb' | head -n 1)" "$samples/arm.glb"
            holds "$names: of the archive in it, too" cmp image/chara/face.glb "$samples/face.glb"
            rm -r image
        done
        run convert -q image.iso -o image_out/
        same 'its models' "$code $(find image_out -name '*.glb' | wc -l)" '0 3'
    else
        skip 'disc images: genisoimage is not installed'
    fi
}

test_roots
test_layouts
test_games
test_joining
test_others
finish
