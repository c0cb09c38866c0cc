#!/usr/bin/env bash
# The tool, from outside: test_cli.sh TOOL SAMPLES. Expected numbers come from the models' mathematics.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
# shellcheck source-path=SCRIPTDIR source=models.sh
. "$here/models.sh"

test_exit_codes()
{
    { printf R; head -c 4096 /dev/urandom; } >random.bin
    head -c $(($(wc -c <"$samples/arm.glb") / 2)) "$samples/arm.glb" >half.glb
    mkdir folder.glb
    for verb in info tree pose; do
        fails_quietly "$verb: a missing file" 3 "$verb" missing.glb
        fails_quietly "$verb: random bytes" 4 "$verb" random.bin
        fails_quietly "$verb: a truncated file" 5 "$verb" half.glb
        fails_quietly "$verb: a folder" 3 "$verb" folder.glb
        fails_quietly "$verb: no file at all" 2 "$verb"
        fails_quietly "$verb: an unknown option" 2 "$verb" --frobnicate tri.gltf
    done
    fails_quietly 'an empty file' 4 info /dev/null
    fails_quietly 'no arguments' 2
    fails_quietly 'an unknown command' 2 frobnicate tri.gltf
    run info half.glb
    says 'an error says where' "$err" '^sinew: half\.glb: error at byte [0-9]+.*: .'
    run info missing.glb
    says 'a missing file has no byte' "$err" '^sinew: missing\.glb: error: .'
}

test_usage()
{
    run info --jsno tri.gltf
    says 'did you mean: an option' "$err" "'--jsno'; did you mean '--json'\?"
    run inof tri.gltf
    says 'did you mean: a command' "$err" "'inof'; did you mean 'info'\?"
    run help psoe
    says 'did you mean: a topic' "$err" "did you mean 'pose'\?"
    run tree --clip walk tri.gltf
    says 'an option of another command' "$err" "option of 'sinew pose'"
    run pose --clip
    says 'a value is missing' "$err" "'--clip' needs a value"
    run info --json=yes tri.gltf
    says 'a value too many' "$err" "'--json' takes no value"
    run pose --clip walk tri.gltf
    same 'an unknown clip is a usage error' "$code" 2
    says 'an unknown clip: those there are' "$err" "no clip 'walk'; the model has 0 'slide'"
    sed 's/"animations":\[\(.*\)/"animations":[\1/; s/"name":"slide"/"name":"Walk Fast"/' tri.gltf >walk.gltf
    for name in 'Walk Fast' 'walk fast' walk WALK fast 'k f' 0; do
        works "a clip by '$name'" pose --clip "$name" walk.gltf
        says "a clip by '$name': which" "$out" "'Walk Fast' at 0 s"
    done
    "$tool" pose --clip a "$samples/hound.mdx" 2>err
    same 'an ambiguous clip' "$?:$(cut -d: -f 3- err)" "2: several clips match 'a': 0 'Stand', 1 'Walk', 2 'Death'"
    "$tool" pose --clip dath "$samples/hound.mdx" 2>err
    same 'a clip that is near' "$?:$(cut -d: -f 3- err)" "2: no clip 'dath'; did you mean 2 'Death'?"
    "$tool" pose --clip '' "$samples/hound.mdx" 2>err
    same 'an empty name' "$?:$(cut -d: -f 3- err)" "2: no clip ''; the model has 0 'Stand', 1 'Walk', 2 'Death'"
    for time in abc '' 1s 1e 0x10 nan 1e99 --json 1..2 -; do
        fails_quietly "a time of '$time'" 2 pose --clip slide --time "$time" tri.gltf
    done
    for time in 1 01 .5 1. +1 -1 1e0 1E-1 0.000000000000000000000000000001; do
        works "a time of '$time'" pose --clip slide --time "$time" tri.gltf
    done
    fails_quietly 'a time without a clip' 2 pose --time 1 tri.gltf
    fails_quietly 'two answers at once' 2 pose --json --obj - tri.gltf
    fails_quietly 'one target for two models' 2 pose --obj two.obj tri.gltf tri.gltf
    fails_quietly 'an escape in an option' 2 info "$(printf -- '--\033[31m')" tri.gltf
    says 'an escape in an option is escaped' "$err" '\\x1b'
    cp tri.gltf ./-odd.gltf
    works 'two dashes end the options' info -- -odd.gltf
    works 'a bare file' tri.gltf
    says 'a bare file means info' "$out" '^  geometry '
    works 'options before the command' --json info tri.gltf
}

