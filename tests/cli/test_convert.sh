#!/usr/bin/env bash
# sinew convert, from outside: test_convert.sh TOOL SAMPLES.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
# shellcheck source-path=SCRIPTDIR source=models.sh
. "$here/models.sh"

parts_in() { find "$1" -name '*.part' | wc -l; }
clips_of() { "$tool" info --json "$1" | grep -c '"duration"'; }

# Root may write anywhere: the tool runs as someone else. 77 when that cannot be.
as_nobody()
{
    code=77
    chmod 755 .
    if [ "$(id -u)" != 0 ]; then
        run "$@"
    elif setpriv --reuid 65534 --clear-groups "$tool" --version >/dev/null 2>&1 &&
         setpriv --reuid 65534 --clear-groups test -r tri.gltf; then
        setpriv --reuid 65534 --clear-groups "$tool" "$@" >out 2>err
        code=$?
    fi
}

# art: three folders deep, with what must not be taken: hidden files, other files, links to folders.
make_tree()
{
    mkdir -p art/units/deep art/.git art/empty
    cp "$samples/arm.glb" art/arm.glb
    cp "$samples"/crane.gltf "$samples"/crane.bin art/units/
    cp "$samples/face.glb" art/units/deep/Face.GLB
    cp tri.gltf art/.hidden.gltf
    cp tri.gltf art/.git/x.gltf
    echo text >art/notes.txt
    ln -s .. art/units/up
    ln -s ../arm.glb art/units/linked.glb
}

test_one_file()
{
    works 'to .glb' convert tri.gltf -o tri.glb
    same 'to .glb: silent' "$out" ''
    same 'to .glb: the magic' "$(head -c 4 tri.glb)" glTF
    works 'to .glb: fine' check tri.glb
    works 'to .gltf' convert "$samples/arm.glb" -o arm.gltf
    holds 'to .gltf: a .bin beside' [ -s arm.bin ]
    works 'to .gltf: fine' check arm.gltf
    works '.gltf to .glb again' convert arm.gltf -o arm2.glb
    works '.glb to .glb' convert "$samples/arm.glb" -o arm1.glb
    holds 'by way of .gltf or not, the same bytes' cmp -s arm1.glb arm2.glb
    same 'clips are kept' "$(clips_of arm1.glb)" 2
    works 'into missing folders' convert tri.gltf -o new/er/tri.glb
    holds 'the same bytes' cmp -s tri.glb new/er/tri.glb
    works 'over an older one' convert tri.gltf -o new/er/tri.glb
    works 'an ending in capitals' convert tri.gltf -o LOUD.GLB
    holds 'is kept' cmp -s tri.glb LOUD.GLB
    works 'into a new folder' convert tri.gltf -o folder/
    works 'into a folder that is there' convert tri.gltf -o folder --to gltf
    same 'folder: what is in it' "$(files_in folder)" './tri.bin ./tri.glb ./tri.gltf '
    works 'an odd name' convert tri.gltf -o 'a b%41#c.gltf'
    works 'an odd name is found again' check 'a b%41#c.gltf'
    works 'options' convert --keep-axes --no-visibility-tricks --max-influences 4 -j 3 tri.gltf -o options.glb
    works 'strict, nothing lost' convert --strict "$samples/kobold/kobold.glb" -o strict.mdx
    rm -f strict.w3d
    run convert --strict -j 1 "$samples/kobold/kobold.glb" -o strict.w3d
    same 'strict, a loss: an error' "$code" 1
    holds 'strict: nothing is written' [ ! -e strict.w3d ]
    says 'strict: which loss' "$err" '^sinew: strict\.w3d: error at byte 0 in weights: loss 1 of 1: at most 1 bone per vertex'
    run convert bad.gltf -o bad.glb
    same 'warnings: exit 0, one line each' "$code:$(wc -l <err)" 0:1
    says 'warnings: which' "$err" '^sinew: bad\.gltf: warning [0-9]+ [A-Z_]+ in /nodes/0.*: .'
    works 'quiet' convert --quiet bad.gltf -o bad.glb
    run convert evil.gltf -o evil.gltf.glb
    holds 'hostile names do not reach the terminal' clean_for_terminal out err
    same 'nothing is left beside' "$(parts_in .)" 0
}

