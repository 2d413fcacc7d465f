#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ArgShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const PartialShape& x = c.input(0);
  if (!x.known_rank()) return c.Return(PartialShape());
  const int rank = x.rank();
  if (rank <= 1) return c.Return(TensorShape());
  const Tensor* axis_value = c.input_value(1);
  if (axis_value == nullptr) {
    return c.Return(PartialShape::UnknownOfRank(rank - 1));
  }
  int64_t axis = 0;
  switch (axis_value->dtype()) {
    case DataType::kInt16:
      axis = axis_value->scalar<int16_t>();
      break;
    case DataType::kInt32:
      axis = axis_value->scalar<int32_t>();
      break;
    default:
      axis = axis_value->scalar<int64_t>();
  }
  const int64_t d = axis < 0 ? axis + rank : axis;
  if (d < 0 || d >= rank) {
    return InvalidArgument("Dimension (", axis, ") must be in the range [",
                           -rank, ", ", rank, "), where ", rank,
                           " is the number of dimensions in the input.");
  }
  DimVector dims;
  for (int i = 0; i < rank; ++i) {
    if (i != d) dims.push_back(x.dim(i));
  }
  return c.Return(PartialShape(absl::MakeConstSpan(dims)));
}

}  // namespace

MR_OP(ArgMax){
    .inputs = "input: T, dimension: Tidx",
    .outputs = "output: output_type",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16, "
        "bool}; Tidx: {int16, int32, int64} = 'int32'; output_type: {int16, "
        "uint16, int32, int64} = 'int64'",
    .shape = ArgShape,
    .doc =
        "The index of the largest element along `dimension`, the first of "
        "equal ones.",
};

MR_OP(ArgMin){
    .inputs = "input: T, dimension: Tidx",
    .outputs = "output: output_type",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16, "
        "bool}; Tidx: {int32, int64} = 'int32'; output_type: {int32, int64} = "
        "'int64'",
    .shape = ArgShape,
    .doc =
        "The index of the smallest element along `dimension`, the first of "
        "equal ones.",
};

}  // namespace millrace::ops
