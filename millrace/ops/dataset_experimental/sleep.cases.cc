#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

void SleepCases(CaseList& c) {
  for (const int microseconds : {0, 2000}) {
    Elements(
        WithRange(c, absl::StrCat("microseconds_", microseconds), 3)
            .Node("op", c.op().name, {"range", Count(microseconds)}, Numbers()),
        "op", Numbers(), 3);
  }
  NoDataset(WithRange(c, "negative", 3)
                .Node("op", c.op().name, {"range", Count(-1)}, Numbers()),
            "`sleep_microseconds` must be >= 0");
}

}  // namespace

MR_CASES(SleepDataset)(CaseList& c) { SleepCases(c); }
MR_CASES(ExperimentalSleepDataset)(CaseList& c) { SleepCases(c); }

}  // namespace millrace::cases
