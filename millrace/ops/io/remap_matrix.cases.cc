#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// A matrix of 4 rows and 3 columns, what is made of it, and which of the
// checkpoint's tensors it is.
struct Remapping {
  std::string name;
  Value rows, columns, values;
  int num_rows, num_cols;
  std::string tensor = "matrix";
  int rows_at_once = -1;
};

Value Nothing(DataType t) { return Empty(t, {0}); }

// The content is always the same, since other processes may run the same case.
Case& Remap(CaseList& c, const Remapping& r) {
  const std::string folder = "/tmp/millrace_cases/LoadAndRemapMatrix/";
  return c.Sequence(r.name)
      .Node("save", "SaveV2",
            {StrScalar(folder + "whole"), Str({"double", "matrix", "vector"}),
             Str({"", "", ""}), Iota(DataType::kDouble, {1, 2}),
             Iota(DataType::kFloat, {4, 3}, 1), Iota(DataType::kFloat, {3})})
      .Node("save_parts", "SaveV2",
            {StrScalar(folder + "parts"), Str({"matrix", "matrix"}),
             Str({"4 3 0,1:-", "4 3 1,3:-"}), Iota(DataType::kFloat, {1, 3}, 1),
             Iota(DataType::kFloat, {3, 3}, 4)})
      .Node("op", "LoadAndRemapMatrix",
            {StrScalar(folder + (r.tensor == "parts" ? "parts" : "whole")),
             StrScalar(r.tensor == "parts" ? "matrix" : r.tensor), r.rows,
             r.columns, r.values},
            {{"num_rows", r.num_rows},
             {"num_cols", r.num_cols},
             {"max_rows_in_memory", r.rows_at_once}})
      .Run({"save", "save_parts"});
}

}  // namespace

MR_CASES(LoadAndRemapMatrix)(CaseList& c) {
  const auto ids = [](std::initializer_list<double> values) {
    return Vec(kInt64, values);
  };
  const Value all = Nothing(kInt64);
  const Value none = Nothing(DataType::kFloat);
  const auto floats = [](int64_t n) { return Iota(DataType::kFloat, {n}, 91); };
  const auto ok = [&c](const Remapping& r) { Remap(c, r).Run({"op"}); };
  ok({"as it is", ids({0, 1, 2, 3}), all, none, 4, 3});
  ok({"rows", ids({3, 0}), all, none, 2, 3});
  ok({"columns", ids({3, 0}), ids({2, 0}), none, 2, 2});
  ok({"new row", ids({3, -1, 0}), all, floats(3), 3, 3});
  ok({"new column", ids({3, 0}), ids({2, -1}), floats(2), 2, 2});
  ok({"both", ids({3, -2}), ids({2, -1}), floats(3), 2, 2});
  ok({"all new", ids({-1, -1}), all, floats(6), 2, 3});
  ok({"no rows", all, all, none, 0, 3});
  for (const int rows : {0, 1, 2, 100}) {
    ok({"rows at once " + std::to_string(rows), ids({3, -1, 0, 2}),
        ids({2, -1}), floats(5), 4, 2, "matrix", rows});
    ok({"parts " + std::to_string(rows), ids({3, 0, 2, 1}), all, none, 4, 3,
        "parts", rows});
  }
  const auto error = [&c](const Remapping& r, const char* words,
                          StatusCode code = kInvalid) {
    Remap(c, r).NoShapeCheck().RunError({"op"}, code, words);
  };
  error({"few values", ids({3, -1}), ids({2, -1}), floats(2), 2, 2},
        "initializing_values contained 2 elements, but more missing values "
        "remain.");
  error({"many values", ids({3, -1}), ids({2, -1}), floats(4), 2, 2},
        "initializing_values contained 4 elements, but only 3 elements were "
        "used to fill in missing values.");
  error({"row twice", ids({3, 3}), all, none, 2, 3},
        "Old ID 3 is mapped to both new ID 0 and 1, which is not supported.",
        StatusCode::kUnimplemented);
  error({"column twice", ids({3}), ids({1, 1}), none, 1, 2},
        "Old ID 1 is mapped to both new ID 0 and 1, which is not supported.",
        StatusCode::kUnimplemented);
  error({"no such row", ids({4}), all, none, 1, 3},
        "Extent in dimension 0 out of bounds: shape = [4,3]",
        StatusCode::kInternal);
  Remap(c, {"no such column", ids({0}), ids({3}), none, 1, 1})
      .NoStock("reads outside of the row")
      .RunError({"op"}, StatusCode::kInternal,
                "Extent in dimension 1 out of bounds: shape = [4,3]");
  error({"number of rows", ids({0, 1}), all, none, 3, 3},
        "Size of row_remapping is 2 instead of being equal to num_rows=3");
  error({"number of columns", ids({0, 1}), ids({0}), none, 2, 3},
        "Provided col_remapping, but its size is 1 instead of being equal to "
        "num_cols=3");
  error({"other columns", ids({0, 1}), all, none, 2, 4},
        "where the size of its 2nd dimension is 3 instead of being equal to "
        "num_cols=4");
  error({"vector", ids({0}), all, none, 1, 3, "vector"},
        "Tensor vector has shape [3] of invalid rank 1 instead of expected "
        "shape of rank 2.");
  error({"double", ids({0}), all, none, 1, 2, "double"},
        "Tensor double has invalid type double instead of expected type "
        "float");
  error({"no tensor", ids({0}), all, none, 1, 3, "other"},
        "Key other not found in checkpoint", StatusCode::kNotFound);
  error({"matrix of rows", Of(kInt64, {1, 1}, {0}), all, none, 1, 3},
        "The `row_remapping` tensor must be 1-D, got a tensor of shape [1,1]");
}

}  // namespace millrace::cases
