// PinnedMemory: memory of the host that GPUs copy without the processor.
#pragma once

#include <memory>

#include "millrace/device/cuda/card.h"
#include "millrace/device/cuda/memory_pool.h"
#include "millrace/tensor/tensor.h"

namespace millrace::cuda {

// Thread-safe. A pool that grows, in regions that are charged to the process's
// memory budget. Where it has no room, and for types that are not plain, memory
// is that of HostAllocator().
class PinnedMemory final : public Allocator,
                           public std::enable_shared_from_this<PinnedMemory> {
 public:
  static std::shared_ptr<PinnedMemory> Make(std::shared_ptr<Card> card);

  absl::string_view name() const override { return "pinned"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override;
  // Does the same, but returns RESOURCE_EXHAUSTED if the pool has no room.
  StatusOr<Ref<Buffer>> AllocatePinned(size_t size_bytes);

  // Whether the elements of a tensor in host memory are pinned.
  static bool Has(const Tensor& t);

  MemoryPool& pool() { return *pool_; }

 private:
  class PinnedBuffer;
  PinnedMemory() = default;
  std::shared_ptr<MemoryPool> pool_;
};

}  // namespace millrace::cuda
