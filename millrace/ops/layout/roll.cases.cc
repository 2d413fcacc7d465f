#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Roll)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 4}), Vec({1, -1, 1}), Vec({0, 1, 1})});
    c.Ok({Rand(t, {3, 4}), Scalar(-2), Scalar(1)});
  });
  c.Ok({F32({3, 4}), Vec(DataType::kInt64, {100}), Vec(DataType::kInt64, {-2})})
      .Gradient({0});
  c.Ok({F32({3, 4, 5}), Vec({1, 2, 3}), Vec({0, 1, 2})});
  c.Ok({F32({3, 4}), Vec({4}), Vec({1})});
  c.Ok({Empty(DataType::kFloat, {0, 4}), Vec({4}), Vec({0})});
  c.Ok({F32({70, 80}), Vec({33}), Vec({0})});
  c.Error({F32({2}), Scalar(1), Scalar(1)}, StatusCode::kInvalidArgument,
          "axis 1 is out of range");
  c.Error({F32({2}), Scalar(1), Scalar(-2)}, StatusCode::kInvalidArgument,
          "axis -1 is out of range");
  c.Error({F32({2}), Vec({1, 2}), Scalar(0)}, StatusCode::kInvalidArgument,
          "shift and axis must have the same size");
}

}  // namespace millrace::cases
