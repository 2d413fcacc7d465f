#include "millrace/ops/train/optimizer.cases.h"

namespace millrace::cases {
namespace {

void DenseMomentum(CaseList& c, DataType t) {
  for (bool nesterov : {false, true}) {
    c.Ok({Var(Rand(t, {3, 7})), Var(Rand(t, {3, 7})), Full(t, {}, 0.25),
          Rand(t, {3, 7}), Full(t, {}, 0.5)},
         {{"use_nesterov", nesterov}});
  }
}

Optimizer Momentum() { return {2, {0.25}, {0.5}, Both("use_nesterov")}; }

}  // namespace

MR_CASES(ApplyMomentum)(CaseList& c) { c.EachType("T", DenseMomentum); }
MR_CASES(ResourceApplyMomentum)(CaseList& c) { c.EachType("T", DenseMomentum); }
MR_CASES(SparseApplyMomentum)(CaseList& c) { SparseCases(c, Momentum()); }
MR_CASES(ResourceSparseApplyMomentum)(CaseList& c) {
  SparseCases(c, Momentum());
}

}  // namespace millrace::cases
