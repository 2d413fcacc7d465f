#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Adagrad() { return {2, {0.25}, {}, Both("update_slots")}; }
Optimizer AdagradV2() { return {2, {0.25, 0.5}, {}, Both("update_slots")}; }

}  // namespace

MR_CASES(ApplyAdagrad)(CaseList& c) { DenseCases(c, Adagrad()); }
MR_CASES(ResourceApplyAdagrad)(CaseList& c) { DenseCases(c, Adagrad()); }
MR_CASES(SparseApplyAdagrad)(CaseList& c) { SparseCases(c, Adagrad()); }
MR_CASES(ResourceSparseApplyAdagrad)(CaseList& c) { SparseCases(c, Adagrad()); }
MR_CASES(ApplyAdagradV2)(CaseList& c) { DenseCases(c, AdagradV2()); }
MR_CASES(ResourceApplyAdagradV2)(CaseList& c) { DenseCases(c, AdagradV2()); }
MR_CASES(SparseApplyAdagradV2)(CaseList& c) { SparseCases(c, AdagradV2()); }
MR_CASES(ResourceSparseApplyAdagradV2)(CaseList& c) {
  SparseCases(c, AdagradV2());
}

}  // namespace millrace::cases
