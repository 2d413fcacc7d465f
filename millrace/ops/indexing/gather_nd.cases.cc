#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(GatherNd)(CaseList& c) {
  c.EachType("Tparams", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 4}), Of(DataType::kInt32, {2, 2}, {2, 3, 0, 1})});
    c.Ok({Rand(t, {3, 4}), Of(DataType::kInt32, {2, 1}, {2, 0})});
  });
  for (DataType t : {DataType::kInt16, DataType::kInt64}) {
    c.Ok({F32({2, 3, 4}), Of(t, {2, 1, 2}, {1, 2, 0, 0})}).Gradient({0});
  }
  c.Ok({F32({4}), Empty(DataType::kInt32, {2, 0})});
  c.Ok({F32({3, 4}), Vec({2, 3})});
  c.Ok({F32({3, 4}), Empty(DataType::kInt32, {0, 2})});
  c.Ok({F32({2, 2}), Of(DataType::kInt32, {2, 2}, {0, 0, 2, 0})},
       {{"bad_indices_policy", "IGNORE"}})
      .Gradient({0});
  const Value params = F32({2, 2});
  c.Error(
      {params, Of(DataType::kInt32, {2, 2}, {0, 0, 2, 0})},
      StatusCode::kInvalidArgument,
      "indices[1] = [2, 0] does not index into param shape [2,2], node name: ");
  c.Error({params, Of(DataType::kInt32, {1, 2}, {0, -1})},
          {{"bad_indices_policy", "ERROR"}}, StatusCode::kInvalidArgument,
          "indices[0] = [0, -1] does not index into param shape");
  c.Error(
      {params, Of(DataType::kInt32, {1, 3}, {0, 0, 0})},
      StatusCode::kInvalidArgument,
      "index innermost dimension length must be <= params rank; saw: 3 vs. 2");
  c.Error({Empty(DataType::kFloat, {0, 2}), Of(DataType::kInt32, {1, 1}, {0})},
          StatusCode::kInvalidArgument,
          "Requested more than 0 entries, but params is empty.  Params shape: "
          "[0,2]");
}

}  // namespace millrace::cases
