#include "tests/cases/case.h"

namespace millrace::cases {
namespace {}  // namespace

MR_CASES(RandomGamma)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const DataType i : kIndexTypes) {
      c.Ok({Vec(i, {3, 5}), Of(t, {2, 2}, {0.25, 1, 3.5, 100})},
           {{"seed", 7}, {"seed2", 1}});
    }
    c.Ok({Vec({200}), Of(t, {3}, {0.5, 1, 2})}, {{"seed", 3}});
    c.Sequence("goes_on")
        .Node("op", "RandomGamma", {Vec({5}), Of(t, {}, {2})}, {{"seed", 9}})
        .Run({"op"})
        .Run({"op"});
  });
  c.Ok({Vec({0}), F32({2})}, {{"seed", 7}});
  c.Ok({Empty(DataType::kInt32, {0}), Of(kFloat, {2}, {1, 2})}, {{"seed", 7}});
  c.Ok({Vec({2}), Of(kFloat, {2}, {1, 2})}).Random();
  c.Error({Vec({-2}), F32({2})}, {{"seed", 7}}, kInvalid, "").NoShapeCheck();
}

MR_CASES(RandomGammaGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double slack = t == kFloat ? 1e-4 : 1e-8;
    c.Ok({Rand(t, {50}, 0.01, 3), Rand(t, {50}, 0.001, 4)}).Tolerance(slack);
    // Stock's floats underflow where numbers are far from alpha.
    if (t == kFloat) {
      c.Ok({Rand(t, {20}, 10, 30), Rand(t, {20}, 10, 30)}).Tolerance(slack);
    } else {
      c.Ok({Rand(t, {20}, 3, 60), Rand(t, {20}, 3, 70)}).Tolerance(slack);
    }
    c.Ok({Rand(t, {3, 1}, 1, 5), Rand(t, {4}, 1, 5)}).Tolerance(slack);
    c.Ok({Of(t, {4}, {1, 2, -1, 0}), Of(t, {4}, {0, -1, 2, 2})});
  });
  c.Ok({Empty(kFloat, {0}), Empty(kFloat, {0})});
  c.Error({F32({2}), F32({3})}, kInvalid, "").NoShapeCheck();
}

}  // namespace millrace::cases
