#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(ScatterNd){
    .inputs = "indices: Tindices, updates: T, shape: Tindices",
    .outputs = "output: T",
    .attrs =
        R"(T: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = "")",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape indices, c.WithRankAtLeast(0, 1));
      MR_ASSIGN_OR_RETURN(PartialShape updates, c.WithRankAtLeast(1, 1));
      MR_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(2));
      if (out.num_elements() == 0 &&
          (indices.num_elements() > 0 || updates.num_elements() > 0)) {
        return InvalidArgument("Indices and updates specified for empty input");
      }
      if (indices.known_rank() && updates.known_rank() &&
          ShapeContext::Dim(indices, -1) != kUnknownDim) {
        const int outer = indices.rank() - 1;
        const int64_t depth = ShapeContext::Dim(indices, -1);
        MR_RETURN_IF_ERROR(c.WithRankAtLeast(1, outer).status());
        if (!Subshape(indices, 0, outer)
                 .IsCompatibleWith(Subshape(updates, 0, outer))) {
          return InvalidArgument("Dimensions [0,", outer,
                                 ") of indices[shape=", indices.DebugString(),
                                 "] must match dimensions [0,", outer,
                                 ") of updates[shape=", updates.DebugString(),
                                 "]");
        }
        if (out.known_rank() &&
            (depth > out.rank() ||
             !Subshape(out, static_cast<int>(depth))
                  .IsCompatibleWith(Subshape(updates, outer)))) {
          return InvalidArgument(
              "Dimensions [", depth, ",", out.rank(),
              ") of input[shape=", out.DebugString(),
              "] must match dimensions [", outer, ",", updates.rank(),
              ") of updates[shape=", updates.DebugString(), "]");
        }
      }
      return c.Return(std::move(out));
    },
    .doc =
        "Zeros of the given shape to which each slice of `updates` is added at "
        "the place that "
        "its row of `indices` names. With the policy IGNORE places outside are "
        "left out.",
};

}  // namespace millrace::ops
