#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Sign() { return {2, {0.25, 0.5, 0.75, 0.5}, {}}; }

}  // namespace

MR_CASES(ApplyAddSign)(CaseList& c) { DenseCases(c, Sign()); }
MR_CASES(ResourceApplyAddSign)(CaseList& c) { DenseCases(c, Sign()); }
MR_CASES(ApplyPowerSign)(CaseList& c) { DenseCases(c, Sign()); }
MR_CASES(ResourceApplyPowerSign)(CaseList& c) { DenseCases(c, Sign()); }

}  // namespace millrace::cases
