#include "millrace/exec/step_stats_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/graph.h"

namespace millrace {
namespace {

std::string SizeText(int64_t bytes) {
  constexpr int64_t kMega = 1'000'000;
  if (bytes < kMega) return absl::StrCat(bytes, "B");
  return absl::StrFormat("%.1fMB", static_cast<double>(bytes) / kMega);
}

class StepStatsReport {
 public:
  explicit StepStatsReport(const StepEvents& events) : events_(events) {}

  StepStats Make() {
    for (const NodeStats& node : events_.nodes) AddNode(node);
    for (const TransferStats& transfer : events_.transfers) {
      if (!transfer.is_send) AddReceive(transfer);
    }
    return std::move(report_);
  }

 private:
  DeviceStepStats& Of(const std::string& name) {
    const auto [it, added] =
        devices_.try_emplace(name, report_.dev_stats.size());
    if (added) report_.dev_stats.emplace_back().device = name;
    return report_.dev_stats[it->second];
  }

  void AddNode(const NodeStats& node) {
    const PlanLabels& plan = *events_.plans[static_cast<size_t>(node.plan)];
    if (node.node == kSourceNode) {
      NodeExecStats& n = Of(plan.device).node_stats.emplace_back();
      n.node_name = "_SOURCE";
      n.timeline_label = absl::StrCat("_SOURCE = ", builtin::kNoOp, "()");
      SetTimes(node.start_nanos, node.end_nanos, &n);
      return;
    }
    const PlanLabels::Node& label = plan.nodes[static_cast<size_t>(node.node)];
    if (label.is_transfer()) return;
    NodeExecStats& n = Of(plan.device).node_stats.emplace_back();
    n.node_name = label.name;
    n.timeline_label = absl::StrCat(label.name, " = ", label.op, "(",
                                    InputsText(plan, label), ")");
    n.thread_id = static_cast<uint32_t>(node.thread_id);
    SetTimes(node.start_nanos, node.end_nanos, &n);
    for (const NodeStats::Output& output : node.outputs) {
      AddOutput(node, output, plan, label, &n);
    }
    if (label.kind == PlanLabels::Node::Kind::kNothingToRun) return;
    AddMemory(node, plan, label, &n);
  }

  // As in a NodeDef: "x, y:1, ^z".
  static std::string InputsText(const PlanLabels& plan,
                                const PlanLabels::Node& label) {
    std::string text;
    for (const PlanLabels::Input& input : label.inputs) {
      const bool is_control = input.port == kControlPort;
      absl::StrAppend(&text, text.empty() ? "" : ", ", is_control ? "^" : "",
                      plan.nodes[static_cast<size_t>(input.node)].name);
      if (!is_control && input.port > 0)
        absl::StrAppend(&text, ":", input.port);
    }
    return text;
  }

  static void AddOutput(const NodeStats& node, const NodeStats::Output& output,
                        const PlanLabels& plan, const PlanLabels::Node& label,
                        NodeExecStats* n) {
    NodeOutputStats& o = n->output.emplace_back();
    o.slot = output.slot;
    o.tensor_description.dtype = output.dtype;
    o.tensor_description.shape = output.shape;
    AllocationDescription& a = o.tensor_description.allocation_description;
    a.requested_bytes = output.bytes;
    a.allocated_bytes = label.keeps_outputs ? 0 : output.bytes;
    a.allocator_name = plan.allocator;
    a.has_single_reference = output.is_sole;
    a.ptr = output.address;
    for (size_t i = 0; i < node.allocations.size() && output.address != 0;
         ++i) {
      if (node.allocations[i].address == output.address) {
        a.allocation_id = static_cast<int64_t>(i) + 1;
      }
    }
  }

  void AddMemory(const NodeStats& node, const PlanLabels& plan,
                 const PlanLabels::Node& label, NodeExecStats* n) const {
    NodeMemoryStats& stats = n->memory_stats.emplace();
    if (label.keeps_outputs) {
      for (const NodeStats::Output& output : node.outputs) {
        stats.persistent_memory_size += output.bytes;
      }
    }
    if (node.allocations.empty()) return;
    AllocatorMemoryUsed& memory = n->memory.emplace_back();
    memory.allocator_name = plan.allocator;
    for (const AllocationLog::Entry& entry : node.allocations) {
      memory.total_bytes += entry.bytes;
      memory.allocation_records.push_back(
          {WallNanos(entry.nanos) / 1000, entry.bytes});
    }
    // What the kernel does not pass on, it frees at its end.
    memory.peak_bytes = memory.total_bytes;
    stats.temp_memory_size = TemporaryBytes(node);
    memory.live_bytes = memory.total_bytes - stats.temp_memory_size;
    if (stats.temp_memory_size > 0) {
      memory.allocation_records.push_back(
          {WallNanos(node.end_nanos) / 1000, -stats.temp_memory_size});
    }
  }

  // The form that stock masters derive from their RPC log.
  void AddReceive(const TransferStats& transfer) {
    const std::vector<std::string> key = absl::StrSplit(transfer.key, ';');
    if (key.size() != 5) return;  // not one of our keys
    NodeExecStats& n = Of(key[2]).node_stats.emplace_back();
    n.node_name = "RecvTensor";
    n.timeline_label = TransferLabel(transfer.bytes, key[3], key[0], key[2]);
    // Starts when the sender had the tensor, if its clock is consistent with
    // ours.
    int64_t start = transfer.start_nanos;
    if (transfer.send_start_micros > 0) {
      start = std::clamp(
          1000 * (transfer.send_start_micros - events_.wall_offset_micros),
          transfer.start_nanos, transfer.end_nanos);
    }
    SetTimes(start, transfer.end_nanos, &n);
    SetBytes(transfer.bytes, &n.output.emplace_back());
  }

  int64_t WallNanos(int64_t nanos) const {
    return nanos + 1000 * events_.wall_offset_micros;
  }

  void SetTimes(int64_t start, int64_t end, NodeExecStats* n) const {
    n->all_start_nanos = WallNanos(start);
    n->all_start_micros = n->all_start_nanos / 1000;
    n->scheduled_nanos = n->all_start_nanos;
    n->scheduled_micros = n->all_start_micros;
    n->op_end_rel_nanos = n->all_end_rel_nanos = end - start;
    n->op_end_rel_micros = n->all_end_rel_micros = n->op_end_rel_nanos / 1000;
  }

  static void SetBytes(int64_t bytes, NodeOutputStats* output) {
    AllocationDescription& a =
        output->tensor_description.allocation_description;
    a.requested_bytes = bytes;
    a.allocated_bytes = bytes;
  }

  const StepEvents& events_;
  StepStats report_;
  std::map<std::string, size_t> devices_;  // indices in the report
};

}  // namespace

std::string TransferLabel(int64_t bytes, absl::string_view tensor_name,
                          absl::string_view from, absl::string_view to) {
  return absl::StrCat("[", SizeText(bytes), "] ", tensor_name, " from ", from,
                      " to ", to);
}

int64_t TemporaryBytes(const NodeStats& node) {
  int64_t bytes = 0;
  for (const AllocationLog::Entry& entry : node.allocations) {
    bool is_output = entry.is_output;
    for (const NodeStats::Output& output : node.outputs) {
      is_output |= entry.address != 0 && entry.address == output.address;
    }
    if (!is_output) bytes += entry.bytes;
  }
  return bytes;
}

StepStats ToStepStats(const StepEvents& events) {
  return StepStatsReport(events).Make();
}

}  // namespace millrace
