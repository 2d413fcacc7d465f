#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void GradientDescent(CaseList& c, DataType t) {
  for (const TensorShape& s :
       {TensorShape{3, 5}, TensorShape{}, TensorShape{0, 2}, TensorShape{33}}) {
    c.Ok({Var(Rand(t, s)), Full(t, {}, 0.25), Rand(t, s)});
  }
}

}  // namespace

MR_CASES(ApplyGradientDescent)(CaseList& c) {
  c.EachType("T", GradientDescent);
  c.Error({Var(F32({2})), F32({}), F32({3})}, StatusCode::kInvalidArgument,
          "var and delta do not have the same shape")
      .NoShapeCheck();
  c.Error({Uninitialized(DataType::kFloat, {2}), F32({}), F32({2})},
          StatusCode::kFailedPrecondition,
          "Attempting to use uninitialized value");
}
MR_CASES(ResourceApplyGradientDescent)(CaseList& c) {
  c.EachType("T", GradientDescent);
}

}  // namespace millrace::cases
