#!/usr/bin/env bash
# test_install.sh BUILD_DIR SAMPLE VERSION: installs into a temporary folder and uses what is there as a stranger would.
set -euo pipefail
build=$1 sample=$2 version=$3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '%s\n' "-- $*"; }
die() { printf '%s\n' "FAILED: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; die 'cmake --install'; }
mv "$work/first" "$work/prefix"        # an installed tree can be moved
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libsinew.a)")

say 'every file is there'
for file in bin/sinew include/sinew/sinew.h share/man/man1/sinew.1 share/doc/sinew/LICENSE \
    share/bash-completion/completions/sinew share/zsh/site-functions/_sinew share/fish/vendor_completions.d/sinew.fish; do
    [ -s "$prefix/$file" ] || die "$file is missing or empty"
done
grep -qF "$version" <<<"$("$prefix/bin/sinew" --version)" || die "sinew --version does not say $version"

say 'the header compiles alone as C99, C17 and C++'
flags=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I "$prefix/include")
printf '#include <sinew/sinew.h>\n' >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cc"
for std in c99 c11 c17; do "${CC:-cc}" -std=$std "${flags[@]}" "$work/alone.c"; done
for std in c++11 c++17 c++20; do "${CXX:-c++}" -std=$std "${flags[@]}" "$work/alone.cc"; done

say 'the shared library has its SONAME and shows only sn_ names'
grep -q "SONAME  *libsinew.so.${version%%.*}\$" <<<"$(objdump -p "$libdir/libsinew.so")" || die 'SONAME'
others=$(nm -D --defined-only "$libdir/libsinew.so" | awk '$3 !~ /^sn_/ { print $3 }')
[ -z "$others" ] || die "exported, but not public: $others"
grep '^SN_API' "$prefix/include/sinew/sinew.h" | grep -oE '\bsn_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$libdir/libsinew.so" | awk '{ print $3 }' | sort -u >"$work/defined"
missing=$(comm -23 "$work/declared" "$work/defined")
[ -z "$missing" ] || die "declared, but not in the library: $missing"

say 'no sockets, no other programs'
for binary in "$libdir/libsinew.so" "$prefix/bin/sinew"; do
    others='socket|connect|bind|getaddrinfo|system|popen|fork|vfork|posix_spawnp?|exec[vlpe]+'
    [ "$binary" = "$prefix/bin/sinew" ] || others+='|dlopen'        # the tool looks whether there is an OpenGL library
    found=$(nm -D --undefined-only "$binary" | grep -owE "$others" || true)
    [ -z "$found" ] || die "$binary imports $found"
done

say 'pkg-config'
export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion sinew)" = "$version" ] || die 'version of the pkg-config file'
compile=("${CC:-cc}" -Wall -Wextra -Werror "$here/consumer.c" -o)
# shellcheck disable=SC2046
"${compile[@]}" "$work/pc_shared" $(pkg-config --cflags --libs sinew)
LD_LIBRARY_PATH=$libdir "$work/pc_shared" "$sample"
# shellcheck disable=SC2046
"${compile[@]}" "$work/pc_static" $(pkg-config --cflags sinew) \
    $(pkg-config --static --libs sinew | sed 's/-lsinew/-l:libsinew.a/')
"$work/pc_static" "$sample"

if [ -e "$libdir/pkgconfig/sinew_render.pc" ]; then
    say 'pkg-config of the renderer'
    [ "$(pkg-config --modversion sinew_render)" = "$version" ] || die 'version of sinew_render.pc'
    # shellcheck disable=SC2046
    "${CC:-cc}" -Wall -Wextra -Werror "$here/../../../examples/02_picture.c" -o "$work/pc_render" \
        $(pkg-config --cflags --libs sinew_render)
    "$work/pc_render" "$sample" "$work/pc_picture.png" && [ -s "$work/pc_picture.png" ] || die 'no picture from pc_render'
fi

say 'find_package'
cmake -G Ninja -S "$here" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DSINEW_VERSION="$version" >"$work/cmake.log" 2>&1 &&
    cmake --build "$work/consumer" >>"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; die 'find_package'; }
"$work/consumer/with_shared" "$sample"
"$work/consumer/with_static" "$sample"
if [ -x "$work/consumer/with_render" ]; then
    "$work/consumer/with_render" "$sample" "$work/picture.png" && [ -s "$work/picture.png" ] || die 'no picture from with_render'
fi
grep -qF "$libdir/libsinew.so" <<<"$(ldd "$work/consumer/with_shared")" || die 'with_shared does not use the installed library'
if grep -q libsinew <<<"$(ldd "$work/consumer/with_static")"; then die 'with_static needs the shared library'; fi
