#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

AttrMap SlicesOf(DataType type, PartialShape shape) {
  return {{"Toutput_types", TypeList{type}},
          {"output_shapes", ShapeList{std::move(shape)}}};
}

// Adds a node "op" that selects from two and from four numbers.
Case& Directed(CaseList& c, const char* name, Value selectors,
               AttrMap attrs = Numbers()) {
  return c.Sequence(name)
      .Node("selector", "TensorSliceDataset", {std::move(selectors)},
            SlicesOf(kInt64, PartialShape({})))
      .Node("few", "RangeDataset", {Count(0), Count(2), Count(1)}, Numbers())
      .Node("more", "RangeDataset", {Count(10), Count(14), Count(1)}, Numbers())
      .Node("op", c.op().name, {"selector", "few", "more"},
            With(std::move(attrs), "N", 2));
}

void DirectedCases(CaseList& c) {
  Elements(Directed(c, "past_the_end", Vec(kInt64, {0, 1, 1, 0, 0, 1, 0, 1})),
           "op", Numbers(), 6);
  Elements(Directed(c, "few_selectors", Vec(kInt64, {1, 0})), "op", Numbers(),
           2);
  Elements(Directed(c, "no_selectors", Empty(kInt64, {0})), "op", Numbers(), 0);
  WithIterator(Directed(c, "no_such_input", Vec(kInt64, {0, 2, -1, 1})), "op",
               Numbers())
      .Run({"next"})
      .RunError({"next"}, kInvalid, "Selector index out of range: 2 >= 2")
      .RunError({"next"}, kInvalid, "Selector index out of range: -1 >= 2")
      .Run({"next"})
      .RunError({"next"}, StatusCode::kOutOfRange, "End of sequence");
  NoDataset(c.Sequence("selectors_of_int32")
                .Node("selector", "TensorSliceDataset", {Vec({0, 1})},
                      SlicesOf(DataType::kInt32, PartialShape({})))
                .Node("few", "RangeDataset", {Count(0), Count(2), Count(1)},
                      Numbers())
                .Node("op", c.op().name, {"selector", "few"},
                      With(Numbers(), "N", 1)),
            "The selector input must be a dataset of scalar int64 elements.");
  NoDataset(
      WithRange(c, "types", 2)
          .Node("text", "TensorSliceDataset", {Str({"a"})},
                SlicesOf(DataType::kString, PartialShape({})))
          .Node("op", c.op().name, {"range", "range", "text"},
                With(Numbers(), "N", 2)),
      "All inputs must have the same output_dtypes. First input has types "
      "int64, and input 1 has types string");
}

}  // namespace

MR_CASES(DirectedInterleaveDataset)(CaseList& c) {
  DirectedCases(c);
  Elements(Directed(c, "stops", Vec(kInt64, {0, 1, 1, 0, 0, 1, 0, 1}),
                    With(Numbers(), "stop_on_empty_dataset", true)),
           "op", Numbers(), 4);
  WithRange(c, "cardinality", 2)
      .Node("forever", "RepeatDataset", {"range", Count(-1)}, Numbers())
      .Node("op", "DirectedInterleaveDataset", {"range", "range", "forever"},
            With(Numbers(), "N", 2))
      .Node("size", "DatasetCardinality", {"op"})
      .Run({"size"});
}
MR_CASES(ExperimentalDirectedInterleaveDataset)(CaseList& c) {
  DirectedCases(c);
}

}  // namespace millrace::cases
