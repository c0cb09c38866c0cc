#!/usr/bin/env bash
# Models of old games, from outside: test_games.sh TOOL SAMPLES. MDX and MDL become each other, the files of a W3D model are
# joined, also out of a BIG archive; disc archives are listed, opened and extracted. How many clips there are and how they are called, samples/make_w3d*.c says.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

clips_are() { json "$1" "d.clips.map(c => c.name).join(' ') === '$2'"; }

# hd2 STEM NAME=SAMPLE...: STEM.HD2 and STEM.dat, the files on sectors of 2048 bytes.
hd2()
{
    stem=$1
    shift
    at=$((32 * $#)) sector=0
    : >"$stem.dat"
    {
        for pair in "$@"; do
            size=$(stat -c %s "$samples/${pair#*=}")
            le32 "$at" && le32 0 && le32 0 && le32 0
            le32 $((sector * 2048)) && le32 "$size" && le32 "$sector" && le32 $(((size + 2047) / 2048))
            cat "$samples/${pair#*=}" >>"$stem.dat"
            sector=$((sector + (size + 2047) / 2048))
            truncate -s $((sector * 2048)) "$stem.dat"
            name=${pair%%=*}
            at=$((at + $(printf %s "$name" | wc -c) + 1))
        done
        for pair in "$@"; do printf '%s\0' "${pair%%=*}"; done
    } >"$stem.HD2"
}

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
    works 'a model of another format' convert -q "$samples/arm.glb" -o arm.mdx
    works 'which loads' check arm.mdx --ignore IMAGE_MISSING
    fails_quietly 'not as an archive' 2 convert "$samples/arm.glb" -o arm.mpq
    holds 'nothing is left of it' test ! -e arm.mpq
    { printf '\n' && cat hound.mdl; } >spaced.mdl
    run check --round-trip spaced.mdl
    says 'text keeps its meaning, not its spaces' "$code $out" 'round trip: same document, different bytes, first difference at byte 0.*line 1'
}

test_joining()
{
    works 'a skin alone' info --json --no-anims "$samples/soldier_skn.w3d"
    clips_are 'a skin alone' ''
    works 'all around it' info --json "$samples/soldier_skn.w3d"
    clips_are 'all around it' 'SOLDIER_BOW SOLDIER_WALK SOLDIER_WAVE'
    works 'all of the folder' info --json --with-anims "$samples/soldier_skn.w3d"
    clips_are 'all of the folder' 'SOLDIER_BOW SOLDIER_WALK SOLDIER_WAVE'
    works 'those named' info --json --anim "$samples/soldier_wave.w3d" --anim "$samples/soldier_bow.w3d" "$samples/soldier_skn.w3d"
    clips_are 'those named come first' 'SOLDIER_WAVE SOLDIER_BOW SOLDIER_WALK'
    works 'the hierarchy, named' info --json --hierarchy soldier_skl "$samples/soldier_skn.w3d"
    run info --hierarchy nothere "$samples/soldier_skn.w3d"
    says 'a hierarchy that is not there' "$code $err" '^3 .*hierarchy "nothere" not found'
    run info --hierarchy nosuch.w3d "$samples/soldier_skn.w3d"
    says 'a hierarchy file that is not there is blamed' "$code $err" '^3 sinew: nosuch.w3d: error: cannot open'
    run convert -q --anim nosuch.w3d "$samples/soldier_skn.w3d" -o never.glb
    says 'an animation file that is not there is blamed' "$code $err" '^3 sinew: nosuch.w3d: error: cannot open'
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
    json 'what is in it' 'd.file_count === 4 && d.models.length === 3 && d.refused_count === 0'
    works 'skin and skeleton out of it' info --json --archive w3d.big art/w3d_/SOLDIER_SKN.W3D
    json 'skin and skeleton out of it' 'd.skins.length === 1 && d.skins[0].joint_count === 11'
    works 'the animation too' info --json --archive w3d.big --anim 'Art\W3D_\soldier_walk.w3d' 'Art\W3D_\soldier_skn.w3d'
    clips_are 'the animation too' 'SOLDIER_WALK'
    works 'all of it' convert -q w3d.big -o made/ --report report.json
    same 'all of it, joined' "$(files_in made)" './Art/W3D_/soldier_skn.glb '
    cp report.json out
    json 'all of it, joined' 'd.converted_count === 1 && d.joined_count === 2 && d.empty_count === 0 && d.files.filter(f => f.status === "joined").every(f =>
        f.into === "Art/W3D_/soldier_skn.w3d" && f.out === null)'
    run convert -q --keep-parts w3d.big -o parts/
    same 'all of it, parts too' "$code $(find parts -name '*.glb' | wc -l)" '1 3'
    head -c 60 w3d.big >cut.big
    run info cut.big
    holds 'a cut archive' test "$code" -gt 1
}

