// Buffer: the reference-counted memory of tensors. Allocator: the interface
// that allocates it.
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
// one tensor can see it; a sole owner may write. Counting is thread-safe.
class Buffer : public RefCounted {
 public:
  char* data() const { return data_; }
  size_t size_bytes() const { return size_; }

  // Whether the memory is somebody else's, who may change it when no step runs:
  // it is never written, and copied before it is kept beyond a step.
  bool is_lent() const { return lent_; }
  // Returns true if the caller holds the only reference and may write.
  bool IsUnique() const { return !lent_ && RefCounted::IsUnique(); }

 protected:
  Buffer(char* data, size_t size) : data_(data), size_(size) {}
  void SetLent() { lent_ = true; }
  char* data_;
  size_t size_;

 private:
  bool lent_ = false;
};

// Allocates memory of the host or of a device. Thread-safe.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual absl::string_view name() const = 0;
  // Whether the host can read and write the memory. If not, the address of a
  // buffer is a number that means something to the device alone.
  virtual bool is_host() const { return true; }
  // Copies bytes within this memory, which do not overlap, in the order of the
  // device's kernels: after those that were enqueued before. The memory may be
  // freed as soon as this returns. Host memory is copied at once.
  virtual Status Copy(void* to, const void* from, size_t bytes);
  // Sets bytes to 0, in the same order.
  virtual Status Clear(void* to, size_t bytes);
  // Returns at least `size_bytes` bytes, aligned to kBufferAlignment, with
  // undefined contents. Returns RESOURCE_EXHAUSTED that names the bytes if
  // there is no room.
  virtual StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) = 0;
  // Returns what it keeps for reuse to the system.
  virtual void Trim() {}
};

// Returns the allocator of host memory, which charges the process's memory
// budget: the C library's, or the one passed to SetHostAllocator
// (host_allocator.h).
Allocator* HostAllocator();

// Returns a buffer with `count` constructed elements of a type that is not
// plain (strings, resources, variants); they are destroyed with it.
StatusOr<Ref<Buffer>> AllocateElements(Allocator* allocator, DataType type,
                                       int64_t count);

}  // namespace millrace
