#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(CompareAndBitpack)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 16}), Rand(t, {})});
    c.Ok({Rand(t, {8}), Scalar(t, 0)});
  });
  c.Ok({MixedNoNan(DataType::kFloat, {40}), F32({})});
  c.Ok({F32({1000, 80}), F32({})});
  c.Ok({F32({3, 0}), F32({})});
  c.Ok({F32({0, 8}), F32({})});
  const auto error = [&c](Value input, Value threshold, const char* words) {
    c.Error({std::move(input), std::move(threshold)},
            StatusCode::kInvalidArgument, words);
  };
  error(F32({8}), F32({1}), "Compare must be a scalar, but saw shape: [1]");
  error(F32({}), F32({}),
        "Input should be at least a vector, but saw a scalar.");
  error(F32({8, 12}), F32({}),
        "Inner dimension of input should be divisible by 8, but saw shape: "
        "[8,12]");
  c.BuildError({F32({12}), F32({})}, {},
               "Dimension size must be evenly divisible by 8");
}

}  // namespace millrace::cases
