#include "millrace/ops/fused/fused_kernels.h"

#include <utility>

namespace millrace::ops {

StatusOr<FusedKernels> FusedKernels::Make(const KernelInit& init) {
  if (init.node().fused == nullptr || init.kernels() == nullptr) {
    return InvalidArgument("Op ", init.node().op->name,
                           " is made by graph rewriting only; no graph from "
                           "outside may have it");
  }
  FusedKernels fused;
  fused.nodes_ = init.node().fused;
  fused.num_inputs_ = init.num_inputs();
  const FusedNodes& nodes = *fused.nodes_;
  fused.last_reader_.resize(init.node().input_types.size() + nodes.size(), -1);
  for (size_t n = 0; n < nodes.size(); ++n) {
    auto info = std::make_unique<NodeInfo>();
    info->name = nodes[n].name;
    info->device = init.node().device;
    info->op = nodes[n].op;
    info->attrs = nodes[n].attrs;
    info->input_types = nodes[n].input_types;
    info->output_types = nodes[n].output_types;
    for (const int input : nodes[n].inputs) {
      fused.last_reader_[fused.PlaceOf(input)] = static_cast<int>(n);
    }
    MR_ASSIGN_OR_RETURN(
        const KernelEntry* const entry,
        init.kernels()->Find(init.device().type(), *info->op, info->attrs));
    MR_ASSIGN_OR_RETURN(
        std::unique_ptr<Kernel> kernel,
        entry->make(KernelInit(*info, init.device(), init.functions(),
                               init.kernels())));
    fused.infos_.push_back(std::move(info));
    fused.entries_.push_back(entry);
    fused.kernels_.push_back(std::move(kernel));
  }
  return fused;
}

Status FusedKernels::RunNode(KernelContext& ctx, size_t node,
                             absl::Span<EdgeValue> inputs,
                             absl::Span<EdgeValue> results) const {
  KernelContext inner(*infos_[node], ctx.device(), ctx.step(), inputs, results);
  inner.frame_id = ctx.frame_id;
  inner.iteration = ctx.iteration;
  Status status = kernels_[node]->Run(inner);
  if (!status.ok()) ctx.failed_node = infos_[node]->name;
  return status;
}

Status FusedKernels::RunOneByOne(KernelContext& ctx) const {
  const FusedNodes& nodes = *nodes_;
  std::vector<EdgeValue> firsts(nodes.size());  // output 0 of each node
  std::vector<EdgeValue> inputs, results;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const std::vector<int>& from = nodes[n].inputs;
    inputs.clear();
    inputs.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      inputs[i].tensor = from[i] < 0
                             ? firsts[static_cast<size_t>(-1 - from[i])].tensor
                             : ctx.input(from[i]);
    }
    // The last reader of a value may take its buffer.
    for (const int input : from) {
      if (LastReader(input) != static_cast<int>(n)) continue;
      (input < 0 ? firsts[static_cast<size_t>(-1 - input)]
                 : ctx.input_edge(input)) = EdgeValue();
    }
    results.clear();
    results.resize(nodes[n].output_types.size());
    MR_RETURN_IF_ERROR(
        RunNode(ctx, n, absl::MakeSpan(inputs), absl::MakeSpan(results)));
    if (LastReader(-1 - static_cast<int>(n)) >= 0) {
      firsts[n].tensor = results[0].tensor;
    }
    if (nodes[n].result < 0) continue;
    for (size_t i = 0; i < results.size(); ++i) {
      ctx.set_output(nodes[n].result + static_cast<int>(i),
                     std::move(results[i].tensor));
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
