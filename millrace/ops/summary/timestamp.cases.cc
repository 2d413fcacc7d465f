#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Timestamp)(CaseList& c) { c.Ok({}).Random(); }

}  // namespace millrace::cases
