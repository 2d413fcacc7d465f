#include "millrace/ops/pooling/pool.op.h"

namespace millrace::ops {
namespace {

template <int kRank>
Status LikePooled(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, kRank));
  return c.Return(std::move(input));
}

// Requires a gradient with the shape of the input and a result with the shape
// of output 0, which is set.
Status MergeGradGrad(ShapeContext& c) {
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeShapes(c.input(0), c.input(2)).status());
  return ShapeContext::MergeShapes(c.input(1), c.output(0)).status();
}

template <ShapeFunction kPooled>
Status GradGradShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(kPooled(c));
  return MergeGradGrad(c);
}

Status WithOffsetsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Pool2DShape(c));
  c.set_output(1, PartialShape());
  return OkStatus();
}

Status WithArgmaxShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Pool2DShape(c));
  c.set_output(1, c.output(0));
  return OkStatus();
}

Status GradGradWithArgmaxShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Pool2DShape(c));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeShapes(c.input(0), c.input(1)).status());
  return ShapeContext::MergeShapes(c.input(2), c.output(0)).status();
}

}  // namespace

#define MR_PADDINGS                          \
  "padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []"
#define MR_POOL_TYPES                                                     \
  "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, " \
  "uint16, qint8} = float; "
#define MR_REAL                                                     \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, " \
  "uint16, half, uint32, uint64}"

MR_OP(MaxPool){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_POOL_TYPES MR_POOL_SIZES("4") MR_PADDINGS
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    .shape = Pool2DShape,
    .doc = "The largest element of each window.",
};
MR_OP(MaxPoolV2){
    .inputs = "input: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_POOL_TYPES MR_POOL_PADDING
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    .shape = [](ShapeContext& c) { return PoolShapeOfInputs(c, 1); },
    .doc = "MaxPool with window and strides as inputs.",
};
MR_OP(MaxPoolGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_PADDINGS MR_POOL_FORMAT "; " MR_REAL
                                                           " = float",
    .shape = LikePooled<4>,
    .doc = "The gradient of MaxPool: it goes to the first largest element.",
};
MR_OP(MaxPoolGradV2){
    .inputs =
        "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_POOL_PADDING MR_POOL_FORMAT "; " MR_REAL " = float",
    .shape = LikePooled<4>,
    .doc = "MaxPoolGrad with window and strides as inputs.",
};
MR_OP(MaxPoolGradGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_POOL_PADDING MR_POOL_FORMAT "; " MR_REAL,
    .shape = GradGradShape<Pool2DShape>,
    .doc = "The elements of grad at the places of the largest elements.",
};
MR_OP(MaxPoolGradGradV2){
    .inputs =
        "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_POOL_PADDING MR_POOL_FORMAT "; " MR_REAL,
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(PoolShapeOfInputs(c, 3));
      return MergeGradGrad(c);
    },
    .doc = "MaxPoolGradGrad with window and strides as inputs.",
};
MR_OP(MaxPoolWithArgmax){
    .inputs = "input: T",
    .outputs = "output: T, argmax: Targmax",
    .attrs =
        MR_POOL_SIZES("4") "Targmax: {int32, int64} = int64; " MR_POOL_PADDING
                           "; include_batch_in_index: bool = false; " MR_REAL,
    .shape = WithArgmaxShape,
    .doc =
        "MaxPool and where the largest elements are: their number within the "
        "image, or within the batch.",
};
MR_OP(MaxPoolGradWithArgmax){
    .inputs = "input: T, grad: T, argmax: Targmax",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_POOL_PADDING
    "; include_batch_in_index: bool = false; Targmax: {int32, "
    "int64}; " MR_REAL,
    .shape = LikePooled<4>,
    .doc = "The gradient of MaxPoolWithArgmax.",
};
// As in stock, there is no kernel for CPUs.
MR_OP(MaxPoolGradGradWithArgmax){
    .inputs = "input: T, grad: T, argmax: Targmax",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_POOL_PADDING
    "; include_batch_in_index: bool = false; Targmax: {int32, "
    "int64}; " MR_REAL,
    .shape = GradGradWithArgmaxShape,
    .doc = "The gradient of MaxPoolGradWithArgmax.",
};
MR_OP(MaxPool3D){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("5") MR_POOL_PADDING MR_POOL_FORMAT_3D
    "; T: {half, bfloat16, "
    "float}",
    .shape = Pool3DShape,
    .doc = "MaxPool of volumes.",
};
MR_OP(MaxPool3DGrad){
    .inputs = "orig_input: TInput, orig_output: TInput, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("5") MR_POOL_PADDING MR_POOL_FORMAT_3D
    "; T: {half, bfloat16, float} = float; TInput: {half, bfloat16, float} = "
    "float",
    .shape = LikePooled<5>,
    .doc = "The gradient of MaxPool3D.",
};
MR_OP(MaxPool3DGradGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("5") MR_POOL_PADDING MR_POOL_FORMAT_3D "; " MR_REAL,
    .shape = GradGradShape<Pool3DShape>,
    .doc = "The elements of grad at the places of the largest elements.",
};
MR_OP(_MaxPoolWithOffsets){
    .inputs = "input: T",
    .outputs = "output: T, offsets: uint8",
    .attrs = MR_POOL_SIZES("4") MR_PADDINGS
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; " MR_REAL
    " = float",
    .shape = WithOffsetsShape,
    .doc =
        "MaxPool, and which pixel of its window each element is, for its "
        "gradient. Made by graph rewriting when a graph is compiled; no graph "
        "from outside has it.",
};
MR_OP(_MaxPoolGradByOffsets){
    .inputs = "orig_input: T, orig_output: T, grad: T, offsets: uint8",
    .outputs = "output: T",
    .attrs = MR_POOL_SIZES("4") MR_PADDINGS MR_POOL_FORMAT "; " MR_REAL
                                                           " = float",
    .shape = LikePooled<4>,
    .doc =
        "MaxPoolGrad that knows the largest elements from _MaxPoolWithOffsets. "
        "Made by graph rewriting when a graph is compiled; no graph from "
        "outside has it.",
};

}  // namespace millrace::ops
