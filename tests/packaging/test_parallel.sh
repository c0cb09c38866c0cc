#!/usr/bin/env bash
# packaging/parallel: test_parallel.sh TOOL SAMPLES.
# shellcheck source-path=SCRIPTDIR source=../cli/harness.sh
. "$(dirname "$0")/../cli/harness.sh"
convert=$(realpath "$here/../../packaging/parallel/convert")

mkdir -p bin 'in put'
ln -s "$tool" bin/sinew
export PATH=$work/bin:$PATH
cp "$samples"/*.* 'in put'
head -c 200 "$samples/arm.glb" >'in put/damaged.glb'
sinew convert 'in put' -o one --report one.json -q 2>/dev/null
"$convert" 'in put' 'out put' reports 5 -j 3 >log 2>&1
same 'a file that fails: the exit code of one run' $? 1
holds 'the outputs are those of one run' diff -r one 'out put'
same 'the merged report is complete' "$(grep -c '"in":' reports/all.json)" "$(grep -c '"in":' one.json)"
"$convert" 'in put' 'out put' reports 5 -j 3 >log 2>&1
same 'again: nothing is made twice' "$(grep -c '"status": "converted"' reports/all.json)" 0
finish
