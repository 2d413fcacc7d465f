#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {

MR_CASES(MatrixDeterminant)(CaseList& c) {
  SquareCases(c, Invertible);
  SquareErrors(c);
  c.Ok({Invertible(kDouble, 3)}).Tolerance(1e-10).Gradient();
  c.Ok({Invertible(kC, 3)}).Tolerance(1e-10).Gradient();
  c.Ok({Full(kFloat, {2, 2}, 1)});
  c.Ok({Of(kFloat, {2, 2}, {0, 2, 3, 0})});
  c.Ok({Rand(kDouble, {2, 3, 4, 4})}).Tolerance(1e-9);
}

MR_CASES(BatchMatrixDeterminant)(CaseList& c) { SquareCases(c, Invertible); }

MR_CASES(LogMatrixDeterminant)(CaseList& c) {
  SquareCases(c, Invertible);
  c.Ok({Full(kFloat, {2, 2}, 1)});
  c.Ok({Of(kFloat, {2, 2}, {0, 2, 3, 0})});
  c.Ok({Rand(kDouble, {2, 3, 4, 4})}).Tolerance(1e-9);
  c.Ok({Rand(kDouble, {140, 140})}).Tolerance(1e-9);
  c.Ok({Invertible(kDouble, 3)}).Tolerance(1e-10).Gradient();
}

}  // namespace millrace::cases
