// Loops, calls and transfers need an executor: tests of the session and
// cluster rooms run them, against stock too.
#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(LoopCond)(CaseList& c) { c.Ok({Bool({})}); }

}  // namespace millrace::cases
