#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Adds a dimension of unknown size behind those of the input.
Status DecodeRawShape(ShapeContext& c) {
  if (!c.input(0).known_rank()) return shapes::Unknown(c);
  return c.Return(c.input(0).Concatenate(PartialShape({kUnknownDim})));
}

// Adds a dimension behind those of the input, for `fixed_length` bytes of each
// string.
Status DecodePaddedRawShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (!c.input(0).known_rank()) return shapes::Unknown(c);
  const Tensor* const length = c.input_value(1);
  int64_t width = kUnknownDim;
  if (length != nullptr) {
    MR_ASSIGN_OR_RETURN(const DataType type, c.Attr<DataType>("out_type"));
    const int64_t bytes = length->scalar<int32_t>();
    const auto size = static_cast<int64_t>(SizeOf(type));
    if (bytes % size != 0) {
      return InvalidArgument("fixed_length (", bytes,
                             ") must be a multiple of the size of out_type (",
                             size, ")");
    }
    width = bytes / size;
  }
  return c.Return(c.input(0).Concatenate(PartialShape({width})));
}

}  // namespace

MR_OP(DecodeRaw){
    .inputs = "bytes: string",
    .outputs = "output: out_type",
    .attrs =
        "out_type: {half, float, double, int32, uint16, uint8, int16, "
        "int8, int64, complex64, complex128, bool, bfloat16}; "
        "little_endian: bool = true",
    .shape = DecodeRawShape,
    .doc = "The bytes of strings as numbers.",
};

MR_OP(DecodePaddedRaw){
    .inputs = "input_bytes: string, fixed_length: int32",
    .outputs = "output: out_type",
    .attrs =
        "out_type: {half, float, double, int32, uint16, uint8, int16, "
        "int8, int64, bfloat16}; little_endian: bool = true",
    .shape = DecodePaddedRawShape,
    .doc = "The bytes of strings, cut or filled with zeros, as numbers.",
};

}  // namespace millrace::ops
