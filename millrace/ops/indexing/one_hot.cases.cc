#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(OneHot)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({1, -1, 3, 0}), Scalar(3), Rand(t, {}), Rand(t, {})});
  });
  c.EachType("TI", [](CaseList& c, DataType t) {
    c.Ok({Of(t, {2, 2}, {1, 0, 3, 2}), Scalar(3), F32({}), F32({})},
         {{"axis", 1}});
  });
  c.Ok(
      {Of(DataType::kInt32, {2, 2}, {1, 0, 2, 2}), Scalar(3), F32({}), F32({})},
      {{"axis", 0}});
  c.Ok({Scalar(1), Scalar(4), F32({}), F32({})});
  c.Ok({Vec({1, 2}), Scalar(0), F32({}), F32({})});
  c.Ok({Rand(DataType::kInt64, {500}, 0, 12), Scalar(10), F32({}), F32({})});
  const auto error = [&c](int depth, int axis, const char* words) {
    Case& k = c.Error({Vec({1}), Scalar(depth), F32({}), F32({})},
                      {{"axis", axis}}, StatusCode::kInvalidArgument, words);
    if (axis > 1)
      k.Deviates("stock infers a shape although the axis does not exist");
  };
  error(-3, -1, "depth must be non-negative, got: -3");
  c.BuildError({Vec({1}), Scalar(3), F32({}), F32({})}, {{"axis", -2}},
               "axis must be >= -1");
  error(3, 2, "Expected axis to be -1 or between [0, 2).  But received: 2");
}

}  // namespace millrace::cases
