#include "tests/cases/case.h"

namespace millrace::cases {

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

}  // namespace millrace::cases
