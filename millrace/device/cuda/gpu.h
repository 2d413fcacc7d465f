// Gpu: a card, or a part of its memory, with what devices of this process share
// on it: the pool, the streams, and the order of their work.
//
// One stream computes, one copies to the device, one from it. Host code may
// treat enqueued work of the computing stream as done (kernel/device.h), so a
// copy starts behind what was enqueued there before it, and what is enqueued
// there behind it starts after it.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/threads/done.h"
#include "millrace/device/cuda/card.h"
#include "millrace/device/cuda/event_poller.h"
#include "millrace/device/cuda/memory_pool.h"
#include "millrace/device/cuda/pinned_memory.h"
#include "millrace/device/gpu_setup.h"
#include "millrace/kernel/device.h"
#include "millrace/tensor/tensor.h"

namespace millrace::cuda {

struct GpuMemory {
  size_t limit_bytes = 0;
  bool grows = false;
  bool takes_less = false;  // as of MemoryPoolOptions
};

// The state that one of NVIDIA's libraries has for a GPU: its handle and such.
class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;
};
enum class LibraryKind { kCublasLt, kCudnn, kNccl };
inline constexpr size_t kLibraryKinds = 3;

class Gpu;

// The computing stream of a GPU, for a caller that enqueues on it while this is
// alive.
class ComputeStream {
 public:
  ComputeStream(Gpu* gpu, Stream stream) : gpu_(gpu), stream_(stream) {}
  ComputeStream(ComputeStream&& o) noexcept
      : gpu_(std::exchange(o.gpu_, nullptr)), stream_(o.stream_) {}
  ComputeStream& operator=(ComputeStream&&) = delete;
  ~ComputeStream();
  Stream get() const { return stream_; }

 private:
  Gpu* gpu_;
  Stream stream_;
};

// Thread-safe. Lives as long as anything is in its memory.
class Gpu final : public Allocator, public std::enable_shared_from_this<Gpu> {
 public:
  // Returns part `part` of the card as a GPU of this process: the one that is
  // in use, or a new one with this memory. It is in use while its devices hold
  // the setup with which it was opened.
  static StatusOr<std::shared_ptr<Gpu>> Open(
      std::shared_ptr<Card> card, int part, const GpuMemory& memory,
      const std::shared_ptr<const GpuSetup>& setup);
  // Waits until those GPUs of a card are gone that no device uses any more,
  // since their last work ends; at most ten seconds.
  static void AwaitUnused(DeviceOrdinal card);
  // Waits for the work that is left.
  ~Gpu() override;

  Card& card() const { return *card_; }
  const Driver& driver() const { return card_->driver(); }
  MemoryPool& pool() { return *pool_; }
  PinnedMemory& pinned() { return *pinned_; }

  // The allocator of the device's memory.
  absl::string_view name() const override { return "gpu"; }
  bool is_host() const override { return false; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override;
  Status Copy(void* to, const void* from, size_t bytes) override;
  Status Clear(void* to, size_t bytes) override;

  // Makes the context current for the calling thread, and returns the stream
  // that computes. Returns the card's error if it has one.
  StatusOr<ComputeStream> Compute();
  // Returns a call's result as a Status (Card::Check).
  Status Check(Result result, const char* call) {
    return card_->Check(result, call);
  }

  // The copies of kernel/device.h. `from` of CopyToHost and CopyFromPeer is in
  // the memory of any Gpu of this process.
  void CopyToHost(Tensor from, Tensor* to, Done done);
  void CopyFromHost(Tensor from, Tensor* to, Done done);
  void CopyFromPeer(Tensor from, Tensor* to, Done done);
  void WhenIdle(Done done);
  // Enqueues that `to`, which is new, becomes a copy of host memory, for what
  // is enqueued from now on. The memory is read before this returns.
  Status Upload(const void* from, size_t bytes, const Tensor& to);

  // Returns what a library keeps for this GPU, made at first use, with the
  // context current; destroyed when no work of the GPU is left. Returns null if
  // the library does not work here: `make` failed once, which is in the log.
  // The card's error is returned instead, if it has one.
  using MadeLibrary = StatusOr<std::unique_ptr<GpuLibrary>>;
  StatusOr<GpuLibrary*> LibraryOf(LibraryKind kind,
                                  absl::FunctionRef<MadeLibrary()> make);

  // Returns the Gpu whose memory the tensor is in; null for others.
  static Gpu* Of(const Tensor& t);

  // Copies between host and device in parts of this size where the host's
  // memory is not pinned.
  static constexpr size_t kChunkBytes = size_t{4} << 20;

 private:
  friend class ComputeStream;
  class DeviceBuffer;
  class ChunksToDevice;
  class ChunksToHost;

  Gpu(std::shared_ptr<Card> card, int part, const GpuMemory& memory);
  Status Start();

  using Held = absl::InlinedVector<Tensor, 2>;

  // Tells the stand-in of the tests which memory is in use.
  void Mark(const MemoryPool::Block* block, bool in_use);
  // Makes `later` wait for what is on `earlier` now, a stream of `of_earlier`.
  static Status Order(Gpu& of_earlier, Stream earlier, Gpu& of_later,
                      Stream later);
  // Has the poller wait for what is on `stream` now. On failure it has waited
  // for the stream, and `wait` keeps its `done`.
  Status AddWait(Stream stream, StreamWait* wait);
  // Ends an enqueueing on `stream` that ended with `status`: has the poller
  // free `held` behind it.
  Status HoldFor(Stream stream, const char* what, Status status, Held held);
  // Does the same with `done`, which it calls then.
  void FinishBehind(Stream stream, const char* what, Status status, Held held,
                    Done done);

  // Enqueue one copy and what orders it. The caller holds the memory.
  Status EnqueueToDevice(DevicePointer to, const void* from, size_t bytes);
  Status EnqueueToHost(void* to, DevicePointer from, size_t bytes);
  Status EnqueueFromPeer(Gpu& source, const Tensor& from, DevicePointer to);
  // Makes the computing stream wait for the copies to the device.
  Status ComputeBehindCopies();
  // Returns pinned memory as a tensor of bytes.
  StatusOr<Tensor> Stage(size_t bytes);

  std::shared_ptr<Card> card_;
  const int part_;
  std::shared_ptr<MemoryPool> pool_;
  std::shared_ptr<PinnedMemory> pinned_;
  Stream compute_ = nullptr;
  Stream to_device_ = nullptr;
  Stream from_device_ = nullptr;
  // Counts what was enqueued for the computing stream, and what of it is known
  // to be done.
  std::atomic<uint64_t> enqueued_{0};
  std::atomic<uint64_t> done_{0};
  Mutex libraries_mu_;
  struct LibraryPlace {
    bool is_made = false;
    std::unique_ptr<GpuLibrary> library;  // null: it does not work
  };
  LibraryPlace libraries_[kLibraryKinds];
};

// Returns the Gpu of a device under any of its names; INTERNAL for one that is
// no CUDA device.
StatusOr<Gpu*> GpuOf(Device& device);

}  // namespace millrace::cuda
