# One libFuzzer program per fuzz/fuzz_*.c. The library is instrumented too, or the fuzzer would see nothing of it.
if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "Fuzzing needs clang: cmake --preset fuzz")
endif()
target_compile_options(sinew_objects PRIVATE -fsanitize=fuzzer-no-link)
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
# The checks after a load are the same as in the tests.
file(GLOB fuzz_support CONFIGURE_DEPENDS tests/support/check_*.c)
foreach(source IN LISTS fuzz_sources)
    cmake_path(GET source STEM name)
    sinew_program(${name} ${source} ${fuzz_support})
    target_include_directories(${name} PRIVATE src tests/support fuzz)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()

# Archives are the tool's own. MPQ is refused: it needs StormLib, which is not ours to fuzz.
file(GLOB archive_sources CONFIGURE_DEPENDS cli/archive/*.c)
foreach(name IN ITEMS fuzz_big fuzz_dat)
    target_sources(${name} PRIVATE ${archive_sources})
    target_include_directories(${name} PRIVATE cli cli/archive)
endforeach()
