#include "millrace/ops/indexing/concat.op.h"

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
    MR_ASSIGN(PartialShape in, c.WithRankAtLeast(i, min_rank));
    if (!in.known_rank()) {
      sum = kUnknownDim;
      continue;
    }
    const int place = dim < 0 ? dim + in.rank() : dim;
    MR_ASSIGN(sum, ShapeContext::AddDims(sum, in.dim(place)));
    in.set_dim(place, kUnknownDim);
    MR_ASSIGN(out, ShapeContext::MergeShapes(out, in));
  }
  if (out.known_rank()) out.set_dim(dim < 0 ? dim + out.rank() : dim, sum);
  return c.Return(std::move(out));
}

namespace {

// The attribute `axis` as a place in a shape of `rank` dimensions.
StatusOr<int> AxisAttr(ShapeContext& c, int rank) {
  MR_ASSIGN(int64_t axis, c.Attr<int64_t>("axis"));
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",",
                           rank, ")");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Status PackShape(ShapeContext& c) {
  PartialShape in = c.input(c.num_inputs() - 1);
  for (int i = c.num_inputs() - 2; i >= 0; --i) {
    auto merged = ShapeContext::MergeShapes(c.input(i), in);
    if (!merged.ok()) {
      return Prefix(
          absl::StrCat("From merging shape ", i, " with other shapes. "),
          merged.status());
    }
    in = *std::move(merged);
  }
  if (!in.known_rank()) return c.Return({});
  MR_ASSIGN(int axis, AxisAttr(c, in.rank() + 1));
  return c.Return(Subshape(in, 0, axis)
                      .Concatenate(VectorShape(c.num_inputs()))
                      .Concatenate(Subshape(in, axis)));
}

Status UnpackShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return shapes::Unknown(c);
  MR_ASSIGN(int axis, AxisAttr(c, in.rank()));
  MR_RETURN_IF_ERROR(WithValue(in.dim(axis), c.num_outputs()).status());
  const PartialShape out =
      Subshape(in, 0, axis).Concatenate(Subshape(in, axis + 1));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return OkStatus();
}

}  // namespace

MR_OP(ConcatV2){
    .inputs = "values: N * T, axis: Tidx",
    .outputs = "output: T",
    .attrs = R"(N: int >= 2; T: type; Tidx: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      return ConcatShape(c, 0, c.num_inputs() - 1, c.num_inputs() - 1);
    },
    .doc = "Joins tensors along dimension `axis`; all other dimensions agree.",
};

MR_OP(Concat){
    .inputs = "concat_dim: int32, values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 2; T: type",
    .shape = [](ShapeContext& c) -> Status {
      return ConcatShape(c, 1, c.num_inputs(), 0);
    },
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
        "Where each of several shapes begins in their concatenation along "
        "`concat_dim`.",
};

MR_OP(Pack){
    .inputs = "values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 1; T: type; axis: int = 0",
    .shape = PackShape,
    .doc = "Stacks tensors of one shape along a new dimension `axis`.",
};

MR_OP(Unpack){
    .inputs = "value: T",
    .outputs = "output: num * T",
    .attrs = "num: int >= 0; T: type; axis: int = 0",
    .shape = UnpackShape,
    .doc =
        "Takes a tensor apart along dimension `axis`, which has `num` rows and "
        "disappears.",
};

}  // namespace millrace::ops
