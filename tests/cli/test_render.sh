#!/usr/bin/env bash
# The render command: test_render.sh TOOL SAMPLES.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

# size_of FILE: the size in its PNG header, "640x480".
size_of() { od -An -tu1 -j16 -N8 "$1" 2>/dev/null | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }

# "25 frames, 1/30 s, kind 6": frame count and delay of an APNG, and its colour type.
frames_of()
{
    od -An -tu1 -v -N 95 "$1" | tr -s ' \n' ' ' |
        awk '{ print $45 " frames, " $82 * 256 + $83 "/" $84 * 256 + $85 " s, kind " $26 }'
}

test_help()
{
    works 'help render' help render
    while read -r _ example; do
        rm -rf root && mkdir -p root && cp -r "$samples" root/samples
        (cd root && sh -c "exec '$tool' $example") >out 2>err
        same "example: sinew $example" "$?$(grep -v ' drawn, ' err)" 0
        same "example: sinew $example" "$(find root -maxdepth 1 -name '*.png' -size +0 | wc -l)" 1
    done < <(examples_in "$out")
}

test_one()
{
    works 'a picture' render "$samples/hound.mdx" -o hound.png
    same 'its size' "$(size_of hound.png)" 512x512
    works 'the same picture again' render "$samples/hound.mdx" -o again.png
    holds 'the same command gives the same bytes' cmp hound.png again.png
    works 'clip, time, view and size' \
        render "$samples/hound.mdx" --clip Walk --time 0.5 --view left --size 64x48 -o small.png
    same 'the size of --size' "$(size_of small.png)" 64x48
    for view in front back right top bottom threequarter 30,-20; do
        works "view $view" render "$samples/tank.w3d" --view "$view" --size 32 -o "view_$view.png"
    done
    holds 'front and back differ' test "$(cksum <view_front.png)" != "$(cksum <view_back.png)"
    "$tool" render - --background transparent --size 40 -o - <"$samples/arm.glb" >pipe.png 2>err
    same 'standard input and output' "$? $(size_of pipe.png)" '0 40x40'
    holds 'a transparent background has alpha' grep -qa tRNS pipe.png
    works 'into a new folder' render "$samples/arm.glb" --size 16 -o new/folder/arm.png
    works 'a file with only a skeleton' render "$samples/soldier_skl.w3d" --size 32 -o bones.png
    works 'a level of detail' render "$samples/golem.mdx" --lod 1 --size 32 -o far.png
}

test_toggles()
{
    works 'plain' render "$samples/hound.mdx" --size 128 -o plain.png
    for toggle in skeleton names axes attachments bounds wire normals grid shadow no-texture 'weights=Bone_Head'; do
        works "$toggle" render "$samples/hound.mdx" --size 128 "--$toggle" -o toggle.png
        holds "$toggle has an effect" test "$(cksum <plain.png)" != "$(cksum <toggle.png)"
    done
    works 'lights of the model' render "$samples/hound.mdx" --size 128 --lights -o toggle.png
    holds 'lights of the model have an effect' test "$(cksum <plain.png)" != "$(cksum <toggle.png)"
    works 'camera of the model' render "$samples/hound.mdx" --size 128 --camera Portrait -o toggle.png
    holds 'camera of the model has an effect' test "$(cksum <plain.png)" != "$(cksum <toggle.png)"
    works 'another team' render "$samples/hound.mdx" --size 128 --team 1 -o toggle.png
    holds 'another team has an effect' test "$(cksum <plain.png)" != "$(cksum <toggle.png)"
}

