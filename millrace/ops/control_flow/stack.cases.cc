#include "absl/strings/match.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Both generations have the same cases. Stock's shape function treats the
// handle of StackV2, a scalar, as a vector of two like that of its reference
// form; therefore static shapes are compared in the latter alone.
bool IsSecond(const CaseList& c) { return absl::EndsWith(c.op().name, "V2"); }

std::string StackOp(const CaseList& c, const char* name) {
  return std::string(name) + (IsSecond(c) ? "V2" : "");
}

// A stack "s".
Case& AStack(CaseList& c, const char* name, DataType t) {
  std::vector<Value> bound;
  if (IsSecond(c)) bound.push_back(Scalar(-1));
  Case& stack = c.Sequence(name).Node("s", StackOp(c, "Stack"),
                                      std::move(bound), {{"elem_type", t}});
  return IsSecond(c) ? stack.NoShapeCheck() : stack;
}

// Two pushes, then two pops, in this order.
void PushesAndPops(CaseList& c, DataType t) {
  const AttrMap pop = {{"elem_type", t}};
  AStack(c, "order", t)
      .Node("push1", StackOp(c, "StackPush"), {"s", Rand(t, {2})})
      .Node("push2", StackOp(c, "StackPush"), {"s", Rand(t, {})}, {}, {"push1"})
      .Node("pop1", StackOp(c, "StackPop"), {"s"}, pop, {"push2"})
      .Node("pop2", StackOp(c, "StackPop"), {"s"}, pop, {"pop1"})
      .Run({"push1", "push2", "pop1", "pop2"});
}

void Failures(CaseList& c) {
  const DataType t = DataType::kFloat;
  const AttrMap pop = {{"elem_type", t}};
  AStack(c, "empty", t)
      .Node("pop", StackOp(c, "StackPop"), {"s"}, pop)
      .RunError({"pop"}, StatusCode::kInvalidArgument, "is empty when");
  AStack(c, "other_type", t)
      .Node("push", StackOp(c, "StackPush"), {"s", I32({2})})
      .RunError({"push"}, StatusCode::kInvalidArgument, "Must have type");
  AStack(c, "closed", t)
      .Node("close", StackOp(c, "StackClose"), {"s"})
      .Node("pop", StackOp(c, "StackPop"), {"s"}, pop, {"close"})
      .RunError({"pop"}, StatusCode::kInvalidArgument, "already been closed.");
  AStack(c, "closed_for_pushes", t)
      .Node("close", StackOp(c, "StackClose"), {"s"})
      .Node("push", StackOp(c, "StackPush"), {"s", F32({2})}, {}, {"close"})
      .RunError({"push"}, StatusCode::kInvalidArgument, "already been closed.");
  if (!IsSecond(c)) return;
  c.Sequence("full")
      .NoShapeCheck()
      .Node("op", "StackV2", {Scalar(1)}, pop)
      .Node("push1", "StackPushV2", {"op", F32({2})})
      .Node("push2", "StackPushV2", {"op", F32({2})}, {}, {"push1"})
      .RunError({"push2"}, StatusCode::kInvalidArgument, "overflowed");
}

// Handles of stacks of one name name different stacks.
void TwoOfAName(CaseList& c) {
  const AttrMap same = {{"elem_type", DataType::kFloat},
                        {"stack_name", "same"}};
  c.Sequence("two_of_a_name")
      .Node("s", "Stack", {}, same)
      .Node("t", "Stack", {}, same)
      .Node("push", "StackPush", {"s", F32({2})})
      .Node("pop", "StackPop", {"t"}, {{"elem_type", DataType::kFloat}},
            {"push"})
      .RunError({"pop"}, StatusCode::kInvalidArgument, "is empty when");
}

// References to strings that name no stack.
void ForeignReferences(CaseList& c) {
  const AttrMap pop = {{"elem_type", DataType::kFloat}};
  const auto refers_to = [&](const char* name, Value strings) -> Case& {
    return c.Sequence(name).Node("pop", "StackPop", {Var(std::move(strings))},
                                 pop);
  };
  refers_to("unknown", Str({"_stacks", "x"}))
      .RunError({"pop"}, StatusCode::kNotFound, "does not exist.");
  refers_to("three", Str({"a", "b", "c"}))
      .RunError({"pop"}, StatusCode::kInvalidArgument,
                "Stack handle must have two elements, but had shape: [3]");
  c.Sequence("uninitialized")
      .Node("pop", "StackPop", {Uninitialized(DataType::kString, {2})}, pop)
      .RunError({"pop"}, StatusCode::kFailedPrecondition,
                "Attempting to use uninitialized value");
}

void ClosesStack(CaseList& c) {
  AStack(c, "close", DataType::kFloat)
      .Node("push", StackOp(c, "StackPush"), {"s", F32({2})})
      .Node("op", StackOp(c, "StackClose"), {"s"}, {}, {"push"})
      .Node("after", "Identity", {F32({1})}, {}, {"op"})
      .Run({"push", "after"});
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
MR_CASES(Stack)(CaseList& c) {
  c.Sequence("handle")
      .Random()
      .Node("op", "Stack", {}, {{"elem_type", DataType::kFloat}})
      .Run({"op"});
  PushesAndPops(c, DataType::kFloat);
  Failures(c);
  TwoOfAName(c);
}
MR_CASES(StackPushV2)(CaseList& c) { c.EachType("T", PushesAndPops); }
MR_CASES(StackPush)(CaseList& c) { c.EachType("T", PushesAndPops); }
MR_CASES(StackPopV2)(CaseList& c) { c.EachType("elem_type", PushesAndPops); }
MR_CASES(StackPop)(CaseList& c) {
  c.EachType("elem_type", PushesAndPops);
  ForeignReferences(c);
}
MR_CASES(StackCloseV2)(CaseList& c) { ClosesStack(c); }
MR_CASES(StackClose)(CaseList& c) {
  ClosesStack(c);
  c.BuildError({Var(Str({"a", "b", "c"}))}, {}, "Dimension must be 2 but is 3");
}

}  // namespace millrace::cases
