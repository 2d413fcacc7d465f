// PinnedMemory: memory of the host that GPUs copy without the processor.
#pragma once

#include <memory>

#include "millrace/device/cuda/card.h"
#include "millrace/device/cuda/memory_pool.h"
#include "millrace/tensor/tensor.h"

namespace millrace::cuda {

// Thread-safe. A pool that grows, in regions that are charged to the process's
// memory budget; all of a process together have at most a quarter of it. Where
// there is no room, and for types that are not plain, memory is that of
// HostAllocator(). Its buffers are PinnedBuffers.
class PinnedMemory final : public Allocator,
                           public std::enable_shared_from_this<PinnedMemory> {
 public:
  static std::shared_ptr<PinnedMemory> Make(std::shared_ptr<Card> card);

  absl::string_view name() const override { return "pinned"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override;
  // Does the same, but returns RESOURCE_EXHAUSTED if there is no room.
  StatusOr<Ref<Buffer>> AllocatePinned(size_t size_bytes);

  MemoryPool& pool() { return *pool_; }

 private:
  class PooledBuffer;
  PinnedMemory() = default;
  std::shared_ptr<MemoryPool> pool_;
};

}  // namespace millrace::cuda
