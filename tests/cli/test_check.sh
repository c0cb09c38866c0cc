#!/usr/bin/env bash
# sinew check, from outside: test_check.sh TOOL SAMPLES. Damage is made here, so that its place is known.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
# shellcheck source-path=SCRIPTDIR source=models.sh
. "$here/models.sh"

make_mod()
{
    make_models
    mkdir -p mod/deep other
    cp "$samples"/{hound.mdx,hound.blp,glow.blp,house.w3d} mod/
    for name in house gate light wood; do cp "$samples/$name.tga" mod/; done
    cp "$samples/arm.glb" mod/deep/
    cp tri.gltf other/
    # A word that MDL does not have, in line 3 after a tab.
    printf 'Version { FormatVersion 800, }\nModel "m" {\n\tColour 3,\n}\n' >words.mdl
}

test_textures()
{
    works 'given: all is well' check mod
    same 'the last line counts' "$(tail -n 1 out)" '3 files: no findings'
    head -c 40 "$samples/hound.blp" >mod/hound.blp
    run check mod/hound.mdx
    same 'a truncated texture is found' "$code" 1
    says 'a truncated texture: where' "$out" '^mod/hound\.mdx: warning 44 IMAGE_UNREADABLE at byte [0-9]+ in images\[0\] "hound\.blp": .'
    cp "$samples/house.tga" mod/hound.blp
    run check mod/hound.mdx
    says 'a texture of another format than its name says' "$out" 'warning 24 IMAGE_TYPE .*"hound\.blp" contains image/x-tga'
    cp "$samples/hound.blp" mod/hound.blp
    works 'given: well again' check mod/hound.mdx
    works 'a texture by itself' check "$samples/hound.blp" mod/house.tga
    cp mod/house.tga house.blp
    run check house.blp
    same 'a texture by itself, with a wrong name' "$code:$(head -n 1 out)" '1:house.blp: warning 45 FILE_NAME at byte 0: "house.blp" contains TGA'
    head -c 40 "$samples/hound.blp" >cut.blp
    run check cut.blp
    says 'a texture by itself, truncated' "$out" '^cut\.blp: warning 44 IMAGE_UNREADABLE at byte'
    "$tool" check - <cut.blp >out
    says 'from standard input' "$(cat out)" '^<stdin>: warning 44'
}

test_names()
{
    cp "$samples/hound.mdx" mod/wrong.mdl
    run check mod/wrong.mdl
    same 'a binary model that is called .mdl' "$code:$(head -n 1 out)" \
        '1:mod/wrong.mdl: warning 45 FILE_NAME at byte 0: "wrong.mdl" is a Warcraft III model, which ends in .mdx'
    rm mod/wrong.mdl
    cp "$samples/arm.glb" arm.w3d
    run check arm.w3d
    says 'a .glb that is called .w3d' "$out" 'warning 45 FILE_NAME .*glTF 2.0, which ends in \.glb'
    cp "$samples/arm.glb" ARM.GLB && cp "$samples/arm.glb" arm
    works 'case does not matter, and no extension is no wrong one' check ARM.GLB arm
}

test_lines()
{
    run check words.mdl
    same 'a line and a column' "$(head -n 1 out)" 'words.mdl: warning 351 MDL_WORD at line 3:2 (byte 44) in MDL: unknown word "Colour"'
    run check --json words.mdl
    json 'a line in JSON' 'd.warnings[0].line === 3 && d.warnings[0].column === 2 && d.warnings[0].offset === 44'
    printf 'Model "m" {\n\n  Name {' >ends.mdl
    run check ends.mdl
    same 'an error says its line' "$code:$(head -n 1 out | cut -d: -f 1-3)" '5:ends.mdl: error at line 3:9 (byte 21)'
}

