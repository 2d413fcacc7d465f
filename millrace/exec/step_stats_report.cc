#include "millrace/exec/step_stats_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace millrace {
namespace {

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
    const PlanLabels::Node& label = plan.nodes[static_cast<size_t>(node.node)];
    NodeExecStats& n = Of(plan.device).node_stats.emplace_back();
    n.node_name = label.name;
    n.timeline_label = absl::StrCat(label.name, " = ", label.op, "()");
    n.thread_id = static_cast<uint32_t>(node.thread_id);
    SetTimes(node.start_nanos, node.end_nanos, &n);
    for (const NodeStats::Output& output : node.outputs) {
      NodeOutputStats& o = n.output.emplace_back();
      o.slot = output.slot;
      o.tensor_description.dtype = output.dtype;
      o.tensor_description.shape = output.shape;
      SetBytes(output.bytes, &o);
    }
  }

  // The form that stock masters derive from their RPC log.
  void AddReceive(const TransferStats& transfer) {
    const std::vector<std::string> key = absl::StrSplit(transfer.key, ';');
    if (key.size() != 5) return;  // not one of our keys
    NodeExecStats& n = Of(key[2]).node_stats.emplace_back();
    n.node_name = "RecvTensor";
    n.timeline_label = absl::StrCat("[", SizeText(transfer.bytes), "] ", key[3],
                                    " from ", key[0], " to ", key[2]);
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

  static std::string SizeText(int64_t bytes) {
    constexpr int64_t kMega = 1'000'000;
    if (bytes < kMega) return absl::StrCat(bytes, "B");
    return absl::StrFormat("%.1fMB", static_cast<double>(bytes) / kMega);
  }

  void SetTimes(int64_t start, int64_t end, NodeExecStats* n) const {
    n->all_start_nanos = start + 1000 * events_.wall_offset_micros;
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

StepStats ToStepStats(const StepEvents& events) {
  return StepStatsReport(events).Make();
}

}  // namespace millrace