test_exit_codes()
{
    { printf R; head -c 4096 /dev/urandom; } >random.bin
    head -c $(($(wc -c <"$samples/arm.glb") / 2)) "$samples/arm.glb" >half.glb
    echo old >old.glb
    fails_quietly 'a missing file' 3 convert missing.glb -o old.glb
    fails_quietly 'random bytes' 4 convert random.bin -o old.glb
    fails_quietly 'a damaged file' 5 convert half.glb -o old.glb
    same 'the old output stays' "$(cat old.glb)" old
    fails_quietly 'no file' 2 convert -o x.glb
    fails_quietly 'no output' 2 convert tri.gltf
    fails_quietly 'an empty output' 2 convert tri.gltf -o ''
    fails_quietly 'an unknown ending' 2 convert tri.gltf -o x.fbx
    fails_quietly 'many into one' 2 convert tri.gltf arm1.glb -o x.glb
    fails_quietly 'a folder into a file' 2 convert art -o x.glb
    fails_quietly 'a folder that is a file' 2 convert art -o old.glb/
    fails_quietly 'two formats at once' 2 convert tri.gltf -o x.glb --to gltf
    fails_quietly 'an unknown format' 2 convert tri.gltf -o x/ --to fbx
    for number in 0 -1 x 1.5 '' 99999999999; do
        fails_quietly "--jobs $number" 2 convert tri.gltf -o x.glb --jobs "$number"
        fails_quietly "--max-influences $number" 2 convert tri.gltf -o x.glb --max-influences "$number"
    done
    fails_quietly 'a folder without models' 3 convert art/empty -o x/
    mkdir -p is_a_folder.glb/x
    ln -s /dev/null device.glb
    fails_quietly 'a device in its place' 3 convert tri.gltf -o device.glb
    mkdir -p blocked/tri.glb
    fails_quietly 'a folder in its place' 3 convert tri.gltf -o blocked/
    fails_quietly 'a file where a folder should be' 3 convert tri.gltf -o old.glb/x.glb
    holds 'nothing was made' [ ! -e x.glb ]
    holds 'no folder was made' [ ! -e x ]
    same 'nothing is left beside' "$(parts_in .)" 0
}

test_tree()
{
    run convert art -o tree
    same 'a tree: exit' "$code:$out" 0:
    same 'a tree: the summary' "$err" '4 converted, 0 skipped, 0 failed'
    same 'a tree: mirrored' "$(files_in tree)" './arm.glb ./units/crane.glb ./units/deep/Face.glb ./units/linked.glb '
    run convert art/ -o out_gltf --to gltf -q
    same 'a tree as .gltf' "$code$err$(files_in out_gltf | wc -w)" 08
    for file in tree/arm.glb tree/units/crane.glb out_gltf/units/crane.gltf out_gltf/units/deep/Face.gltf; do
        works "$file is fine" check $file
    done
    for jobs in 1 4 64; do
        run convert art -o "jobs$jobs" -j $jobs --report "jobs$jobs.json"
        sed -i "s/jobs$jobs/jobs/" "jobs$jobs.json"
        holds "-j $jobs gives the same bytes" diff -r tree "jobs$jobs"
        holds "-j $jobs gives the same report" cmp -s jobs1.json "jobs$jobs.json"
    done
    run convert art art/units -o twice/
    same 'files and folders mixed: fine unless they meet' "$code" 0
    cp -r art inside
    run convert inside -o inside/out
    same 'an output inside the input' "$err" '4 converted, 0 skipped, 0 failed'
    run convert inside -o inside/out
    same 'an output inside the input is no input' "$err" '4 converted, 0 skipped, 0 failed'
    mkdir long && (cd long && for i in $(seq 300); do mkdir d && cd d; done && cp "$work/tri.gltf" . && cp tri.gltf ../x.gltf)
    run convert long -o long_out -q
    same 'a deep tree' "$code$err$(find long_out -type f | wc -l)" 02
}

