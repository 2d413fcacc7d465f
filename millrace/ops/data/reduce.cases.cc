#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
MR_CASES(DatasetToSingleElement)(CaseList& c) {
  for (const int n : {0, 1, 2}) {
    Case& k = WithRange(c, absl::StrCat("of_", n), n)
                  .Node("op", "DatasetToSingleElement", {"range"}, Numbers());
    if (n == 0) k.RunError({"op"}, kInvalid, "Dataset was empty.");
    if (n == 1) k.Run({"op"});
    if (n == 2)
      k.RunError({"op"}, kInvalid, "Dataset had more than one element.");
  }
}

}  // namespace millrace::cases
