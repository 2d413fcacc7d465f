#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(Diag){
    .inputs = "diagonal: T",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, 1));
      return c.Return(in.Concatenate(in));
    },
    .doc =
        "Zeros with `diagonal` on the diagonal: output[i..., i...] = "
        "diagonal[i...].",
};

MR_OP(DiagPart){
    .inputs = "input: T",
    .outputs = "diagonal: T",
    .attrs =
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}",
    .shape = [](ShapeContext& c) -> Status {
      const PartialShape& in = c.input(0);
      if (!in.known_rank()) return c.Return({});
      if (in.rank() % 2 != 0 || in.rank() == 0) {
        return InvalidArgument(
            "Input must have even and non-zero rank, input rank is ",
            in.rank());
      }
      const int half = in.rank() / 2;
      MR_ASSIGN_OR_RETURN(
          PartialShape out,
          ShapeContext::MergeShapes(Subshape(in, 0, half), Subshape(in, half)));
      return c.Return(std::move(out));
    },
    .doc = "The diagonal: diagonal[i...] = input[i..., i...].",
};

MR_OP(MatrixBandPart){
    .inputs = "input: T, num_lower: Tindex, num_upper: Tindex",
    .outputs = "band: T",
    .attrs = R"(T: type; Tindex: {int32, int64} = "int64")",
    .shape = shapes::Unchanged,
    .doc =
        "Sets elements more than `num_lower` below or `num_upper` above the "
        "diagonal of each "
        "matrix to zero; a negative number keeps the whole triangle.",
};

MR_OP(BatchMatrixBandPart){
    .inputs = "input: T, num_lower: int64, num_upper: int64",
    .outputs = "band: T",
    .attrs = "T: type",
    .shape = shapes::Unknown,
    .doc = "MatrixBandPart under its old name.",
    .deprecated_version = 14,
    .deprecated_hint = "Use MatrixBandPart",
};

}  // namespace millrace::ops