test_collisions()
{
    mkdir -p same/a same/b
    cp tri.gltf same/a/m.gltf
    cp tri.gltf same/b/m.gltf
    cp tri.glb same/a/m.glb
    fails_quietly 'two of two folders to one output' 2 convert same/a/m.gltf same/b/m.gltf -o same_out/
    says 'which two' "$err" "same_out/m\.glb: both 'same/a/m.gltf' and 'same/b/m.gltf'"
    fails_quietly 'one file twice' 2 convert tri.gltf ./tri.gltf -o same_out/
    holds 'nothing was started' [ ! -e same_out ]
    run convert same -o twins_out/
    same 'twins keep their endings' "$code$(cd twins_out && echo $(find . -type f | sort))" '0./a/m.glb.glb ./a/m.gltf.glb ./b/m.glb'
}

test_overwriting()
{
    mkdir over && cp "$samples"/crane.* "$samples/arm.glb" over/
    ln -s arm.glb over/link.glb
    ln over/arm.glb over/hard.glb
    ln -s over over_link
    for target in over/arm.glb over/link.glb over/hard.glb over/../over/arm.glb over_link/arm.glb over over/; do
        fails_quietly "over its input: $target" 2 convert over/arm.glb -o $target
    done
    fails_quietly 'over its input in a batch' 2 convert over/arm.glb tri.gltf -o over
    fails_quietly 'a tree over itself' 2 convert over -o over
    fails_quietly 'a .bin over an input' 2 convert over/arm.glb over/crane.bin -o over --to gltf
    cp over/crane.gltf over/c.gltf
    fails_quietly 'a .bin that the model refers to' 2 convert over/c.gltf -o over/crane.gltf --quiet
    rm over/crane.gltf
    fails_quietly 'a .bin that the model refers to, its .gltf gone' 2 convert over/c.gltf -o over/crane.gltf
    fails_quietly 'a .bin that another model refers to' 2 convert over/c.gltf over/hard.glb tri.gltf over/arm.glb -o over/ --to gltf
    cp "$samples/arm.glb" given.glb
    cp given.glb given.copy
    mkdir source && cp "$samples/face.glb" source/given.glb
    printf '{"asset":{"version":"2.0"},"buffers":[{"byteLength":%d,"uri":"given.glb"}]}' "$(stat -c %s given.glb)" >used.gltf
    mkdir over/sub elsewhere && mv over/crane.bin over/sub/ && cp "$samples/arm.glb" elsewhere/crane.glb
    sed 's|crane\.bin|sub/crane.bin|' over/c.gltf >over/d.gltf
    works 'given: a buffer in a folder below' check over/d.gltf
    fails_quietly 'a .bin that another model refers to, in a folder below' 2 convert elsewhere over/d.gltf -o over/sub --to gltf
    holds 'it was left alone' cmp -s over/sub/crane.bin "$samples/crane.bin"
    fails_quietly 'a .glb that another model has as its buffer' 2 convert source/given.glb used.gltf -o .
    holds 'it was left alone' cmp -s given.glb given.copy
    same 'nothing was started' "$(ls used.glb 2>/dev/null)" ''
    works 'given: a .gltf of ours, its buffer has a hash' convert -q "$samples/face.glb" -o over/sub/own.gltf
    works 'given: again' convert -q "$samples/arm.glb" -o over/sub/own.gltf
    sed "s|\"crane\.bin\"|\"$(cd over/sub && echo own-*.bin)\"|" over/c.gltf >over/sub/e.gltf
    same 'given: another one has it too' "$(grep -c '"own-[0-9a-f]*\.bin"' over/sub/e.gltf)" 1
    cp "$samples/face.glb" over/own.glb
    for inputs in 'over/own.glb over/sub/e.gltf' 'over/sub/e.gltf'; do
        target=over/sub/
        [ "${inputs#* }" != "$inputs" ] || target=over/sub/own.gltf
        # shellcheck disable=SC2086
        fails_quietly "a buffer that would be removed: $inputs" 2 convert $inputs -o $target $([ $target != over/sub/ ] || echo --to gltf)
    done
    holds 'it was left alone' ls over/sub/own-*.bin >/dev/null
    rm over/sub/*
    cp "$samples/crane.bin" over/
    fails_quietly 'a report over an input' 2 convert tri.gltf -o x.glb --report tri.gltf
    fails_quietly 'a report over an output' 2 convert tri.gltf -o x.glb --report x.glb
    fails_quietly 'a report over a buffer' 2 convert over/c.gltf -o x.glb --report over/crane.bin
    holds 'the inputs were left alone' cmp -s over/arm.glb "$samples/arm.glb"
    holds 'the buffer was left alone' cmp -s over/crane.bin "$samples/crane.bin"
    same 'nothing is left beside' "$(parts_in over)" 0
    cp -r art again
    run convert again -o again/out --to gltf
    run convert again -o again/out --to gltf
    same 'outputs below the inputs are replaced' "$code:$err" '0:4 converted, 0 skipped, 0 failed'
}

# Files beside the output, whose names are known only when it is saved.
test_companions()
{
    mkdir split && cp "$samples"/soldier* split/
    fails_quietly 'a skeleton that the model refers to' 2 convert split/soldier_skn.w3d --split -o split/soldier.w3d --quiet
    cp "$samples"/arm.glb split/soldier.glb
    mkdir body && mv split/soldier_skn.w3d body/
    run convert split/soldier.glb body/soldier_skn.w3d --search split --to w3d --split -o split/
    same 'a skeleton that another model refers to' "$code" 1
    says 'a skeleton that another model refers to: which' "$err" 'soldier_skl\.w3d: error: is an input; it will not be overwritten'
    for file in skl walk wave bow; do holds "soldier_$file was left alone" cmp -s split/soldier_$file.w3d "$samples/soldier_$file.w3d"; done
    mkdir arms && cp "$samples"/arm1.* "$samples"/arm2.* arms/
    run convert arms/arm1.mds -o arms/arm1.new.mds --quiet
    same 'files that an .mds refers to' "$code" 2
    run convert "$samples/arm.glb" --skeleton arms/arm1.mds -o arms/arm1.mds
    same 'the model of --skeleton' "$code" 2
    run convert "$samples/arm.glb" --skeleton arms/arm1.mds -o arms/arm1.new.mds --quiet
    same 'files of the model of --skeleton' "$code" 2
    for file in arms/*; do holds "$file was left alone" cmp -s "$file" "$samples/${file#*/}"; done
    same 'nothing is left beside' "$(parts_in arms)" 0
    mkfifo arms/pipe.bbp
    timeout -s KILL 5 "$tool" convert "$samples/arm.glb" -o arms/pipe.mds 2>/dev/null
    same "a pipe" $? 3
    mkdir shared_stem && cp "$samples/arm.glb" shared_stem/a_very_long_name_1.glb && cp "$samples/crane.gltf" "$samples/crane.bin" shared_stem/
    mv shared_stem/crane.gltf shared_stem/a_very_long_name_2.gltf
    run convert shared_stem -o shared_stem_out --to w3d --split
    same 'models whose files would have one name' "$code" 1
    says 'models whose files would have one name: which' "$err" 'a_very_long_skl\.w3d: error: was already written for .shared_stem/a_very_long_name_[12]'
    mkdir twins && cp "$samples/arm.glb" twins/m.glb && cp "$samples"/hound.* twins/ && mv twins/hound.mdx twins/m.mdx
    run convert twins -o twins_mds --to mds
    same 'twins have files of their own' "$code$(cd twins_mds && echo m_*.mds m_*.bbp m_*.mot)" \
        '0m_glb.mds m_mdx.mds m_glb.bbp m_mdx.bbp m_glb.mot m_mdx.mot'
}

