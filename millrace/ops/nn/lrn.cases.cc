#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(LRN)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4, 7})}).Tolerance(t == DataType::kHalf ? 1e-2 : 1e-4);
    c.Ok({Rand(t, {1, 3, 2, 17})}, {{"depth_radius", 2},
                                    {"bias", 0.5f},
                                    {"alpha", 0.3f},
                                    {"beta", 0.75f}})
        .Tolerance(t == DataType::kHalf ? 1e-2 : 1e-4);
  });
  for (const float beta : {0.5f, 1.0f, 2.0f}) {
    c.Ok({Rand(kFloat, {1, 2, 3, 70})},
         {{"depth_radius", 3}, {"bias", 2.0f}, {"alpha", 0.1f}, {"beta", beta}})
        .Tolerance(1e-4);
  }
  // Norms that are not positive, and windows wider than a row.
  c.Ok({Rand(kFloat, {1, 1, 2, 9})},
       {{"depth_radius", 20}, {"bias", -3.0f}, {"beta", 1.0f}})
      .Tolerance(1e-4);
  c.Error({F32({1, 2, 2, 5})}, {{"depth_radius", int64_t{1} << 31}},
          StatusCode::kInvalidArgument, "depth_radius = 2147483648");
  c.Ok({F32({1, 2, 2, 5})}, {{"depth_radius", 1}})
      .Tolerance(1e-4)
      .Gradient()
      .GradientTolerance(2e-2);
}
MR_CASES(LRNGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 4, 7}), Rand(t, {2, 3, 4, 7}), Rand(t, {2, 3, 4, 7})},
         {{"depth_radius", 2}})
        .Tolerance(t == DataType::kHalf ? 3e-2 : 1e-4);
  });
  c.Ok({Rand(kFloat, {1, 2, 3, 70}), Rand(kFloat, {1, 2, 3, 70}),
        Rand(kFloat, {1, 2, 3, 70})})
      .Tolerance(1e-4);
}

}  // namespace millrace::cases
