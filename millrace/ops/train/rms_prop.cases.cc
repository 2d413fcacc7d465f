#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer RmsProp() { return {3, {0.25, 0.75, 0.5, 0.125}, {}}; }
Optimizer Centered() { return {4, {0.25, 0.75, 0.5, 4}, {}}; }

}  // namespace

MR_CASES(ApplyRMSProp)(CaseList& c) { DenseCases(c, RmsProp()); }
MR_CASES(ResourceApplyRMSProp)(CaseList& c) { DenseCases(c, RmsProp()); }
MR_CASES(SparseApplyRMSProp)(CaseList& c) { SparseCases(c, RmsProp()); }
MR_CASES(ResourceSparseApplyRMSProp)(CaseList& c) { SparseCases(c, RmsProp()); }
MR_CASES(ApplyCenteredRMSProp)(CaseList& c) { DenseCases(c, Centered()); }
MR_CASES(ResourceApplyCenteredRMSProp)(CaseList& c) {
  DenseCases(c, Centered());
}
MR_CASES(SparseApplyCenteredRMSProp)(CaseList& c) {
  SparseCases(c, Centered());
}
MR_CASES(ResourceSparseApplyCenteredRMSProp)(CaseList& c) {
  SparseCases(c, Centered());
}

}  // namespace millrace::cases
