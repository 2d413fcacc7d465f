#include "millrace/train/replicas/step_reads.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "millrace/client/client_graph.h"
#include "millrace/client/ops.h"
#include "millrace/graph/device_name.h"

namespace millrace::train {
namespace {

// Returns the ids of the nodes that take one of `variables` and that a gradient
// waits for.
std::vector<NodeId> ReadersBehind(
    const Graph& graph, const std::vector<GradientAndVariable>& gradients,
    const absl::flat_hash_set<NodeId>& variables) {
  std::vector<NodeId> todo, readers;
  absl::flat_hash_set<NodeId> seen;
  const auto visit = [&](NodeId id) {
    if (id != kNoNode && seen.insert(id).second) todo.push_back(id);
  };
  for (const GradientAndVariable& pair : gradients) {
    const Gradient& gradient = pair.gradient;
    visit(gradient.tensor.ref().node);
    visit(gradient.slices.values.ref().node);
    visit(gradient.slices.indices.ref().node);
  }
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    bool reads = false;
    for (const OutputRef& input : graph.node(id)->inputs) {
      reads = reads || variables.contains(input.node);
      visit(input.node);
    }
    for (const NodeId control : graph.node(id)->control_inputs) visit(control);
    if (reads) readers.push_back(id);
  }
  return readers;
}

}  // namespace

Output ValueOfNow(const Scope& scope, const ops::Variable& variable) {
  if (variable.is_resource()) return variable.Read(scope);
  return ops::Snapshot(scope.ColocateWith(variable.handle()),
                       variable.handle());
}

Output AsInt64(const Scope& scope, const Output& number) {
  return number.dtype() == DataType::kInt64
             ? number
             : ops::Cast(scope, number, DataType::kInt64);
}

std::string TaskOf(const Operation& op) {
  const StatusOr<DeviceName> device = DeviceName::Parse(op.device());
  return device.ok() ? device->TaskString() : op.device();
}

bool OnOneTask(const Operation& a, const Operation& b) {
  return a.device() == b.device() || TaskOf(a) == TaskOf(b);
}

void ReadAfter(const Operation& first,
               const std::vector<GradientAndVariable>& gradients) {
  absl::flat_hash_set<NodeId> variables;
  for (const GradientAndVariable& pair : gradients) {
    if (pair.variable && OnOneTask(pair.variable.op(), first)) {
      variables.insert(pair.variable.op().node()->id);
    }
  }
  ClientGraph& graph = *first.graph();
  std::vector<Operation> reads;
  graph.Read([&](const Graph& nodes) {
    for (const NodeId id : ReadersBehind(nodes, gradients, variables)) {
      const Node* const node = nodes.node(id);
      if (node->control_inputs.empty()) reads.emplace_back(&graph, node);
    }
  });
  for (const Operation& read : reads) {
    // Inside of loops a node runs many times.
    if (!graph.ContextOf(read)) graph.AddControlInput(read, first);
  }
}

ArrivedGradients AwaitGradients(
    const Scope& block, const Operation& at,
    const std::vector<GradientAndVariable>& computed,
    std::vector<GradientAndVariable> sent) {
  ArrivedGradients arrived;
  std::vector<ControlInput> others;
  for (size_t i = 0; i < sent.size(); ++i) {
    auto& [gradient, variable] = sent[i];
    if (!gradient || !variable) continue;
    if (!OnOneTask(variable.op(), at)) {
      const Gradient& before = computed[i].gradient;
      others.push_back(before.is_slices() ? before.slices.values
                                          : before.tensor);
      continue;
    }
    const Scope there =
        block.ColocateWith(variable.handle()).WithOpName("arrived");
    const auto arrive = [&](Output* part) {
      *part = ops::Identity(there, *part);
      arrived.here.push_back(*part);
    };
    if (gradient.is_slices()) {
      arrive(&gradient.slices.values);
      arrive(&gradient.slices.indices);
    } else {
      arrive(&gradient.tensor);
    }
  }
  if (!others.empty()) {
    arrived.elsewhere = {ops::Group(block.WithOpName("computed"), others)};
  }
  arrived.gradients = std::move(sent);
  return arrived;
}

}  // namespace millrace::train