test_disc()
{
    sun=$(printf '\346\227\245')                # what Shift-JIS writes as 93 FA
    hd2 DATA 'Art\Soldier_skn.w3d=soldier_skn.w3d' 'art\soldier_skl.w3d=soldier_skl.w3d' 'art\soldier_walk.w3d=soldier_walk.w3d' \
        'art\soldier.tga=soldier.tga' "$(printf 'art\\\223\372.tga')=wood.tga" '..\evil.w3d=tank.w3d'
    for name in DATA.HD2 DATA.dat; do
        works "$name: what is in it" info --json --all $name
        json "$name: what is in it" 'd.format === "Level-5 disc archive" && d.detail === "HD2 index" && d.file_count === 5 && d.refused_count === 1 &&
            d.damaged_count === 0 && d.models.length === 3 && d.others.map(f => f.name).join() === "art/soldier.tga,art/'"$sun"'.tga"'
        works "$name: skin and skeleton" info --json --archive $name ART/soldier_SKN.w3d
        json "$name: skin and skeleton" 'd.skins.length === 1 && d.skins[0].joint_count === 11'
    done
    works 'all models of it' convert -q DATA.HD2 -o models/
    same 'all models of it' "$(find models -name '*.glb' | wc -l)" 1
    works 'all files of it' extract -q DATA.dat -o files
    same 'all files of it' "$(files_in files)" "./Art/Soldier_skn.w3d ./art/soldier.tga ./art/soldier_skl.w3d ./art/soldier_walk.w3d ./art/$sun.tga "
    holds 'as they are' cmp files/Art/Soldier_skn.w3d "$samples/soldier_skn.w3d"
    holds 'by their Japanese name' cmp "files/art/$sun.tga" "$samples/wood.tga"
    run extract DATA.dat -o others
    says 'what is left alone' "$code $err" '1 files are left out: their names lead out'
    same 'nothing outside' "$(find . -name 'evil*')" ''
    truncate -s $((11 * 2048)) DATA.dat           # ten sectors of the skin, one of the skeleton
    works 'data cut short' info --json DATA.HD2
    json 'data cut short' 'd.file_count === 2 && d.damaged_count === 4'
    truncate -s 2048 DATA.dat
    fails_quietly 'data cut shorter' 5 info DATA.HD2
    says 'data cut shorter' "$err" 'no file of the index is inside the data of 2048 bytes'
    rm DATA.dat
    fails_quietly 'without its data' 3 info DATA.HD2
    says 'without its data' "$err" 'no \.dat of that name'
}

test_extract()
{
    works 'some by a pattern' extract -q w3d.big 'art/*skl*' 'ART\W3D_\soldier.TGA' -o some/
    same 'some by a pattern' "$(files_in some)" './Art/W3D_/soldier.tga ./Art/W3D_/soldier_skl.w3d '
    works 'a folder' extract -q --archive w3d.big art/w3d_/ -o folder
    same 'a folder' "$(find folder -type f | wc -l)" 4
    printf mine >some/Art/W3D_/soldier.tga
    run extract w3d.big -o some
    same 'what is there is kept' "$code $(cat some/Art/W3D_/soldier.tga)" '1 mine'
    says 'what is there is kept' "$err" '^2 extracted, 2 skipped, 0 failed$'
    works 'with --force it is not' extract -q -f w3d.big -o some
    holds 'with --force it is not' cmp some/Art/W3D_/soldier.tga "$samples/soldier.tga"
    works 'as JSON' extract -q --json w3d.big '*walk*' -o json
    json 'as JSON' 'd.schema === "sinew.extract/2" && d.extracted_count === 1 && d.files[0].in === "Art/W3D_/soldier_walk.w3d" &&
        d.files[0].out === "json/Art/W3D_/soldier_walk.w3d" && d.files[0].status === "extracted" && d.files[0].error === null'
    for name in nothing.w3d '../x' /etc/passwd ''; do fails_quietly "not in it: '$name'" 3 extract -q w3d.big "$name" -o none; done
    fails_quietly 'without a folder' 2 extract w3d.big
    fails_quietly 'to standard output' 2 extract w3d.big -o -
    fails_quietly 'no archive' 4 extract "$samples/tank.w3d" -o none
    fails_quietly 'not there' 3 extract missing.big -o none
    same 'nothing was made' "$(ls -d none 2>/dev/null)" ''
    printf x >file
    run extract -q w3d.big -o file
    same 'a file in the place of the folder' "$code" 1
    mkdir -p self/Art/W3D_ && cp w3d.big self/Art/W3D_/soldier.tga && cp w3d.big kept
    run extract -q -f --archive self/Art/W3D_/soldier.tga 'art/*' -o self
    says 'never over the archive itself' "$code $err" '^1 .*will not be overwritten'
    holds 'never over the archive itself' cmp kept self/Art/W3D_/soldier.tga
}

