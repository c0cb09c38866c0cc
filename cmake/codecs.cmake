# Codecs that come as libraries. AUTO: used when found; ON: an error when not found; OFF: not looked for.
# SINEW_CODECS are the targets to link, SINEW_PC_LIBS what pkg-config says for the static library.
set(SINEW_WEBP AUTO CACHE STRING "libwebp, for WebP images: AUTO, ON or OFF")
set_property(CACHE SINEW_WEBP PROPERTY STRINGS AUTO ON OFF)
set(SINEW_CODECS)
set(SINEW_PC_LIBS "-lm -pthread")

# sinew_find_codec(OPTION PACKAGE DEBIAN_PACKAGE FOUND MODE...): MODE is how find_package shall look.
function(sinew_find_codec option package debian found)
    set(${found} OFF PARENT_SCOPE)
    string(TOUPPER "${${option}}" wish)
    if(NOT wish STREQUAL AUTO AND NOT wish)
        return()
    endif()
    find_package(${package} ${ARGN} QUIET)
    if(${package}_FOUND)
        set(${found} ON PARENT_SCOPE)
    elseif(wish STREQUAL AUTO)
        message(STATUS "sinew: ${package} was not found (Debian: ${debian}); what it compressed will be refused")
    else()
        message(FATAL_ERROR "${option} is ${${option}}, but ${package} was not found (Debian: ${debian})")
    endif()
endfunction()

# Debian's libwebp has no CMake files; cmake/FindWebP.cmake looks for its header and library.
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
sinew_find_codec(SINEW_WEBP WebP libwebp-dev SINEW_HAS_WEBP MODULE)
if(SINEW_HAS_WEBP)
    list(APPEND SINEW_CODECS webp)
    string(PREPEND SINEW_PC_LIBS "-lwebp ")
endif()
