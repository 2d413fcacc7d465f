#include "millrace/exec/cost_graph.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "millrace/exec/step_stats_report.h"

namespace millrace {
namespace {

using Label = PlanLabels::Node;

// Adds the nodes of one plan.
class PlanCosts {
 public:
  PlanCosts(const PlanLabels& labels, CostGraph* graph)
      : labels_(labels), graph_(graph), first_(graph->nodes.size()) {}

  void Add(const StepEvents& events, int32_t plan) {
    AddEnds();
    for (size_t i = 0; i < labels_.nodes.size(); ++i) AddNode(i);
    for (const NodeStats& node : events.nodes) {
      if (node.plan == plan && node.node != kSourceNode) AddRun(node);
    }
  }

 private:
  int32_t source() const { return static_cast<int32_t>(first_); }
  int32_t IdOf(int32_t node) const { return source() + 2 + node; }

  // The sink waits for the source, and for all that nobody reads.
  void AddEnds() {
    CostGraph::Node& source_node = graph_->nodes.emplace_back();
    source_node.name = "_SOURCE";
    source_node.id = source();
    CostGraph::Node& sink = graph_->nodes.emplace_back();
    sink.name = "_SINK";
    sink.id = source() + 1;
    sink.control_input.push_back(source());
    std::vector<bool> is_read(labels_.nodes.size(), false);
    for (const Label& label : labels_.nodes) {
      for (const PlanLabels::Input& input : label.inputs) {
        is_read[static_cast<size_t>(input.node)] = true;
      }
    }
    for (size_t i = 0; i < is_read.size(); ++i) {
      if (!is_read[i])
        sink.control_input.push_back(IdOf(static_cast<int32_t>(i)));
    }
  }

  void AddNode(size_t number) {
    const Label& label = labels_.nodes[number];
    CostGraph::Node& node = graph_->nodes.emplace_back();
    node.name = label.name;
    node.device = labels_.device;
    node.id = IdOf(static_cast<int32_t>(number));
    node.is_final = label.kind == Label::Kind::kSend;
    for (const PlanLabels::Input& input : label.inputs) {
      if (input.port == kControlPort) {
        node.control_input.push_back(IdOf(input.node));
      } else {
        node.input_info.push_back({IdOf(input.node), input.port});
      }
    }
    if (label.inputs.empty()) node.control_input.push_back(source());
    for (size_t i = 0; i < label.output_types.size(); ++i) {
      CostGraph::OutputInfo& output = node.output_info.emplace_back();
      output.size_bytes = -1;
      output.alias_input_port = -1;
      output.shape = PartialShape();
    }
  }

  void AddRun(const NodeStats& run) {
    const Label& label = labels_.nodes[static_cast<size_t>(run.node)];
    // Its time is that of waiting for others.
    if (label.is_transfer()) return;
    CostGraph::Node& node = graph_->nodes[static_cast<size_t>(IdOf(run.node))];
    node.compute_cost_micros = std::max(
        node.compute_cost_micros, (run.end_nanos - run.start_nanos) / 1000);
    node.temporary_memory_size =
        std::max(node.temporary_memory_size, TemporaryBytes(run));
    // Constants and feeds are there before the step.
    const bool is_given = run.is_light && label.inputs.empty();
    int64_t kept_bytes = 0;
    for (const NodeStats::Output& output : run.outputs) {
      const auto slot = static_cast<size_t>(output.slot);
      if (slot >= node.output_info.size()) continue;
      CostGraph::OutputInfo& info = node.output_info[slot];
      info.dtype = label.output_types[slot];
      info.shape = output.shape;
      info.alias_input_port = output.alias_input;
      info.size_bytes =
          std::max<int64_t>(info.size_bytes, is_given ? 0 : output.bytes);
      kept_bytes += output.bytes;
    }
    if (label.keeps_outputs) node.persistent_memory_size = kept_bytes;
  }

  const PlanLabels& labels_;
  CostGraph* const graph_;
  const size_t first_;  // the index of its first node, which is its number
};

}  // namespace

CostGraph ToCostGraph(const StepEvents& events, const PlanSet& plans) {
  CostGraph graph;
  for (const std::shared_ptr<const Plan>& plan : plans.plans()) {
    const std::shared_ptr<const PlanLabels> labels = plan->Labels();
    const auto found =
        std::find(events.plans.begin(), events.plans.end(), labels);
    PlanCosts(*labels, &graph)
        .Add(events, static_cast<int32_t>(found - events.plans.begin()));
  }
  return graph;
}

}  // namespace millrace
