# install and find_package(millrace): the command (programs.cmake), the public
# headers and the archives. Users include millrace/millrace.h and link
# millrace::millrace.

include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY MILLRACE_LIBRARIES)
list(REMOVE_ITEM libraries millrace_ops_cases millrace_test_support)
set(deps millrace_options)
get_property(targets DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
foreach(target IN LISTS targets)
  if(target MATCHES "^millrace_dep_")
    list(APPEND deps ${target})
  endif()
endforeach()
target_include_directories(millrace_options INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(millrace_all PROPERTIES EXPORT_NAME millrace)

install(TARGETS millrace_all ${libraries} ${deps} EXPORT millrace_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(EXPORT millrace_targets NAMESPACE millrace:: FILE millraceTargets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace COMPONENT Development)
install(CODE "
  set(MILLRACE_HEADER_ROOTS \"${PROJECT_SOURCE_DIR}\" \"${PROJECT_BINARY_DIR}/gen\")
  set(MILLRACE_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")" COMPONENT Development)
install(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake" COMPONENT Development)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/millraceConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/millraceConfig.cmake" INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/millraceConfig.cmake" "${PROJECT_BINARY_DIR}/millraceConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/millrace COMPONENT Development)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
