#include "millrace/exec/local_rendezvous.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace millrace {
namespace {

// That many cancelled receives may lie in the table of a step before they are
// looked for.
constexpr size_t kFewWaiters = 32;
// What an entry with one value takes beside the key and the value's buffer.
constexpr int64_t kValueBytes = 800;
// So much is not counted against the memory budget.
constexpr int64_t kFreeBytes = 256 << 10;

}  // namespace

// A waiting receive. The first event that claims it (a value, the abort, the
// cancellation) completes it.
struct LocalRendezvous::Waiter : RefCounted {
  bool Claim() { return !claimed.exchange(true, std::memory_order_acq_rel); }

  // Completes it, and destroys the callback: the table may keep the waiter for
  // longer.
  void Complete(StatusOr<RendezvousValue> outcome) {
    RecvDone callback = std::move(done);
    std::move(callback)(std::move(outcome));
  }

  std::atomic<bool> claimed{false};
  uint64_t number = 0;  // in the order of arrival
  RecvDone done;
  CancelScope* cancel = nullptr;
  CancelScope::Token token = 0;
};

struct LocalRendezvous::Item {
  RendezvousValue value;
  Ref<Waiter> waiter;  // set for a waiting receiver; null for a value
};

LocalRendezvous::LocalRendezvous() = default;

LocalRendezvous::~LocalRendezvous() {
  if (table_.empty()) return;
  StartAbort(Cancelled("the step's rendezvous was dropped"));
}

Status LocalRendezvous::Send(absl::string_view key, RendezvousValue value) {
  Ref<Waiter> waiter;
  {
    MutexLock lock(mu_);
    if (!aborted_.ok()) return aborted_;
    std::deque<Item>& queue = table_[key];
    while (!queue.empty() && queue.front().waiter != nullptr &&
           waiter == nullptr) {
      if (queue.front().waiter->Claim()) waiter = queue.front().waiter;
      queue.pop_front();
    }
    if (waiter == nullptr) {
      Status room = Hold(key);
      if (room.ok()) {
        queue.push_back({std::move(value), nullptr});
      } else if (queue.empty()) {
        table_.erase(key);
      }
      return room;
    }
    if (queue.empty()) table_.erase(key);
  }
  if (waiter->cancel) waiter->cancel->Unregister(waiter->token);
  waiter->Complete(std::move(value));
  return OkStatus();
}

LocalRendezvous::Table::iterator LocalRendezvous::FindValue(
    absl::string_view key) {
  const auto it = table_.find(key);
  if (it == table_.end() || it->second.front().waiter == nullptr) return it;
  return table_.end();
}

Status LocalRendezvous::Hold(absl::string_view key) {
  const int64_t bytes =
      held_bytes_ + kValueBytes + static_cast<int64_t>(key.size());
  if (bytes > charge_.bytes() + kFreeBytes) {
    MR_RETURN_IF_ERROR(charge_.Set(bytes, "values that wait to be received"));
  }
  held_bytes_ = bytes;
  return OkStatus();
}

void LocalRendezvous::LetGo(absl::string_view key) {
  held_bytes_ -= kValueBytes + static_cast<int64_t>(key.size());
  if (held_bytes_ + 2 * kFreeBytes < charge_.bytes())
    charge_.Set(held_bytes_, "").IgnoreError();
}

LocalRendezvous::Item LocalRendezvous::TakeFront(Table::iterator it) {
  LetGo(it->first);
  Item item = std::move(it->second.front());
  it->second.pop_front();
  if (it->second.empty()) table_.erase(it);
  return item;
}

void LocalRendezvous::RecvAsync(absl::string_view key, CancelScope* cancel,
                                RecvDone done) {
  auto waiter = MakeRef<Waiter>();
  waiter->done = std::move(done);
  {
    MutexLock lock(mu_);
    waiter->number = next_number_++;
    if (!aborted_.ok()) {
      const Status status = aborted_;
      lock.Unlock();
      waiter->Complete(status);
      return;
    }
    if (const auto it = FindValue(key); it != table_.end()) {
      Item item = TakeFront(it);
      lock.Unlock();
      waiter->Complete(std::move(item.value));
      return;
    }
    if (cancel == nullptr) {
      table_[key].push_back({{}, std::move(waiter)});
      return;
    }
  }
  RecvUnlessCancelled(std::string(key), cancel, std::move(waiter));
}

void LocalRendezvous::RecvUnlessCancelled(const std::string& key,
                                          CancelScope* cancel,
                                          Ref<Waiter> waiter) {
  // Register outside our lock: the callback may run at once on another thread.
  // It only claims; the table drops claimed waiters when it meets them, and now
  // and then looks for them. From
  // there on the receiver may be gone, and with it its reference to this.
  const auto self = Ref<LocalRendezvous>::Share(this);
  waiter->cancel = cancel;
  CancelScope::Registration registration =
      cancel->Register([waiter, cancel]() mutable {
        if (waiter->Claim()) waiter->Complete(cancel->status());
      });
  if (!registration.ok()) {
    if (waiter->Claim()) waiter->Complete(registration.status);
    return;
  }
  MutexLock lock(mu_);
  waiter->token = registration.token;
  StatusOr<RendezvousValue> outcome = RendezvousValue();
  if (!aborted_.ok()) outcome = aborted_;
  const auto it = outcome.ok() ? FindValue(key) : table_.end();
  const bool has_value = it != table_.end();
  if (outcome.ok() && !has_value) {
    table_[key].push_back({{}, std::move(waiter)});
    if (++pushed_ > kept_ / 2 + kFewWaiters) DropClaimed();
    return;
  }
  if (!waiter->Claim()) return;  // cancelled meanwhile; the value is kept
  if (has_value) outcome = TakeFront(it).value;
  lock.Unlock();
  cancel->Unregister(waiter->token);
  waiter->Complete(std::move(outcome));
}

void LocalRendezvous::DropClaimed() {
  pushed_ = 0;
  kept_ = 0;
  absl::erase_if(table_, [this](auto& entry) {
    std::deque<Item>& queue = entry.second;
    std::erase_if(queue, [](const Item& item) {
      return item.waiter != nullptr &&
             item.waiter->claimed.load(std::memory_order_acquire);
    });
    kept_ += queue.size();
    return queue.empty();
  });
}

void LocalRendezvous::StartAbort(const Status& status) {
  std::vector<Ref<Waiter>> waiters;
  const Status reason = status.ok() ? Aborted("the step was aborted") : status;
  {
    MutexLock lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    for (auto& [key, queue] : table_) {
      for (Item& item : queue) {
        if (item.waiter != nullptr && item.waiter->Claim())
          waiters.push_back(item.waiter);
      }
    }
    table_.clear();
    charge_ = MemoryCharge();
  }
  // Does not use the order of the hash table, which differs from run to run.
  std::sort(waiters.begin(), waiters.end(),
            [](const Ref<Waiter>& a, const Ref<Waiter>& b) {
              return a->number < b->number;
            });
  for (Ref<Waiter>& w : waiters) {
    if (w->cancel) w->cancel->Unregister(w->token);
    w->Complete(reason);
  }
}

LocalRendezvous::Counts LocalRendezvous::counts() const {
  MutexLock lock(mu_);
  Counts counts;
  for (const auto& [key, queue] : table_) {
    for (const Item& item : queue) {
      if (item.waiter == nullptr) {
        ++counts.values;
      } else if (item.waiter->claimed.load(std::memory_order_acquire)) {
        ++counts.cancelled;
      } else {
        ++counts.waiters;
      }
    }
  }
  return counts;
}

}  // namespace millrace
