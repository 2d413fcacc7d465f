#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

// Output 0 has the shape of the values; inputs `first` and `first` + 1 must be
// vectors with a number for each element of the last dimension.
StatusOr<PartialShape> PerChannel(const PartialShape& values, ShapeContext& c,
                                  int first) {
  MR_ASSIGN_OR_RETURN(const PartialShape min, c.WithRank(first, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape max, c.WithRank(first + 1, 1));
  MR_ASSIGN_OR_RETURN(
      int64_t depth,
      ShapeContext::MergeDims(ShapeContext::Dim(values, -1), min.dim(0)));
  MR_ASSIGN_OR_RETURN(depth, ShapeContext::MergeDims(depth, max.dim(0)));
  return PartialShape({depth});
}

Status PerChannelShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape values, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(PerChannel(values, c, 1).status());
  return c.Return(std::move(values));
}

Status VarsGradientShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape values,
                      ShapeContext::MergeShapes(c.input(0), c.input(1)));
  MR_RETURN_IF_ERROR(RequireScalars(c, 2, 4));
  SetScalars(c, 1, 3);
  return c.Return(std::move(values));
}

Status PerChannelGradientShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape values, c.WithRankAtLeast(0, 1));
  MR_ASSIGN_OR_RETURN(values, ShapeContext::WithRankAtMost(values, 4));
  MR_ASSIGN_OR_RETURN(values, ShapeContext::MergeShapes(values, c.input(1)));
  MR_ASSIGN_OR_RETURN(const PartialShape channels, PerChannel(values, c, 2));
  c.set_output(1, channels);
  c.set_output(2, channels);
  return c.Return(std::move(values));
}

}  // namespace

#define MR_STEPS "num_bits: int = 8; narrow_range: bool = false"
#define MR_RANGE "min: float = -6; max: float = 6; "

MR_OP(FakeQuantWithMinMaxArgs){
    .inputs = "inputs: float",
    .outputs = "outputs: float",
    .attrs = MR_RANGE MR_STEPS,
    .shape = shapes::Unchanged,
    .doc =
        "Rounds to the nearest of the 2^num_bits numbers (one less if "
        "narrow_range) that lie evenly between min and max. The range is moved "
        "a little so that 0 is one of them.",
};
MR_OP(FakeQuantWithMinMaxArgsGradient){
    .inputs = "gradients: float, inputs: float",
    .outputs = "backprops: float",
    .attrs = MR_RANGE MR_STEPS,
    .shape = shapes::Unchanged,
    .doc = "The gradient where the input is in the range, else 0.",
};
MR_OP(FakeQuantWithMinMaxVars){
    .inputs = "inputs: float, min: float, max: float",
    .outputs = "outputs: float",
    .attrs = MR_STEPS,
    .shape = UnchangedWithRanges<2>,
    .doc =
        "FakeQuantWithMinMaxArgs with the range as inputs, so that it can be "
        "trained. 0 everywhere if both are 0.",
};
MR_OP(FakeQuantWithMinMaxVarsGradient){
    .inputs = "gradients: float, inputs: float, min: float, max: float",
    .outputs =
        "backprops_wrt_input: float, backprop_wrt_min: float, "
        "backprop_wrt_max: float",
    .attrs = MR_STEPS,
    .shape = VarsGradientShape,
    .doc =
        "The gradient where the input is in the range; the sums of those below "
        "and above it, which go to min and max.",
};
MR_OP(FakeQuantWithMinMaxVarsPerChannel){
    .inputs = "inputs: float, min: float, max: float",
    .outputs = "outputs: float",
    .attrs = MR_STEPS,
    .shape = PerChannelShape,
    .doc =
        "FakeQuantWithMinMaxVars with a range for each element of the last "
        "dimension.",
};
MR_OP(FakeQuantWithMinMaxVarsPerChannelGradient){
    .inputs = "gradients: float, inputs: float, min: float, max: float",
    .outputs =
        "backprops_wrt_input: float, backprop_wrt_min: float, "
        "backprop_wrt_max: float",
    .attrs = MR_STEPS,
    .shape = PerChannelGradientShape,
    .doc = "FakeQuantWithMinMaxVarsGradient, with sums for each channel.",
};

}  // namespace millrace::ops
