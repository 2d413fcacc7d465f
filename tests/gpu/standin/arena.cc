#include "tests/gpu/standin/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tests/gpu/standin/settings.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace millrace::cuda::standin {
namespace {

constexpr size_t kPage = 4096;
// Of large blocks only the beginning is filled.
constexpr size_t kMostFilled = 16 << 20;
// All bits set: a NaN of each floating type, -1 of integers.
constexpr int kNonsense = 0xff;

std::atomic<Arena*> arenas[CardCounts::kMostCards];

size_t Pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void Protect(uintptr_t address, size_t bytes, int protection) {
  if (mprotect(reinterpret_cast<void*>(address), bytes, protection) != 0)
    std::abort();
}

// With the address sanitizer: whether an access of these bytes is an error.
void Poison([[maybe_unused]] uintptr_t address, [[maybe_unused]] size_t bytes,
            [[maybe_unused]] bool is_error) {
#ifdef __SANITIZE_ADDRESS__
  void* const begin = reinterpret_cast<void*>(address);
  if (is_error) {
    __asan_poison_memory_region(begin, bytes);
  } else {
    __asan_unpoison_memory_region(begin, bytes);
  }
#endif
}

}  // namespace

Arena::Arena(int card, size_t limit_bytes, CardCounts* counts)
    : card_(card), limit_(limit_bytes), counts_(*counts) {
  // Addresses cost nothing, so pieces that are left between blocks do not
  // matter.
  const size_t bytes = 4 * limit_bytes + (1ull << 30);
  void* memory = mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  begin_ = reinterpret_cast<uintptr_t>(memory);
  end_ = begin_ + bytes;
  for (auto& arena : arenas) {
    Arena* none = nullptr;
    if (arena.compare_exchange_strong(none, this)) break;
  }
}

uintptr_t Arena::Allocate(size_t bytes) {
  if (bytes == 0 || !counts_.Take(card_, bytes, limit_)) return 0;
  const std::lock_guard<std::mutex> lock(mu_);
  const size_t whole = Pages(bytes) + kPage;
  uintptr_t at = begin_;
  for (const auto& [begin, size] : blocks_) {
    if (begin - at >= whole) break;
    at = begin + Pages(size) + kPage;
  }
  if (end_ - at < whole) std::abort();
  blocks_[at] = bytes;
  Protect(at, Pages(bytes), PROT_READ | PROT_WRITE);
  Poison(at + bytes, Pages(bytes) - bytes, true);
  if (bytes <= kMostFilled)
    std::memset(reinterpret_cast<void*>(at), kNonsense, bytes);
  if (!accessible_ || (GetSettings().strict && running_ == 0)) {
    Protect(at, Pages(bytes), PROT_NONE);
    ProtectAll(false);
  }
  return at;
}

bool Arena::Free(uintptr_t address) {
  const std::lock_guard<std::mutex> lock(mu_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return false;
  const size_t bytes = block->second;
  blocks_.erase(block);
  // Its pages go back to the system.
  if (mmap(reinterpret_cast<void*>(address), Pages(bytes), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    std::abort();
  }
  // The next block begins without marks.
  Poison(address, Pages(bytes), false);
  counts_.GiveBack(card_, bytes);
  return true;
}

bool Arena::Contains(uintptr_t address, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mu_);
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return false;
  --block;
  const size_t offset = address - block->first;
  return offset <= block->second && bytes <= block->second - offset;
}

size_t Arena::free_bytes() {
  return limit_ - std::min(limit_, counts_.Taken(card_));
}

void Arena::BeginWork() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (running_++ == 0) ProtectAll(true);
}

void Arena::EndWork() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (--running_ == 0 && GetSettings().strict) ProtectAll(false);
}

void Arena::ProtectAll(bool accessible) {
  if (accessible_ == accessible) return;
  accessible_ = accessible;
  for (const auto& [begin, bytes] : blocks_) {
    Protect(begin, Pages(bytes),
            accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

void Arena::Mark(uintptr_t address, size_t bytes, bool in_use) {
  Poison(address, bytes, false);
  std::memset(reinterpret_cast<void*>(address), kNonsense,
              std::min(bytes, kMostFilled));
  if (!in_use) Poison(address, bytes, true);
}

bool IsDeviceAddress(const void* address) {
  for (const auto& slot : arenas) {
    const Arena* arena = slot;
    if (arena != nullptr &&
        arena->IsWithin(reinterpret_cast<uintptr_t>(address)))
      return true;
  }
  return false;
}

}  // namespace millrace::cuda::standin
