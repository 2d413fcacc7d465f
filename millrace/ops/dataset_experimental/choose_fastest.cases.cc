#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

AttrMap Choice() { return With(With(Numbers(), "N", 2), "num_experiments", 3); }

void ChoiceCases(CaseList& c) {
  Elements(WithRange(c, "equal", 5)
               .Node("op", c.op().name, {"range", "range"}, Choice()),
           "op", Numbers(), 5);
  NoDataset(
      WithRange(c, "cardinality", 6)
          .Node("few", "TakeDataset", {"range", Count(4)}, Numbers())
          .Node("op", c.op().name, {"range", "few"}, Choice()),
      "All inputs to ChooseFastestDataset must have compatible cardinalities. "
      "Input 1 has cardinality: 4, while all prior inputs have cardinality: "
      "6.");
  NoDataset(
      WithRange(c, "types", 1)
          .Node("text", "TensorDataset", {StrScalar("a")},
                {{"Toutput_types", TypeList{DataType::kString}},
                 {"output_shapes", ShapeList{PartialShape({})}}})
          .Node("op", c.op().name, {"range", "text"}, Choice()),
      "All inputs to ChooseFastestDataset must have the same output types. "
      "Input 1 has output types: string. Expected: int64.");
}

}  // namespace

MR_CASES(ChooseFastestDataset)(CaseList& c) { ChoiceCases(c); }
MR_CASES(ExperimentalChooseFastestDataset)(CaseList& c) { ChoiceCases(c); }

}  // namespace millrace::cases
