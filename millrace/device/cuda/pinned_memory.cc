#include "millrace/device/cuda/pinned_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/memory_budget.h"

namespace millrace::cuda {
namespace {

class PinnedSource final : public MemorySource {
 public:
  explicit PinnedSource(std::shared_ptr<Card> card) : card_(std::move(card)) {}

  StatusOr<uint64_t> Take(size_t bytes) override {
    MR_RETURN_IF_ERROR(card_->Use());
    MemoryBudget& budget = MemoryBudget::Process();
    MR_RETURN_IF_ERROR(
        budget.Reserve(static_cast<int64_t>(bytes), "pinned memory"));
    void* address = nullptr;
    const Status status = card_->Check(
        card_->driver().MemHostAlloc(&address, bytes, kHostAllocPortable),
        "cuMemHostAlloc");
    if (status.ok()) return reinterpret_cast<uint64_t>(address);
    budget.Release(static_cast<int64_t>(bytes));
    return status;
  }
  void Give(uint64_t address, size_t bytes) override {
    (void)card_->driver().CtxSetCurrent(card_->context());
    (void)card_->Check(
        card_->driver().MemFreeHost(reinterpret_cast<void*>(address)),
        "cuMemFreeHost");
    MemoryBudget::Process().Release(static_cast<int64_t>(bytes));
  }
  int64_t FreeBytes() override { return -1; }
  std::string Name() const override { return "pinned host memory"; }

 private:
  const std::shared_ptr<Card> card_;
};

}  // namespace

class PinnedMemory::PinnedBuffer final : public Buffer {
 public:
  PinnedBuffer(std::shared_ptr<PinnedMemory> owner, MemoryPool::Block* block)
      : Buffer(reinterpret_cast<char*>(MemoryPool::AddressOf(block)),
               MemoryPool::SizeOf(block)),
        owner_(std::move(owner)),
        block_(block) {}
  ~PinnedBuffer() override { owner_->pool_->Free(block_); }

 private:
  const std::shared_ptr<PinnedMemory> owner_;
  MemoryPool::Block* const block_;
};

std::shared_ptr<PinnedMemory> PinnedMemory::Make(std::shared_ptr<Card> card) {
  std::shared_ptr<PinnedMemory> memory(new PinnedMemory);
  MemoryPoolOptions options;
  options.limit_bytes =
      static_cast<size_t>(MemoryBudget::Process().limit() / 4);
  options.grows = true;
  options.first_region_bytes = size_t{4} << 20;
  memory->pool_ = std::make_shared<MemoryPool>(
      std::make_unique<PinnedSource>(std::move(card)), options,
      &Lanes::Process());
  return memory;
}

StatusOr<Ref<Buffer>> PinnedMemory::AllocatePinned(size_t size_bytes) {
  MR_ASSIGN_OR_RETURN(MemoryPool::Block* const block,
                      pool_->Allocate(size_bytes, ""));
  return Ref<Buffer>(MakeRef<PinnedBuffer>(shared_from_this(), block));
}

StatusOr<Ref<Buffer>> PinnedMemory::Allocate(size_t size_bytes) {
  StatusOr<Ref<Buffer>> buffer = AllocatePinned(size_bytes);
  if (buffer.ok()) return buffer;
  return HostAllocator()->Allocate(size_bytes);
}

bool PinnedMemory::Has(const Tensor& t) {
  return dynamic_cast<const PinnedBuffer*>(t.buffer()) != nullptr;
}

}  // namespace millrace::cuda
