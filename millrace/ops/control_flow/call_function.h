// Helpers of kernels that call functions of the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Instantiates `function` for the step. Returns FAILED_PRECONDITION if the step
// has no functions.
StatusOr<FunctionRunner::Handle> InstantiateInStep(
    KernelContext& ctx, const AttrValue::Func& function);
// The results of a conditional or a loop that are read, in ascending order, in
// the form of builtin::kReadResults; nothing: all.
using ReadResults = std::optional<std::vector<int64_t>>;
// Returns what the attribute says, or INVALID_ARGUMENT for numbers that no
// result has.
StatusOr<ReadResults> ReadResultsOf(const KernelInit& init);
// Instantiates `function` for calls that need only `read`.
StatusOr<FunctionRunner::Handle> InstantiateInStep(
    KernelContext& ctx, const AttrValue::Func& function,
    const ReadResults& read);

// Returns `function` with an instance of its own for the calls of `node`
// (builtin::kCallPath).
AttrValue::Func InstanceOfCall(const NodeInfo& node,
                               const NameAttrList& function);

// Moves the inputs from number `first` on out of the node and returns them.
std::vector<Tensor> TakeInputs(KernelContext& ctx, int first);

// Returns a callback that moves a function's results to the outputs and calls
// `done`, with INTERNAL if their number or types differ from those that the
// node promises.
FunctionRunner::RunDone ResultsToOutputs(KernelContext& ctx, Done done);
// Does the same for a call of which only `read` is read: the other outputs are
// dead.
FunctionRunner::RunDone ResultsToOutputs(KernelContext& ctx,
                                         const ReadResults& read, Done done);

// Does the same for the node of a call, whose error for another type is worded
// differently.
FunctionRunner::RunDone CallResultsToOutputs(KernelContext& ctx, Done done);

// Returns the truth value of a condition by TensorFlow's rule: a scalar is true
// if it is not zero or, for a string, not empty; any other tensor is true if it
// has elements.
StatusOr<bool> IsTrue(const Tensor& t);

}  // namespace millrace::ops
