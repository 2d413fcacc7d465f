#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Stock's series end earlier than ours.
constexpr double kDoubleTolerance = 1e-10;

void SpecialBinary(CaseList& c, double x_lo, double x_hi, double y_lo,
                   double y_hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    const double tolerance = t == kDouble ? kDoubleTolerance : 2e-5;
    c.Ok({Rand(t, {3, 70}, x_lo, x_hi), Rand(t, {3, 70}, y_lo, y_hi)})
        .Tolerance(tolerance);
    c.Ok({Rand(t, {3, 1}, x_lo, x_hi), Rand(t, {7}, y_lo, y_hi)})
        .Tolerance(tolerance);
    c.Ok({Rand(t, {}, x_lo, x_hi), Rand(t, {7}, y_lo, y_hi)})
        .Tolerance(tolerance);
  });
  c.Error({F64({3}), F64({2})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [3] vs. [2]");
}

void Slopes(CaseList& c, std::vector<int> inputs = {}) {
  c.Ok({Rand(kDouble, {3, 1}, 1.5, 5), Rand(kDouble, {4}, 0.5, 6)})
      .Tolerance(kDoubleTolerance)
      .Gradient(inputs);
}

}  // namespace

MR_CASES(Igamma)(CaseList& c) {
  SpecialBinary(c, 0.1, 9, 0.1, 20);
  Slopes(c);
  c.Ok({Values<double>({0, 1, -1, 1, 1, kInf, 0, 0}),
        Values<double>({1, 0, 1, -1, kInf, 1, 0, kInf})});
  c.Ok({Rand(kDouble, {20}, 50, 200), Rand(kDouble, {20}, 50, 200)})
      .Tolerance(kDoubleTolerance);
}
MR_CASES(Igammac)(CaseList& c) {
  SpecialBinary(c, 0.1, 9, 0.1, 20);
  Slopes(c);
  c.Ok({Values<double>({0, 1, -1, 1, 1, kInf, 0, 0}),
        Values<double>({1, 0, 1, -1, kInf, 1, 0, kInf})});
}
MR_CASES(IgammaGradA)(CaseList& c) {
  SpecialBinary(c, 0.1, 9, 0.1, 20);
  c.Ok({Values<double>({0, 1, -1, 1, 1, 0, 3, kNan, 1}),
        Values<double>({1, 0, 1, -1, 1, 0, 1e-300, 1, kNan})});
  c.Ok({Rand(kDouble, {20}, 50, 200), Rand(kDouble, {20}, 50, 200)})
      .Tolerance(kDoubleTolerance);
}
MR_CASES(Zeta)(CaseList& c) {
  SpecialBinary(c, 1.1, 9, 0.1, 20);
  Slopes(c, {1});
  c.Ok({Values<double>({1, .5, 2, 2, 2, 3, 2.5, 3, 2, 1}),
        Values<double>({1, 1, 1, 0, -1, -1, -1.5, -1.5, 1e9, -1})})
      .Tolerance(kDoubleTolerance);
  c.Ok({Values<double>({2, 3, 4, 2, 3, 2, 5, 3}),
        Values<double>({-999.75, -999.75, -999.75, -1000.25, -1000.25, -2000.5,
                        -2000.75, -3000.5})})
      .Tolerance(kDoubleTolerance);
  c.Ok({Values<double>({2, 3, 4, 3, kInf}),
        Values<double>({-1e12 + 0.5, -1e9 + 0.25, -1e15 + 0.5, -kInf, -1e9})})
      .Tolerance(kDoubleTolerance)
      .NoStock("stock adds up a term for each whole number up to 0");
}
MR_CASES(Polygamma)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = t == kDouble ? kDoubleTolerance : 2e-5;
    c.Ok({Vec(t, {0, 1, 2, 3, 4, 5}), Rand(t, {6}, 0.5, 9)})
        .Tolerance(tolerance);
    c.Ok({Scalar(t, 1), Rand(t, {60}, 0.5, 9)}).Tolerance(tolerance);
  });
  c.Ok({Values<double>({0, 1, 2, .5, -1, 1, 1, 3}),
        Values<double>({1, 1, 2.5, 1, 1, 0, -1, -1.5})})
      .Tolerance(kDoubleTolerance);
  c.Ok({Values<double>({1, 2, 3}),
        Values<double>({-1e12 + 0.5, -1e9 + 0.25, -1e15 + 0.5})})
      .Tolerance(kDoubleTolerance)
      .NoStock("stock adds up a term for each whole number up to 0");
  c.Ok({Of(kDouble, {3, 1}, {0, 1, 4}), Rand(kDouble, {4}, 0.5, 9)})
      .Tolerance(kDoubleTolerance)
      .Gradient({1});
}
MR_CASES(Betainc)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = t == kDouble ? kDoubleTolerance : 2e-5;
    c.Ok({Rand(t, {3, 70}, 0.1, 9), Rand(t, {3, 70}, 0.1, 9),
          Rand(t, {3, 70}, 0, 1)})
        .Tolerance(tolerance);
    c.Ok({Rand(t, {}, 0.1, 9), Rand(t, {7}, 0.1, 9), Rand(t, {}, 0, 1)})
        .Tolerance(tolerance);
    c.Ok({Rand(t, {}, 0.1, 9), Rand(t, {}, 0.1, 9), Rand(t, {}, 0, 1)})
        .Tolerance(tolerance);
  });
  c.Ok({Values<double>({1, 1, 1, 0, -1, 2, 2}),
        Values<double>({1, 1, 1, 1, 1, 0, kInf}),
        Values<double>({0, 1, 1.5, .5, .5, .5, .5})});
  for (const bool scalar : {false, true}) {
    const TensorShape one = scalar ? TensorShape() : TensorShape({2, 3});
    c.Ok({Rand(kDouble, {2, 3}, 0.5, 5), Rand(kDouble, {2, 3}, 0.5, 5),
          Rand(kDouble, one, 0.1, 0.9)})
        .Tolerance(kDoubleTolerance)
        .Gradient({2});
    c.Ok({Rand(kDouble, one, 0.5, 5), Rand(kDouble, {2, 3}, 0.5, 5),
          Rand(kDouble, {}, 0.1, 0.9)})
        .Tolerance(kDoubleTolerance)
        .Gradient({2});
  }
  c.Error({F64({2, 2}), F64({2}), F64({2, 2})}, StatusCode::kInvalidArgument,
          "Shapes of a and b are inconsistent: [2,2] vs. [2]");
  c.Error({F64({2}), F64({}), F64({3})}, StatusCode::kInvalidArgument,
          "Shapes of a and x are inconsistent: [2] vs. [3]");
  c.Error({F64({}), F64({3}), F64({2})}, StatusCode::kInvalidArgument,
          "Shapes of b and x are inconsistent: [3] vs. [2]");
}
MR_CASES(Erfinv)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {200}, -0.999, 0.999)})
        .Tolerance(t == kDouble ? 1e-10 : 1e-5);
  });
  c.Ok({Rand(kDouble, {9}, -0.9, 0.9)}).Tolerance(1e-10).Gradient();
  c.Ok({Values<double>({-1, 1, 0, .5, -.9999, 2, kNan, 1e-10})})
      .Tolerance(1e-10);
}
MR_CASES(Ndtri)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {200}, 0.001, 0.999)}).Tolerance(t == kDouble ? 1e-10 : 1e-5);
  });
  c.Ok({Rand(kDouble, {9}, 0.1, 0.9)}).Tolerance(1e-10).Gradient();
  c.Ok({Values<double>({0, 1, .5, .3, 1e-300, -1, 2, kNan})}).Tolerance(1e-10);
}
MR_CASES(NextAfter)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {30}), Rand(t, {30})}).Exact();
    c.Ok({Rand(t, {3, 1}), Rand(t, {4})}).Exact();
  });
  c.Ok({Rand(kDouble, {3, 1}), Rand(kDouble, {4}, 3, 9)}).Exact().Gradient();
  c.Ok({Values<float>({0, 1, 1}), Values<float>({1, 0, 1})}).Exact();
}

}  // namespace millrace::cases
