#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// The treatment of windows that are not full.
enum class Last { kDropped, kKept };

struct Window {
  int n, size, shift, stride;
  Last last = Last::kDropped;
};

AttrMap AttrsOf(const CaseList& c, const Window& w) {
  if (c.op().name == "ExperimentalSlidingWindowDataset") return Batches();
  return With(Batches(), "drop_remainder", w.last == Last::kDropped);
}

Case& Slide(CaseList& c, const Window& w) {
  return WithRange(c,
                   absl::StrCat("n", w.n, "_size", w.size, "_shift", w.shift,
                                "_stride", w.stride,
                                w.last == Last::kKept ? "_kept" : ""),
                   w.n)
      .Node("op", c.op().name,
            {"range", Count(w.size), Count(w.shift), Count(w.stride)},
            AttrsOf(c, w));
}

void Slides(CaseList& c, const Window& w, int count) {
  Elements(Slide(c, w), "op", Batches(), count);
}

void SlidingCases(CaseList& c) {
  Slides(c, {10, 3, 1, 1}, 8);
  Slides(c, {10, 3, 2, 2}, 3);
  Slides(c, {10, 2, 4, 1}, 3);
  Slides(c, {5, 7, 1, 1}, 0);
  Slides(c, {10, 1, 3, 1}, 4);
  Slides(c, {0, 1, 1, 1}, 0);
  NoDataset(Slide(c, {10, 0, 1, 1}), "Window size must be greater than zero.");
  NoDataset(Slide(c, {10, 1, 0, 1}), "Window shift must be greater than zero.");
  NoDataset(Slide(c, {10, 1, 1, -1}),
            "window_stride must be greater than zero.");
}

}  // namespace

MR_CASES(SlidingWindowDataset)(CaseList& c) {
  SlidingCases(c);
  Slides(c, {10, 3, 1, 1, Last::kKept}, 10);
  Slides(c, {10, 3, 2, 2, Last::kKept}, 5);
  Slides(c, {10, 2, 4, 1, Last::kKept}, 3);
  Slides(c, {5, 7, 1, 1, Last::kKept}, 5);
  for (const Last last : {Last::kDropped, Last::kKept}) {
    Slide(c, {10, 2, 4, 1, last})
        .Node("size", "DatasetCardinality", {"op"})
        .Run({"size"});
  }
}
MR_CASES(ExperimentalSlidingWindowDataset)(CaseList& c) { SlidingCases(c); }

}  // namespace millrace::cases
