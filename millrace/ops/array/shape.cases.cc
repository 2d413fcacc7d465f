#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void ForShapes(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3, 4})}); });
  c.Ok({F32({})});
  c.Ok({Str({"a", "b"})}, {{"out_type", DataType::kInt64}});
  c.Ok({Empty(DataType::kBool, {3, 0})});
  c.Ok({F32({1, 1, 1, 1, 1, 1})}, {{"out_type", DataType::kInt64}});
}

}  // namespace

MR_CASES(Shape)(CaseList& c) {
  ForShapes(c);
  c.Ok({F32({2, 3})}).RefInput(0);
}

MR_CASES(ShapeN)(CaseList& c) {
  ForShapes(c);
  c.Ok({F32({2, 3}), F32({}), F32({0, 5})});
  c.Ok({I64({2, 3}), I64({4})}, {{"out_type", DataType::kInt64}});
}

MR_CASES(Size)(CaseList& c) { ForShapes(c); }

MR_CASES(Rank)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3, 4})}); });
  c.Ok({F32({})});
  c.Ok({Str({"a", "b"})});
  c.Ok({Empty(DataType::kBool, {3, 0})});
}

}  // namespace millrace::cases
