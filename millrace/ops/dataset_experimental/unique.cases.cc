#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// The unique ones among `values`, of which there are `count`.
void Unique(CaseList& c, const char* name, Value values, DataType type,
            PartialShape shape, int count) {
  const AttrMap slices = {{"Toutput_types", TypeList{type}},
                          {"output_shapes", ShapeList{shape}}};
  const AttrMap elements = ElementsOf({type}, {shape});
  Elements(c.Sequence(name)
               .Node("all", "TensorSliceDataset", {std::move(values)}, slices)
               .Node("op", c.op().name, {"all"}, elements),
           "op", elements, count);
}

void UniqueCases(CaseList& c) {
  Unique(c, "int64", Vec(kInt64, {1, 2, 1, -3, 2}), kInt64, PartialShape({}),
         3);
  Unique(c, "int32", Vec({7, 7, 7}), DataType::kInt32, PartialShape({}), 1);
  Unique(c, "strings", Str({"a", "", "b", "a", ""}), DataType::kString,
         PartialShape({}), 3);
  Unique(c, "vectors", Of(kInt64, {3, 2}, {1, 2, 2, 1, 1, 2}), kInt64,
         PartialShape({2}), 2);
  Unique(c, "none", Empty(kInt64, {0}), kInt64, PartialShape({}), 0);
  const AttrMap floats = ElementsOf({DataType::kFloat}, {PartialShape({})});
  NoDataset(c.Sequence("of_floats")
                .Node("all", "TensorSliceDataset", {F32({3})},
                      {{"Toutput_types", TypeList{DataType::kFloat}},
                       {"output_shapes", ShapeList{PartialShape({})}}})
                .Node("op", c.op().name, {"all"}, floats),
            "UniqueDataset only supports inputs with a single `tf.int32`, "
            "`tf.int64`, or `tf.string` component.");
  const AttrMap pairs =
      ElementsOf({kInt64, kInt64}, {PartialShape({}), PartialShape({})});
  NoDataset(
      WithRange(c, "of_pairs", 3)
          .Node("pairs", "ZipDataset", {"range", "range"}, With(pairs, "N", 2))
          .Node("op", c.op().name, {"pairs"}, pairs),
      "UniqueDataset only supports inputs with a single component.");
}

}  // namespace

MR_CASES(UniqueDataset)(CaseList& c) { UniqueCases(c); }
MR_CASES(ExperimentalUniqueDataset)(CaseList& c) { UniqueCases(c); }

}  // namespace millrace::cases
