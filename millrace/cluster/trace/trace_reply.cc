#include "millrace/cluster/trace/trace_reply.h"

#include "absl/strings/str_cat.h"
#include "millrace/tensor/dtype.h"

namespace millrace {

int32_t TraceReplyBuilder::Text(absl::string_view text) {
  const auto [it, added] = texts_.try_emplace(
      std::string(text), static_cast<int32_t>(reply_.strings.size()));
  if (added) reply_.strings.emplace_back(text);
  return it->second;
}

void TraceReplyBuilder::Add(int64_t step_id, const StepEvents& events) {
  for (const NodeStats& node : events.nodes) {
    if (node.is_light) continue;
    const PlanLabels& plan = *events.plans[static_cast<size_t>(node.plan)];
    const PlanLabels::Node& label = plan.nodes[static_cast<size_t>(node.node)];
    std::string outputs;
    TracedNode& n = reply_.nodes.emplace_back();
    for (const NodeStats::Output& output : node.outputs) {
      absl::StrAppend(&outputs, outputs.empty() ? "" : ", ",
                      DataTypeName(output.dtype), output.shape.DebugString());
      n.bytes += output.bytes;
    }
    n.step_id = step_id;
    n.name = Text(label.name);
    n.op = Text(label.op);
    n.device = Text(plan.device);
    n.outputs = Text(outputs);
    n.thread_id = node.thread_id;
    n.is_async = node.is_async;
    n.start_nanos = node.start_nanos + skew_nanos_;
    n.duration_nanos = node.end_nanos - node.start_nanos;
  }
  for (const TransferStats& transfer : events.transfers) {
    TracedTransfer& t = reply_.transfers.emplace_back();
    t.step_id = step_id;
    t.key = Text(transfer.key);
    t.request_id = transfer.request_id;
    t.is_send = transfer.is_send;
    t.is_dead = transfer.is_dead;
    t.bytes = transfer.bytes;
    t.start_nanos = transfer.start_nanos + skew_nanos_;
    t.duration_nanos = transfer.end_nanos - transfer.start_nanos;
  }
  for (const auto& [id, name] : events.threads) {
    if (threads_.insert(id).second) reply_.threads.push_back({id, name});
  }
}

}  // namespace millrace
