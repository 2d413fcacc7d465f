#include "millrace/base/memory/memory_budget.h"

#include <memory>

#include "millrace/base/check.h"
#include "millrace/base/machine.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

constexpr char kBudgetKey = 0;
// Independent of the machine, so that a seed means the same run everywhere.
constexpr int64_t kSimBytes = int64_t{16} << 30;

}  // namespace

bool MemoryBudget::TryReserve(int64_t bytes) {
  MR_DCHECK(bytes >= 0, "a negative size: ", bytes);
  int64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit() - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes,
                                        std::memory_order_relaxed));
  RaisePeak(used + bytes);
  return true;
}

Status MemoryBudget::Reserve(int64_t bytes, absl::string_view what) {
  if (TryReserve(bytes)) return OkStatus();
  return ResourceExhausted(
      "Out of the memory budget", what.empty() ? "" : " for ", what, ": ",
      bytes, " bytes wanted, ", used(), " of ", limit(), " in use");
}

void MemoryBudget::ReserveAlways(int64_t bytes) {
  RaisePeak(used_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void MemoryBudget::Release(int64_t bytes) {
  [[maybe_unused]] const int64_t before =
      used_.fetch_sub(bytes, std::memory_order_relaxed);
  MR_DCHECK(before >= bytes, "more released than reserved");
}

void MemoryBudget::RaisePeak(int64_t used) {
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used &&
         !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
  }
}

MemoryBudget& MemoryBudget::Process() {
  if (SimWorld* world = SimWorld::Current()) {
    return *static_cast<MemoryBudget*>(
        world->Local(&kBudgetKey, world->CurrentProcess(),
                     [] { return std::make_shared<MemoryBudget>(kSimBytes); }));
  }
  return RealProcess();
}

MemoryBudget& MemoryBudget::RealProcess() {
  static MemoryBudget* budget =
      new MemoryBudget(UsableMemoryBytes() / 100 * 85);
  return *budget;
}

}  // namespace millrace
