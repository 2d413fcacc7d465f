#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// `sloped`: whether exclusive scans have a slope that differences can find
// (not where they start from the lowest number).
void Scan(CaseList& c, double lo, double hi, bool sloped = true) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 5}, lo, hi), Scalar(1)});
    c.Ok({Rand(t, {4, 5}, lo, hi), Scalar(0)},
         {{"exclusive", true}, {"reverse", true}});
  });
  for (bool exclusive : {false, true}) {
    for (bool reverse : {false, true}) {
      const AttrMap attrs({{"exclusive", exclusive}, {"reverse", reverse}});
      auto& scan =
          c.Ok({Rand(DataType::kDouble, {2, 3, 4}, 1, 2), Scalar(-2)}, attrs);
      if (sloped || !exclusive) scan.Gradient({0});
    }
  }
  c.Ok({Rand(DataType::kFloat, {3, 20, 600}, lo, hi),
        Scalar(DataType::kInt64, 1)});
  c.Ok({Empty(DataType::kFloat, {2, 0}), Scalar(1)});
  c.Error({F32({2, 2}), Scalar(2)}, StatusCode::kInvalidArgument,
          "ScanOp: Expected scan axis in the range [-2, 2), but got 2");
  c.Error({F32({2, 2}), Vec({0})}, StatusCode::kInvalidArgument,
          "ScanOp: axis must be a scalar, not [1]");
  c.Error({F32({}), Scalar(0)}, StatusCode::kInvalidArgument,
          "ScanOp: Expected scan axis in the range [0, 0), but got 0");
}

// Adds lines that are cut, contiguous ones and some beside each other.
void LongLines(CaseList& c, DataType type, double lo, double hi) {
  for (bool exclusive : {false, true}) {
    for (bool reverse : {false, true}) {
      const AttrMap attrs({{"exclusive", exclusive}, {"reverse", reverse}});
      for (const TensorShape& shape :
           {TensorShape({2, 9000}), TensorShape({2, 700, 3}),
            TensorShape({1, 20000, 2})}) {
        Case& scan = c.Ok({Rand(type, shape, lo, hi), Scalar(1)}, attrs);
        if (type == DataType::kFloat) scan.Tolerance(1e-3);
      }
    }
  }
}

}  // namespace

MR_CASES(Cumsum)(CaseList& c) {
  Scan(c, -2, 2);
  LongLines(c, DataType::kInt64, -9, 9);
}
MR_CASES(Cumprod)(CaseList& c) {
  Scan(c, 0.9, 1.1);
  LongLines(c, DataType::kFloat, 0.999, 1.001);
}
MR_CASES(CumulativeLogsumexp)(CaseList& c) {
  Scan(c, -2, 2, /*sloped=*/false);
  LongLines(c, DataType::kFloat, -2, 2);
  c.Ok({Values<float>({-kInf, -kInf, 3, kInf, 1}), Scalar(0)});
}

}  // namespace millrace::cases
