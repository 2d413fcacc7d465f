#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kFloat = DataType::kFloat;

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
}

}  // namespace millrace::cases
