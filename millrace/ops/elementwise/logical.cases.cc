#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(LogicalNot)(CaseList& c) {
  c.Ok({Bool({3, 7})});
  c.Ok({Bool({})});
  c.Ok({Bool({100})});
  c.Ok({Empty(DataType::kBool, {0})});
}

namespace {

void LogicalBinary(CaseList& c) {
  c.Ok({Bool({3, 70}), Bool({3, 70})});
  c.Ok({Bool({100}), Bool({})});
  c.Ok({Bool({}), Bool({100})});
  c.Ok({Bool({4, 1, 5}), Bool({3, 1})});
  c.Error({Bool({2, 2}), Bool({3})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [2,2] vs. [3]");
}

}  // namespace

MR_CASES(LogicalAnd)(CaseList& c) { LogicalBinary(c); }
MR_CASES(LogicalOr)(CaseList& c) { LogicalBinary(c); }

}  // namespace millrace::cases
