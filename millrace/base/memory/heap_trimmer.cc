#include "millrace/base/memory/heap_trimmer.h"

#include <malloc.h>

#include "millrace/base/sim/sim_hooks.h"

namespace millrace {

void HeapTrimmer::Schedule() {
  if (internal::InSim() || asked_->exchange(true)) return;
  lanes_.timer.RunAt(
      Deadline::AfterMillis(kDelayMillis),
      [asked = asked_, &blocking = lanes_.blocking] {
        asked->store(false);
        // Not important enough to wait while all threads of the blocking pool
        // are busy.
        blocking.TrySchedule([] { malloc_trim(0); }).IgnoreError();
      });
}

}  // namespace millrace
