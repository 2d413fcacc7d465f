#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status GatherV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape params, c.WithRankAtLeast(0, 1));
  const PartialShape& indices = c.input(1);
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_ASSIGN_OR_RETURN(int64_t batch_dims, c.Attr<int64_t>("batch_dims"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("batch_dims", batch_dims));
  if (batch_dims < -kMaxRank || batch_dims > kMaxRank) {
    return InvalidArgument("batch_dims ", batch_dims, " is out of range");
  }
  const Tensor* axis_value = c.input_value(2);
  if (!axis_value) {
    if (!params.known_rank() || !indices.known_rank()) return c.Return({});
    const int64_t batch =
        batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
    const int64_t rank = params.rank() + indices.rank() - 1 - batch;
    if (rank < 0 || rank > kMaxRank) return c.Return({});
    return c.Return(PartialShape::UnknownOfRank(static_cast<int>(rank)));
  }
  const int64_t axis = IntAt(*axis_value, 0);
  if (axis < -kMaxRank || axis >= kMaxRank) {
    return InvalidArgument("axis ", axis, " is out of range");
  }
  MR_RETURN_IF_ERROR(
      c.WithRankAtLeast(0, static_cast<int>(axis < 0 ? -axis : axis + 1))
          .status());
  MR_RETURN_IF_ERROR(
      c.WithRankAtLeast(
           1, static_cast<int>(batch_dims < 0 ? -batch_dims : batch_dims))
          .status());
  if (!params.known_rank() || !indices.known_rank()) return c.Return({});
  const int batch = static_cast<int>(
      batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, batch + 1).status());
  const int at = static_cast<int>(axis < 0 ? axis + params.rank() : axis);
  return c.Return(Subshape(params, 0, at)
                      .Concatenate(Subshape(indices, batch))
                      .Concatenate(Subshape(params, at + 1)));
}

}  // namespace

MR_OP(GatherV2){
    .inputs = "params: Tparams, indices: Tindices, axis: Taxis",
    .outputs = "output: Tparams",
    .attrs =
        "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; "
        "Taxis: {int32, int64}",
    .shape = GatherV2Shape,
    .ints = int_rules::Gather,
    .doc =
        "Takes the slices of `params` that `indices` names along dimension "
        "`axis`. The first "
        "`batch_dims` dimensions of both are walked together.",
};

MR_OP(Gather){
    .inputs = "params: Tparams, indices: Tindices",
    .outputs = "output: Tparams",
    .attrs =
        "validate_indices: bool = true; Tparams: type; Tindices: {int32, "
        "int64}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape params, c.WithRankAtLeast(0, 1));
      return c.Return(c.input(1).Concatenate(Subshape(params, 1)));
    },
    .ints = int_rules::Gather,
    .doc = "Takes the rows of `params` that `indices` names.",
};

}  // namespace millrace::ops
