#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer AdaMax() { return {3, {0.5, 0.25, 0.25, 0.5, 0.125}, {}}; }

}  // namespace

MR_CASES(ApplyAdaMax)(CaseList& c) { DenseCases(c, AdaMax()); }
MR_CASES(ResourceApplyAdaMax)(CaseList& c) { DenseCases(c, AdaMax()); }

}  // namespace millrace::cases
