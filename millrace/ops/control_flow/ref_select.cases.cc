#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(RefSelect)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const int index : {0, 1}) {
      c.Ok({Scalar(index), Var(Rand(t, {2, 3})), Var(Rand(t, {2, 3}))});
    }
  });
  c.Ok({Scalar(0), Var(F32({2}))});
  c.Ok({Scalar(2), Var(F32({2})), Var(F32({2})), Var(F32({3}))});
  const auto error = [&c](Value index, const char* words) {
    c.Error({std::move(index), Var(F32({2})), Var(F32({2}))},
            StatusCode::kInvalidArgument, words)
        .NoShapeCheck();
  };
  error(Scalar(2), "Index must be in the range [0, 2) but got 2");
  error(Scalar(-1), "Index must be in the range [0, 2) but got -1");
  error(Vec({1}), "Index must be a scalar, but it has shape [1]");
  c.Error({Scalar(0), Var(F32({2})), Uninitialized(DataType::kFloat, {2})},
          StatusCode::kFailedPrecondition,
          "Attempting to use uninitialized value");
}

}  // namespace millrace::cases
