#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ValuesShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  return c.Return(PartialShape({indices.dim(0)}));
}

// Returns the schema of an op on the entries of a sparse tensor and a dense
// one.
consteval OpFields SparseDenseCwise(const char* doc) {
  return {
      .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T",
      .outputs = "output: T",
      .attrs = "T: numbertype",
      .shape = ValuesShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(SparseDenseCwiseMul){SparseDenseCwise(
    "Values of a sparse tensor times the elements of a dense one at their "
    "coordinates; the dense one is broadcast to the sparse one's shape.")};
MR_OP(SparseDenseCwiseDiv){SparseDenseCwise(
    "Values of a sparse tensor over the elements of a dense one at their "
    "coordinates; the dense one is broadcast to the sparse one's shape.")};
MR_OP(SparseDenseCwiseAdd){SparseDenseCwise(
    "Values of a sparse tensor plus the elements of a dense one at their "
    "coordinates, and nothing elsewhere; the dense one is broadcast to the "
    "sparse one's shape.")};
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
