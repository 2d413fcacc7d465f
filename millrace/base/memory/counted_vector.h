// CountedVector: a vector whose length is determined by input, counted in the
// memory budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {

// Counts what is longer than 64 KiB. Throws std::bad_alloc under a
// ScopedMemoryLimit if the budget has no room; elsewhere counts beyond the
// limit. As the strings of tensors, it counts in the budget of the real
// process.
template <class T>
class CountedAllocator {
 public:
  using value_type = T;

  CountedAllocator() = default;
  template <class U>
  CountedAllocator(const CountedAllocator<U>&) {}  // NOLINT: as the standard's

  T* allocate(size_t n) {
    if (n > kMost) throw std::bad_alloc();
    const auto bytes = static_cast<int64_t>(n * sizeof(T));
    if (bytes <= kUncountedBytes) [[likely]]
      return static_cast<T*>(::operator new(n * sizeof(T)));
    MemoryBudget& budget = MemoryBudget::RealProcess();
    if (!budget.TryReserve(bytes)) {
      if (ScopedMemoryLimit::active()) throw std::bad_alloc();
      budget.ReserveAlways(bytes);
    }
    try {
      return static_cast<T*>(::operator new(n * sizeof(T)));
    } catch (...) {
      budget.Release(bytes);
      throw;
    }
  }
  void deallocate(T* p, size_t n) noexcept {
    ::operator delete(p);
    const auto bytes = static_cast<int64_t>(n * sizeof(T));
    if (bytes > kUncountedBytes) [[unlikely]]
      MemoryBudget::RealProcess().Release(bytes);
  }

  template <class U>
  bool operator==(const CountedAllocator<U>&) const {
    return true;
  }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static constexpr size_t kMost =
      static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) / sizeof(T);
  static constexpr int64_t kUncountedBytes = 64 << 10;
};

template <class T>
using CountedVector = std::vector<T, CountedAllocator<T>>;

}  // namespace millrace
