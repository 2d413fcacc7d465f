#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseSoftmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 0, 3, 1, 0, 2, 0, 2, 1, 2, 3}), Rand(t, {6}),
          Long({3, 4})})
        .Tolerance(SumTolerance(t));
  });
  c.Ok({Of(kInt64, {4, 3}, {0, 0, 1, 0, 0, 2, 1, 0, 0, 1, 1, 1}), F32({4}),
        Long({2, 2, 3})});
  c.Ok({Pairs({2, 1, 0, 1, 2, 0}), F32({3}), Long({3, 4})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4})});
  c.Ok({Pairs({0, 1, 0, 3, 1, 0, 2, 0, 2, 1}), F64({5}), Long({3, 4})})
      .Gradient({1});
  c.Error({Of(kInt64, {1, 1}, {0}), F32({1}), Long({3})}, kInvalid,
          "Input should have rank >= 2, but received shape: ");
}

}  // namespace millrace::cases
