#include "millrace/ops/array/reshape.op.h"
#include "millrace/ops/layout/concat.op.h"
#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {

MR_OP(QuantizedReshape){
    .inputs = "tensor: T, shape: Tshape, input_min: float, input_max: float",
    .outputs = "output: T, output_min: float, output_max: float",
    .attrs = "T: type; Tshape: {int32, int64} = int32",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(ReshapeShape(c));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 2, 4);
    },
    .doc = "Reshape of quantized numbers, whose range stays.",
};
MR_OP(QuantizedConcat){
    .inputs =
        "concat_dim: int32, values: N * T, input_mins: N * float, "
        "input_maxes: N * float",
    .outputs = "output: T, output_min: float, output_max: float",
    .attrs = "N: int >= 2; T: type",
    .shape = [](ShapeContext& c) -> Status {
      const int n = (c.num_inputs() - 1) / 3;
      MR_RETURN_IF_ERROR(ConcatShape(c, 1, 1 + n, 0));
      SetScalars(c, 1, 3);
      return RequireScalars(c, 1 + n, c.num_inputs());
    },
    .doc =
        "Joins tensors of quantized numbers along dimension `concat_dim`, as "
        "numbers of a range that holds all of theirs.",
};

}  // namespace millrace::ops
