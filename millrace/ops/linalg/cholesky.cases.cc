#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

void CholeskyGradCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 5}) {
      c.Ok({Definite(t, n), Rand(t, {n, n})}).Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 2, 2}), Empty(t, {0, 2, 2})});
  });
}

}  // namespace

MR_CASES(Cholesky)(CaseList& c) {
  SquareCases(c, Definite);
  SquareErrors(c);
  c.Ok({Full(kFloat, {1, 1}, -1)});
  c.Ok({Of(kFloat, {2, 2}, {2, 10, 10, 50})});
  c.Ok({Of(kDouble, {2, 2, 2}, {4, 9, 1, 3, 9, 9, 3, 5})});
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Definite(t, 70)}).Tolerance(MatrixTolerance(t));
  });
  c.Ok({Definite(kFloat, 40)}).Tolerance(MatrixTolerance(kFloat));
  c.Ok({Definite(kC, 140)}).Tolerance(MatrixTolerance(kC));
  c.Ok({Full(kFloat, {2, 130, 130}, -1)})
      .NoStock("stock leaves elements above the diagonal");
  // A symmetric matrix whose two halves both count.
  c.Sequence("gradient")
      .Node("x", "Identity", {Definite(kDouble, 3)})
      .Node("t", "Transpose", {"x", Vec({1, 0})})
      .Node("s", "AddV2", {"x", "t"})
      .Node("op", "Cholesky", {"s"})
      .Run({"op"})
      .Tolerance(1e-10)
      .Gradient();
}

MR_CASES(BatchCholesky)(CaseList& c) { SquareCases(c, Definite); }
MR_CASES(CholeskyGrad)(CaseList& c) { CholeskyGradCases(c); }
MR_CASES(BatchCholeskyGrad)(CaseList& c) { CholeskyGradCases(c); }

}  // namespace millrace::cases
