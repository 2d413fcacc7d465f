#include "millrace/exec/step_stats.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/clock.h"

namespace millrace {
namespace {

// An attribute names the ops that stock TensorFlow's graph rewriting has fused.
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

std::string OpLabel(const NodeInfo& node) {
  return absl::StrCat(node.op->name, FusedOps(node));
}

StepStatsCollector::StepStatsCollector(std::shared_ptr<EventBudget> budget)
    : budget_(std::move(budget)) {
  events_.wall_offset_micros = WallMicros() - NowNanos() / 1000;
}

int32_t StepStatsCollector::AddPlan(
    const std::shared_ptr<const PlanLabels>& labels) {
  MutexLock lock(mu_);
  auto& plans = events_.plans;
  const auto it = std::find(plans.begin(), plans.end(), labels);
  if (it != plans.end()) return static_cast<int32_t>(it - plans.begin());
  plans.push_back(labels);
  return static_cast<int32_t>(plans.size()) - 1;
}

void StepStatsCollector::Record(NodeStats node) {
  if (budget_ != nullptr && !budget_->Take()) return;
  MutexLock lock(mu_);
  const auto [thread, added] = events_.threads.try_emplace(node.thread_id);
  if (added) thread->second = CurrentThreadName();
  events_.nodes.push_back(std::move(node));
}

int64_t StepStatsCollector::Record(TransferStats transfer) {
  if (budget_ != nullptr && !budget_->Take()) return -1;
  MutexLock lock(mu_);
  events_.transfers.push_back(std::move(transfer));
  return static_cast<int64_t>(events_.transfers.size()) - 1;
}

void StepStatsCollector::SetEnd(int64_t transfer, int64_t end_nanos) {
  if (transfer < 0) return;
  MutexLock lock(mu_);
  events_.transfers[static_cast<size_t>(transfer)].end_nanos = end_nanos;
}

StepEvents StepStatsCollector::Events() const {
  MutexLock lock(mu_);
  return events_;
}

}  // namespace millrace
