#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

// The shape of the records, for each column.
Status DecodeCsvShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    MR_ASSIGN(const PartialShape fallback, c.WithRankAtMost(i, 1));
    if (fallback.rank() == 1 && fallback.dim(0) > 1) {
      return InvalidArgument(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

// A dimension of unknown size behind those of the input.
Status DecodeRawShape(ShapeContext& c) {
  if (!c.input(0).known_rank()) return shapes::Unknown(c);
  return c.Return(c.input(0).Concatenate(PartialShape({kUnknownDim})));
}

// The same with `fixed_length` bytes an element.
Status DecodePaddedRawShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (!c.input(0).known_rank()) return shapes::Unknown(c);
  const Tensor* const length = c.input_value(1);
  int64_t width = kUnknownDim;
  if (length != nullptr) {
    MR_ASSIGN(const DataType type, c.Attr<DataType>("out_type"));
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
}  // namespace millrace

namespace millrace::ops {

MR_OP(DecodeCSV){
    .inputs = "records: string, record_defaults: OUT_TYPE",
    .outputs = "output: OUT_TYPE",
    .attrs =
        "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; "
        "field_delim: string = ','; use_quote_delim: bool = true; "
        "na_value: string = ''; select_cols: list(int) = []",
    .shape = DecodeCsvShape,
    .doc = "The fields of lines of comma separated values, a tensor a column.",
};

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

MR_OP(DecodeCompressed){
    .inputs = "bytes: string",
    .outputs = "output: string",
    .attrs = "compression_type: string = ''",
    .shape = shapes::Unchanged,
    .doc = "Strings that were compressed by ZLIB or GZIP.",
};

}  // namespace millrace::ops
