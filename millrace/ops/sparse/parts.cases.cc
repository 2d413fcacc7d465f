#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseConcat)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 1, 2, 0}), Pairs({0, 0, 1, 2}), Rand(t, {2}), Rand(t, {2}),
          Long({3, 4}), Long({3, 5})},
         {{"concat_dim", 1}});
  });
  for (const int axis : {0, -1, -2, 1}) {
    c.Ok({Pairs({2, 0, 0, 1}), NoPairs(), Pairs({1, 1, 0, 0}), F32({2}),
          Empty(kFloat, {0}), F32({2}), Long({3, 2}), Long({3, 2}),
          Long({3, 2})},
         {{"concat_dim", axis}});
  }
  for (const int axis : {0, 1}) {
    c.Ok({Rand(kInt64, {3000, 2}, 0, 90), Rand(kInt64, {2000, 2}, 0, 90),
          F32({3000}), F32({2000}), Long({90, 90}), Long({90, 90})},
         {{"concat_dim", axis}})
        .NoStock("equal entries are in an order by chance");
  }
  // Coordinates outside of the shape are sorted, too; shapes of more elements
  // than 64 bits number with the entries, and of many dimensions.
  c.Ok({Pairs({0, 5, 0, 1}), Pairs({0, -1}), F32({2}), F32({1}), Long({2, 2}),
        Long({2, 2})},
       {{"concat_dim", 1}});
  c.Ok({Pairs({7, 1, 3, 1LL << 49, 3, 5}), Pairs({1000, 9, 0, 2}), F32({3}),
        F32({2}), Long({1024, 1LL << 50}), Long({1024, 1LL << 50})},
       {{"concat_dim", 0}});
  c.Ok({Of(kInt64, {2, 10}, {0, 1, 0, 1, 0, 1, 0, 1, 1, 1,  //
                             0, 1, 0, 1, 0, 1, 0, 1, 0, 1}),
        Of(kInt64, {1, 10}, {0, 1, 0, 0, 0, 1, 0, 1, 1, 1}), F32({2}), F32({1}),
        Vec(kInt64, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}),
        Vec(kInt64, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2})},
       {{"concat_dim", 3}});
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
    c.Ok({Scalar(kInt64, 1), Pairs({0, 1, 1, 4, 2, 0, 2, 6}), Rand(t, {4}),
          Long({3, 7})},
         {{"num_split", 3}});
  });
  for (const int axis : {0, -1}) {
    c.Ok({Scalar(kInt64, axis), Pairs({0, 1, 1, 3, 3, 0}), F32({3}),
          Long({4, 4})},
         {{"num_split", 2}});
  }
  c.Ok({Scalar(kInt64, 0), NoPairs(), Empty(kFloat, {0}), Long({4, 4})},
       {{"num_split", 4}});
  c.Error({Scalar(kInt64, 2), Pairs({0, 1}), F32({1}), Long({4, 4})},
          {{"num_split", 2}}, kInvalid, "Input axis should be in range [");
  c.Error({Scalar(kInt64, 0), Pairs({0, 1}), F32({1}), Long({4, 4})},
          {{"num_split", 5}}, kInvalid,
          "Input num_split should be between 1 and the splitting dimension "
          "size (4), got 5");
  c.Error({Scalar(kInt64, 0), Pairs({4, 1}), F32({1}), Long({4, 4})},
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
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4}), Long({0, 0}),
        Long({2, 2})});
  c.Ok({Rand(kInt64, {5000, 2}, 0, 90), F32({5000}), Long({90, 90}),
        Long({10, 20}), Long({50, 90})});
  c.Ok({in(), F64({4}), Long({3, 4}), Long({1, 0}), Long({2, 3})})
      .Gradient({1});
  c.Error({in(), F32({4}), Long({3, 4}), Long({1}), Long({2, 3})}, kInvalid,
          "Expected start to be a vector of length 2 but got length 1");
  c.Error({in(), F32({4}), Long({3, 4}), Long({1, 0}), Long({2, 3, 1})},
          kInvalid,
          "Expected size to be a vector of length 2 but got length 3");
  c.Error({in(), F32({4}), Long({3, 4}), Long({0, 0}), Long({-1, 3})}, kInvalid,
          "Expected a non-negative size, got -1")
      .NoStock("aborts or gives a negative size");
}

MR_CASES(SparseSliceGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2}), Pairs({0, 1, 1, 2, 2, 0, 2, 3}), Long({1, 0}),
          Pairs({0, 2, 1, 0})});
  });
  c.Ok({Empty(kFloat, {0}), Pairs({0, 1}), Long({1, 0}), NoPairs()});
  c.Error({F32({1}), Pairs({0, 1}), Long({1, 0}), Pairs({0, 1})},
          StatusCode::kInternal,
          "Elements of backprop_val_grad aren't all propagated");
  c.Error({F32({2}), Pairs({0, 1}), Long({0, 0}), Pairs({0, 1})}, kInvalid, "");
}

}  // namespace millrace::cases
