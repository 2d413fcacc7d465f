#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

Status TransformationNames(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return shapes::Scalar(c);
}

constexpr OpFields kAssertNext = {
    .inputs = "input_dataset: variant, transformations: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .shape = TransformationNames,
    .doc =
        "The data set as it is; an error unless these data sets are made from "
        "it, each from the one before.",
};

}  // namespace

MR_OP(AssertNextDataset)(kAssertNext);

MR_OP(ExperimentalAssertNextDataset)(kAssertNext);

}  // namespace millrace::ops
