#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
MR_CASES(IteratorToStringHandle)(CaseList& c) {
  WithIterator(WithRange(c, "there_and_back", 2), "range", Numbers())
      .Node("op", "IteratorToStringHandle", {"it"})
      .Node("back", "IteratorFromStringHandleV2", {"op"}, Numbers())
      .Node("element", "IteratorGetNext", {"back"}, Numbers())
      .Run({"element"})
      .Run({"element"})
      .RunError({"element"}, StatusCode::kOutOfRange, "End of sequence");
}
MR_CASES(IteratorFromStringHandle)(CaseList& c) {
  c.Error({StrScalar("no handle")}, kInvalid,
          "Could not parse string_handle as a valid ResourceHandle");
}
MR_CASES(IteratorFromStringHandleV2)(CaseList& c) {
  c.Error({StrScalar("no handle")}, kInvalid,
          "Could not parse string_handle as a valid ResourceHandle");
}

}  // namespace millrace::cases
