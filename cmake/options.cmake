# What can be chosen, and what everything compiled here has in common.
get_property(can_share GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
option(SINEW_SHARED_LIBRARY "Build the shared library beside the static one" ${can_share})
option(SINEW_TOOL "Build the command-line tool" ${PROJECT_IS_TOP_LEVEL})
option(SINEW_TESTS "Build tests, samples, examples and benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SINEW_INSTALL "Have install rules" ${PROJECT_IS_TOP_LEVEL})
option(SINEW_FUZZ "Build the fuzz targets (clang)" OFF)
option(SINEW_WERROR "Treat warnings as errors" OFF)
set(SINEW_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_package(Threads REQUIRED)
include(CheckCSourceCompiles)

# x86 without SSE computes floats with 80 bits. src/base/math.h refuses what these flags do not fix.
check_c_source_compiles("
    #if defined __i386__ && !defined __SSE2_MATH__
    #error x87
    #endif
    int main(void) { return 0; }" SINEW_HAS_PLAIN_FLOATS)

# Dialect, warnings and sanitizers. The same numbers from every compiler and processor: no contraction, no excess precision
# (gcc for s390x), and without the vectoriser that makes gcc 12 drop a rounding to float where two of them stand side by side.
# gcc 12 takes addresses that its loop optimizer bases on 0 for NULL and drops stores to them, unless NULL may be valid.
function(sinew_house_rules target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
        CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _XOPEN_SOURCE=700 _FILE_OFFSET_BITS=64)
    target_compile_options(${target} PRIVATE -ffp-contract=off
        $<$<COMPILE_LANG_AND_ID:C,GNU>:-fno-tree-slp-vectorize;-fexcess-precision=fast;-fno-delete-null-pointer-checks>
        $<$<NOT:$<BOOL:${SINEW_HAS_PLAIN_FLOATS}>>:-msse2;-mfpmath=sse> -Wall -Wextra -Wconversion -Wshadow
        $<$<BOOL:${SINEW_WERROR}>:-Werror>)
endfunction()

# A program of ours: house rules, and the static library, whose inner functions tests may call. The library does the work:
# with sanitizers a program that is not optimized compiles in a third of the time.
function(sinew_program name)
    add_executable(${name} ${ARGN})
    sinew_house_rules(${name})
    if(SINEW_SANITIZE)
        target_compile_options(${name} PRIVATE -O0)
    endif()
    target_link_libraries(${name} PRIVATE sinew_static Threads::Threads)
endfunction()

if(SINEW_SANITIZE)
    add_compile_options(-fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(SINEW_SANITIZE MATCHES address)
        # The address sanitizer sees what the first two see; the msan preset has the others. Without them the library compiles
        # in two thirds of the time.
        add_compile_options(-fno-sanitize=null,object-size,pointer-overflow,alignment)
    endif()
    add_link_options(-fsanitize=${SINEW_SANITIZE})
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=lld SINEW_HAS_LLD)
    if(SINEW_HAS_LLD)
        add_link_options(-fuse-ld=lld)    # takes less than half the time for sixty programs with the sanitizers' libraries
    endif()
endif()
