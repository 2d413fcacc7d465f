#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Pairs(CaseList& c) {
  const std::initializer_list<double> shapes[][2] = {
      {{2, 3, 1}, {3, 4}}, {{2, 1}, {2, 1}},       {{1, 1, 3}, {1, 1, 1}},
      {{1}, {5}},          {{0, 1}, {1, 1}},       {{1, 4}, {4}},
      {{1}, {1}},          {{2, 1, 3}, {1, 1, 3}}, {{1, 2, 1, 3}, {1, 1, 3}},
      {{7, 8}, {7, 8}},    {{8}, {7, 1}},
  };
  for (const auto& s : shapes) {
    c.Ok({Vec(s[0]), Vec(s[1])});
    c.Ok({Vec(DataType::kInt64, s[1]), Vec(DataType::kInt64, s[0])});
  }
  c.Ok({Empty(DataType::kInt32, {0}), Vec({1, 2})});
  c.Ok({Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0})});
  c.Error({Vec({2}), Vec({3})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [2] vs. [3]");
  c.Error({Vec({2, 3}), Vec({3, 3})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [2,3] vs. [3,3]");
}

}  // namespace

MR_CASES(BroadcastGradientArgs)(CaseList& c) { Pairs(c); }
MR_CASES(BroadcastArgs)(CaseList& c) { Pairs(c); }

}  // namespace millrace::cases
