// Gradients of tensor arrays: what goes through an array in the forward pass
// goes back through the array of its gradients. The gradient of a flow orders
// these ops.
#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {
namespace {

struct GradientArray {
  Output handle;
  Output flow;
};

// Made after `flow`, so that an array of dynamic size has its final size.
GradientArray ArrayOfGradients(GradContext& g, const Output& flow) {
  const Scope there = g.scope().ColocateWith(g.in(0));
  const auto made = TensorArrayGradV3(there, g.in(0), flow, g.source());
  const Scope after = there.WithOpName("gradient_flow")
                          .WithControlDependencies({made.grad_handle});
  return {made.grad_handle, Identity(after, flow)};
}

using PutOp = Output (*)(const Scope& scope, const Input& handle,
                         const Input& places, const Input& value,
                         const Input& flow);

// Sets the gradient of an op that read elements at the indices in input 1.
void TakeGradient(GradContext& g, PutOp put) {
  const GradientArray array = ArrayOfGradients(g, g.in(2));
  g.Set(2, put(g.scope(), array.handle, g.in(1), g.dy(), array.flow));
}

// Sets the gradient of an op that wrote input `value`: take(array) reads it.
template <class Take>
void PutGradient(GradContext& g, int value, Take take) {
  const Output flow = g.dy();
  g.Set(value, take(ArrayOfGradients(g, flow)));
  g.Set(3, flow);
}

void WriteGradient(GradContext& g) {
  PutGradient(g, 2, [&g](const GradientArray& array) {
    return TensorArrayReadV3(g, array.handle, g.in(1), array.flow,
                             g.Attr<DataType>("T"));
  });
}

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

MR_GRADIENT(TensorArrayReadV3)(GradContext& g) {
  TakeGradient(g, TensorArrayWriteV3);
}
MR_GRADIENT(TensorArrayWriteV3)(GradContext& g) { WriteGradient(g); }
MR_GRADIENT(TensorArrayGatherV3)(GradContext& g) {
  TakeGradient(g, TensorArrayScatterV3);
}
MR_GRADIENT(TensorArrayScatterV3)(GradContext& g) { ScatterGradient(g); }
MR_GRADIENT(TensorArrayConcatV3)(GradContext& g) { ConcatGradient(g); }
MR_GRADIENT(TensorArraySplitV3)(GradContext& g) { SplitGradient(g); }
MR_NO_GRADIENT(TensorArrayV3);
MR_NO_GRADIENT(TensorArrayGradV3);
MR_NO_GRADIENT(TensorArrayGradWithShape);
MR_NO_GRADIENT(TensorArraySizeV3);
MR_NO_GRADIENT(TensorArrayCloseV3);

}  // namespace millrace::ops
