#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

DataType RealOf(DataType t) {
  return t == DataType::kComplex64    ? kFloat
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
  c.Ok({Pairs({0, 1, 1, 0}), Of(kFloat, {2}, {1, 2}), Long({3, 4}),
        Pairs({0, 1, 1, 0}), Of(kFloat, {2}, {-1, 3}), Long({3, 4}),
        Scalar(kFloat, 0.5)});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), Pairs({1, 1}), F32({1}),
        Long({3, 4}), Scalar(kFloat, 0)});
  c.Ok({Pairs({0, 1, 1, 0}), F64({2}), Long({3, 4}), Pairs({0, 2, 1, 0}),
        F64({2}), Long({3, 4}), Scalar(DataType::kDouble, 0)})
      .Gradient({1, 4});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 5}), Scalar(kFloat, 0)},
          kInvalid,
          "Operands' shapes do not match: got 4 and 5 for dimension 1");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 4}), Vec(kFloat, {0})},
          kInvalid, "The magnitude threshold must be a scalar: got shape [1]");
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({2}),
           Long({3, 4}), Scalar(kFloat, 0)},
          kInvalid, "Expected 1 and 1 non-empty input values, got 1 and 2");
  c.Error({Triples({0, 1, 0}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 4}), Scalar(kFloat, 0)},
          kInvalid, "Input indices must have the same dimension, got 3 and 2");
}

MR_CASES(SparseAddGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4}), Pairs({0, 1, 1, 0, 2, 3}), Pairs({0, 0, 1, 0, 2, 3}),
          Pairs({0, 0, 0, 1, 1, 0, 2, 3})});
    c.Ok({Rand(t, {3}), Pairs({0, 1, 1, 0, 2, 3}), Pairs({0, 0, 1, 0, 2, 3}),
          Pairs({0, 0, 0, 1, 2, 3})});
  });
  c.Ok({Empty(kFloat, {0}), Pairs({0, 1}), NoPairs(), NoPairs()});
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
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), Pairs({1, 1}), F32({1}),
        Long({3, 4})});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), Pairs({0, 0}), F32({1}),
           Long({3, 5})},
          kInvalid, "shapes do not match");
  // The second operand is a tensor whose only entry is at [0, 0].
  const auto fails = [&c](Value indices, Value values, Value shape,
                          const char* words) {
    c.Error({std::move(indices), std::move(values), std::move(shape),
             Pairs({0, 0}), F32({1}), Long({3, 4})},
            kInvalid, words);
  };
  fails(Pairs({0, 4}), F32({1}), Long({3, 4}),
        "Sparse index tuple indices[0, :] = [0, 4] is out of bounds");
  fails(Pairs({-1, 0}), F32({1}), Long({3, 4}),
        "Sparse index tuple indices[0, :] = [-1, 0] is out of bounds");
  fails(Pairs({0, 1}), F32({2}), Long({3, 4}),
        "Number of elements in indices (1) and values (2) do not match");
  fails(Pairs({0, 1}), F32({1, 1}), Long({3, 4}),
        "Sparse values must be rank 1 but is rank 2");
  fails(Long({0}), F32({1}), Long({3, 4}),
        "Sparse indices must be rank 2 but is rank 1");
  fails(Pairs({0, 1}), F32({1}), Long({3, 4, 5}),
        "Index rank (2) and shape rank (3) do not match");
  fails(Triples({0, 1, 0}), F32({1}), Long({3, 4, 5}),
        "Operands do not have the same ranks; got shapes: 3 4 5 and 3 4");
}

}  // namespace

MR_CASES(SparseSparseMaximum)(CaseList& c) { Extremes(c); }
MR_CASES(SparseSparseMinimum)(CaseList& c) { Extremes(c); }

}  // namespace millrace::cases
