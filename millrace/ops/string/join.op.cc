#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Scalars join with anything; all other inputs have one shape.
Status JoinShape(ShapeContext& c) {
  PartialShape shape({});
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).known_rank()) return c.Return(PartialShape());
    if (c.input(i).rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = c.input(i);
    } else {
      MR_ASSIGN_OR_RETURN(shape, ShapeContext::MergeShapes(shape, c.input(i)));
    }
  }
  return c.Return(std::move(shape));
}

// Sets the shape as other reductions do; the axes are a vector or a scalar.
Status ReduceJoinShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const bool keep_dims, c.Attr<bool>("keep_dims"));
  const PartialShape& strings = c.input(0);
  const Tensor* const axes = c.input_value(1);
  if (axes == nullptr || !strings.known_rank()) {
    return c.Return(keep_dims && strings.known_rank()
                        ? PartialShape::UnknownOfRank(strings.rank())
                        : PartialShape());
  }
  const int rank = strings.rank();
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int32_t axis : axes->flat<int32_t>()) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis,
                             " for input with ", rank, " dimensions.");
    }
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  DimVector dims;
  for (int d = 0; d < rank; ++d) {
    if (!reduced[static_cast<size_t>(d)]) {
      dims.push_back(strings.dim(d));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return c.Return(PartialShape(absl::MakeConstSpan(dims)));
}

}  // namespace

MR_OP(StringJoin){
    .inputs = "inputs: N * string",
    .outputs = "output: string",
    .attrs = "N: int >= 0; separator: string = ''",
    .shape = JoinShape,
    .doc = "Joins strings element by element.",
};

MR_OP(ReduceJoin){
    .inputs = "inputs: string, reduction_indices: int32",
    .outputs = "output: string",
    .attrs = "keep_dims: bool = false; separator: string = ''",
    .shape = ReduceJoinShape,
    .doc =
        "Joins strings along dimensions; the first of `reduction_indices` "
        "moves fastest.",
};

}  // namespace millrace::ops
