#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(Dequantize){
    .inputs = "input: T, min_range: float, max_range: float",
    .outputs = "output: dtype",
    .attrs =
        "T: quantizedtype; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = "
        "'MIN_COMBINED'; narrow_range: bool = false; axis: int = -1; dtype: "
        "{bfloat16, float} = float",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(RangesAlongAxis(c, 0, 1, 2, RangePair::kMax).status());
      return c.Return(c.input(0));
    },
    .doc = "The numbers that quantized ones stand for; undoes QuantizeV2.",
};

}  // namespace millrace::ops
