#include "millrace/device/cpu/cpu_allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "millrace/base/check.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace {

// Up to 1 KB: the object and its elements share one block of malloc, which is
// as fast as any free list of ours.
class CpuAllocator::SmallBlock final : public Buffer {
 public:
  static StatusOr<Ref<Buffer>> New(CpuAllocator& owner, size_t bytes) {
    void* raw = std::malloc(sizeof(SmallBlock) + kBufferAlignment + bytes);
    if (raw == nullptr)
      return ResourceExhausted("OOM when allocating ", bytes, " bytes");
    const uintptr_t end = reinterpret_cast<uintptr_t>(raw) + sizeof(SmallBlock);
    char* data = reinterpret_cast<char*>((end + kBufferAlignment - 1) /
                                         kBufferAlignment * kBufferAlignment);
    return Ref<Buffer>(Ref<SmallBlock>::Adopt(
        new (raw) SmallBlock(Ref<CpuAllocator>::Share(&owner), data, bytes)));
  }
  ~SmallBlock() override {
    const int64_t bytes = static_cast<int64_t>(size_);
    owner_->in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    owner_->budget_.Release(bytes + static_cast<int64_t>(kBufferOverhead));
  }
  static void* operator new(size_t, void* raw) { return raw; }
  static void operator delete(void* raw) { std::free(raw); }

 private:
  SmallBlock(Ref<CpuAllocator> owner, char* data, size_t bytes)
      : Buffer(data, bytes), owner_(std::move(owner)) {}
  Ref<CpuAllocator> owner_;
};

// Above 1 KB: the object is separate from the elements; in front of them it
// would prevent their alignment to a huge page.
class CpuAllocator::Block final : public Buffer {
 public:
  Block(Ref<CpuAllocator> owner, char* data, size_t bytes, int size_class)
      : Buffer(data, bytes), owner_(std::move(owner)), class_(size_class) {}
  ~Block() override { owner_->Free(data_, class_, size_); }

 private:
  Ref<CpuAllocator> owner_;
  const int class_;
};

Ref<CpuAllocator> CpuAllocator::Make(MemoryBudget& budget, Timer& timer,
                                     int64_t cache_limit_bytes) {
  return Ref<CpuAllocator>::Adopt(
      new CpuAllocator(budget, timer, cache_limit_bytes));
}

CpuAllocator::CpuAllocator(MemoryBudget& budget, Timer& timer,
                           int64_t cache_limit_bytes)
    : budget_(budget), timer_(timer), cache_limit_bytes_(cache_limit_bytes) {}

CpuAllocator::~CpuAllocator() { TrimLists(Blocks::kAll); }

// Size class k holds blocks of 2^p + s * 2^p / kSteps bytes, k = (p -
// kFirstPower)
// * kSteps + s.
int CpuAllocator::ClassOf(size_t bytes, size_t* class_bytes) {
  const int power =
      std::max(kFirstPower, static_cast<int>(std::bit_width(bytes - 1)) - 1);
  const size_t base = size_t{1} << power;
  const size_t step = base / kSteps;
  const size_t s = bytes <= base ? 0 : (bytes - base + step - 1) / step;
  *class_bytes = base + s * step;
  return (power - kFirstPower) * kSteps + static_cast<int>(s);
}

size_t CpuAllocator::ClassBytes(int size_class) {
  const size_t base = size_t{1} << (kFirstPower + size_class / kSteps);
  return base + static_cast<size_t>(size_class % kSteps) * (base / kSteps);
}

void* CpuAllocator::FromSystem(size_t bytes) {
  if (bytes < kHugePage) return std::aligned_alloc(kBufferAlignment, bytes);
  // Reserves room for the alignment, which is unmapped again.
  const size_t mapped = bytes + kHugePage;
  void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(p);
  char* data = reinterpret_cast<char*>(
      (reinterpret_cast<uintptr_t>(begin) + kHugePage - 1) / kHugePage *
      kHugePage);
  if (data > begin) munmap(begin, static_cast<size_t>(data - begin));
  char* end = data + (bytes + 4095) / 4096 * 4096;
  if (end < begin + mapped)
    munmap(end, static_cast<size_t>(begin + mapped - end));
  madvise(data, bytes, MADV_HUGEPAGE);  // fails where the kernel has none
  return data;
}

void CpuAllocator::ToSystem(void* data, size_t bytes) {
  if (bytes < kHugePage) {
    std::free(data);
  } else {
    munmap(data, (bytes + 4095) / 4096 * 4096);
  }
}

Status CpuAllocator::ReserveOrTrim(size_t bytes) {
  if (budget_.TryReserve(static_cast<int64_t>(bytes))) return OkStatus();
  TrimLists(Blocks::kAll);
  return budget_.Reserve(static_cast<int64_t>(bytes), "tensor");
}