test_help()
{
    for verb in '' info tree pose check convert extract help; do
        works "help $verb" help $verb
        by_word=$out
        works "$verb --help" $verb --help
        same "help $verb and $verb --help" "$out" "$by_word"
        same "help $verb: three examples" "$(grep -c '^  sinew ' <<<"$(examples_in "$out")")" 3
        while read -r _ example; do
            rm -rf root && mkdir -p root/samples && cp "$samples"/*.gl* "$samples"/*.bin "$samples"/disc.* root/samples/
            (cd root && sh -c "exec '$tool' $example") >out 2>err
            same "example: sinew $example" "$?$(grep -v '^3 converted, 0 skipped, 0 failed$' err)" 0
            find root -type f ! -path 'root/samples/*' >>out
            holds "example prints or writes something: sinew $example" [ -s out ]
        done < <(examples_in "$out")
    done
    works 'help view' help view
    same 'help view: three examples' "$(grep -c '^  sinew ' <<<"$(examples_in "$out")")" 3
    keys_in() { sed -n '/^Keys:$/,/^Examples:$/p' | grep '^  '; }
    same 'docs/view.md has the same keys' "$(sed 's/^    //' "$here/../../docs/view.md" | keys_in)" "$(keys_in <<<"$out")"
    works 'version' --version
    says 'version says a number' "$out" '^sinew [0-9]+\.[0-9]+\.[0-9]+$'
}

test_docs()
{
    for shell in bash zsh fish; do
        works "completion for $shell" help --completion $shell
        says "completion for $shell knows the options" "$out" 'clip.*$'
        printf '%s\n' "$out" >"completion.$shell"
        [ -z "$(command -v $shell)" ] || same "completion for $shell parses" "$($shell -n "completion.$shell" 2>&1)" ''
    done
    fails_quietly 'completion for an unknown shell' 2 help --completion tcsh
    same 'bash completes a command' "$(complete_in_bash sinew po)" pose
    same 'bash completes an option' "$(complete_in_bash sinew pose --cl)" --clip
    same 'bash offers no options of others' "$(complete_in_bash sinew tree --cl)" ''
    same 'bash completes a choice' "$(complete_in_bash sinew convert --to g)" 'glb gltf'
    same 'bash completes a view' "$(complete_in_bash sinew render x --view t)" 'top threequarter'
    same 'bash completes the name of a clip' "$(complete_in_bash sinew render "$samples/hound.mdx" --clip wa)" Walk
    same 'bash completes all clips' "$(complete_in_bash sinew pose "$samples/hound.mdx" -c '')" 'Stand Walk Death'
    triangle_gltf arm 'run $(touch hacked) `touch hacked` now' >hostile_clip.gltf
    complete_in_bash sinew pose hostile_clip.gltf -c run >/dev/null
    holds 'bash does not run the name of a clip' [ ! -e hacked ]
    same 'a clip with spaces is quoted' "$(complete_in_bash sinew pose walk.gltf -c walk)" 'Walk\ Fast'
    same 'no model, no clips' "$(complete_in_bash sinew pose missing.gltf -c '')" ''
    says 'zsh offers choices' "$(cat completion.zsh)" '--to\[.*:FORMAT:\(glb gltf'
    says 'zsh offers clips' "$(cat completion.zsh)" ':NAME.INDEX:_sinew_clips'
    says 'fish offers choices' "$(cat completion.fish)" "-l to -x -a 'glb gltf"
    works 'man page' help --man
    printf '%s\n' "$out" >sinew.1
    if command -v groff >/dev/null; then
        same 'man page without warnings' "$(groff -man -Tutf8 -ww -z sinew.1 2>&1)" ''
        says 'man page shows its options' "$(groff -man -Tascii -P-cbou sinew.1)" '--clip NAME\|INDEX'
    else
        skip 'groff is not installed'
    fi
}

test_json()
{
    works 'info as JSON' info --json tri.gltf
    json 'info: schema and file' 'd.schema === "sinew.info/2" && d.file === "tri.gltf" && d.format === "gltf"'
    json 'info: counts' 'd.node_count === 3 && d.mesh_count === 1 && d.part_count === 2 && d.vertex_count === 3 && d.triangle_count === 1 && d.clip_count === 1'
    json 'info: other counts' 'd.skin_count === 0 && d.material_count === 0 && d.image_count === 0'
    json 'info: clips' 'near([d.clips[0].duration], [2]) && d.clips[0].name === "slide" && d.clips[0].track_count === 1 &&
                        typeof d.clips[0].loops === "boolean"'
    json 'info: bounds' 'near(d.bounds.min, [-1, 0, 0]) && near(d.bounds.max, [0, 11, 1]) && d.bounds.center.length === 3 &&
                         d.bounds.radius >= 5.5'
    json 'info: lists' 'd.meshes[0].nodes.join() === "arm,mirror" && d.meshes[0].vertex_count === 3 && d.meshes[0].has_normals && d.meshes[0].topology === "triangles" &&
                        Array.isArray(d.materials) && /^[0-9a-f]{16}$/.test(d.hash)'
    json 'info: warnings' 'Array.isArray(d.warnings)'
    works 'tree as JSON' tree --json tri.gltf
    json 'tree' 'd.schema === "sinew.tree/1" && d.nodes.length === 3 && byName(d.nodes, "arm").parent === 0 &&
                 d.nodes[0].children.length === 1 && near(byName(d.nodes, "arm").translation, [10, 0, 0]) &&
                 near(byName(d.nodes, "mirror").scale, [-1, 1, 1]) && d.nodes[0].flags.length === 0'
    works 'check as JSON' check --json tri.gltf
    json 'check' 'd.schema === "sinew.check/2" && d.status === "ok" && d.error === null && d.warnings.length === 0'
    run check --json half.glb
    json 'check: an error' 'd.status === "error" && d.error.offset >= 0 && d.error.message.length > 0'
    works 'JSON of two files' info --json tri.gltf "$samples/arm.glb"
    same 'JSON of two files: a line each' "$(wc -l <out)" 2
    head -n 1 out >first && mv first out
    json 'JSON of two files: a document each' 'd.file === "tri.gltf"'
}

# Every key that the commands print is in docs/json.md, and no key counts without saying so.
test_json_docs()
{
    command -v node >/dev/null || { skip 'docs/json.md: node is not installed'; return; }
    for command in "info $samples/hound.mdx" "info $samples/disc.hd3 --all" "tree $samples/crane.gltf" "pose $samples/arm.glb --clip bend" \
        "check $samples/tank.w3d --round-trip" "check half.glb" "convert $samples/hound.mdx half.glb -o documented/" "extract $samples/disc.hd3 -o documented/"; do
        # shellcheck disable=SC2086
        run $command --json
        node -e '
            const page = require("fs").readFileSync(process.argv[1], "utf8"), d = JSON.parse(require("fs").readFileSync("out", "utf8"));
            const isOf = page.includes("## " + d.schema + "\n"), missing = new Set();
            const visit = value => {
                if (Array.isArray(value)) return value.forEach(visit);
                if (value === null || typeof value !== "object") return;
                for (const key of Object.keys(value)) {
                    if (!page.includes("`" + key + "`")) missing.add(key);
                    if (key !== "extras") visit(value[key]);
                }
            };
            visit(d);
            console.log((isOf ? "" : d.schema + " ") + [...missing].join(" "));' "$here/../../docs/json.md" >missing_keys
        same "docs/json.md has the keys of $command" "$(cat missing_keys)" ''
    done
}

test_pose()
{
    works 'pose at rest' pose --json tri.gltf
    json 'pose: schema' 'd.schema === "sinew.pose/1" && d.file === "tri.gltf" && d.clip === null && d.time === 0'
    json 'pose: translate, then the parent turns' 'near(partOf(d, "arm").positions, [0, 11, 0, -1, 10, 0, 0, 10, 1])'
    json 'pose: normals' 'near(partOf(d, "arm").normals, [0, 0, 1, 0, 0, 1, 0, 0, 1])'
    json 'pose: world matrix' 'near(byName(d.nodes, "arm").world, [0, -1, 0, 0, 1, 0, 0, 10, 0, 0, 1, 0])'
    works 'pose in a clip' pose --clip slide --time 1 --json tri.gltf
    json 'pose: half way' 'd.clip === "slide" && d.time === 1 && near(partOf(d, "arm").positions.slice(0, 3), [0, 16, 0])'
    works 'pose by number' pose -c0 -t 2 --json tri.gltf
    json 'pose: the end' 'near(partOf(d, "arm").positions.slice(0, 3), [0, 21, 0])'
    works 'pose as text' pose --clip slide --time 1 tri.gltf
    says 'pose as text: the place' "$out" '^  arm +0\.000 +15\.000 +0\.000$'
    works 'a clip whose name is a number' pose --clip 1 --json named.gltf
    json 'its name comes first' 'd.clip === "1" && d.clip_index === 0'
}

# The arm: two bones of length 1 along y, 7 rings of 4 corners; "bend" turns the lower bone 90 degrees about z at 1 s.
test_samples()
{
    works 'the arm: info' info --json "$samples/arm.glb"
    json 'the arm: counts' 'd.node_count === 5 && d.vertex_count === 28 && d.triangle_count === 52 && d.skin_count === 1 &&
                            d.clips.map(clip => clip.name).join() === "bend,wave" && near([d.clips[0].duration], [2])'
    json 'the arm: bounds' 'near(d.bounds.min, [-0.15, 0, -0.15]) && near(d.bounds.max, [0.15, 2, 0.15])'
    works 'the arm: bent' pose --clip bend --time 1 --json "$samples/arm.glb"
    json 'the arm: its hand' 'near(at(byName(d.nodes, "hand")), [-1, 1, 0])'
    json 'the arm: the shoulder stays' 'near(d.parts[0].positions.slice(0, 3), [0.15, 0, 0.15])'
    json 'the arm: half a bend at the elbow' 'near(d.parts[0].positions.slice(36, 39), [0.075, 1.075, 0.15])'
    json 'the arm: its end' 'near(d.parts[0].positions.slice(72, 75), [-1, 1.15, 0.15])'
    works 'the arm: OBJ' pose --clip bend --time 1 --obj - "$samples/arm.glb"
    same 'the arm: OBJ counts' "$(grep -c '^v ' out) $(grep -c '^vn ' out) $(grep -c '^f ' out)" '28 28 52'
    works 'the arm: tree' tree "$samples/arm.glb"
    same 'the arm: tree drawn' "$(sed -n '2,$s/\([a-z]\)  .*/\1/;2,$p' out | tr '\n' ';')" \
        '● arm;└─ upper;   └─ lower;      └─ hand;● body;'
    works 'the samples are fine' check "$samples/arm.glb" "$samples/crane.gltf" "$samples/face.glb"
}

