#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

Case& Rebatch(CaseList& c, int n, int batch, int replicas) {
  return WithRange(c, absl::StrCat("n", n, "_of", batch, "_by", replicas), n)
      .Node("batches", "BatchDatasetV2",
            {"range", Count(batch), Tensor::Scalar<bool>(false)}, Batches())
      .Node("op", c.op().name, {"batches", Count(replicas)}, Batches());
}

void RebatchCases(CaseList& c) {
  Elements(Rebatch(c, 12, 6, 2), "op", Batches(), 4);
  Elements(Rebatch(c, 13, 6, 2), "op", Batches(), 6);
  Elements(Rebatch(c, 7, 3, 2), "op", Batches(), 6);
  Elements(Rebatch(c, 5, 5, 8), "op", Batches(), 8);
  Elements(Rebatch(c, 14, 6, 4), "op", Batches(), 12);
  Elements(Rebatch(c, 5, 5, 1), "op", Batches(), 1);
  NoDataset(Rebatch(c, 5, 5, 0), "num_replicas must be greater than zero.");
  WithRange(c, "other_shape", 2)
      .Node("op", c.op().name, {"range", Count(2)}, Batches())
      .Node("it", "IteratorV2", {}, Named(Numbers()))
      .Node("make", "MakeIterator", {"op", "it"})
      .RunError({"make"}, StatusCode::kInvalidArgument,
                "Incompatible shapes at component 0: expected [] but got [?].");
  WithIterator(WithRange(c, "no_batches", 2)
                   .Node("op", c.op().name, {"range", Count(2)}, Batches()),
               "op", Batches())
      .RunError({"next"}, StatusCode::kInvalidArgument,
                "Cannot rebatch dataset: All components must have at least "
                "one dimension.");
}

}  // namespace

MR_CASES(RebatchDataset)(CaseList& c) { RebatchCases(c); }
MR_CASES(ExperimentalRebatchDataset)(CaseList& c) { RebatchCases(c); }

}  // namespace millrace::cases
