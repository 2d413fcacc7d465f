#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The attributes of outputs that are a float and an int32.
AttrMap Outputs(ShapeList shapes) {
  return {{"output_types", TypeList{DataType::kFloat, DataType::kInt32}},
          {"output_shapes", std::move(shapes)}};
}

Case& Pair(CaseList& c, const char* name) {
  return c.Sequence(name).Node("op", "OptionalFromValue",
                               {F32({2, 3}), I32({})});
}

}  // namespace

MR_CASES(OptionalFromValue)(CaseList& c) {
  Pair(c, "pair")
      .Node("has", "OptionalHasValue", {"op"})
      .Node("get", "OptionalGetValue", {"op"},
            Outputs({PartialShape({-1, 3}), PartialShape()}))
      .Run({"has", "get"});
  Pair(c, "sum")
      .Node("other", "OptionalFromValue", {F32({2, 3}), I32({})})
      .Node("sum", "AddN", {"op", "other"})
      .Node("zeros", "ZerosLike", {"op"})
      .Node("s", "OptionalGetValue", {"sum"},
            Outputs({PartialShape(), PartialShape()}))
      .Node("z", "OptionalGetValue", {"zeros"},
            Outputs({PartialShape(), PartialShape()}))
      .Run({"s", "z"});
  Pair(c, "sum_with_nothing")
      .Node("none", "OptionalNone", {})
      .Node("sum", "AddN", {"op", "none"})
      .Node("has", "OptionalHasValue", {"sum"})
      .RunError({"has"}, kInvalid,
                "Cannot add optionals because one has a value and the other "
                "doesn't.");
}
MR_CASES(OptionalNone)(CaseList& c) {
  c.Sequence("none")
      .Node("op", "OptionalNone", {})
      .Node("zeros", "ZerosLike", {"op"})
      .Node("has", "OptionalHasValue", {"op"})
      .Node("zeros_has", "OptionalHasValue", {"zeros"})
      .Run({"has", "zeros_has"});
}
MR_CASES(OptionalHasValue)(CaseList& c) {
  Pair(c, "pair").Node("has", "OptionalHasValue", {"op"}).Run({"has"});
  c.Sequence("no_optional")
      .Node("list", "TensorListReserve", {Vec({2}), Scalar(1)},
            {{"element_dtype", DataType::kFloat}})
      .Node("has", "OptionalHasValue", {"list"})
      .RunError({"has"}, kInvalid,
                "Input to OptionalHasValue must be an OptionalVariant object.");
}
MR_CASES(OptionalGetValue)(CaseList& c) {
  Pair(c, "pair")
      .Node("get", "OptionalGetValue", {"op"},
            Outputs({PartialShape({2, 3}), PartialShape({})}))
      .Run({"get"});
  c.Sequence("none")
      .Node("op", "OptionalNone", {})
      .Node("get", "OptionalGetValue", {"op"},
            Outputs({PartialShape(), PartialShape()}))
      .RunError({"get"}, kInvalid, "The given optional does not have a value.");
  Pair(c, "other_shape")
      .Node("get", "OptionalGetValue", {"op"},
            Outputs({PartialShape({3, -1}), PartialShape()}))
      .RunError({"get"}, kInvalid,
                "The given optional does not match the expected shape for "
                "component 0. Expected: [3,?]. Actual: [2,3].");
  Pair(c, "other_type")
      .Node("get", "OptionalGetValue", {"op"},
            {{"output_types", TypeList{DataType::kFloat, DataType::kFloat}},
             {"output_shapes", ShapeList{PartialShape(), PartialShape()}}})
      .RunError({"get"}, kInvalid,
                "The given optional does not match the expected type for "
                "component 1. Expected: float. Actual: int32.");
  Pair(c, "count")
      .Node("get", "OptionalGetValue", {"op"},
            {{"output_types", TypeList{DataType::kFloat}},
             {"output_shapes", ShapeList{PartialShape()}}})
      .RunError({"get"}, kInvalid,
                "The given optional has 2 components, expected 1");
}

}  // namespace millrace::cases
