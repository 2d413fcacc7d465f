// What kernels need that call functions of the graph.
#pragma once

#include <vector>

#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// FAILED_PRECONDITION where the step has no functions.
StatusOr<FunctionRunner::Handle> InstantiateInStep(
    KernelContext& ctx, const AttrValue::Func& function);

// The inputs from number `first` on, taken out of the node.
std::vector<Tensor> TakeInputs(KernelContext& ctx, int first);

// Hands a function's results to the outputs and completes. INVALID_ARGUMENT
// where their number or types are not those that the node promises.
FunctionRunner::RunDone ResultsToOutputs(KernelContext& ctx, Done done);

// TensorFlow's rule of truth for conditions of any type: a scalar is true if it
// is not zero, or not empty as a string; any other tensor if it has elements.
StatusOr<bool> IsTrue(const Tensor& t);

}  // namespace millrace::ops
