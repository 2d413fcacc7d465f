#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Affine)(CaseList& c) {
  const AttrMap line = {{"scale", 3.0f}, {"offset", -0.5f}};
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}, line);
    c.Ok({Rand(t, {})});
    c.Ok({Empty(t, {0, 4})}, line);
    c.Ok({Mixed(t, {40})}, line);
    // Long enough for two threads.
    c.Ok({Rand(t, {100'000})}, line);
  });
  c.Ok({F64({5})}, line).Gradient();
  c.Error({F32({2})}, {{"scale", std::numeric_limits<float>::infinity()}},
          StatusCode::kInvalidArgument, "scale and offset must be finite");
  c.BuildError({I32({2})}, {},
               "Value for attr 'T' of int32 is not in the list");
}

}  // namespace millrace::cases
