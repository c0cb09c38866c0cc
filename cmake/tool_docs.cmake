# The tool knows its own options: it prints its man page and its shell completions.
if(CMAKE_CROSSCOMPILING)
    return()
endif()
set(SINEW_DOCS ${PROJECT_BINARY_DIR}/tool_docs)
file(MAKE_DIRECTORY ${SINEW_DOCS})

function(sinew_tool_prints file)
    add_custom_command(OUTPUT ${SINEW_DOCS}/${file} DEPENDS sinew_tool VERBATIM
        COMMAND sinew_tool help ${ARGN} > ${SINEW_DOCS}/${file})
endfunction()
sinew_tool_prints(sinew.1 --man)
sinew_tool_prints(sinew.bash --completion bash)
sinew_tool_prints(_sinew --completion zsh)
sinew_tool_prints(sinew.fish --completion fish)
add_custom_target(sinew_tool_docs ALL
    DEPENDS ${SINEW_DOCS}/sinew.1 ${SINEW_DOCS}/sinew.bash ${SINEW_DOCS}/_sinew ${SINEW_DOCS}/sinew.fish)

if(NOT SINEW_INSTALL)
    return()
endif()
install(FILES ${SINEW_DOCS}/sinew.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${SINEW_DOCS}/sinew.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sinew)
install(FILES ${SINEW_DOCS}/_sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${SINEW_DOCS}/sinew.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