test_newer()
{
    cp -r art fresh
    run convert fresh -o fresh_out
    find fresh -type f -exec touch -d '2001-01-01' {} +
    find fresh_out -type f -exec touch -d '2002-01-01' {} +
    run convert fresh -o fresh_out --newer
    same 'all is up to date' "$code:$err" '0:0 converted, 4 skipped, 0 failed'
    rm fresh_out/units/deep/Face.glb
    run convert fresh -o fresh_out --newer
    same 'what is missing is made' "$err" '1 converted, 3 skipped, 0 failed'
    touch -d 2003-01-01 fresh/arm.glb
    run convert fresh -o fresh_out --newer
    same 'what has changed is made again, by its link too' "$err" '2 converted, 2 skipped, 0 failed'
    touch -d 2003-01-01 fresh/units/crane.bin
    run convert fresh -o fresh_out --newer
    same 'a buffer that has changed counts' "$err" '1 converted, 3 skipped, 0 failed'
    works 'one file, up to date' convert --newer fresh/arm.glb -o fresh_out/arm.glb
    run convert fresh/units/crane.gltf -o fresh_out/ --to gltf
    rm fresh_out/crane.bin
    run convert fresh/units/crane.gltf -o fresh_out/ --to gltf --newer
    holds 'a .gltf without its .bin is made again' [ -s fresh_out/crane.bin ]
}

