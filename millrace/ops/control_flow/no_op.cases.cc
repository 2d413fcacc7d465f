#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(NoOp)(CaseList& c) { c.Ok({}); }
MR_CASES(ControlTrigger)(CaseList& c) { c.Ok({}); }

}  // namespace millrace::cases
