#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Cross)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 4, 3}), Rand(t, {2, 4, 3})});
  });
  c.Ok({F32({3}), F32({3})});
  c.Ok({F32({4000, 3}), F32({4000, 3})});
  c.Ok({F64({2, 3}), F64({2, 3})}).Gradient();
  c.Error({F32({2, 3}), F32({3, 3})}, StatusCode::kInvalidArgument,
          "Both inputs must be of same shape: [2,3] vs. [3,3]");
  c.Error({F32({2, 2}), F32({2, 2})}, StatusCode::kFailedPrecondition,
          "Cross-products are only defined for 3-element vectors.");
  c.Error({F32({}), F32({})}, StatusCode::kInvalidArgument,
          "Input must be at least 1D[]");
}

}  // namespace millrace::cases
