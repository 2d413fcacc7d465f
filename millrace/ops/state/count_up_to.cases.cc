#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(CountUpTo)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Var(Scalar(t, 2))}, {{"limit", 3}});
    c.Error({Var(Scalar(t, 3))}, {{"limit", 3}}, StatusCode::kOutOfRange,
            "Reached limit of 3");
  });
}

MR_CASES(ResourceCountUpTo)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Var(Scalar(t, 2))}, {{"limit", 3}, {"T", t}});
    c.Error({Var(Scalar(t, 3))}, {{"limit", 3}, {"T", t}},
            StatusCode::kOutOfRange, "Reached limit of 3");
  });
}

}  // namespace millrace::cases
