#!/usr/bin/env bash
# sinew --shard, report merge, --files-from0 and --newer by content: test_shard.sh TOOL SAMPLES.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
# shellcheck source-path=SCRIPTDIR source=models.sh
. "$here/models.sh"
unset JOB_COMPLETION_INDEX
while IFS= read -r name; do unset "$name"; done < <(compgen -v SLURM_)

# all: every sample; five soldiers whose skeletons, animations and meshes are in folders far apart, each with names of its own; and
# names that meet: m.glb, m.gltf and m.mdx would all become m.glb.
make_list()
{
    mkdir -p all/a all/b/deep all/z all/same
    cp "$samples"/*.* all/a
    for n in 1 2 3 4 5; do
        for part in skn skl bow walk wave; do
            case $part in skn) folder=all/z ;; skl) folder=all/b/deep ;; *) folder=all/b ;; esac
            LC_ALL=C sed "s/SOLDIER/SOLDIE$n/g; s/soldier/soldie$n/g" "$samples/soldier_$part.w3d" >"$folder/soldie${n}_$part.w3d"
        done
        LC_ALL=C sed "s/SOLDIER_SKL/SOLDIE${n}_SKL/" all/b/deep/soldie${n}_skl.w3d >all/b/deep/other$n.w3d   # of another name
        rm all/b/deep/soldie${n}_skl.w3d
    done
    cp tri.gltf all/same/m.gltf
    cp "$samples/arm.glb" all/same/m.glb
    cp "$samples/hound.mdx" all/same/m.mdx
    head -c 300 "$samples/arm.glb" >all/same/damaged.glb
    for n in $(seq 20); do head -c $((n * 997)) /dev/zero >"all/same/x$n.glb"; done    # no models, of known sizes
}

# convert_shards N FOLDER [OPTION]...: all shards, the last one first.
convert_shards()
{
    local count=$1 folder=$2 k
    shift 2
    for ((k = count; k >= 1; k--)); do
        "$tool" convert all -o "$folder" --shard $k/"$count" --report "$folder.$k.json" -q -j 2 "$@" 2>/dev/null
    done
}

reports_of() { for ((k = 1; k <= $2; k++)); do printf '%s.%d.json ' "$1" "$k"; done; }

test_any_number()
{
    run convert all -o one --report one.json
    same 'one run: some fail' "$code" 1
    says 'one run: parts are joined' "$err" ' [1-9][0-9]* joined to others'
    for n in 1 2 3 7 64; do
        convert_shards $n "n$n"
        holds "$n shards: the same outputs" diff -r one "n$n"
        # shellcheck disable=SC2046
        run report merge merged.json $(reports_of "n$n" $n)
        same "$n shards: the exit code of one run" "$code" 1
        sed -i "s/\"n$n\\//\"one\\//" merged.json
        holds "$n shards: the merged report is that of one run" cmp -s merged.json one.json
        # nothing is done twice
        same "$n shards: each file once" "$(cat "n$n".*.json | grep -c '"in":')" "$(grep -c '"in":' one.json)"
    done
    run convert all -o gltf_one --to gltf -q
    convert_shards 3 gltf_n3 --to gltf
    holds '.gltf: the same outputs' diff -r gltf_one gltf_n3
    run convert all -o one.png/ --to png -q
    mkdir n3.png && convert_shards 3 n3.png --to png
    holds 'images: the same outputs' diff -r one.png n3.png
    run convert all -o kept --keep-parts -q
    convert_shards 3 n3kept --keep-parts
    holds '--keep-parts: the same outputs' diff -r kept n3kept
    run convert all/z all/b all/a/hound.mdx --hierarchy SOLDIE1_SKL -o forced -q
    for k in 1 2 3; do "$tool" convert all/z all/b all/a/hound.mdx --hierarchy SOLDIE1_SKL -o n3forced -q --shard $k/3 2>/dev/null; done
    holds '--hierarchy: the same outputs' diff -r forced n3forced
}

# weights FOLDER N: the bytes of each shard's inputs, with 4096 for each file.
weights()
{
    for ((k = 1; k <= $2; k++)); do
        sed -n 's/.*"in": "\(.*\)",/\1/p' "$1.$k.json" | xargs -r stat -c %s | awk '{ sum += $1 + 4096 } END { print sum + 0 }'
    done | sort -n
}

# Largest first: the heaviest shard has at most the largest unit more than the lightest. The largest unit here is a soldier or a file.
test_balance()
{
    largest=$(find all -type f \( -name '*.glb' -o -name '*.chr' -o -name '*.pak' -o -name '*.mdx' \) -size -4096k -printf '%s\n' | sort -n | tail -n 1)
    for n in 2 3 7; do
        spread=$(weights "n$n" $n | awk 'NR == 1 { low = $1 } { high = $1 } END { print high - low }')
        holds "$n shards: differ by $spread, the largest file has $largest" [ "$spread" -le $((largest + 5 * 4096)) ]
    done
    same 'more shards than files: all are taken' "$(weights n64 64 | awk '$1 > 0 { c++ } END { print (c > 20) }')" 1
}

test_other_verbs()
{
    run check all
    LC_ALL=C sort out | grep -v '^[0-9]* files:' >whole
    for k in 1 2 3; do run check all --shard $k/3; cat out; done | grep -v '^[0-9]* files:' | LC_ALL=C sort >parts
    holds 'check: the same findings' cmp -s whole parts
    for verb in info tree pose; do
        run $verb --json all/a
        LC_ALL=C sort out >whole
        for k in 1 2 3; do run $verb --json all/a --shard $k/3; cat out; done | LC_ALL=C sort >parts
        holds "$verb: the same documents" cmp -s whole parts
    done
    run extract "$samples/disc.hd3" -o disc -q
    for k in 1 2 3; do run extract "$samples/disc.hd3" -o disc3 -q --shard $k/3; same "extract $k/3: exit" "$code" 0; done
    holds 'extract: the same files' diff -r disc disc3
    run extract --textures png all/a -o textures -q
    for k in 1 2 3; do run extract --textures png all/a -o textures3 -q --shard $k/3; done
    holds 'extract --textures: the same files' diff -r textures textures3
    run check --format sarif --shard 64/64 tri.gltf
    same 'an empty shard: a whole report' "$code" 0
    json 'an empty shard: a whole report' 'd.runs[0].results.length === 0'
    if run render all/z -o pictures --size 16x16 -q && [ $code = 0 ]; then
        for k in 1 2; do run render all/z -o pictures2 --size 16x16 -q --shard $k/2; done
        holds 'render: the same pictures' diff -r pictures pictures2
    else
        skip 'pictures: no OpenGL'
    fi
    fails_quietly 'one sheet cannot be split' 2 render all/z --sheet -o sheet.png --shard 1/2
}

test_refusals()
{
    for shard in 0/4 5/4 1/0 x 1 /4 1/ -1/4 1/4/4 1/9999999999 ''; do
        fails_quietly "--shard '$shard'" 2 convert all/z -o refused --shard "$shard"
    done
    fails_quietly '--shards alone' 2 convert all/z -o refused --shards 4
    fails_quietly '--shards with K/N' 2 convert all/z -o refused --shard 1/4 --shards 4
    fails_quietly 'into one file' 2 convert tri.gltf -o refused.glb --shard 1/2
    fails_quietly 'auto, nowhere' 2 convert all/z -o refused --shard auto
    JOB_COMPLETION_INDEX=0 fails_quietly 'auto without --shards' 2 convert all/z -o refused --shard auto
    JOB_COMPLETION_INDEX=4 fails_quietly 'an index too high' 2 convert all/z -o refused --shard auto --shards 4
    JOB_COMPLETION_INDEX=x fails_quietly 'an index that is no number' 2 convert all/z -o refused --shard auto --shards 4
    # slurm ID MIN MAX COUNT STEP ARGUMENT...
    slurm()
    {
        SLURM_ARRAY_TASK_ID=$2 SLURM_ARRAY_TASK_MIN=$3 SLURM_ARRAY_TASK_MAX=$4 SLURM_ARRAY_TASK_COUNT=$5 SLURM_ARRAY_TASK_STEP=$6 \
            fails_quietly "$1" 2 convert all/z -o refused --shard auto "${@:7}"
    }
    slurm 'an array with gaps' 3 1 7 4 2
    slurm 'some tasks submitted again' 3 1 5 3 1
    slurm 'no count' 3 1 4 '' 1
    slurm 'a task outside' 9 1 4 4 1
    slurm 'another number of shards' 2 2 2 1 1 --shards 4
    JOB_COMPLETION_INDEX=0 slurm 'both' 1 1 4 4 1 --shards 4
    holds 'nothing was written' [ ! -e refused ]
    # and what is right
    for k in 0 1 2; do
        JOB_COMPLETION_INDEX=$k run convert all/z all/b -o kube -q --shard auto --shards 3
        SLURM_ARRAY_TASK_ID=$((k + 5)) SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1 \
            run convert all/z all/b -o slurm -q --shard auto
    done
    run convert all/z all/b -o plain -q
    holds 'an indexed job' diff -r plain kube
    holds 'a Slurm array' diff -r plain slurm
}

test_merge_failures()
{
    convert_shards 3 m
    run report merge all.json m.1.json m.3.json
    same 'one is missing' "$code:$err" '5:sinew: error: the report of shard 2 of 3 is missing'
    run report merge all.json m.1.json m.2.json m.3.json m.2.json
    same 'one twice' "$code:$err" '5:sinew: m.2.json: error: is shard 2 of 3, as is m.2.json'
    run report merge all.json m.1.json nothing.json m.3.json
    says 'one that is not there' "$code:$err" '^3:sinew: nothing\.json: error: cannot open'
    "$tool" convert all -o m --shard 2/3 --scale 2 --report other.json -q 2>/dev/null
    run report merge all.json m.1.json other.json m.3.json
    same 'other options' "$code:$err" '5:sinew: other.json: error: has a different list of files or different options than m.1.json'
    "$tool" convert all/a all/z -o m --shard 2/3 --report other.json -q 2>/dev/null
    run report merge all.json m.1.json other.json m.3.json
    says 'another list' "$code:$err" '^5:sinew: other\.json: error: has a different list'
    "$tool" convert all -o m --shard 2/4 --report other.json -q 2>/dev/null
    run report merge all.json m.1.json other.json m.3.json
    same 'another split' "$code:$err" '5:sinew: other.json: error: is shard 2 of 4, but m.1.json is one of 3'
    sed 's/"not_started_count": 0/"not_started_count": 7/' m.2.json >unfinished.json
    run report merge all.json m.1.json unfinished.json m.3.json
    same 'not finished' "$code:$err" '5:sinew: unfinished.json: error: shard 2 of 3 is not finished: 7 files to go'
    index=$(grep -m 1 '"index"' m.1.json)
    awk -v index_of_other="$index" '/"index"/ && !done { $0 = index_of_other; done = 1 } 1' m.2.json >overlap.json
    run report merge all.json m.1.json overlap.json m.3.json
    says 'two overlap' "$code:$err" "^5:sinew: overlap\.json: error: '.*' is also in m\.1\.json"
    head -c 500 m.2.json >cut.json
    run report merge all.json m.1.json cut.json m.3.json
    says 'half a report' "$code:$err" '^5:sinew: cut\.json: error at '
    run report merge all.json m.1.json "$samples/crane.gltf" m.3.json
    says 'no report' "$code:$err" 'error: is not a report of .sinew convert --report.$'
    run report merge m.1.json m.1.json m.2.json m.3.json
    says 'over one of them' "$code:$err" '^5:sinew: m\.1\.json: error: is both the output'
    fails_quietly 'nothing to merge' 2 report merge all.json
    fails_quietly 'no such word' 2 report split all.json m.1.json
    holds 'nothing was written' [ ! -e all.json ]
    run report merge - m.3.json m.1.json m.2.json
    json 'to standard output, in any order' 'd.shard === 1 && d.shard_count === 1 && d.files.every((f, i) => f.index === i) &&
        d.files.length === d.list_count'
}

test_lists()
{
    find all/z all/b all/same/m.gltf -type f -print0 | LC_ALL=C sort -z >list
    run convert --files-from0 list -o listed -q --search all
    same 'a list: exit' "$code" 0
    same 'a list: folders are kept' "$(files_in listed)" \
        "$(for n in 1 2 3 4 5; do printf './all/z/soldie%d_skn.glb\n' $n; done | cat - <(echo ./all/same/m.glb) | LC_ALL=C sort | tr '\n' ' ')"
    "$tool" convert --files-from0 - -o listed2 -q --search all <list
    holds 'from standard input' diff -r listed listed2
    for k in 1 2 3; do "$tool" convert --files-from0 - -o listed3 -q --search all --shard $k/3 <list; done
    holds 'split' diff -r listed listed3
    printf '%s\0' "$PWD/tri.gltf" >absolute
    run convert --files-from0 absolute -o listed4 -q
    holds 'an absolute path stays below the output' [ -s "listed4$PWD/tri.glb" ]
    printf 'a\nb.gltf\0' >odd
    cp tri.gltf "$(printf 'a\nb.gltf')"
    run info --files-from0 odd
    same 'a name with a line break' "$code" 0
    printf '%s\0' all/../tri.gltf >above
    fails_quietly 'a path with ..' 2 convert --files-from0 above -o listed5
    printf 'tri.gltf' >open
    fails_quietly 'a list whose end is missing' 3 convert --files-from0 open -o listed5
    fails_quietly 'a list that is not there' 3 check --files-from0 nothing
    : >empty
    fails_quietly 'an empty list' 2 check --files-from0 empty
    fails_quietly 'two things on standard input' 3 convert --files-from0 - - -o listed5
    holds 'nothing was written' [ ! -e listed5 ]
}

statuses() { sed -n 's/.*"status": "\(.*\)",/\1/p' "$1" | sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' '; }

# By content: neither new times nor old ones matter.
test_newer()
{
    mkdir -p fresh/t
    cp "$samples"/hound.mdx "$samples"/arm.glb "$samples"/soldier_*.w3d fresh/
    cp "$samples"/*.blp fresh/t
    run convert fresh -o made --report made.json -q
    cp -r made made.first
    find fresh -type f -exec touch -d '+1 hour' {} +
    run convert fresh -o made --report made.json --newer -q
    same 'new times: nothing to do' "$(statuses made.json)" 'joined:4 skipped:3'
    run convert fresh -o made --report made.json --newer -q
    same 'the hashes are kept' "$(statuses made.json)" 'joined:4 skipped:3'
    holds 'the outputs too' diff -r made.first made
    cp "$samples/face.glb" fresh/arm.glb
    touch -d '-1 day' fresh/arm.glb
    run convert fresh -o made --report made.json --newer -q
    same 'other contents with an old time' "$(statuses made.json)" 'converted:1 joined:4 skipped:2'
    cp "$samples/golem_diffuse.blp" fresh/t/hound.blp
    touch -d '-1 day' fresh/t/hound.blp
    run convert fresh -o made --report made.json --newer -q
    same 'another texture with an old time' "$(statuses made.json)" 'converted:1 joined:4 skipped:2'
    printf x >>made/arm.glb
    run convert fresh -o made --report made.json --newer -q
    same 'a changed output' "$(statuses made.json)" 'converted:1 joined:4 skipped:2'
    rm made/hound.glb
    run convert fresh -o made --report made.json --newer -q
    same 'a missing output' "$(statuses made.json)" 'converted:1 joined:4 skipped:2'
    run convert fresh -o made --report made.json --newer -q --scale 2
    same 'other options' "$(statuses made.json)" 'converted:3 joined:4'
    printf nonsense >made.json
    touch -d '+2 hours' made/*
    run convert fresh -o made --report made.json --newer -q
    same 'a report that cannot be read: by time' "$(statuses made.json)" 'joined:4 skipped:3'
    run convert fresh/t --to png -o pictures.made --report pictures.json -q
    count=$(find fresh/t -name '*.blp' | wc -l)
    find fresh/t -type f -exec touch -d '+3 hours' {} +
    run convert fresh/t --to png -o pictures.made --report pictures.json -q --newer
    same 'images' "$(statuses pictures.json)" "skipped:$count"
}

# A shard that was killed goes on: what it reported is not made again, the outputs are those of one run, nothing is left beside.
test_killed_shard()
{
    mkdir big
    for n in $(seq 40); do cp "$samples/hound.mdx" "big/$n.mdx"; done
    cp "$samples"/*.blp big/
    "$tool" convert big -o big.one -q
    for k in 1 2; do
        env --default-signal "$tool" convert big -o big.two -q -j 1 --shard $k/2 --newer --report big.$k.json &
        process=$!
        for ((i = 0; i < 500; i++)); do    # until it has reported something
            if grep -q '"status": "converted"' big.$k.json 2>/dev/null; then break; fi
            sleep 0.01
        done
        kill -KILL $process 2>/dev/null
        wait $process 2>/dev/null
        before=$(grep -c '"status": "converted"' big.$k.json)
        find big -type f -exec touch -d '+1 hour' {} +    # times do not tell
        run convert big -o big.two -q -j 2 --shard $k/2 --newer --report big.$k.json
        same "shard $k goes on: exit" "$code" 0
        holds "shard $k goes on: $before were made before" [ "$(grep -c '"status": "skipped"' big.$k.json)" -ge "$before" ]
        holds "shard $k goes on: some were" [ "$before" -gt 0 ]
    done
    holds 'killed: the outputs of one run' diff -r big.one big.two
    run report merge big.json big.1.json big.2.json
    same 'killed: the merged report is complete' "$code$(grep -c '"in":' big.json)" 040
}

# Two workers on the same shard, and the other shard beside them.
test_two_workers()
{
    for shard in 1 1 2 1 2; do
        "$tool" convert all -o twice --to gltf -q --shard $shard/2 --report twice.$shard.json --newer 2>/dev/null &
    done
    wait
    holds 'two workers: the same outputs' diff -r gltf_one twice
    run report merge twice.json twice.1.json twice.2.json
    same 'two workers: the report is complete' "$code" 1
    same 'two workers: nothing is left beside' "$(find . -name '.sinew*' | wc -l)" 0
}

triangle_gltf arm slide >tri.gltf 2>/dev/null
make_list
for name in any_number balance other_verbs refusals merge_failures lists newer killed_shard two_workers; do
    start=$SECONDS
    "test_$name"
    [ -z "${SINEW_TEST_TIMES-}" ] || printf '%s: %d s\n' "$name" $((SECONDS - start))
done
finish
