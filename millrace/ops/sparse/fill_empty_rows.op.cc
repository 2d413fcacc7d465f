#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(SparseFillEmptyRows){
    .inputs = "indices: int64, values: T, dense_shape: int64, default_value: T",
    .outputs =
        "output_indices: int64, output_values: T, empty_row_indicator: bool, "
        "reverse_index_map: int64",
    .attrs = "T: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
      MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(1, 1));
      MR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2, 1));
      MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
      MR_ASSIGN_OR_RETURN(
          const int64_t count,
          ShapeContext::MergeDims(indices.dim(0), values.dim(0)));
      MR_RETURN_IF_ERROR(
          ShapeContext::MergeDims(indices.dim(1), shape.dim(0)).status());
      MR_ASSIGN_OR_RETURN(const PartialShape dense, c.SizesFromInput(2));
      c.set_output(0, PartialShape({kUnknownDim, c.input(2).num_elements()}));
      c.set_output(1, PartialShape({kUnknownDim}));
      c.set_output(2, PartialShape({ShapeContext::Dim(dense, 0)}));
      c.set_output(3, PartialShape({count}));
      return OkStatus();
    },
    .doc =
        "Gives each row (of dimension 0) without an entry one, `default_value` "
        "at coordinates (row, 0, ...). Entries come out row by row; "
        "`reverse_index_map` says where each went.",
};

MR_OP(SparseFillEmptyRowsGrad){
    .inputs = "reverse_index_map: int64, grad_values: T",
    .outputs = "d_values: T, d_default_value: T",
    .attrs = "T: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape map, c.WithRank(0, 1));
      MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
      c.set_output(0, map);
      c.set_output(1, PartialShape(TensorShape()));
      return OkStatus();
    },
    .doc = "The gradients of SparseFillEmptyRows.",
};

}  // namespace millrace::ops
