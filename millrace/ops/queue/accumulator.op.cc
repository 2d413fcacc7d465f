#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

// Every plain argument behind the handle but gradients is a scalar.
Status ApplyShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  return c.WithRank(1, 0).status();
}

Status TakeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Unknown(c);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_GRADIENT_DTYPE                                                  \
  "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, "   \
  "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, " \
  "half, uint32, uint64}"

#define MR_MAKES_ACCUMULATOR(handle, text)                                   \
  {                                                                          \
    .outputs = "handle: " handle,                                            \
    .attrs = MR_GRADIENT_DTYPE                                               \
        "; shape: shape; container: string = ''; shared_name: string = ''; " \
        "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",                          \
    .flags = kStateful, .shape = ops::HandleShape, .doc = text,              \
  }
#define MR_USES_ACCUMULATOR(handle, ins, outs, attributes, bits, function, \
                            text)                                          \
  {                                                                        \
    .inputs = "handle: " handle ins, .outputs = outs, .attrs = attributes, \
    .flags = bits, .shape = function, .doc = text,                         \
  }

MR_OP(ConditionalAccumulator)
MR_MAKES_ACCUMULATOR("Ref(string)", "Sums dense gradients.");
MR_OP(ResourceConditionalAccumulator)
MR_MAKES_ACCUMULATOR("resource", "Sums dense gradients.");
MR_OP(SparseConditionalAccumulator)
MR_MAKES_ACCUMULATOR("Ref(string)", "Sums slices of gradients.");

MR_OP(AccumulatorApplyGradient)
MR_USES_ACCUMULATOR("Ref(string)", ", local_step: int64, gradient: dtype", "",
                    MR_GRADIENT_DTYPE, 0, ApplyShape,
                    "Adds a gradient, unless its local step is behind.");
MR_OP(AccumulatorTakeGradient)
MR_USES_ACCUMULATOR("Ref(string)", ", num_required: int32", "average: dtype",
                    MR_GRADIENT_DTYPE, 0, TakeShape,
                    "Waits for `num_required` gradients; their mean or sum.");
MR_OP(AccumulatorNumAccumulated)
MR_USES_ACCUMULATOR("Ref(string)", "", "num_accumulated: int32", "", 0,
                    ops::ScalarsOfHandle, "How many gradients there are.");
MR_OP(AccumulatorSetGlobalStep)
MR_USES_ACCUMULATOR("Ref(string)", ", new_global_step: int64", "", "", 0,
                    ApplyShape,
                    "Gradients of earlier steps are dropped from now on.");
MR_OP(ResourceAccumulatorApplyGradient)
MR_USES_ACCUMULATOR("resource", ", local_step: int64, gradient: dtype", "",
                    MR_GRADIENT_DTYPE, kStateful, ApplyShape,
                    "Adds a gradient, unless its local step is behind.");
MR_OP(ResourceAccumulatorTakeGradient)
MR_USES_ACCUMULATOR("resource", ", num_required: int32", "average: dtype",
                    MR_GRADIENT_DTYPE, kStateful, TakeShape,
                    "Waits for `num_required` gradients; their mean or sum.");
MR_OP(ResourceAccumulatorNumAccumulated)
MR_USES_ACCUMULATOR("resource", "", "num_accumulated: int32", "", kStateful,
                    ops::ScalarsOfHandle, "How many gradients there are.");
MR_OP(ResourceAccumulatorSetGlobalStep)
MR_USES_ACCUMULATOR("resource", ", new_global_step: int64", "", "", kStateful,
                    ApplyShape,
                    "Gradients of earlier steps are dropped from now on.");
MR_OP(SparseAccumulatorApplyGradient)
MR_USES_ACCUMULATOR("Ref(string)",
                    ", local_step: int64, gradient_indices: int64, "
                    "gradient_values: dtype, gradient_shape: int64",
                    "", MR_GRADIENT_DTYPE "; has_known_shape: bool", 0,
                    ApplyShape, "Adds slices of a gradient.");
MR_OP(SparseAccumulatorTakeGradient)
MR_USES_ACCUMULATOR(
    "Ref(string)", ", num_required: int32",
    "indices: int64, values: dtype, shape: int64", MR_GRADIENT_DTYPE, 0,
    TakeShape,
    "Waits for `num_required` gradients; the mean or sum of their slices.");

}  // namespace millrace::ops
