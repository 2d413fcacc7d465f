#include "millrace/ops/layout/pads.cases.h"

namespace millrace::cases {

MR_CASES(Pad)(CaseList& c) {
  c.Ok({F32({90, 30, 3}), Pads({0, 0, 1, 1, 1, 0})});
  c.Ok({Rand(DataType::kUint8, {90, 30, 5}), Pads({1, 0, 1, 1, 0, 2})});
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Pads({1, 0, 2, 1})});
  });
  c.Ok({F32({2, 3, 2}), Pads({0, 1, 1, 0, 0, 0}, DataType::kInt64)})
      .Gradient({0});
  c.Ok({F32({}), Empty(DataType::kInt32, {0, 2})});
  c.Ok({F32({3}), Pads({0, 0})});
  c.Ok({Empty(DataType::kFloat, {0, 2}), Pads({1, 1, 0, 0})});
  c.Ok({F32({8, 20, 20, 3}), Pads({0, 0, 2, 3, 1, 1, 0, 0})});
  c.Ok({F32({40, 50}), Pads({3, 4, 0, 70})});
  c.Error(
      {F32({2}), Pads({1, 1, 1, 1})}, StatusCode::kInvalidArgument,
      "The first dimension of paddings must be the rank of inputs[2,2] [2]");
  c.Error({F32({2}), Pads({-1, 1})}, StatusCode::kInvalidArgument,
          "Paddings must be non-negative: -1 1");
  c.Error({F32({2}), Pads({4611686018427387904.0, 4611686018427387904.0},
                          DataType::kInt64)},
          StatusCode::kInvalidArgument, "Expected a non-negative size, got");
  c.BuildError({F32({2}), Pads({-1, 1})}, {}, "Paddings must be non-negative");
  c.Ok({F32({2, 3}), Pads({0, 0, 0, 0})});
}

MR_CASES(PadV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Pads({1, 0, 2, 1}), Rand(t, {})});
  });
  c.Ok({F32({2, 3}), Pads({1, 0, 0, 1}, DataType::kInt64), F32({})})
      .Gradient({0});
  c.Error({F32({2}), Pads({1, 1}), F32({1})}, StatusCode::kInvalidArgument,
          "constant_values must be a scalar. Found: [1]");
  c.Ok({F32({2, 3}), Pads({0, 0, 0, 0}), Scalar(DataType::kFloat, 1)});
}

}  // namespace millrace::cases
