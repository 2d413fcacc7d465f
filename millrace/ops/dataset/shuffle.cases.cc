#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Whether passes have orders of their own.
enum class Passes { kAlike, kReshuffled };

AttrMap Shuffled(Passes passes = Passes::kReshuffled) {
  return With(Numbers(), "reshuffle_each_iteration",
              passes == Passes::kReshuffled);
}

// A generator's handle as node "seeds".
Case& WithSeeds(CaseList& c, const char* name, Passes passes) {
  return WithRange(c, name, 6)
      .Node("seeds", "AnonymousSeedGenerator",
            {Count(5), Count(8),
             Tensor::Scalar<bool>(passes == Passes::kReshuffled)});
}

}  // namespace

MR_CASES(ShuffleDataset)(CaseList& c) {
  for (const bool reshuffles : {true, false}) {
    for (const int size : {1, 3, 20}) {
      TwiceInARow(WithRange(c, absl::StrCat("size_", size, "_", reshuffles), 6)
                      .Node("op", "ShuffleDataset",
                            {"range", Count(size), Count(5), Count(7)},
                            Shuffled(reshuffles ? Passes::kReshuffled
                                                : Passes::kAlike)));
    }
  }
  TwiceInARow(WithRange(c, "all", 6)
                  .Node("op", "ShuffleDataset",
                        {"range", Count(-2), Count(5), Count(7)}, Shuffled()));
  NoDataset(WithRange(c, "of_none", 6)
                .Node("op", "ShuffleDataset",
                      {"range", Count(0), Count(5), Count(7)}, Shuffled()),
            "buffer_size must be greater than zero");
}
MR_CASES(ShuffleDatasetV2)(CaseList& c) {
  TwiceInARow(WithSeeds(c, "changing", Passes::kReshuffled)
                  .Node("op", "ShuffleDatasetV2", {"range", Count(4), "seeds"},
                        Numbers()));
}
MR_CASES(ShuffleDatasetV3)(CaseList& c) {
  TwiceInARow(WithSeeds(c, "fixed", Passes::kAlike)
                  .Node("op", "ShuffleDatasetV3",
                        {"range", Count(4), Count(1), Count(2), "seeds"},
                        Shuffled()));
}
MR_CASES(ShuffleAndRepeatDataset)(CaseList& c) {
  for (const int size : {2, 9}) {
    Elements(WithRange(c, absl::StrCat("size_", size), 4)
                 .Node("op", "ShuffleAndRepeatDataset",
                       {"range", Count(size), Count(3), Count(9), Count(3)},
                       Shuffled()),
             "op", Numbers(), 12);
  }
}
MR_CASES(ShuffleAndRepeatDatasetV2)(CaseList& c) {
  Elements(WithSeeds(c, "changing", Passes::kReshuffled)
               .Node("op", "ShuffleAndRepeatDatasetV2",
                     {"range", Count(4), Count(3), Count(9), Count(2), "seeds"},
                     Shuffled()),
           "op", Numbers(), 12);
}

}  // namespace millrace::cases
