#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// TensorDataset and TensorSliceDataset use another name for their types.
AttrMap Components(TypeList types, ShapeList shapes) {
  return {{"Toutput_types", std::move(types)},
          {"output_shapes", std::move(shapes)}};
}

}  // namespace

MR_CASES(TensorDataset)(CaseList& c) {
  const TypeList types{kFloat, kString, kInt32};
  const ShapeList shapes{PartialShape({2, 3}), PartialShape({}),
                         PartialShape({0})};
  Elements(c.Sequence("tuple").Node(
               "op", "TensorDataset",
               {F32({2, 3}), StrScalar("text"), Empty(kInt32, {0})},
               Components(types, shapes)),
           "op", ElementsOf(types, shapes), 1);
  NoDataset(c.Sequence("other_shape")
                .Node("op", "TensorDataset", {F32({2, 3})},
                      Components({kFloat}, {PartialShape({3})})),
            "Incompatible shapes")
      .NoStock("stock looks at the shapes in debug builds only");
}

MR_CASES(TensorSliceDataset)(CaseList& c) {
  const TypeList types{kInt32, kString};
  const ShapeList shapes{PartialShape({2}), PartialShape({})};
  Elements(c.Sequence("pairs").Node("op", "TensorSliceDataset",
                                    {I32({3, 2}), Str({"a", "b", "c"})},
                                    Components(types, shapes)),
           "op", ElementsOf(types, shapes), 3);
  for (const DataType type :
       {DataType::kBool, DataType::kHalf, DataType::kBfloat16,
        DataType::kDouble, DataType::kComplex128, DataType::kUint8,
        DataType::kQint8}) {
    Elements(c.Sequence(absl::StrCat("of_", DataTypeName(type)))
                 .Node("op", "TensorSliceDataset", {Rand(type, {2, 3, 1})},
                       Components({type}, {PartialShape({3, 1})})),
             "op", ElementsOf({type}, {PartialShape({3, 1})}), 2);
  }
  Elements(c.Sequence("wide_rows")
               .Node("op", "TensorSliceDataset", {F32({2, 512})},
                     Components({kFloat}, {PartialShape({512})})),
           "op", ElementsOf({kFloat}, {PartialShape({512})}), 2);
  Elements(c.Sequence("empty").Node("op", "TensorSliceDataset",
                                    {Empty(kFloat, {0, 4})},
                                    Components({kFloat}, {PartialShape({4})})),
           "op", ElementsOf({kFloat}, {PartialShape({4})}), 0);
  NoDataset(c.Sequence("different_sizes")
                .Node("op", "TensorSliceDataset", {F32({3}), F32({2})},
                      Components({kFloat, kFloat},
                                 {PartialShape({}), PartialShape({})})),
            "All components must have the same size in the 0th dimension");
}

MR_CASES(RangeDataset)(CaseList& c) {
  auto range = [&](const char* name, double start, double stop, double step,
                   DataType type, int count) {
    const AttrMap elements = ElementsOf({type}, {PartialShape({})});
    Elements(c.Sequence(name).Node("op", "RangeDataset",
                                   {Count(start), Count(stop), Count(step)},
                                   elements),
             "op", elements, count);
  };
  range("up", 2, 12, 3, kInt64, 4);
  range("down", 5, -6, -4, kInt64, 3);
  range("none", 5, 5, 1, kInt64, 0);
  range("away", 5, 0, 1, kInt64, 0);
  range("int32", 0, 3, 1, kInt32, 3);
  range("float", -1, 2, 1, kFloat, 3);
  range("half", -1, 2, 1, DataType::kHalf, 3);
  range("uint8", 254, 258, 1, DataType::kUint8, 4);
  range("complex", -1, 2, 2, DataType::kComplex64, 2);
  NoDataset(
      c.Sequence("no_step").Node("op", "RangeDataset",
                                 {Count(0), Count(5), Count(0)}, Numbers()),
      "step must be a non-zero integer.");
}

}  // namespace millrace::cases
