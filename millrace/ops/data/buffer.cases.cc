#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

AttrMap Shuffled(bool reshuffles) {
  AttrMap attrs = Numbers();
  attrs.Set("reshuffle_each_iteration", reshuffles);
  return attrs;
}

// A generator's handle as node "seeds".
Case& WithSeeds(CaseList& c, const char* name, bool reshuffle) {
  return WithRange(c, name, 6)
      .Node("seeds", "AnonymousSeedGenerator",
            {Count(5), Count(8), Tensor::Scalar<bool>(reshuffle)});
}

Case& Twice(Case& c) {
  return Elements(c.Node("twice", "RepeatDataset", {"op", Count(2)}, Numbers()),
                  "twice", Numbers(), 12);
}

}  // namespace

MR_CASES(ShuffleDataset)(CaseList& c) {
  for (const bool reshuffles : {true, false}) {
    for (const int size : {1, 3, 20}) {
      Twice(WithRange(c, absl::StrCat("size_", size, "_", reshuffles), 6)
                .Node("op", "ShuffleDataset",
                      {"range", Count(size), Count(5), Count(7)},
                      Shuffled(reshuffles)));
    }
  }
  Twice(WithRange(c, "all", 6)
            .Node("op", "ShuffleDataset",
                  {"range", Count(-2), Count(5), Count(7)}, Shuffled(true)));
  NoDataset(WithRange(c, "of_none", 6)
                .Node("op", "ShuffleDataset",
                      {"range", Count(0), Count(5), Count(7)}, Shuffled(true)),
            "buffer_size must be greater than zero");
}
MR_CASES(ShuffleDatasetV2)(CaseList& c) {
  Twice(WithSeeds(c, "changing", true)
            .Node("op", "ShuffleDatasetV2", {"range", Count(4), "seeds"},
                  Numbers()));
}
MR_CASES(ShuffleDatasetV3)(CaseList& c) {
  Twice(WithSeeds(c, "fixed", false)
            .Node("op", "ShuffleDatasetV3",
                  {"range", Count(4), Count(1), Count(2), "seeds"},
                  Shuffled(true)));
}
MR_CASES(DummySeedGenerator)(CaseList& c) {
  Twice(WithRange(c, "no_generator", 6)
            .Node("seeds", "DummySeedGenerator", {})
            .Node("op", "ShuffleDatasetV3",
                  {"range", Count(4), Count(1), Count(2), "seeds"},
                  Shuffled(true)));
}
MR_CASES(ShuffleAndRepeatDataset)(CaseList& c) {
  for (const int size : {2, 9}) {
    Elements(WithRange(c, absl::StrCat("size_", size), 4)
                 .Node("op", "ShuffleAndRepeatDataset",
                       {"range", Count(size), Count(3), Count(9), Count(3)},
                       Shuffled(true)),
             "op", Numbers(), 12);
  }
}
MR_CASES(ShuffleAndRepeatDatasetV2)(CaseList& c) {
  Elements(WithSeeds(c, "changing", true)
               .Node("op", "ShuffleAndRepeatDatasetV2",
                     {"range", Count(4), Count(3), Count(9), Count(2), "seeds"},
                     Shuffled(true)),
           "op", Numbers(), 12);
}
MR_CASES(CacheDataset)(CaseList& c) {
  Twice(WithRange(c, "in_memory", 6)
            .Node("op", "CacheDataset", {"range", StrScalar("")}, Numbers()));
}
MR_CASES(CacheDatasetV2)(CaseList& c) {
  Twice(WithRange(c, "in_memory", 6)
            .Node("cache", "AnonymousMemoryCache", {})
            .Node("op", "CacheDatasetV2", {"range", StrScalar(""), "cache"},
                  Numbers()));
}
MR_CASES(DummyMemoryCache)(CaseList& c) {
  Twice(WithRange(c, "no_cache", 6)
            .Node("cache", "DummyMemoryCache", {})
            .Node("op", "CacheDatasetV2", {"range", StrScalar(""), "cache"},
                  Numbers()));
}

}  // namespace millrace::cases
