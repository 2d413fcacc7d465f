#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// The rows of the arguments, in front of the shape of each call's result.
Status MapDefunShapes(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const auto shapes,
                      c.Attr<AttrValue::ShapeList>("output_shapes"));
  MR_ASSIGN_OR_RETURN(const auto types,
                      c.Attr<AttrValue::TypeList>("output_types"));
  if (shapes.size() != types.size()) {
    return InvalidArgument(
        "Length of output_shapes and output_types must match. They are ",
        shapes.size(), " and ", types.size());
  }
  MR_ASSIGN_OR_RETURN(const auto arguments,
                      c.Attr<AttrValue::TypeList>("Targuments"));
  int64_t rows = kUnknownDim;
  for (int i = 0; i < static_cast<int>(arguments.size()); ++i) {
    const PartialShape& shape = c.input(i);
    if (!shape.known_rank()) continue;
    if (shape.rank() == 0) {
      return InvalidArgument("Arguments must have rank at least 1. Input ", i,
                             " has rank of 0.");
    }
    const auto merged = ShapeContext::MergeDims(rows, shape.dim(0));
    if (!merged.ok())
      return InvalidArgument("Arguments must have the same dimension 0.");
    rows = *merged;
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    const PartialShape& shape = shapes[static_cast<size_t>(i)];
    if (!shape.known_rank()) continue;
    DimVector dims = {rows};
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    MR_ASSIGN_OR_RETURN(PartialShape whole,
                        PartialShape::Make(absl::MakeConstSpan(dims)));
    c.set_output(i, std::move(whole));
  }
  return OkStatus();
}

}  // namespace

MR_OP(MapDefun){
    .inputs = "arguments: Targuments, captured_inputs: Tcaptured",
    .outputs = "output: output_types",
    .attrs =
        "Targuments: list(type) >= 1; Tcaptured: list(type) >= 0 = []; "
        "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
        "f: func; max_intra_op_parallelism: int = 1",
    .shape = MapDefunShapes,
    .doc =
        "Calls `f` with each row of the arguments, and with all captured "
        "inputs, and stacks the results.",
};

}  // namespace millrace::ops
