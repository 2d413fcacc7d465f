#include "millrace/ops/queue/by_reference.op.h"
#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace::ops {
namespace {

// Every plain argument behind the handle must be a scalar, except gradients.
Status ApplyShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  return c.WithRank(1, 0).status();
}

Status TakeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Unknown(c);
}

#define MR_GRADIENT_DTYPE                                                  \
  "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, "   \
  "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, " \
  "half, uint32, uint64}"

#define MR_ACCUMULATOR_ATTRS                                           \
  MR_GRADIENT_DTYPE                                                    \
  "; shape: shape; container: string = ''; shared_name: string = ''; " \
  "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"

constexpr OpFields kAccumulator = {
    .outputs = "handle: resource",
    .attrs = MR_ACCUMULATOR_ATTRS,
    .flags = kStateful,
    .shape = HandleShape,
    .doc = "Sums dense gradients.",
};

constexpr OpFields kApplyGradient = {
    .inputs = "handle: resource, local_step: int64, gradient: dtype",
    .attrs = MR_GRADIENT_DTYPE,
    .flags = kStateful | kKeepsInputs,
    .shape = ApplyShape,
    .doc = "Adds a gradient, unless its local step is behind.",
};

constexpr OpFields kTakeGradient = {
    .inputs = "handle: resource, num_required: int32",
    .outputs = "average: dtype",
    .attrs = MR_GRADIENT_DTYPE,
    .flags = kStateful,
    .shape = TakeShape,
    .doc = "Waits for `num_required` gradients; their mean or sum.",
};

constexpr OpFields kNumAccumulated = {
    .inputs = "handle: resource",
    .outputs = "num_accumulated: int32",
    .flags = kStateful,
    .shape = ScalarsOfHandle,
    .doc = "Returns the number of gradients.",
};

constexpr OpFields kSetGlobalStep = {
    .inputs = "handle: resource, new_global_step: int64",
    .flags = kStateful,
    .shape = ApplyShape,
    .doc = "Gradients of earlier steps are dropped from now on.",
};

}  // namespace

MR_OP(ResourceConditionalAccumulator)(kAccumulator);

MR_OP(ConditionalAccumulator)(ByReference<kAccumulator>());

MR_OP(ResourceAccumulatorApplyGradient)(kApplyGradient);

MR_OP(AccumulatorApplyGradient)(ByReference<kApplyGradient>());

MR_OP(ResourceAccumulatorTakeGradient)(kTakeGradient);

MR_OP(AccumulatorTakeGradient)(ByReference<kTakeGradient>());

MR_OP(ResourceAccumulatorNumAccumulated)(kNumAccumulated);

MR_OP(AccumulatorNumAccumulated)(ByReference<kNumAccumulated>());

MR_OP(ResourceAccumulatorSetGlobalStep)(kSetGlobalStep);

MR_OP(AccumulatorSetGlobalStep)(ByReference<kSetGlobalStep>());

MR_OP(SparseConditionalAccumulator){
    .outputs = "handle: Ref(string)",
    .attrs = MR_ACCUMULATOR_ATTRS,
    .flags = kStateful,
    .shape = HandleShape,
    .doc = "Sums slices of gradients.",
};

MR_OP(SparseAccumulatorApplyGradient){
    .inputs =
        "handle: Ref(string), local_step: int64, gradient_indices: int64, "
        "gradient_values: dtype, gradient_shape: int64",
    .attrs = MR_GRADIENT_DTYPE "; has_known_shape: bool",
    .flags = kKeepsInputs,
    .shape = ApplyShape,
    .doc = "Adds slices of a gradient.",
};

MR_OP(SparseAccumulatorTakeGradient){
    .inputs = "handle: Ref(string), num_required: int32",
    .outputs = "indices: int64, values: dtype, shape: int64",
    .attrs = MR_GRADIENT_DTYPE,
    .shape = TakeShape,
    .doc =
        "Waits for `num_required` gradients; the mean or sum of their slices.",
};

}  // namespace millrace::ops
