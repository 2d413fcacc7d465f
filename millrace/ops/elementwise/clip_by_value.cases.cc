#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(ClipByValue)(CaseList& c) {
  const DataType f = DataType::kFloat;
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, -9, 9), Scalar(t, 1), Scalar(t, 4)});
    c.Ok({Rand(t, {1100}, -9, 9), Rand(t, {1100}, 0, 2), Scalar(t, 4)});
    c.Ok({Rand(t, {3, 7}, -9, 9), Scalar(t, 1), Rand(t, {3, 7}, 2, 5)});
    c.Ok(
        {Rand(t, {3, 7}, -9, 9), Rand(t, {3, 7}, 0, 2), Rand(t, {3, 7}, 2, 5)});
  });
  c.Ok({Mixed(f, {40}), Scalar(f, -1), Scalar(f, 2)});
  c.Ok({F32({40}), Scalar(f, 2), Scalar(f, -1)});
  c.Ok({F32({}), Scalar(f, -1), Scalar(f, 1)});
  c.Ok({Empty(f, {0}), Scalar(f, -1), Scalar(f, 1)});
  const DataType d = DataType::kDouble;
  c.Ok({Rand(d, {6}, -3, 3), Rand(d, {6}, -2, -1), Rand(d, {6}, 0, 1)})
      .Gradient();
  c.Error(
      {F32({2, 2}), F32({2}), F32({})}, StatusCode::kInvalidArgument,
      "clip_value_min and clip_value_max must be either of the same shape as "
      "input, or a scalar. input shape: [2,2]clip_value_min shape: "
      "[2]clip_value_max shape: []");
  c.Error({F32({2}), F32({1}), F32({1})}, StatusCode::kInvalidArgument,
          "must be either of the same shape as input, or a scalar");
}

}  // namespace millrace::cases
