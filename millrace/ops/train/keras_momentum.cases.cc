#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer KerasMomentum() { return {2, {0.25}, {0.5}, Both("use_nesterov")}; }

}  // namespace

MR_CASES(ResourceApplyKerasMomentum)(CaseList& c) {
  DenseCases(c, KerasMomentum());
}
MR_CASES(ResourceSparseApplyKerasMomentum)(CaseList& c) {
  SparseCases(c, KerasMomentum(), "is not in [0, 5)");
}

}  // namespace millrace::cases
