#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseToDense)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs(kInt32, {0, 1, 2, 0, 2, 3}), Vec({3, 4}), Rand(t, {3}),
          Rand(t, {})});
  });
  for (const DataType i : {kInt32, kInt64}) {
    c.Ok({Vec(i, {1, 3, 4}), Vec(i, {6}), F32({3}), F32({})});
    c.Ok({Vec(i, {1, 3, 4}), Vec(i, {6}), F32({}), F32({})});
    c.Ok({Scalar(i, 2), Vec(i, {4}), F32({}), F32({})});
    c.Ok({Pairs(i, {2, 0, 0, 1, 2, 0}), Vec(i, {3, 4}), F32({3}), F32({})},
         {{"validate_indices", false}});
    c.Ok({Empty(i, {0, 2}), Vec(i, {2, 3}), Empty(kFloat, {0}), F32({})});
    c.Ok({Empty(i, {0, 2}), Vec(i, {0, 3}), Empty(kFloat, {0}), F32({})});
  }
  c.Ok({Pairs(kInt32, {0, 1, 2, 0}), Vec({3, 2}), F64({2}), F64({})})
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
  const AttrMap any = {{"validate_indices", false}};
  c.Ok({Vec({1, 1}), Vec({4}), F32({2}), F32({})}, any);
  c.Ok({Vec({2, 2, 0}), Vec({4}), F32({}), F32({})}, any);
  c.Ok({Pairs(kInt32, {0, 1, 0, 1, 0, 0}), Vec({2, 2}), F32({3}), F32({})},
       any);
  for (const double bad : {3., -1.}) {
    c.Error({Vec({1, bad}), Vec({3}), F32({2}), F32({})}, any, kInvalid,
            "Indices are not valid (out of bounds).  Shape: [3]")
        .Name("a place that is not there");
  }
  // More dimensions than most tensors have, and entries of which several are
  // wrong.
  c.Ok({Of(kInt64, {2, 10},
           {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2}),
        Of(kInt64, {10}, {2, 2, 1, 1, 1, 1, 1, 1, 2, 3}), F32({2}), F32({})});
  error(Of(kInt32, {3, 2}, {0, 1, 2, 5, 0, 9}), Vec({3, 5}), F32({3}), F32({}),
        "indices[1] = [2,5] is out of bounds: need 0 <= index < [3,5]");
  c.Error({Vec({0}), Vec({-3}), F32({1}), F32({})}, kInvalid, "")
      .NoShapeCheck();
}

}  // namespace millrace::cases
