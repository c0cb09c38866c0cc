# Shared by ./demo and ./check: which Debian packages are needed, and how to get those that are missing.
# A thing that is there already counts, wherever it comes from: we look for commands and headers, not packages.

wanted=() missing=()

# needs TEST PACKAGE...: the packages are wanted, and missing when the test fails.
needs()
{
    local test=$1
    shift
    wanted+=("$@")
    eval "$test" >/dev/null 2>&1 || missing+=("$@")
}

has_header() { printf '#include <%s>\n' "$1" | cc -E -x c -o /dev/null -; }

# Mesa's software driver, which needs no graphics card: where Debian and Ubuntu put it, or anything that EGL knows of.
has_driver() { ls /usr/lib/*/dri/swrast_dri.so /usr/lib/*/libgallium-*.so /usr/share/glvnd/egl_vendor.d/*.json | grep -q . && ldconfig -p | grep -q 'libEGL.so.1' && ldconfig -p | grep -q 'libGL.so.1'; }

can_fuzz() { printf 'int LLVMFuzzerTestOneInput(void){return 0;}\n' | clang -fsanitize=fuzzer,address -x c -o /dev/null -; }

# Clang's sanitizers are a package of their own, named after clang's version (Debian 12: libclang-rt-14-dev).
clang_runtime()
{
    local version
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1 && printf 'libclang-rt-%s-dev' "$version"
}

as_root()
{
    if [ "$(id -u)" = 0 ]; then "$@"
    elif [ -t 0 ]; then sudo "$@"
    else sudo -n "$@"
    fi
}

can_be_root() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1; }

install_line() { printf 'apt-get install -y --no-install-recommends %s' "$*"; }

install_missing()
{
    case " ${wanted[*]} " in *' clang '*) wanted+=($(clang_runtime)) ;; esac
    printf 'Needs:      %s\n' "$(install_line "${wanted[@]}")"
    if [ ${#missing[@]} = 0 ]; then
        printf 'Installing: nothing, all of it is there\n'
        return 0
    fi
    if ! command -v apt-get >/dev/null 2>&1 || ! can_be_root; then
        printf '\nMissing: %s\n' "${missing[*]}" >&2
        printf 'They can be installed here only with apt-get, as root or with sudo. Please run\n' >&2
        printf '    %s\nas root, or get the same from your own package manager, then start again.\n' "$(install_line "${missing[@]}")" >&2
        return 1
    fi
    local log=build/setup.log
    mkdir -p build
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$log" 2>&1 || true    # one bad source is no reason to stop
    case " ${missing[*]} " in *' clang '*) missing+=($(clang_runtime)) ;; esac
    printf 'Installing: %s\n' "${missing[*]}"
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" \
        >>"$log" 2>&1; then    # another apt-get, such as the system's own update, may be running
        tail -n 15 "$log" >&2
        printf '\nThe packages could not be installed (%s). Please run\n    apt-get update && %s\nas root, then start again.\n' \
            "$log" "$(install_line "${missing[@]}")" >&2
        return 1
    fi
}

needs_for_build()
{
    needs 'command -v cc' gcc
    needs 'has_header math.h' libc6-dev
    needs 'command -v cmake' cmake
    needs 'command -v ninja' ninja-build
    needs 'has_header webp/decode.h' libwebp-dev
    needs 'has_header epoxy/gl.h' libepoxy-dev
    needs 'has_header EGL/eglplatform.h' libegl-dev
    needs 'has_header stb/stb_truetype.h || has_header stb_truetype.h' libstb-dev
    needs 'has_header GLFW/glfw3.h' libglfw3-dev
    needs 'has_driver' libegl1 libgl1 libgl1-mesa-dri
}

needs_for_tests()
{
    needs 'command -v pkg-config' pkg-config
    needs 'has_header cmocka.h' libcmocka-dev
    needs 'has_header StormLib.h' libstorm-dev
    needs 'has_header jpeglib.h' libjpeg-dev
    needs 'has_header meshoptimizer.h' libmeshoptimizer-dev
    needs 'command -v c++' g++
    needs 'has_header draco/draco_features.h' libdraco-dev
    needs 'can_fuzz' clang
    needs 'command -v llvm-symbolizer' llvm
    needs 'command -v ld.lld' lld
    needs 'command -v cppcheck' cppcheck
    needs 'command -v clang-format-14' clang-format-14
    needs 'command -v groff' groff-base
    needs 'command -v assimp' assimp-utils
    needs 'command -v genisoimage' genisoimage
    needs 'has_header X11/extensions/XTest.h' libx11-dev libxtst-dev
    needs 'command -v Xvfb' xvfb
    needs '[ -f /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]' fonts-dejavu-core
    needs 'command -v node' nodejs
    needs 'command -v npm' npm
}

needs_for_all()
{
    needs 'command -v clang-tidy' clang-tidy
    needs 'command -v valgrind' valgrind
}

# has_cross GCC QEMU: a compiler for that processor, its libc and an emulator.
has_cross() { printf '#include <math.h>\nint main(void){return 0;}\n' | "$1-linux-gnu-gcc" -static -x c -o /dev/null - 2>/dev/null && command -v "qemu-$2-static" >/dev/null; }

# Not gcc-multilib, which conflicts with the cross compilers.
needs_for_platforms()
{
    needs 'has_cross aarch64 aarch64' gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
    needs 'has_cross s390x s390x' gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static
    needs 'has_cross i686 i386' gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user-static
    needs 'command -v emcc' emscripten
}

# The page and the npm package, without their tests.
needs_for_web_build()
{
    needs 'command -v cmake' cmake
    needs 'command -v ninja' ninja-build
    needs 'command -v emcc' emscripten
    needs 'command -v node' nodejs
}

has_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

needs_for_web()
{
    needs_for_web_build
    needs 'has_chromium' chromium
}

needs_for_cluster()
{
    needs 'has_daemon slurmctld && has_daemon slurmd && command -v sbatch' slurm-wlm
    needs 'has_daemon munged' munge
    needs 'command -v parallel' parallel
}

# Debian has daemons in /usr/sbin, which may not be in the PATH of users.
has_daemon() { PATH=$PATH:/usr/sbin command -v "$1"; }

check_cmake_version()
{
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
    if [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" != 3.25 ]; then
        printf 'This is CMake %s; sinew needs 3.25 or newer (Debian 12, Ubuntu 24.04).\n' "$version" >&2
        return 1
    fi
}

cores() { nproc 2>/dev/null || printf 2; }

# build PRESET [cmake --build options]
build()
{
    local preset=$1 cache=build/$1/CMakeCache.txt
    shift
    if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
        rm -rf "build/$preset"        # the folder was moved or copied: CMake would refuse
    fi
    # Compilers with huge pages take a tenth less time in virtual machines. Other systems ignore the word.
    cmake --preset "$preset" &&
        GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build --preset "$preset" --parallel "$(cores)" "$@"
}

# The sources that read untrusted bytes.
parser_sources()
{
    find src -name '*.c' | grep -E '/format/.*(parse|_lex|_access|_tree|_uri)|/gltf/gltf\.c|/draco/|/meshopt/|/image/|/io/.*(archive|pack|codec)|/anim/motion_file|/base/(json|inflate|huffman|bzip2|explode|sjis)\.c|/model/extensions\.c' | LC_ALL=C sort
}
