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
            StatusCode::kInvalidArgument, words)
        .Name("a place that is not there");
  };
  error(F32({4}), Vec({4}), 0, "indices[0] = 4 is not in [0, 4)");
  error(F32({2, 4}), Of(DataType::kInt32, {2, 1}, {0, -1}), 1,
        "indices[1,0] = -1 is not in [0, 4)");
  error(Empty(DataType::kFloat, {0, 4}), Vec({0}), 0,
        "indices[0] = 0 is not in [0, 0)");
  error(F32({4}), Scalar(9), 0, "indices = 9 is not in [0, 4)");
  c.Error({F32({2, 2}), Of(DataType::kInt32, {2, 1}, {1, 2}), Scalar(1)},
          {{"batch_dims", 1}}, StatusCode::kInvalidArgument,
          "indices[1,0] = 2 is not in [0, 2)")
      .Name("a place that is not there");
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
          "indices[0] = 4 is not in [0, 4)")
      .Name("a place that is not there");
}

}  // namespace millrace::cases
