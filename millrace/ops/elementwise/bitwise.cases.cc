#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void BitwiseBinary(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, -100, 100), Rand(t, {3, 7}, 0, 9)});
    c.Ok({Rand(t, {100}, -100, 100), Rand(t, {}, 0, 9)});
    c.Ok({Rand(t, {3, 1}, -100, 100), Rand(t, {7}, 0, 9)});
    c.Ok({Mixed(t, {20}), Mixed(t, {20})});
  });
  c.Error({I32({3}), I32({2})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [3] vs. [2]");
}

void Unary(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 7}, -100, 100)});
    c.Ok({Mixed(t, {100})});
  });
  c.Ok({Empty(DataType::kInt32, {0})});
}

}  // namespace

MR_CASES(LeftShift)(CaseList& c) {
  BitwiseBinary(c);
  c.Ok({Vec({1, 1, 1, -1}), Vec({0, 31, 32, -1})});
}
MR_CASES(RightShift)(CaseList& c) {
  BitwiseBinary(c);
  c.Ok({Vec({-8, -8, 8, 8}), Vec({1, 33, 32, -1})});
}
MR_CASES(BitwiseAnd)(CaseList& c) { BitwiseBinary(c); }
MR_CASES(BitwiseOr)(CaseList& c) { BitwiseBinary(c); }
MR_CASES(BitwiseXor)(CaseList& c) { BitwiseBinary(c); }
MR_CASES(Invert)(CaseList& c) { Unary(c); }
MR_CASES(PopulationCount)(CaseList& c) { Unary(c); }

}  // namespace millrace::cases
