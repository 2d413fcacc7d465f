#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// All products have the shape of the first one.
Status FirstProductShape(ShapeContext& c) {
  if (c.num_inputs() % 2 != 0) {
    return InvalidArgument("Factors come in pairs, but there are ",
                           c.num_inputs());
  }
  MR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(const bool transpose_a, c.Attr<bool>("transpose_a"));
  MR_ASSIGN_OR_RETURN(const bool transpose_b, c.Attr<bool>("transpose_b"));
  return c.Return({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
}

}  // namespace

MR_OP(_SumOfProducts){
    .inputs = "factors: N * T",
    .outputs = "sum: T",
    .attrs =
        "N: int >= 2; T: {float, double}; transpose_a: bool = false; "
        "transpose_b: bool = false",
    .shape = FirstProductShape,
    .doc =
        "The sum of products of matrices, a pair of factors each. Made by "
        "graph rewriting when a graph is compiled; no graph from outside "
        "has it.",
};

}  // namespace millrace::ops
