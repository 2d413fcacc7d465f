// Timer: runs callbacks at given times, on one thread.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Thread-safe. The thread starts with the first callback. Works in a
// simulation.
class Timer {
 public:
  using Id = uint64_t;  // never 0

  explicit Timer(absl::string_view name = "timer");
  ~Timer();  // Stop
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Runs `callback` at the deadline on the timer's thread, which it must not
  // block: it posts longer work to a thread pool. An infinite deadline never
  // runs, but has an id.
  Id RunAt(Deadline deadline, absl::AnyInvocable<void()> callback);
  // Returns true if the callback has not started and will never run. Returns
  // false if it ran or is running (without waiting for it), or for an unknown
  // id.
  bool Cancel(Id id);
  // Drops the callbacks that have not started, due or not, waits for a running
  // one, and ends the thread. A callback passed to RunAt later never runs. Must
  // not be called from a callback.
  void Stop();
  // Returns the number of waiting callbacks.
  size_t pending() const;

 private:
  using Key = std::pair<int64_t, Id>;  // deadline in nanoseconds, id
  void Loop();

  mutable Mutex mu_;
  CondVar changed_;
  absl::btree_map<Key, absl::AnyInvocable<void()>> queue_;
  absl::flat_hash_map<Id, int64_t> deadlines_;
  Id next_id_ = 1;
  bool stopping_ = false;
  const std::string name_;
  const int process_;  // the simulated process that the thread belongs to
  Thread thread_;
};

}  // namespace millrace
