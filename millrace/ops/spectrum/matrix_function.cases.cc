#include <cmath>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

void FunctionErrors(CaseList& c, DataType t) {
  c.Error({Rand(t, {2, 3})}, kInvalid, "Input matrix must be square.");
  c.Error({Rand(t, {3})}, kInvalid,
          "Input tensor 0 must have rank >= 2, got 1");
}
void FunctionBuildErrors(CaseList& c, DataType t) {
  c.BuildError({Rand(t, {2, 3})}, {}, "Dimensions must be equal, but are ");
  c.BuildError({Rand(t, {2})}, {},
               "Shape must be at least rank 2 but is rank 1");
}

// Matrices with pairs of eigenvalues that are not real, equal ones, and many.
void EachShape(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = MatrixTolerance(t);
    c.Ok({Of(t, {2, 2}, {0, -1, 1, 0})}).Tolerance(tolerance);
    c.Ok({Of(t, {2, 2}, {4, 1, 0, 9})}).Tolerance(tolerance);
    c.Ok({Of(t, {3, 3}, {2, 1, 0, 0, 2, 1, 0, 0, 2})}).Tolerance(tolerance);
    c.Ok({Of(t, {2, 2}, {1000, 0, 0, 1})}).Tolerance(tolerance);
    c.Ok({Of(t, {3, 3}, {1, 2, 0, -3, 1, 0, 1, 1, 4})}).Tolerance(tolerance);
    c.Ok({Invertible(t, 12)}).Tolerance(tolerance);
  });
}

}  // namespace

MR_CASES(MatrixExponential)(CaseList& c) {
  SquareCases(c, Invertible);
  c.EachType("T", [](CaseList& c, DataType t) {
    const double tolerance = MatrixTolerance(t);
    // The norms take each degree of the quotients, and squares.
    for (const double most : {0.0, 0.003, 0.05, 0.2, 0.5, 1.0, 3.0}) {
      c.Ok({Rand(t, {4, 4}, -most, most + 1e-6)}).Tolerance(tolerance);
    }
    c.Ok({Full(t, {3, 3}, 0)});
    c.Ok({Of(t, {3, 3}, {0, 1, 2, 0, 0, 3, 0, 0, 0})}).Tolerance(tolerance);
    c.Ok({Of(t, {2, 2}, {-1000, 0, 0, 1})}).Tolerance(tolerance);
    c.Ok({Rand(t, {3, 2, 5, 5}, -1, 1)}).Tolerance(tolerance);
  });
  c.Ok({Of(kDouble, {2, 2}, {std::nan(""), 1, 1, 1})});
  FunctionErrors(c, kFloat);
}

MR_CASES(MatrixLogarithm)(CaseList& c) {
  SquareCases(c, Invertible);
  EachShape(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(t, {2, 2}, {-1, 0, 0, -1})}).Tolerance(MatrixTolerance(t));
    c.Ok({Full(t, {2, 2}, 0)});
    c.Ok({Of(t, {2, 2}, {std::nan(""), 1, 1, 1})});
  });
  c.Ok({Of(kC, {1, 1}, {0})});
  FunctionErrors(c, kC);
  FunctionBuildErrors(c, kC);
}

MR_CASES(MatrixSquareRoot)(CaseList& c) {
  SquareCases(c, Invertible);
  EachShape(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(t, {2, 2}, {1, 1, 1, 1})}).Tolerance(1e-3);
    c.Ok({Of(t, {1, 1}, {0})});
    c.Ok({Full(t, {2, 2}, 0)});
    c.Ok({Of(t, {2, 2}, {std::nan(""), 1, 1, 1})});
  });
  // Real matrices with negative eigenvalues have no real root.
  c.Ok({Of(kDouble, {2, 2}, {1, 2, 3, 4})});
  c.Ok({Of(kFloat, {2, 2}, {-4, 1, 2, -9})});
  c.Ok({Of(kDouble, {1, 1}, {-4})});
  for (const DataType t : {kDouble, kC}) {
    c.Ok({Invertible(t, 3)}).Tolerance(1e-10).Gradient();
    c.Ok({Rand(t, {2, 2, 2}, 1, 2)}).Tolerance(1e-8);
  }
  FunctionErrors(c, kFloat);
  FunctionBuildErrors(c, kFloat);
}

}  // namespace millrace::cases
