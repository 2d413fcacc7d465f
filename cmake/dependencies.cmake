# Third-party libraries, each behind one millrace_dep_* target.
# Which room may include whose headers: tools/check_layers.py.

find_package(Threads REQUIRED)
find_package(absl REQUIRED CONFIG)
find_package(Protobuf REQUIRED MODULE)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# A target that has the property MILLRACE_SHARED takes shared libraries also where the build is static: Debian's archives
# are of code for programs, which no shared object can be made of.
set(millrace_shared "$<BOOL:$<TARGET_PROPERTY:MILLRACE_SHARED>>")
function(millrace_link_either target)
  cmake_parse_arguments(arg "" "" "ARCHIVES;SHARED" ${ARGN})
  foreach(lib IN LISTS arg_ARCHIVES)
    target_link_libraries(${target} INTERFACE "$<$<NOT:${millrace_shared}>:${lib}>")
  endforeach()
  foreach(lib IN LISTS arg_SHARED)
    target_link_libraries(${target} INTERFACE "$<${millrace_shared}:${lib}>")
  endforeach()
endfunction()

# millrace_dep(NAME lib...): system libraries by name; archives first where the
# build is static.
function(millrace_dep name)
  add_library(millrace_dep_${name} INTERFACE)
  foreach(lib IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "MILLRACE_LIB_${lib}" variable)
    if(MILLRACE_STATIC)
      string(MAKE_C_IDENTIFIER "MILLRACE_SO_${lib}" shared)
      find_library(${variable} NAMES lib${lib}.a ${lib} REQUIRED)
      find_library(${shared} NAMES ${lib} REQUIRED)
      mark_as_advanced(${shared})
      millrace_link_either(millrace_dep_${name} ARCHIVES "$<BUILD_INTERFACE:${${variable}}>" SHARED "$<BUILD_INTERFACE:${${shared}}>")
    else()
      find_library(${variable} NAMES ${lib} REQUIRED)
      target_link_libraries(millrace_dep_${name} INTERFACE $<BUILD_INTERFACE:${${variable}}>)
    endif()
    mark_as_advanced(${variable})
    target_link_libraries(millrace_dep_${name} INTERFACE $<INSTALL_INTERFACE:${lib}>)
  endforeach()
endfunction()

# The archives of pkg-config's closure, as one group because they refer to each
# other.
function(millrace_archives out module)
  find_program(MILLRACE_PKG_CONFIG pkg-config REQUIRED)
  execute_process(COMMAND ${MILLRACE_PKG_CONFIG} --static --libs-only-l ${module}
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  list(REMOVE_DUPLICATES flags)
  set(archives "")
  foreach(flag IN LISTS flags)
    string(REGEX REPLACE "^-l" "" lib "${flag}")
    string(MAKE_C_IDENTIFIER "MILLRACE_ARCHIVE_${lib}" variable)
    find_library(${variable} NAMES lib${lib}.a)
    mark_as_advanced(${variable})
    if(${variable} AND NOT lib MATCHES "^(dl|rt|m|pthread|atomic)$")
      list(APPEND archives "${${variable}}")
    endif()
  endforeach()
  set(${out} -Wl,--start-group ${archives} -Wl,--end-group PARENT_SCOPE)
endfunction()

set(absl absl::status absl::statusor absl::strings absl::str_format absl::cord absl::any_invocable
  absl::flat_hash_map absl::flat_hash_set absl::node_hash_map absl::btree absl::inlined_vector
  absl::span absl::hash absl::cleanup absl::symbolize)
if(MILLRACE_STATIC)
  millrace_archives(archives grpc++)
  add_library(millrace_dep_grpc INTERFACE)
  set(libraries "")
  foreach(lib grpc++ grpc gpr)
    string(MAKE_C_IDENTIFIER "MILLRACE_SO_${lib}" variable)
    find_library(${variable} NAMES ${lib} REQUIRED)
    mark_as_advanced(${variable})
    list(APPEND libraries ${${variable}})
  endforeach()
  millrace_link_either(millrace_dep_grpc ARCHIVES ${archives} SHARED ${libraries} absl::synchronization)
  target_link_libraries(millrace_dep_grpc INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
  # The absl modules that gRPC does not draw in are added by their own names.
  file(GLOB archives /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libabsl_*.a)
  list(FILTER archives EXCLUDE REGEX "libabsl_flags")
  add_library(millrace_dep_absl INTERFACE)
  millrace_link_either(millrace_dep_absl ARCHIVES -Wl,--start-group ${archives} -Wl,--end-group SHARED ${absl})
  target_link_libraries(millrace_dep_absl INTERFACE Threads::Threads)
  find_library(MILLRACE_ARCHIVE_protobuf NAMES libprotobuf.a REQUIRED)
  add_library(millrace_dep_protobuf INTERFACE)
  millrace_link_either(millrace_dep_protobuf ARCHIVES ${MILLRACE_ARCHIVE_protobuf} SHARED protobuf::libprotobuf)
  target_link_libraries(millrace_dep_protobuf INTERFACE Threads::Threads)
else()
  add_library(millrace_dep_absl INTERFACE)
  target_link_libraries(millrace_dep_absl INTERFACE ${absl} Threads::Threads)
  add_library(millrace_dep_protobuf INTERFACE)
  target_link_libraries(millrace_dep_protobuf INTERFACE protobuf::libprotobuf)
  millrace_dep(grpc grpc++ grpc gpr)
  target_link_libraries(millrace_dep_grpc INTERFACE absl::synchronization)
endif()

# oneDNN's own CMake package demands OpenCL headers, so it is found by name.
# There is no archive of it that works without its run-time libraries.
find_library(MILLRACE_LIB_dnnl NAMES dnnl REQUIRED)
mark_as_advanced(MILLRACE_LIB_dnnl)
add_library(millrace_dep_dnnl INTERFACE)
target_link_libraries(millrace_dep_dnnl INTERFACE $<BUILD_INTERFACE:${MILLRACE_LIB_dnnl}> $<INSTALL_INTERFACE:dnnl>)

millrace_dep(re2 re2)
millrace_dep(images jpeg png z)
millrace_dep(zlib z)
