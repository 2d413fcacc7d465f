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
  Elements(Asserted(c, "two", Str({"Take", "Batch"})), "twice", Batches(), 4);
  Elements(Asserted(c, "with_version", Str({"Take", "BatchV2", "Repeat"})),
           "twice", Batches(), 4)
      .NoStock(kPrefetched);
  Asserted(c, "other", Str({"Take", "Map"}))
      .Node("it", "IteratorV2", {}, Named(Batches()))
      .Node("make", "MakeIterator", {"twice", "it"})
      .RunError({"make"}, StatusCode::kInvalidArgument,
                "Asserted transformation matching Map at offset 1 but "
                "encountered BatchV2 transformation instead.")
      .NoStock(kPrefetched);
  Asserted(c, "too_many", Str({"Take", "Batch", "Repeat", "Map"}))
      .Node("it", "IteratorV2", {}, Named(Batches()))
      .Node("make", "MakeIterator", {"twice", "it"})
      .RunError({"make"}, StatusCode::kInvalidArgument,
                "Asserted next 4 transformations but encountered only 4.")
      .NoStock(kPrefetched);
}

}  // namespace

MR_CASES(AssertNextDataset)(CaseList& c) { AssertNextCases(c); }
MR_CASES(ExperimentalAssertNextDataset)(CaseList& c) { AssertNextCases(c); }

}  // namespace millrace::cases
