#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(DummySeedGenerator)(CaseList& c) {
  TwiceInARow(WithRange(c, "no_generator", 6)
                  .Node("seeds", "DummySeedGenerator", {})
                  .Node("op", "ShuffleDatasetV3",
                        {"range", Count(4), Count(1), Count(2), "seeds"},
                        With(Numbers(), "reshuffle_each_iteration", true)));
}

}  // namespace millrace::cases
