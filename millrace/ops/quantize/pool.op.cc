#include "millrace/ops/pooling/pool.op.h"

#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

Status QuantizedPoolShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Pool2DShape(c));
  SetScalars(c, 1, 3);
  return RequireScalars(c, 1, 3);
}

// Returns the schema of pooling of quantized images.
consteval OpFields QuantizedPool(const char* doc) {
  return {
      .inputs = "input: T, min_input: float, max_input: float",
      .outputs = "output: T, min_output: float, max_output: float",
      .attrs =
          "T: quantizedtype; ksize: list(int); strides: list(int); padding: "
          "{'SAME', 'VALID'}",
      .shape = QuantizedPoolShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(QuantizedMaxPool){
    QuantizedPool("MaxPool of quantized numbers, whose range stays.")};
MR_OP(QuantizedAvgPool){QuantizedPool(
    "AvgPool of quantized numbers, whose range stays; means are cut "
    "towards 0.")};

}  // namespace millrace::ops
