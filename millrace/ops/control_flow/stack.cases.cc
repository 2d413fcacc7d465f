#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Stock's shape function treats the handle of StackV2, a scalar, as a vector of
// two like that of its reference form; therefore static shapes are not
// compared.

// Two pushes, then two pops, in this order.
void PushesAndPops(CaseList& c, DataType t) {
  const AttrMap pop = {{"elem_type", t}};
  c.Sequence("order")
      .NoShapeCheck()
      .Node("op", "StackV2", {Scalar(-1)}, pop)
      .Node("push1", "StackPushV2", {"op", Rand(t, {2})})
      .Node("push2", "StackPushV2", {"op", Rand(t, {})}, {}, {"push1"})
      .Node("pop1", "StackPopV2", {"op"}, pop, {"push2"})
      .Node("pop2", "StackPopV2", {"op"}, pop, {"pop1"})
      .Run({"push1", "push2", "pop1", "pop2"});
}

void Failures(CaseList& c) {
  const DataType t = DataType::kFloat;
  const AttrMap pop = {{"elem_type", t}};
  c.Sequence("empty")
      .NoShapeCheck()
      .Node("op", "StackV2", {Scalar(3)}, pop)
      .Node("pop", "StackPopV2", {"op"}, pop)
      .RunError({"pop"}, StatusCode::kInvalidArgument, "is empty when");
  c.Sequence("full")
      .NoShapeCheck()
      .Node("op", "StackV2", {Scalar(1)}, pop)
      .Node("push1", "StackPushV2", {"op", F32({2})})
      .Node("push2", "StackPushV2", {"op", F32({2})}, {}, {"push1"})
      .RunError({"push2"}, StatusCode::kInvalidArgument, "overflowed");
  c.Sequence("other_type")
      .NoShapeCheck()
      .Node("op", "StackV2", {Scalar(1)}, pop)
      .Node("push", "StackPushV2", {"op", I32({2})})
      .RunError({"push"}, StatusCode::kInvalidArgument, "Must have type");
}

}  // namespace

MR_CASES(StackV2)(CaseList& c) {
  c.Sequence("handle")
      .Deviates("stock's shape function says the handle is a vector")
      .Node("op", "StackV2", {Scalar(-1)}, {{"elem_type", DataType::kFloat}})
      .Run({"op"});
  PushesAndPops(c, DataType::kFloat);
  Failures(c);
}
MR_CASES(StackPushV2)(CaseList& c) { c.EachType("T", PushesAndPops); }
MR_CASES(StackPopV2)(CaseList& c) { c.EachType("elem_type", PushesAndPops); }
MR_CASES(StackCloseV2)(CaseList& c) {
  const AttrMap pop = {{"elem_type", DataType::kFloat}};
  c.Sequence("close")
      .NoShapeCheck()
      .Node("s", "StackV2", {Scalar(3)}, pop)
      .Node("push", "StackPushV2", {"s", F32({2})})
      .Node("op", "StackCloseV2", {"s"}, {}, {"push"})
      .Node("after", "Identity", {F32({1})}, {}, {"op"})
      .Run({"push", "after"});
}

}  // namespace millrace::cases
