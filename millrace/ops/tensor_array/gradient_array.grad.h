// Gradients of tensor arrays: what goes through an array in the forward pass
// goes back through the array of its gradients. The gradient of a flow orders
// these ops.
#pragma once

#include "millrace/client/gradients/grad_context.h"

namespace millrace::ops {

struct GradientArray {
  Output handle;
  Output flow;
};

// Returns the array of the gradients of array input 0. It is made after `flow`,
// so that an array of dynamic size has its final size.
inline GradientArray ArrayOfGradients(GradContext& g, const Output& flow) {
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
inline void TakeGradient(GradContext& g, PutOp put) {
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

}  // namespace millrace::ops
