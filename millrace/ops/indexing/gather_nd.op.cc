#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(GatherNd){
    .inputs = "params: Tparams, indices: Tindices",
    .outputs = "output: Tparams",
    .attrs =
        R"(Tparams: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = "")",
    .shape = [](ShapeContext& c) -> Status {
      const PartialShape& params = c.input(0);
      MR_ASSIGN_OR_RETURN(PartialShape indices, c.WithRankAtLeast(1, 1));
      if (!indices.known_rank() || !params.known_rank()) return c.Return({});
      const int64_t depth = ShapeContext::Dim(indices, -1);
      if (depth == kUnknownDim) return c.Return({});
      if (depth > params.rank()) {
        return InvalidArgument(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: ",
            indices.DebugString(), " and params shape: ", params.DebugString());
      }
      return c.Return(
          Subshape(indices, 0, -1)
              .Concatenate(Subshape(params, static_cast<int>(depth))));
    },
    .doc =
        "Takes the slices of `params` at the places that the rows of `indices` "
        "name by their "
        "first coordinates. With the policy IGNORE a place outside gives "
        "zeros.",
};

}  // namespace millrace::ops
