#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

void SolveCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool adjoint : {false, true}) {
      c.Ok({Invertible(t, 4), Rand(t, {4, 3})}, {{"adjoint", adjoint}})
          .Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 2, 2}), Empty(t, {0, 2, 3})});
    c.Ok({Empty(t, {0, 0}), Empty(t, {0, 3})});
    c.Ok({Invertible(t, 2), Empty(t, {2, 0})});
  });
}

AttrMap Triangle(bool lower, bool adjoint) {
  return AttrMap({{"adjoint", adjoint}, {"lower", lower}});
}

void TriangularCases(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool lower : {false, true}) {
      for (const bool adjoint : {false, true}) {
        c.Ok({Invertible(t, 4), Rand(t, {4, 3})}, Triangle(lower, adjoint))
            .Tolerance(MatrixTolerance(t));
      }
    }
    c.Ok({Empty(t, {0, 2, 2}), Empty(t, {0, 2, 3})});
  });
}

}  // namespace

MR_CASES(MatrixSolve)(CaseList& c) {
  SolveCases(c);
  for (const bool adjoint : {false, true}) {
    for (const DataType t : {kDouble, kC}) {
      c.Ok({Invertible(t, 3), Rand(t, {3, 2})}, {{"adjoint", adjoint}})
          .Tolerance(1e-10)
          .Gradient();
    }
  }
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Invertible(t, 70), Rand(t, {70, 20})}, {{"adjoint", true}})
        .Tolerance(MatrixTolerance(t));
  });
  c.Ok({Rand(kDouble, {2, 3, 4, 4}), F64({2, 3, 4, 1})}).Tolerance(1e-8);
  c.Ok({Invertible(kFloat, 140), F32({140, 40})}).Tolerance(1e-3);
  c.Error({Full(kFloat, {2, 2}, 1), F32({2, 1})}, kInvalid,
          "Input matrix is not invertible.");
  c.Error({SingularByRounding(kFloat), F32({2, 1})}, kInvalid,
          "Input matrix is not invertible.");
  c.Error({Invertible(kFloat, 3), F32({2, 1})}, kInvalid,
          "Input matrix and rhs are incompatible.");
  c.Error({Invertible(kFloat, 3), F32({2, 3, 1})}, kInvalid,
          "All input tensors must have the same rank.");
  c.Error({F32({4, 3, 3}), F32({2, 3, 1})}, kInvalid,
          "All input tensors must have the same outer dimensions.");
}

MR_CASES(BatchMatrixSolve)(CaseList& c) { SolveCases(c); }

MR_CASES(MatrixTriangularSolve)(CaseList& c) {
  TriangularCases(c);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Invertible(t, 3), Rand(t, {2, 3, 2})}).Tolerance(MatrixTolerance(t));
  });
  for (const bool lower : {false, true}) {
    for (const bool adjoint : {false, true}) {
      for (const DataType t : {kDouble, kC}) {
        c.Ok({Invertible(t, 3), Rand(t, {3, 2})}, Triangle(lower, adjoint))
            .Tolerance(1e-10)
            .Gradient();
      }
    }
  }
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Full(t, {1, 1}, 0), Full(t, {1, 1}, 2)});
  });
  c.Ok({Invertible(kDouble, 3), F64({2, 3, 2})}).Tolerance(1e-10).Gradient();
  c.Ok({Rand(kDouble, {2, 1, 3, 3}, 1, 2), F64({4, 3, 2})}).Tolerance(1e-8);
  c.Ok({Invertible(kDouble, 50), F64({2, 50, 40})}).Tolerance(1e-8);
  // More rows and columns than a warp has threads.
  for (const bool lower : {false, true}) {
    for (const bool adjoint : {false, true}) {
      c.Ok({Invertible(kDouble, 70), Rand(kDouble, {2, 70, 40})},
           Triangle(lower, adjoint))
          .Tolerance(1e-8);
    }
  }
  c.Error({Invertible(kFloat, 3), F32({2, 2})}, kInvalid,
          "In[0] mismatch In[1] shape: 3 vs. 2: [3,3] [2,2]");
  c.Error({Invertible(kFloat, 3), F32({3})}, kInvalid,
          "In[1] ndims must be >= 2: 1");
  c.Error({F32({2, 3, 3}), F32({3, 3, 1})}, kInvalid,
          "In[0] and In[1] must have compatible batch dimensions: [2,3,3] vs. "
          "[3,3,1]");
}

MR_CASES(BatchMatrixTriangularSolve)(CaseList& c) { TriangularCases(c); }

}  // namespace millrace::cases
