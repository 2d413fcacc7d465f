#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(ScatterNd)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(DataType::kInt32, {3, 1}, {1, 3, 1}), Rand(t, {3}), Vec({4})});
    c.Ok({Of(DataType::kInt32, {2, 1}, {2, 0}), Rand(t, {2, 3}), Vec({4, 3})});
  });
  for (const DataType t : {DataType::kHalf, DataType::kBfloat16}) {
    c.Ok({Of(DataType::kInt32, {3, 1}, {2, 0, 2}), Rand(t, {3, 300}),
          Vec({4, 300})});
  }
  c.Ok({Of(DataType::kInt64, {2, 2}, {2, 0, 1, 1}), F32({2, 3}),
        Vec(DataType::kInt64, {4, 2, 3})})
      .Gradient({1});
  c.Ok({Of(DataType::kInt32, {50, 1},
           {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2,
            3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2,
            8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7, 5, 1}),
        F32({50, 300}), Vec({10, 300})});
  c.Ok({Empty(DataType::kInt32, {0, 1}), Empty(DataType::kFloat, {0}),
        Vec({4})});
  c.Ok({Of(DataType::kInt32, {3, 1}, {4, 1, 1}), F32({3}), Vec({4})},
       {{"bad_indices_policy", "IGNORE"}});
  const auto error = [&c](Value indices, Value updates, Value shape,
                          const char* words) {
    return &c.Error({std::move(indices), std::move(updates), std::move(shape)},
                    StatusCode::kInvalidArgument, words);
  };
  const Value three = Of(DataType::kInt32, {1, 1}, {3});
  error(Of(DataType::kInt32, {1, 1}, {4}), F32({1}), Vec({4}),
        "indices[0] = [4] does not index into shape [4]")
      ->Name("a place that is not there");
  error(
      three, F32({2}), Vec({4}),
      "Dimensions [0,1) of indices[shape=[1,1]] must match dimensions [0,1) of "
      "updates[shape=[2]]");
  error(three, F32({1, 2}), Vec({4}),
        "Dimensions [1,1) of input[shape=[4]] must match dimensions");
  error(Of(DataType::kInt32, {1, 2}, {3, 1}), F32({1}), Vec({4}),
        "Dimensions [2,1) of input[shape=[4]] must match dimensions");
  error(three, F32({1}), Vec({-4}), "Dimension -4 must be >= 0");
  error(three, F32({1}), Vec({0}), "Indices and updates specified for empty");
}

}  // namespace millrace::cases
