#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(SpaceToDepth)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 4, 6, 3})}, {{"block_size", 2}});
  });
  c.Ok({F64({1, 3, 6, 2})}, {{"block_size", 3}}).Gradient();
  c.BuildError({F32({1, 3, 6, 2})}, {{"block_size", 2}},
               "Dimension size must be evenly divisible by 2 but is 3");
}

MR_CASES(DepthToSpace)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 2, 3, 12})}, {{"block_size", 2}});
  });
  c.Ok({F64({1, 2, 1, 18})}, {{"block_size", 3}}).Gradient();
  c.BuildError({F32({1, 3, 6, 6})}, {{"block_size", 2}},
               "Dimension size must be evenly divisible by 4 but is 6");
}

}  // namespace millrace::cases
