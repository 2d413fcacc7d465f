// The memory of strings that elements own, counted in the process's budget.
#pragma once

#include <cstddef>

namespace millrace::internal {

// `size` > 0 bytes. std::bad_alloc where the heap has no room, and under a
// ScopedMemoryLimit where the budget has none. Threads count in steps of some
// 64 KiB, so that short strings cost no shared counter. A simulation's strings
// do not count.
char* NewString(size_t size, bool* counted);
void DeleteString(char* data, size_t size, bool counted) noexcept;

}  // namespace millrace::internal
