#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(Bincount)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({1, 1, 2, 5}), Scalar(4), Empty(t, {0})});
    c.Ok({Vec({1, 1, 2, 5}), Scalar(4), Rand(t, {4})});
  });
  c.Ok({Of(DataType::kInt32, {2, 2}, {1, 1, 2, 0}), Scalar(3), F32({2, 2})});
  c.Ok({Of(DataType::kInt32, {2, 2}, {1, 1, 2, 0}), Scalar(3), F32({4})});
  c.Ok({Empty(DataType::kInt32, {0}), Scalar(0), Empty(kFloat, {0})});
  c.Error({Vec({1, -1}), Scalar(3), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument, "Input arr must be non-negative!")
      .Name("a number that the host does not see");
  c.Error({Vec({1, 1}), Scalar(-3), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument, "size (-3) must be non-negative");
  c.Error({Vec({1, 1, 2}), Scalar(3), F32({2})}, StatusCode::kInvalidArgument,
          "Input indices and weights must have the same size.");
  c.Error({Vec({1}), Vec({3}), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument, "Shape must be rank 0 but is rank 1");
}

MR_CASES(DenseBincount)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.EachType("Tidx", [t](CaseList& c, DataType i) {
      c.Ok({Vec(i, {1, 1, 2, 5}), Scalar(i, 4), Empty(t, {0})});
      c.Ok({Of(i, {2, 2}, {1, 1, 2, 0}), Scalar(i, 3), Rand(t, {2, 2})});
    });
    c.Ok({Of(DataType::kInt32, {2, 2}, {1, 1, 2, 0}), Scalar(3),
          Rand(t, {2, 2})},
         {{"binary_output", true}});
  });
  c.Ok({Vec({1, 1, 2}), Scalar(3), Empty(kFloat, {0})},
       {{"binary_output", true}});
  c.Ok({Scalar(1), Scalar(3), Empty(kFloat, {0})})
      .Deviates("stock's shape function says it is a scalar");
  c.Error({Vec({1, -1}), Scalar(3), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument, "Input arr must be non-negative!")
      .Name("a number that the host does not see");
  c.Error(
       {Of(DataType::kInt32, {1, 2}, {1, -1}), Scalar(3), Empty(kFloat, {0})},
       StatusCode::kInvalidArgument,
       "Input 'in' must be non-negative! Negative input value found: -1")
      .Name("a number that the host does not see");
  c.Error({Vec({1, 1}), Scalar(-3), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument, "size (-3) must be non-negative");
  c.Error({Vec({1, 1, 2}), Scalar(3), F32({2})}, StatusCode::kInvalidArgument,
          "Received [2]");
  c.Error({I32({1, 1, 1}), Scalar(3), Empty(kFloat, {0})},
          StatusCode::kInvalidArgument,
          "Shape must be at most rank 2 but is rank 3");
}

}  // namespace millrace::cases
