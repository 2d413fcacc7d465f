#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseTensorDenseMatMul)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({2, 1, 0, 1, 2, 3, 2, 1}), Rand(t, {4}), Long({3, 4}),
          Rand(t, {4, 5})})
        .Tolerance(SumTolerance(t));
    c.Ok({Pairs({2, 1, 0, 1, 2, 3}), Rand(t, {3}), Long({3, 4}),
          Rand(t, {2, 3})},
         {{"adjoint_a", true}, {"adjoint_b", true}})
        .Tolerance(SumTolerance(t));
  });
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const TensorShape right =
          b ? TensorShape({2, a ? 3 : 4}) : TensorShape({a ? 3 : 4, 2});
      c.Ok({Pairs({2, 1, 0, 1, 2, 3}), F64({3}), Long({3, 4}), F64(right)},
           {{"adjoint_a", a}, {"adjoint_b", b}})
          .Gradient({1, 3});
    }
  }
  c.Ok({Pairs(kInt32, {1, 0}), F32({1}), Long({2, 3}), F32({3, 2})});
  // Entries of a row in no order, of one place, and rows without any.
  c.Ok({Pairs({2, 3, 0, 1, 2, 0, 2, 3, 0, 0}), F32({5}), Long({4, 4}),
        F32({4, 300})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), F32({4, 5})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({0, 4}), F32({4, 5})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 0}), Empty(kFloat, {0, 5})});
  // More elements than can be counted.
  c.Ok({Pairs({1, 7}), F32({1}), Long({10, 0x1p60}),
        Empty(kFloat, {int64_t{1} << 60, 0})});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({3, 2})}, kInvalid, "")
      .NoShapeCheck();
  c.Error({Pairs({0, 4}), F32({1}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "k (4) from index[0,1] out of bounds (>=4)")
      .Name("a place that is not there");
  c.Error({Pairs({3, 0}), F32({1}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "m (3) from index[0,0] out of bounds (>=3)")
      .Name("a place that is not there");
  c.Error({Pairs({0, 1}), F32({2}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "Number of rows of a_indices does not match number of entries in "
          "a_values");
}

}  // namespace millrace::cases
