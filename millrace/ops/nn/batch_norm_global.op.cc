#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status GlobalNormShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, 4));
  int64_t channels = input.dim(3);
  for (int i = 1; i < 5; ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    MR_ASSIGN_OR_RETURN(channels,
                        ShapeContext::MergeDims(channels, vector.dim(0)));
  }
  input.set_dim(3, channels);
  return c.Return(std::move(input));
}

Status GlobalNormGradShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const PartialShape backprop, c.WithRank(4, 4));
  MR_ASSIGN_OR_RETURN(images, ShapeContext::MergeShapes(images, backprop));
  int64_t channels = images.dim(3);
  for (int i = 1; i < 4; ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    MR_ASSIGN_OR_RETURN(channels,
                        ShapeContext::MergeDims(channels, vector.dim(0)));
  }
  images.set_dim(3, channels);
  c.set_output(0, std::move(images));
  for (int i = 1; i < 5; ++i) c.set_output(i, PartialShape({channels}));
  return OkStatus();
}

}  // namespace

MR_OP(BatchNormWithGlobalNormalization){
    .inputs = "t: T, m: T, v: T, beta: T, gamma: T",
    .outputs = "result: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}; variance_epsilon: float; "
        "scale_after_normalization: bool",
    .shape = GlobalNormShape,
    .doc =
        "Normalizes by given statistics; gamma is used if "
        "scale_after_normalization.",
    .deprecated_version = 9,
    .deprecated_hint = "Use tf.nn.batch_normalization()",
};

MR_OP(BatchNormWithGlobalNormalizationGrad){
    .inputs = "t: T, m: T, v: T, gamma: T, backprop: T",
    .outputs = "dx: T, dm: T, dv: T, db: T, dg: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}; variance_epsilon: float; "
        "scale_after_normalization: bool",
    .shape = GlobalNormGradShape,
    .doc = "The gradient of BatchNormWithGlobalNormalization.",
    .deprecated_version = 9,
    .deprecated_hint = "Use tf.nn.batch_normalization()",
};

}  // namespace millrace::ops
