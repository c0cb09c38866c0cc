#!/usr/bin/env bash
# Small files that ask for gigabytes or hours: test_budgets.sh TOOL SAMPLES MAKE_HOSTILE RUN_LIMITED. Each command may take 5 s of
# processor time, and 700 MB: 16 MiB and 32 x its input for the model, 512 MiB for images.
make_hostile=$(realpath "$3")
run_limited=$(realpath "$4")
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

# within TITLE CODES ARGUMENT...: one of these exit codes, within the limits.
within()
{
    local title=$1 codes=$2
    shift 2
    "$run_limited" "${seconds-5}" "${most-700}" "$tool" "$@" >out 2>err </dev/null
    code=$?
    err=$(tr -d '\0' <err)
    case " $codes " in *" $code "*) pass ;; *) fail "$title: exit code $code, not $codes: $(tail -n 2 err)" ;; esac
}

mkdir hostile
"$make_hostile" hostile || exit 1
cd hostile || exit 1

within 'a texture under 500 spellings' 0 info spellings/m.mdx
within 'and converted' 0 convert spellings/m.mdx -o x.glb
within 'JPEG of 64 M pixels, 22 names' 0 convert sequential/m.mdx -o x.glb
within 'and drawn' 0 render sequential/m.mdx -o x.png
most=150 within 'and with less memory' 0 convert sequential/m.mdx -o x.glb --max-memory 100
says 'that it is lost' "$err" '[0-9]+ x [0-9]+ pixels, [0-9]+ are left for all images of the model'
within 'JPEG that its bytes do not back' 0 convert unbacked/m.mdx -o x.glb
says 'that it is lost' "$err" 'JPEG: 8192 x 8191 pixels in [0-9]+ bytes'
within 'progressive JPEG of 64 M pixels' 0 convert progressive/m.mdx -o x.glb
says 'that it takes too much memory' "$err" 'more memory than the limit'
within 'progressive JPEG of 64 M pixels and 100 scans' 0 convert scans/m.mdx -o x.glb
within '8 images of 64 M pixels' 0 render images.glb -o x.png
says 'how many are left' "$err" '8192 x 8191 pixels, [0-9]+ are left for all images of the model'
within '10,000 instances' 0 info instances.glb
within 'and drawn' 5 render instances.glb -o x.png
within 'and as text' 5 pose --json instances.glb
says 'what is repeated' "$err" '10000 parts repeat the meshes: 400000000 vertices and indices to show'
within '100,000 triangles that each cover the picture' 5 render covers.glb -o x.png --max-seconds 1
says 'how to allow it' "$err" 'drawing takes more than 1.0 s; --max-seconds allows more'
seconds=1 most=60 within 'Draco that costs nothing' 0 info draco.glb
seconds=1 most=60 within 'five million faces in 160 bytes of Draco' 5 info draco_faces.glb
seconds=1 most=60 within '400 Draco streams of zeros' 5 info draco_values.glb
says 'the limit' "$err" 'decoding needs more memory than the limit'
seconds=1 most=60 within 'two billion flags in one byte of Draco' 5 info draco_flags.glb
says 'that they are too many' "$err" 'more orientations than values'
within 'curves in clips that overlap' 0 convert curves.mdx -o x.glb
says 'that keys are limited' "$err" 'the limit on added keys was reached'
within '7,000 clips of 7,000 nodes' 0 convert clips.glb -o x.mdx --target war3
says 'which extents are those of the rest pose' "$err" 'too many clips: the extents of some are those of the rest pose'
within 'and frame by frame' 0 convert clips.glb -o x.w3d --target generals
says 'that clips are lost' "$err" 'clips were left out: too many for so many nodes and parts'
within '4,000 nodes that turn for an hour' 0 convert slow.glb -o x.w3d --target generals
within 'a chain of 4,000 nodes that get their flags back' 0 convert marked.glb -o x.mdx --target war3
within '8,000 tracks that share 8,000 keys' 5 convert shared.glb -o x.mdx --target war3
says 'how many that is' "$err" 'the tracks have 64000000 keys, with those that they share'
within 'parts below up to 3,000 nodes that hide them' 0 convert switches.glb -o x.mdx --target war3
says 'that the nearest count' "$err" 'parts are hidden by too many nodes above them'
within '14,000 boxes that blink together' 5 convert blinking.w3d -o x.glb
within 'RefPack of 1.6 GB' 1 convert refpack.big -o models/
says 'its size' "$err" 'the file has 1599999764 bytes, the limit is 1073741824'
within 'an index of one long name' 5 info index.hd4
within '500 references and 2,000 links that lead out' 0 info links/m.mdx
within 'a texture of more than 16 MiB' 0 convert large/m.mdx -o x.glb
same 'nothing is lost' "$(grep -cv 'warning 40 EMPTY' <<<"$err")" 0
mkdir journals && truncate -s 200M journals/large
{
    printf 'x.gltf\0'
    for _ in {1..500}; do printf 'large\0r\0%s 0\0' 209715200; done
} >journals/.sinew-other-1-1-12345678-0.journal.part
touch -d 2001-01-01 journals/.sinew-*
within 'what a dead run left names a large file 500 times' 0 convert "$samples/arm.glb" -o journals/x.glb
same 'it is removed, and the file is not' "$(ls -A journals | tr '\n' ' ')" 'large x.glb '

finish
