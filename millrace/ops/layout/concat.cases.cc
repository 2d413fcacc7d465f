#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(ConcatV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Rand(t, {2, 1}), Rand(t, {2, 4}), Scalar(1)});
    c.Ok({Rand(t, {2, 3}), Rand(t, {1, 3}), Scalar(0)});
  });
  c.Ok({F32({2, 3}), F32({2, 2}), Scalar(-1)}).Gradient({0, 1});
  c.Ok({F32({100, 30}), F32({100, 41}), Scalar(DataType::kInt64, 1)});
  c.Ok({F32({3000, 1}), F32({3000, 1}), F32({3000, 1}), Scalar(1)});
  c.Ok({Empty(DataType::kFloat, {0, 3}), F32({2, 3}), Scalar(0)});
  c.Ok({Empty(DataType::kFloat, {0, 3}), Empty(DataType::kFloat, {0, 3}),
        Scalar(0)});
  c.Ok({F32({2}), F32({3}), Vec({0})}).NoShapeCheck();
  const auto error = [&c](Value a, Value b, Value axis, const char* words) {
    c.Error({std::move(a), std::move(b), std::move(axis)},
            StatusCode::kInvalidArgument, words);
  };
  error(F32({2}), F32({2}), Scalar(1),
        "ConcatOp : Expected concatenating dimensions in the range [-1, 1), "
        "but got 1");
  error(F32({2}), F32({2}), Scalar(-2),
        "ConcatOp : Expected concatenating dimensions in the range [-1, 1), "
        "but got -2");
  error(F32({2}), F32({2, 2}), Scalar(0), "ConcatOp : Ranks of all input");
  error(F32({2, 2}), F32({2, 3}), Scalar(0),
        "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,2] "
        "vs. shape[1] = "
        "[2,3]");
  c.BuildError({F32({}), F32({}), Scalar(0)}, {},
               "Can't concatenate scalars (use tf.stack instead)");
  c.BuildError({F32({2, 2}), F32({2, 3}), Scalar(0)}, {},
               "must be equal, but are 2 and 3");
  c.Ok({F32({2, 3}), Empty(DataType::kFloat, {0, 3}), Scalar(0)});
  c.Ok({Empty(DataType::kFloat, {0}), F32({3}), Scalar(0)});
}

MR_CASES(Concat)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Scalar(1), Rand(t, {2, 3}), Rand(t, {2, 1})});
  });
  c.Ok({Scalar(-1), F32({2}), F32({3})}).Gradient({1, 2});
  c.Error({Scalar(4), F32({2}), F32({2})}, StatusCode::kInvalidArgument,
          "ConcatOp : Expected concatenating dimensions in the range [-1, 1), "
          "but got 4");
}

MR_CASES(ConcatOffset)(CaseList& c) {
  c.Ok({Scalar(1), Vec({2, 2, 5}), Vec({2, 3, 5}), Vec({2, 7, 5})});
  c.Ok({Scalar(-1), Vec(DataType::kInt64, {2, 2}),
        Vec(DataType::kInt64, {2, 3})});
  c.Error({Scalar(3), Vec({2, 2}), Vec({2, 2})}, StatusCode::kInvalidArgument,
          "Concat dim is out of range: 3 vs. 2");
  c.Error({Scalar(0), Vec({2, 2}), Vec({2, 3})}, StatusCode::kInvalidArgument,
          "All dimensions except 0 must match. Input 1 has shape [2 3] and "
          "doesn't match input 0 "
          "with shape [2 2].");
  c.Error({Scalar(0), Vec({2, 2}), Vec({2})}, StatusCode::kInvalidArgument,
          "input 1 should contain 2 elements, but got 1");
}

}  // namespace millrace::cases
