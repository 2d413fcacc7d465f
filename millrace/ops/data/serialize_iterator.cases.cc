#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// After `before` elements of node "all" another iterator goes on as the first.
void SavedAfter(Case& c, int before, int after) {
  WithIterator(c, "all", Numbers())
      .Node("other", "IteratorV2", {}, Named(Numbers()))
      .Node("op", "SerializeIterator", {"it"})
      .Node("begin_other", "MakeIterator", {"all", "other"})
      .Node("restore", "DeserializeIterator", {"other", "op"})
      .Node("after", "IteratorGetNext", {"other"}, Numbers());
  for (int i = 0; i < before; ++i) c.Run({"next"});
  c.Run({"begin_other"}).Run({"restore"});
  for (int i = 0; i < after; ++i) c.Run({"after"});
}

}  // namespace

MR_CASES(SerializeIterator)(CaseList& c) {
  AttrMap shuffled = Numbers();
  shuffled.Set("reshuffle_each_iteration", true);
  // At the end of a pass, and within one.
  for (const int before : {4, 6}) {
    SavedAfter(
        WithRange(c, absl::StrCat("endless_", before), 4)
            .Node("all", "ShuffleAndRepeatDataset",
                  {"range", Count(2), Count(3), Count(9), Count(-1)}, shuffled),
        before, 9);
    SavedAfter(WithRange(c, absl::StrCat("reshuffled_", before), 4)
                   .Node("once", "ShuffleDataset",
                         {"range", Count(4), Count(3), Count(9)}, shuffled)
                   .Node("all", "RepeatDataset", {"once", Count(4)}, Numbers()),
               before, 9);
  }
  // What works ahead comes to rest first, at each place.
  for (const int before : {0, 1, 5, 8}) {
    SavedAfter(
        WithRange(c, absl::StrCat("ahead_", before), 9)
            .Node("some", "PrefetchDataset", {"range", Count(3)}, Numbers())
            .Node("kept", "CacheDataset", {"some", StrScalar("")}, Numbers())
            .Node("twice", "RepeatDataset", {"kept", Count(2)}, Numbers())
            .Node("all", "PrefetchDataset", {"twice", Count(2)}, Numbers()),
        before, 8);
  }
  // Every iterator that has something to save, in the middle.
  WithIterator(
      WithRange(c, "goes_on", 30)
          .Node("skip", "SkipDataset", {"range", Count(1)}, Numbers())
          .Node("shuffle", "ShuffleDataset",
                {"skip", Count(4), Count(3), Count(7)}, Numbers())
          .Node("batch", "BatchDatasetV2",
                {"shuffle", Count(2), Tensor::Scalar<bool>(false)}, Batches())
          .Node("rows", "UnbatchDataset", {"batch"}, Numbers())
          .Node("shard", "ShardDataset", {"rows", Count(2), Count(1)},
                Numbers())
          .Node("twice", "RepeatDataset", {"shard", Count(2)}, Numbers())
          .Node("most", "TakeDataset", {"twice", Count(20)}, Numbers())
          .Node("all", "ConcatenateDataset", {"most", "range"}, Numbers()),
      "all", Numbers())
      .Node("other", "IteratorV2", {}, Named(Numbers()))
      .Node("op", "SerializeIterator", {"it"})
      .Node("begin_other", "MakeIterator", {"all", "other"})
      .Node("restore", "DeserializeIterator", {"other", "op"})
      .Node("after", "IteratorGetNext", {"other"}, Numbers())
      .Run({"next"})
      .Run({"next"})
      .Run({"next"})
      .RunError({"restore"}, StatusCode::kFailedPrecondition,
                "Failed to restore dataset iterator from checkpoint: Restore() "
                "failed because the iterator has not been initialized.")
      .Run({"begin_other"})
      .Run({"restore"})
      .Run({"next", "after"})
      .Run({"next", "after"})
      .Run({"next", "after"})
      .Run({"next", "after"});
}
MR_CASES(DeserializeIterator)(CaseList& c) {
  WithIterator(WithRange(c, "no_state", 3), "range", Numbers())
      .Node("op", "DeserializeIterator", {"it", "range"})
      .RunError({"op"}, StatusCode::kInvalidArgument, "")
      .NoStock("stock says so in other words, or reads past the end");
}

}  // namespace millrace::cases
