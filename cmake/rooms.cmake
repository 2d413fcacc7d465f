# One library a room, from layers.txt: millrace_<room>, linked to the rooms that
# it may include. A room without sources is an INTERFACE library.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/layers.txt")
file(STRINGS "${PROJECT_SOURCE_DIR}/layers.txt" lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z.]+) +([0-9]+) +([^+]*)(\\+(.*))?$" matched "${line}")
  if(NOT matched)
    message(FATAL_ERROR "layers.txt: cannot read '${line}'")
  endif()
  set(room "${CMAKE_MATCH_1}")
  set(edges "${CMAKE_MATCH_3}")
  set(test_edges "${CMAKE_MATCH_5}")
  list(APPEND MILLRACE_LAYERS "${room}")
  separate_arguments(MILLRACE_EDGES_${room} UNIX_COMMAND "${edges}")
  separate_arguments(MILLRACE_TEST_EDGES_${room} UNIX_COMMAND "${test_edges}")
  list(REMOVE_ITEM MILLRACE_EDGES_${room} none)
endforeach()

# The target of a room's name in layers.txt.
function(millrace_room_target out room)
  string(REPLACE "." "_" name "${room}")
  if(name STREQUAL "ops_op")
    set(name ops_schema)
  endif()
  set(${out} millrace_${name} PARENT_SCOPE)
endfunction()

# Headers that nearly every file includes, compiled once for each set of flags
# (MILLRACE_PCH). `./dev lint` compiles without them, so that files say what they include.
# millrace_pch(NAME [OPTIONS flag...] [HEADERS <header>...])
function(millrace_pch name)
  cmake_parse_arguments(arg "" "" "OPTIONS;HEADERS" ${ARGN})
  if(MILLRACE_PCH)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch/${name}.cc" CONTENT "// Carries a precompiled header that targets share.\n")
    add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/pch/${name}.cc")
    target_link_libraries(${name} PRIVATE millrace_options millrace_flags millrace_dep_absl)
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE
      <algorithm> <atomic> <functional> <map> <memory> <optional> <string> <vector>
      <absl/container/flat_hash_map.h> <absl/container/inlined_vector.h> <absl/functional/any_invocable.h>
      <absl/status/status.h> <absl/status/statusor.h>
      <absl/strings/match.h> <absl/strings/str_cat.h> <absl/strings/str_join.h> <absl/types/span.h> ${arg_HEADERS})
  endif()
endfunction()
millrace_pch(millrace_pch_plain)
if(CMAKE_BUILD_TYPE STREQUAL "Dev" AND NOT MILLRACE_SANITIZE)
  millrace_pch(millrace_pch_client OPTIONS ${MILLRACE_ONCE_A_GRAPH})
  set(pch_client millrace_pch_client)
else()
  set(pch_client millrace_pch_plain)  # serves with less optimization, but not without
endif()
# What clients make graphs with (MILLRACE_ONCE_A_GRAPH).
set(client_side "^(millrace_(client|train|ops_[a-z_]+_grad)|example_.*|millrace|opdocs|opgen)$")

# What every target of ours gets. Scope: PUBLIC or INTERFACE for the include path.
# A target with flags of its own names its precompiled header.
function(millrace_target target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${target} INTERFACE millrace_options millrace_dep_absl)
    return()
  endif()
  target_link_libraries(${target} PUBLIC millrace_options millrace_dep_absl PRIVATE $<BUILD_INTERFACE:millrace_flags>)
  if(MILLRACE_UNITY)
    # Half of the compiler's time goes into headers. What is in a file's own
    # namespace needs a name that its neighbours in the folder do not have.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
  set(pch millrace_pch_plain)
  if(target MATCHES "${client_side}")
    target_compile_options(${target} PRIVATE ${MILLRACE_ONCE_A_GRAPH})
    set(pch ${pch_client})
  endif()
  if(MILLRACE_PCH)
    set(pch ${pch} ${ARGN})
    list(GET pch -1 pch)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

# millrace_library(target source...): STATIC, or INTERFACE where there is no
# source yet. ${target}_SCOPE is how to link to it.
function(millrace_library target)
  if(ARGN)
    add_library(${target} STATIC ${ARGN})
    set(${target}_SCOPE PUBLIC PARENT_SCOPE)
  else()
    add_library(${target} INTERFACE)
    set(${target}_SCOPE INTERFACE PARENT_SCOPE)
  endif()
  add_library(millrace::${target} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY MILLRACE_LIBRARIES ${target})
  millrace_target(${target})
endfunction()

