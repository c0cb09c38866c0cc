# The web module, with emscripten: sinew_core for the npm package, sinew_page with the renderer for the page. web/build.mjs makes
# build/web/sinew.html and build/web/core of them.
if(NOT EMSCRIPTEN OR NOT SINEW_HAS_RENDER)
    return()
endif()
set(shared_with_tool cli/elements.c cli/info_json.c cli/json.c cli/print.c cli/words.c)
function(sinew_web_module name)
    add_executable(${name} web/sinew_web.c ${shared_with_tool} ${ARGN})
    sinew_house_rules(${name})
    target_include_directories(${name} PRIVATE src web ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE sinew_static)
    # The module is handed its bytes, so that it needs neither a file nor a request. Its stack is for parsers of deep files.
    target_link_options(${name} PRIVATE --no-entry -sMODULARIZE=1 -sEXPORT_NAME=createSinew -sENVIRONMENT=web,worker
        -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=2MB -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1
        -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8)
    set_target_properties(${name} PROPERTIES SUFFIX .js RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/module)
endfunction()
sinew_web_module(sinew_core web/web_no_render.c)
sinew_web_module(sinew_page web/web_render.c cli/render/framing.c cli/view/camera.c)
target_link_libraries(sinew_page PRIVATE sinew_render)
target_link_options(sinew_page PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -lworkerfs.js
    -sEXPORTED_RUNTIME_METHODS=FS,WORKERFS,GL,UTF8ToString,stringToUTF8,lengthBytesUTF8)
