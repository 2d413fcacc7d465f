#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(ReadVariableOp)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (t == DataType::kQint16 || t == DataType::kQuint16) {
      c.Error({Uninitialized(t, {2})}, {{"dtype", t}},
              StatusCode::kFailedPrecondition, "variable");
    } else {
      c.Ok({Var(Rand(t, {2, 3}))}, {{"dtype", t}});
    }
  });
  c.Error({Uninitialized(kFloat, {2})}, {{"dtype", kFloat}},
          StatusCode::kFailedPrecondition, "variable");
}

}  // namespace millrace::cases
