#include "millrace/cluster/master/run/client_transfers.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/exec/step_stats_report.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/kernel/rendezvous.h"

namespace millrace {

void PartTransfers::Begin(const std::vector<NamedTensor>& feeds) {
  begin_nanos_ = NowNanos();
  for (const NamedTensor& feed : feeds) {
    feeds_.push_back(
        {feed.name, static_cast<int64_t>(feed.tensor.size_bytes())});
  }
}

void PartTransfers::End(const std::vector<NamedTensor>& fetches) {
  if (begin_nanos_ == 0) return;
  end_nanos_ = NowNanos();
  for (const NamedTensor& fetch : fetches) {
    fetches_.push_back(
        {fetch.name, static_cast<int64_t>(fetch.tensor.size_bytes())});
  }
}

ClientTransferStats::ClientTransferStats(std::string master_device)
    : master_device_(std::move(master_device)),
      wall_offset_micros_(WallMicros() - NowNanos() / 1000) {}

void ClientTransferStats::Add(const PartTransfers& part) {
  for (const PartTransfers::Value& feed : part.feeds_) {
    Add(feed, /*is_feed=*/true, part.begin_nanos_);
  }
  for (const PartTransfers::Value& fetch : part.fetches_) {
    Add(fetch, /*is_feed=*/false, part.end_nanos_);
  }
}

void ClientTransferStats::AddSource(int64_t nanos) {
  NodeExecStats& node = Of(master_device_).node_stats.emplace_back();
  node.node_name = "_SOURCE";
  node.timeline_label = absl::StrCat("_SOURCE = ", builtin::kNoOp, "()");
  SetStart(nanos, &node);
}

DeviceStepStats& ClientTransferStats::Of(const std::string& device) {
  for (DeviceStepStats& stats : stats_.dev_stats) {
    if (stats.device == device) return stats;
  }
  DeviceStepStats& added = stats_.dev_stats.emplace_back();
  added.device = device;
  return added;
}

void ClientTransferStats::Add(const PartTransfers::Value& value, bool is_feed,
                              int64_t nanos) {
  // Both devices of the key are that of the task.
  const StatusOr<RendezvousKey> key = RendezvousKey::Parse(value.key);
  if (!key.ok()) return;
  const std::string& from = is_feed ? master_device_ : key->send_device;
  const std::string& to = is_feed ? key->recv_device : master_device_;
  NodeExecStats& node = Of(to).node_stats.emplace_back();
  node.node_name = "RecvTensor";
  node.timeline_label = TransferLabel(value.bytes, key->tensor_name, from, to);
  SetStart(nanos, &node);
  AllocationDescription& allocation =
      node.output.emplace_back().tensor_description.allocation_description;
  allocation.requested_bytes = allocation.allocated_bytes = value.bytes;
}

void ClientTransferStats::SetStart(int64_t nanos, NodeExecStats* node) const {
  node->all_start_nanos = nanos + 1000 * wall_offset_micros_;
  node->all_start_micros = node->all_start_nanos / 1000;
  node->scheduled_nanos = node->all_start_nanos;
  node->scheduled_micros = node->all_start_micros;
}

}  // namespace millrace
