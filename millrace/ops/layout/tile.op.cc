#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status TileShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape vector, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(PartialShape multiples, c.ShapeFromInput(1));
  PartialShape in = c.input(0);
  if (in.known_rank()) {
    MR_ASSIGN_OR_RETURN(multiples,
                        ShapeContext::WithRank(multiples, in.rank()));
  }
  if (!multiples.known_rank()) return c.Return(PartialShape());
  MR_ASSIGN_OR_RETURN(in, ShapeContext::WithRank(in, multiples.rank()));
  for (int i = 0; i < in.rank(); ++i) {
    MR_ASSIGN_OR_RETURN(
        int64_t d, ShapeContext::MultiplyDims(in.dim(i), multiples.dim(i)));
    in.set_dim(i, d);
  }
  return c.Return(std::move(in));
}

Status BroadcastToShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  MR_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(1));
  const PartialShape& in = c.input(0);
  if (!out.known_rank() || !in.known_rank()) return c.Return(std::move(out));
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, out.rank()).status());
  for (int i = 1; i <= in.rank(); ++i) {
    const int64_t d = in.dim(in.rank() - i);
    if (d > 1) {
      MR_ASSIGN_OR_RETURN(int64_t merged,
                          ShapeContext::MergeDims(d, out.dim(out.rank() - i)));
      out.set_dim(out.rank() - i, merged);
    }
  }
  return c.Return(std::move(out));
}

}  // namespace

MR_OP(Tile){
    .inputs = "input: T, multiples: Tmultiples",
    .outputs = "output: T",
    .attrs = R"(T: type; Tmultiples: {int32, int64} = "int32")",
    .shape = TileShape,
    .doc = "Repeats `input` multiples[i] times along dimension i.",
};

MR_OP(TileGrad){
    .inputs = "input: T, multiples: int32",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = shapes::Unknown,
    .doc = "The sum of the tiles that Tile made.",
    .deprecated_version = 3,
    .deprecated_hint = "TileGrad has been replaced with reduce_sum",
};

MR_OP(BroadcastTo){
    .inputs = "input: T, shape: Tidx",
    .outputs = "output: T",
    .attrs = R"(T: type; Tidx: {int32, int64} = "int32")",
    .shape = BroadcastToShape,
    .doc =
        "Repeats dimensions of size 1, and adds dimensions in front, until "
        "`input` has the given "
        "shape.",
};

}  // namespace millrace::ops
