# Sets WebP_FOUND. The library is linked by its name, so that installed targets need no module to find it.
find_path(WebP_INCLUDE webp/decode.h)
find_library(WebP_LIBRARY webp)
mark_as_advanced(WebP_INCLUDE WebP_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(WebP REQUIRED_VARS WebP_LIBRARY WebP_INCLUDE)
