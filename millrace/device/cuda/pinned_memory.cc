#include "millrace/device/cuda/pinned_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/tensor/pinned_buffer.h"

namespace millrace::cuda {
namespace {

// What the pools of one process may have together, whatever its cards are.
int64_t MostPinnedBytes() { return MemoryBudget::Process().limit() / 4; }

// Counts what they have.
MemoryBudget& PinnedBudget() {
  static MemoryBudget* const budget = new MemoryBudget(0);
  budget->set_limit(MostPinnedBytes());
  return *budget;
}

class PinnedSource final : public MemorySource {
 public:
  explicit PinnedSource(std::shared_ptr<Card> card) : card_(std::move(card)) {}

  StatusOr<uint64_t> Take(size_t bytes) override {
    MR_RETURN_IF_ERROR(card_->Use());
    MR_RETURN_IF_ERROR(Reserve(static_cast<int64_t>(bytes)));
    void* address = nullptr;
    const Status status = card_->Check(
        card_->driver().MemHostAlloc(&address, bytes, kHostAllocPortable),
        "cuMemHostAlloc");
    if (status.ok()) return reinterpret_cast<uint64_t>(address);
    Release(static_cast<int64_t>(bytes));
    return status;
  }
  void Give(uint64_t address, size_t bytes) override {
    (void)card_->driver().CtxSetCurrent(card_->context());
    (void)card_->Check(
        card_->driver().MemFreeHost(reinterpret_cast<void*>(address)),
        "cuMemFreeHost");
    Release(static_cast<int64_t>(bytes));
  }
  int64_t FreeBytes() override { return -1; }
  std::string Name() const override { return "pinned host memory"; }

 private:
  static Status Reserve(int64_t bytes) {
    MemoryBudget& pinned = PinnedBudget();
    MR_RETURN_IF_ERROR(pinned.Reserve(bytes, "pinned memory of all GPUs"));
    const Status status =
        MemoryBudget::Process().Reserve(bytes, "pinned memory");
    if (!status.ok()) pinned.Release(bytes);
    return status;
  }
  static void Release(int64_t bytes) {
    MemoryBudget::Process().Release(bytes);
    PinnedBudget().Release(bytes);
  }

  const std::shared_ptr<Card> card_;
};

}  // namespace

class PinnedMemory::PooledBuffer final : public PinnedBuffer {
 public:
  PooledBuffer(std::shared_ptr<PinnedMemory> owner, MemoryPool::Block* block)
      : PinnedBuffer(reinterpret_cast<char*>(MemoryPool::AddressOf(block)),
                     MemoryPool::SizeOf(block)),
        owner_(std::move(owner)),
        block_(block) {}
  ~PooledBuffer() override { owner_->pool_->Free(block_); }

 private:
  const std::shared_ptr<PinnedMemory> owner_;
  MemoryPool::Block* const block_;
};

std::shared_ptr<PinnedMemory> PinnedMemory::Make(std::shared_ptr<Card> card) {
  std::shared_ptr<PinnedMemory> memory(new PinnedMemory);
  MemoryPoolOptions options;
  options.limit_bytes = static_cast<size_t>(MostPinnedBytes());
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
  return Ref<Buffer>(MakeRef<PooledBuffer>(shared_from_this(), block));
}

StatusOr<Ref<Buffer>> PinnedMemory::Allocate(size_t size_bytes) {
  StatusOr<Ref<Buffer>> buffer = AllocatePinned(size_bytes);
  if (buffer.ok()) return buffer;
  return HostAllocator()->Allocate(size_bytes);
}

}  // namespace millrace::cuda
