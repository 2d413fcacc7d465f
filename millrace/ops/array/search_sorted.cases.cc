#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Searches(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const DataType out : {DataType::kInt32, DataType::kInt64}) {
      c.Ok({Of(t, {2, 5}, {0, 3, 9, 9, 10, 1, 2, 3, 4, 5}),
            Of(t, {2, 3}, {2, 4, 9, 0, 2, 6})},
           {{"out_type", out}});
    }
    // Rows that are not sorted.
    c.Ok({Rand(t, {3, 20}), Rand(t, {3, 30})});
  });
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  c.Ok({Values<float>({2, 3}, {1, 2, nan, nan, 1, 2}),
        Values<float>({2, 4}, {nan, 1, 5, inf, nan, 1, 5, -inf})});
  c.Ok({Iota(DataType::kInt32, {1, 5000}), I32({1, 3000})});
  c.Ok({Empty(DataType::kFloat, {2, 0}), F32({2, 3})});
  c.Ok({F32({2, 3}), Empty(DataType::kFloat, {2, 0})});
  c.Ok({Empty(DataType::kFloat, {0, 3}), Empty(DataType::kFloat, {0, 2})});
  const auto error = [&c](Value sorted, Value values, const char* words) {
    c.Error({std::move(sorted), std::move(values)},
            StatusCode::kInvalidArgument, words)
        .NoShapeCheck();
  };
  error(F32({1, 2}), F32({2, 1}),
        "Leading dim_size of both tensors must match.");
  error(F32({2}), F32({2}),
        "Shape must be rank 2 but is rank 1 for `sorted_inputs` argument");
  error(F32({1, 2}), F32({2}),
        "Shape must be rank 2 but is rank 1 for `values` argument");
  error(F32({1, 1, 2}), F32({1, 2}),
        "Shape must be rank 2 but is rank 3 for `sorted_inputs` argument");
  c.BuildError({F32({2}), F32({1, 2})}, {},
               "Shape must be rank 2 but is rank 1");
}

}  // namespace

MR_CASES(LowerBound)(CaseList& c) { Searches(c); }
MR_CASES(UpperBound)(CaseList& c) { Searches(c); }

}  // namespace millrace::cases
