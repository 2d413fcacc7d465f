#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kIgnoreErrors = {
    .inputs = "input_dataset: variant",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS "; log_warning: bool = false",
    .flags = kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc = "The elements that are no errors.",
};

}  // namespace

MR_OP(IgnoreErrorsDataset)(kIgnoreErrors);

MR_OP(ExperimentalIgnoreErrorsDataset)(kIgnoreErrors);

}  // namespace millrace::ops