test_obj()
{
    works 'OBJ to standard output' pose --obj - tri.gltf
    same 'OBJ: vertices' "$(grep -c '^v ' out)" 6
    same 'OBJ: texture coordinates' "$(grep -c '^vt ' out)" 6
    same 'OBJ: normals' "$(grep -c '^vn ' out)" 6
    same 'OBJ: v is counted from the bottom' "$(grep '^vt ' out | sed -n 3p)" 'vt 0 0.75'
    same 'OBJ: faces, the mirrored one turned' "$(grep '^f ' out | tr '\n' ';')" 'f 1/1/1 2/2/2 3/3/3;f 4/4/4 6/6/6 5/5/5;'
    same 'OBJ: groups' "$(grep '^g ' out | tr '\n' ';')" 'g arm;g mirror;'
    mv out out_before
    works 'OBJ to a file' pose --obj tri.obj tri.gltf
    same 'OBJ to a file: nothing on stdout' "$out" ''
    holds 'OBJ: the file is what standard output gets' cmp -s out_before tri.obj
    works 'OBJ over an older one' pose --clip slide --time 1 --obj tri.obj tri.gltf
    cp tri.gltf same.gltf
    ln -s same.gltf link.obj
    for target in same.gltf ./same.gltf link.obj; do
        fails_quietly "OBJ over its input: $target" 2 pose --obj $target same.gltf
    done
    holds 'the input was left alone' cmp -s tri.gltf same.gltf
    mkdir crane && cp "$samples"/crane.* crane/
    fails_quietly 'OBJ over a buffer of its input' 2 pose --obj crane/crane.bin crane/crane.gltf
    works 'OBJ of a model of two files' pose --obj crane/crane.obj crane/crane.gltf
    fails_quietly 'OBJ over a device' 2 pose --obj /dev/null tri.gltf
    fails_quietly 'OBJ into a folder that is not there' 3 pose --obj nowhere/tri.obj tri.gltf
    same 'nothing is left beside' "$(ls ./*.part 2>/dev/null)" ''
}

