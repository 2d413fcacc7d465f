#include "millrace/device/cuda/gpu.h"

#include <map>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/cuda_device.h"
#include "millrace/tensor/allocation_user.h"

namespace millrace::cuda {
namespace {

class DeviceSource final : public MemorySource {
 public:
  explicit DeviceSource(std::shared_ptr<Card> card) : card_(std::move(card)) {}

  StatusOr<uint64_t> Take(size_t bytes) override {
    MR_RETURN_IF_ERROR(card_->Use());
    DevicePointer address = 0;
    const Result result = card_->driver().MemAlloc(&address, bytes);
    if (result == Result::kOutOfMemory) {
      // The pool's messages name the card, and go on with these words.
      return ResourceExhausted(ErrorText(card_->driver(), result));
    }
    MR_RETURN_IF_ERROR(card_->Check(result, "cuMemAlloc"));
    return uint64_t{address};
  }
  void Give(uint64_t address, size_t) override {
    (void)card_->driver().CtxSetCurrent(card_->context());
    (void)card_->Check(card_->driver().MemFree(address), "cuMemFree");
  }
  int64_t FreeBytes() override {
    size_t free = 0, total = 0;
    if (card_->driver().CtxSetCurrent(card_->context()) != Result::kSuccess ||
        card_->driver().MemGetInfo(&free, &total) != Result::kSuccess) {
      return -1;
    }
    return static_cast<int64_t>(free);
  }
  std::string Name() const override { return card_->name(); }

 private:
  const std::shared_ptr<Card> card_;
};

const char* NameOf(LibraryKind kind) {
  switch (kind) {
    case LibraryKind::kCublasLt:
      return "cuBLASLt";
    case LibraryKind::kCudnn:
      return "cuDNN";
    case LibraryKind::kNccl:
      return "NCCL";
  }
  return "a library";
}

constexpr int64_t kAwaitUnusedMillis = 10'000;

// The GPUs that exist, by card and part.
struct GpuTable {
  struct Entry {
    std::weak_ptr<Gpu> gpu;
    std::weak_ptr<const GpuSetup> setup;  // held by the devices
  };
  Mutex mu;
  CondVar gone;
  std::map<std::pair<DeviceOrdinal, int>, Entry> entries;
};

GpuTable& GpusOfProcess() {
  static constinit Mutex mu;
  static constinit GpuTable* gpus = nullptr;
  MutexLock lock(mu);
  if (gpus == nullptr) gpus = new GpuTable;
  return *gpus;
}

}  // namespace

class Gpu::DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(std::shared_ptr<Gpu> gpu, MemoryPool::Block* block)
      : Buffer(reinterpret_cast<char*>(MemoryPool::AddressOf(block)),
               MemoryPool::SizeOf(block)),
        gpu_(std::move(gpu)),
        block_(block) {}
  ~DeviceBuffer() override {
    gpu_->Mark(block_, /*in_use=*/false);
    gpu_->pool_->Free(block_);
  }
  Gpu* gpu() const { return gpu_.get(); }

 private:
  const std::shared_ptr<Gpu> gpu_;
  MemoryPool::Block* const block_;
};

StatusOr<std::shared_ptr<Gpu>> Gpu::Open(
    std::shared_ptr<Card> card, int part, const GpuMemory& memory,
    const std::shared_ptr<const GpuSetup>& setup) {
  GpuTable& table = GpusOfProcess();
  const std::pair<DeviceOrdinal, int> key(card->facts().ordinal, part);
  {
    MutexLock lock(table.mu);
    const auto it = table.entries.find(key);
    if (it != table.entries.end()) {
      if (std::shared_ptr<Gpu> gpu = it->second.gpu.lock()) {
        it->second.setup = setup;
        return gpu;
      }
    }
  }
  std::shared_ptr<Gpu> gpu(new Gpu(std::move(card), part, memory));
  MR_RETURN_IF_ERROR(gpu->Start());
  MutexLock lock(table.mu);
  GpuTable::Entry& entry = table.entries[key];
  // Another thread may have been faster.
  if (std::shared_ptr<Gpu> other = entry.gpu.lock()) {
    lock.Unlock();
    return other;
  }
  entry = {gpu, setup};
  return gpu;
}

void Gpu::AwaitUnused(DeviceOrdinal card) {
  GpuTable& table = GpusOfProcess();
  const Deadline deadline = Deadline::AfterMillis(kAwaitUnusedMillis);
  MutexLock lock(table.mu);
  while (true) {
    bool is_used = true;
    for (const auto& [key, entry] : table.entries) {
      if (key.first != card) continue;
      // The devices hold the setup until their Gpu has ended, which may take
      // its time.
      if (entry.gpu.expired() || entry.setup.expired()) is_used = false;
    }
    if (is_used) return;
    if (table.gone.WaitUntil(table.mu, deadline)) {
      MR_LOG(Warning) << "GPU " << card << " has memory of devices that ended "
                      << kAwaitUnusedMillis / 1000 << " s ago";
      return;
    }
  }
}

Gpu::Gpu(std::shared_ptr<Card> card, int part, const GpuMemory& memory)
    : card_(std::move(card)), part_(part) {
  MemoryPoolOptions options;
  options.limit_bytes = memory.limit_bytes;
  options.grows = memory.grows;
  options.takes_less = memory.takes_less;
  pool_ = std::make_shared<MemoryPool>(std::make_unique<DeviceSource>(card_),
                                       options, &Lanes::Process());
  pinned_ = PinnedMemory::Make(card_);
}

