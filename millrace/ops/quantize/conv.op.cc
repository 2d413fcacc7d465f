#include "millrace/ops/convolution/conv.op.h"

#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizedConv2D){
    .inputs =
        "input: Tinput, filter: Tfilter, min_input: float, max_input: float, "
        "min_filter: float, max_filter: float",
    .outputs = "output: out_type, min_output: float, max_output: float",
    .attrs =
        "Tinput: quantizedtype; Tfilter: quantizedtype; out_type: "
        "quantizedtype = qint32; strides: list(int); padding: {'SAME', "
        "'VALID'}; dilations: list(int) = [1, 1, 1, 1]",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(Conv2DShape(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 6);
    },
    .doc =
        "Conv2D of quantized numbers, exact in 32 bits, and the range of its "
        "type.",
};

}  // namespace millrace::ops
