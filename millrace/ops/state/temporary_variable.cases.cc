#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(TemporaryVariable)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (!IsPlain(t) || t == DataType::kQint16) return;
    c.Sequence("used")
        .Node("op", "TemporaryVariable", {},
              {{"dtype", t}, {"shape", PartialShape({2})}, {"var_name", "tmp"}})
        .Node("init", "Assign", {"op", Rand(t, {2})})
        .Node("end", "DestroyTemporaryVariable", {"init"},
              {{"var_name", "tmp"}})
        .Run({"end"});
  });
}

MR_CASES(DestroyTemporaryVariable)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    if (!IsPlain(t) || t == DataType::kQint16) return;
    c.Sequence("ended")
        .Node("v", "TemporaryVariable", {},
              {{"dtype", t}, {"shape", PartialShape({3})}, {"var_name", "t"}})
        .Node("init", "Assign", {"v", Rand(t, {3})})
        .Node("op", "DestroyTemporaryVariable", {"init"}, {{"var_name", "t"}})
        .Run({"op"});
  });
}

}  // namespace millrace::cases
