#!/usr/bin/env bash
# Compares what print_hashes prints for all samples with golden.txt: test_golden.sh PROJECT PROGRAM...
# After a change that should change models, .glb files or poses: test_golden.sh --write PROJECT PROGRAM...
set -u
write=
if [ "$1" = --write ]; then write=1; shift; fi
cd -- "$1" || exit 1
shift
table=tests/platform/golden.txt
export LC_ALL=C
files=()
for file in samples/* tests/sweep_samples/*; do
    case $file in *.[ch]) ;; *) files+=("$file") ;; esac
done
lines=$("$@" "${files[@]}") || exit 1
if [ -n "$write" ]; then
    { sed -n '/^#/p' "$table"; printf '%s\n' "$lines"; } >"$table.new" && mv "$table.new" "$table"
    exit
fi
if ! diff <(sed '/^#/d' "$table") <(printf '%s\n' "$lines"); then
    printf '%s: lines with < are expected, lines with > were printed\n' "$table"
    exit 1
fi
printf '%d passed, 0 failed\n' "$(printf '%s\n' "$lines" | wc -l)"
