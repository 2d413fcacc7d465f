#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

void Counted(CaseList& c, double count, int elements) {
  Elements(WithRange(c, absl::StrCat("count_", count), 3)
               .Node("op", c.op().name, {"range", Count(count)}, Numbers()),
           "op", Numbers(), elements);
}

}  // namespace

MR_CASES(TakeDataset)(CaseList& c) {
  Counted(c, 2, 2);
  Counted(c, 0, 0);
  Counted(c, -1, 3);
  Counted(c, 9, 3);
  // The elements are those of the input, whatever the node says of them.
  Elements(
      WithRange(c, "says_otherwise", 3)
          .Node("op", c.op().name, {"range", Count(2)},
                With(Numbers(), "output_types",
                     AttrValue::TypeList{DataType::kFloat, DataType::kString})),
      "op", Numbers(), 2);
  NoDataset(WithRange(c, "metadata", 3)
                .Node("op", c.op().name, {"range", Count(2)},
                      With(Numbers(), "metadata", "\x01 no such")),
            "Could not parse the 'metadata' attribute.");
}
MR_CASES(SkipDataset)(CaseList& c) {
  Counted(c, 2, 1);
  Counted(c, 0, 3);
  Counted(c, -1, 0);
  Counted(c, 9, 0);
}
MR_CASES(RepeatDataset)(CaseList& c) {
  Counted(c, 2, 6);
  Counted(c, 0, 0);
  WithIterator(WithRange(c, "forever", 2)
                   .Node("op", c.op().name, {"range", Count(-1)}, Numbers()),
               "op", Numbers())
      .Run({"next"})
      .Run({"next"})
      .Run({"next"});
}
MR_CASES(ShardDataset)(CaseList& c) {
  Elements(
      WithRange(c, "second_of_three", 8)
          .Node("op", "ShardDataset", {"range", Count(3), Count(1)}, Numbers()),
      "op", Numbers(), 3);
  NoDataset(
      WithRange(c, "none", 8)
          .Node("op", "ShardDataset", {"range", Count(0), Count(0)}, Numbers()),
      "Number of shards must be greater than zero");
  NoDataset(
      WithRange(c, "index", 8)
          .Node("op", "ShardDataset", {"range", Count(3), Count(3)}, Numbers()),
      "Index must be between 0 and 2 (currently index = 3).");
  // Each shard must have an element; an iterator that finds too few returns an
  // error.
  const AttrMap all = With(Numbers(), "require_non_empty", true);
  for (const int index : {0, 1, 3}) {
    Case& few = WithIterator(
        WithRange(c, absl::StrCat("few_", index), 2)
            .Node("op", "ShardDataset", {"range", Count(4), Count(index)}, all),
        "op", Numbers());
    if (index < 2) {
      few.RunError({"next"}, StatusCode::kInvalidArgument,
                   "Could not apply FILE based sharding: the dataset only has");
    } else {
      few.RunError({"next"}, StatusCode::kOutOfRange, "End of sequence");
    }
  }
  Elements(WithRange(c, "enough", 9)
               .Node("op", "ShardDataset", {"range", Count(4), Count(1)}, all),
           "op", Numbers(), 2);
}

}  // namespace millrace::cases
