# Ops by facet: x.op.cc, x.cpu.cc, x.gpu.cc, x.grad.cc, x.cases.cc in millrace/ops/<family>/.
# One OBJECT library a family and facet (so `ninja millrace_ops_product_cpu` builds
# one family), one STATIC library a facet that adds the table of its
# declarations, which scan_ops.py finds in the files' text.

file(GLOB MILLRACE_FAMILIES CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE "${PROJECT_SOURCE_DIR}/millrace/ops" "${PROJECT_SOURCE_DIR}/millrace/ops/*")
list(FILTER MILLRACE_FAMILIES EXCLUDE REGEX "\\.")

# Loops over elements are vectorised by the compiler (base/target_clones.h).
set(kernel_flags "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(kernel_flags -ftree-vectorize -fvect-cost-model=dynamic -fno-math-errno -fno-trapping-math)
endif()
if(MILLRACE_SANITIZE)
  list(APPEND kernel_flags $<$<CONFIG:Dev>:-O1>)
endif()
# What is rounded to whole steps may not depend on whether a machine adds and
# multiplies at once.
set(quantize_flags ${kernel_flags})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND quantize_flags -ffp-contract=off)
endif()
# Families whose time is in loops over elements.
set(loop_families arithmetic array convolution elementwise fused indexing layout linalg nn pooling product quantize quantize_fused reduction state train)
millrace_pch(millrace_pch_cpu OPTIONS ${kernel_flags} HEADERS "${PROJECT_SOURCE_DIR}/millrace/kernel/kernel_decl.h")
millrace_pch(millrace_pch_op HEADERS "${PROJECT_SOURCE_DIR}/millrace/graph/shape_context.h")
millrace_pch(millrace_pch_cases OPTIONS -g0 ${MILLRACE_UNOPTIMIZED} HEADERS "${PROJECT_SOURCE_DIR}/tests/cases/case.h")

# Each compiles one header of loops for an instruction set of its own.
foreach(loops convolution/winograd linalg/lines product/gemm_block)
  foreach(set avx2 avx512)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/millrace/ops/${loops}_${set}.cpu.cc" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endforeach()

