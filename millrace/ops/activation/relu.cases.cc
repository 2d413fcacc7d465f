#include <cmath>
#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void ReluTypes(CaseList& c, DataType t) {
  c.Ok({Rand(t, {2, 19}, -9, 9)});
  c.Ok({Empty(t, {0, 2})});
}
void ReluGradTypes(CaseList& c, DataType t) {
  c.Ok({Rand(t, {2, 19}), Rand(t, {2, 19}, -9, 9)});
}
// Adds values next to where the slope changes, with gradients that are NaN or
// infinite.
void ReluGradEdges(CaseList& c, DataType t) {
  const double inf = std::numeric_limits<double>::infinity();
  const double tiny = t == DataType::kDouble ? 1e-310 : 1e-40;
  const Value x = Vec(t, {0, -0.0, tiny, -tiny, 2e-38, -2e-38, 5.9999995, 6,
                          6.01, inf, -inf, NAN, 3.4e38, -1, 1, 2});
  for (const double dy : {2.0, inf, static_cast<double>(NAN)}) {
    c.Ok({Full(t, {16}, dy), x});
  }
}

}  // namespace

MR_CASES(Relu)(CaseList& c) {
  c.EachType("T", ReluTypes);
  c.Ok({F64({3, 4})}).Gradient();
  c.Ok({Mixed(DataType::kFloat, {3, 11})});
  c.Ok({F32({2, 3, 1, 2, 2})});
}
MR_CASES(ReluGrad)(CaseList& c) {
  c.EachType("T", ReluGradTypes);
  for (const DataType t : {DataType::kFloat, DataType::kDouble}) {
    ReluGradEdges(c, t);
  }
  c.Ok({F32({3, 5}), Mixed(DataType::kFloat, {3, 5})});
}
MR_CASES(Relu6)(CaseList& c) {
  c.EachType("T", ReluTypes);
  c.Ok({F64({3, 4})}).Gradient();
}
MR_CASES(Relu6Grad)(CaseList& c) {
  c.EachType("T", ReluGradTypes);
  for (const DataType t : {DataType::kFloat, DataType::kDouble}) {
    ReluGradEdges(c, t);
  }
}

}  // namespace millrace::cases
