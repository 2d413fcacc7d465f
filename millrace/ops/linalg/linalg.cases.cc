#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kF = DataType::kFloat;
constexpr DataType kD = DataType::kDouble;
constexpr DataType kC = DataType::kComplex128;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

// One matrix, none, and of all types.
void SquareCases(CaseList& c, Value (*make)(DataType, int64_t)) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 5}) {
      c.Ok({make(t, n)}).Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 3, 3})});
    c.Ok({Empty(t, {2, 0, 0})});
  });
}
void SquareErrors(CaseList& c) {
  c.Error({F32({2, 3})}, kInvalid, "Input matrix must be square.");
  c.Error({F32({3})}, kInvalid, "Input tensor 0 must have rank >= 2, got 1");
  c.BuildError({F32({2, 3})}, {}, "Dimensions must be equal, but are ");
  c.BuildError({F32({2})}, {}, "Shape must be at least rank 2 but is rank 1");
}

AttrMap Triangle(bool lower, bool adjoint) {
  return AttrMap({{"adjoint", adjoint}, {"lower", lower}});
}

}  // namespace

MR_CASES(Cholesky)(CaseList& c) {
  SquareCases(c, Definite);
  SquareErrors(c);
  c.Ok({Full(kF, {1, 1}, -1)});
  c.Ok({Of(kD, {2, 2, 2}, {4, 9, 1, 3, 9, 9, 3, 5})});
  c.Ok({Definite(kF, 40)}).Tolerance(MatrixTolerance(kF));
  // A symmetric one, of which both halves count.
  c.Sequence("gradient")
      .Node("x", "Identity", {Definite(kD, 3)})
      .Node("t", "Transpose", {"x", Vec({1, 0})})
      .Node("s", "AddV2", {"x", "t"})
      .Node("op", "Cholesky", {"s"})
      .Run({"op"})
      .Tolerance(1e-10)
      .Gradient();
}
MR_CASES(BatchCholesky)(CaseList& c) { SquareCases(c, Definite); }

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

MR_CASES(CholeskyGrad)(CaseList& c) { CholeskyGradCases(c); }
MR_CASES(BatchCholeskyGrad)(CaseList& c) { CholeskyGradCases(c); }

MR_CASES(MatrixInverse)(CaseList& c) {
  SquareCases(c, Regular);
  SquareErrors(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Regular(t, 3)}, {{"adjoint", true}}).Tolerance(MatrixTolerance(t));
  });
  for (const bool adjoint : {false, true}) {
    c.Ok({Regular(kD, 3)}, {{"adjoint", adjoint}}).Tolerance(1e-10).Gradient();
    c.Ok({Regular(kC, 3)}, {{"adjoint", adjoint}}).Tolerance(1e-10).Gradient();
  }
  c.Ok({Rand(kD, {3, 2, 2}, 1, 2)}).Tolerance(1e-9);
  c.Error({Full(kF, {2, 2}, 1)}, kInvalid, "Input is not invertible.");
}
MR_CASES(BatchMatrixInverse)(CaseList& c) { SquareCases(c, Regular); }

MR_CASES(MatrixDeterminant)(CaseList& c) {
  SquareCases(c, Regular);
  SquareErrors(c);
  c.Ok({Regular(kD, 3)}).Tolerance(1e-10).Gradient();
  c.Ok({Regular(kC, 3)}).Tolerance(1e-10).Gradient();
  c.Ok({Full(kF, {2, 2}, 1)});
  c.Ok({Of(kF, {2, 2}, {0, 2, 3, 0})});
  c.Ok({Rand(kD, {2, 3, 4, 4})}).Tolerance(1e-9);
}
MR_CASES(BatchMatrixDeterminant)(CaseList& c) { SquareCases(c, Regular); }
MR_CASES(LogMatrixDeterminant)(CaseList& c) {
  SquareCases(c, Regular);
  c.Ok({Full(kF, {2, 2}, 1)});
  c.Ok({Of(kF, {2, 2}, {0, 2, 3, 0})});
  c.Ok({Rand(kD, {2, 3, 4, 4})}).Tolerance(1e-9);
  c.Ok({Regular(kD, 3)}).Tolerance(1e-10).Gradient();
}

namespace {

void SolveCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool adjoint : {false, true}) {
      c.Ok({Regular(t, 4), Rand(t, {4, 3})}, {{"adjoint", adjoint}})
          .Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 2, 2}), Empty(t, {0, 2, 3})});
    c.Ok({Empty(t, {0, 0}), Empty(t, {0, 3})});
    c.Ok({Regular(t, 2), Empty(t, {2, 0})});
  });
}

}  // namespace

