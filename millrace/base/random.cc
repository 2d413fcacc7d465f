#include "millrace/base/random.h"

#include <sys/random.h>

#include "millrace/base/check.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace {

uint64_t RandomUint64() {
  if (internal::InSim()) return internal::SimBits();
  uint64_t value;
  MR_CHECK(getrandom(&value, sizeof(value), 0) == sizeof(value),
           "the system gives no random bytes");
  return value;
}

}  // namespace millrace
