# One libFuzzer program per fuzz/fuzz_*.c. The library is instrumented too: the fuzzer follows its branches.
if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "Fuzzing needs clang: cmake --preset asan")
endif()
target_compile_options(sinew_objects PRIVATE -fsanitize=fuzzer-no-link)

# The checks after a load are those of the tests.
file(GLOB fuzz_support CONFIGURE_DEPENDS tests/support/check_*.c)
add_library(fuzz_support STATIC ${fuzz_support})
sinew_house_rules(fuzz_support)
target_compile_options(fuzz_support PRIVATE -fsanitize=fuzzer-no-link)
target_include_directories(fuzz_support PUBLIC src tests/support)
target_link_libraries(fuzz_support PUBLIC sinew_static)

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    cmake_path(GET source STEM name)
    sinew_program(${name} ${source})
    target_link_libraries(${name} PRIVATE fuzz_support)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
