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

set(package "${PROJECT_BINARY_DIR}/python/millrace")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/binding/*.cc")
add_library(millrace_binding_objects OBJECT ${sources})
target_link_libraries(millrace_binding_objects PRIVATE millrace_options millrace_flags)
target_compile_options(millrace_binding_objects PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
# nanobind's headers are not ours to warn of.
target_include_directories(millrace_binding_objects SYSTEM PRIVATE "${NB_DIR}/include" ${Python_INCLUDE_DIRS})
# The wrappers of ops, which the build writes, are included.
add_dependencies(millrace_binding_objects millrace_wrappers)

# libmillrace.so: all rooms, once for the extension and the command of the package. It shows what these two use, and the
# functions of OpenMP, which oneDNN has to find before libgomp's (device/cpu/dnnl.cc).
set(exports "${PROJECT_BINARY_DIR}/python_exports")
add_custom_command(OUTPUT "${exports}.map" "${exports}.rsp"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/export_symbols.py" --nm "${CMAKE_NM}" --out "${exports}"
    --also GOMP_parallel --also GOMP_barrier --also omp_get_max_threads --also omp_get_num_threads --also omp_get_thread_num
    --also omp_in_parallel "$<TARGET_OBJECTS:millrace_binding_objects>" "$<TARGET_OBJECTS:millrace>"
  DEPENDS "${PROJECT_SOURCE_DIR}/cmake/export_symbols.py" "$<TARGET_OBJECTS:millrace_binding_objects>" "$<TARGET_OBJECTS:millrace>"
  COMMAND_EXPAND_LISTS COMMENT "symbols of libmillrace.so" VERBATIM)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/gen/python_library.cc" CONTENT "// libmillrace.so consists of archives.\n")
add_library(millrace_library SHARED "${PROJECT_BINARY_DIR}/gen/python_library.cc" "${exports}.map")
target_link_libraries(millrace_library PRIVATE millrace_options millrace_all)
target_link_options(millrace_library PRIVATE "@${exports}.rsp" "-Wl,--version-script=${exports}.map" -Wl,-Bsymbolic)
if(MILLRACE_HAVE_RELR)
  target_link_options(millrace_library PRIVATE -fuse-ld=bfd -Wl,-z,pack-relative-relocs)
endif()
set_target_properties(millrace_library PROPERTIES OUTPUT_NAME millrace LIBRARY_OUTPUT_DIRECTORY "${package}"
  LINK_DEPENDS "${exports}.map;${exports}.rsp")

nanobind_add_module(millrace_binding NB_STATIC NOMINSIZE $<TARGET_OBJECTS:millrace_binding_objects>)
set_target_properties(millrace_binding PROPERTIES OUTPUT_NAME _binding LIBRARY_OUTPUT_DIRECTORY "${package}"
  BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
# Only PyInit__binding is seen from outside.
target_link_options(millrace_binding PRIVATE -Wl,--exclude-libs,ALL)

# The command once more, small: package/bin/millrace is what wheels have.
add_executable(millrace_of_package $<TARGET_OBJECTS:millrace>)
set_target_properties(millrace_of_package PROPERTIES OUTPUT_NAME millrace RUNTIME_OUTPUT_DIRECTORY "${package}/bin"
  BUILD_RPATH "$ORIGIN/.." BUILD_RPATH_USE_ORIGIN ON)
foreach(user millrace_binding millrace_of_package)
  target_link_libraries(${user} PRIVATE millrace_options millrace_library millrace_dep_absl)
endforeach()
set_target_properties(millrace_library millrace_binding millrace_of_package PROPERTIES MILLRACE_SHARED ON)

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
add_dependencies(python millrace_binding millrace_of_package)