# The files of a Level-5 model: found by their names, out of packs, and shown alone. samples/make_level5*.c says what they hold.
test_level5()
{
    works 'an MDS with its files' info --json "$samples/arm2.mds"
    clips_are 'an MDS with its files' 'bend swing bent'
    json 'an MDS with its files' 'd.skin_count === 1 && d.image_count === 1 && d.extras.game === "dc2" && d.clips[0].duration > 1.3'
    works 'by the rules of the other game' info --json --level5-game dc1 "$samples/arm2.mds"
    json 'by the rules of the other game' 'd.extras.game === "dc1" && Math.abs(d.clips[0].duration - 40 / 60) < 1e-6'
    fails_quietly 'a game that is none' 2 info --level5-game dc3 "$samples/arm2.mds"
    works 'a configuration leads to its model' info --json "$samples/arm1.cfg"
    clips_are 'a configuration leads to its model' 'bend swing clip 2'
    works 'weights alone' info "$samples/arm1.wgt"
    says 'weights alone' "$out" '^  node  bone  count   sum$'
    says 'weights alone' "$out" '^  1        2     36  2100$'
    says 'weights alone' "$out" 'open its model arm1.mds'
    cp "$samples/arm1.wgt" lone.wgt
    run check lone.wgt
    same 'weights without their model' "$code" 1
    says 'weights without their model' "$out" 'its model lone.mds was not found'
    works 'a pack' info --json "$samples/rabbit.chr"
    clips_are 'a pack' 'stand hop wave listen'
    works 'a pack in a pack' tree "$samples/toys.pak"
    says 'a pack in a pack' "$out" 'func_hook +attachment'
    for file in "$samples"/arm[12].* "$samples"/toys.pak "$samples"/rabbit.chr; do
        run check --round-trip "$file"
        says "round trip of ${file##*/}" "$out" 'round trip: identical$'
    done
    hd2 cloud 'chara\rabbit.chr=rabbit.chr' 'chara\ARM2.MDS=arm2.mds' 'chara\ARM2.CFG=arm2.cfg' 'chara\ARM2.MOT=arm2.mot' \
        'chara\ARM2.BBP=arm2.bbp' 'chara\ARM2.WGT=arm2.wgt' 'chara\ARM2.IMG=arm2.img'
    works 'out of a disc archive' info --json --archive cloud.HD2 chara/arm2.mds
    clips_are 'out of a disc archive' 'bend swing bent'
    json 'out of a disc archive' 'd.skin_count === 1 && d.images[0].is_found'
    works 'a pack out of it' info --json --archive cloud.HD2 chara/rabbit.chr
    clips_are 'a pack out of it' 'stand hop wave listen'
    works 'a model out of a pack' info --json --archive "$samples/rabbit.chr" rabbit.mds
    clips_are 'a model out of a pack' 'stand hop wave listen'
    works 'converted' convert -q "$samples/rabbit.chr" -o rabbit.glb
    works 'converted' info --json rabbit.glb
    clips_are 'converted' 'stand hop wave listen'
}

# Any model as files of Dark Cloud: side by side, in a pack, with the nodes of another.
test_saving_level5()
{
    works 'saved' convert -q "$samples/golem.mdx" -o cloud_made/g.mds
    same 'its files' "$(files_in cloud_made)" './g.bbp ./g.cfg ./g.img ./g.mds ./g.mot ./g.wgt '
    works 'saved' info --json cloud_made/g.mds
    clips_are 'saved' 'Stand Walk Death'
    json 'saved' 'd.skin_count === 1 && d.images[0].is_found && d.extras.game === "dc2"'
    works 'for the first game' convert -q "$samples/golem.mdx" --target dark-cloud -o cloud_made/g.chr
    works 'for the first game' info --json cloud_made/g.chr
    json 'for the first game' 'd.extras.game === "dc1"'
    works 'a pack as it is' convert -q "$samples/rabbit.chr" -o cloud_made/same.chr
    works 'a pack as it is' tree cloud_made/same.chr
    same 'a pack as it is' "$(cksum <cloud_made/same.chr)" "$(cksum <"$samples/rabbit.chr")"
    works 'with a skeleton' convert -q "$samples/golem.mdx" --skeleton "$samples/rabbit.chr" -o cloud_made/s.chr
    works 'with a skeleton' tree cloud_made/s.chr
    says 'with a skeleton' "$out" 'rabbit +root'
    run convert "$samples/golem.mdx" --skeleton none.chr -o cloud_made/n.chr
    same 'without its skeleton' "$code" 3
    says 'without its skeleton' "$err" 'none\.chr: '
    [ ! -e cloud_made/n.chr ] && pass || fail 'a model was written without its skeleton'
}

