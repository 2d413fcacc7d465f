#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

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
