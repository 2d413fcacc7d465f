#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kRebatch = {
    .inputs = "input_dataset: variant, num_replicas: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS "; use_fallback: bool = true",
    .shape = shapes::Scalar,
    .doc = "Each batch cut into so many smaller ones.",
};

}  // namespace

MR_OP(RebatchDataset)(kRebatch);

MR_OP(ExperimentalRebatchDataset)(kRebatch);

}  // namespace millrace::ops
