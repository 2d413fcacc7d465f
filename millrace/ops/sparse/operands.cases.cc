#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kI64 = DataType::kInt64;
constexpr DataType kF32 = DataType::kFloat;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

Value Long(std::initializer_list<double> v) { return Vec(kI64, v); }
Value Pairs(std::initializer_list<double> v) {
  return Of(kI64, TensorShape({static_cast<int64_t>(v.size() / 2), 2}), v);
}
Value NoPairs() { return Empty(kI64, {0, 2}); }

double SlackOf(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16 ? 2e-2 : 1e-5;
}

DataType RealOf(DataType t) {
  return t == DataType::kComplex64    ? kF32
         : t == DataType::kComplex128 ? DataType::kDouble
                                      : t;
}

}  // namespace

MR_CASES(SparseAdd)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 1, 0, 2, 3}), Rand(t, {3}), Long({3, 4}),
          Pairs({0, 0, 1, 0, 2, 3, 2, 3}), Rand(t, {4}), Long({3, 4}),
          Scalar(RealOf(t), 1)});
  });
  c.Ok({Pairs({0, 1, 1, 0}), Of(kF32, {2}, {1, 2}), Long({3, 4}),
        Pairs({0, 1, 1, 0}), Of(kF32, {2}, {-1, 3}), Long({3, 4}),
        Scalar(kF32, 0.5)});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), Pairs({1, 1}), F32({1}),
        Long({3, 4}), Scalar(kF32, 0)});
  c.Ok({Pairs({0, 1, 1, 0}), F64({2}), Long({3, 4}), Pairs({0, 2, 1, 0}),
        F64({2}), Long({3, 4}), Scalar(DataType::kDouble, 0)})
      .Gradient({1, 4});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 5}), Scalar(kF32, 0)},
          kInvalid,
          "Operands' shapes do not match: got 4 and 5 for dimension 1");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 4}), Vec(kF32, {0})},
          kInvalid, "The magnitude threshold must be a scalar: got shape [1]");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({2}),
           Long({3, 4}), Scalar(kF32, 0)},
          kInvalid, "");
}

MR_CASES(SparseAddGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4}), Pairs({0, 1, 1, 0, 2, 3}), Pairs({0, 0, 1, 0, 2, 3}),
          Pairs({0, 0, 0, 1, 1, 0, 2, 3})});
    c.Ok({Rand(t, {3}), Pairs({0, 1, 1, 0, 2, 3}), Pairs({0, 0, 1, 0, 2, 3}),
          Pairs({0, 0, 0, 1, 2, 3})});
  });
  c.Ok({Empty(kF32, {0}), Pairs({0, 1}), NoPairs(), NoPairs()});
  c.Error({F32({2}), Pairs({0, 1}), Pairs({0, 1}), Pairs({0, 1})}, kInvalid,
          "# elements of backprop_val_grad and # rows of sum_indices should "
          "match (#nnz of sum): got 2 and 1");
}

namespace {

void Extremes(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 1, 0, 2, 3}), Rand(t, {3}), Long({3, 4}),
          Pairs({0, 0, 1, 0, 2, 2}), Rand(t, {3}), Long({3, 4})});
  });
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), Pairs({1, 1}), F32({1}),
        Long({3, 4})});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 5})},
          kInvalid, "shapes do not match");
}

void Cwise(CaseList& c, bool divides) {
  const auto in = [] { return Pairs({0, 1, 1, 0, 2, 3}); };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({in(), Rand(t, {3}), Long({3, 4}), Rand(t, {3, 4}, 1, 5)})
        .Tolerance(SlackOf(t));
  });
  const auto dense = [](TensorShape s) {
    return Rand(kF32, std::move(s), 0.5, 2);
  };
  c.Ok({in(), F32({3}), Long({3, 4}), dense({4})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({3, 1})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({1, 1})});
  c.Ok({in(), F32({3}), Long({3, 4}), dense({})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), dense({3, 4})});
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
  if (divides) {
    c.Error({Pairs({0, 1}), Vec({1}), Long({3, 4}), Scalar(0)}, kInvalid,
            "Integer division by zero")
        .NoStock("ends the process");
  }
}

}  // namespace

MR_CASES(SparseSparseMaximum)(CaseList& c) { Extremes(c); }
MR_CASES(SparseSparseMinimum)(CaseList& c) { Extremes(c); }
MR_CASES(SparseDenseCwiseAdd)(CaseList& c) { Cwise(c, false); }
MR_CASES(SparseDenseCwiseMul)(CaseList& c) { Cwise(c, false); }
MR_CASES(SparseDenseCwiseDiv)(CaseList& c) { Cwise(c, true); }

MR_CASES(SparseTensorDenseAdd)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(DataType::kInt32, {3, 2}, {2, 3, 0, 1, 1, 0}), Rand(t, {3}),
          Vec({3, 4}), Rand(t, {3, 4})})
        .Tolerance(SlackOf(t));
  });
  c.Ok({Pairs({2, 3, 0, 1, 2, 3}), F32({3}), Long({3, 4}), F32({3, 4})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), F32({3, 4})});
  c.Ok({Pairs({2, 3, 0, 1, 2, 3}), F64({3}), Long({3, 4}), F64({3, 4})})
      .Gradient({1, 3});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({3, 5})}, kInvalid,
          "Dimension 1 does not equal (no broadcasting is supported): sparse "
          "side 4 vs dense side 5");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({12})}, kInvalid,
          "Two operands have different ranks; received: 2 and 1");
  c.Error({Pairs({0, 4}), F32({1}), Long({3, 4}), F32({3, 4})}, kInvalid, "");
}

MR_CASES(SparseSoftmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 0, 3, 1, 0, 2, 0, 2, 1, 2, 3}), Rand(t, {6}),
          Long({3, 4})})
        .Tolerance(SlackOf(t));
  });
  c.Ok({Of(kI64, {4, 3}, {0, 0, 1, 0, 0, 2, 1, 0, 0, 1, 1, 1}), F32({4}),
        Long({2, 2, 3})});
  c.Ok({Pairs({2, 1, 0, 1, 2, 0}), F32({3}), Long({3, 4})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4})});
  c.Ok({Pairs({0, 1, 0, 3, 1, 0, 2, 0, 2, 1}), F64({5}), Long({3, 4})})
      .Gradient({1});
  c.Error({Of(kI64, {1, 1}, {0}), F32({1}), Long({3})}, kInvalid,
          "Input should have rank >= 2, but received shape: ");
}

}  // namespace millrace::cases
