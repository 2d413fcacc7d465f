#include "millrace/exec/step_stats.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/clock.h"

namespace millrace {
namespace {

// What stock's graph rewriting has fused is told by an attribute.
constexpr const char* kFusedOpsAttrs[] = {"fused_ops", "op_names"};

std::string FusedOps(const NodeInfo& node) {
  std::vector<std::string> ops;
  if (node.fused != nullptr) {
    for (const FusedNode& n : *node.fused) ops.push_back(n.op->name);
  } else {
    for (const char* name : kFusedOpsAttrs) {
      const AttrValue* value = node.attrs.Find(name);
      if (value == nullptr) continue;
      if (const auto* list = value->get<AttrValue::StringList>()) ops = *list;
    }
  }
  return ops.empty() ? "" : absl::StrCat("[", absl::StrJoin(ops, ","), "]");
}

}  // namespace

std::string TimelineLabel(const NodeInfo& node) {
  return absl::StrCat(node.name, " = ", node.op->name, FusedOps(node), "()");
}

StepStatsCollector::StepStatsCollector()
    : wall_offset_micros_(WallMicros() - NowNanos() / 1000) {}

void StepStatsCollector::Record(const std::string& device, NodeStats stats) {
  MutexLock lock(mu_);
  for (DeviceStats& d : devices_) {
    if (d.device == device) {
      d.nodes.push_back(std::move(stats));
      return;
    }
  }
  devices_.push_back({device, {}});
  devices_.back().nodes.push_back(std::move(stats));
}

std::vector<StepStatsCollector::DeviceStats> StepStatsCollector::Take() {
  MutexLock lock(mu_);
  return std::move(devices_);
}

}  // namespace millrace
