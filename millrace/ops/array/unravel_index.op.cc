#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(UnravelIndex){
    .inputs = "indices: Tidx, dims: Tidx",
    .outputs = "output: Tidx",
    .attrs = R"(Tidx: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      const PartialShape& indices = c.input(0);
      MR_ASSIGN_OR_RETURN(const PartialShape dims, c.WithRank(1, 1));
      if (!indices.known_rank()) return c.Return(PartialShape());
      const int64_t rank = ShapeContext::Dim(dims, 0);
      if (indices.rank() == 0) return c.Return(VectorShape(rank));
      return c.Return(PartialShape({rank, indices.num_elements()}));
    },
    .doc =
        "The coordinates, in an array of shape `dims`, of elements that are "
        "numbered row by row: a column for each index.",
};

}  // namespace millrace::ops
