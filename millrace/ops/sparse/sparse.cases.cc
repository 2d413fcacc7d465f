#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kI64 = DataType::kInt64;
constexpr DataType kI32 = DataType::kInt32;
constexpr DataType kF32 = DataType::kFloat;
constexpr DataType kF64 = DataType::kDouble;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

Value Long(std::initializer_list<double> v) { return Vec(kI64, v); }
// Coordinates of n entries in two dimensions.
Value Pairs(DataType t, std::initializer_list<double> v) {
  return Of(t, TensorShape({static_cast<int64_t>(v.size() / 2), 2}), v);
}
Value Pairs(std::initializer_list<double> v) { return Pairs(kI64, v); }
Value Triples(std::initializer_list<double> v) {
  return Of(kI64, TensorShape({static_cast<int64_t>(v.size() / 3), 3}), v);
}
Value NoPairs() { return Empty(kI64, {0, 2}); }

double SlackOf(DataType t) {
  return t == DataType::kHalf || t == DataType::kBfloat16 ? 2e-2 : 1e-5;
}

}  // namespace

MR_CASES(SparseToDense)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs(kI32, {0, 1, 2, 0, 2, 3}), Vec({3, 4}), Rand(t, {3}),
          Rand(t, {})});
  });
  for (const DataType i : {kI32, kI64}) {
    c.Ok({Vec(i, {1, 3, 4}), Vec(i, {6}), F32({3}), F32({})});
    c.Ok({Vec(i, {1, 3, 4}), Vec(i, {6}), F32({}), F32({})});
    c.Ok({Scalar(i, 2), Vec(i, {4}), F32({}), F32({})});
    c.Ok({Pairs(i, {2, 0, 0, 1, 2, 0}), Vec(i, {3, 4}), F32({3}), F32({})},
         {{"validate_indices", false}});
    c.Ok({Empty(i, {0, 2}), Vec(i, {2, 3}), Empty(kF32, {0}), F32({})});
    c.Ok({Empty(i, {0, 2}), Vec(i, {0, 3}), Empty(kF32, {0}), F32({})});
  }
  c.Ok({Pairs(kI32, {0, 1, 2, 0}), Vec({3, 2}), F64({2}), F64({})})
      .Gradient({2, 3});
  const auto error = [&c](Value i, Value s, Value v, Value d,
                          const char* words) {
    c.Error({std::move(i), std::move(s), std::move(v), std::move(d)}, kInvalid,
            words);
  };
  error(I32({1, 2, 3}), Vec({3}), F32({1}), F32({}),
        "sparse_indices should be a scalar, vector, or matrix, got shape "
        "[1,2,3]");
  error(Vec({0, 1}), Vec({3, 2}), F32({2}), F32({}),
        "output_shape has incorrect number of elements: 2 should be: 1");
  error(Vec({0, 1}), Vec({3}), F32({3}), F32({}),
        "sparse_values has incorrect shape [3], should be [] or [2]");
  error(Vec({0, 1}), Vec({3}), F32({2}), F32({1}),
        "default_value should be a scalar.");
  error(Vec({0, 3}), Vec({3}), F32({2}), F32({}),
        "indices[1] = [3] is out of bounds: need 0 <= index < [3]");
  error(Vec({-1, 2}), Vec({3}), F32({2}), F32({}), "is out of bounds");
  error(Vec({1, 1}), Vec({3}), F32({2}), F32({}), "is repeated");
  error(Vec({1, 0}), Vec({3}), F32({2}), F32({}), "is out of order");
  c.Error({Vec({1, 3}), Vec({3}), F32({2}), F32({})},
          {{"validate_indices", false}}, kInvalid, "out of bounds");
  c.Error({Vec({0}), Vec({-3}), F32({1}), F32({})}, kInvalid, "")
      .NoShapeCheck();
}

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
          "Number of columns of indices is 2")
      .NoStock("reads beyond the coordinates");
}

MR_CASES(SparseFillEmptyRows)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 2, 0, 2, 3}), Rand(t, {3}), Long({5, 4}), Rand(t, {})});
  });
  c.Ok({Pairs({2, 3, 0, 1, 2, 0, 0, 0}), F32({4}), Long({4, 4}), F32({})});
  c.Ok({Pairs({0, 1, 1, 0}), F32({2}), Long({2, 4}), F32({})});
  c.Ok({Pairs({1, 1, 0, 0}), F32({2}), Long({2, 4}), F32({})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), F32({})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({0, 4}), F32({})});
  c.Ok({Pairs({0, 1, 2, 0}), F64({2}), Long({4, 4}), F64({})}).Gradient({1, 3});
  // More places than can be counted.
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
  c.Error({NoPairs(), Empty(kF32, {0}), Long({1e15, 4}), F32({})},
          StatusCode::kResourceExhausted, "")
      .NoStock("allocates without a bound");
}

MR_CASES(SparseFillEmptyRowsGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Long({3, 0, 4}), Rand(t, {6})}).Tolerance(SlackOf(t));
  });
  c.Ok({Empty(kI64, {0}), F32({3})});
  c.Ok({Empty(kI64, {0}), Empty(kF32, {0})});
  c.Error({Long({0, 3}), F32({3})}, kInvalid,
          "Elements in reverse index must be in [0, 3) but got 3");
}

MR_CASES(SparseReorder)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({2, 3, 0, 1, 2, 0, 1, 1}), Rand(t, {4}), Long({3, 4})});
  });
  c.Ok({Pairs({0, 1, 2, 3}), F32({2}), Long({3, 4})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4})});
  c.Ok({Triples({1, 0, 2, 1, 0, 1, 0, 4, 4}), F32({3}), Long({2, 5, 5})});
  c.Ok({Pairs({2, 3, 0, 1, 2, 0}), F64({3}), Long({3, 4})}).Gradient({1});
  c.Error({Pairs({0, 1, 2, 3}), F32({3}), Long({3, 4})}, kInvalid, "")
      .NoShapeCheck();
}

MR_CASES(SparseConcat)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 2, 0}), Pairs({0, 0, 1, 2}), Rand(t, {2}), Rand(t, {2}),
          Long({3, 4}), Long({3, 5})},
         {{"concat_dim", 1}});
  });
  for (const int axis : {0, -1, -2, 1}) {
    c.Ok({Pairs({2, 0, 0, 1}), NoPairs(), Pairs({1, 1, 0, 0}), F32({2}),
          Empty(kF32, {0}), F32({2}), Long({3, 2}), Long({3, 2}), Long({3, 2})},
         {{"concat_dim", axis}});
  }
  const auto error = [&c](Value a, Value b, int axis, const char* words) {
    c.Error({Pairs({0, 1}), Pairs({0, 0}), F32({1}), F32({1}), std::move(a),
             std::move(b)},
            {{"concat_dim", axis}}, kInvalid, words);
  };
  error(Long({3, 4}), Long({2, 4}), 1,
        "Input shapes must match: expected 3 for dimension 0 but got 2 at "
        "position 1");
  error(Long({3, 4}), Long({3, 4}), 2,
        "Concat dimension must be in range [-2, 2), got 2");
  c.Error({Pairs({0, 1}), Triples({0, 0, 0}), F32({1}), F32({1}), Long({3, 4}),
           Long({3, 4, 5})},
          {{"concat_dim", 0}}, kInvalid, "")
      .NoShapeCheck();
}

MR_CASES(SparseSplit)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Scalar(kI64, 1), Pairs({0, 1, 1, 4, 2, 0, 2, 6}), Rand(t, {4}),
          Long({3, 7})},
         {{"num_split", 3}});
  });
  for (const int axis : {0, -1}) {
    c.Ok(
        {Scalar(kI64, axis), Pairs({0, 1, 1, 3, 3, 0}), F32({3}), Long({4, 4})},
        {{"num_split", 2}});
  }
  c.Ok({Scalar(kI64, 0), NoPairs(), Empty(kF32, {0}), Long({4, 4})},
       {{"num_split", 4}});
  c.Error({Scalar(kI64, 2), Pairs({0, 1}), F32({1}), Long({4, 4})},
          {{"num_split", 2}}, kInvalid, "Input axis should be in range [");
  c.Error({Scalar(kI64, 0), Pairs({0, 1}), F32({1}), Long({4, 4})},
          {{"num_split", 5}}, kInvalid,
          "Input num_split should be between 1 and the splitting dimension "
          "size (4), got 5");
  c.Error({Scalar(kI64, 0), Pairs({4, 1}), F32({1}), Long({4, 4})},
          {{"num_split", 2}}, kInvalid, "is out of bounds")
      .NoStock("reports it in other words, where at all");
}

