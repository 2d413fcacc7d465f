# Fuzzers: tests/fuzz/x_fuzz.cc -> fuzz/x_fuzz of the build folder. They need
# clang and instrument everything that they link. `./dev test fuzz` builds and runs
# them for 20 s each; for longer:
#   build/fuzz/fuzz/wire_tensor_fuzz -max_total_time=600

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "MILLRACE_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++-14")
endif()
set(fuzz_sanitizers "-fsanitize=address,undefined" -fno-sanitize-recover=all)
target_compile_options(millrace_options INTERFACE -fsanitize=fuzzer-no-link ${fuzz_sanitizers})
# clang does not know `#pragma GCC ivdep`, and needs it for nothing here. With the
# warnings, since -Wall behind it would take it back.
target_compile_options(millrace_flags INTERFACE -Wno-unknown-pragmas)
target_link_options(millrace_options INTERFACE ${fuzz_sanitizers})

add_custom_target(fuzzers)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  millrace_target(${name})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  # A fuzzer names its rooms by a line `// Rooms: a b`; the default is protocol.
  file(STRINGS "${source}" rooms REGEX "^// Rooms: ")
  string(REGEX REPLACE "^// Rooms: +" "" rooms "${rooms}")
  if(NOT rooms)
    set(rooms protocol)
  endif()
  separate_arguments(rooms UNIX_COMMAND "${rooms}")
  foreach(room IN LISTS rooms)
    millrace_room_target(target ${room})
    target_link_libraries(${name} PRIVATE ${target})
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  add_dependencies(fuzzers ${name})
endforeach()
