#include <limits>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

// Each vector is determined except for a sign or phase, so the cases compare
// the product of vectors and values. Vectors that are not requested have no
// reliable shape: stock's shape functions say [0], as ours do, and its kernels
// give a number.
void SelfAdjointCases(CaseList& c, const char* op) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 5}) {
      c.Ok({Definite(t, n)}).Tolerance(MatrixTolerance(t)).IgnoreOutputs({1});
      c.Sequence("")
          .Node("op", op, {Definite(t, n)})
          .Node("diag", "MatrixDiag", {"op"})
          .Node("left", "BatchMatMulV2", {"op:1", "diag"})
          .Node("all", "BatchMatMulV2", {"left", "op:1"}, {{"adj_y", true}})
          .Run({"all"})
          .Tolerance(MatrixTolerance(t));
    }
    c.Ok({Definite(t, 3)}, {{"compute_v", false}})
        .IgnoreOutputs({1})
        .Tolerance(MatrixTolerance(t));
    c.Ok({Empty(t, {0, 2, 2})});
    c.Ok({Empty(t, {2, 0, 0})});
  });
}

// The first row has the values.
void JoinedCases(CaseList& c, const char* op) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const int64_t n : {1, 4}) {
      c.Sequence("")
          .Node("op", op, {Definite(t, n)})
          .Node("sizes", "Abs", {"op"})
          .Run({"sizes"})
          .Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 2, 2})});
  });
}

}  // namespace

MR_CASES(SelfAdjointEigV2)(CaseList& c) {
  SelfAdjointCases(c, "SelfAdjointEigV2");
  c.Ok({Definite(kDouble, 4)}).Tolerance(1e-10).IgnoreOutputs({1}).Gradient();
  c.Ok({Definite(kDouble, 4)}, {{"compute_v", false}})
      .Tolerance(1e-10)
      .IgnoreOutputs({1})
      .Gradient();
  c.Ok({Full(kDouble, {3, 3}, 0)}).IgnoreOutputs({1});
  c.Ok({Definite(kDouble, 60)}).Tolerance(1e-9).IgnoreOutputs({1});
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Sequence("large")
        .Node("op", "SelfAdjointEigV2", {Definite(t, 70)})
        .Node("diag", "MatrixDiag", {"op"})
        .Node("left", "BatchMatMulV2", {"op:1", "diag"})
        .Node("all", "BatchMatMulV2", {"left", "op:1"}, {{"adj_y", true}})
        .Run({"all"})
        .Tolerance(20 * MatrixTolerance(t));
  });
  c.Error({Full(kFloat, {2, 2}, kNaN)}, kInvalid,
          "Self-adjoint eigen decomposition was not successful.");
  c.Ok({Full(kFloat, {1, 1}, kNaN)});
  c.Error({F32({2, 3})}, kInvalid, "Input matrix must be square.");
}

MR_CASES(BatchSelfAdjointEigV2)(CaseList& c) {
  SelfAdjointCases(c, "BatchSelfAdjointEigV2");
}

MR_CASES(SelfAdjointEig)(CaseList& c) { JoinedCases(c, "SelfAdjointEig"); }

MR_CASES(BatchSelfAdjointEig)(CaseList& c) {
  JoinedCases(c, "BatchSelfAdjointEig");
}

}  // namespace millrace::cases
