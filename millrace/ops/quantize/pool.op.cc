#include "millrace/ops/pooling/pool.op.h"

#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

Status QuantizedPoolShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Pool2DShape(c));
  SetScalars(c, 1, 3);
  return RequireScalars(c, 1, 3);
}

}  // namespace

#define MR_POOL_ATTRS                                                 \
  "T: quantizedtype; ksize: list(int); strides: list(int); padding: " \
  "{'SAME', 'VALID'}"

MR_OP(QuantizedMaxPool){
    .inputs = "input: T, min_input: float, max_input: float",
    .outputs = "output: T, min_output: float, max_output: float",
    .attrs = MR_POOL_ATTRS,
    .shape = QuantizedPoolShape,
    .doc = "MaxPool of quantized numbers, whose range stays.",
};
MR_OP(QuantizedAvgPool){
    .inputs = "input: T, min_input: float, max_input: float",
    .outputs = "output: T, min_output: float, max_output: float",
    .attrs = MR_POOL_ATTRS,
    .shape = QuantizedPoolShape,
    .doc =
        "AvgPool of quantized numbers, whose range stays; means are cut "
        "towards 0.",
};

}  // namespace millrace::ops
