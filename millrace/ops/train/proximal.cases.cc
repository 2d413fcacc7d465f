#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

Optimizer Proximal() { return {1, {0.25, 0.5, 0.125}, {}}; }
Optimizer ProximalAdagrad() { return {2, {0.25, 0.5, 0.125}, {}}; }

}  // namespace

MR_CASES(ApplyProximalGradientDescent)(CaseList& c) {
  DenseCases(c, Proximal());
}
MR_CASES(ResourceApplyProximalGradientDescent)(CaseList& c) {
  DenseCases(c, Proximal());
}
MR_CASES(SparseApplyProximalGradientDescent)(CaseList& c) {
  SparseCases(c, Proximal());
}
MR_CASES(ResourceSparseApplyProximalGradientDescent)(CaseList& c) {
  SparseCases(c, Proximal());
}
MR_CASES(ApplyProximalAdagrad)(CaseList& c) {
  DenseCases(c, ProximalAdagrad());
}
MR_CASES(ResourceApplyProximalAdagrad)(CaseList& c) {
  DenseCases(c, ProximalAdagrad());
}
MR_CASES(SparseApplyProximalAdagrad)(CaseList& c) {
  SparseCases(c, ProximalAdagrad());
}
MR_CASES(ResourceSparseApplyProximalAdagrad)(CaseList& c) {
  SparseCases(c, ProximalAdagrad());
}

}  // namespace millrace::cases
