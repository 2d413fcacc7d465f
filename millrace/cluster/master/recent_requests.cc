#include "millrace/cluster/master/recent_requests.h"

namespace millrace {

RecentRequests::Seen RecentRequests::Add(int64_t id, RunStep** step) {
  if (id == 0) return Seen::kNew;
  const auto [it, added] = steps_.try_emplace(id, *step);
  if (!added) {
    *step = it->second;
    return *step != nullptr ? Seen::kRunning : Seen::kEnded;
  }
  if (ring_.size() < kCapacity) {
    ring_.push_back(id);
    return Seen::kNew;
  }
  // A step that runs for long keeps its place.
  for (size_t tries = 0; tries < ring_.size(); ++tries) {
    int64_t& oldest = ring_[next_];
    next_ = (next_ + 1) % ring_.size();
    const auto old = steps_.find(oldest);
    if (old != steps_.end() && old->second != nullptr) continue;
    steps_.erase(oldest);
    oldest = id;
    return Seen::kNew;
  }
  ring_.push_back(id);
  return Seen::kNew;
}

void RecentRequests::End(int64_t id) {
  if (id == 0) return;
  const auto found = steps_.find(id);
  if (found != steps_.end()) found->second = nullptr;
}

}  // namespace millrace
