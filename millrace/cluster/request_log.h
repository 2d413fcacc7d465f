// RequestLog: the calls with a request id that run or ended lately, so that a
// duplicate request has its effect once.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/recent_set.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Thread-safe; makes no calls. `Call` is the work of a request; the log holds a
// reference until End, which the first call of each id must reach. The log
// remembers the last `ended_kept` ids that ended: a client retries within
// seconds. An id of 0 means no id: nothing is stored for it.
template <class Call>
class RequestLog {
 public:
  explicit RequestLog(size_t ended_kept) : ended_(ended_kept) {}

  // Returns null if `call` is the first of its id, otherwise the call that runs
  // already. Returns ABORTED if that has ended.
  StatusOr<Ref<Call>> Begin(int64_t id, const Ref<Call>& call) {
    if (id == 0) return Ref<Call>();
    MutexLock lock(mu_);
    if (ended_.Contains(id)) {
      return Aborted("The same request (id ", id,
                     ") was received before, and has ended.");
    }
    auto [it, added] = calls_.try_emplace(id, call);
    return added ? Ref<Call>() : it->second;
  }

  // Marks the call of `id` as ended.
  void End(int64_t id) {
    if (id == 0) return;
    Ref<Call> ended;  // released after the lock
    MutexLock lock(mu_);
    const auto it = calls_.find(id);
    if (it == calls_.end()) return;
    ended = std::move(it->second);
    calls_.erase(it);
    ended_.Insert(id);
  }

 private:
  Mutex mu_;                                       // guards all below
  absl::flat_hash_map<int64_t, Ref<Call>> calls_;  // that run
  RecentSet<int64_t> ended_;
};

}  // namespace millrace
