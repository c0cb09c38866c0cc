#!/usr/bin/env bash
# Models in archives, from outside: test_archives.sh TOOL SAMPLES MAKE_MPQ EXAMPLE. MAKE_MPQ is "none" without StormLib,
# which makes the archives.
make_mpq=$3
example=$(realpath "$4")
[ "$make_mpq" = none ] || make_mpq=$(realpath "$make_mpq")
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
mkdir in && cd in || exit 1

# byte FILE OFFSET OCTAL: changes one.
byte() { printf '%b' "\\0$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

make_archives()
{
    "$make_mpq" game.mpq 'Units\Human\Arm.glb' "$samples/arm.glb" 'Units\Crane.gltf' "$samples/crane.gltf" \
        'units\CRANE.BIN' "$samples/crane.bin" 'readme.txt' "$samples/crane.gltf"
    "$make_mpq" patch.mpq 'units\human\arm.glb' "$samples/face.glb"
    "$make_mpq" nameless.mpq -l 'Units\Crane.gltf' "$samples/crane.gltf" 'Units\crane.bin' "$samples/crane.bin"
    "$make_mpq" evil.mpq '..\evil.glb' "$samples/arm.glb" 'a\..\..\..\evil.glb' "$samples/arm.glb" '\evil.glb' "$samples/arm.glb" \
        'C:\evil.glb' "$samples/arm.glb" '/tmp/evil.glb' "$samples/arm.glb" '\\server\share\evil.glb' "$samples/arm.glb" \
        '~\evil.glb' "$samples/arm.glb" '..\..\evil\evil.glb' "$samples/arm.glb" 'good\..x.glb' "$samples/arm.glb"
    "$make_mpq" empty.mpq 'readme.txt' "$samples/crane.gltf"
}

test_listing()
{
    works 'an archive is listed' info game.mpq
    says 'how much is in it' "$out" '^  MPQ archive: 4 files, 2 models$'
    says 'which models' "$out" '^  Units/Human/Arm\.glb +[0-9]+$'
    works 'as JSON' info --json game.mpq
    json 'as JSON' 'd.schema === "sinew.archive/2" && d.file === "game.mpq" && d.file_count === 4 && d.refused_count === 0 &&
                    d.models.map(m => m.name).join() === "Units/Crane.gltf,Units/Human/Arm.glb"'
    json 'with sizes' "byName(d.models, 'Units/Human/Arm.glb').bytes === $(wc -c <"$samples/arm.glb")"
    works 'an archive and a model' info game.mpq "$samples/arm.glb"
    works 'without models' info empty.mpq
    fails_quietly 'without models: nothing to draw' 4 tree empty.mpq
    cp game.mpq map.w3x
    works 'a map is an archive' info map.w3x
    cp game.mpq plain
    works 'whatever its name' info --archive plain Units/Crane.gltf
}

test_names()
{
    for name in Units/Human/Arm.glb 'Units\Human\Arm.glb' units/human/ARM.GLB 'UNITS\human/arm.glb' ./Units//Human/Arm.glb; do
        works "by name: $name" info --archive game.mpq "$name"
        says "by name: $name" "$out" '28 vertices'
    done
    works 'a model of two files' tree --archive game.mpq 'units\crane.gltf'
    works 'without a list, by name' check --archive nameless.mpq 'units/crane.GLTF'
    works 'all by a pattern' check --archive game.mpq 'units/*'
    same 'all by a pattern' "$(tr '\n' ' ' <out)" 'Units/Crane.gltf: no findings Units/Human/Arm.glb: no findings 2 files: no findings '
    works 'some by a pattern' check --archive game.mpq '*\arm.gl?'
    same 'some by a pattern' "$out" 'Units/Human/Arm.glb: no findings'
    works 'all of an archive' check game.mpq
    same 'all of an archive' "$(grep -c 'no findings' out)" 3
    fails_quietly 'not there' 3 info --archive game.mpq units/missing.glb
    says 'where it was looked for' "$err" 'neither on disk nor in an archive'
    fails_quietly 'no match' 3 info --archive game.mpq 'heroes/*'
    works 'the first archive wins' info --json --archive patch.mpq --archive game.mpq units/human/arm.glb
    face=$("$tool" info --json "$samples/face.glb" | grep '"hash"')
    says 'the first archive wins' "$out" "$face"
    works 'and of a pattern' check --archive patch.mpq --archive game.mpq '*arm.glb'
    same 'and of a pattern' "$out" 'units/human/arm.glb: no findings'
    mkdir -p Units/Human && cp "$samples/face.glb" Units/Human/Arm.glb
    works 'the disk comes first' info --json --archive game.mpq Units/Human/Arm.glb
    says 'the disk comes first' "$out" "$face"
    works 'but not for all of an archive' check --json game.mpq
    rm -r Units
}

test_example()
{
    same 'the library reads MPQ too' "$("$example" game.mpq 'units\human\arm.glb' | cut -d , -f 1)" 'units\human\arm.glb: gltf'
    holds 'and lists it' sh -c "'$example' game.mpq | grep -q 'MPQ archive, 4 files'"
}

test_convert()
{
    "$tool" convert "$samples/arm.glb" -o right.glb
    works 'one by name' convert --archive game.mpq 'units\human\arm.glb' -o one.glb
    holds 'the same bytes as from disk' cmp -s right.glb one.glb
    works 'one into a folder' convert --archive game.mpq 'units\human\arm.glb' -o folder/
    same 'one into a folder' "$(files_in folder)" './arm.glb '
    run convert game.mpq -o all/
    same 'a whole archive' "$code$err" '02 converted, 0 skipped, 0 failed'
    same 'its tree is kept' "$(files_in all)" './Units/Crane.glb ./Units/Human/Arm.glb '
    run convert --archive game.mpq 'units/human/*' -o some/ -q
    same 'a pattern' "$code$err$(files_in some)" '0./Units/Human/Arm.glb '
    run convert game.mpq -o all/ --newer
    same 'newer than the archive' "$err" '0 converted, 2 skipped, 0 failed'
    touch -d '+1 minute' game.mpq
    run convert game.mpq -o all/ --newer
    same 'the archive has changed' "$err" '2 converted, 0 skipped, 0 failed'
    for jobs in 1 8; do run convert game.mpq patch.mpq -o jobs$jobs/ -j $jobs -q; done
    holds 'any number of jobs' diff -r jobs1 jobs8
    fails_quietly 'a pattern into a file' 2 convert --archive game.mpq 'units/human/*' -o x.glb
    cp game.mpq kept.mpq
    fails_quietly 'no report over an archive' 2 convert --archive game.mpq units/crane.gltf -o x.glb --report game.mpq
    fails_quietly 'no mesh over an archive' 2 pose --archive game.mpq units/crane.gltf --obj game.mpq
    holds 'the archive was left alone' cmp -s kept.mpq game.mpq
}

test_hostile_names()
{
    works 'names that lead out are counted' info --json evil.mpq
    json 'names that lead out are counted' 'd.refused_count === 8 && d.models.map(m => m.name).join() === "good/..x.glb"'
    run convert evil.mpq -o written/deep/
    same 'they are not converted' "$err" '1 converted, 0 skipped, 0 failed'
    same 'nothing is written outside' "$(cd "$work" && find . -name '*evil.glb*'; ls -d /tmp/evil.glb 2>/dev/null)" ''
    # shellcheck disable=SC2088
    for name in '..\evil.glb' '../evil.glb' 'a/../../../evil.glb' '/tmp/evil.glb' 'C:\evil.glb' '~/evil.glb' '..*'; do
        fails_quietly "not by name either: $name" 3 convert --archive evil.mpq "$name" -o written/deep/
    done
    same 'still nothing is written outside' "$(cd "$work" && find . -name '*evil.glb*')" ''
    "$make_mpq" loud.mpq "$(printf 'a\033[31mb\nc.glb')" "$samples/arm.glb" 'x.glb' "$samples/arm.glb"
    run info loud.mpq
    holds 'no escapes reach the terminal' clean_for_terminal out err
}

test_extract()
{
    works 'all of an archive' extract -q game.mpq -o extracted
    same 'all of an archive' "$(files_in extracted)" './Units/Crane.gltf ./Units/Human/Arm.glb ./readme.txt ./units/CRANE.BIN '
    holds 'as they are' cmp -s extracted/Units/Human/Arm.glb "$samples/arm.glb"
    works 'one that is not listed' extract -q --archive nameless.mpq 'units\CRANE.gltf' -o unlisted
    same 'one that is not listed' "$(files_in unlisted | tr '[:upper:]' '[:lower:]')" './units/crane.gltf '
    works 'the first of two archives wins' extract -q patch.mpq game.mpq 'units/human' -o first
    holds 'the first of two archives wins' cmp -s first/units/human/arm.glb "$samples/face.glb"
    same 'once' "$(find first -type f | wc -l)" 1
    run extract evil.mpq -o written/deeper
    says 'names that lead out are left alone' "$code $(tail -n 1 err)" '^0 1 extracted, 0 skipped, 0 failed$'
    # shellcheck disable=SC2088
    for name in '..\evil.glb' '../evil.glb' 'a/../../../evil.glb' '/tmp/evil.glb' 'C:\evil.glb' '~/evil.glb' '..'; do
        fails_quietly "not by name either: $name" 3 extract -q --archive evil.mpq "$name" -o written/deeper
    done
    same 'nothing is extracted outside' "$(cd "$work" && find . -name '*evil.glb*'; ls -d /tmp/evil.glb 2>/dev/null)" ''
}

test_damage()
{
    size=$(wc -c <game.mpq)
    fails_quietly 'a missing archive' 3 info --archive missing.mpq x.glb
    fails_quietly 'a folder' 3 info --archive . x.glb
    fails_quietly 'not an archive' 4 info --archive "$samples/arm.glb" x.glb
    : >nothing.mpq
    fails_quietly 'an empty file' 4 info nothing.mpq
    for kept in 1 31 32 100 $((size / 2)) $((size - 1)); do
        head -c "$kept" game.mpq >cut.mpq
        run info cut.mpq
        holds "cut after $kept: an error or less in it" [ "$code" = 0 -o "$code" = 4 -o "$code" = 5 ]
    done
    cp game.mpq sector.mpq && byte sector.mpq 14 377
    fails_quietly 'sectors of no size' 5 info sector.mpq
    cp game.mpq blocks.mpq && byte blocks.mpq 31 17
    works 'a table of 250 million files' info --json blocks.mpq
    json 'those in the file are listed' 'd.file_count === 4'
    cp game.mpq hashes.mpq && byte hashes.mpq 27 17
    works 'a table of 250 million names' info --json hashes.mpq
    json 'a table of 250 million names: those in the file' 'd.file_count > 0'
    cp game.mpq body.mpq
    for at in $(seq 60 3 200); do byte body.mpq "$at" 252; done
    run check body.mpq
    same 'damaged files cost only themselves' "$code" 1
    says 'damaged files: which' "$out" ': error .*the archive is damaged'
    for claimed in 0x02000000 0x40000000 0x7FFFFFFF 0xFFFFFFF0; do
        "$make_mpq" huge.mpq -s $claimed 'a.glb' "$samples/arm.glb"
        works "a size of $claimed: listed" info huge.mpq
        run info --archive huge.mpq a.glb
        says "a size of $claimed: not believed" "$code $err" '^(3 .*neither on disk nor in an archive|5 .*(at byte [0-9]+ are needed|the limit is))'
    done
}

# found MODEL [OPTION...]: which of its images were found, by their sizes; 0 where one was not.
found()
{
    run info --json "$@"
    grep -o '"bytes": [0-9]*' out | cut -d ' ' -f 2 | tr '\n' ' '
}

test_textures()
{
    mkdir -p model game/textures/deep other
    cat >model/x.mdl <<END
Version { FormatVersion 800, }
Model "x" { BlendTime 150, }
Textures 2 {
    Bitmap { Image "Textures\\Deep\\Skin.blp", }
    Bitmap { Image "..\\Secret.blp", }
}
Materials 1 { Material { Layer { FilterMode None, static TextureID 0, } } }
END
    printf 12345 >secret.blp
    same 'no texture is there' "$(found model/x.mdl)" '0 0 '
    run info model/x.mdl
    says 'where they were looked for' "$out" '^  searched for the missing files below model/; --search'
    printf 1 >other/SKIN.tga
    same 'by its last name' "$(found model/x.mdl --search other)" '1 0 '
    printf 22 >game/textures/deep/SKIN.BLP
    same 'by its path, in another case' "$(found model/x.mdl --search game)" '2 0 '
    same 'by its path before its last name' "$(found model/x.mdl --search other --search game)" '2 0 '
    same 'below the folder it is in' "$(found model/x.mdl --search .)" '2 5 '
    same 'of a model on standard input' "$("$tool" info --json --search game - <model/x.mdl | grep -c '"bytes": 2')" 1
    printf 333 >skin333
    "$make_mpq" art.mpq 'textures\deep\skin.dds' skin333 'Secret.blp' skin333 '..\Secret.blp' skin333 'Units\x.mdl' model/x.mdl
    same 'in an archive, with another ending' "$(found model/x.mdl --archive art.mpq)" '3 3 '
    same 'of a model in an archive' "$(found 'units/X.mdl' --archive art.mpq)" '3 3 '
    same 'the disk before archives, for each name' "$(found model/x.mdl --search other --archive art.mpq)" '3 3 '
    mkdir model/Textures && printf 4444 >model/skin.blp
    same 'the path in an archive before the last name on disk' "$(found model/x.mdl --archive art.mpq)" '3 3 '
    same 'the last name beside the model' "$(found model/x.mdl)" '4 0 '
    "$make_mpq" bare.mpq 'other.blp' skin333
    run info --archive bare.mpq --search game model/x.mdl
    says 'where: all of it' "$out" '^  searched for the missing files below model/, game; in bare\.mpq; --search'
    mkdir war3
    for name in War3 War3Local War3x War3xLocal War3Patch; do
        printf %s "$name" >content
        "$make_mpq" "war3/$name.mpq" 'Textures\deep\skin.blp' content
        same "a base game: $name.mpq hides those before it" "$(found model/x.mdl --game war3)" "${#name} 0 "
    done
    for team in -1 24 x '' 99999999999; do fails_quietly "--team $team" 2 info --team "$team" model/x.mdl; done
    for team in 0 23; do run info --team $team model/x.mdl; same "--team $team" "$code" 0; done
    fails_quietly 'a search folder that is none' 3 info --search model/x.mdl model/x.mdl
    cp "$samples/crane.gltf" model/ && cp "$samples/crane.bin" other/
    run info --search other model/crane.gltf
    same 'glTF means its files to the letter' "$code" 3
    cp "$samples/crane.bin" model/CRANE.bin
    run info model/crane.gltf
    same 'and their case' "$code" 3
}

# The archive that sinew's own writer makes; two of its files cannot be read without what is elsewhere.
test_sample()
{
    cp "$here/../sweep_samples/files.mpq" sample.mpq
    works 'the sample is listed' info --json --all sample.mpq
    json 'the sample is listed' 'd.file_count === 8'
    run extract sample.mpq -o sample
    same 'what can be extracted is' "$code $(tail -n 1 err)" '1 6 extracted, 0 skipped, 2 failed'
    same 'as it was packed' "$(cat sample/Art/Stored.txt sample/imploded)" 'as it isAIAIAIAIAIAIA'
    works 'one that is not listed' extract -q --archive sample.mpq 'a\secret' -o sample
    holds 'one that is not listed' cmp -s sample/a/secret sample/sectors
}

test_sample
if [ "$make_mpq" = none ]; then
    skip 'other MPQ archives: StormLib, which makes them, is not there'
else
    make_archives
    for name in listing names example convert hostile_names extract damage textures; do "test_$name"; done
fi
finish