# The wire's messages.
file(GLOB_RECURSE protos CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/proto/*.proto")
set(generated "")
foreach(proto IN LISTS protos)
  string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
  set(outputs "${PROJECT_BINARY_DIR}/gen/${stem}.pb.cc" "${PROJECT_BINARY_DIR}/gen/${stem}.pb.h")
  list(APPEND generated ${outputs})
  add_custom_command(OUTPUT ${outputs}
    COMMAND protobuf::protoc "--proto_path=${PROJECT_SOURCE_DIR}" "--cpp_out=${PROJECT_BINARY_DIR}/gen" "${proto}"
    DEPENDS "${PROJECT_SOURCE_DIR}/${proto}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "protoc ${proto}" VERBATIM)
endforeach()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/gen")
if(generated)
  add_library(millrace_proto STATIC ${generated})
  target_compile_options(millrace_proto PRIVATE -w -g0 ${MILLRACE_UNOPTIMIZED} $<$<CONFIG:Release>:-O1>)
  # protoc's code, not ours, and twice the time of the compiler; protobuf's
  # library, which works on it, is not sanitized either.
  set_target_properties(millrace_proto PROPERTIES MILLRACE_NOT_SANITIZED ON)
  if(MILLRACE_UNITY)
    # protoc's files have these names in common.
    set(own_names "#define MILLRACE_GLUE(a, b) a##b\n#define MILLRACE_OWN(a, b) MILLRACE_GLUE(a, b)\n")
    foreach(name file_default_instances schemas)
      string(APPEND own_names "#undef ${name}\n#define ${name} MILLRACE_OWN(${name}_, MILLRACE_FILE)\n")
    endforeach()
    set_target_properties(millrace_proto PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 11
      UNITY_BUILD_UNIQUE_ID MILLRACE_FILE UNITY_BUILD_CODE_BEFORE_INCLUDE "${own_names}")
  endif()
  if(MILLRACE_PCH)
    target_precompile_headers(millrace_proto PRIVATE
      <google/protobuf/extension_set.h> <google/protobuf/generated_message_reflection.h>
      <google/protobuf/map_entry.h> <google/protobuf/map_field_inl.h> <google/protobuf/message.h>
      <google/protobuf/reflection_ops.h> <google/protobuf/repeated_field.h>
      <google/protobuf/wire_format.h> <google/protobuf/io/coded_stream.h>)
  endif()
  target_link_libraries(millrace_proto PUBLIC millrace_options millrace_dep_protobuf)
else()
  add_library(millrace_proto INTERFACE)
  target_link_libraries(millrace_proto INTERFACE millrace_options millrace_dep_protobuf)
endif()
set_property(GLOBAL APPEND PROPERTY MILLRACE_LIBRARIES millrace_proto)

# What a room links to besides rooms, and what its unit tests do.
set(MILLRACE_EXTRA_checkpoint millrace_proto millrace_dep_zlib)
set(MILLRACE_EXTRA_device millrace_dep_dnnl ${CMAKE_DL_LIBS})
set(MILLRACE_EXTRA_rpc.grpc millrace_proto millrace_dep_grpc millrace_dep_zlib)
set(MILLRACE_TEST_EXTRA_graph millrace_proto)
set(MILLRACE_TEST_EXTRA_protocol millrace_proto)

# Sources of a room, without unit tests.
function(millrace_room_sources out room)
  if(room STREQUAL "rpc.grpc")
    set(folder rpc/grpc)
  else()
    set(folder ${room})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/millrace/${folder}/*.cc")
  if(room STREQUAL "rpc")
    list(FILTER sources EXCLUDE REGEX "/rpc/grpc/")
  endif()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# Sets `out` to a source that holds the joined text of files as a GpuSource.
# millrace_embedded_text(out SYMBOL NAME file...)
function(millrace_embedded_text out symbol name)
  set(source "${PROJECT_BINARY_DIR}/gen/gpu_sources/${symbol}.gen.cc")
  add_custom_command(OUTPUT "${source}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/embed_text.py" --symbol ${symbol} --name ${name} --out "${source}" ${ARGN}
    DEPENDS "${PROJECT_SOURCE_DIR}/cmake/embed_text.py" ${ARGN}
    COMMENT "text for GPUs: ${name}" VERBATIM)
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set(${out} "${source}" PARENT_SCOPE)
endfunction()

set(MILLRACE_ROOMS ${MILLRACE_LAYERS})
list(FILTER MILLRACE_ROOMS EXCLUDE REGEX "^(ops\\.|python$)")  # cmake/ops.cmake, cmake/python.cmake
foreach(room IN LISTS MILLRACE_ROOMS)
  millrace_room_sources(sources ${room})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(room STREQUAL "client" AND EXISTS "${PROJECT_SOURCE_DIR}/tools/opgen/main.cc")
    list(APPEND sources "${PROJECT_BINARY_DIR}/gen/millrace/client/ops.gen.cc"
      "${PROJECT_BINARY_DIR}/gen/millrace/client/ops.gen.h")
  endif()
  if(room STREQUAL "device")
    # The text before all texts for GPUs, in this order.
    set(prelude "${PROJECT_SOURCE_DIR}/millrace/device/cuda/prelude")
    millrace_embedded_text(source device_prelude prelude.gpu.cu
      "${prelude}/numbers.gpu.cu" "${prelude}/parallel.gpu.cu" "${prelude}/random.gpu.cu")
    list(APPEND sources "${source}")
  endif()
  millrace_room_target(target ${room})
  millrace_library(${target} ${sources})
  foreach(edge IN LISTS MILLRACE_EDGES_${room})
    millrace_room_target(lower ${edge})
    target_link_libraries(${target} ${${target}_SCOPE} ${lower})
  endforeach()
  target_link_libraries(${target} ${${target}_SCOPE} ${MILLRACE_EXTRA_${room}})
endforeach()

# gRPC's status is an enumeration that holds whatever number a peer has sent. Its functions are inline, and the linker takes
# those of any of these files.
if(MILLRACE_SANITIZE)
  file(GLOB grpc_sources "${PROJECT_SOURCE_DIR}/millrace/rpc/grpc/*.cc")
  set_source_files_properties(${grpc_sources} PROPERTIES
    COMPILE_OPTIONS -fno-sanitize=enum SKIP_PRECOMPILE_HEADERS ON)
endif()
