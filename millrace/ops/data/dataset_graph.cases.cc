#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

// The bytes depend on attributes that TensorFlow's own rewriting adds.
MR_CASES(DatasetToGraph)(CaseList& c) {
  c.Sequence("no_dataset")
      .Node("none", "OptionalNone", {})
      .Node("op", c.op().name, {"none"})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Tensor must be a Dataset object.");
  WithRange(c, "vector", 3)
      .Node("vector", "Pack", {"range"})
      .Node("op", c.op().name, {"vector"})
      .NoShapeCheck()
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Dataset tensor must be a scalar of dtype DT_VARIANT.")
      .NoStock("packs no variants");
}

}  // namespace millrace::cases
