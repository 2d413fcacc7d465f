#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

MR_CASES(CheckNumerics)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}, {{"message", "m"}});
    c.Error({Of(t, {2}, {1, kNan})}, {{"message", "m"}},
            StatusCode::kInvalidArgument, "m : Tensor had NaN values");
    c.Error({Of(t, {2}, {-kInf, 1})}, {{"message", "m"}},
            StatusCode::kInvalidArgument, "m : Tensor had Inf values");
  });
  c.Ok({F32({3})}, {{"message", "m"}}).Gradient();
  c.Error({Vec(DataType::kFloat, {kInf, kNan})}, {{"message", "both"}},
          StatusCode::kInvalidArgument, "both : Tensor had Inf and NaN values");
}

MR_CASES(CheckNumericsV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}, {{"message", "m"}});
  });
  const auto error = [&c](std::initializer_list<double> values,
                          const char* words) {
    c.Error({Vec(DataType::kFloat, values)}, {{"message", "m"}},
            StatusCode::kInvalidArgument, words);
  };
  error({kNan, 1}, "m : Tensor had NaN values");
  error({kInf, 1}, "m : Tensor had +Inf values");
  error({-kInf, 1}, "m : Tensor had -Inf values");
  error({kInf, -kInf}, "m : Tensor had -Inf and +Inf values");
  error({kInf, kNan}, "m : Tensor had +Inf and NaN values");
  error({-kInf, kNan, kInf}, "m : Tensor had -Inf, +Inf, and NaN values");
}

}  // namespace millrace::cases
