#include <set>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status DenseShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const bool keep_dims, c.Attr<bool>("keep_dims"));
  const Tensor* const shape = c.input_value(2);
  const Tensor* const axes = c.input_value(3);
  if (shape == nullptr || axes == nullptr) return c.Return({});
  const auto sizes = shape->flat<int64_t>();
  const auto rank = static_cast<int64_t>(sizes.size());
  if (rank == 0) {
    return InvalidArgument("Number of dims in shape tensor must not be 0");
  }
  std::set<int64_t> reduced;
  for (const int32_t axis : axes->flat<int32_t>()) {
    reduced.insert((axis + rank) % rank);
  }
  DimVector dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (!reduced.contains(d)) {
      dims.push_back(sizes[static_cast<size_t>(d)]);
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  MR_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  return c.Return(std::move(out));
}

}  // namespace

#define MR_SPARSE_REDUCE_INPUTS                                 \
  "input_indices: int64, input_values: T, input_shape: int64, " \
  "reduction_axes: int32"
#define MR_REDUCED_OUTPUTS \
  "output_indices: int64, output_values: T, output_shape: int64"

MR_OP(SparseReduceSum){
    .inputs = MR_SPARSE_REDUCE_INPUTS,
    .outputs = "output: T",
    .attrs = "keep_dims: bool = false; T: numbertype",
    .shape = DenseShape,
    .doc = "Sums over dimensions of a sparse tensor, as a dense one.",
};
MR_OP(SparseReduceMax){
    .inputs = MR_SPARSE_REDUCE_INPUTS,
    .outputs = "output: T",
    .attrs = "keep_dims: bool = false; T: realnumbertype",
    .shape = DenseShape,
    .doc =
        "Maxima of the entries over dimensions of a sparse tensor, as a dense "
        "one; zero where there are no entries.",
};
MR_OP(SparseReduceSumSparse){
    .inputs = MR_SPARSE_REDUCE_INPUTS,
    .outputs = MR_REDUCED_OUTPUTS,
    .attrs = "keep_dims: bool = false; T: numbertype",
    .shape = shapes::Unknown,
    .doc = "Sums over dimensions of a sparse tensor, as a sparse one.",
};
MR_OP(SparseReduceMaxSparse){
    .inputs = MR_SPARSE_REDUCE_INPUTS,
    .outputs = MR_REDUCED_OUTPUTS,
    .attrs = "keep_dims: bool = false; T: realnumbertype",
    .shape = shapes::Unknown,
    .doc = "Maxima over dimensions of a sparse tensor, as a sparse one.",
};

}  // namespace millrace::ops
