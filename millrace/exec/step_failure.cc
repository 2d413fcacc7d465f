#include "millrace/exec/step_failure.h"

#include "millrace/kernel/rendezvous.h"

namespace millrace {

void StepFailure::Fail(Status status) {
  {
    MutexLock lock(mu_);
    UpdateStatus(status_, status);
  }
  failed_.store(true, std::memory_order_release);
  // Other parts of the step (partitions, receives, waiting kernels) end, too.
  if (environment_.rendezvous) {
    environment_.rendezvous->StartAbort(MarkDerived(status));
  }
  if (environment_.cancel) environment_.cancel->Cancel(MarkDerived(status));
}

}  // namespace millrace
