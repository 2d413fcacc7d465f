#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void Vectors(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec(t, {3, 1, 3, 2, 1, 0, 7})});
    c.Ok({Rand(t, {200})}, {{"out_idx", DataType::kInt64}});
  });
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf,
                     DataType::kBfloat16}) {
    c.Ok({Vec(t, {kNan, 1, kNan, -0.0, 0.0})});
  }
  c.Ok({Empty(DataType::kFloat, {0})});
  c.Ok({Str({"b", "a", "b", "", "a"})});
}

void Axes(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Of(t, {3, 2}, {1, 1, 1, 2, 1, 1}), Vec({0})});
    c.Ok({Of(t, {2, 3}, {1, 1, 2, 1, 1, 1}), Vec({-1})},
         {{"out_idx", DataType::kInt64}});
  });
  c.Ok({Of(DataType::kInt32, {2, 2, 3}, {1, 2, 1, 3, 4, 3, 5, 6, 5, 7, 8, 7}),
        Vec(DataType::kInt64, {2})});
  c.Ok({F32({4}), Vec({0})});
  c.Ok({F32({4}), Empty(DataType::kInt64, {0})});
  c.Ok({Empty(DataType::kFloat, {0, 3}), Vec({0})});
  c.Ok({Empty(DataType::kFloat, {3, 0}), Vec({0})});
  c.Ok({Str({2, 2}, {"a", "bc", "ab", "c"}), Vec({0})});
  c.Error({F32({1, 1}), Vec({0, 1})}, StatusCode::kInvalidArgument,
          "axis does not support input tensors larger than 1 elements");
  c.Error({F32({1, 1}), Vec({2})}, StatusCode::kInvalidArgument,
          "axis has to be between [0, 2)");
  c.Error({F32({1, 2}), Empty(DataType::kInt32, {0})},
          StatusCode::kInvalidArgument, "unique expects a 1D vector.");
}

}  // namespace

MR_CASES(Unique)(CaseList& c) { Vectors(c); }
MR_CASES(UniqueWithCounts)(CaseList& c) { Vectors(c); }
MR_CASES(UniqueV2)(CaseList& c) { Axes(c); }
MR_CASES(UniqueWithCountsV2)(CaseList& c) { Axes(c); }

MR_CASES(ListDiff)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec(t, {3, 1, 3, 2, 1, 0, 7}), Vec(t, {1, 7, 9})});
  });
  c.Ok({Vec(DataType::kFloat, {kNan, 0.0, 1}),
        Vec(DataType::kFloat, {kNan, -0.0})},
       {{"out_idx", DataType::kInt64}});
  c.Ok({Empty(DataType::kInt32, {0}), Vec({1})});
  c.Ok({Vec({1, 2, 1}), Empty(DataType::kInt32, {0})});
}

}  // namespace millrace::cases
