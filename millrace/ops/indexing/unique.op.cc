#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status UniqueShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 1));
  c.set_output(0, VectorShape());
  c.set_output(1, std::move(x));
  if (c.num_outputs() > 2) c.set_output(2, VectorShape());
  return OkStatus();
}

Status UniqueV2Shape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  const Tensor* axes = c.input_value(1);
  c.set_output(0, x.known_rank() ? PartialShape::UnknownOfRank(x.rank())
                                 : PartialShape());
  c.set_output(1, VectorShape());
  if (c.num_outputs() > 2) c.set_output(2, VectorShape());
  if (!axes || !x.known_rank()) return OkStatus();
  if (axes->rank() != 1) return InvalidArgument("axis expects a 1D vector.");
  if (axes->num_elements() > 1) {
    return InvalidArgument(
        "axis does not support input tensors larger than 1 elements.");
  }
  if (axes->num_elements() == 0) {
    if (x.rank() != 1) return InvalidArgument("x expects a 1D vector.");
    c.set_output(1, x);
    return OkStatus();
  }
  const int64_t axis = IntAt(*axes, 0);
  if (axis < -x.rank() || axis >= x.rank()) {
    return InvalidArgument("axis expects to be in the range [", -x.rank(), ", ",
                           x.rank(), ")");
  }
  PartialShape y = x;
  const int at = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
  c.set_output(1, VectorShape(y.dim(at)));
  y.set_dim(at, kUnknownDim);
  c.set_output(0, std::move(y));
  return OkStatus();
}

}  // namespace

MR_OP(Unique){
    .inputs = "x: T",
    .outputs = "y: T, idx: out_idx",
    .attrs = R"(T: type; out_idx: {int32, int64} = "int32")",
    .shape = UniqueShape,
    .doc =
        "The distinct elements of a vector in the order of their first "
        "occurrence, and for each "
        "element of `x` its place among them. NaNs are all distinct.",
};

MR_OP(UniqueV2){
    .inputs = "x: T, axis: Taxis",
    .outputs = "y: T, idx: out_idx",
    .attrs =
        R"(T: type; Taxis: {int32, int64} = "int64"; out_idx: {int32, int64} = "int32")",
    .shape = UniqueV2Shape,
    .doc =
        "Unique over the slices along one dimension `axis` (no axis: `x` is a "
        "vector).",
};

MR_OP(UniqueWithCounts){
    .inputs = "x: T",
    .outputs = "y: T, idx: out_idx, count: out_idx",
    .attrs = R"(T: type; out_idx: {int32, int64} = "int32")",
    .shape = UniqueShape,
    .doc = "Unique, and how often each distinct element occurs.",
};

MR_OP(UniqueWithCountsV2){
    .inputs = "x: T, axis: Taxis",
    .outputs = "y: T, idx: out_idx, count: out_idx",
    .attrs =
        R"(T: type; Taxis: {int32, int64} = "int64"; out_idx: {int32, int64} = "int32")",
    .shape = UniqueV2Shape,
    .doc = "UniqueV2, and how often each distinct slice occurs.",
};

MR_OP(ListDiff){
    .inputs = "x: T, y: T",
    .outputs = "out: T, idx: out_idx",
    .attrs = R"(T: type; out_idx: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      for (int i = 0; i < 2; ++i) {
        MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
        c.set_output(i, VectorShape());
      }
      return OkStatus();
    },
    .doc =
        "The elements of `x` that `y` lacks, in their order and with their "
        "places.",
};

}  // namespace millrace::ops
