#include "millrace/cluster/master/run/prepared_run.h"

#include <utility>

#include "absl/strings/match.h"

namespace millrace {

PreparedRun::~PreparedRun() {
  std::vector<GraphRelease::Graph> graphs;
  graphs.reserve(parts.size());
  for (Part& part : parts) {
    graphs.emplace_back(std::move(part.peer), std::move(part.graph_handle));
  }
  if (release) release->Release(std::move(graphs));
}

void PreparedRun::WhenReady(Waiter waiter) {
  {
    MutexLock lock(mu_);
    if (!ready()) {
      waiters_.push_back(std::move(waiter));
      return;
    }
  }
  std::move(waiter)(status_);
}

// Counts as TensorFlow's masters: `build_cost_model_after` only shifts which
// steps of a kind measure.
bool PreparedRun::CountStep(const GraphOptions& options) {
  if (options.build_cost_model <= 0) return false;
  const int64_t before = steps_.fetch_add(1, std::memory_order_relaxed);
  // The option may be any number: wraps around.
  const auto step = static_cast<int64_t>(
      static_cast<uint64_t>(before) + 1 -
      static_cast<uint64_t>(options.build_cost_model_after));
  return step % options.build_cost_model == 0;
}

void PreparedRun::SetReady(Status status) {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mu_);
    status_ = std::move(status);
    ready_.store(true, std::memory_order_release);
    waiters.swap(waiters_);
  }
  for (Waiter& waiter : waiters) std::move(waiter)(status_);
}

Status WithTaskName(const PreparedRun::Part& part, const Status& status) {
  if (part.peer->is_self()) return status;
  const bool lost = status.code() == StatusCode::kAborted ||
                    status.code() == StatusCode::kUnavailable;
  const std::string& address = part.peer->address();
  if (absl::StrContains(status.message(), part.task) &&
      (!lost || absl::StrContains(status.message(), address))) {
    return status;
  }
  return Prefix(
      absl::StrCat("From ", part.task,
                   lost ? absl::StrCat(" (", address, ")") : "", ":\n"),
      status);
}

}  // namespace millrace
