# Compiler and linker flags. Targets get them from millrace_options, so that a
# project which adds Millrace as a subdirectory keeps its own.
# Everything is compiled for baseline x86-64; kernels use target_clones.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  find_program(MILLRACE_CCACHE ccache)
  if(MILLRACE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${MILLRACE_CCACHE}")
    if(MILLRACE_PCH)
      set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/ccache.sh;${MILLRACE_CCACHE}")
    endif()
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler's garbage collector, which takes a tenth of its time: not
  # before it has 1 GiB, which hardly any file needs.
  add_compile_options("SHELL:--param ggc-min-heapsize=1048576")
endif()
# With sanitizers, optimization takes the compiler up to three times as long, and
# hides some of what they find: only loops of kernels get it (ops.cmake).
# Line numbers, a twentieth of the compiler's time, are for what they report; for
# gdb: cmake --preset dev -DCMAKE_CXX_FLAGS=-g.
set(dev_flags -O1)
if(MILLRACE_SANITIZE)
  set(dev_flags "-O0 -g1")
elseif(MILLRACE_FUZZ)
  set(dev_flags "-O1 -g1")
endif()
set(CMAKE_CXX_FLAGS_DEV "${dev_flags} -fno-omit-frame-pointer -DMILLRACE_DCHECK=1")
set(CMAKE_EXE_LINKER_FLAGS_DEV "")
set(CMAKE_SHARED_LINKER_FLAGS_DEV "")

# Of sources that run once a test run: with optimization they take the compiler
# half as long again.
set(MILLRACE_UNOPTIMIZED $<$<CONFIG:Dev>:-O0>)
# Of those that run once a graph, not once a step: all that clients make graphs with.
set(MILLRACE_ONCE_A_GRAPH ${MILLRACE_UNOPTIMIZED} $<$<CONFIG:Release>:-O1>)

add_library(millrace_options INTERFACE)
target_compile_features(millrace_options INTERFACE cxx_std_20)
target_include_directories(millrace_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/gen>)

# The Python extension links the same archives. Said here and not by CMake's
# property, which would give programs -fPIE and so a precompiled header of their own.
target_compile_options(millrace_options INTERFACE $<BUILD_INTERFACE:-fPIC>)

if(NOT MILLRACE_TRACE)
  target_compile_definitions(millrace_options INTERFACE MILLRACE_WITHOUT_TRACE=1)
endif()

# Flags of our own files only, never handed on to users of an installed library.
add_library(millrace_flags INTERFACE)
target_compile_options(millrace_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
  -fno-semantic-interposition)
if(MILLRACE_WERROR)
  target_compile_options(millrace_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely in std::string, std::optional and absl.
  target_compile_options(millrace_flags INTERFACE
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-free-nonheap-object
    $<$<CONFIG:Release>:-Wno-uninitialized>)
  if(MILLRACE_UNITY)
    # It takes every file but the one on its command line for a header.
    target_compile_options(millrace_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()

if(MILLRACE_PCH AND MILLRACE_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(millrace_flags INTERFACE -fpch-preprocess)  # ccache's manual
endif()

if(MILLRACE_SANITIZE)
  # But for targets that say MILLRACE_NOT_SANITIZED: options of their own would
  # come before these.
  target_compile_options(millrace_options INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:MILLRACE_NOT_SANITIZED>>>:-fsanitize=${MILLRACE_SANITIZE};-fno-sanitize-recover=all>")
  target_link_options(millrace_options INTERFACE "-fsanitize=${MILLRACE_SANITIZE}")
  target_compile_definitions(millrace_flags INTERFACE MILLRACE_SANITIZED=1)
  if(MILLRACE_SANITIZE MATCHES "thread")
    # With this macro protobuf's headers add members to its maps, which the
    # library of the distribution, built without, does not have.
    target_compile_options(millrace_options INTERFACE -U__SANITIZE_THREAD__)
  endif()
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold MILLRACE_HAVE_MOLD)
if(MILLRACE_HAVE_MOLD AND PROJECT_IS_TOP_LEVEL)
  add_link_options(-fuse-ld=mold)
endif()
add_link_options(-Wl,--as-needed)
# Relative relocations as a bitmap: 2 MB less of a released program that its start
# reads and that stays in memory. The loader asks for a mark that mold 1 and lld 14
# do not write.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MILLRACE_SANITIZE)
  check_linker_flag(CXX "-fuse-ld=bfd;-Wl,-z,pack-relative-relocs" MILLRACE_HAVE_RELR)
endif()
