#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Activation(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 19}, -9, 9)});
    c.Ok({Empty(t, {0, 2})});
  });
  c.Ok({F64({3, 4})}).Gradient();
  c.Ok({Rand(DataType::kFloat, {257}, -60, 60)});
  c.Ok({Mixed(DataType::kFloat, {3, 11})});
  c.Ok({F32({2, 3, 1, 2, 2})});
  c.Ok({F32({})});
}
void ActivationGrad(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 19}), Rand(t, {2, 19}, -3, 3)});
  });
  c.Ok({F32({3, 5}), MixedNoNan(DataType::kFloat, {3, 5})});
}

}  // namespace

MR_CASES(Softplus)(CaseList& c) { Activation(c); }
MR_CASES(Softsign)(CaseList& c) { Activation(c); }
MR_CASES(Elu)(CaseList& c) { Activation(c); }
MR_CASES(Selu)(CaseList& c) { Activation(c); }
MR_CASES(LeakyRelu)(CaseList& c) {
  Activation(c);
  c.Ok({F32({3, 7})}, {{"alpha", 0.5f}});
  c.Ok({F32({3, 7})}, {{"alpha", 1.5f}});
  for (const DataType t : {DataType::kHalf, DataType::kBfloat16}) {
    c.Ok({Rand(t, {1025})});
  }
}
MR_CASES(SoftplusGrad)(CaseList& c) {
  ActivationGrad(c);
  c.Ok({F64({3, 4}), F64({3, 4})}).Gradient();
}
MR_CASES(SoftsignGrad)(CaseList& c) { ActivationGrad(c); }
MR_CASES(EluGrad)(CaseList& c) {
  ActivationGrad(c);
  c.Ok({F64({3, 4}), F64({3, 4})}).Gradient();
}
MR_CASES(SeluGrad)(CaseList& c) {
  ActivationGrad(c);
  c.Ok({F64({3, 4}), F64({3, 4})}).Gradient();
}
MR_CASES(LeakyReluGrad)(CaseList& c) {
  ActivationGrad(c);
  c.Ok({F32({3, 7}), F32({3, 7})}, {{"alpha", 0.5f}});
  c.Ok({Rand(DataType::kHalf, {1025}), Rand(DataType::kHalf, {1025}, -3, 3)});
  c.Ok({F64({3, 4}), F64({3, 4})}).Gradient();
}

}  // namespace millrace::cases