# Packs open as models; as archives only where they are meant as such.
test_packs()
{
    works 'a pack as an archive' info --json --archive "$samples/rabbit.chr" rabbit.mds
    json 'a pack as an archive' 'd.skins.length === 1'
    works 'its files' extract -q "$samples/rabbit.chr" -o rabbit
    same 'its files' "$(files_in rabbit)" './info.cfg ./rabbit.bbp ./rabbit.img ./rabbit.mds ./rabbit.mot ./rabbit.wgt '
    works 'they make the same model' pose --clip 0 --time 0.2 --obj apart.obj rabbit/info.cfg
    works 'they make the same model' pose --clip 0 --time 0.2 --obj packed.obj "$samples/rabbit.chr"
    same 'they make the same model' "$(grep '^[vf]' apart.obj | cksum)" "$(grep '^[vf]' packed.obj | cksum)"
    works 'a pack in a pack' info --archive "$samples/toys.pak" toy.chr
    works 'a folder of parts is one model' convert -q rabbit -o one/
    same 'a folder of parts is one model' "$(files_in one)" './rabbit.glb '
    {
        for name in 'C:\work\a.bin' '/data/b.bin' '../c.bin' '..' 'dir\d.bin'; do
            printf '%s' "$name" && head -c $((64 - ${#name})) /dev/zero && le32 80 && le32 4 && le32 96 && le32 0 && printf 'data' && head -c 12 /dev/zero
        done
        head -c 80 /dev/zero
    } >far.pak
    works 'names that lead out' extract -q far.pak -o far
    same 'names that lead out' './a.bin ./b.bin ./c.bin ./dir/d.bin ' "$(files_in far)"
    printf 'not a pack' >no.pak
    fails_quietly 'no pack' 4 extract -q no.pak -o none
}

# A link may lead to another file of the folder, not out of it.
test_links()
{
    mkdir -p links/in links/out
    cp "$samples"/soldier_sk?.w3d links/in/
    cp "$samples/soldier_walk.w3d" links/out/
    ln -s ../out/soldier_walk.w3d links/in/soldier_walk.w3d
    run info --json --with-anims links/in/soldier_skn.w3d
    json 'animations: a link that leads out' 'd.clips.length === 0'
    touch -m -d 2001-01-01 links/out/soldier_walk.w3d links/in/soldier_skl.w3d
    touch -a -d 2000-01-01 links/out/soldier_walk.w3d links/in/soldier_skl.w3d
    run info --with-anims links/in/soldier_skn.w3d
    if [ "$(stat -c %X links/in/soldier_skl.w3d)" -gt 978307200 ]; then
        holds 'animations: it was not read' [ "$(stat -c %X links/out/soldier_walk.w3d)" -lt 978307200 ]
    else
        skip 'animations: whether it was read: the file system does not keep times of access'
    fi
    mv links/out/soldier_walk.w3d links/in/walk.hidden
    ln -sf walk.hidden links/in/soldier_walk.w3d
    run info --json --with-anims links/in/soldier_skn.w3d
    json 'animations: a link that stays inside' 'd.clips.length === 1'
    for pair in disc.hd3:disc.dat disc.dat:disc.hd3; do
        rm -rf links/in/disc* links/out/*
        cp "$samples/${pair%:*}" links/in/
        cp "$samples/${pair#*:}" links/out/
        ln -s "../out/${pair#*:}" "links/in/${pair#*:}"
        fails_quietly "a disc archive: ${pair#*:} leads out" 3 info "links/in/${pair%:*}"
        cp "links/out/${pair#*:}" links/in/inside
        ln -sf inside "links/in/${pair#*:}"
        works "a disc archive: ${pair#*:} stays inside" info "links/in/${pair%:*}"
    done
}

test_links
test_forms
test_joining
test_packs
test_level5
test_saving_level5
test_big
test_disc
test_extract
finish
