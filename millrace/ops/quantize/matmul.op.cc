#include "millrace/ops/product/matmul.op.h"

#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizedMatMul){
    .inputs =
        "a: T1, b: T2, min_a: float, max_a: float, min_b: float, max_b: float",
    .outputs = "out: Toutput, min_out: float, max_out: float",
    .attrs =
        "T1: quantizedtype; T2: quantizedtype; Toutput: quantizedtype = "
        "qint32; transpose_a: bool = false; transpose_b: bool = false; "
        "Tactivation: quantizedtype = quint8",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(MatMulShape(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 6);
    },
    .doc =
        "The product of two matrices of quantized numbers, exact in 32 bits, "
        "and the range of its type.",
};

}  // namespace millrace::ops
