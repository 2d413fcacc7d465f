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
  // Several blocks of rows, of one to four coordinates.
  c.Ok({F32({9}), Rand(DataType::kInt32, {300, 1}, 0, 9)});
  c.Ok({F32({9, 3, 2}), Rand(DataType::kInt64, {300, 2}, 0, 3)});
  c.Ok({F32({3, 4, 5}), Rand(DataType::kInt32, {300, 3}, 0, 3)});
  c.Ok({F32({2, 3, 4, 5}), Rand(DataType::kInt64, {300, 4}, 0, 2)});
  c.Ok({F32({3, 4}), Vec({2, 3})});
  c.Ok({F32({3, 4}), Empty(DataType::kInt32, {0, 2})});
  c.Ok({F32({2, 2}), Of(DataType::kInt32, {2, 2}, {0, 0, 2, 0})},
       {{"bad_indices_policy", "IGNORE"}})
      .Gradient({0});
  const Value params = F32({2, 2});
  c.Error(
       {params, Of(DataType::kInt32, {2, 2}, {0, 0, 2, 0})},
       StatusCode::kInvalidArgument,
       "indices[1] = [2, 0] does not index into param shape [2,2], node name: ")
      .Name("a place that is not there");
  c.Error({params, Of(DataType::kInt32, {1, 2}, {0, -1})},
          {{"bad_indices_policy", "ERROR"}}, StatusCode::kInvalidArgument,
          "indices[0] = [0, -1] does not index into param shape")
      .Name("a place that is not there");
  c.Error(
      {params, Of(DataType::kInt32, {1, 3}, {0, 0, 0})},
      StatusCode::kInvalidArgument,
      "index innermost dimension length must be <= params rank; saw: 3 vs. 2");
  c.Error({Empty(DataType::kFloat, {0, 2}), Of(DataType::kInt32, {1, 1}, {0})},
          StatusCode::kInvalidArgument,
          "Requested more than 0 entries, but params is empty.  Params shape: "
          "[0,2]");
}

MR_CASES(ResourceGatherNd)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({Var(Rand(t, {3, 4})), Of(DataType::kInt32, {2, 2}, {2, 3, 0, 1})},
         {{"dtype", t}});
    c.Ok({Var(Rand(t, {3, 4})), Of(DataType::kInt64, {2, 1}, {2, 0})},
         {{"dtype", t}});
  });
  const AttrMap type = {{"dtype", DataType::kFloat}};
  c.Ok({Var(F32({2, 3, 4})), Of(DataType::kInt32, {2, 1, 2}, {1, 2, 0, 0})},
       type);
  c.Ok({Var(F32({4, 3})), Empty(DataType::kInt32, {2, 0})}, type);
  c.Ok({Var(F32({3, 4})), Vec({2, 3})}, type);
  c.Ok({Var(F32({3, 4})), Empty(DataType::kInt32, {0, 1})}, type);
  c.Ok({Var(F32({500, 70})), Rand(DataType::kInt32, {400, 1}, 0, 500)}, type);
  const auto error = [&](Value variable, Value indices, const char* words) {
    return &c.Error({Var(std::move(variable)), std::move(indices)}, type,
                    StatusCode::kInvalidArgument, words)
                .NoShapeCheck();
  };
  error(F32({4, 3}), Of(DataType::kInt32, {2, 1}, {1, 4}),
        "indices[1] = [4] does not index into param shape [4,3], node name: ")
      ->Name("a place that is not there");
  error(F32({4, 3}), Of(DataType::kInt32, {1, 2, 1}, {1, -1}),
        "indices[0,1] = [-1] does not index into param shape [4,3]")
      ->Name("a place that is not there");
  error(F32({4, 3}), Of(DataType::kInt32, {1, 3}, {1, 1, 1}),
        "index innermost dimension length must be <= params rank; saw: 3");
  error(F32({4, 3}), Scalar(1), "indices must be at least a vector");
  error(F32({}), Empty(DataType::kInt32, {1, 0}),
        "params must be at least a vector");
  error(Empty(DataType::kFloat, {0, 3}), Of(DataType::kInt32, {1, 1}, {0}),
        "Requested more than 0 entries, but params is empty.");
}

}  // namespace millrace::cases
