#include "millrace/tensor/string_memory.h"

#include <cstdint>
#include <new>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/sim/sim_hooks.h"
#include "millrace/tensor/short_blocks.h"

namespace millrace::internal {
namespace {

constexpr int64_t kStep = 64 << 10;
constexpr size_t kHeapOverhead = 16;
#ifdef MILLRACE_SANITIZED
constexpr size_t kMaxShort = 0;  // so that the sanitizer sees each string
#else
constexpr size_t kMaxShort = ShortBlocks::kMaxBytes;
#endif

// What a thread has of the budget and of the heap.
struct ThreadStrings {
  enum Phase : uint8_t { kFresh, kInUse, kEnded };
  int64_t spare = 0;  // bytes reserved and not used: at most 2 * kStep
  ShortBlocks blocks;
  // Other thread-local objects may own strings when this has ended.
  Phase phase = kFresh;
};
constinit thread_local ThreadStrings strings
    __attribute__((tls_model("initial-exec")));

// Gives all of that back when the thread ends.
struct ThreadEnd {
  ~ThreadEnd() {
    MemoryBudget::RealProcess().Release(strings.spare);
    strings.spare = 0;
    strings.blocks.Clear();
    strings.phase = ThreadStrings::kEnded;
  }
  void Arm() { strings.phase = ThreadStrings::kInUse; }
};
thread_local ThreadEnd thread_end;

// Returns whether the thread may keep anything.
bool InUse() {
  if (strings.phase == ThreadStrings::kFresh) [[unlikely]]
    thread_end.Arm();
  return strings.phase == ThreadStrings::kInUse;
}

void ReserveMore(int64_t bytes) {
  MemoryBudget& budget = MemoryBudget::RealProcess();
  if (InUse() && budget.TryReserve(bytes + kStep)) {
    strings.spare += kStep;
  } else if (!budget.TryReserve(bytes)) {
    if (ScopedMemoryLimit::active()) throw std::bad_alloc();
    budget.ReserveAlways(bytes);
  }
}

void Reserve(int64_t bytes) {
  if (strings.spare >= bytes) [[likely]] {
    strings.spare -= bytes;
  } else {
    ReserveMore(bytes);
  }
}

void Release(int64_t bytes) noexcept {
  if (!InUse()) {
    MemoryBudget::RealProcess().Release(bytes);
    return;
  }
  strings.spare += bytes;
  if (strings.spare <= 2 * kStep) [[likely]]
    return;
  MemoryBudget::RealProcess().Release(strings.spare - kStep);
  strings.spare = kStep;
}

char* NewBlock(size_t size) {
  if (size > kMaxShort) return new (std::nothrow) char[size];
  // Before it is in use, and when it has ended, the thread has no blocks.
  return strings.phase == ThreadStrings::kInUse ? strings.blocks.New(size)
                                                : ShortBlocks::Allocate(size);
}

void DeleteBlock(char* data, size_t size) noexcept {
  if (size > kMaxShort) {
    delete[] data;
  } else if (strings.phase == ThreadStrings::kInUse && !InSim()) {
    strings.blocks.Delete(data, size);
  } else {
    ShortBlocks::Free(data);
  }
}

}  // namespace

char* NewString(size_t size, bool* counted) {
  *counted = !InSim();
  if (!*counted) return new char[size];
  const auto bytes = static_cast<int64_t>(size + kHeapOverhead);
  Reserve(bytes);
  char* const data = NewBlock(size);
  if (data == nullptr) {
    Release(bytes);
    throw std::bad_alloc();
  }
  return data;
}

void DeleteString(char* data, size_t size, bool counted) noexcept {
  if (!counted) {
    delete[] data;
    return;
  }
  Release(static_cast<int64_t>(size + kHeapOverhead));
  DeleteBlock(data, size);
}

}  // namespace millrace::internal