test_many()
{
    works 'frames of a clip' render "$samples/arm.glb" --clip bend --frames 4 --size 16 -o film/bend.png
    same 'frames of a clip' "$(cd film && echo *)" 'bend_000.png bend_001.png bend_002.png bend_003.png'
    works 'a turntable' render "$samples/crane.gltf" --turntable 3 --size 16 -o turn.png
    same 'a turntable' "$(echo turn_*)" 'turn_000.png turn_001.png turn_002.png'
    works 'a contact sheet of clips and frames' render "$samples/arm.glb" --sheet --frames 3 --size 20 -o sheet.png
    same 'two clips of three frames, with bands of 15 and 12 pixels for labels' "$(size_of sheet.png)" 120x47
    works 'one contact sheet of several files' render -q "$samples/arm.glb" "$samples/tank.w3d" "$samples/face.glb" \
        --sheet --turntable 1 --size 24x20 -o three.png
    same 'one contact sheet of several files' "$(size_of three.png)" 72x35
    works 'an animated PNG' render "$samples/rabbit.chr" --clip hop --apng --size 16 --background transparent -o hop.png
    same '30 frames per second, with alpha' "$(frames_of hop.png)" '25 frames, 1/30 s, kind 6'
    works 'an animated PNG with --frames' \
        render "$samples/rabbit.chr" --clip hop --apng --frames 5 --size 64 -o five.png
    same 'an animated PNG with --frames' "$(frames_of five.png)" '5 frames, 1/6 s, kind 2'
    works 'a GIF' render "$samples/crane.gltf" --turntable 8 --gif --size 16 -o turn.gif
    frames=$(LC_ALL=C grep -aoP '\x21\xf9\x04' turn.gif | wc -l)
    same 'a GIF of eight frames' "$(head -c 6 turn.gif), $frames" 'GIF89a, 8'
    works 'a folder' render -q "$samples/" -j 2 --size 16 -o pictures/
    models=$(find "$samples" -name '*.gl*' -o -name '*.md[xls]' -o -name '*.w3d' -o -name '*.chr' -o -name '*.pak')
    models=$(($(wc -l <<<"$models") - 9))       # skeletons and animations of soldier_skn.w3d and kobold_skn.w3d are parts of them
    same 'one picture per file' "$(find pictures -name '*.png' | wc -l)" "$models"
    works 'a folder, one at a time' render -q "$samples/" -j 1 --size 16 -o alone/
    holds 'the number of threads does not change the pictures' diff -r pictures alone
    head -c 200 "$samples/arm.glb" >broken.glb
    run render -q broken.glb "$samples/face.glb" --size 16 -o some/
    same 'a damaged file does not stop the others' "$code, $(wc -l <err) lines, $(ls some)" '1, 1 lines, face.png'
}

test_errors()
{
    fails_quietly 'no output' 2 render "$samples/arm.glb"
    fails_quietly 'unknown file extension' 2 render "$samples/arm.glb" -o arm.jpg
    fails_quietly 'several files into one picture' 2 render "$samples/arm.glb" "$samples/face.glb" -o both.png
    fails_quietly 'no such clip' 2 render "$samples/arm.glb" --clip dance -o arm.png
    fails_quietly 'no such bone' 2 render "$samples/arm.glb" --weights tail -o arm.png
    fails_quietly 'no such camera' 2 render "$samples/arm.glb" --camera 0 -o arm.png
    fails_quietly 'no such level' 2 render "$samples/arm.glb" --lod 3 -o arm.png
    fails_quietly 'a size of 0' 2 render "$samples/arm.glb" --size 0x4 -o arm.png
    fails_quietly 'an unknown view' 2 render "$samples/arm.glb" --view inside -o arm.png
    fails_quietly 'an unknown colour' 2 render "$samples/arm.glb" --background mauve -o arm.png
    fails_quietly '--frames without --clip' 2 render "$samples/arm.glb" --frames 3 -o arm.png
    works 'the extension makes it a GIF' render "$samples/rabbit.chr" --clip hop --frames 3 --size 16 -o three.gif
    same 'three frames' "$(head -c 6 three.gif), $(LC_ALL=C grep -aoP '\x21\xf9\x04' three.gif | wc -l)" 'GIF89a, 3'
    works 'the extension makes it an animated PNG' render "$samples/rabbit.chr" --clip hop --frames 3 --size 16 -o three.apng
    same 'frames of it' "$(LC_ALL=C grep -aoP 'fcTL' three.apng | wc -l)" 3
    fails_quietly '--apng into a GIF' 2 render "$samples/rabbit.chr" --clip hop --apng -o hop.gif
    fails_quietly 'a sheet into a GIF' 2 render "$samples/rabbit.chr" --sheet -o hop.gif
    works 'a sheet into a new folder' render "$samples/rabbit.chr" --sheet --size 16 -o new/folder/sheet.png
    holds 'a sheet into a new folder: there' [ -s new/folder/sheet.png ]
    : >not_a_folder
    fails_quietly 'a sheet below a file' 3 render "$samples/rabbit.chr" "$samples/missing.glb" --sheet -o not_a_folder/sheet.png
    cp "$samples/hound.mdx" . && head -c 40 "$samples/hound.blp" >hound.blp && cp "$samples/glow.blp" .
    run render hound.mdx --size 16 -o hound.png
    says 'a message about an image names the model' "$err" "^sinew: hound\.mdx: image '.*' cannot be shown: "
    fails_quietly '--apng without --clip' 2 render "$samples/arm.glb" --apng -o arm.png
    fails_quietly '--apng and --gif' 2 render "$samples/arm.glb" --clip bend --apng --gif -o arm.png
    fails_quietly 'a GIF with another extension' 2 render "$samples/arm.glb" --clip bend --gif -o arm.png
    fails_quietly 'a damaged file' 5 render broken.glb -o arm.png
    fails_quietly 'the folder cannot be created' 3 render "$samples/arm.glb" --size 8 -o /dev/null/x/arm.png
    holds 'nothing is written' test ! -e arm.png
    cp "$samples/face.glb" input.png
    fails_quietly 'inputs are not overwritten' 2 render input.png -o input.png
    holds 'inputs are not overwritten' cmp input.png "$samples/face.glb"
}

