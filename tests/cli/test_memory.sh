#!/usr/bin/env bash
# The tool without memory: test_memory.sh TOOL SAMPLES SWEEP_SAMPLES PRELOAD. TOOL takes each allocation from the C library,
# PRELOAD lets one of them fail. Whichever it is, the result is that of a run with memory, or exit code 3 and an error;
# what was written is whole. SINEW_CHECK_ALL=1: every allocation, else some of each command.
sweep=$(realpath "$3")
preload=$(realpath "$4")
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
runs=4
[ -z "${SINEW_CHECK_ALL-}" ] || runs=1000000

LD_PRELOAD=$preload "$tool" --version >/dev/null 2>&1 || { echo 'skipped: the library cannot be preloaded'; exit 77; }

# Files of `made` that are not those of `right`: a report tells what failed, so it differs.
differing()
{
    find made -type f ! -name report.json -printf '%P\n' | while IFS= read -r file; do
        cmp -s "made/$file" "right/$file" || printf '%s ' "$file"
    done
}

# try ARGUMENT...: fails at K, once or from then on. Writes to the folder `made`.
try()
{
    rm -rf made && mkdir made
    LD_PRELOAD=$preload SINEW_FAIL_AT=$k SINEW_FAIL_ON=$on "$tool" "$@" >out 2>err </dev/null
    code=$?
    if [ $code = $right_code ] && cmp -s out right_out && cmp -s err right_err && diff -r made right >/dev/null; then pass
    elif [ $code != 3 ]; then fail "$*: allocation $k fails: exit code $code: $(tail -n 1 err)"
    elif ! cat err out | grep -q 'memory'; then fail "$*: allocation $k fails: no error: $(tail -n 1 err)"
    elif [ -n "$(differing)" ]; then fail "$*: allocation $k fails: left $(differing)"
    else pass
    fi
}

sweep_command()
{
    rm -rf made counts && mkdir made
    LD_PRELOAD=$preload SINEW_COUNTS=counts "$tool" "$@" >right_out 2>right_err </dev/null
    right_code=$?
    rm -rf right && mv made right
    read -r count _ <counts
    holds "$*: allocations are counted: $count" [ "$count" -gt 20 ]
    step=$((count / runs + 1))
    on=0
    for ((k = 1 + RANDOM % step; k <= count; k += step)); do try "$@"; done
    on=1
    for ((k = 1 + RANDOM % (2 * step); k <= count; k += 5 * step)); do try "$@"; done
}

RANDOM=5
sweep_command info "$sweep/scene.glb"
sweep_command info --json "$samples/hound.mdx"
sweep_command info --all "$sweep/files.big"
sweep_command info --search "$samples" --archive "$samples/disc.hd3" "$samples/boar.mdx"
sweep_command info missing.mdx "$sweep/dot.blp" "$sweep/scene.glb"
sweep_command tree "$sweep/mesh.w3d"
sweep_command pose --obj made/x.obj "$sweep/scene_800.mdx"
sweep_command check --round-trip "$sweep/scene_800.mdl"
sweep_command check --format sarif "$samples/hound.mdx" "$samples/hound.blp" missing.mdx -j 1
sweep_command check --format junit --ignore 18 "$samples/tank.w3d"
sweep_command convert "$samples/hound.blp" -o made/x.png
sweep_command convert --scale 2 "$sweep/scene.glb" -o made/x.glb
sweep_command extract --textures png "$samples/hound.mdx" "$samples/rabbit.chr" -o made
sweep_command convert "$sweep/scene.gltf" -o made/x.gltf
sweep_command convert "$sweep/extensions.gltf" -o made/x.glb
sweep_command convert "$samples/hound.mdx" -o made/x.glb
sweep_command convert "$sweep/scene_800.mdx" -o made/x.mdl
sweep_command convert "$samples/soldier_skn.w3d" --with-anims -o made/x.glb
sweep_command convert "$sweep/first.mds" -o made/x.glb
sweep_command convert "$sweep/packed.pak" -o made/x.glb
sweep_command convert --archive "$samples/disc.hd3" 'chara/*' -o made/ -j 1
sweep_command convert "$samples/arm.glb" "$sweep/scene.gltf" -o made/ --to gltf -j 1 --report made/report.json
sweep_command extract "$samples/rabbit.chr" -o made
sweep_command extract "$sweep/files.mpq" -o made
sweep_command extract --json "$samples/disc.hd3" -o made

# A texture in a game that the configuration names: many allocations, also of reading that.
mkdir -p config/sinew game mine && cp "$samples/hound.blp" game/ && cp "$samples/hound.mdx" mine/
printf 'war3 %s\n' "$work/game" >config/sinew/games.conf
export XDG_CONFIG_HOME=$work/config
[ $runs -gt 60 ] || runs=60
sweep_command info --json mine/hound.mdx
says 'the texture is found' "$(cat right_out)" '"bytes": *[1-9]'
finish
