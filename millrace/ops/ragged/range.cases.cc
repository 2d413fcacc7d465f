#include <cmath>

#include "millrace/ops/ragged/ragged.cases.h"

namespace millrace::cases {
namespace {

using namespace ragged;

AttrMap SplitsOf(DataType t) { return {{"Tsplits", t}}; }

}  // namespace

MR_CASES(RaggedRange)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const DataType splits : {DataType::kInt32, kI}) {
      c.Ok({Vec(t, {0, 5, 1}), Vec(t, {3, 1, 1}), Vec(t, {1, -2, 4})},
           SplitsOf(splits));
    }
    c.Ok({Scalar(t, 0), Scalar(t, 5), Scalar(t, 2)});
    c.Ok({Vec(t, {1, 2}), Scalar(t, 5), Scalar(t, 1)});
    c.Ok({Scalar(t, 9), Vec(t, {1, 2, 30}), Scalar(t, -3)});
    c.Ok({Empty(t, {0}), Empty(t, {0}), Empty(t, {0})});
    c.Ok({Empty(t, {0}), Scalar(t, 1), Scalar(t, 1)});
    c.Ok({Rand(t, {300}, 0, 9), Rand(t, {300}, 9, 400), Scalar(t, 1)});
    c.Error({Vec(t, {1, 2}), Vec(t, {3, 4}), Scalar(t, 0)}, kInvalid,
            "Requires delta != 0");
    c.Error({Vec(t, {1, 2}), Vec(t, {3, 4, 5}), Scalar(t, 1)}, kInvalid,
            "starts, limits, and deltas must have the same shape");
    c.Error({Of(t, {1, 1}, {1}), Scalar(t, 3), Scalar(t, 1)}, kInvalid,
            "starts must be a scalar or vector");
  });
  c.Ok({Vec(kFloat, {0, 1}), Vec(kFloat, {1, 0}), Vec(kFloat, {0.3, -0.25})});
  constexpr DataType k32 = DataType::kInt32;
  c.Ok({Vec({0}), Vec({2147483647}), Vec({1073741824})});
  c.Ok({Vec({-2147483648.0}), Vec({2147483647}), Vec({2147483647})});
  c.Error({Vec(kI, {0}), Vec(kI, {1e10}), Vec(kI, {1})}, SplitsOf(k32),
          kInvalid, "Requires ((limit - start) / delta) <= 2147483647");
  for (const double limit : {std::nan(""), HUGE_VAL}) {
    c.Error({Vec(kFloat, {0}), Vec(kFloat, {limit}), Vec(kFloat, {0.3})},
            kInvalid,
            "Requires ((limit - start) / delta) <= 9223372036854775807");
  }
  c.Error({Vec(kDouble, {0}), Vec(kDouble, {1e30}), Vec(kDouble, {1e-30})},
          kInvalid,
          "Requires ((limit - start) / delta) <= 9223372036854775807");
  c.BuildError({Vec({1, 2}), Vec({3}), Vec({1, 1})}, {},
               "Dimensions must be equal, but are 1 and 2");
  c.BuildError({Of(k32, {1, 1}, {1}), Scalar(3), Scalar(1)}, {},
               "Shape must be at most rank 1 but is rank 2");
}

}  // namespace millrace::cases
