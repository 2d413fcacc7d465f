#include "millrace/ops/fused/fused_stages.h"

#include <algorithm>
#include <utility>

namespace millrace::ops {

StatusOr<FusedStages> FusedStages::Make(const KernelInit& init) {
  FusedStages stages;
  MR_ASSIGN_OR_RETURN(stages.kernels, FusedKernels::Make(init));
  stages.num_inputs = init.num_inputs();
  const FusedNodes& nodes = stages.kernels.nodes();
  stages.readers.resize(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const KernelEntry& entry = stages.kernels.entry(n);
    const NodeInfo& info = stages.kernels.info(n);
    const std::vector<int>& inputs = nodes[n].inputs;
    if (entry.elementwise == nullptr) {
      return Internal("Op ", info.op->name, " does not run elementwise");
    }
    MR_ASSIGN_OR_RETURN(auto function,
                        entry.elementwise(KernelInit(info, init.device(),
                                                     nullptr, init.kernels())));
    if (inputs.size() != static_cast<size_t>(function->num_inputs())) {
      return Internal("Op ", info.op->name, " has ", inputs.size(),
                      " inputs in a fused node");
    }
    Stage stage;
    stage.num_inputs = static_cast<uint8_t>(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      stage.in[i] = inputs[i];
      stage.in_bytes[i] = static_cast<uint8_t>(SizeOf(info.input_types[i]));
    }
    stage.broadcasts = function->broadcasts();
    stage.function = function.get();
    stages.functions_.push_back(std::move(function));
    stage.type = info.output_types[0];
    stage.bytes = static_cast<uint8_t>(SizeOf(stage.type));
    stage.result = nodes[n].result;
    stage.pair_op = PairOpOf(info.op->name, stage.type);
    stages.widest = std::max<size_t>(stages.widest, stage.bytes);
    for (const int from : inputs) {
      if (from < 0) stages.readers[static_cast<size_t>(-1 - from)].push_back(n);
    }
    stages.list.push_back(stage);
  }
  stages.AssignRegisters();
  return stages;
}

// A register is free again behind the last stage that reads it, but not before
// the result of that stage has its own: elements may differ in size.
void FusedStages::AssignRegisters() {
  std::vector<uint16_t> free;
  for (size_t s = 0; s < list.size(); ++s) {
    list[s].num_readers = static_cast<uint16_t>(readers[s].size());
    if (free.empty()) {
      list[s].reg = static_cast<uint16_t>(num_registers++);
    } else {
      list[s].reg = free.back();
      free.pop_back();
    }
    for (size_t from = 0; from <= s; ++from) {
      if ((readers[from].empty() ? from : readers[from].back()) == s) {
        free.push_back(list[from].reg);
      }
    }
  }
}

}  // namespace millrace::ops
