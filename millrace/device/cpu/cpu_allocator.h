// CpuAllocator: host memory that is kept for reuse when a step frees it.
//
// Filling new pages takes five times as long as filling used ones, so freed
// blocks stay in free lists by size class: up to a cap, and until they were
// unused for 10 s. Blocks of 2 MB and more start at a huge page.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/timer.h"
#include "millrace/tensor/buffer.h"

namespace millrace {

// Thread-safe. Reference-counted, because buffers keep it alive. All its
// memory, in use and cached, is charged to the budget with the size of its
// class (at most 1/8 more than requested), small buffers with their overhead.
class CpuAllocator final : public Allocator, public RefCounted {
 public:
  // Budget and timer must outlive the allocator and its buffers.
  // `cache_limit_bytes` is the limit on the memory kept for reuse.
  static Ref<CpuAllocator> Make(MemoryBudget& budget, Timer& timer,
                                int64_t cache_limit_bytes);

  absl::string_view name() const override { return "cpu"; }
  // Returns RESOURCE_EXHAUSTED if the budget has no room even with an empty
  // cache.
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override;

  struct Stats {
    int64_t in_use_bytes = 0;
    int64_t cached_bytes = 0;
    int64_t reused = 0;  // allocations above 1 KB served from the cache
    int64_t fresh = 0;   // ... by the operating system
  };
  Stats stats() const;
  void Trim() override;

  // A block is returned after it was unused for one to two of these periods.
  static constexpr int64_t kTrimPeriodNanos = 5'000'000'000;

 private:
  class SmallBlock;
  class Block;

  static constexpr size_t kSmallBytes = 1024;
  static constexpr size_t kMaxBytes = size_t{1} << 46;
  static constexpr int kFirstPower = 10;
  static constexpr int kSteps = 8;  // classes between two powers of two
  static constexpr int kClasses = (47 - kFirstPower) * kSteps;
  static constexpr size_t kHugePage = size_t{2} << 20;

  struct FreeList {
    Mutex mu;
    std::vector<void*> blocks;  // newest last: its pages may be in a cache
    size_t unused = 0;          // least length since the last trim
  };

  CpuAllocator(MemoryBudget& budget, Timer& timer, int64_t cache_limit_bytes);
  ~CpuAllocator() override;

  static int ClassOf(size_t bytes, size_t* class_bytes);
  static size_t ClassBytes(int size_class);
  static void* FromSystem(size_t bytes);
  static void ToSystem(void* data, size_t bytes);

  Status ReserveOrTrim(size_t bytes);
  void* TakeCached(int size_class);  // null if there is none
  void Free(void* data, int size_class, size_t bytes);
  // Returns the `unused` blocks of each class to the system, or all.
  enum class Blocks { kUnused, kAll };
  void TrimLists(Blocks blocks);
  void ArmTimer();
  void OnTimer();

  MemoryBudget& budget_;
  Timer& timer_;
  const int64_t cache_limit_bytes_;
  std::array<FreeList, kClasses> lists_;
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> cached_{0};
  std::atomic<int64_t> reused_{0};
  std::atomic<int64_t> fresh_{0};
  std::atomic<bool> timer_armed_{false};
};

}  // namespace millrace
