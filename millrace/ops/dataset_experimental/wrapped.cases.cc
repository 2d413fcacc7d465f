#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(WrapDatasetVariant)(CaseList& c) {
  Elements(WithRange(c, "there_and_back", 3)
               .Node("op", "WrapDatasetVariant", {"range"})
               .Node("back", "UnwrapDatasetVariant", {"op"}),
           "back", Numbers(), 3);
  WithRange(c, "is_no_data_set", 3)
      .Node("op", "WrapDatasetVariant", {"range"})
      .Node("size", "DatasetCardinality", {"op"})
      .RunError({"size"}, StatusCode::kInvalidArgument,
                "Tensor must be a Dataset object.");
}
MR_CASES(UnwrapDatasetVariant)(CaseList& c) {
  Elements(WithRange(c, "there_and_back", 3)
               .Node("wrapped", "WrapDatasetVariant", {"range"})
               .Node("op", "UnwrapDatasetVariant", {"wrapped"}),
           "op", Numbers(), 3);
  NoDataset(WithRange(c, "not_wrapped", 3)
                .Node("op", "UnwrapDatasetVariant", {"range"}),
            "Tensor must be a WrappedDataset variant object.");
}

}  // namespace millrace::cases
