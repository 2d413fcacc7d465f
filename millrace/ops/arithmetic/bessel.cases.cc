#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void BesselCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {70}, -9, 9)});
    c.Ok({Rand(t, {3, 0}, -9, 9)});
    c.Ok({Scalar(t, 0.5)});
    c.Ok({Vec(t, {-300, -20, -8, -1, -1e-5, 0, 1e-5, 2, 7.9, 8, 8.1, 19.9, 20,
                  20.1, 700, 2000})});
    c.Ok({Vec(t, {INFINITY, -INFINITY, std::nan("")})});
  });
  c.Ok({Rand(kDouble, {2000}, -60, 60)});
  c.Ok({Vec(DataType::kFloat, {-1e30, 1e38, 1e-30, -1e-30})});
  c.Ok({Vec(kDouble, {-1e300, 1e308, 1e-300, -1e-300})});
  c.Ok({Rand(kDouble, {9}, -9, 9)}).Gradient();
  c.Ok({Vec(kDouble, {-30, -3, 0.5, 12, 25})}).Gradient();
}

}  // namespace

MR_CASES(BesselI0e)(CaseList& c) { BesselCases(c); }
MR_CASES(BesselI1e)(CaseList& c) {
  BesselCases(c);
  c.Ok({Vec(kDouble, {0})}).Gradient();
}

}  // namespace millrace::cases