Status Gpu::Start() {
  MR_RETURN_IF_ERROR(card_->Use());
  // Copies go before computing: what waits for them is idle.
  int least = 0, greatest = 0;
  MR_RETURN_IF_ERROR(
      Check(driver().CtxGetStreamPriorityRange(&least, &greatest),
            "cuCtxGetStreamPriorityRange"));
  const std::pair<Stream*, int> streams[] = {
      {&compute_, least}, {&to_device_, greatest}, {&from_device_, greatest}};
  for (const auto& [stream, priority] : streams) {
    MR_RETURN_IF_ERROR(Check(
        driver().StreamCreateWithPriority(stream, kStreamNonBlocking, priority),
        "cuStreamCreateWithPriority"));
  }
  return OkStatus();
}

Gpu::~Gpu() {
  // What these return is of no use to anybody; errors have ended the steps.
  (void)driver().CtxSetCurrent(card_->context());
  for (const Stream stream : {to_device_, compute_, from_device_}) {
    if (stream == nullptr) continue;
    (void)driver().StreamSynchronize(stream);
  }
  for (LibraryPlace& place : libraries_) place.library.reset();
  for (const Stream stream : {to_device_, compute_, from_device_}) {
    if (stream != nullptr) (void)driver().StreamDestroy(stream);
  }
  const DeviceOrdinal ordinal = card_->facts().ordinal;
  pool_.reset();
  pinned_.reset();
  card_.reset();
  GpuTable& table = GpusOfProcess();
  MutexLock lock(table.mu);
  const auto it = table.entries.find({ordinal, part_});
  // Not one that has taken this place meanwhile, nor one that never had it.
  if (it != table.entries.end() && it->second.gpu.expired()) {
    table.entries.erase(it);
  }
  table.gone.NotifyAll();
}

StatusOr<Ref<Buffer>> Gpu::Allocate(size_t size_bytes) {
  MR_RETURN_IF_ERROR(card_->error());
  MR_ASSIGN_OR_RETURN(MemoryPool::Block* const block,
                      pool_->Allocate(size_bytes, AllocationUser::Current()));
  Mark(block, /*in_use=*/true);
  return Ref<Buffer>(MakeRef<DeviceBuffer>(shared_from_this(), block));
}

void Gpu::Mark(const MemoryPool::Block* block, bool in_use) {
  if (driver().Mark == nullptr) [[likely]]
    return;
  // What was enqueued before an error of this process's still runs, out of
  // order with what frees its memory.
  if (!in_use && !card_->error().ok()) return;
  driver().Mark(compute_, MemoryPool::AddressOf(block),
                MemoryPool::SizeOf(block), in_use ? 1 : 0);
}

StatusOr<GpuLibrary*> Gpu::LibraryOf(LibraryKind kind,
                                     absl::FunctionRef<MadeLibrary()> make) {
  MutexLock lock(libraries_mu_);
  LibraryPlace& place = libraries_[static_cast<size_t>(kind)];
  if (!place.is_made) {
    MR_RETURN_IF_ERROR(card_->Use());
    MadeLibrary made = make();
    MR_RETURN_IF_ERROR(card_->error());
    place.is_made = true;
    if (made.ok()) {
      place.library = *std::move(made);
    } else {
      MR_LOG(Warning)
          << NameOf(kind) << " does not work: " << made.status().message()
          << "; " << card_->name()
          << " runs Millrace's own kernels instead, which are slower";
    }
  }
  return place.library.get();
}

Status Gpu::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return card_->error();
  MR_ASSIGN_OR_RETURN(const ComputeStream stream, Compute());
  return Check(driver().MemcpyDtoDAsync(reinterpret_cast<DevicePointer>(to),
                                        reinterpret_cast<DevicePointer>(from),
                                        bytes, stream.get()),
               "cuMemcpyDtoDAsync");
}

Status Gpu::Clear(void* to, size_t bytes) {
  if (bytes == 0) return card_->error();
  MR_ASSIGN_OR_RETURN(const ComputeStream stream, Compute());
  return Check(driver().MemsetD8Async(reinterpret_cast<DevicePointer>(to), 0,
                                      bytes, stream.get()),
               "cuMemsetD8Async");
}

// Counted behind the enqueueing: who finds the number sees an event that is
// recorded behind it.
ComputeStream::~ComputeStream() {
  if (gpu_ != nullptr) gpu_->enqueued_.fetch_add(1, std::memory_order_acq_rel);
}

StatusOr<ComputeStream> Gpu::Compute() {
  MR_RETURN_IF_ERROR(card_->Use());
  return ComputeStream(this, compute_);
}

Gpu* Gpu::Of(const Tensor& t) {
  const auto* buffer = dynamic_cast<const DeviceBuffer*>(t.buffer());
  return buffer == nullptr ? nullptr : buffer->gpu();
}

void Gpu::WhenIdle(Done done) {
  const uint64_t enqueued = enqueued_.load(std::memory_order_acquire);
  Status status = card_->Use();
  if (!status.ok() || done_.load(std::memory_order_acquire) >= enqueued) {
    return std::move(done)(std::move(status));
  }
  FinishBehind(compute_, "the work of a step", OkStatus(), {},
               [this, enqueued, done = std::move(done)](Status status) mutable {
                 uint64_t known = done_.load(std::memory_order_relaxed);
                 while (status.ok() && known < enqueued &&
                        !done_.compare_exchange_weak(known, enqueued)) {
                 }
                 std::move(done)(std::move(status));
               });
}

StatusOr<Gpu*> GpuOf(Device& device) {
  auto* const cuda = dynamic_cast<CudaDevice*>(&device.hardware());
  if (cuda == nullptr) {
    return Internal("device ", device.name(), " is no CUDA device");
  }
  return &cuda->gpu();
}

}  // namespace millrace::cuda
