#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Adadelta() { return {3, {0.5, 0.75, 0.125}, {}}; }

}  // namespace

MR_CASES(ApplyAdadelta)(CaseList& c) { DenseCases(c, Adadelta()); }
MR_CASES(ResourceApplyAdadelta)(CaseList& c) { DenseCases(c, Adadelta()); }
MR_CASES(SparseApplyAdadelta)(CaseList& c) { SparseCases(c, Adadelta()); }
MR_CASES(ResourceSparseApplyAdadelta)(CaseList& c) {
  SparseCases(c, Adadelta());
}

}  // namespace millrace::cases
