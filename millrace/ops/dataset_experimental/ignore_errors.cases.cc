#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Batches of one number and of three, which is an error.
void IgnoreErrorsCases(CaseList& c) {
  const auto one = [](int n) {
    return AttrMap{{"Toutput_types", TypeList{kInt64}},
                   {"output_shapes", ShapeList{PartialShape({n})}}};
  };
  const AttrMap rows = ElementsOf({kInt64}, {PartialShape({1, 2})});
  for (const bool logs : {false, true}) {
    Elements(
        c.Sequence(absl::StrCat("too_long_", logs))
            .Node("two", "TensorDataset", {Vec(kInt64, {1, 2})}, one(2))
            .Node("three", "TensorDataset", {Vec(kInt64, {3, 4, 5})}, one(3))
            .Node("some", "ConcatenateDataset", {"two", "three"}, Batches())
            .Node("all", "ConcatenateDataset", {"some", "two"}, Batches())
            .Node("padded", "PaddedBatchDatasetV2",
                  {"all", Count(1), Vec(kInt64, {2}), Count(0),
                   Tensor::Scalar<bool>(false)},
                  {{"Toutput_types", TypeList{kInt64}},
                   {"output_shapes", ShapeList{PartialShape({1, 2})}},
                   {"N", 1}})
            .Node("op", c.op().name, {"padded"},
                  With(rows, "log_warning", logs)),
        "op", rows, 2);
  }
}

}  // namespace

MR_CASES(IgnoreErrorsDataset)(CaseList& c) { IgnoreErrorsCases(c); }
MR_CASES(ExperimentalIgnoreErrorsDataset)(CaseList& c) { IgnoreErrorsCases(c); }

}  // namespace millrace::cases
