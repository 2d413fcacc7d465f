#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void EachElementType(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
  c.Ok({Empty(DataType::kFloat, {0, 2})});
  c.Ok({Mixed(DataType::kDouble, {4})});
}

}  // namespace

MR_CASES(Identity)(CaseList& c) {
  EachElementType(c);
  c.Ok({F32({3, 4})}).Gradient();
  c.Ok({F32({3, 4})}).RefInput(0);
}

MR_CASES(IdentityN)(CaseList& c) {
  c.Ok({F32({2}), I64({3, 1}), Str({"a", "b"})});
  c.Ok({F64({2}), F64({3})}).Gradient();
}

MR_CASES(RefIdentity)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Case& k = c.Ok({Var(Rand(t, {2, 3}))});
    if (t == DataType::kQint16)
      k.NoStock("cannot assign to a variable of this type");
  });
}

MR_CASES(StopGradient)(CaseList& c) { EachElementType(c); }

MR_CASES(PreventGradient)(CaseList& c) {
  EachElementType(c);
  c.Ok({F32({2})}, {{"message", "no"}});
}

MR_CASES(DebugGradientIdentity)(CaseList& c) { EachElementType(c); }

MR_CASES(DebugGradientRefIdentity)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Case& k = c.Ok({Var(Rand(t, {2, 3}))});
    if (t == DataType::kQint16)
      k.NoStock("cannot assign to a variable of this type");
  });
}

MR_CASES(GuaranteeConst)(CaseList& c) { EachElementType(c); }

MR_CASES(Snapshot)(CaseList& c) { EachElementType(c); }

MR_CASES(DeepCopy)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Case& k = c.Ok({Rand(t, {2, 3})});
    if (IsQuantized(t)) k.NoStock("has no code for quantized types");
  });
  c.Ok({F32({100, 50})});
  c.Ok({I32({2})});
  c.Ok({Str({"a", "b"})});
}

}  // namespace millrace::cases
