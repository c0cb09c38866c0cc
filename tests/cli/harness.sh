# shellcheck shell=bash disable=SC2034,SC2154
# The tests of the tool begin with this file: it works in a new folder, which goes when the test ends. Their first arguments are TOOL
# and SAMPLES. Then given, when, then: run the tool, compare, count.
set -u
here=$(realpath "$(dirname "$0")")
tool=$(realpath "$1")
samples=$(realpath "$2")
work=$(mktemp -d)
# Not in a child that is killed before it starts the tool: it has this trap too.
trap '[ $BASHPID != $$ ] || { chmod -R u+w "$work"; rm -rf "$work"; }' EXIT
cd "$work" || exit 1
passed=0 failed=0 skipped=0
unset DISPLAY WAYLAND_DISPLAY      # a bare file would open a window

pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'FAIL %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf 'skip %s\n' "$*"; }

files_in() { (cd "$1" && find . -type f | LC_ALL=C sort | tr '\n' ' '); }

# Leaves the result in $code, $out and $err, and in the files out and err.
run()
{
    "$tool" "$@" >out 2>err </dev/null
    code=$?
    out=$(tr -d '\0' <out)
    err=$(tr -d '\0' <err)
}

# same TITLE IS SHOULD
same()
{
    if [ "$2" = "$3" ]; then pass; else fail "$1: '$2', not '$3'"; fi
}

# says TITLE TEXT PATTERN: some line matches the extended pattern.
says()
{
    if grep -qE -e "$3" <<<"$2"; then pass; else fail "$1: '$2' does not say '$3'"; fi
}

# holds TITLE COMMAND...: the command succeeds.
holds()
{
    title=$1
    shift
    if "$@"; then pass; else fail "$title"; fi
}

works()
{
    title=$1
    shift
    run "$@"
    same "$title" "$code$err" 0
}

# fails_quietly TITLE CODE ARGUMENT...: that code, one line on stderr, nothing on stdout.
fails_quietly()
{
    title=$1 wanted=$2
    shift 2
    run "$@"
    same "$title" "$code, $(wc -l <err) lines, $(wc -c <out) bytes" "$wanted, 1 lines, 0 bytes"
    says "$title: who complains" "$err" '^sinew: '
}

# json TITLE EXPRESSION: the file out is one JSON document d for which the JavaScript expression holds. One node evaluates all of a
# test: it reads "FILE<tab>EXPRESSION" and prints "true", or what is wrong.
judge='
    const fs = require("fs");
    const near = (a, b) => a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) < 1e-5);
    const byName = (list, name) => list.find(item => item.name === name);
    const at = node => [3, 7, 11].map(i => node.world[i]);
    const partOf = (pose, name) => pose.parts.find(part => pose.nodes[part.node].name === name);
    require("readline").createInterface({ input: process.stdin }).on("line", line => {
        const [file, expression] = line.split("\t");
        try {
            const d = JSON.parse(fs.readFileSync(file, "utf8"));
            console.log(String(Boolean(eval(expression))));
        } catch (error) {
            console.log(String(error).replaceAll("\n", " "));
        }
    });'

json()
{
    if command -v node >/dev/null; then
        local expression=${2//[$'\n\t']/ } result=
        if [ -z "${JUDGE_PID-}" ]; then
            coproc JUDGE { exec node -e "$judge"; }
            disown "$JUDGE_PID"    # "wait" in a test does not wait for it
        fi
        printf '%s\t%s\n' "$PWD/out" "$expression" >&"${JUDGE[1]}"
        read -r result <&"${JUDGE[0]}"
        same "$1: $2" "$result" true
    elif command -v python3 >/dev/null; then
        holds "$1: is JSON" python3 -m json.tool out json_copy
    else
        skip "$1: neither node nor python3 is installed"
    fi
}

# The commands under "Examples:", one per line.
examples_in() { sed -n '/^Examples:$/,$p' <<<"$1" | grep '^  sinew '; }

# clean_for_terminal FILE...: valid UTF-8, and no control characters but line ends.
clean_for_terminal()
{
    cat "$@" >seen
    iconv -f UTF-8 -t UTF-8 seen >/dev/null 2>&1 || return 1
    ! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' seen
}

# complete_in_bash WORD...: what the completion offers for the last word.
complete_in_bash()
{
    SINEW_TOOL=$tool bash -c '
        . ./completion.bash
        compopt() { :; }
        sinew() { "$SINEW_TOOL" "$@"; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _sinew
        printf "%s" "${COMPREPLY[*]}"' bash "$@"
}

# big FILE SAMPLE...: EA's archive of files in $samples, the numbers of its index with their high bytes first.
be32() { printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"; }
le32() { printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"; }
big()
{
    archive=$1
    shift
    index=16 total=0
    for file in "$@"; do index=$((index + 9 + 9 + ${#file})) total=$((total + $(stat -c %s "$samples/$file"))); done
    at=$index
    {
        printf BIGF
        le32 $((index + total))
        be32 $#
        be32 "$index"
        for file in "$@"; do
            be32 "$at"
            be32 "$(stat -c %s "$samples/$file")"
            printf 'Art\\W3D_\\%s\0' "$file"
            at=$((at + $(stat -c %s "$samples/$file")))
        done
        for file in "$@"; do cat "$samples/$file"; done
    } >"$archive"
}

finish()
{
    printf '%d passed, %d failed' "$passed" "$failed"
    [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
    printf '\n'
    [ "$failed" = 0 ]
}
