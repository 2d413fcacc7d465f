#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// Stock adds a prefetch behind the last data set.
constexpr char kPrefetched[] = "stock's graph rewriting adds a prefetch";

Case& Asserted(CaseList& c, const char* name, Value transformations) {
  return WithRange(c, name, 5)
      .Node("op", c.op().name, {"range", std::move(transformations)}, Numbers())
      .Node("few", "TakeDataset", {"op", Count(3)}, Numbers())
      .Node("batches", "BatchDatasetV2",
            {"few", Count(2), Tensor::Scalar<bool>(false)}, Batches())
      .Node("twice", "RepeatDataset", {"batches", Count(2)}, Batches());
}

void AssertNextCases(CaseList& c) {
  Elements(Asserted(c, "nothing", Empty(DataType::kString, {0})), "twice",
           Batches(), 4);
  Elements(Asserted(c, "two", Str({"FiniteTake", "Batch"})), "twice", Batches(),
           4);
  // Stock calls the second pass otherwise.
  WithIterator(Asserted(c, "with_version",
                        Str({"FiniteTake", "BatchV2", "FiniteRepeat[0]"})),
               "twice", Batches())
      .Run({"next"})
      .Run({"next"});
  const auto error = [&](const char* name, Value transformations,
                         const char* words) -> Case& {
    return Asserted(c, name, std::move(transformations))
        .Node("it", "IteratorV2", {}, Named(Batches()))
        .Node("make", "MakeIterator", {"twice", "it"})
        .RunError({"make"}, StatusCode::kInvalidArgument, words);
  };
  error("op", Str({"Take"}),
        "Asserted transformation matching Take at offset 0 but encountered "
        "FiniteTake transformation instead.");
  error("other", Str({"FiniteTake", "Map"}),
        "Asserted transformation matching Map at offset 1 but encountered "
        "BatchV2 transformation instead.");
  error("passes", Str({"FiniteTake", "Batch", "FiniteRepeat"}),
        "Asserted transformation matching FiniteRepeat at offset 2 but "
        "encountered FiniteRepeat[0] transformation instead.");
  error("all", Str({"FiniteTake", "Batch", "FiniteRepeat[0]", "Map"}),
        "Asserted transformation matching Map at offset 3 but encountered "
        "Root transformation instead.")
      .NoStock(kPrefetched);
  error("too_many",
        Str({"FiniteTake", "Batch", "FiniteRepeat[0]", "Root", "Map"}),
        "Asserted next 5 transformations but encountered only 4.")
      .NoStock(kPrefetched);
}

}  // namespace

MR_CASES(AssertNextDataset)(CaseList& c) { AssertNextCases(c); }
MR_CASES(ExperimentalAssertNextDataset)(CaseList& c) { AssertNextCases(c); }

}  // namespace millrace::cases
