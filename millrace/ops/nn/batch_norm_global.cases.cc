#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(BatchNormWithGlobalNormalization)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const bool scale : {false, true}) {
      c.Ok({Rand(t, {2, 3, 4, 5}), Rand(t, {5}), Rand(t, {5}, 0.5, 2),
            Rand(t, {5}), Rand(t, {5})},
           {{"variance_epsilon", 0.01f}, {"scale_after_normalization", scale}})
          .Tolerance(t == DataType::kHalf ? 2e-2 : 1e-5);
    }
  });
  // There are no gradients: graphs of the current version refuse the op.
}

}  // namespace millrace::cases