MR_CASES(SparseSlice)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 1, 2, 2, 0, 2, 3}), Rand(t, {4}), Long({3, 4}),
          Long({1, 0}), Long({2, 3})});
  });
  const auto in = [] { return Pairs({0, 1, 1, 2, 2, 0, 2, 3}); };
  c.Ok({in(), F32({4}), Long({3, 4}), Long({1, 2}), Long({7, 7})});
  c.Ok({in(), F32({4}), Long({3, 4}), Long({3, 0}), Long({1, 4})});
  c.Ok({in(), F32({4}), Long({3, 4}), Long({0, 0}), Long({0, 4})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), Long({0, 0}), Long({2, 2})});
  c.Ok({in(), F64({4}), Long({3, 4}), Long({1, 0}), Long({2, 3})})
      .Gradient({1});
  c.Error({in(), F32({4}), Long({3, 4}), Long({1}), Long({2, 3})}, kInvalid,
          "Expected start to be a vector of length 2 but got length 1");
  c.Error({in(), F32({4}), Long({3, 4}), Long({1, 0}), Long({2, 3, 1})},
          kInvalid,
          "Expected size to be a vector of length 2 but got length 3");
  c.Error({in(), F32({4}), Long({3, 4}), Long({0, 0}), Long({-1, 3})}, kInvalid,
          "size[0] must be >= 0, but is -1")
      .NoStock("aborts or gives a negative size");
}

MR_CASES(SparseSliceGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2}), Pairs({0, 1, 1, 2, 2, 0, 2, 3}), Long({1, 0}),
          Pairs({0, 2, 1, 0})});
  });
  c.Ok({Empty(kF32, {0}), Pairs({0, 1}), Long({1, 0}), NoPairs()});
  c.Error({F32({1}), Pairs({0, 1}), Long({1, 0}), Pairs({0, 1})},
          StatusCode::kInternal,
          "Elements of backprop_val_grad aren't all propagated");
  c.Error({F32({2}), Pairs({0, 1}), Long({0, 0}), Pairs({0, 1})}, kInvalid, "");
}

MR_CASES(SparseTensorDenseMatMul)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({2, 1, 0, 1, 2, 3, 2, 1}), Rand(t, {4}), Long({3, 4}),
          Rand(t, {4, 5})})
        .Tolerance(SlackOf(t));
    c.Ok({Pairs({2, 1, 0, 1, 2, 3}), Rand(t, {3}), Long({3, 4}),
          Rand(t, {2, 3})},
         {{"adjoint_a", true}, {"adjoint_b", true}})
        .Tolerance(SlackOf(t));
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
  c.Ok({Pairs(kI32, {1, 0}), F32({1}), Long({2, 3}), F32({3, 2})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 4}), F32({4, 5})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({0, 4}), F32({4, 5})});
  c.Ok({NoPairs(), Empty(kF32, {0}), Long({3, 0}), Empty(kF32, {0, 5})});
  // More places than can be counted.
  c.Ok({Pairs({1, 7}), F32({1}), Long({10, 0x1p60}),
        Empty(kF32, {int64_t{1} << 60, 0})});
  c.Error({Pairs({0, 1}), F32({1}), Long({3, 4}), F32({3, 2})}, kInvalid, "")
      .NoShapeCheck();
  c.Error({Pairs({0, 4}), F32({1}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "k (4) from index[0,1] out of bounds (>=4)");
  c.Error({Pairs({3, 0}), F32({1}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "m (3) from index[0,0] out of bounds (>=3)");
  c.Error({Pairs({0, 1}), F32({2}), Long({3, 4}), F32({4, 2})}, kInvalid,
          "Number of rows of a_indices does not match number of entries in "
          "a_values");
}

namespace {

void Reduces(CaseList& c, bool gradient) {
  const auto in = [] { return Triples({0, 1, 2, 0, 3, 2, 1, 1, 0, 1, 3, 2}); };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({in(), Rand(t, {4}), Long({2, 4, 3}), Vec({1})}).Tolerance(SlackOf(t));
  });
  for (const bool keep : {false, true}) {
    const AttrMap attrs = {{"keep_dims", keep}};
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Vec({-1, 0})}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Scalar(2)}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Vec({0, 1, 2})}, attrs);
    c.Ok({in(), F32({4}), Long({2, 4, 3}), Empty(kI32, {0})}, attrs);
    c.Ok({Empty(kI64, {0, 3}), Empty(kF32, {0}), Long({2, 4, 3}), Vec({1})},
         attrs);
    if (gradient) {
      c.Ok({in(), F64({4}), Long({2, 4, 3}), Vec({0, -1})}, attrs)
          .Gradient({1});
    }
  }
  c.Error({in(), F32({4}), Long({2, 4, 3}), Vec({3})}, kInvalid,
          "Invalid reduction dimension 3, for input with 3 dimensions.")
      .NoShapeCheck();
}

}  // namespace

MR_CASES(SparseReduceSum)(CaseList& c) { Reduces(c, true); }
MR_CASES(SparseReduceMax)(CaseList& c) { Reduces(c, false); }
MR_CASES(SparseReduceSumSparse)(CaseList& c) { Reduces(c, false); }
MR_CASES(SparseReduceMaxSparse)(CaseList& c) { Reduces(c, false); }

}  // namespace millrace::cases