MR_CASES(MatrixSolve)(CaseList& c) {
  SolveCases(c);
  for (const bool adjoint : {false, true}) {
    for (const DataType t : {kD, kC}) {
      c.Ok({Regular(t, 3), Rand(t, {3, 2})}, {{"adjoint", adjoint}})
          .Tolerance(1e-10)
          .Gradient();
    }
  }
  c.Ok({Rand(kD, {2, 3, 4, 4}), F64({2, 3, 4, 1})}).Tolerance(1e-8);
  c.Error({Full(kF, {2, 2}, 1), F32({2, 1})}, kInvalid,
          "Input matrix is not invertible.");
  c.Error({Regular(kF, 3), F32({2, 1})}, kInvalid,
          "Input matrix and rhs are incompatible.");
  c.Error({Regular(kF, 3), F32({2, 3, 1})}, kInvalid,
          "All input tensors must have the same rank.");
  c.Error({F32({4, 3, 3}), F32({2, 3, 1})}, kInvalid,
          "All input tensors must have the same outer dimensions.");
}
MR_CASES(BatchMatrixSolve)(CaseList& c) { SolveCases(c); }

namespace {

void TriangularCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool lower : {false, true}) {
      for (const bool adjoint : {false, true}) {
        c.Ok({Regular(t, 4), Rand(t, {4, 3})}, Triangle(lower, adjoint))
            .Tolerance(MatrixTolerance(t));
      }
    }
    c.Ok({Empty(t, {0, 2, 2}), Empty(t, {0, 2, 3})});
  });
}

}  // namespace

MR_CASES(MatrixTriangularSolve)(CaseList& c) {
  TriangularCases(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Regular(t, 3), Rand(t, {2, 3, 2})}).Tolerance(MatrixTolerance(t));
  });
  for (const bool lower : {false, true}) {
    for (const bool adjoint : {false, true}) {
      for (const DataType t : {kD, kC}) {
        c.Ok({Regular(t, 3), Rand(t, {3, 2})}, Triangle(lower, adjoint))
            .Tolerance(1e-10)
            .Gradient();
      }
    }
  }
  c.Ok({Regular(kD, 3), F64({2, 3, 2})}).Tolerance(1e-10).Gradient();
  c.Ok({Rand(kD, {2, 1, 3, 3}, 1, 2), F64({4, 3, 2})}).Tolerance(1e-8);
  c.Error({Regular(kF, 3), F32({2, 2})}, kInvalid,
          "In[0] mismatch In[1] shape: 3 vs. 2: [3,3] [2,2]");
  c.Error({Regular(kF, 3), F32({3})}, kInvalid, "In[1] ndims must be >= 2: 1");
  c.Error({F32({2, 3, 3}), F32({3, 3, 1})}, kInvalid,
          "In[0] and In[1] must have compatible batch dimensions: [2,3,3] vs. "
          "[3,3,1]");
}
MR_CASES(BatchMatrixTriangularSolve)(CaseList& c) { TriangularCases(c); }

MR_CASES(Qr)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool full : {false, true}) {
      c.Ok({Rand(t, {2, 4, 3})}, {{"full_matrices", full}})
          .Tolerance(MatrixTolerance(t));
      c.Ok({Rand(t, {3, 5})}, {{"full_matrices", full}})
          .Tolerance(MatrixTolerance(t));
    }
  });
  for (const bool full : {false, true}) {
    c.Ok({Empty(kF, {0, 3})}, {{"full_matrices", full}});
    c.Ok({Empty(kF, {0, 2, 3})}, {{"full_matrices", full}});
    c.Ok({F64({3, 5})}, {{"full_matrices", full}}).Tolerance(1e-10).Gradient();
  }
  c.Ok({Full(kD, {3, 2}, 0)});
  c.Ok({F64({4, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({F64({2, 3, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({C128({4, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({Rand(kF, {40, 30})}).Tolerance(1e-3);
}

MR_CASES(Lu)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 5})}).Tolerance(MatrixTolerance(t) * 10);
    c.Ok({Rand(t, {2, 3, 3})}, {{"output_idx_type", DataType::kInt64}})
        .Tolerance(MatrixTolerance(t) * 10);
    c.Ok({Empty(t, {0, 2, 2})});
  });
  c.Ok({Rand(kD, {40, 40})}).Tolerance(1e-9);
  c.Error({Full(kF, {2, 2}, 1)}, kInvalid, "Input is not invertible.");
}

}  // namespace millrace::cases