test_report()
{
    run convert tri.gltf half.glb bad.gltf missing.glb -o reported --report report.json
    same 'bad among good: exit 1' "$code:$out" 1:
    same 'bad among good: two complaints and the summary' "$(wc -l <err)" 3
    says 'bad among good: the summary' "$err" '^2 converted, 0 skipped, 2 failed; 1 warning$'
    cp report.json out
    json 'report: counts' 'd.schema === "sinew.convert/2" && d.converted_count === 2 && d.skipped_count === 0 && d.failed_count === 2 && d.not_started_count === 0'
    json 'report: in order' 'd.files.map(f => f.in).join() === "tri.gltf,half.glb,bad.gltf,missing.glb"'
    json 'report: good' 'd.files[0].out === "reported/tri.glb" && d.files[0].status === "converted" && d.files[0].error === null &&
        d.files[0].bytes === require("fs").statSync("reported/tri.glb").size'
    json 'report: bad' 'd.files[1].status === "failed" && d.files[1].error.offset >= 0 && d.files[1].error.message.length > 0 &&
        ["truncated", "corrupt"].includes(d.files[1].error.status) && d.files[1].bytes === 0 && d.files[3].error.status === "io"'
    json 'report: warnings and losses' 'd.files[2].warnings.length === 1 && d.files[2].warnings[0].count === 1 && d.files[2].losses.length === 0'
    run convert tri.gltf bad.gltf -o reported
    says 'warnings without a report: how to see them' "$err" '^2 converted, 0 skipped, 0 failed; 1 warning; --report FILE lists them$'
    run convert tri.gltf half.glb bad.gltf missing.glb -o reported --json
    holds '--json prints the same' cmp -s out report.json
    run convert tri.gltf half.glb bad.gltf missing.glb -o reported --report -
    holds '--report - prints the same' cmp -s out report.json
    run convert --json tri.gltf -o one.glb
    json 'one file: its report' 'd.files.length === 1 && d.files[0].status === "converted"'
    run convert "$(printf 'x\033[31m\xff.glb')" tri.gltf -o reported --json
    holds 'hostile file names do not reach the terminal' clean_for_terminal out err
    json 'hostile file names: still JSON' 'd.failed_count === 1'
    fails_quietly 'a report that cannot be written' 3 convert tri.gltf -o one.glb --report nowhere/report.json
}

# As JavaScript sees a PNG: its size in the header.
png_size() { od -A n -t u1 -j 16 -N 8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }

test_images()
{
    works 'a BLP to PNG' convert "$samples/hound.blp" -o hound.png
    same 'a BLP to PNG: its size' "$(png_size hound.png)" 32x32
    works 'a PNG to TGA' convert hound.png -o hound.tga
    same 'a PNG to TGA: a header, and 4 bytes per pixel for its alpha' "$(stat -c %s hound.tga)" $((18 + 32 * 32 * 4))
    works 'and back' convert hound.tga -o again.png
    holds 'the same pixels' cmp -s hound.png again.png
    works 'an image is checked' check hound.tga hound.png
    mkdir -p pictures/deep && cp "$samples/hound.blp" "$samples/wood.tga" pictures/deep && cp tri.gltf pictures && cp "$samples/gate.tga" pictures/wrong.blp
    run convert pictures -o as_png --to png
    same 'a folder of images' "$code:$err" '0:3 converted, 0 skipped, 0 failed'
    same 'a folder of images: mirrored' "$(files_in as_png)" './deep/hound.png ./deep/wood.png ./wrong.png '
    "$tool" convert "$samples/hound.blp" --to png -o - >piped.png
    holds 'to standard output' cmp -s piped.png hound.png
    head -c 30 "$samples/hound.blp" >cut.blp
    fails_quietly 'a truncated image' 5 convert cut.blp -o cut.png
    fails_quietly 'a model is not an image' 4 convert tri.gltf -o tri.png
    fails_quietly 'an image is not a model' 4 convert hound.tga -o hound.glb
    says 'an image is not a model: what to do' "$err" 'images become \.png or \.tga'
    fails_quietly 'over its input' 2 convert hound.tga -o hound.tga
    fails_quietly 'no images in a folder' 3 convert art/empty --to png -o x/
}

