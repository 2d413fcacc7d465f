#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Adds every type, sizes around those of vector registers and threads, and edge
// cases.
void Unary(CaseList& c, double lo, double hi) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, lo, hi)});
    c.Ok({Rand(t, {1100}, lo, hi)});
  });
  c.Ok({Rand(kFloat, {}, lo, hi)});
  c.Ok({Empty(kFloat, {0, 3})});
  c.Ok({Rand(kFloat, {60001}, lo, hi)});
  c.Ok({Rand(DataType::kDouble, {2, 3}, lo, hi)}).Gradient();
}

// Adds NaN, infinities and zeros, too.
void Edges(CaseList& c) {
  for (DataType t : {kFloat, DataType::kDouble}) c.Ok({Mixed(t, {40})});
}

// Adds numbers of a range that the code is made of parts for.
void Ranges(CaseList& c, double lo, double hi) {
  for (DataType t : {kFloat, DataType::kDouble}) {
    c.Ok({Rand(t, {2003}, lo, hi)});
  }
}

}  // namespace

MR_CASES(Neg)(CaseList& c) {
  Unary(c, -9, 9);
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Mixed(t, {20})}); });
}
MR_CASES(Abs)(CaseList& c) {
  Unary(c, -9, 9);
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Mixed(t, {20})}); });
}
MR_CASES(Sign)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
  c.Ok({Of(DataType::kComplex64, {2}, {0, -3})});
}
MR_CASES(Square)(CaseList& c) {
  Unary(c, -9, 9);
  c.Ok({Mixed(DataType::kInt32, {20})});
  Edges(c);
}
MR_CASES(Sqrt)(CaseList& c) {
  Unary(c, 0.1, 9);
  Edges(c);
  c.Ok({C64({20})});
  c.Ok({Of(DataType::kComplex64, {4}, {0, -3, 2, 1e20})});
}
MR_CASES(Rsqrt)(CaseList& c) {
  Unary(c, 0.1, 9);
  Edges(c);
}
MR_CASES(Reciprocal)(CaseList& c) {
  Unary(c, 0.1, 9);
  Edges(c);
}
MR_CASES(Inv)(CaseList& c) { Unary(c, 0.1, 9); }
MR_CASES(Exp)(CaseList& c) {
  Unary(c, -2, 2);
  Edges(c);
  c.Ok({Rand(kFloat, {2000}, -87, 88)});
  c.Ok({Rand(DataType::kDouble, {2000}, -708, 709)});
}
MR_CASES(Expm1)(CaseList& c) {
  Unary(c, -2, 2);
  Edges(c);
  c.Ok({Rand(kFloat, {2000}, -87, 88)});
  c.Ok({Rand(kFloat, {200}, -1e-4, 1e-4)}).Tolerance(1e-5, 0);
  c.Ok({Rand(DataType::kDouble, {2000}, -60, 709)});
}
MR_CASES(Log)(CaseList& c) {
  Unary(c, 0.1, 9);
  Edges(c);
  c.Ok({Rand(kFloat, {2000}, 0, 1e30)});
  c.Ok({Rand(DataType::kDouble, {2000}, 0, 1e300)});
  Ranges(c, 0.5, 2);
}
MR_CASES(Log1p)(CaseList& c) {
  Unary(c, -0.9, 9);
  Edges(c);
  c.Ok({Rand(kFloat, {200}, -1e-4, 1e-4)}).Tolerance(1e-5, 0);
  Ranges(c, -0.99, 3);
}
MR_CASES(Sin)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
  c.Ok({Rand(kFloat, {600}, -2e4, 2e4)});
  c.Ok({Rand(DataType::kDouble, {600}, -2e6, 2e6)});
}
MR_CASES(Cos)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
  c.Ok({Rand(kFloat, {600}, -2e4, 2e4)});
  c.Ok({Rand(DataType::kDouble, {600}, -2e6, 2e6)});
}
MR_CASES(Tan)(CaseList& c) {
  Unary(c, -1.4, 1.4);
  Edges(c);
  c.Ok({Rand(kFloat, {300}, 3.2, 4.6)});
  c.Ok({Rand(DataType::kDouble, {600}, -2e6, 2e6)});
}
MR_CASES(Asin)(CaseList& c) {
  Unary(c, -0.9, 0.9);
  Edges(c);
  Ranges(c, -1, 1);
}
MR_CASES(Acos)(CaseList& c) {
  Unary(c, -0.9, 0.9);
  Edges(c);
  Ranges(c, -1, 1);
}
MR_CASES(Atan)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
  Ranges(c, -3, 3);
  Ranges(c, -1e9, 1e9);
}
MR_CASES(Sinh)(CaseList& c) {
  Unary(c, -2, 2);
  Edges(c);
  c.Ok({Rand(kFloat, {2003}, -89.4, 89.4)});
  c.Ok({Rand(DataType::kDouble, {2003}, -710, 710)});
}
MR_CASES(Cosh)(CaseList& c) {
  Unary(c, -2, 2);
  Edges(c);
  c.Ok({Rand(kFloat, {2003}, -89.4, 89.4)});
  c.Ok({Rand(DataType::kDouble, {2003}, -710, 710)});
}
MR_CASES(Tanh)(CaseList& c) {
  Unary(c, -2, 2);
  Edges(c);
  c.Ok({Rand(kFloat, {2000}, -12, 12)});
  c.Ok({Rand(DataType::kDouble, {2000}, -25, 25)});
}
MR_CASES(Asinh)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
  Ranges(c, -1, 1);
  Ranges(c, -1e30, 1e30);
}
MR_CASES(Acosh)(CaseList& c) {
  Unary(c, 1.1, 9);
  Edges(c);
  Ranges(c, 1, 2);
  Ranges(c, 1, 1e30);
}
MR_CASES(Atanh)(CaseList& c) {
  Unary(c, -0.9, 0.9);
  Edges(c);
  Ranges(c, -1, 1);
}
MR_CASES(Sigmoid)(CaseList& c) {
  Unary(c, -5, 5);
  Edges(c);
  c.Ok({Rand(DataType::kDouble, {2000}, -700, 50)});
}
MR_CASES(Erf)(CaseList& c) {
  Unary(c, -3, 3);
  c.Ok({Mixed(kFloat, {40})});
  c.Ok({Mixed(DataType::kDouble, {40})})
      .Deviates("stock's erf of a huge double is NaN");
  c.Ok({Rand(DataType::kDouble, {2000}, -7, 7)});
}
MR_CASES(Erfc)(CaseList& c) {
  Unary(c, -3, 3);
  Edges(c);
  Ranges(c, -6, 9);
}
MR_CASES(Lgamma)(CaseList& c) {
  Unary(c, 0.1, 9);
  c.Ok({Rand(DataType::kDouble, {50}, -4.9, 0)});
}
MR_CASES(Digamma)(CaseList& c) {
  Unary(c, 0.1, 9);
  c.Ok({Rand(DataType::kDouble, {9}, 0.5, 9)}).Tolerance(1e-10).Gradient();
  c.Ok({Rand(DataType::kDouble, {50}, -4.9, 0)}).Tolerance(1e-10);
}
MR_CASES(Floor)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
}
MR_CASES(Ceil)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
}
MR_CASES(Round)(CaseList& c) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    Case& one = c.Ok({Rand(t, {70}, -9, 9)});
    if (IsInteger(t)) one.Deviates("stock 2.21 rounds every integer to 0");
  });
  Edges(c);
  c.Ok({Vec(kFloat, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5})}).Exact();
}
MR_CASES(Rint)(CaseList& c) {
  Unary(c, -9, 9);
  Edges(c);
}

namespace {

void Classify(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Mixed(t, {40})});
    c.Ok({Mixed(t, {1500})});
  });
  c.Ok({F32({2})});
}

}  // namespace

MR_CASES(IsNan)(CaseList& c) { Classify(c); }
MR_CASES(IsInf)(CaseList& c) { Classify(c); }
MR_CASES(IsFinite)(CaseList& c) { Classify(c); }

}  // namespace millrace::cases
