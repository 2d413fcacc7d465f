// Buffer: the counted memory behind tensors. Allocator: where it comes from.
#pragma once

#include <cstddef>
#include <functional>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/tensor/dtype.h"

namespace millrace {

inline constexpr size_t kBufferAlignment = 64;

// A block of memory, freed with its last reference. Immutable once more than
// one tensor can see it; the only owner may write. Thread-safe counting.
class Buffer : public RefCounted {
 public:
  char* data() const { return data_; }
  size_t size_bytes() const { return size_; }

 protected:
  Buffer(char* data, size_t size) : data_(data), size_(size) {}
  char* data_;
  size_t size_;
};

// Memory of a device. Thread-safe.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual absl::string_view name() const = 0;
  // At least `size_bytes` bytes, aligned to kBufferAlignment, contents
  // undefined. RESOURCE_EXHAUSTED that names the bytes if there is no room.
  virtual StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) = 0;
};

// Host memory, charged to the process's memory budget: from the C library, or
// from what SetHostAllocator was given (host_allocator.h).
Allocator* HostAllocator();

// A buffer that holds `count` constructed elements of a type that is not plain
// (strings, resources, variants); they are destroyed with it.
StatusOr<Ref<Buffer>> AllocateElements(Allocator* allocator, DataType type,
                                       int64_t count);

}  // namespace millrace