# The triangle and its copies are 11 high and reach from -1 to 0.
test_scale()
{
    works 'scaled' convert --scale 0.5 tri.gltf -o half_size.glb
    run info --json half_size.glb
    json 'scaled: half the size' 'near(d.bounds.min, [-0.5, 0, 0]) && near(d.bounds.max, [0, 5.5, 0.5]) && near([d.clips[0].duration], [2])'
    works 'given in feet' convert --units ft tri.gltf -o feet.glb
    run info --json feet.glb
    json 'given in feet: in metres' 'near(d.bounds.max, [0, 11 * 0.3048, 0.3048])'
    works 'both' convert --units cm --scale 200 tri.gltf -o both.glb
    run info --json both.glb
    json 'both: multiplied' 'near(d.bounds.max, [0, 22, 2])'
    works 'metres are metres' convert --units m tri.gltf -o metres.glb
    holds 'metres are metres: the same bytes' cmp -s metres.glb tri.glb
    for scale in 0 -1 x nan ''; do fails_quietly "--scale '$scale'" 2 convert --scale "$scale" tri.gltf -o x.glb; done
    fails_quietly 'an unknown unit' 2 convert --units mile tri.gltf -o x.glb
    fails_quietly 'an MDL keeps its size' 5 convert --scale 2 "$samples/hound.mdx" -o x.mdl
}

test_textures()
{
    works 'textures of models' extract -q --textures png "$samples/hound.mdx" "$samples/boar.mdx" "$samples/rabbit.chr" -o textures
    holds 'textures of models: loose and in packs' [ -s textures/hound.png -a -s textures/boar.png -a -s textures/fur.png ]
    holds 'textures of models: as convert has them' cmp -s textures/hound.png hound.png
    run extract -q --textures png "$samples/hound.mdx" -o textures
    same 'existing textures are kept' "$code" 1
    works 'existing textures are replaced' extract -q -f --textures png "$samples/hound.mdx" -o textures
    mkdir in_place && cp "$samples"/house.w3d "$samples"/house.tga "$samples"/wood.tga in_place/
    run extract -q -f --textures tga in_place -o in_place
    same 'not over the textures of the models' "$code" 1
    for file in house wood; do holds "$file.tga was left alone" cmp -s in_place/$file.tga "$samples/$file.tga"; done
    works 'textures of a folder, shared ones once' extract -q --textures tga "$samples" -o all_textures
    holds 'textures of a folder' [ -s all_textures/wood.tga ]
    (samples=$PWD/pictures/deep && big pictures.big hound.blp wood.tga)
    run extract --textures png pictures.big -o from_archive
    same 'textures of an archive' "$code:$err" '0:2 extracted, 0 skipped, 0 failed'
    holds 'textures of an archive: decoded' cmp -s from_archive/Art/W3D_/hound.png hound.png
    fails_quietly 'textures of nothing' 3 extract --textures png missing.mdx -o x
    fails_quietly 'an unknown kind' 2 extract --textures bmp tri.gltf -o x
}

