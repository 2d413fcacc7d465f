#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

constexpr auto kInvalid = StatusCode::kInvalidArgument;
constexpr DataType kInt64 = DataType::kInt64;

AttrMap Named(AttrMap attrs, const char* shared_name = "") {
  attrs.Set("shared_name", shared_name);
  attrs.Set("container", "");
  return attrs;
}

// Its nodes "it", "make" and "next".
void Life(CaseList& c, const std::string& op, AttrMap attrs) {
  WithRange(c, "life of " + op, 2)
      .Node("it", op, {}, std::move(attrs))
      .Node("make", "MakeIterator", {"range", "it"})
      .Node("next", "IteratorGetNext", {"it"}, Numbers())
      .RunError({"next"}, StatusCode::kFailedPrecondition,
                "GetNext() failed because the iterator has not been "
                "initialized.")
      .Run({"make"})
      .Run({"next"})
      .Run({"next"})
      .RunError({"next"}, StatusCode::kOutOfRange, "End of sequence")
      .RunError({"next"}, StatusCode::kOutOfRange, "End of sequence")
      .Run({"make"})
      .Run({"next"});
}

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

MR_CASES(Iterator)(CaseList& c) { Life(c, "Iterator", Named(Numbers())); }
MR_CASES(IteratorV2)(CaseList& c) {
  Life(c, "IteratorV2", Named(Numbers()));
  Life(c, "IteratorV2", Named(Numbers(), "both"));
}
MR_CASES(MakeIterator)(CaseList& c) {
  auto wrong = [&](const char* name, AttrMap elements, const char* words) {
    WithRange(c, name, 2)
        .Node("it", "IteratorV2", {}, Named(std::move(elements)))
        .Node("op", "MakeIterator", {"range", "it"})
        .RunError({"op"}, kInvalid, words);
  };
  wrong("types", ElementsOf({DataType::kInt32}, {PartialShape({})}),
        "Data type mismatch at component 0: expected int32 but got int64.");
  wrong("shapes", ElementsOf({kInt64}, {PartialShape({1})}),
        "Incompatible shapes at component 0: expected [1] but got [].");
  wrong("count",
        ElementsOf({kInt64, kInt64}, {PartialShape({}), PartialShape({})}),
        "Number of components does not match: expected 2 types but got 1.");
}
MR_CASES(IteratorGetNext)(CaseList& c) {
  auto wrong = [&](const char* name, AttrMap elements, const char* words) {
    WithIterator(WithRange(c, name, 2), "range", Numbers())
        .Node("op", "IteratorGetNext", {"it"}, std::move(elements))
        .RunError({"op"}, kInvalid, words);
  };
  wrong("types", ElementsOf({DataType::kInt32}, {PartialShape({})}),
        "Data type mismatch at component 0: expected int32 but got int64.");
  wrong("shapes", ElementsOf({kInt64}, {PartialShape({1})}),
        "Incompatible shapes at component 0: expected [1] but got [].");
}
MR_CASES(IteratorGetNextSync)(CaseList& c) {
  WithIterator(WithRange(c, "one", 1), "range", Numbers())
      .Node("op", "IteratorGetNextSync", {"it"}, Numbers())
      .Run({"op"})
      .RunError({"op"}, StatusCode::kOutOfRange, "End of sequence");
}
MR_CASES(IteratorGetNextAsOptional)(CaseList& c) {
  WithIterator(WithRange(c, "one", 1), "range", Numbers())
      .Node("op", "IteratorGetNextAsOptional", {"it"}, Numbers())
      .Node("has", "OptionalHasValue", {"op"})
      .Node("value", "OptionalGetValue", {"op"}, Numbers())
      .Run({"has", "value"})
      .Run({"has"});
  WithIterator(WithRange(c, "types", 1), "range", Numbers())
      .Node("op", "IteratorGetNextAsOptional", {"it"},
            ElementsOf({DataType::kInt32}, {PartialShape({})}))
      .RunError({"op"}, kInvalid,
                "The given optional does not match the expected type for");
  WithIterator(WithRange(c, "shapes", 1), "range", Numbers())
      .Node("op", "IteratorGetNextAsOptional", {"it"},
            ElementsOf({kInt64}, {PartialShape({2})}))
      .RunError({"op"}, kInvalid,
                "The given optional does not match the expected shape for");
}
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
  // Every iterator that has something to save, in the middle.
  WithIterator(
      WithRange(c, "goes_on", 30)
          .Node("skip", "SkipDataset", {"range", Count(1)}, Numbers())
          .Node("shuffle", "ShuffleDataset",
                {"skip", Count(4), Count(3), Count(7)}, Numbers())
          .Node("batch", "BatchDatasetV2",
                {"shuffle", Count(2), Tensor::Scalar<bool>(false)},
                ElementsOf({kInt64}, {PartialShape({-1})}))
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
      .RunError({"op"}, kInvalid, "")
      .NoStock("stock says so in other words, or reads past the end");
}

}  // namespace millrace::cases
