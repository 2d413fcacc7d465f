#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Ftrl() {
  return {3, {}, {0.25, 0.125, 0.5, -0.5}, Both("multiply_linear_by_lr")};
}
Optimizer FtrlV2() {
  return {3, {}, {0.25, 0.125, 0.5, 0.25, -0.5}, Both("multiply_linear_by_lr")};
}

}  // namespace

MR_CASES(ApplyFtrl)(CaseList& c) { DenseCases(c, Ftrl()); }
MR_CASES(ResourceApplyFtrl)(CaseList& c) { DenseCases(c, Ftrl()); }
MR_CASES(SparseApplyFtrl)(CaseList& c) { SparseCases(c, Ftrl()); }
MR_CASES(ResourceSparseApplyFtrl)(CaseList& c) { SparseCases(c, Ftrl()); }
MR_CASES(ApplyFtrlV2)(CaseList& c) { DenseCases(c, FtrlV2()); }
MR_CASES(ResourceApplyFtrlV2)(CaseList& c) { DenseCases(c, FtrlV2()); }
MR_CASES(SparseApplyFtrlV2)(CaseList& c) { SparseCases(c, FtrlV2()); }
MR_CASES(ResourceSparseApplyFtrlV2)(CaseList& c) { SparseCases(c, FtrlV2()); }

}  // namespace millrace::cases
