#include "absl/strings/str_cat.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// What TensorFlow's masters make of a ParallelConcat of two values.
Case& TakenApart(CaseList& c, DataType t, Value first, Value second,
                 int last_row) {
  return c.Sequence(absl::StrCat("rows of ", DataTypeName(t), " at ", last_row))
      .Node("start", "_ParallelConcatStart", {},
            {{"shape", PartialShape({2, 3})}, {"dtype", t}})
      .Node("one", "_ParallelConcatUpdate", {"start", std::move(first)},
            {{"loc", 0}})
      .Node("all", "_ParallelConcatUpdate", {"one", std::move(second)},
            {{"loc", last_row}});
}

void EachTypeTakenApart(CaseList& c, const char* attr) {
  c.EachType(attr, [](CaseList& c, DataType t) {
    TakenApart(c, t, Rand(t, {1, 3}), Rand(t, {1, 3}), 1).Run({"all"});
  });
}

}  // namespace

MR_CASES(_ParallelConcatStart)(CaseList& c) { EachTypeTakenApart(c, "dtype"); }

MR_CASES(_ParallelConcatUpdate)(CaseList& c) {
  EachTypeTakenApart(c, "T");
  const auto rows = [&c](Value second, int last_row) -> Case& {
    return TakenApart(c, DataType::kFloat, F32({1, 3}), std::move(second),
                      last_row);
  };
  rows(F32({1, 3}), -1).Run({"all"});
  const auto error = [&](Value second, int last_row, const char* words) {
    rows(std::move(second), last_row)
        .NoShapeCheck()
        .RunError({"all"}, StatusCode::kInvalidArgument, words);
  };
  error(F32({1, 3}), 2,
        "0th dimension of value = 2 must be greater than loc_ = 2");
  error(F32({3}), 1, "value and update shape doesn't match: [2,3] vs. [3]");
  error(F32({1, 4}), 1, "value and update shape doesn't match [2,3] vs. [1,4]");
  error(F32({2, 3}), 1, "update shape doesn't match: [2,3]");
}

MR_CASES(ParallelConcat)(CaseList& c) {
  const auto shape = [](std::initializer_list<int64_t> dims) -> AttrMap {
    return {{"shape", PartialShape(dims)}};
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {1, 3}), Rand(t, {1, 3})}, shape({2, 3})).KnownShapes();
  });
  c.Ok({F32({1}), F32({1}), F32({1})}, shape({3})).KnownShapes();
  c.Ok({F32({1, 2, 5})}, shape({1, 2, 5})).KnownShapes();
  c.Ok({Empty(DataType::kFloat, {1, 0})}, shape({1, 0})).KnownShapes();
  c.Ok({F32({1, 30000}), F32({1, 30000}), F32({1, 30000})}, shape({3, 30000}))
      .KnownShapes();
  c.Error({F32({1, 2}), F32({1, 2}), F32({1, 2})}, shape({2, 2}),
          StatusCode::kInvalidArgument,
          "0th dimension of value = 2 must be greater than loc_ = 2")
      .KnownShapes();
  const auto build_error = [&](Value value, AttrMap attrs, const char* words) {
    c.BuildError({F32({1, 2}), std::move(value)}, std::move(attrs), words);
  };
  build_error(F32({2, 2}), shape({3, 2}), "Size of first dimension must be 1.");
  build_error(F32({}), shape({2, 2}),
              "The rank of all input shapes must be greater than 0");
  build_error(F32({1, 3}), shape({2, 2}),
              "Dimension 1 in both shapes must be equal");
  build_error(F32({1, 2}), shape({2, -1}), "shape attr must be fully defined.");
  build_error(F32({1, 2}), {{"shape", PartialShape()}},
              "shape attr must be fully defined.");
}

}  // namespace millrace::cases
