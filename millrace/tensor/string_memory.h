// Allocates the memory of strings that elements own, counted in the process's
// memory budget.
#pragma once

#include <cstddef>

namespace millrace::internal {

// Requires: `size` > 0 bytes. Throws std::bad_alloc if the heap has no room or,
// under a ScopedMemoryLimit, the budget has none. Each thread reserves from the
// budget in steps of about 64 KiB, so that short strings do not touch the
// shared counter. Strings of a simulation are not counted.
char* NewString(size_t size, bool* counted);
void DeleteString(char* data, size_t size, bool counted) noexcept;

}  // namespace millrace::internal
