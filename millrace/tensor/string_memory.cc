#include "millrace/tensor/string_memory.h"

#include <cstdint>
#include <new>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace::internal {
namespace {

constexpr int64_t kStep = 64 << 10;
constexpr size_t kHeapOverhead = 16;

// Bytes that this thread has reserved and not used: at most 2 * kStep.
thread_local constinit int64_t spare = 0;
thread_local constinit bool ending = false;

struct SpareOwner {
  ~SpareOwner() {
    MemoryBudget::RealProcess().Release(spare);
    spare = 0;
    ending = true;  // other thread-local objects may own strings
  }
  void Add(int64_t bytes) { spare += bytes; }
};
thread_local SpareOwner owner;

void Reserve(int64_t bytes) {
  if (spare >= bytes) {
    spare -= bytes;
    return;
  }
  MemoryBudget& budget = MemoryBudget::RealProcess();
  if (!ending && budget.TryReserve(bytes + kStep)) {
    owner.Add(kStep);
  } else if (!budget.TryReserve(bytes)) {
    if (ScopedMemoryLimit::active()) throw std::bad_alloc();
    budget.ReserveAlways(bytes);
  }
}

void Release(int64_t bytes) noexcept {
  if (ending) {
    MemoryBudget::RealProcess().Release(bytes);
    return;
  }
  owner.Add(bytes);
  if (spare <= 2 * kStep) return;
  MemoryBudget::RealProcess().Release(spare - kStep);
  spare = kStep;
}

}  // namespace

char* NewString(size_t size, bool* counted) {
  *counted = !InSim();
  if (!*counted) return new char[size];
  const auto bytes = static_cast<int64_t>(size + kHeapOverhead);
  Reserve(bytes);
  char* const data = new (std::nothrow) char[size];
  if (data == nullptr) {
    Release(bytes);
    throw std::bad_alloc();
  }
  return data;
}

void DeleteString(char* data, size_t size, bool counted) noexcept {
  delete[] data;
  if (counted) Release(static_cast<int64_t>(size + kHeapOverhead));
}

}  // namespace millrace::internal