test_streams()
{
    "$tool" convert - -o - <tri.gltf >out.glb 2>err
    same 'through pipes' "$?$(cat err)" 0
    holds 'through pipes: the same bytes' cmp -s out.glb tri.glb
    "$tool" convert - -o from/ <tri.gltf 2>err
    same 'standard input into a folder' "$?$(files_in from)" '0./stdin.glb '
    run convert tri.gltf tri.glb -o -
    same 'one at a time' "$code" 2
    fails_quietly 'standard output twice' 2 convert tri.gltf -o - --json
    fails_quietly 'a .gltf is two files' 2 convert tri.gltf -o - --to gltf
    fails_quietly 'empty standard input' 4 convert - -o x.glb
    [ ! -e /dev/full ] || { "$tool" convert tri.gltf -o - >/dev/full 2>err; same 'full disk' "$?:$(wc -l <err)" 3:1; }
    [ ! -e /dev/full ] || { "$tool" convert tri.gltf -o f.glb --json >/dev/full 2>err; same 'full disk: --json' "$?:$(wc -l <err)" 3:1; }
    "$tool" convert tri.gltf -o f.glb >&- 2>err
    same 'closed output' "$?:$(wc -l <err)" 3:1
}

# Files may not grow beyond one kilobyte: as a full disk, for one write among several.
test_full_disk()
{
    mkdir full
    echo old >full/arm.glb
    echo old >full/arm.gltf
    (trap '' XFSZ; ulimit -f 1; "$tool" convert "$samples/arm.glb" -o full/arm.glb 2>err; echo $? >code)
    same 'a full disk' "$(cat code):$(wc -l <err)" 3:1
    says 'a full disk: which file' "$(cat err)" '^sinew: full/arm\.glb: error: cannot write: '
    (trap '' XFSZ; ulimit -f 2; "$tool" convert "$samples/arm.glb" -o full/arm.gltf 2>err; echo $? >code)
    same 'a full disk for the second of two files' "$(cat code):$(wc -l <err)" 3:1
    same 'a full disk: the old outputs stay' "$(cat full/*)" "old
old"
    same 'a full disk: nothing else' "$(files_in full)" './arm.glb ./arm.gltf '
    mkdir locked && chmod 500 locked
    for target in locked/tri.glb locked/new/tri.glb; do
        as_nobody convert tri.gltf -o $target
        [ "$code" != 77 ] || { skip 'an unwritable folder: root may write anywhere'; continue; }
        same "an unwritable folder: $target" "$code:$(wc -l <err)" 3:1
    done
    same 'an unwritable folder: nothing in it' "$(ls -A locked)" ''
}

# A run that cannot go on reports one file, whatever the number of inputs.
test_full_batch()
{
    mkdir heavy
    for n in 1 2 3 4 5 6 7 8; do cp "$samples/hound.mdx" "heavy/$n.mdx"; done
    for jobs in 1 4; do
        (trap '' XFSZ; ulimit -f 1; "$tool" convert heavy -o "heavy_out$jobs" -j $jobs 2>err; echo $? >code)
        same "a full disk ends a batch, -j $jobs: one complaint and the summary" "$(cat code):$(wc -l <err)" 1:2
        says "a full disk ends a batch, -j $jobs: which file" "$(head -n 1 err)" "^sinew: heavy_out$jobs/[1-8]\\.glb: error: cannot write: "
        says "a full disk ends a batch, -j $jobs: the rest" "$(tail -n 1 err)" '^0 converted, 0 skipped, 1 failed, 7 not started'
        same "a full disk ends a batch, -j $jobs: nothing is left" "$(find "heavy_out$jobs" -type f | wc -l)" 0
    done
    (trap '' XFSZ; ulimit -f 1; "$tool" extract "$samples/disc.hd3" -o disc_out 2>err; echo $? >code)
    same 'a full disk ends extract' "$(cat code):$(grep -c 'cannot write' err)" 3:1
    as_nobody convert heavy -o locked/out
    if [ "$code" = 77 ]; then skip 'an unwritable folder: root may write anywhere'
    else same 'an unwritable folder ends a batch before it starts' "$code:$(wc -l <err)" 3:1
    fi
    as_nobody convert heavy -o locked
    [ "$code" = 77 ] || same 'an unwritable folder: one line' "$code:$(cat err)" '3:sinew: locked: error: cannot write: Permission denied'
}

