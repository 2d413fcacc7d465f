#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Compare(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 70}, -3, 3), Rand(t, {3, 70}, -3, 3)});
    c.Ok({Rand(t, {100}, -3, 3), Rand(t, {}, -3, 3)});
    c.Ok({Rand(t, {}, -3, 3), Rand(t, {100}, -3, 3)});
    c.Ok({Rand(t, {4, 1, 5}, -3, 3), Rand(t, {3, 1}, -3, 3)});
  });
  c.Ok({Mixed(kFloat, {30}), Mixed(kFloat, {30})});
  c.Ok({F32({60, 40}), F32({40})});
  // 4 floats have as many bytes as 16 results.
  c.Ok({F32({4}), F32({4, 4})});
  c.Ok({Empty(kFloat, {0}), F32({1})});
  c.Error({F32({3}), F32({2})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [3] vs. [2]");
}

void Equality(CaseList& c) {
  const AttrMap lenient({{"incompatible_shape_error", false}});
  c.Ok({F32({3}), F32({2})}, lenient);
  c.Ok({F32({3}), F32({3})}, lenient);
  c.Ok({F32({3}), F32({})}, lenient);
}

}  // namespace

MR_CASES(Equal)(CaseList& c) {
  Compare(c);
  Equality(c);
}
MR_CASES(NotEqual)(CaseList& c) {
  Compare(c);
  Equality(c);
}
MR_CASES(Less)(CaseList& c) { Compare(c); }
MR_CASES(LessEqual)(CaseList& c) { Compare(c); }
MR_CASES(Greater)(CaseList& c) { Compare(c); }
MR_CASES(GreaterEqual)(CaseList& c) { Compare(c); }
MR_CASES(ApproximateEqual)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {100}), Rand(t, {100})}, {{"tolerance", 0.5f}});
  });
  c.Ok({Mixed(kFloat, {30}), Mixed(kFloat, {30})});
  c.Ok({Vec(kFloat, {1, 1.5}), Vec(kFloat, {1.5, 1.5})}, {{"tolerance", 0.5f}});
  c.Error({F32({3, 1}), F32({3})}, StatusCode::kInvalidArgument,
          "x and y must be of the same shape. x shape: [3,1]. y shape: [3]");
}

}  // namespace millrace::cases
