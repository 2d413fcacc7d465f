#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Assigns(CaseList& c, DataType t) {
  c.Ok({Var(Rand(t, {2, 3})), Rand(t, {2, 3})});
  c.Ok({Uninitialized(t, {2, 3}), Rand(t, {2, 3})});
}

void Updates(CaseList& c, DataType t) {
  c.Ok({Var(Rand(t, {2, 19})), Rand(t, {2, 19})});
  c.Ok({Var(Rand(t, {})), Rand(t, {})});
}

}  // namespace

MR_CASES(Assign)(CaseList& c) {
  c.EachType("T", Assigns);
  c.Ok({Var(F32({2})), F32({3, 1})}, {{"validate_shape", false}});
  c.Error({Var(F32({2})), F32({3})}, StatusCode::kInvalidArgument,
          "Assign requires shapes of both tensors to match. lhs shape= [2] rhs "
          "shape= [3]")
      .NoShapeCheck();
}

MR_CASES(AssignAdd)(CaseList& c) {
  c.EachType("T", Updates);
  c.Error({Uninitialized(kFloat, {2}), F32({2})},
          StatusCode::kFailedPrecondition,
          "Attempting to use uninitialized value");
}

MR_CASES(AssignSub)(CaseList& c) { c.EachType("T", Updates); }

MR_CASES(AssignAddVariableOp)(CaseList& c) { c.EachType("dtype", Updates); }

MR_CASES(AssignSubVariableOp)(CaseList& c) { c.EachType("dtype", Updates); }

MR_CASES(AssignVariableOp)(CaseList& c) {
  c.EachType("dtype", Assigns);
  c.Ok({Var(F32({2})), F32({2})}, {{"validate_shape", true}});
  c.Ok({Uninitialized(DataType::kFloat, {2}), F32({2})},
       {{"validate_shape", true}});
  // What the variable was declared with does not count, but its value does.
  for (const PartialShape& declared :
       {PartialShape(), PartialShape({kUnknownDim}), PartialShape({2})}) {
    const AttrMap validated = {{"validate_shape", true}};
    c.Sequence("of another shape")
        .NoShapeCheck()
        .Node("v", "VarHandleOp", {},
              {{"dtype", DataType::kFloat},
               {"shape", declared},
               {"shared_name", "shaped " + declared.DebugString()}})
        .Node("first", "AssignVariableOp", {"v", F32({2})})
        .Node("other", "AssignVariableOp", {"v", F32({1, 2})})
        .Node("same", "AssignVariableOp", {"v", F32({1, 2})}, validated)
        .Node("wrong", "AssignVariableOp", {"v", F32({3})}, validated)
        .Node("read", "ReadVariableOp", {"v"}, {{"dtype", DataType::kFloat}})
        .Run({"first"})
        .Run({"other"})
        .Run({"same"})
        .RunError({"wrong"}, StatusCode::kInvalidArgument,
                  "Trying to assign to variable with tensor with wrong shape. "
                  "Expected [1,2] got [3]")
        .Run({"read"});
  }
}

}  // namespace millrace::cases
