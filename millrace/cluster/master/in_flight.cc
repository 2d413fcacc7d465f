#include "millrace/cluster/master/in_flight.h"

namespace millrace {

void InFlight::Remove() {
  // This is not the last one, so it wakes no waiter.
  int64_t count = count_.load(std::memory_order_relaxed);
  while (count > 1) {
    if (count_.compare_exchange_weak(count, count - 1,
                                     std::memory_order_acq_rel)) {
      return;
    }
  }
  // Holds the lock, so that a waiter cannot return (and destroy this) between
  // the count and the notification.
  MutexLock lock(mu_);
  if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) none_.NotifyAll();
}

bool InFlight::WaitForNone(Deadline deadline) {
  MutexLock lock(mu_);
  while (count() > 0) {
    if (none_.WaitUntil(mu_, deadline)) return count() == 0;
  }
  return true;
}

}  // namespace millrace
