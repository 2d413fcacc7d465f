# What the pages of docs/ show of C++: docs/examples/*.cc -> docs_tests.
#
# The op that docs/howto/add_an_op.md adds is linked as if its files lay in
# millrace/ops: the program has tables of its own with all ops and that one, and
# the generic tests of tests/cases, which run its cases alone.

file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/examples/*.cc")
file(GLOB generic CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cases/*.cc")
list(FILTER generic EXCLUDE REGEX "_test\\.cc$")
list(APPEND generic "${PROJECT_SOURCE_DIR}/tests/cases/cases_test.cc")

set(tables "")
# docs_table(TABLE HEADER SUFFIX [ALL]): of the examples' declarations; with ALL of all ops' too.
function(docs_table table header suffix)
  set(files "${examples}")
  list(FILTER files INCLUDE REGEX "\\.${suffix}\\.cc$")
  if(ARGN)
    file(GLOB_RECURSE others CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/millrace/ops/*.${suffix}.cc")
    list(APPEND files ${others})
  endif()
  set(out "${PROJECT_BINARY_DIR}/gen/docs/${table}.gen.cc")
  string(REPLACE ";" "\n" list "${files}")
  file(CONFIGURE OUTPUT "${out}.list" CONTENT "@list@\n" @ONLY)
  add_custom_command(OUTPUT "${out}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/scan_ops.py" --table ${table} --header ${header} --list "${out}.list" --out "${out}"
    DEPENDS "${PROJECT_SOURCE_DIR}/cmake/scan_ops.py" "${out}.list" ${files}
    COMMENT "table ${table} of docs" VERBATIM)
  set(tables ${tables} "${out}" PARENT_SCOPE)
endfunction()
docs_table(all_ops millrace/graph/all_ops.h op ALL)
docs_table(all_cpu_kernels millrace/kernel/all_kernels.h cpu ALL)
docs_table(all_gradients millrace/client/gradients/all_gradients.h grad ALL)
docs_table(all_cases tests/cases/all_cases.h cases)

# Each file of an op stands for itself, as in millrace/ops.
set_source_files_properties(${examples} ${tables} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
millrace_test(docs_tests docs/examples ${examples} ${generic} ${tables})
target_link_libraries(docs_tests PRIVATE millrace_test_support millrace_all)
