# bench_load: sinew beside the readers that are installed. ctest only proves that it runs and that all readers agree;
# times are for people, on a quiet machine.
set(bench ${PROJECT_SOURCE_DIR}/bench)
sinew_program(bench_load ${bench}/bench_load.c ${bench}/load_readers.c ${bench}/load_workloads.c ${bench}/load_workloads_mdx.c
    ${bench}/load_workloads_mds.c ${bench}/load_scene.c ${bench}/load_text.c ${bench}/rounds.c)
target_link_libraries(bench_load PRIVATE m)

# By header and library: assimp's own CMake files ask for the packages it was built with.
find_path(ASSIMP_INCLUDE assimp/cimport.h)
find_library(ASSIMP_LIBRARY assimp)
mark_as_advanced(ASSIMP_INCLUDE ASSIMP_LIBRARY)
if(ASSIMP_INCLUDE AND ASSIMP_LIBRARY)
    target_sources(bench_load PRIVATE ${bench}/load_assimp.c)
    target_include_directories(bench_load SYSTEM PRIVATE ${ASSIMP_INCLUDE})
    target_link_libraries(bench_load PRIVATE ${ASSIMP_LIBRARY})
    target_compile_definitions(bench_load PRIVATE BENCH_HAS_ASSIMP)
endif()

find_path(TINYGLTF_INCLUDE tiny_gltf.h)
find_library(TINYGLTF_LIBRARY tinygltf)
mark_as_advanced(TINYGLTF_INCLUDE TINYGLTF_LIBRARY)
set(has_cxx OFF)
if(TINYGLTF_INCLUDE AND TINYGLTF_LIBRARY)
    sinew_find_cxx(has_cxx)
endif()
if(has_cxx)
    enable_language(CXX)
    target_sources(bench_load PRIVATE ${bench}/load_tinygltf.cpp)
    target_include_directories(bench_load SYSTEM PRIVATE ${TINYGLTF_INCLUDE})
    target_link_libraries(bench_load PRIVATE ${TINYGLTF_LIBRARY})
    target_compile_definitions(bench_load PRIVATE BENCH_HAS_TINYGLTF)
endif()

# war3-model runs in node; whether the package is there is seen when the bench runs.
find_program(SINEW_NODE NAMES node nodejs)
if(SINEW_NODE)
    target_sources(bench_load PRIVATE ${bench}/load_war3.c)
    target_compile_definitions(bench_load PRIVATE BENCH_HAS_NODE BENCH_NODE="${SINEW_NODE}" BENCH_WAR3_SCRIPT="${bench}/load_war3.mjs")
endif()

sinew_add_test(bench_load_smoke unit bench_load --rounds 1 --small)

# bench_runtime: sampling, blending, solving and skinning. `sinew bench` is the same code without the peers.
sinew_program(bench_runtime ${bench}/bench_runtime.c ${SINEW_BENCH_SOURCES})
target_include_directories(bench_runtime PRIVATE ${PROJECT_SOURCE_DIR}/src)

find_path(CGLM_INCLUDE cglm/cglm.h)
mark_as_advanced(CGLM_INCLUDE)
if(CGLM_INCLUDE)
    target_sources(bench_runtime PRIVATE ${bench}/peer_cglm.c)
    target_include_directories(bench_runtime SYSTEM PRIVATE ${CGLM_INCLUDE})
    target_compile_definitions(bench_runtime PRIVATE BENCH_HAS_CGLM)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "86|AMD64")
        set_source_files_properties(${bench}/peer_cglm.c PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma;-ffp-contract=fast")
    endif()
endif()

find_path(OGRE_INCLUDE OgreOptimisedUtil.h PATH_SUFFIXES OGRE)
find_library(OGRE_LIBRARY OgreMain)
mark_as_advanced(OGRE_INCLUDE OGRE_LIBRARY)
set(has_cxx OFF)
if(OGRE_INCLUDE AND OGRE_LIBRARY)
    sinew_find_cxx(has_cxx)
endif()
if(has_cxx)
    enable_language(CXX)
    target_sources(bench_runtime PRIVATE ${bench}/peer_ogre.cpp)
    target_include_directories(bench_runtime SYSTEM PRIVATE ${OGRE_INCLUDE})
    target_link_libraries(bench_runtime PRIVATE ${OGRE_LIBRARY})
    target_compile_definitions(bench_runtime PRIVATE BENCH_HAS_OGRE)
endif()

sinew_add_test(bench_runtime_smoke unit bench_runtime --rounds 1 --small --every-simd)
if(SINEW_TOOL)
    sinew_add_test(bench_picture unit bash -c [["$0" bench "$1/bench/results.json" --svg | cmp - "$1/docs/performance.svg"]]
        $<TARGET_FILE:sinew_tool> ${PROJECT_SOURCE_DIR})
endif()

# bench_save: saving, compressing beside libdeflate, converting a folder beside another build of the tool.
sinew_program(bench_save ${bench}/bench_save.c ${bench}/save_folder.c ${bench}/load_workloads.c ${bench}/load_text.c ${bench}/rounds.c)
target_include_directories(bench_save PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(bench_save PRIVATE m)
find_path(LIBDEFLATE_INCLUDE libdeflate.h)
find_library(LIBDEFLATE_LIBRARY deflate)
mark_as_advanced(LIBDEFLATE_INCLUDE LIBDEFLATE_LIBRARY)
if(LIBDEFLATE_INCLUDE AND LIBDEFLATE_LIBRARY)
    target_include_directories(bench_save SYSTEM PRIVATE ${LIBDEFLATE_INCLUDE})
    target_link_libraries(bench_save PRIVATE ${LIBDEFLATE_LIBRARY})
    target_compile_definitions(bench_save PRIVATE BENCH_HAS_LIBDEFLATE)
endif()
sinew_add_test(bench_save_smoke unit bench_save --rounds 1 --small)

# bench_render: pictures, beside f3d where it is installed.
if(SINEW_HAS_RENDER AND SINEW_TOOL)
    sinew_program(bench_render ${bench}/bench_render.c ${bench}/rounds.c)
    target_link_libraries(bench_render PRIVATE sinew_render m)
    sinew_add_test(bench_render_smoke unit bench_render $<TARGET_FILE:sinew_tool> 1)
endif()