test_levels()
{
    run check bad.gltf words.mdl missing.glb
    same 'several: exit' "$code" 1
    same 'several: totals' "$(tail -n 1 out)" '3 files: 1 error, 2 warnings'
    works 'ignored by name and code' check --ignore reference --ignore 351 bad.gltf words.mdl
    same 'ignored: totals' "$(tail -n 1 out)" '2 files: no findings, 2 ignored'
    same 'ignored: the file' "$(head -n 1 out)" 'bad.gltf: no findings, 1 ignored'
    run check --ignore 351 --json words.mdl
    json 'ignored in JSON' 'd.schema === "sinew.check/2" && d.status === "ok" && d.ignored_count === 1 && d.warnings.length === 0'
    fails_quietly 'an unknown code' 2 check --ignore 9999 tri.gltf
    fails_quietly 'an unknown level' 2 check --fail-on bad tri.gltf
    run check --fail-on error bad.gltf
    same 'warnings do not fail' "$code:$(tail -n 1 out)" '0:bad.gltf: 1 finding'
    run check --fail-on warning bad.gltf
    same 'warnings fail' "$code" 1
    run check --fail-on error missing.glb
    same 'errors fail' "$code" 3
    run check --fail-on never missing.glb bad.gltf
    same 'nothing fails' "$code" 0
    sed 's/0.70710678,0.70710678/0.7,0.7/' tri.gltf >note.gltf
    run check note.gltf
    says 'a note' "$out" '^note\.gltf: note 6 ROTATION_LENGTH'
    same 'notes fail unless told otherwise' "$code" 1
    works 'notes do not fail' check --fail-on warning note.gltf
}

test_folders()
{
    works 'folders' check mod other
    same 'folders: in order' "$(cut -d: -f 1 out | head -n 4 | tr '\n' ' ')" 'mod/hound.mdx mod/house.w3d mod/deep/arm.glb other/tri.gltf '
    cp out one_by_one
    for jobs in 1 3 64; do
        works "-j $jobs" check -j $jobs mod other
        holds "-j $jobs prints the same" cmp -s out one_by_one
    done
    fails_quietly '-j 0' 2 check -j 0 mod
    mkdir empty
    fails_quietly 'a folder without models' 3 check empty
    run check empty tri.gltf
    same 'a folder without models among others' "$code:$(wc -l <err)" 3:1
    for verb in info tree pose; do
        works "$verb of a folder" $verb mod
        same "$verb of a folder: all models" "$(grep -cE '^mod/(hound.mdx|house.w3d|deep/arm.glb)' out)" 3
        fails_quietly "$verb of an empty folder" 3 $verb empty
    done
    works 'tree of an archive' tree "$samples/disc.hd3"
    same 'tree of an archive: all models' "$(grep -cE '^chara/(arm|face).glb' out)" 2
    works 'check of an archive' check "$samples/disc.hd3"
    fails_quietly 'one OBJ for many models' 2 pose --obj x.obj mod
    fails_quietly 'one OBJ for an archive' 2 pose --obj x.obj "$samples/disc.hd3"
}

# The facts of SARIF 2.1.0 that consumers rely on.
test_sarif()
{
    cp words.mdl 'a b.mdl'
    run check --format sarif 'a b.mdl' bad.gltf missing.glb tri.gltf
    same 'SARIF: exit' "$code:$err" 1:
    json 'SARIF: version and tool' 'd.version === "2.1.0" && d.runs.length === 1 && d.runs[0].tool.driver.name === "sinew" && /^https:/.test(d.$schema)'
    json 'SARIF: one result for each finding' 'd.runs[0].results.map(r => r.ruleId + r.level).join() === "MDL_WORDwarning,REFERENCEwarning,error-ioerror"'
    json 'SARIF: every result has its rule' 'd.runs[0].results.every(r => d.runs[0].tool.driver.rules.some(rule => rule.id === r.ruleId &&
        rule.defaultConfiguration.level === r.level && rule.shortDescription.text.length > 0))'
    json 'SARIF: rules are different' 'new Set(d.runs[0].tool.driver.rules.map(r => r.id)).size === d.runs[0].tool.driver.rules.length'
    json 'SARIF: a place in text' '(p => p.artifactLocation.uri === "a%20b.mdl" && p.region.startLine === 3 && p.region.startColumn === 2 &&
        p.region.byteOffset === 44)(d.runs[0].results[0].locations[0].physicalLocation)'
    json 'SARIF: a place in a binary file' '(r => r.message.text.length > 0 && r.locations[0].physicalLocation.region.byteOffset >= 0 &&
        r.locations[0].logicalLocations[0].fullyQualifiedName.length > 0)(d.runs[0].results[1])'
    json 'SARIF: no place' '!("region" in d.runs[0].results[2].locations[0].physicalLocation)'
    works 'SARIF of nothing wrong' check --format sarif tri.gltf
    json 'SARIF of nothing wrong: no results' 'd.runs[0].results.length === 0'
    fails_quietly 'two formats' 2 check --format sarif --json tri.gltf
}

