#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(DynamicPartition)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5}), Vec({1, 0, 2, 1, 1})}, {{"num_partitions", 3}});
    c.Ok({Rand(t, {3, 2}), Vec({1, 1, 0})}, {{"num_partitions", 2}});
  });
  c.Ok({F32({2, 2, 3}), Of(DataType::kInt32, {2, 2}, {1, 0, 0, 1})},
       {{"num_partitions", 3}})
      .Gradient({0});
  c.Ok({F32({3}), Scalar(1)}, {{"num_partitions", 2}});
  c.Ok({Empty(DataType::kFloat, {0, 3}), Empty(DataType::kInt32, {0})},
       {{"num_partitions", 2}});
  c.Error({F32({2, 2}), Vec({0, 1, 1})}, {{"num_partitions", 2}},
          StatusCode::kInvalidArgument,
          "data.shape must start with partitions.shape, got data.shape = "
          "[2,2], partitions.shape = "
          "[3]");
  c.Error({F32({3}), Vec({0, 1, 2})}, {{"num_partitions", 2}},
          StatusCode::kInvalidArgument, "partitions[2] = 2 is not in [0, 2)")
      .Name("a part that is not there");
  c.Error({F32({3}), Vec({0, 1, -2})}, {{"num_partitions", 2}},
          StatusCode::kInvalidArgument, "partitions[2] = -2 is not in [0, 2)")
      .Name("a part that is not there");
}

MR_CASES(DynamicStitch)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({0, 3}), Vec({2, 1, 3}), Rand(t, {2, 2}), Rand(t, {3, 2})});
    c.Ok({Scalar(1), Vec({0, 2}), Rand(t, {}), Rand(t, {2})});
  });
  c.Ok({Of(DataType::kInt32, {2, 2}, {3, 0, 1, 2}), F32({2, 2, 5})})
      .Gradient({1});
  c.Ok({Empty(DataType::kInt32, {0}), Empty(DataType::kFloat, {0, 3})});
  c.Error({Vec({-1}), F32({1})}, StatusCode::kInvalidArgument,
          "indices[0] is out of range");
  c.Error({Vec({0, 1}), F32({1})}, StatusCode::kInvalidArgument,
          "data[0].shape = [1] does not start with indices[0].shape = [2]");
  c.Error({Vec({0}), Vec({1}), F32({1}), F32({1, 2})},
          StatusCode::kInvalidArgument,
          "Need data[0].shape[1:] = data[1].shape[1:]");
  c.Error({Vec({2147483647}), F32({1})}, StatusCode::kInvalidArgument,
          "Expected a non-negative size, got")
      .NoStock("its client cannot hold the size that it infers");
}

MR_CASES(ParallelDynamicStitch)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({0, 3}), Vec({2, 1}), Rand(t, {2, 2}), Rand(t, {2, 2})});
  });
  c.Ok({Vec({3, 0}), Vec({1, 2}), F32({2, 3}), F32({2, 3})}).Gradient({2, 3});
  c.Error({Vec({-1}), F32({1})}, StatusCode::kInvalidArgument,
          "indices[0] is out of range");
}

}  // namespace millrace::cases
