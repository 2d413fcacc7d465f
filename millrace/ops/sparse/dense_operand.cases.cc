#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

void Cwise(CaseList& c) {
  const auto in = [] { return Pairs({0, 1, 1, 0, 2, 3}); };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({in(), Rand(t, {3}), Long({3, 4}), Rand(t, {3, 4}, 1, 5)})
        .Tolerance(SumTolerance(t));
  });
  const auto dense = [](TensorShape s) {
    return Rand(kFloat, std::move(s), 0.5, 2);
  };
  c.Ok({in(), F32({3}), Long({3, 4}), dense({4})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({3, 1})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({1, 1})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), dense({3, 4})});
  for (const TensorShape& s : {TensorShape({3, 4}), TensorShape({4}),
                               TensorShape({3, 1}), TensorShape()}) {
    c.Ok({in(), F64({3}), Long({3, 4}), Rand(DataType::kDouble, s, 0.5, 2)})
        .Gradient({1, 3});
  }
  c.Error({in(), F32({3}), Long({3, 4}), dense({5, 3, 4})}, kInvalid,
          "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
          "incompatible shapes: [3,4] vs. [5,3,4]");
  c.Error({in(), F32({3}), Long({3, 4}), dense({2})}, kInvalid,
          "SparseDenseBinaryOpShared broadcasts dense to sparse only");
  c.Error({Pairs({0, 4}), F32({1}), Long({3, 4}), dense({3, 4})}, kInvalid,
          "out");
}

}  // namespace

MR_CASES(SparseDenseCwiseAdd)(CaseList& c) { Cwise(c); }
MR_CASES(SparseDenseCwiseMul)(CaseList& c) { Cwise(c); }
MR_CASES(SparseDenseCwiseDiv)(CaseList& c) {
  Cwise(c);
  c.Error({Pairs({0, 1}), Vec({1}), Long({3, 4}), Scalar(0)}, kInvalid,
          "Integer division by zero")
      .NoStock("ends the process");
}

MR_CASES(SparseTensorDenseAdd)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(DataType::kInt32, {3, 2}, {2, 3, 0, 1, 1, 0}), Rand(t, {3}),
          Vec({3, 4}), Rand(t, {3, 4})})
        .Tolerance(SumTolerance(t));
  });
  c.Ok({Pairs({2, 3, 0, 1, 2, 3}), F32({3}), Long({3, 4}), F32({3, 4})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), F32({3, 4})});
  c.Ok({Pairs({2, 3, 0, 1, 2, 3}), F64({3}), Long({3, 4}), F64({3, 4})})
      .Gradient({1, 3});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({3, 5})}, kInvalid,
          "Dimension 1 does not equal (no broadcasting is supported): sparse "
          "side 4 vs dense side 5");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({12})}, kInvalid,
          "Two operands have different ranks; received: 2 and 1");
  c.Error({Pairs({0, 4}), F32({1}), Long({3, 4}), F32({3, 4})}, kInvalid,
          "Sparse tensor has an invalid index on dimension 1: a_indices(0,1) = "
          "4, dense tensor shape: 3 4");
  c.Error({Pairs({0, 4}), F32({2}), Long({3, 4}), F32({3, 4})}, kInvalid,
          "Dimensions 1 and 2 are not compatible");
}

}  // namespace millrace::cases
