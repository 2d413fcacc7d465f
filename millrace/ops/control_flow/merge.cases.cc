#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Merge)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
}

}  // namespace millrace::cases
