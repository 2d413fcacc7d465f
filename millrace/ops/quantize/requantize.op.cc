#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

// Requires inputs 1 and 2 to have a number for each channel.
Status RequireChannelRanges(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return c.WithRank(2, 1).status();
}

}  // namespace

MR_OP(Requantize){
    .inputs =
        "input: Tinput, input_min: float, input_max: float, "
        "requested_output_min: float, requested_output_max: float",
    .outputs = "output: out_type, output_min: float, output_max: float",
    .attrs = "Tinput: quantizedtype; out_type: quantizedtype",
    .shape = UnchangedWithRanges<4>,
    .doc = "Quantized numbers as those of another type and range.",
};
MR_OP(RequantizationRange){
    .inputs = "input: Tinput, input_min: float, input_max: float",
    .outputs = "output_min: float, output_max: float",
    .attrs = "Tinput: quantizedtype",
    .shape = [](ShapeContext& c) -> Status {
      SetScalars(c, 0, 2);
      return RequireScalars(c, 1, 3);
    },
    .doc =
        "The range of the numbers that occur, from 0 where all are positive. "
        "Requantize takes it.",
};
MR_OP(QuantizeDownAndShrinkRange){
    .inputs = "input: Tinput, input_min: float, input_max: float",
    .outputs = "output: out_type, output_min: float, output_max: float",
    .attrs = "Tinput: quantizedtype; out_type: quantizedtype",
    .shape = UnchangedWithRanges<2>,
    .doc = "Requantize with the range that RequantizationRange gives.",
};
MR_OP(RequantizePerChannel){
    .inputs =
        "input: T, input_min: float, input_max: float, requested_output_min: "
        "float, requested_output_max: float",
    .outputs = "output: out_type, output_min: float, output_max: float",
    .attrs = "T: quantizedtype = qint32; out_type: quantizedtype = quint8",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(RequireChannelRanges(c));
      MR_RETURN_IF_ERROR(RequireScalars(c, 3, 5));
      SetScalars(c, 1, 3);
      return c.Return(c.input(0));
    },
    .doc =
        "Requantize of images whose channels have symmetric ranges of their "
        "own.",
};
MR_OP(RequantizationRangePerChannel){
    .inputs = "input: T, input_min: float, input_max: float",
    .outputs = "output_min: float, output_max: float",
    .attrs = "T: quantizedtype = qint32; clip_value_max: float",
    .shape = [](ShapeContext& c) -> Status {
      SetScalars(c, 0, 2);
      return RequireChannelRanges(c);
    },
    .doc =
        "The range of the numbers that occur in images whose channels have "
        "symmetric ranges of their own; at most clip_value_max.",
};

}  // namespace millrace::ops