test_junit()
{
    run check --format junit bad.gltf missing.glb tri.gltf
    same 'JUnit: exit' "$code:$err" 1:
    says 'JUnit: counts' "$out" '^<testsuite name="sinew check" tests="3" failures="1" errors="1" skipped="0">$'
    says 'JUnit: a failure' "$out" '<testcase classname="sinew.check" name="bad\.gltf"><failure type="REFERENCE" message='
    says 'JUnit: an error' "$out" 'name="missing\.glb"><error type="error-io" message='
    says 'JUnit: a success' "$out" 'name="tri\.gltf"></testcase>'
    run check --format junit --fail-on error bad.gltf evil.gltf
    same 'JUnit: below the level' "$code:$(grep -c '<failure' out):$(grep -c '<system-out' out)" 0:0:1
    printf '<&">\001' >'<a&"b>.glb'
    run check --format junit '<a&"b>.glb'
    if command -v python3 >/dev/null; then
        holds 'JUnit: well-formed XML' python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("out")'
    else
        skip 'JUnit is not parsed: python3 is not installed'
    fi
    holds 'JUnit: no control characters' clean_for_terminal out
}

# A bone that is not the first object, and a track without a key where Stand starts.
make_unit()
{
    printf '%s\n' 'Version { FormatVersion 800, }' 'Model "Unit" { BlendTime 150, }' \
        'Sequences 2 { Anim "Stand" { Interval { 0, 1000 }, } Anim "Death" { Interval { 2000, 3000 }, } }' \
        'Bone "Body" { ObjectId 1, Translation 2 { Linear, 100: { 0, 0, 0 }, 900: { 0, 0, 1 }, } }' \
        'Attachment "Origin Ref" { ObjectId 0, AttachmentID 0, }' 'PivotPoints 2 { { 0, 0, 0 }, { 0, 0, 9 }, }' >unit.mdl
}

test_target()
{
    make_unit
    run check unit.mdl --target war3
    same 'what the game gets wrong is found' "$code" 1
    says 'bones first' "$out" 'unit\.mdl: warning 315 WAR3_BONES_FIRST'
    says 'a key at the start, with its place' "$out" 'warning 332 WAR3_KEY_AT_START at line 4.* in BONE\[0\] "Body"/KGTR: no key at 0'
    says 'a remedy' "$out" '    remedy: add a key at the start of the sequence'
    works 'notes alone do not fail' check "$samples/golem.mdx" --target reforged --fail-on warning
    run check unit.mdl --fix
    same '--fix needs --target' "$code" 2
    run check unit.mdl --target war3 --fix
    says '--fix: ids' "$out" 'unit\.mdl: fixed in ids: objects were renumbered, bones first'
    says '--fix: keys' "$out" 'unit\.mdl: fixed in keys: keys were added'
    says '--fix: the key is in the file' "$(tr -d '\t\r' <unit.mdl)" '^0: \{ 0, 0, 0\.5 \},'
    works '--fix: nothing but notes is left' check unit.mdl --target war3 --fail-on warning
    cp unit.mdl before.mdl
    run check unit.mdl --target war3 --fix
    same '--fix again changes nothing' "$(cmp unit.mdl before.mdl && grep -c fixed out)" 0
    works 'a W3D that follows the rules' check "$samples/tank.w3d" --target generals --ignore REFERENCE
    run check "$samples/serpent.w3d" --target generals
    says 'what only BFME reads' "$out" 'serpent\.w3d: warning 423 SAGE_BFME_ONLY at byte [0-9]* in MESH\[0\]/SHADER_MATERIALS'
    works 'a W3D for BFME' check "$samples/serpent.w3d" --target bfme
    works 'a pack of Dark Cloud 2: notes only' check "$samples/rabbit.chr" --target dark-cloud-2 --fail-on warning
    cp "$samples/rabbit.chr" rabbit.chr
    run check rabbit.chr --target dark-cloud
    says 'Dark Cloud needs a chain' "$out" 'warning 543 DARK_CLOUD_CHAIN'
    run check rabbit.chr --target dark-cloud --fix
    says '--fix: the chain' "$out" 'rabbit\.chr: fixed in weights: weight tracks from parent to bone were added'
    run check rabbit.chr --target dark-cloud
    same '--fix: the chain is there' "$(grep -c DARK_CLOUD_CHAIN out)" 0
    run check unit.mdl --target generals --fix
    says '--fix of another format does nothing' "$out" 'unit\.mdl: note 46 GAME_FORMAT'
    run check "$samples/arm.glb" --target war3
    says 'other formats have no such rules' "$out" 'note 46 GAME_FORMAT'
}

make_mod
for name in textures names lines levels folders sarif junit target; do "test_$name"; done
finish
