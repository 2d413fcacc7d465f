#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(L2Loss)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {3, 10})}); });
  c.Ok({F64({3, 5})}).Gradient();
  c.Ok({F32({20000})}).Tolerance(1e-4);
  c.Ok({Empty(DataType::kFloat, {0})});
}

}  // namespace millrace::cases
