#include "examples/support/cores.h"

#include <cerrno>

namespace millrace::examples {

std::vector<int> OwnCores() {
  std::vector<int> cores;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  }
  return cores;
}

ScopedCore::ScopedCore(std::optional<int> core) {
  if (!core) return;
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof(before), &before) != 0) {
    status_ = ErrnoStatus("sched_getaffinity", errno);
    return;
  }
  if (*core < 0 || *core >= CPU_SETSIZE || !CPU_ISSET(*core, &before)) {
    status_ = InvalidArgument("core ", *core,
                              " is not one of those that this process may use");
    return;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*core, &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) {
    status_ = ErrnoStatus("sched_setaffinity", errno);
    return;
  }
  before_ = before;
}

ScopedCore::~ScopedCore() {
  if (before_) sched_setaffinity(0, sizeof(*before_), &*before_);
}

}  // namespace millrace::examples
