#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ParallelConcatShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
  if (!shape.IsFullyDefined())
    return InvalidArgument("shape attr must be fully defined.");
  if (shape.rank() == 0) {
    return InvalidArgument(
        "Out of range dim_index 0 for shape with 0 dimensions");
  }
  PartialShape row = shape;
  row.set_dim(0, 1);
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& in = c.input(i);
    // What is not known yet, the kernel checks; TensorFlow refuses it here.
    if (!in.known_rank()) continue;
    if (in.rank() == 0) {
      return InvalidArgument(
          "The rank of all input shapes must be greater than 0, but input ", i,
          " had rank 0.");
    }
    if (in.dim(0) != kUnknownDim && in.dim(0) != 1)
      return InvalidArgument("Size of first dimension must be 1.");
    MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(in, row).status());
  }
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(ParallelConcat){
    .inputs = "values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 1; T: type; shape: shape",
    .shape = ParallelConcatShape,
    .doc =
        "Tensors of one row each as the rows of one tensor of the given shape; "
        "rows without a value are zero.",
};

MR_OP(_ParallelConcatStart){
    .outputs = "output: dtype",
    .attrs = "shape: shape; dtype: type",
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
      return c.Return(std::move(shape));
    },
    .doc =
        "The memory for a ParallelConcat, which TensorFlow's masters take "
        "apart: `_ParallelConcatUpdate` writes the rows.",
};

MR_OP(_ParallelConcatUpdate){
    .inputs = "value: T, update: T",
    .outputs = "output: T",
    .attrs = "T: type; loc: int",
    .flags = kChangesInput,
    .shape = shapes::Unchanged,
    .doc = "Writes `update` as row `loc` of `value`, in place.",
};

}  // namespace millrace::ops
