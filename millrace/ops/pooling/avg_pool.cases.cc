#include "millrace/ops/pooling/pool_windows.cases.h"

namespace millrace::cases {

MR_CASES(AvgPool)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 5, 7, 3})}, Same());
    c.Ok({Rand(t, {2, 5, 7, 17})}, Valid());
    c.Ok({Empty(t, {0, 5, 7, 3})}, Same());
  });
  c.Ok({F32({2, 5, 7, 43})}, Overlap());
  c.Ok({F64({1, 4, 5, 2})}, Overlap()).Gradient();
  c.Ok({F32({2, 3, 5, 7})}, First());
  c.Ok({F64({1, 2, 4, 5})}, First()).NoStock(kNhwcOnly).Gradient();
}
MR_CASES(AvgPoolGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 5, 7, 3}), Rand(t, {2, 3, 4, 3})}, Same());
  });
  c.Ok({Vec({1, 4, 5, 2}), F64({1, 4, 5, 2})}, Overlap()).Gradient({1});
  c.Ok({Vec({2, 5, 7, 43}), F32({2, 3, 4, 43})}, Same());
  c.Ok({Vec({1, 9, 8, 3}), F32({1, 3, 3, 3})},
       Pool({1, 2, 2, 1}, {1, 3, 3, 1}, "SAME"));
  c.Ok({Vec({2, 3, 5, 7}), F32({2, 3, 3, 4})}, First());
}
MR_CASES(AvgPool3D)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, Same3());
    c.Ok({Rand(t, {2, 3, 5, 7, 3})}, Valid3());
  });
  c.Ok({F32({2, 3, 4, 5, 7})}, First3());
  c.Ok({F32({1, 2, 3, 3, 2})}, Same3()).Gradient();
}
MR_CASES(AvgPool3DGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 3, 5, 7, 3}), Rand(t, {2, 3, 3, 4, 3})}, Same3());
  });
  c.Ok({Vec({2, 3, 3, 5, 7}), F32({2, 3, 3, 3, 4})}, First3());
}

}  // namespace millrace::cases
