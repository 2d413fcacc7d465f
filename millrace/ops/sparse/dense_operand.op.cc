#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status ValuesShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape indices, c.WithRank(0, 2));
  return c.Return(PartialShape({indices.dim(0)}));
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_SPARSE_AND_DENSE \
  "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T"

MR_OP(SparseDenseCwiseMul){
    .inputs = MR_SPARSE_AND_DENSE,
    .outputs = "output: T",
    .attrs = "T: numbertype",
    .shape = ValuesShape,
    .doc =
        "Values of a sparse tensor times the elements of a dense one at their "
        "coordinates; the dense one is broadcast to the sparse one's shape.",
};
MR_OP(SparseDenseCwiseDiv){
    .inputs = MR_SPARSE_AND_DENSE,
    .outputs = "output: T",
    .attrs = "T: numbertype",
    .shape = ValuesShape,
    .doc =
        "Values of a sparse tensor over the elements of a dense one at their "
        "coordinates; the dense one is broadcast to the sparse one's shape.",
};
MR_OP(SparseDenseCwiseAdd){
    .inputs = MR_SPARSE_AND_DENSE,
    .outputs = "output: T",
    .attrs = "T: numbertype",
    .shape = ValuesShape,
    .doc =
        "Values of a sparse tensor plus the elements of a dense one at their "
        "coordinates, and nothing elsewhere; the dense one is broadcast to the "
        "sparse one's shape.",
};
MR_OP(SparseTensorDenseAdd){
    .inputs = "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
    .outputs = "output: T",
    .attrs = "T: numbertype; Tindices: {int32, int64}",
    .shape = [](ShapeContext& c) -> Status { return c.Return(c.input(3)); },
    .doc =
        "The sum of a sparse and a dense tensor of one shape, as a dense one. "
        "Entries may come in any order and repeat.",
};

}  // namespace millrace::ops
