#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status TransposeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const Tensor* perm = c.input_value(1);
  const int64_t perm_size = c.input(1).num_elements();
  int64_t rank;
  if (in.known_rank()) {
    rank = in.rank();
  } else if (perm_size != kUnknownDim && perm_size >= 2) {
    rank = perm_size;
  } else {
    return c.Return({});  // the rank of a perm of one element is not certain
  }
  if (rank > kMaxRank) return InvalidArgument("perm has ", rank, " elements");
  MR_ASSIGN_OR_RETURN(PartialShape known,
                      c.WithRank(0, static_cast<int>(rank)));
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  MR_RETURN_IF_ERROR(WithValue(perm_size, rank).status());
  PartialShape out = PartialShape::UnknownOfRank(static_cast<int>(rank));
  for (int i = 0; perm && i < rank; ++i) {
    const int64_t from = IntAt(*perm, i);
    if (from >= rank || from <= -rank) {
      return InvalidArgument("perm dim ", from,
                             " is out of range of input rank ", rank);
    }
    out.set_dim(i, ShapeContext::Dim(known, static_cast<int>(from)));
  }
  return c.Return(std::move(out));
}

}  // namespace

MR_OP(Transpose){
    .inputs = "x: T, perm: Tperm",
    .outputs = "y: T",
    .attrs = R"(T: type; Tperm: {int32, int64} = "int32")",
    .shape = TransposeShape,
    .doc =
        "Permutes dimensions: dimension i of `y` is dimension perm[i] of `x`.",
};

MR_OP(ConjugateTranspose){
    .inputs = "x: T, perm: Tperm",
    .outputs = "y: T",
    .attrs = R"(T: type; Tperm: {int32, int64} = "int32")",
    .shape = TransposeShape,
    .doc = "Transpose with complex elements conjugated.",
};

MR_OP(InvertPermutation){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = R"(T: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 1));
      return c.Return(std::move(x));
    },
    .doc = "y[x[i]] = i, for a permutation of 0 ... n-1.",
};

}  // namespace millrace::ops
