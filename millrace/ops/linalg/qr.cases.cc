#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {

MR_CASES(Qr)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool full : {false, true}) {
      c.Ok({Rand(t, {2, 4, 3})}, {{"full_matrices", full}})
          .Tolerance(MatrixTolerance(t));
      c.Ok({Rand(t, {3, 5})}, {{"full_matrices", full}})
          .Tolerance(MatrixTolerance(t));
    }
  });
  c.EachType("T", [](CaseList& c, DataType t) {
    if (t == DataType::kHalf) return;  // stock does not scale sums of squares
    c.Ok({Invertible(t, 70)}).Tolerance(10 * MatrixTolerance(t));
  });
  c.Ok({Rand(kDouble, {130, 70})}, {{"full_matrices", true}}).Tolerance(1e-9);
  c.Ok({Rand(kDouble, {70, 130})}).Tolerance(1e-9);
  for (const bool full : {false, true}) {
    c.Ok({Empty(kFloat, {0, 3})}, {{"full_matrices", full}});
    c.Ok({Empty(kFloat, {0, 2, 3})}, {{"full_matrices", full}});
    c.Ok({F64({3, 5})}, {{"full_matrices", full}}).Tolerance(1e-10).Gradient();
  }
  c.Ok({Full(kDouble, {3, 2}, 0)});
  c.Ok({F64({4, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({F64({2, 3, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({C128({4, 3})}).Tolerance(1e-10).Gradient();
  c.Ok({Rand(kFloat, {40, 30})}).Tolerance(1e-3);
}

}  // namespace millrace::cases
