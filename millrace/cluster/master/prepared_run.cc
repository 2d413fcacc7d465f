#include "millrace/cluster/master/prepared_run.h"

#include <utility>

namespace millrace {

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

}  // namespace millrace
