#include "millrace/ops/layout/concat.op.h"
#include "millrace/graph/int_rules.h"

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status NoScalars() {
  return InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
}

}  // namespace

Status ConcatShape(ShapeContext& c, int begin, int end, int axis_input) {
  MR_RETURN_IF_ERROR(c.WithRank(axis_input, 0).status());
  const Tensor* axis = c.input_value(axis_input);
  if (!axis) {
    int rank = -1;
    for (int i = begin; i < end && rank < 0; ++i) rank = c.input(i).rank();
    if (rank < 0) return c.Return({});
    if (rank == 0) return NoScalars();
    for (int i = begin; i < end; ++i)
      MR_RETURN_IF_ERROR(c.WithRank(i, rank).status());
    return c.Return(PartialShape::UnknownOfRank(rank));
  }
  const int64_t at = IntAt(*axis, 0);
  if (at < -kMaxRank || at >= kMaxRank) {
    return InvalidArgument(
        "Expected concatenating dimensions within the inputs' rank, but got ",
        at);
  }
  const int dim = static_cast<int>(at);
  const int min_rank = dim < 0 ? -dim : dim + 1;
  PartialShape out;
  int64_t sum = 0;
  for (int i = end - 1; i >= begin; --i) {
    if (c.input(i).rank() == 0) return NoScalars();
    MR_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(i, min_rank));
    if (!in.known_rank()) {
      sum = kUnknownDim;
      continue;
    }
    const int place = dim < 0 ? dim + in.rank() : dim;
    MR_ASSIGN_OR_RETURN(sum, ShapeContext::AddDims(sum, in.dim(place)));
    in.set_dim(place, kUnknownDim);
    MR_ASSIGN_OR_RETURN(out, ShapeContext::MergeShapes(in, out));
  }
  if (out.known_rank()) out.set_dim(dim < 0 ? dim + out.rank() : dim, sum);
  return c.Return(std::move(out));
}

MR_OP(ConcatV2){
    .inputs = "values: N * T, axis: Tidx",
    .outputs = "output: T",
    .attrs = R"(N: int >= 2; T: type; Tidx: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      return ConcatShape(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
    },
    .ints = int_rules::ConcatV2,
    .doc = "Joins tensors along dimension `axis`; all other dimensions agree.",
};

MR_OP(Concat){
    .inputs = "concat_dim: int32, values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 2; T: type",
    .shape = [](ShapeContext& c) -> Status {
      return ConcatShape(c, 1, c.num_inputs(), 0);
    },
    .ints = int_rules::Concat,
    .doc =
        "Joins tensors along dimension `concat_dim`; all other dimensions "
        "agree.",
};

MR_OP(ConcatOffset){
    .inputs = "concat_dim: int32, shape: N * shape_type",
    .outputs = "offset: N * shape_type",
    .attrs = R"(N: int >= 2; shape_type: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      for (int i = 1; i < c.num_inputs(); ++i) c.set_output(i - 1, c.input(i));
      return OkStatus();
    },
    .doc =
        "Returns where each of several shapes begins in their concatenation "
        "along `concat_dim`.",
};

}  // namespace millrace::ops