# Ctrl-C: the summary and the report come, nothing unfinished stays, and the shell sees the signal.
test_interrupted()
{
    mkdir long_run
    for n in $(seq 400); do ln "heavy/1.mdx" "long_run/$n.mdx"; done
    env --default-signal=INT "$tool" convert long_run -o stopped -j 2 --report stopped.json 2>err &
    process=$!
    while [ ! -e stopped/1.glb ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    kill -INT $process
    wait $process 2>/dev/null
    same 'Ctrl-C: ends by the signal' $? 130
    says 'Ctrl-C: the summary' "$(tail -n 1 err)" '^[0-9]+ converted, 0 skipped, 0 failed, [0-9]+ not started'
    same 'Ctrl-C: nothing else is said' "$(wc -l <err)" 1
    same 'Ctrl-C: nothing unfinished' "$(parts_in stopped)" 0
    cp stopped.json out
    json 'Ctrl-C: the report' 'd.files.length === 400 && d.files.filter(f => f.status === "converted").length === d.converted_count &&
        d.files.filter(f => f.status === "not_started").length === 400 - d.converted_count && d.converted_count > 0'
    works 'Ctrl-C: what was converted is whole' check stopped --ignore RENAMED
}

test_terminal()
{
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || { skip 'no terminal: script (util-linux) or /dev/pts is missing'; return; }
    script -qec "'$tool' convert art -o tree/" /dev/null </dev/null >seen
    same 'a short run shows no bar' "$(tr -d '\r' <seen)" '4 converted, 0 skipped, 0 failed'
    # A pipe that comes late holds the run up for longer than a person waits.
    mkfifo late.gltf
    { sleep 1; cat tri.gltf >late.gltf; } &
    TERM=xterm script -qec "'$tool' convert tri.gltf late.gltf missing.glb -o late_out" /dev/null </dev/null >seen
    wait
    says 'a long run shows a bar' "$(cat seen)" '\[#+\.+\] [12] of 3'
    for columns in 40 20 12; do
        { sleep 1; cat tri.gltf >late.gltf; } &
        TERM=xterm script -qec "stty cols $columns; '$tool' convert tri.gltf late.gltf missing.glb -o late_out$columns" /dev/null </dev/null >narrow
        wait
        widest=$(tr '\r' '\n' <narrow | grep ' of 3' | sed 's/.*\[K//' | awk '{ if (length > w) w = length } END { print w + 0 }')
        holds "the bar fits $columns columns: $widest" [ "$widest" -gt 0 -a "$widest" -lt $columns ]
    done
    says 'the last words stand alone' "$(tail -n 1 seen)" '^2 converted, 0 skipped, 1 failed'
    says 'the bar is gone before them' "$(tr '\r\033' '<^' <seen)" '<\^\[Ksinew: missing\.glb: error'
    run convert tri.gltf art/arm.glb -o late_out
    holds 'no bar in a pipe' clean_for_terminal out err
    fails_on_terminal=$(script -qec "'$tool' convert tri.gltf -o -" /dev/null </dev/null)
    says 'no .glb to a terminal' "$fails_on_terminal" "would write a \.glb to the terminal"
}

test_w3d()
{
    mkdir -p games && cp "$samples"/tank.w3d "$samples"/tank.tga games/
    run convert games/tank.w3d -o games/tank.w3d.json
    same 'W3D as text' "$code" 0
    run convert games/tank.w3d.json -o games/tank2.w3d
    holds 'text becomes the same bytes' cmp games/tank.w3d games/tank2.w3d
    run convert games/tank.w3d.json -o games/tank.w3d
    same 'also over the file it came from' "$code" 0
    run convert "$samples/hound.mdx" --split --target bfme -q -o games/dog.w3d
    same 'a model in several files' "$(cd games && echo dog_*.w3d)" 'dog_Death.w3d dog_Stand.w3d dog_Walk.w3d dog_skl.w3d dog_skn.w3d'
    run info games/dog_skn.w3d
    says 'is found again' "$(cat out)" 'dog_Walk'
    for name in 'reforged arm.w3d' 'generals arm.mdx' 'war3 arm.chr' 'dark-cloud arm.glb'; do
        fails_quietly "a game of another format: $name" 5 convert --target "${name% *}" "$samples/arm.glb" -o "games/${name#* }"
        says 'which' "$err" "that game does not use \\.${name#*.}"
    done
}

make_models
make_tree
for name in w3d one_file exit_codes tree collisions overwriting companions newer report images scale textures streams full_disk full_batch interrupted terminal; do
    "test_$name"
done
finish
