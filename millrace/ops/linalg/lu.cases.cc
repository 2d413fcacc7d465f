#include <cmath>

#include "millrace/ops/linalg/matrices.cases.h"

namespace millrace::cases {

MR_CASES(Lu)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 5})}).Tolerance(MatrixTolerance(t) * 10);
    c.Ok({Rand(t, {2, 3, 3})}, {{"output_idx_type", DataType::kInt64}})
        .Tolerance(MatrixTolerance(t) * 10);
    c.Ok({Empty(t, {0, 2, 2})});
  });
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Invertible(t, 70)}).Tolerance(MatrixTolerance(t));
  });
  c.Ok({Rand(kDouble, {40, 40})}).Tolerance(1e-9);
  c.Ok({Rand(kDouble, {2, 140, 140})}).Tolerance(1e-7);
  c.Error({Full(kFloat, {2, 2}, 1)}, kInvalid, "Input is not invertible.");
  c.Error({Full(kFloat, {130, 130}, 1)}, kInvalid, "Input is not invertible.");
  c.Error({Of(kFloat, {2, 2}, {std::nan(""), 1, 1, 2})}, kInvalid,
          "Input is not invertible.");
  c.Error({SingularByRounding(kFloat)}, kInvalid, "Input is not invertible.");
}

}  // namespace millrace::cases
