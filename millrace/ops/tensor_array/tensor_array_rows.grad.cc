#include "millrace/ops/tensor_array/gradient_array.grad.h"

namespace millrace::ops {
namespace {

void ScatterGradient(GradContext& g) {
  PutGradient(g, 2, [&g](const GradientArray& array) {
    return TensorArrayGatherV3(g, array.handle, g.in(1), array.flow,
                               g.Attr<DataType>("T"));
  });
}

void ConcatGradient(GradContext& g) {
  const GradientArray array = ArrayOfGradients(g, g.in(1));
  g.Set(1, TensorArraySplitV3(g, array.handle, g.dy(0), g.out(1), array.flow));
}

void SplitGradient(GradContext& g) {
  PutGradient(g, 1, [&g](const GradientArray& array) {
    return TensorArrayConcatV3(g, array.handle, array.flow,
                               g.Attr<DataType>("T"))
        .value;
  });
}

}  // namespace

MR_GRADIENT(TensorArrayGatherV3)(GradContext& g) {
  TakeGradient(g, TensorArrayScatterV3);
}
MR_GRADIENT(TensorArrayScatterV3)(GradContext& g) { ScatterGradient(g); }
MR_GRADIENT(TensorArrayConcatV3)(GradContext& g) { ConcatGradient(g); }
MR_GRADIENT(TensorArraySplitV3)(GradContext& g) { SplitGradient(g); }

}  // namespace millrace::ops
