#include "millrace/base/threads/timer.h"

#include "millrace/base/sim/sim.h"

namespace millrace {

Timer::Timer(absl::string_view name)
    : name_(name), process_(CurrentSimProcess()) {}

Timer::~Timer() { Stop(); }

void Timer::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.Join();
  // Callbacks may own large objects; they are destroyed without the lock.
  absl::btree_map<Key, absl::AnyInvocable<void()>> dropped;
  MutexLock lock(mu_);
  dropped.swap(queue_);
  deadlines_.clear();
}

Timer::Id Timer::RunAt(Deadline deadline, absl::AnyInvocable<void()> callback) {
  MutexLock lock(mu_);
  const Id id = next_id_++;
  const Key key(deadline.nanos(), id);
  deadlines_.emplace(id, deadline.nanos());
  queue_.emplace(key, std::move(callback));
  if (!thread_.joinable() && !deadline.infinite() && !stopping_) {
    SimProcessScope here(process_);
    thread_ = Thread(name_, [this] { Loop(); });
  } else if (queue_.begin()->first == key) {
    changed_.NotifyOne();
  }
  return id;
}

bool Timer::Cancel(Id id) {
  absl::AnyInvocable<void()> dropped;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto it = deadlines_.find(id);
  if (it == deadlines_.end()) return false;
  const auto entry = queue_.find(Key(it->second, id));
  dropped = std::move(entry->second);
  queue_.erase(entry);
  deadlines_.erase(it);
  return true;
}

size_t Timer::pending() const {
  MutexLock lock(mu_);
  return queue_.size();
}

void Timer::Loop() {
  MutexLock lock(mu_);
  while (!stopping_) {
    if (queue_.empty()) {
      changed_.Wait(mu_);
      continue;
    }
    const auto first = queue_.begin();
    const Deadline due = Deadline::At(first->first.first);
    if (!due.expired()) {
      changed_.WaitUntil(mu_, due);
      continue;
    }
    absl::AnyInvocable<void()> callback = std::move(first->second);
    deadlines_.erase(first->first.second);
    queue_.erase(first);
    lock.Unlock();
    callback();
    callback = nullptr;
    lock.Lock();
  }
}

}  // namespace millrace
