#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(WindowDataset)(CaseList& c) {
  const AttrMap windows = ElementsOf({DataType::kVariant}, {PartialShape({})});
  for (const bool drop : {false, true}) {
    WithRange(c, absl::StrCat("windows_", drop), 9)
        .Node(
            "op", "WindowDataset",
            {"range", Count(3), Count(2), Count(1), Tensor::Scalar<bool>(drop)},
            windows)
        .Node("size", "DatasetCardinality", {"op"})
        .Run({"size"});
  }
  NoDataset(WithRange(c, "of_none", 9)
                .Node("op", "WindowDataset",
                      {"range", Count(0), Count(2), Count(1),
                       Tensor::Scalar<bool>(false)},
                      windows),
            "Window size must be greater than zero.");
}

}  // namespace millrace::cases
