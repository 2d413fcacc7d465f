# The stand-in for CUDA's libraries, tests/gpu/standin -> tests/gpu_standin of
# the build folder, where tests find them by MILLRACE_CUDA_LIBRARIES. Target:
# gpu_standin.

set(MILLRACE_STANDIN_FOLDER "${PROJECT_BINARY_DIR}/tests/gpu_standin")
set(standin "${PROJECT_SOURCE_DIR}/tests/gpu/standin")
add_custom_target(gpu_standin)
# Once more with the address sanitizer, which programs that have none preload: so
# it sees what device text does. They lie in tests/gpu_standin_asan.
set(standin_flavors "")
if(NOT MILLRACE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(standin_flavors _asan)
endif()

function(millrace_standin_flags target)
  target_link_libraries(${target} PRIVATE millrace_options millrace_flags)
  target_compile_options(${target} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
  if(target MATCHES "_asan$")
    target_compile_options(${target} PRIVATE -fsanitize=address -fno-omit-frame-pointer)
  endif()
endfunction()

# millrace_standin(TARGET FILE [OBJECTS target] [LINK library...] SOURCES source...): a library of that file name, which finds the others
# beside it. OBJECTS has its flavors, too.
function(millrace_standin target file)
  cmake_parse_arguments(arg "" "OBJECTS" "LINK;SOURCES" ${ARGN})
  foreach(flavor IN ITEMS "" ${standin_flavors})
    set(name ${target}${flavor})
    add_library(${name} SHARED ${arg_SOURCES})
    millrace_standin_flags(${name})
    if(arg_OBJECTS)
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${arg_OBJECTS}${flavor}>)
    endif()
    foreach(library IN LISTS arg_LINK)
      if(TARGET ${library}${flavor})
        target_link_libraries(${name} PRIVATE ${library}${flavor})
      else()
        target_link_libraries(${name} PRIVATE ${library})
      endif()
    endforeach()
    target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE -Wl,-z,defs "-Wl,-soname,${file}")
    if(flavor)
      target_link_options(${name} PRIVATE -fsanitize=address)
    endif()
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME "${file}" NO_SONAME ON
      LIBRARY_OUTPUT_DIRECTORY "${MILLRACE_STANDIN_FOLDER}${flavor}" BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
    add_dependencies(gpu_standin ${name})
  endforeach()
endfunction()

# What compiles device text, in both libraries: the driver compiles PTX.
set_source_files_properties("${standin}/prelude_text.cc" PROPERTIES
  COMPILE_DEFINITIONS "MILLRACE_STANDIN_ABI=\"${standin}/device_abi.h\";MILLRACE_STANDIN_PRELUDE=\"${standin}/device_prelude.cu\""
  OBJECT_DEPENDS "${standin}/device_abi.h;${standin}/device_prelude.cu")
set(compiler "")
foreach(source calls compile image prelude_text rewrite settings)
  list(APPEND compiler "${standin}/${source}.cc")
endforeach()
foreach(flavor IN ITEMS "" ${standin_flavors})
  add_library(millrace_standin_compiler${flavor} OBJECT ${compiler})
  millrace_standin_flags(millrace_standin_compiler${flavor})
  if(MILLRACE_HAVE_MOLD)
    target_compile_definitions(millrace_standin_compiler${flavor} PRIVATE MILLRACE_STANDIN_MOLD=1)
  endif()
endforeach()

set(driver "")
foreach(source arena block_runner card_counts device_calls driver_symbols faults fiber grid memory_calls module_calls state
    stream_calls streams)
  list(APPEND driver "${standin}/${source}.cc")
endforeach()
millrace_standin(millrace_standin_cuda libcuda.so.1 OBJECTS millrace_standin_compiler SOURCES ${driver})
millrace_standin(millrace_standin_nvrtc libnvrtc.so.13 OBJECTS millrace_standin_compiler SOURCES "${standin}/nvrtc_calls.cc")
# What Millrace has kept of an older one.
foreach(flavor IN ITEMS "" ${standin_flavors})
  add_custom_command(TARGET millrace_standin_nvrtc${flavor} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${MILLRACE_STANDIN_FOLDER}${flavor}/code" VERBATIM)
endforeach()
# The libraries of products and convolutions, which work on the driver's streams.
foreach(library cublaslt cudnn)
  set(file libcudnn.so.9)
  if(library STREQUAL "cublaslt")
    set(file libcublasLt.so.13)
  endif()
  millrace_standin(millrace_standin_${library} ${file} LINK millrace_standin_cuda
    SOURCES "${standin}/${library}_calls.cc" "${standin}/calls.cc" "${standin}/settings.cc")
endforeach()
