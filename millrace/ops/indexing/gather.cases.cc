#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(GatherV2)(CaseList& c) {
  c.EachType("Tparams", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3}), Vec({4, 0, 0, 2}), Scalar(0)});
    c.Ok({Rand(t, {2, 5}), Vec({4, 0, 2}), Scalar(1)});
  });
  for (DataType t : {DataType::kInt16, DataType::kInt64}) {
    c.Ok({F32({5, 3}), Of(t, {2, 2}, {4, 0, 1, 2}), Scalar(0)});
  }
  c.Ok({F32({3, 4, 5}), Vec({1, 0, 1}), Scalar(DataType::kInt64, -2)})
      .Gradient({0});
  c.Ok({F32({5, 3}), Scalar(2), Scalar(0)}).Gradient({0});
  c.Ok({F32({2, 4, 3}), Of(DataType::kInt32, {2, 2}, {3, 1, 0, 0}), Scalar(1)},
       {{"batch_dims", 1}});
  c.Ok({F32({2, 3, 4}), Of(DataType::kInt32, {2, 2}, {3, 1, 0, 0}), Scalar(2)},
       {{"batch_dims", 1}});
  c.Ok({F32({2, 3, 4}), Of(DataType::kInt32, {2, 3, 1}, {3, 1, 0, 0, 2, 2}),
        Scalar(2)},
       {{"batch_dims", -1}})
      .Deviates("stock infers a wrong rank while the axis is unknown");
  c.Ok({F32({5, 70}), Vec({4, 0, 0, 2, 1, 3}), Scalar(0)});
  c.Ok({Iota(DataType::kFloat, {1000, 16}),
        Rand(DataType::kInt32, {3000}, 0, 1000), Scalar(0)});
  c.Ok({F32({5, 0}), Vec({7}), Scalar(0)});
  c.Ok({F32({5, 3}), Empty(DataType::kInt32, {0, 2}), Scalar(0)});
  const auto error = [&c](Value params, Value indices, int axis,
                          const char* words) {
    c.Error({std::move(params), std::move(indices), Scalar(axis)},
            StatusCode::kInvalidArgument, words);
  };
  error(F32({4}), Vec({4}), 0, "indices[0] = 4 is not in [0, 4)");
  error(F32({2, 4}), Of(DataType::kInt32, {2, 1}, {0, -1}), 1,
        "indices[1,0] = -1 is not in [0, 4)");
  error(Empty(DataType::kFloat, {0, 4}), Vec({0}), 0,
        "indices[0] = 0 is not in [0, 0)");
  error(F32({4}), Scalar(9), 0, "indices = 9 is not in [0, 4)");
  c.Error({F32({2, 2}), Of(DataType::kInt32, {2, 1}, {1, 2}), Scalar(1)},
          {{"batch_dims", 1}}, StatusCode::kInvalidArgument,
          "indices[1,0] = 2 is not in [0, 2)");
  c.Error({F32({2, 4}), Of(DataType::kInt32, {3, 1}, {3, 1, 1}), Scalar(1)},
          {{"batch_dims", 1}}, StatusCode::kInvalidArgument,
          "params.shape[0]: 2 should be equal to indices.shape[0]: 3");
  c.Error({F32({2, 4}), Of(DataType::kInt32, {2, 1}, {3, 1}), Scalar(0)},
          {{"batch_dims", 1}}, StatusCode::kInvalidArgument,
          "batch_dims (1) must be less than or equal to axis (0).");
  c.BuildError({F32({4}), Vec({3}), Scalar(1)}, {},
               "Shape must be at least rank 2 but is rank 1");
}

MR_CASES(Gather)(CaseList& c) {
  c.EachType("Tparams", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3}), Vec({4, 0, 2})});
  });
  c.Ok({F32({5, 3}), Of(DataType::kInt64, {2, 2}, {4, 0, 1, 2})}).Gradient({0});
  c.Error({F32({4}), Vec({4})}, StatusCode::kInvalidArgument,
          "indices[0] = 4 is not in [0, 4)");
}

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

MR_CASES(ScatterNd)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(DataType::kInt32, {3, 1}, {1, 3, 1}), Rand(t, {3}), Vec({4})});
    c.Ok({Of(DataType::kInt32, {2, 1}, {2, 0}), Rand(t, {2, 3}), Vec({4, 3})});
  });
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
    c.Error({std::move(indices), std::move(updates), std::move(shape)},
            StatusCode::kInvalidArgument, words);
  };
  const Value three = Of(DataType::kInt32, {1, 1}, {3});
  error(Of(DataType::kInt32, {1, 1}, {4}), F32({1}), Vec({4}),
        "indices[0] = [4] does not index into shape [4]");
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
