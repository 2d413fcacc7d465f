#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Variables of one shape, then scalars and the gradient, by dtype.
void GradientDescent(CaseList& c, DataType t) {
  for (const TensorShape& s :
       {TensorShape{3, 5}, TensorShape{}, TensorShape{0, 2}, TensorShape{33}}) {
    c.Ok({Var(Rand(t, s)), Full(t, {}, 0.25), Rand(t, s)});
  }
}

void Momentum(CaseList& c, DataType t) {
  for (bool nesterov : {false, true}) {
    c.Ok({Var(Rand(t, {3, 7})), Var(Rand(t, {3, 7})), Full(t, {}, 0.25),
          Rand(t, {3, 7}), Full(t, {}, 0.5)},
         {{"use_nesterov", nesterov}});
  }
}

void Adam(CaseList& c, DataType t) {
  for (bool nesterov : {false, true}) {
    Case& one = c.Ok({Var(Rand(t, {3, 7})), Var(Rand(t, {3, 7})),
                      Var(Rand(t, {3, 7}, 0.5, 2)), Full(t, {}, 0.5),
                      Full(t, {}, 0.25), Full(t, {}, 0.25), Full(t, {}, 0.5),
                      Full(t, {}, 0.5), Full(t, {}, 0.125), Rand(t, {3, 7})},
                     {{"use_nesterov", nesterov}});
    // Stock rounds to the type after each operation, here once at the end.
    if (t == DataType::kBfloat16) one.Tolerance(4e-2);
    if (t == DataType::kHalf) one.Tolerance(5e-3);
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
MR_CASES(ApplyMomentum)(CaseList& c) { c.EachType("T", Momentum); }
MR_CASES(ResourceApplyMomentum)(CaseList& c) { c.EachType("T", Momentum); }
MR_CASES(ApplyAdam)(CaseList& c) { c.EachType("T", Adam); }
MR_CASES(ResourceApplyAdam)(CaseList& c) { c.EachType("T", Adam); }

}  // namespace millrace::cases