test_streams()
{
    "$tool" info --json - <tri.gltf >out 2>err
    same 'standard input' "$?$(cat err)" 0
    json 'standard input: its name' 'd.file === "-" && d.node_count === 3'
    triangle_gltf arm slide | "$tool" check - >out 2>err
    same 'standard input from a pipe' "$?$(cat out)" '0<stdin>: no findings'
    "$tool" info - </dev/null >out 2>err
    same 'empty standard input' "$?" 4
    for command in 'info tri.gltf' 'pose --json tri.gltf' --help 'help --man' 'pose --obj - tri.gltf'; do
        # shellcheck disable=SC2086
        [ ! -e /dev/full ] || { "$tool" $command >/dev/full 2>err; same "full disk: $command" "$?:$(wc -l <err)" 3:1; }
        # shellcheck disable=SC2086
        "$tool" $command >&- 2>err; same "closed output: $command" "$?:$(wc -l <err)" 3:1
    done
    (trap '' PIPE; "$tool" pose --json "$samples/arm.glb" "$samples/arm.glb" tri.gltf 2>err; echo $? >code) | :
    [ "$(cat code)" = 0 ] || same 'a reader that leaves' "$(cat code):$(wc -l <err)" 3:1
}

test_several()
{
    run info tri.gltf missing.glb half.glb "$samples/arm.glb"
    same 'several files, two bad: exit 1' "$code" 1
    same 'several files, two bad: two complaints' "$(wc -l <err)" 2
    same 'several files, two bad: the others complete' "$(grep -c '^  geometry ' out)" 2
    same 'several files: a blank line between' "$(grep -B 1 '/arm\.glb$' out | head -n 1)" ''
    run check tri.gltf missing.glb bad.gltf
    same 'check of several' "$code:$(wc -l <err)" 1:0
    same 'check of several: verdicts' "$(grep -cE ': (no findings|[0-9]+ findings?)$' out)" 3
}

