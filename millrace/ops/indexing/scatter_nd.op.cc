#include "millrace/ops/indexing/scatter_nd.op.h"

#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

Status CheckScatterShapes(ShapeContext& c, int indices, int updates,
                          const PartialShape& shape) {
  const PartialShape& rows = c.input(indices);
  const PartialShape& slices = c.input(updates);
  if (shape.num_elements() == 0 &&
      (rows.num_elements() > 0 || slices.num_elements() > 0)) {
    return InvalidArgument("Indices and updates specified for empty input");
  }
  if (!rows.known_rank() || rows.rank() == 0 || !slices.known_rank() ||
      slices.rank() == 0) {
    return OkStatus();
  }
  const int64_t depth = ShapeContext::Dim(rows, -1);
  if (depth == kUnknownDim) return OkStatus();
  const int outer = rows.rank() - 1;
  if (slices.rank() < outer ||
      !Subshape(rows, 0, outer).IsCompatibleWith(Subshape(slices, 0, outer))) {
    return InvalidArgument("Dimensions [0,", outer,
                           ") of indices[shape=", rows.DebugString(),
                           "] must match dimensions [0,", outer,
                           ") of updates[shape=", slices.DebugString(), "]");
  }
  if (!shape.known_rank()) return OkStatus();
  if (depth > shape.rank() || !Subshape(shape, static_cast<int>(depth))
                                   .IsCompatibleWith(Subshape(slices, outer))) {
    return InvalidArgument("Dimensions [", depth, ",", shape.rank(),
                           ") of input[shape=", shape.DebugString(),
                           "] must match dimensions [", outer, ",",
                           slices.rank(),
                           ") of updates[shape=", slices.DebugString(), "]");
  }
  return OkStatus();
}

MR_OP(ScatterNd){
    .inputs = "indices: Tindices, updates: T, shape: Tindices",
    .outputs = "output: T",
    .attrs =
        R"(T: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = "")",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
      MR_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
      MR_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(2));
      MR_RETURN_IF_ERROR(CheckScatterShapes(c, 0, 1, out));
      return c.Return(std::move(out));
    },
    .doc =
        "Zeros of the given shape to which each slice of `updates` is added at "
        "the place that "
        "its row of `indices` names. With the policy IGNORE places outside are "
        "left out.",
};

}  // namespace millrace::ops
