#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// Returns the attribute `axis` as an index into a shape of `rank` dimensions.
StatusOr<int> AxisAttr(ShapeContext& c, int rank) {
  MR_ASSIGN_OR_RETURN(int64_t axis, c.Attr<int32_t>("axis"));
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
  MR_ASSIGN_OR_RETURN(int axis, AxisAttr(c, in.rank() + 1));
  return c.Return(Subshape(in, 0, axis)
                      .Concatenate(VectorShape(c.num_inputs()))
                      .Concatenate(Subshape(in, axis)));
}

Status UnpackShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.known_rank()) return shapes::Unknown(c);
  MR_ASSIGN_OR_RETURN(int axis, AxisAttr(c, in.rank()));
  MR_RETURN_IF_ERROR(WithValue(in.dim(axis), c.num_outputs()).status());
  const PartialShape out =
      Subshape(in, 0, axis).Concatenate(Subshape(in, axis + 1));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return OkStatus();
}

}  // namespace

MR_OP(Pack){
    .inputs = "values: N * T",
    .outputs = "output: T",
    .attrs = "N: int >= 1; T: type; axis: int = 0",
    .shape = PackShape,
    .ints = int_rules::Pack,
    .doc = "Stacks tensors of one shape along a new dimension `axis`.",
};

MR_OP(Unpack){
    .inputs = "value: T",
    .outputs = "output: num * T",
    .attrs = "num: int >= 0; T: type; axis: int = 0",
    .shape = UnpackShape,
    .ints = int_rules::Unpack,
    .doc =
        "Takes a tensor apart along dimension `axis`, which has `num` rows and "
        "disappears.",
};

}  // namespace millrace::ops
