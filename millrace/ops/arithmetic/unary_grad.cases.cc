#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// `zero_wins` says that a gradient of 0 stays 0 for any y.
void Grad(CaseList& c, bool zero_wins) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, 0.2, 0.9), Rand(t, {3, 7})});
    c.Ok({Rand(t, {1100}, 0.2, 0.9), Rand(t, {1100})});
  });
  const DataType f = DataType::kFloat;
  c.Ok({F32({}), F32({})});
  c.Ok({F32({2, 3}), F32({3, 2})});
  c.Ok({Mixed(f, {20}), F32({20})});
  if (zero_wins) c.Ok({Mixed(f, {20}), Full(f, {20}, 0)});
  c.Ok({Rand(DataType::kDouble, {2, 3}, 0.2, 0.9), F64({2, 3})}).Gradient();
  c.Error({F32({2, 3}), F32({2, 2})}, StatusCode::kInvalidArgument,
          "The two arguments to a cwise op must have same number of elements, "
          "got 6 and 4");
}

}  // namespace

MR_CASES(SigmoidGrad)(CaseList& c) { Grad(c, false); }
MR_CASES(TanhGrad)(CaseList& c) { Grad(c, false); }
MR_CASES(SqrtGrad)(CaseList& c) { Grad(c, true); }
MR_CASES(RsqrtGrad)(CaseList& c) { Grad(c, true); }
MR_CASES(ReciprocalGrad)(CaseList& c) { Grad(c, true); }
MR_CASES(InvGrad)(CaseList& c) { Grad(c, true); }

}  // namespace millrace::cases
