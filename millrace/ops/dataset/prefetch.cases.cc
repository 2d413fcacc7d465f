#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(PrefetchDataset)(CaseList& c) {
  for (const int size : {0, 1, 5, -1}) {
    Elements(
        WithRange(c, absl::StrCat("size_", size), 3)
            .Node("op", "PrefetchDataset", {"range", Count(size)}, Numbers()),
        "op", Numbers(), 3);
  }
  NoDataset(WithRange(c, "negative", 3)
                .Node("op", "PrefetchDataset", {"range", Count(-2)}, Numbers()),
            "buffer_size must be >= 0 or set buffer_size to be");
}

}  // namespace millrace::cases
