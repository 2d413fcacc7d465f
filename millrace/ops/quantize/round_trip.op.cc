#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

Status LikeInputAlongAxis(ShapeContext& c) {
  MR_RETURN_IF_ERROR(RangesAlongAxis(c, 0, 1, 2, RangePair::kMerged).status());
  return c.Return(c.input(0));
}

#define MR_TYPES "T: {bfloat16, half, float, double}"

// Returns the schema of an op whose number of bits is an attribute.
consteval OpFields RoundTrip(const char* doc) {
  return {
      .inputs = "input: T, input_min: T, input_max: T",
      .outputs = "output: T",
      .attrs =
          "signed_input: bool = true; num_bits: int = 8; range_given: bool = "
          "false; " MR_TYPES
          "; "
          "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'; "
          "narrow_range: bool = false; axis: int = -1",
      .shape = LikeInputAlongAxis,
      .doc = doc,
  };
}

}  // namespace

MR_OP(QuantizeAndDequantize){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "signed_input: bool = true; num_bits: int = 8; range_given: bool = "
        "false; input_min: float = 0; input_max: float = 0; " MR_TYPES,
    .shape = shapes::Unchanged,
    .doc = "QuantizeAndDequantizeV2 with the range as attributes.",
    .deprecated_version = 22,
    .deprecated_hint = "Replaced by QuantizeAndDequantizeV2",
};
MR_OP(QuantizeAndDequantizeV2){RoundTrip(
    "Rounds the input to multiples of a step, as if it had been a whole number "
    "of num_bits. The range is given, or that of the "
    "values; with an axis each slice along it has its own.")};
MR_OP(QuantizeAndDequantizeV3){
    .inputs = "input: T, input_min: T, input_max: T, num_bits: int32",
    .outputs = "output: T",
    .attrs = "signed_input: bool = true; range_given: bool = true; " MR_TYPES
             "; narrow_range: bool = false; axis: int = -1",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(LikeInputAlongAxis(c));
      return RequireScalars(c, 3, 4);
    },
    .doc = "QuantizeAndDequantizeV2 with the number of bits as an input.",
};
MR_OP(QuantizeAndDequantizeV4){RoundTrip(
    "QuantizeAndDequantizeV2 whose gradient is 0 for values beyond the "
    "range.")};
MR_OP(QuantizeAndDequantizeV4Grad){
    .inputs = "gradients: T, input: T, input_min: T, input_max: T",
    .outputs =
        "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    .attrs = MR_TYPES "; axis: int = -1",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape ranges,
                          RangesAlongAxis(c, 1, 2, 3, RangePair::kMerged));
      MR_ASSIGN_OR_RETURN(PartialShape values,
                          ShapeContext::MergeShapes(c.input(0), c.input(1)));
      c.set_output(1, ranges);
      c.set_output(2, ranges);
      return c.Return(std::move(values));
    },
    .doc =
        "The gradient where the input is in the range, else 0; 0 for both ends "
        "of the range.",
};

}  // namespace millrace::ops
