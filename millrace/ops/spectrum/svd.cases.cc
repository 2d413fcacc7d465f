#include <limits>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {
namespace {

void SvdCases(CaseList& c, const char* op) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const TensorShape& shape :
         {TensorShape({4, 3}), TensorShape({2, 5}), TensorShape({2, 3, 3})}) {
      const Value x = Rand(t, shape);
      c.Ok({x}).Tolerance(MatrixTolerance(t)).IgnoreOutputs({1, 2});
      c.Ok({x}, {{"full_matrices", true}})
          .Tolerance(MatrixTolerance(t))
          .IgnoreOutputs({1, 2});
      c.Ok({x}, {{"compute_uv", false}})
          .IgnoreOutputs({1, 2})
          .Tolerance(MatrixTolerance(t));
      c.Sequence("")
          .Node("op", op, {x})
          .Node("diag", "MatrixDiag", {"op"})
          .Node("left", "BatchMatMulV2", {"op:1", "diag"})
          .Node("all", "BatchMatMulV2", {"left", "op:2"}, {{"adj_y", true}})
          .Run({"all"})
          .Tolerance(MatrixTolerance(t));
      c.Sequence("")
          .Node("op", op, {x}, {{"full_matrices", true}})
          .Node("u", "BatchMatMulV2", {"op:1", "op:1"}, {{"adj_x", true}})
          .Node("v", "BatchMatMulV2", {"op:2", "op:2"}, {{"adj_x", true}})
          .Run({"u", "v"})
          .Tolerance(MatrixTolerance(t));
    }
    c.Ok({Empty(t, {0, 2, 3})});
  });
}

}  // namespace

MR_CASES(Svd)(CaseList& c) {
  SvdCases(c, "Svd");
  for (const TensorShape& shape :
       {TensorShape({4, 3}), TensorShape({2, 3, 3}), TensorShape({3, 5})}) {
    c.Ok({F64(shape)}).Tolerance(1e-10).IgnoreOutputs({1, 2}).Gradient();
  }
  c.Ok({F64({3, 4})}, {{"full_matrices", true}})
      .Tolerance(1e-10)
      .IgnoreOutputs({1, 2})
      .Gradient();
  c.Ok({F64({4, 3})}, {{"full_matrices", true}})
      .Tolerance(1e-10)
      .IgnoreOutputs({1, 2})
      .Gradient();
  c.Ok({F64({4, 3})}, {{"compute_uv", false}})
      .Tolerance(1e-10)
      .IgnoreOutputs({1, 2})
      .Gradient();
  for (const bool full : {false, true}) {
    c.Ok({Empty(kFloat, {0, 3})}, {{"full_matrices", full}});
    c.Ok({Empty(kFloat, {3, 0})}, {{"full_matrices", full}});
  }
  // Matrices of rank 1 and 0.
  c.Ok({Full(kDouble, {4, 3}, 2)}).Tolerance(1e-10).IgnoreOutputs({1, 2});
  c.Ok({Full(kDouble, {2, 2}, 0)}).IgnoreOutputs({1, 2});
  c.Ok({Rand(kDouble, {40, 60})}).Tolerance(1e-9).IgnoreOutputs({1, 2});
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Invertible(t, 70)})
        .Tolerance(MatrixTolerance(t))
        .IgnoreOutputs({1, 2});
  });
  c.Ok({Rand(kDouble, {130, 50})}).Tolerance(1e-9).IgnoreOutputs({1, 2});
  c.Ok({Full(kFloat, {2, 2}, kNaN)});
}

MR_CASES(BatchSvd)(CaseList& c) { SvdCases(c, "BatchSvd"); }

}  // namespace millrace::cases
