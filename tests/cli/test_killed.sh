#!/usr/bin/env bash
# Runs that are killed: test_killed.sh TOOL SAMPLES PRELOAD. At whatever moment, each output is the old one or the new one,
# whole; each .gltf loads with its buffer; and the next run leaves nothing beside its outputs. PRELOAD, or "none", kills
# before a chosen change of the file system. SINEW_CHECK_ALL=1: 200 random moments instead of 15.
preload=$3
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
kills=15 models=5
[ -z "${SINEW_CHECK_ALL-}" ] || kills=200 models=30

# holds_one_of FILE WHOLE...: the same bytes as one of them; a .gltf is compared as the .glb it becomes.
holds_one_of()
{
    file=$1
    case $file in *.gltf) "$tool" convert -q "$1" -o seen.glb 2>seen.err || return 1; file=seen.glb ;; esac
    shift
    for whole in "$@"; do ! cmp -s "$file" "$whole" || return 0; done
    return 1
}

# One file is replaced by another, killed before the first change, before the second, and so on to the end.
test_every_step()
{
    [ "$preload" != none ] || { skip 'every step: no library to preload'; return; }
    "$tool" convert -q "$samples/arm.glb" -o first.glb
    "$tool" convert -q "$samples/face.glb" -o second.glb
    for ending in glb gltf; do
        for old in none first hashed; do
            [ $ending$old != glbhashed ] || continue
            for ((k = 1; k < 40; k++)); do
                rm -rf step && mkdir step
                case $old in
                    none) ;;
                    hashed) "$tool" convert -q second.glb -o step/x.$ending && "$tool" convert -q first.glb -o step/x.$ending ;;
                    *) "$tool" convert -q $old.glb -o step/x.$ending ;;
                esac
                code=$({ LD_PRELOAD=$preload SINEW_KILL_AT=$k "$tool" convert -q second.glb -o step/x.$ending; echo $?; } 2>/dev/null)
                before="$ending over $old, killed before change $k"
                if [ -e step/x.$ending ]; then
                    holds "$before: it is whole" holds_one_of step/x.$ending first.glb second.glb
                else
                    same "$before: it is gone" $old none
                fi
                again=second
                [ $((k % 2)) = 0 ] || again=first       # the next run may have another model
                "$tool" convert -q $again.glb -o step/x.$ending
                holds "$before: the next one is whole" holds_one_of step/x.$ending $again.glb
                same "$before: nothing else is left: $(files_in step)" "$(files_in step | wc -w)" $((${#ending} - 2))
                [ "$code" != 0 ] || break
            done
            holds "$ending over $old: all steps: $k" [ "$k" -gt 3 ] && holds "$ending over $old: an end" [ "$k" -lt 40 ]
        done
    done
}

# make_batch CONTENT: some models, all of one content, so that each run replaces what the one before has made.
make_batch()
{
    mkdir -p many
    for n in $(seq $models); do cp "$samples/$1.glb" "many/$n.glb"; done
}

# kill_batch SIGNAL KIND: KIND is glb, gltf or png; a random time of one run, measured before.
kill_batch()
{
    signal=$1 kind=$2
    case $kind in
        png) batch=(render many -o out --size 64x64 -q) ;;
        *) batch=(convert many -o out -q --to "$kind") ;;
    esac
    env --default-signal "$tool" "${batch[@]}" 2>/dev/null &
    process=$!
    sleep "$(awk -v t="${times[$kind]}" -v r=$RANDOM 'BEGIN { printf "%.4f", t * r / 32768 }')"
    kill "-$signal" $process 2>/dev/null
    wait $process 2>/dev/null
    code=$?
    torn=''
    for file in out/*."$kind"; do
        [ -e "$file" ] || continue
        holds_one_of "$file" "arm.$kind.whole" "face.$kind.whole" || torn="$torn $file"
    done
    same "$signal: torn outputs" "$torn" ''
}

seconds() { date +%s.%N; }

test_random_moments()
{
    declare -A times
    RANDOM=11
    kinds='glb gltf glb gltf'
    make_batch face
    if "$tool" render many -o out --size 64x64 -q 2>/dev/null; then kinds='glb gltf glb gltf png'; else skip 'pictures: no OpenGL'; fi
    for kind in $(tr ' ' '\n' <<<"$kinds" | sort -u); do
        for model in arm face; do
            make_batch $model
            start=$(seconds)
            case $kind in
                png) "$tool" render many -o out --size 64x64 -q ;;
                *) "$tool" convert many -o out -q --to $kind ;;
            esac
            times[$kind]=$(awk -v a="$start" -v b="$(seconds)" 'BEGIN { print b - a }')
            if [ $kind = gltf ]; then "$tool" convert -q out/1.gltf -o $model.glb && mv $model.glb $model.gltf.whole
            else cp out/1.$kind $model.$kind.whole
            fi
        done
    done
    for ((killed = 0; killed < kills; killed++)); do
        set -- $kinds
        shift $((killed % $#))
        kind=$1
        [ $((RANDOM % 4)) != 0 ] || rm -rf out
        model=arm
        [ $((RANDOM % 2)) = 0 ] || model=face
        make_batch $model
        kill_batch KILL "$kind"
        again=()
        [ "$kind" = png ] || again=(--newer)    # a run that was killed resumes
        "$tool" "${batch[@]}" "${again[@]}"
        same "killed: the next run leaves nothing beside" "$(find out -name '.*' ! -path out | wc -l)" 0
        torn=0
        for n in $(seq $models); do holds_one_of "out/$n.$kind" $model.$kind.whole || torn=$((torn + 1)); done
        same 'killed: the next run makes all' $torn 0
        # x.bin or x-HASH.bin: as many as there are .gltf
        same 'killed: one buffer for each .gltf' "$(find out -name '*.bin' | wc -l)" "$(find out -name '*.gltf' | wc -l)"
    done
}

# Ctrl-C and its like end the run, by the signal, and leave nothing beside.
test_signals()
{
    declare -A times=([gltf]=0.03)
    RANDOM=3
    make_batch arm
    for i in $(seq $((kills / 5))); do
        rm -rf out
        for signal in INT TERM HUP; do
            kill_batch $signal gltf
            same "$signal: nothing is left beside" "$(find out -name '.*' ! -path out 2>/dev/null | wc -l)" 0
            same "$signal: no buffer alone" "$(find out -name '*.bin' 2>/dev/null | wc -l)" "$(find out -name '*.gltf' 2>/dev/null | wc -l)"
            says "$signal: it ends by the signal, or was ready" "$code" '^(0|129|130|143)$'
        done
    done
    trap '' TERM
    "$tool" convert many -o out -q &
    process=$!
    trap - TERM
    kill -TERM $process
    wait $process
    same 'a signal that is ignored stays so' $? 0
}

# Runs whose writers still live are left alone, whoever runs beside them.
test_beside()
{
    rm -rf out && make_batch arm
    for i in 1 2 3 4; do "$tool" convert many -o out -q --to gltf & done
    wait
    same 'four runs at once: nothing is left beside' "$(find out -name '.*' ! -path out | wc -l)" 0
    torn=0
    for n in $(seq $models); do holds_one_of "out/$n.gltf" arm.gltf.whole || torn=$((torn + 1)); done
    same 'four runs at once: all is whole' $torn 0
    same 'four runs at once: one buffer each' "$(files_in out | wc -w)" $((2 * models))
}

for name in every_step random_moments signals beside; do "test_$name"; done
finish