StatusOr<Ref<Buffer>> CpuAllocator::Allocate(size_t size_bytes) {
  if (size_bytes <= kSmallBytes) {
    const size_t bytes =
        std::max<size_t>(
            1, (size_bytes + kBufferAlignment - 1) / kBufferAlignment) *
        kBufferAlignment;
    MR_RETURN_IF_ERROR(ReserveOrTrim(bytes + kBufferOverhead));
    StatusOr<Ref<Buffer>> block = SmallBlock::New(*this, bytes);
    if (block.ok()) {
      in_use_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    } else {
      budget_.Release(static_cast<int64_t>(bytes + kBufferOverhead));
    }
    return block;
  }
  if (size_bytes > kMaxBytes)
    return ResourceExhausted("OOM when allocating ", size_bytes, " bytes");
  size_t bytes;
  const int size_class = ClassOf(size_bytes, &bytes);
  void* data = TakeCached(size_class);
  if (data != nullptr) {
    cached_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    reused_.fetch_add(1, std::memory_order_relaxed);
  } else {
    MR_RETURN_IF_ERROR(ReserveOrTrim(bytes));
    data = FromSystem(bytes);
    if (data == nullptr) {
      budget_.Release(static_cast<int64_t>(bytes));
      return ResourceExhausted("OOM when allocating ", size_bytes, " bytes");
    }
    fresh_.fetch_add(1, std::memory_order_relaxed);
  }
  in_use_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return Ref<Buffer>(MakeRef<Block>(Ref<CpuAllocator>::Share(this),
                                    static_cast<char*>(data), bytes,
                                    size_class));
}

void* CpuAllocator::TakeCached(int size_class) {
  FreeList& list = lists_[static_cast<size_t>(size_class)];
  MutexLock lock(list.mu);
  if (list.blocks.empty()) return nullptr;
  void* data = list.blocks.back();
  list.blocks.pop_back();
  list.unused = std::min(list.unused, list.blocks.size());
  return data;
}

void CpuAllocator::Free(void* data, int size_class, size_t bytes) {
  const int64_t signed_bytes = static_cast<int64_t>(bytes);
  in_use_.fetch_sub(signed_bytes, std::memory_order_relaxed);
  if (cached_.fetch_add(signed_bytes, std::memory_order_relaxed) +
          signed_bytes <=
      cache_limit_bytes_) {
    {
      FreeList& list = lists_[static_cast<size_t>(size_class)];
      MutexLock lock(list.mu);
      list.blocks.push_back(data);
    }
    ArmTimer();
    return;
  }
  cached_.fetch_sub(signed_bytes, std::memory_order_relaxed);
  ToSystem(data, bytes);
  budget_.Release(signed_bytes);
}

void CpuAllocator::TrimLists(Blocks blocks) {
  for (int c = 0; c < kClasses; ++c) {
    FreeList& list = lists_[static_cast<size_t>(c)];
    std::vector<void*> victims;
    {
      MutexLock lock(list.mu);
      const size_t n =
          blocks == Blocks::kAll ? list.blocks.size() : list.unused;
      if (n > 0) {
        // The oldest ones.
        const auto middle = list.blocks.begin() + static_cast<ptrdiff_t>(n);
        victims.assign(list.blocks.begin(), middle);
        list.blocks.erase(list.blocks.begin(), middle);
      }
      list.unused = list.blocks.size();
    }
    const size_t bytes = ClassBytes(c);
    for (void* data : victims) ToSystem(data, bytes);
    const int64_t freed = static_cast<int64_t>(victims.size() * bytes);
    cached_.fetch_sub(freed, std::memory_order_relaxed);
    budget_.Release(freed);
  }
}

void CpuAllocator::Trim() { TrimLists(Blocks::kAll); }

void CpuAllocator::ArmTimer() {
  if (timer_armed_.load(std::memory_order_relaxed)) return;
  if (timer_armed_.exchange(true, std::memory_order_acq_rel)) return;
  timer_.RunAt(Deadline::After(kTrimPeriodNanos),
               [self = Ref<CpuAllocator>::Share(this)] { self->OnTimer(); });
}

void CpuAllocator::OnTimer() {
  TrimLists(Blocks::kUnused);
  timer_armed_.store(false, std::memory_order_release);
  if (cached_.load(std::memory_order_relaxed) > 0) ArmTimer();
}

CpuAllocator::Stats CpuAllocator::stats() const {
  return {in_use_.load(std::memory_order_relaxed),
          cached_.load(std::memory_order_relaxed),
          reused_.load(std::memory_order_relaxed),
          fresh_.load(std::memory_order_relaxed)};
}

}  // namespace millrace
