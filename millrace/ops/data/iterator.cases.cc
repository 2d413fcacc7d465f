#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Adds the nodes "it", "make" and "next" of an iterator.
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

}  // namespace millrace::cases
