// How the values on a node's edges become the inputs that it reads. Inlined,
// since a step does this for every node.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "millrace/exec/plan.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/host_arguments.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {

// Makes a reference that is taken as a value a view.
inline Status ViewReference(EdgeValue* input) {
  if (input->ref == nullptr) return OkStatus();
  MR_ASSIGN_OR_RETURN(input->tensor, MakeView(input->ref));
  input->ref = nullptr;
  return OkStatus();
}

// Binds the inputs that the node reads when it starts; inputs that it may pass
// on become views. Copies come from the device's allocator. Returns
// FAILED_PRECONDITION "Attempting to use uninitialized value NAME".
[[gnu::always_inline]] inline Status BindInputs(const PlanNode& n,
                                                absl::Span<EdgeValue> inputs,
                                                Device& device) {
  for (int i = 0; i < n.num_inputs; ++i) {
    EdgeValue& input = inputs[i];
    if (input.ref != nullptr) {
      if (IsRef(n.info->input_types[i])) {
        if (!n.checks_refs || input.ref->IsInitialized()) continue;
        return FailedPrecondition("Attempting to use uninitialized value ",
                                  input.ref->name());
      }
      if (n.TakesView(i)) {
        MR_RETURN_IF_ERROR(ViewReference(&input));
      } else {
        MR_ASSIGN_OR_RETURN(input.tensor, input.ref->Read(device.allocator()));
        input.ref = nullptr;
      }
    } else if (input.tensor.is_view() && !n.TakesView(i)) {
      MR_RETURN_IF_ERROR(Bind(&input.tensor, device.allocator()));
    }
  }
  return OkStatus();
}

// Moves input `winner` of a merge to its first output, and its index to the
// second one, if there is one. All outputs are dead if `winner` is negative.
[[gnu::always_inline]] inline Status MergeInputs(const PlanNode& n,
                                                 absl::Span<EdgeValue> inputs,
                                                 int32_t winner,
                                                 EdgeValue* outputs) {
  if (winner < 0) {
    for (int i = 0; i < n.num_outputs; ++i) outputs[i].is_dead = true;
    return OkStatus();
  }
  EdgeValue& input = inputs[winner];
  if (!IsRef(n.info->output_types[0])) {
    MR_RETURN_IF_ERROR(ViewReference(&input));
  } else if (input.ref != nullptr && !input.ref->IsInitialized()) {
    return FailedPrecondition("Attempting to use uninitialized value ",
                              input.ref->name());
  }
  outputs[0] = std::move(input);
  if (n.num_outputs > 1) outputs[1].tensor = Tensor::Scalar<int32_t>(winner);
  return OkStatus();
}

// Checks that the outputs of a node on a device with memory of its own lie
// where the declaration of its kernel says. Returns INTERNAL.
inline Status CheckMemory(const PlanNode& n,
                          absl::Span<const EdgeValue> outputs) {
  if (n.info->host == nullptr) return OkStatus();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& t = outputs[i].tensor;
    if (!t.valid() || t.is_view() ||
        t.on_device() != n.info->host->outputs[i]) {
      continue;
    }
    return Internal("output ", i, " of op ", n.info->op->name, " is ",
                    t.on_device() ? "on the device" : "in host memory",
                    ", and its kernel's declaration says otherwise");
  }
  return OkStatus();
}

// Checks that the outputs of a node have the types that it declares: those of
// an asynchronous kernel come from others, such as other tasks and other nodes
// that share a resource. Returns INTERNAL.
inline Status CheckTypes(const PlanNode& n,
                         absl::Span<const EdgeValue> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& value = outputs[i].tensor;
    const DataType declared = RemoveRef(n.info->output_types[i]);
    if (!value.valid() || value.dtype() == declared) continue;
    return Internal("Output ", i, " of type ", DataTypeName(value.dtype()),
                    " does not match declared output type ",
                    DataTypeName(declared), " for node {{node ", n.info->name,
                    "}}");
  }
  return OkStatus();
}

// Checks the argument of an _Arg: the caller of a function may assume other
// types than its body has. Returns INVALID_ARGUMENT.
[[gnu::always_inline]] inline Status CheckArg(const PlanNode& n,
                                              const Tensor& given) {
  const DataType wanted = n.info->output_types[0];
  if (!given.valid() || given.dtype() == wanted) [[likely]]
    return OkStatus();
  return InvalidArgument("Expects arg[", n.arg, "] to be ",
                         DataTypeName(wanted), " but ",
                         DataTypeName(given.dtype()), " is provided");
}

}  // namespace millrace
