# cmake --install: headers, libraries, pkg-config files, CMake package, tool, licence.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

install(TARGETS ${SINEW_LIBRARIES} EXPORT sinew_targets)
install(FILES include/sinew/sinew.h include/sinew/build.h include/sinew/files.h include/sinew/runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinew)
if(SINEW_HAS_RENDER)
    install(TARGETS sinew_render EXPORT sinew_targets)
    install(FILES include/sinew/render.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinew)
endif()
install(EXPORT sinew_targets NAMESPACE sinew:: FILE sinew-targets.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(SINEW_TOOL)
    install(TARGETS sinew_tool)
endif()

configure_package_config_file(cmake/sinew-config.cmake.in sinew-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sinew-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinew-config.cmake ${PROJECT_BINARY_DIR}/sinew-config-version.cmake
    DESTINATION ${package_dir})

# The .pc file finds its folders from where it lies, so an installed tree can be moved.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE PC_PREFIX)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE PC_INCLUDEDIR)
configure_file(cmake/sinew.pc.in sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(SINEW_HAS_RENDER)
    list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE PC_DL_LIBS)
    configure_file(cmake/sinew_render.pc.in sinew_render.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/sinew_render.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
