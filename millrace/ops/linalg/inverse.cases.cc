#include <cmath>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {

MR_CASES(MatrixInverse)(CaseList& c) {
  SquareCases(c, Invertible);
  SquareErrors(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Invertible(t, 3)}, {{"adjoint", true}}).Tolerance(MatrixTolerance(t));
    c.Ok({Invertible(t, 70)}).Tolerance(MatrixTolerance(t));
  });
  for (const bool adjoint : {false, true}) {
    c.Ok({Invertible(kDouble, 3)}, {{"adjoint", adjoint}})
        .Tolerance(1e-10)
        .Gradient();
    c.Ok({Invertible(kC, 3)}, {{"adjoint", adjoint}})
        .Tolerance(1e-10)
        .Gradient();
  }
  c.Ok({Rand(kDouble, {3, 2, 2}, 1, 2)}).Tolerance(1e-9);
  c.Ok({Invertible(kC, 40)}).Tolerance(1e-9);
  c.Error({Full(kFloat, {2, 2}, 1)}, kInvalid, "Input is not invertible.");
  c.Error({Of(kFloat, {2, 2}, {std::nan(""), 1, 1, 2})}, kInvalid,
          "Input is not invertible.");
  c.Error({SingularByRounding(kFloat)}, kInvalid, "Input is not invertible.");
}

MR_CASES(BatchMatrixInverse)(CaseList& c) { SquareCases(c, Invertible); }

}  // namespace millrace::cases
