#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Where)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Case& given = c.Ok({Of(t, {2, 3}, {0, 1, 0, 2, 0, 3})});
    if (t == DataType::kHalf) given.NoStock("has no code for half");
    Case& random = c.Ok({Rand(t, {3, 2, 4}, 0, 2)});
    if (t == DataType::kHalf) random.NoStock("has no code for half");
  });
  c.Ok({Vec(DataType::kFloat,
            {0.0, -0.0, 1, std::numeric_limits<double>::quiet_NaN()})});
  c.Ok({Vec(DataType::kComplex128, {0, 1, -0.0})});
  c.Ok({Mixed(DataType::kBfloat16, {50})});
  c.Ok({Bool({70000})});
  c.Ok({Bool({300, 7, 40})});
  c.Ok({Empty(DataType::kBool, {0, 2})});
  c.Ok({Full(DataType::kBool, {4}, 0)});
  c.Error({Bool({})}, StatusCode::kInvalidArgument,
          "WhereOp : Unhandled input dimensions: 0");
}

}  // namespace millrace::cases
