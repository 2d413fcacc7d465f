#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseReshape)(CaseList& c) {
  const auto indices = [] { return Pairs({0, 1, 1, 0, 3, 5}); };
  c.Ok({indices(), Long({4, 6}), Long({2, 3, 4})});
  c.Ok({indices(), Long({4, 6}), Long({-1, 8})});
  c.Ok({indices(), Long({4, 6}), Long({24})});
  c.Ok({indices(), Long({4, 6}), Long({4, 6})});
  c.Ok({NoPairs(), Long({4, 6}), Long({2, -1, 2})});
  c.Ok({NoPairs(), Long({0, 6}), Long({3, 0})});
  c.Error({indices(), Long({4, 6}), Long({-1, -1})}, kInvalid,
          "only one output dimension may be -1, not both 0 and 1");
  c.Error({indices(), Long({4, 6}), Long({5, -1})}, kInvalid,
          "Input to reshape is a SparseTensor with 24 dense values, but "
          "the requested shape requires a multiple of 5");
  c.Error({indices(), Long({4, 6}), Long({5, 5})}, kInvalid,
          "Input to reshape is a tensor with 24 dense values, but the "
          "requested shape has 25");
  c.Error({indices(), Long({4, 6}), Long({-2, 5})}, kInvalid,
          "size 0 must be non-negative, not -2");
  c.Error({NoPairs(), Long({0, 6}), Long({-1, 0})}, kInvalid,
          "reshape cannot infer the missing input size for an empty tensor");
  c.Error({Pairs({0, 1, 4, 0}), Long({4, 6}), Long({24})}, kInvalid,
          "indices[1] = [4,0] is out of bounds")
      .NoStock("computes coordinates outside the result");
  c.Error({Pairs({0, 1}), Long({4, 6, 1}), Long({24})}, kInvalid,
          "Input tensor rank must match input shape length.")
      .NoStock("reads beyond the coordinates");
}

}  // namespace millrace::cases
