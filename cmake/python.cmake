# The Python package: python/binding/*.cc -> the extension `_binding`, opgen's wrappers, and below build/<preset>/python/millrace
# links to what python/millrace has, so that this folder on PYTHONPATH is the whole package. Target: python.

set(MILLRACE_PYTHON_EXECUTABLE "" CACHE FILEPATH "The Python that the extension is for; empty: .venv's, otherwise the first one found")
set(python "${MILLRACE_PYTHON_EXECUTABLE}")
if(NOT python AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(python "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
if(python)
  set(Python_EXECUTABLE "${python}")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
set(nanobind_ROOT "")
if(Python_FOUND)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(nanobind_ROOT STREQUAL "")
  set(MILLRACE_PYTHON_FOUND OFF)
  if(MILLRACE_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "MILLRACE_PYTHON: needs Python's headers (python3-dev) and nanobind (pip install nanobind)")
  endif()
  message(STATUS "No Python package: it needs Python's headers (python3-dev) and nanobind (pip install nanobind)")
  return()
endif()
find_package(nanobind CONFIG REQUIRED)
set(MILLRACE_PYTHON_FOUND ON)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/binding/*.cc")
nanobind_add_module(millrace_binding NB_STATIC NOMINSIZE ${sources})
target_compile_options(millrace_binding PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
target_link_libraries(millrace_binding PRIVATE millrace_all millrace_options millrace_flags millrace_dep_absl)
# nanobind's headers are not ours to warn of.
target_include_directories(millrace_binding SYSTEM PRIVATE "${NB_DIR}/include" ${Python_INCLUDE_DIRS})
set(package "${PROJECT_BINARY_DIR}/python/millrace")
set_target_properties(millrace_binding PROPERTIES OUTPUT_NAME _binding LIBRARY_OUTPUT_DIRECTORY "${package}")
# Only PyInit__binding is seen from outside; symbols of archives stay within.
target_link_options(millrace_binding PRIVATE -Wl,--exclude-libs,ALL)

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/opgen_out/python")
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/opgen_out/python.stamp"
  COMMAND opgen --python "${PROJECT_BINARY_DIR}/opgen_out/python"
  COMMAND ${CMAKE_COMMAND} -E copy_directory "${PROJECT_BINARY_DIR}/opgen_out/python" "${package}/gen"
  COMMAND protobuf::protoc --include_imports "--proto_path=${PROJECT_SOURCE_DIR}" "--descriptor_set_out=${package}/gen/messages.desc" ${protos}
  COMMAND ${CMAKE_COMMAND} -E touch "${PROJECT_BINARY_DIR}/opgen_out/python.stamp"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  DEPENDS opgen ${protos} COMMENT "opgen: Python wrappers" VERBATIM)
add_custom_target(python ALL
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/python_links.py" "${PROJECT_SOURCE_DIR}/python/millrace" "${package}"
  DEPENDS "${PROJECT_BINARY_DIR}/opgen_out/python.stamp" COMMENT "links of the Python package" VERBATIM)
add_dependencies(python millrace_binding)
