// Schemas of data sets of sparse tensors.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

Status SizeAndRowShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return shapes::Scalar(c);
}

constexpr OpFields kDenseToSparseBatch = {
    .inputs = "input_dataset: variant, batch_size: int64, row_shape: int64",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kElementShapesUnread,
    .shape = SizeAndRowShape,
    .doc = "Batches of elements of any size, as sparse tensors.",
};

}  // namespace

MR_OP(DenseToSparseBatchDataset)(kDenseToSparseBatch);

MR_OP(ExperimentalDenseToSparseBatchDataset)(kDenseToSparseBatch);

MR_OP(SparseTensorSliceDataset){
    .inputs = "indices: int64, values: Tvalues, dense_shape: int64",
    .outputs = "handle: variant",
    .attrs = "Tvalues: type",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The rows of a sparse tensor, as sparse tensors.",
};

}  // namespace millrace::ops
