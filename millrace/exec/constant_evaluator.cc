#include "millrace/exec/constant_evaluator.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "millrace/base/denormals.h"
#include "millrace/base/memory/memory_budget.h"

namespace millrace {
namespace {

using Values = std::vector<Tensor>;

StatusOr<Values> RunOnce(const KernelTable& kernels, Device& device,
                         const Node& node, absl::Span<const Tensor> inputs,
                         std::optional<int64_t> max_millis) {
  NodeInfo info;
  info.name = node.name;
  info.device = device.name();
  info.op = node.op;
  info.attrs = node.attrs;
  info.input_types = node.input_types;
  info.output_types = node.output_types;
  MR_ASSIGN_OR_RETURN(const KernelEntry* const entry,
                      kernels.Find(device.type(), *node.op, node.attrs));
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel,
                      entry->make(KernelInit(info, device, nullptr, &kernels)));
  if (kernel->is_async()) return Unimplemented("the kernel waits");
  CancelScope cancel;
  if (max_millis) {
    cancel.CancelAt(Deadline::AfterMillis(*max_millis), device.lanes().timer,
                    DeadlineExceeded("takes too long to be computed before"));
  }
  StepEnvironment step;
  step.cancel = &cancel;
  std::vector<EdgeValue> in(inputs.size());
  for (size_t i = 0; i < in.size(); ++i) in[i].tensor = inputs[i];
  std::vector<EdgeValue> out(node.output_types.size());
  KernelContext context(info, device, step, absl::MakeSpan(in),
                        absl::MakeSpan(out));
  MR_RETURN_IF_ERROR(kernel->Run(context));
  MR_RETURN_IF_ERROR(cancel.status());
  Values values;
  for (EdgeValue& value : out) {
    if (!value.tensor.valid()) return Internal("an output is missing");
    values.push_back(std::move(value.tensor));
  }
  return values;
}

}  // namespace

ConstantEvaluator MakeConstantEvaluator(const KernelTable* kernels,
                                        Device* device,
                                        std::optional<int64_t> max_millis) {
  return [kernels, device, max_millis](
             const Node& node,
             absl::Span<const Tensor> inputs) -> std::optional<Values> {
    const ScopedFlushDenormals flush;  // as for all kernels
    const ScopedMemoryLimit limit;
    try {
      StatusOr<Values> values =
          RunOnce(*kernels, *device, node, inputs, max_millis);
      if (values.ok()) return *std::move(values);
    } catch (const std::exception&) {
      // The run will report the error.
    }
    return std::nullopt;
  };
}

}  // namespace millrace
