#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(CacheDataset)(CaseList& c) {
  TwiceInARow(
      WithRange(c, "in_memory", 6)
          .Node("op", "CacheDataset", {"range", StrScalar("")}, Numbers()));
}
MR_CASES(CacheDatasetV2)(CaseList& c) {
  TwiceInARow(WithRange(c, "in_memory", 6)
                  .Node("cache", "AnonymousMemoryCache", {})
                  .Node("op", "CacheDatasetV2",
                        {"range", StrScalar(""), "cache"}, Numbers()));
}
MR_CASES(DummyMemoryCache)(CaseList& c) {
  TwiceInARow(WithRange(c, "no_cache", 6)
                  .Node("cache", "DummyMemoryCache", {})
                  .Node("op", "CacheDatasetV2",
                        {"range", StrScalar(""), "cache"}, Numbers()));
}

}  // namespace millrace::cases
