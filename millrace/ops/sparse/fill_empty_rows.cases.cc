#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseFillEmptyRows)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 2, 0, 2, 3}), Rand(t, {3}), Long({5, 4}), Rand(t, {})});
  });
  c.Ok({Pairs({2, 3, 0, 1, 2, 0, 0, 0}), F32({4}), Long({4, 4}), F32({})});
  c.Ok({Pairs({0, 1, 1, 0}), F32({2}), Long({2, 4}), F32({})});
  c.Ok({Pairs({1, 1, 0, 0}), F32({2}), Long({2, 4}), F32({})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), F32({})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({0, 4}), F32({})});
  c.Ok({Pairs({0, 1, 2, 0}), F64({2}), Long({4, 4}), F64({})}).Gradient({1, 3});
  c.Ok({Rand(kInt64, {5000, 2}, 0, 3000), F32({5000}), Long({3000, 3000}),
        F32({})});
  // More elements than can be counted.
  c.Ok({Pairs({1, 0, 3, 7}), F32({2}), Long({10, 0x1p60}), F32({})});
  c.Error({Pairs({0, 1, 3, 0}), F32({2}), Long({3, 4}), F32({})}, kInvalid,
          "indices(1, 0) is invalid: 3 >= 3");
  c.Error({Pairs({-1, 1}), F32({1}), Long({3, 4}), F32({})}, kInvalid,
          "indices(0, 0) is invalid: -1 >= 3");
  c.Error({Pairs({0, 1}), F32({1}), Long({0, 4}), F32({})}, kInvalid,
          "Received SparseTensor with dense_shape[0] = 0 but "
          "indices.shape[0] = 1");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({1})}, kInvalid, "")
      .NoShapeCheck();
  c.Error({NoPairs(), Empty(kFloat, {0}), Long({1e15, 4}), F32({})},
          StatusCode::kResourceExhausted, "")
      .NoStock("allocates without a bound");
}

MR_CASES(SparseFillEmptyRowsGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Long({3, 0, 4}), Rand(t, {6})}).Tolerance(SumTolerance(t));
  });
  c.Ok({Empty(kInt64, {0}), F32({3})});
  c.Ok({Empty(kInt64, {0}), Empty(kFloat, {0})});
  c.Error({Long({0, 3}), F32({3})}, kInvalid,
          "Elements in reverse index must be in [0, 3) but got 3");
}

}  // namespace millrace::cases
