#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer AdagradDa() { return {3, {}, {0.25, 0.125, 0.5, 3}, {{}}, true}; }

}  // namespace

MR_CASES(ApplyAdagradDA)(CaseList& c) { DenseCases(c, AdagradDa()); }
MR_CASES(ResourceApplyAdagradDA)(CaseList& c) { DenseCases(c, AdagradDa()); }
MR_CASES(SparseApplyAdagradDA)(CaseList& c) { SparseCases(c, AdagradDa()); }
MR_CASES(ResourceSparseApplyAdagradDA)(CaseList& c) {
  SparseCases(c, AdagradDa());
}

}  // namespace millrace::cases