# Its object is told apart by tools/check_symbols.py: protobuf's headers wait
# until a message type is built.
set_source_files_properties("${PROJECT_SOURCE_DIR}/millrace/ops/proto/message_type.cpu.cc" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Decides how pixels of quantized images are rounded, as quantize_flags say.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/millrace/ops/image/axis.cpu.cc" PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
endif()

# Sums of a few vectors that start at zero and are stored at last look like
# memset and memcpy, which would keep them in memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  foreach(file pooling/avg_pool pooling/max_pool pooling/max_pool_grad pooling/max_pool_offsets product/blocked_gemm)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/millrace/ops/${file}.cpu.cc" PROPERTIES COMPILE_OPTIONS -fno-tree-loop-distribute-patterns)
  endforeach()
endif()

# Adds the files that hold texts for GPUs as GpuSource (device/cuda/gpu_source.h) to
# the list `out`: one for each millrace/ops/FAMILY/STEM.gpu.cu, whose symbol is
# FAMILY_STEM with _ for each /, and STEM.shared.h, which C++ includes, too:
# FAMILY_STEM_shared.
function(millrace_gpu_sources out family)
  set(found "")
  file(GLOB_RECURSE text_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/millrace/ops" "${PROJECT_SOURCE_DIR}/millrace/ops/${family}/*.gpu.cu" "${PROJECT_SOURCE_DIR}/millrace/ops/${family}/*.shared.h")
  foreach(text IN LISTS text_files)
    string(REGEX REPLACE "\\.gpu\\.cu$" "" symbol "${text}")
    string(REGEX REPLACE "\\.shared\\.h$" "_shared" symbol "${symbol}")
    string(REPLACE "/" "_" symbol "${symbol}")
    millrace_embedded_text(source ${symbol} "${text}" "${PROJECT_SOURCE_DIR}/millrace/ops/${text}")
    list(APPEND found "${source}")
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# millrace_facet(NAME schema SUFFIX op TABLE all_ops HEADER millrace/graph/all_ops.h LINK lib...)
function(millrace_facet)
  cmake_parse_arguments(arg "" "NAME;SUFFIX;TABLE;HEADER" "LINK" ${ARGN})
  set(target millrace_ops_${arg_NAME})
  set(objects "")
  set(all "")
  foreach(family IN LISTS MILLRACE_FAMILIES)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/millrace/ops/${family}/*.${arg_SUFFIX}.cc")
    if(sources)
      set(objects_target millrace_ops_${family}_${arg_NAME})
      set(texts "")
      if(arg_SUFFIX STREQUAL "gpu")
        millrace_gpu_sources(texts ${family})
      endif()
      add_library(${objects_target} OBJECT ${sources} ${texts})
      set(pch millrace_pch_${arg_SUFFIX})
      if(arg_SUFFIX STREQUAL "cpu" AND family MATCHES "^quantize")
        # The precompiled header of the others serves: it has no code yet, which
        # is what the flag of these changes.
        target_compile_options(${objects_target} PRIVATE ${quantize_flags})
      elseif(arg_SUFFIX STREQUAL "cpu")
        target_compile_options(${objects_target} PRIVATE ${kernel_flags})
      elseif(arg_SUFFIX STREQUAL "cases")
        target_compile_options(${objects_target} PRIVATE -g0 ${MILLRACE_UNOPTIMIZED})
      endif()
      if(TARGET ${pch})
        millrace_target(${objects_target} ${pch})
      else()
        millrace_target(${objects_target})
      endif()
      if(arg_SUFFIX STREQUAL "cpu" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND family IN_LIST loop_families)
        # Of loops, neighbours would decide how they are inlined and laid out.
        set_target_properties(${objects_target} PROPERTIES UNITY_BUILD OFF)
      endif()
      target_link_libraries(${objects_target} PUBLIC ${arg_LINK})
      list(APPEND objects $<TARGET_OBJECTS:${objects_target}>)
      list(APPEND all ${sources})
    endif()
  endforeach()
  if(EXISTS "${PROJECT_SOURCE_DIR}/${arg_HEADER}")
    set(table "${PROJECT_BINARY_DIR}/gen/millrace/ops/${arg_TABLE}.gen.cc")
    string(REPLACE ";" "\n" list "${all}")
    file(CONFIGURE OUTPUT "${table}.list" CONTENT "@list@\n" @ONLY)
    add_custom_command(OUTPUT "${table}"
      COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/scan_ops.py" --table ${arg_TABLE} --header ${arg_HEADER} --list "${table}.list" --out "${table}"
      DEPENDS "${PROJECT_SOURCE_DIR}/cmake/scan_ops.py" "${table}.list" ${all}
      COMMENT "table ${arg_TABLE}" VERBATIM)
    list(APPEND objects "${table}")
  endif()
  millrace_library(${target} ${objects})
  target_link_libraries(${target} ${${target}_SCOPE} ${arg_LINK})
endfunction()

millrace_facet(NAME schema SUFFIX op TABLE all_ops HEADER millrace/graph/all_ops.h
  LINK millrace_graph)
millrace_facet(NAME cpu SUFFIX cpu TABLE all_cpu_kernels HEADER millrace/kernel/all_kernels.h
  LINK millrace_ops_schema millrace_kernel millrace_device millrace_checkpoint
       millrace_dep_dnnl millrace_dep_re2 millrace_dep_images)
# Kernels for GPUs. No build needs CUDA: *.gpu.cu are text, which is compiled at run
# time for the card that is there. Without files the library is an empty table, so
# that no program asks whether it was built for GPUs.
millrace_facet(NAME gpu SUFFIX gpu TABLE all_gpu_kernels HEADER millrace/kernel/all_kernels.h
  LINK millrace_ops_cpu millrace_ops_schema millrace_kernel millrace_device)
millrace_facet(NAME grad SUFFIX grad TABLE all_gradients HEADER millrace/client/gradients/all_gradients.h
  LINK millrace_client millrace_ops_schema)
if(MILLRACE_BUILD_TESTS)
  millrace_facet(NAME cases SUFFIX cases TABLE all_cases HEADER tests/cases/all_cases.h
    LINK millrace_kernel millrace_ops_schema)
endif()

# opgen links the schemas and writes the wrappers that millrace_client compiles.
# They are copied only when they changed, so a new shape function compiles no client.
if(EXISTS "${PROJECT_SOURCE_DIR}/tools/opgen/main.cc")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/opgen/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  add_executable(opgen ${sources})
  millrace_target(opgen)
  target_link_libraries(opgen PRIVATE millrace_ops_schema)
  set(wrappers "${PROJECT_BINARY_DIR}/gen/millrace/client/ops.gen.h" "${PROJECT_BINARY_DIR}/gen/millrace/client/ops.gen.cc")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/opgen_out/millrace/client" "${PROJECT_BINARY_DIR}/gen/millrace/client")
  add_custom_command(OUTPUT ${wrappers}
    COMMAND opgen --cc "${PROJECT_BINARY_DIR}/opgen_out"
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${PROJECT_BINARY_DIR}/opgen_out/millrace/client/ops.gen.h" "${PROJECT_BINARY_DIR}/opgen_out/millrace/client/ops.gen.cc" "${PROJECT_BINARY_DIR}/gen/millrace/client"
    DEPENDS opgen COMMENT "opgen: C++ wrappers" VERBATIM)
  add_custom_target(millrace_wrappers DEPENDS ${wrappers})
  if(NOT millrace_client_SCOPE STREQUAL "INTERFACE")
    add_dependencies(millrace_client millrace_wrappers)
  endif()
endif()