# EGL finds no driver, as on a machine without graphics.
test_no_graphics()
{
    export __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent
    fails_quietly 'no graphics' 6 render "$samples/arm.glb" -o none.png
    says 'names the package to install' "$err" 'libgl1-mesa-dri'
    fails_quietly 'no graphics for several files' 6 render -j 1 "$samples/arm.glb" -o none/
    unset __EGL_VENDOR_LIBRARY_FILENAMES
}

# A Cyrillic name: drawn with a system font, else as boxes, which an empty SINEW_FONT also selects.
test_fonts()
{
    name=$(printf '\320\232\320\276\321\201\321\202\321\214')
    printf '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"%s"}]}' "$name" >bone.gltf
    works 'a Cyrillic name' render bone.gltf --names --size 96 -o font.png
    SINEW_FONT='' works 'without fonts' render bone.gltf --names --size 96 -o boxes.png
    SINEW_FONT=bone.gltf:/no/such/font works 'a file that is not a font' render bone.gltf --names --size 96 -o none.png
    holds 'a file that is not a font is skipped' cmp -s boxes.png none.png
    if [ -f /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] && ! cmp -s boxes.png font.png; then pass
    else skip 'glyphs of a font: no stb_truetype, or no DejaVu Sans'
    fi
}

run render "$samples/arm.glb" --size 8 -o probe.png
if [ "$code" = 6 ]; then
    printf 'skip: %s\n' "$err"
    exit 77
fi
# m.gltf has the picture t_001.png as its texture; the outputs of t.glb would be t_000.png to t_002.png, or t_001.png.
test_overwriting()
{
    mkdir over
    cp "$samples/arm.glb" over/t.glb
    cp "$samples/arm.glb" over/t_001.glb
    works 'given: a picture' render over/t.glb --size 8 -o over/t_001.png
    cp over/t_001.png given.png
    printf '{"asset":{"version":"2.0"},"images":[{"uri":"t_001.png"}]}' >over/m.gltf
    fails_quietly 'a texture of another model' 2 render over/t_001.glb over/m.gltf --size 8 -o over/
    says 'a texture: which' "$err" 't_001\.png: is an input of a model'
    fails_quietly 'a texture, by its number' 2 render over/t.glb over/m.gltf --size 8 --turntable 3 -o over/
    cp over/m.gltf over/t.gltf
    fails_quietly 'its own texture, by its number' 2 render over/t.gltf --size 8 --turntable 3 -o over/t.png
    holds 'the texture was left alone' cmp -s over/t_001.png given.png
    works 'other outputs' render -q over/t.gltf --size 8 -o over/t.png
}

test_help
test_overwriting
test_one
test_toggles
test_many
test_errors
test_fonts
test_no_graphics
finish
