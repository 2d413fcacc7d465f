#include "millrace/base/threads/cores.h"

#include <sched.h>

namespace millrace {

int CurrentCore() { return sched_getcpu(); }

bool MoveToOtherCore() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return false;
  const int here = CurrentCore();
  if (here < 0 || here >= CPU_SETSIZE) return false;
  cpu_set_t others = usable;
  CPU_CLR(here, &others);
  if (CPU_COUNT(&others) == 0) return false;
  // The first call moves the thread, the second leaves it where it is.
  if (sched_setaffinity(0, sizeof(others), &others) != 0) return false;
  return sched_setaffinity(0, sizeof(usable), &usable) == 0;
}

}  // namespace millrace
