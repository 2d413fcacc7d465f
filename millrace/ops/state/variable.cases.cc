#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap VariableAttrs(DataType t, TensorShape shape) {
  return {{"dtype", t}, {"shape", PartialShape(shape)}};
}

// Stock gives all handles without a shared name the same resource; clients
// always set one.
AttrMap HandleAttrs(DataType t, TensorShape shape, std::string name) {
  AttrMap attrs = VariableAttrs(t, std::move(shape));
  attrs.Set("shared_name", name + DataTypeName(t));
  return attrs;
}

// A variable of this op, given a value, read.
void MakesVariable(CaseList& c, DataType t) {
  if (t == DataType::kQint16) {  // has no Assign, in stock neither
    c.Sequence("empty")
        .Node("op", c.op().name, {}, VariableAttrs(t, {2}))
        .Node("is", "IsVariableInitialized", {"op"})
        .Run({"is"});
    return;
  }
  c.Sequence("value")
      .Node("op", c.op().name, {}, VariableAttrs(t, {2, 3}))
      .Node("init", "Assign", {"op", Rand(t, {2, 3})})
      .Run({"init"});
  c.Sequence("life")
      .Node("op", c.op().name, {}, VariableAttrs(t, {2, 3}))
      .Node("init", "Assign", {"op", Rand(t, {2, 3})})
      .Node("read", "Identity", {"op"})
      .RunError({"read"}, StatusCode::kFailedPrecondition,
                "Attempting to use uninitialized value")
      .Run({"init"})
      .Run({"read"});
}

enum class Validate { kNo, kYes };

// The first value has the declared shape, unless validate_shape is false.
void ChecksFirstValue(CaseList& c) {
  const auto first = [&](const char* name, PartialShape declared,
                         Validate validate) -> Case& {
    return c.Sequence(name)
        .Node("op", c.op().name, {},
              {{"dtype", kFloat}, {"shape", std::move(declared)}})
        .Node("init", "Assign", {"op", F32({3, 2})},
              {{"validate_shape", validate == Validate::kYes}})
        .Node("read", "Identity", {"op"});
  };
  const char* const words =
      "Assign requires shapes of both tensors to match. lhs shape= [2,3] rhs "
      "shape= [3,2]";
  first("another first shape", PartialShape({2, 3}), Validate::kYes)
      .RunError({"init"}, StatusCode::kInvalidArgument, words);
  // The shape function uses the declared shape, as stock's does.
  first("any first shape", PartialShape({2, 3}), Validate::kNo)
      .Run({"init"})
      .Run({"read"})
      .NoShapeCheck();
  first("unknown first shape", PartialShape(), Validate::kNo)
      .Run({"init"})
      .Run({"read"});
}

}  // namespace

MR_CASES(VariableV2)(CaseList& c) {
  c.EachType("dtype", MakesVariable);
  ChecksFirstValue(c);
  for (const char* container : {"a.b/c-1", "under_score", "/first"}) {
    AttrMap attrs = VariableAttrs(kFloat, {2});
    attrs.Set("container", container);
    Case& one = c.Sequence(absl::StrCat("container ", container))
                    .Node("op", "VariableV2", {}, attrs)
                    .Node("init", "Assign", {"op", F32({2})});
    if (container[0] == 'a') {
      one.Run({"init"});
    } else {
      one.RunError({"init"}, StatusCode::kInvalidArgument,
                   "container contains invalid characters");
    }
  }
}
MR_CASES(Variable)(CaseList& c) { c.EachType("dtype", MakesVariable); }

MR_CASES(VarHandleOp)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    // Types for which AssignVariableOp has no kernel, nor has stock's.
    if (t == DataType::kQint16 || t == DataType::kQuint16) {
      c.Sequence("empty")
          .Node("op", "VarHandleOp", {}, HandleAttrs(t, {2}, "empty"))
          .Node("is", "VarIsInitializedOp", {"op"})
          .Run({"is"});
      return;
    }
    c.Sequence("life")
        .Node("op", "VarHandleOp", {}, HandleAttrs(t, {2}, "life"))
        .Node("init", "AssignVariableOp", {"op", Rand(t, {2})})
        .Node("read", "ReadVariableOp", {"op"}, {{"dtype", t}})
        .Run({"init"})
        .Run({"read"});
  });
}

MR_CASES(VarIsInitializedOp)(CaseList& c) {
  c.Ok({Var(F32({2}))});
  c.Ok({Uninitialized(kFloat, {2})});
}
MR_CASES(IsVariableInitialized)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (t != DataType::kQint16) c.Ok({Var(Rand(t, {2}))});
    c.Ok({Uninitialized(t, {2})});
  });
}

MR_CASES(VariableShape)(CaseList& c) {
  c.EachType("out_type", [](CaseList& c, DataType t) {
    c.Ok({Var(F32({2, 0, 3}))}, {{"out_type", t}});
  });
}

MR_CASES(DestroyResourceOp)(CaseList& c) {
  c.Sequence("destroyed")
      .Node("h", "VarHandleOp", {}, HandleAttrs(kFloat, {2}, "destroyed"))
      .Node("init", "AssignVariableOp", {"h", F32({2})})
      .Node("is", "VarIsInitializedOp", {"h"})
      .Node("op", "DestroyResourceOp", {"h"})
      .Run({"init"})
      .Run({"is"})
      .Run({"op"})
      .Run({"is"});
}

MR_CASES(DisableCopyOnRead)(CaseList& c) { c.Ok({Var(F32({2}))}); }

}  // namespace millrace::cases
