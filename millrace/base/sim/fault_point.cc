#include "millrace/base/sim/fault_point.h"

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"

namespace millrace::internal {

bool FaultPointFires(absl::string_view name) {
  const SimOptions& options = SimWorld::Current()->options();
  if (!options.fault_points) return false;
  uint64_t hash = options.seed ^ 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  if (Rng(hash).Uniform(4) != 0) return false;  // off in this run
  if (SimRandom(4) != 0) return false;
  RecordEvent(absl::StrCat("fault ", name));
  return true;
}

}  // namespace millrace::internal
