#include "tests/cases/case.h"

namespace millrace::cases {

// Loops, calls and transfers need an executor: tests of the session and
// cluster rooms run them, against stock too.

MR_CASES(NoOp)(CaseList& c) { c.Ok({}); }
MR_CASES(ControlTrigger)(CaseList& c) { c.Ok({}); }
MR_CASES(LoopCond)(CaseList& c) { c.Ok({Bool({})}); }

MR_CASES(Switch)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Sequence("taken")
        .Node("op", "Switch", {Rand(t, {2, 3}), Scalar(DataType::kBool, 1)})
        .Run({"op:1"});
    c.Sequence("not_taken")
        .Node("op", "Switch", {Rand(t, {2, 3}), Scalar(DataType::kBool, 0)})
        .Run({"op:0"});
  });
}

MR_CASES(Merge)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
}

}  // namespace millrace::cases
