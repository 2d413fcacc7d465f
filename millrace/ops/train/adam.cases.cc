#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Adam(CaseList& c, DataType t) {
  for (bool nesterov : {false, true}) {
    Case& one = c.Ok({Var(Rand(t, {3, 7})), Var(Rand(t, {3, 7})),
                      Var(Rand(t, {3, 7}, 0.5, 2)), Full(t, {}, 0.5),
                      Full(t, {}, 0.25), Full(t, {}, 0.25), Full(t, {}, 0.5),
                      Full(t, {}, 0.5), Full(t, {}, 0.125), Rand(t, {3, 7})},
                     {{"use_nesterov", nesterov}});
    // Stock rounds to the type after each operation, here once at the end.
    if (t == DataType::kBfloat16) one.Tolerance(4e-2);
    if (t == DataType::kHalf) one.Tolerance(5e-3);
  }
}

}  // namespace

MR_CASES(ApplyAdam)(CaseList& c) { c.EachType("T", Adam); }
MR_CASES(ResourceApplyAdam)(CaseList& c) { c.EachType("T", Adam); }

}  // namespace millrace::cases