test_check()
{
    works 'check: a clean file' check tri.gltf
    same 'check: fine' "$out" 'tri.gltf: no findings'
    run check bad.gltf
    same 'check: findings' "$code" 1
    says 'check: code, offset and path' "$(head -n 1 out)" '^bad\.gltf: warning [0-9]+ [A-Z_]+ at byte [0-9]+ in /.*: .'
    says 'check: the last line counts' "$(tail -n 1 out)" '^bad\.gltf: [0-9]+ findings?$'
    run check half.glb
    same 'check: a damaged file' "$code:$(wc -l <err)" 5:0
    says 'check: its error is its finding' "$out" '^half\.glb: error at byte [0-9]+'
    run check missing.glb
    same 'check: a missing file' "$code" 3
}

test_hostile()
{
    for command in info 'info --json' tree 'tree --ascii --rest' 'tree --json' pose 'pose --json' check 'pose --obj -'; do
        # shellcheck disable=SC2086
        run $command evil.gltf
        holds "a hostile name: $command exits $code: $err" [ "$code" -le 1 ]
        holds "a hostile name does not reach the terminal: $command" clean_for_terminal out err
    done
    cp tri.gltf "$(printf 'a\033[31mb\nc.gltf')"
    run info "$(printf 'a\033[31mb\nc.gltf')" "$(printf 'x\033[31my\xff')"
    holds 'a hostile file name does not reach the terminal' clean_for_terminal out err
    run info tri.gltf
    holds 'no colour in a pipe' clean_for_terminal out
    make_deep 100000 >deep.gltf
    before=$(date +%s)
    works 'a chain of 100000 nodes' tree deep.gltf
    same 'a chain of 100000 nodes: all drawn' "$(wc -l <out)" 100001
    holds 'a chain of 100000 nodes: in time' [ $(($(date +%s) - before)) -le 60 ]
    holds 'a chain of 100000 nodes: not too much' [ "$(wc -c <out)" -lt 30000000 ]
}

test_terminal()
{
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || { skip 'no terminal: script (util-linux) or /dev/pts is missing'; return; }
    on_terminal() { env -u NO_COLOR "$@" script -qec "'$tool' info tri.gltf" /dev/null </dev/null | grep -c "$(printf '\033')"; }
    holds 'colour on a terminal' [ "$(on_terminal TERM=xterm)" -gt 0 ]
    same 'NO_COLOR' "$(on_terminal TERM=xterm NO_COLOR=1)" 0
    same 'a dumb terminal' "$(on_terminal TERM=dumb)" 0
}

make_models
for name in exit_codes usage help docs json json_docs pose samples obj streams several check hostile terminal; do
    "test_$name"
done
finish
