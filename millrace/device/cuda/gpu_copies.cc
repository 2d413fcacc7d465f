// The copies of a Gpu between device and host, and between devices.
#include <algorithm>
#include <cstring>
#include <utility>

#include "millrace/base/threads/lanes.h"
#include "millrace/device/cuda/gpu.h"
#include "millrace/tensor/pinned_buffer.h"

namespace millrace::cuda {
namespace {

DevicePointer PlaceOf(const Tensor& t) { return t.device_address(); }

// A pinned tensor of bytes that is written by one thread.
char* BytesOf(const Tensor& staged) { return const_cast<char*>(staged.data()); }

}  // namespace

Status Gpu::Order(Gpu& of_earlier, Stream earlier, Gpu& of_later,
                  Stream later) {
  MR_RETURN_IF_ERROR(of_earlier.card_->Use());
  MR_ASSIGN_OR_RETURN(const Event event, of_earlier.card_->TakeEvent());
  const Driver& driver = of_earlier.driver();
  Status status =
      of_earlier.Check(driver.EventRecord(event, earlier), "cuEventRecord");
  if (status.ok()) status = of_later.card_->Use();
  if (status.ok()) {
    status = of_later.Check(driver.StreamWaitEvent(later, event, 0),
                            "cuStreamWaitEvent");
  }
  // The stream keeps what it waits for.
  of_earlier.card_->ReturnEvent(event);
  return status;
}

Status Gpu::ComputeBehindCopies() {
  const auto order = [&]() -> Status {
    MR_ASSIGN_OR_RETURN(const ComputeStream compute, Compute());
    return Order(*this, to_device_, *this, compute.get());
  };
  const Status status = order();
  // What is computed in this memory next would not wait.
  if (!status.ok()) card_->Drain(to_device_);
  return status;
}

Status Gpu::AddWait(Stream stream, StreamWait* wait) {
  const auto add = [&]() -> Status {
    MR_RETURN_IF_ERROR(card_->Use());
    MR_ASSIGN_OR_RETURN(const Event event, card_->TakeEvent());
    const Status status =
        Check(driver().EventRecord(event, stream), "cuEventRecord");
    if (!status.ok()) {
      card_->ReturnEvent(event);
      return status;
    }
    wait->gpu = shared_from_this();
    wait->stream = stream;
    wait->event = event;
    EventPoller::Process().Add(std::move(*wait));
    return OkStatus();
  };
  const Status status = add();
  if (!status.ok()) card_->Drain(stream);
  return status;
}

Status Gpu::HoldFor(Stream stream, const char* what, Status status, Held held) {
  StreamWait wait;
  wait.what = what;
  wait.held = std::move(held);
  // Also where it failed: the copy may be under way.
  const Status added = AddWait(stream, &wait);
  return status.ok() ? added : status;
}

void Gpu::FinishBehind(Stream stream, const char* what, Status status,
                       Held held, Done done) {
  StreamWait wait;
  wait.what = what;
  wait.held = std::move(held);
  wait.done = [status, done = std::move(done)](Status passed) mutable {
    std::move(done)(status.ok() ? std::move(passed) : status);
  };
  const Status added = AddWait(stream, &wait);
  if (added.ok()) return;
  wait.held.clear();
  std::move(wait.done)(added);
}

StatusOr<Tensor> Gpu::Stage(size_t bytes) {
  MR_ASSIGN_OR_RETURN(Ref<Buffer> buffer, pinned_->AllocatePinned(bytes));
  char* const data = buffer->data();
  return Tensor::FromBuffer(DataType::kUint8,
                            TensorShape({static_cast<int64_t>(bytes)}),
                            std::move(buffer), data);
}

Status Gpu::EnqueueToDevice(DevicePointer to, const void* from, size_t bytes) {
  // What used the memory before was enqueued before it was freed.
  MR_RETURN_IF_ERROR(Order(*this, compute_, *this, to_device_));
  return Check(driver().MemcpyHtoDAsync(to, from, bytes, to_device_),
               "cuMemcpyHtoDAsync");
}

Status Gpu::EnqueueToHost(void* to, DevicePointer from, size_t bytes) {
  MR_RETURN_IF_ERROR(Order(*this, compute_, *this, from_device_));
  return Check(driver().MemcpyDtoHAsync(to, from, bytes, from_device_),
               "cuMemcpyDtoHAsync");
}

// ---- To the device.

// Copies memory that is not pinned through pinned parts, of which some are
// filled while others are copied. Deletes itself.
class Gpu::ChunksToDevice {
 public:
  ChunksToDevice(std::shared_ptr<Gpu> gpu, Tensor from, DevicePointer to,
                 Done done)
      : gpu_(std::move(gpu)),
        from_(std::move(from)),
        to_(to),
        done_(std::move(done)) {}

  // Copies the next part, and then the rest.
  static void Next(std::unique_ptr<ChunksToDevice> self) {
    while (true) {
      const size_t total = self->from_.size_bytes();
      if (self->offset_ == total || !self->status_.ok()) {
        return Finish(std::move(self));
      }
      const size_t bytes = std::min(kChunkBytes, total - self->offset_);
      const bool waits = self->staged_.size() == kParts;
      if (waits) return Reuse(std::move(self));
      StatusOr<Tensor> staged = self->gpu_->Stage(bytes);
      if (!staged.ok()) {
        // Without pinned memory the driver copies, and this thread waits.
        self->status_ = self->gpu_->EnqueueToDevice(
            self->to_ + self->offset_, self->from_.data() + self->offset_,
            bytes);
        self->gpu_->card_->Drain(self->gpu_->to_device_);
        self->offset_ += bytes;
        continue;
      }
      self->staged_.push_back(*std::move(staged));
      self->Send(self->staged_.back(), bytes);
    }
  }

 private:
  static constexpr size_t kParts = 3;

  // Fills a part and enqueues its copy.
  void Send(const Tensor& part, size_t bytes) {
    std::memcpy(BytesOf(part), from_.data() + offset_, bytes);
    status_ = gpu_->EnqueueToDevice(to_ + offset_, part.data(), bytes);
    offset_ += bytes;
  }

  // Goes on with the oldest part when its copy is done.
  static void Reuse(std::unique_ptr<ChunksToDevice> self) {
    Gpu& gpu = *self->gpu_;
    const std::shared_ptr<Gpu> alive = self->gpu_;
    // All parts are free then: one wait for three keeps both sides busy enough,
    // since filling is slower than copying.
    gpu.FinishBehind(gpu.to_device_, "a part of a copy to the device",
                     OkStatus(), {},
                     [self = std::move(self)](Status status) mutable {
                       self->staged_.clear();
                       UpdateStatus(self->status_, status);
                       Next(std::move(self));
                     });
  }

  static void Finish(std::unique_ptr<ChunksToDevice> self) {
    Gpu& gpu = *self->gpu_;
    const std::shared_ptr<Gpu> alive = self->gpu_;
    if (self->status_.ok()) {
      self->status_ = gpu.ComputeBehindCopies();
    } else if (self->offset_ > 0) {
      // Who asked frees the memory, and the parts before would still be
      // written.
      gpu.card_->Drain(gpu.to_device_);
    }
    Held held(self->staged_.begin(), self->staged_.end());
    self->staged_.clear();
    Status status = gpu.HoldFor(gpu.to_device_, "a copy to the device",
                                self->status_, std::move(held));
    Done done = std::move(self->done_);
    self.reset();  // who waits may count the memory next
    std::move(done)(std::move(status));
  }

  const std::shared_ptr<Gpu> gpu_;
  const Tensor from_;
  const DevicePointer to_;
  Done done_;
  size_t offset_ = 0;
  Status status_;
  absl::InlinedVector<Tensor, kParts> staged_;
};

void Gpu::CopyFromHost(Tensor from, Tensor* to, Done done) {
  const size_t bytes = from.size_bytes();
  if (bytes == 0) return std::move(done)(card_->error());
  const bool pinned = IsPinned(from);
  if (!pinned && bytes > kChunkBytes) {
    auto chunks = std::make_unique<ChunksToDevice>(
        shared_from_this(), std::move(from), PlaceOf(*to), std::move(done));
    // Filling the parts takes its time.
    return Lanes::Process().inter_op.Schedule(
        [chunks = std::move(chunks)]() mutable {
          ChunksToDevice::Next(std::move(chunks));
        });
  }
  Tensor source = std::move(from);
  bool moves = !pinned;  // its bytes may lie in the tensor itself
  if (!pinned) {
    if (StatusOr<Tensor> staged = Stage(bytes); staged.ok()) {
      std::memcpy(BytesOf(*staged), source.data(), bytes);
      source = *std::move(staged);
      moves = false;
    }
  }
  Status status = EnqueueToDevice(PlaceOf(*to), source.data(), bytes);
  if (moves) card_->Drain(to_device_);
  if (status.ok()) status = ComputeBehindCopies();
  status = HoldFor(to_device_, "a copy to the device", std::move(status),
                   {std::move(source)});
  std::move(done)(std::move(status));
}

Status Gpu::Upload(const void* from, size_t bytes, const Tensor& to) {
  Held held;
  if (StatusOr<Tensor> staged = Stage(bytes); staged.ok()) {
    std::memcpy(BytesOf(*staged), from, bytes);
    from = staged->data();
    held.push_back(*std::move(staged));
  }
  // On the computing stream: such tables are short, and wanted next.
  Status status;
  {
    MR_ASSIGN_OR_RETURN(const ComputeStream compute, Compute());
    status =
        Check(driver().MemcpyHtoDAsync(PlaceOf(to), from, bytes, compute.get()),
              "cuMemcpyHtoDAsync");
  }
  if (held.empty()) {
    // Without pinned memory the driver copies, and this thread waits.
    card_->Drain(compute_);
    return status;
  }
  return HoldFor(compute_, "a copy of a table", std::move(status),
                 std::move(held));
}

// ---- To the host.

// Copies to memory that is not pinned, part by part. Deletes itself.
class Gpu::ChunksToHost {
 public:
  ChunksToHost(std::shared_ptr<Gpu> gpu, Tensor from, char* to, Done done)
      : gpu_(std::move(gpu)),
        from_(std::move(from)),
        to_(to),
        done_(std::move(done)) {}

  static void Next(std::unique_ptr<ChunksToHost> self) {
    ChunksToHost& s = *self;
    const size_t total = s.from_.size_bytes();
    if (s.offset_ == total || !s.status_.ok()) {
      Done done = std::move(s.done_);
      Status status = std::move(s.status_);
      self.reset();  // who waits may count the memory next
      return std::move(done)(std::move(status));
    }
    const size_t bytes = std::min(kChunkBytes, total - s.offset_);
    Gpu& gpu = *s.gpu_;
    const std::shared_ptr<Gpu> alive = s.gpu_;
    if (!s.part_.valid()) {
      if (StatusOr<Tensor> part = gpu.Stage(bytes); part.ok()) {
        s.part_ = *std::move(part);
      }
    }
    char* const to = s.to_ + s.offset_;
    char* const landing = s.part_.valid() ? BytesOf(s.part_) : to;
    const Status status =
        gpu.EnqueueToHost(landing, PlaceOf(s.from_) + s.offset_, bytes);
    s.offset_ += bytes;
    Held held{s.from_};
    if (s.part_.valid()) held.push_back(s.part_);
    gpu.FinishBehind(
        gpu.from_device_, "a copy to the host", status, std::move(held),
        [self = std::move(self), to, landing, bytes](Status status) mutable {
          if (status.ok() && landing != to) std::memcpy(to, landing, bytes);
          self->status_ = std::move(status);
          Next(std::move(self));
        });
  }

 private:
  const std::shared_ptr<Gpu> gpu_;
  const Tensor from_;
  char* const to_;
  Done done_;
  Tensor part_;
  size_t offset_ = 0;
  Status status_;
};

void Gpu::CopyToHost(Tensor from, Tensor* to, Done done) {
  const size_t bytes = from.size_bytes();
  if (bytes == 0) return std::move(done)(card_->error());
  Gpu* const source = Of(from);
  if (source == nullptr) {
    return std::move(done)(
        Internal("a copy to the host of a tensor that is on no GPU"));
  }
  char* const data = to->mutable_data();
  if (!IsPinned(*to)) {
    return ChunksToHost::Next(std::make_unique<ChunksToHost>(
        source->shared_from_this(), std::move(from), data, std::move(done)));
  }
  Status status = source->EnqueueToHost(data, PlaceOf(from), bytes);
  // `to` lives until `done`, but if that is called early, its memory must stay.
  source->FinishBehind(source->from_device_, "a copy to the host",
                       std::move(status), {std::move(from), *to},
                       std::move(done));
}

// ---- Between devices.

Status Gpu::EnqueueFromPeer(Gpu& source, const Tensor& from, DevicePointer to) {
  MR_RETURN_IF_ERROR(Order(source, source.compute_, *this, to_device_));
  MR_RETURN_IF_ERROR(Order(*this, compute_, *this, to_device_));
  const size_t bytes = from.size_bytes();
  if (source.card_ == card_) {
    return Check(driver().MemcpyDtoDAsync(to, PlaceOf(from), bytes, to_device_),
                 "cuMemcpyDtoDAsync");
  }
  (void)card_->CanReach(*source.card_);  // else the driver copies by the host
  MR_RETURN_IF_ERROR(card_->Use());
  return Check(
      driver().MemcpyPeerAsync(to, card_->context(), PlaceOf(from),
                               source.card_->context(), bytes, to_device_),
      "cuMemcpyPeerAsync");
}

void Gpu::CopyFromPeer(Tensor from, Tensor* to, Done done) {
  if (from.size_bytes() == 0) return std::move(done)(card_->error());
  Gpu* const source = Of(from);
  if (source == nullptr) {
    return std::move(done)(
        Internal("a copy between GPUs of a tensor that is on none"));
  }
  Status status = EnqueueFromPeer(*source, from, PlaceOf(*to));
  if (status.ok()) status = ComputeBehindCopies();
  status = HoldFor(to_device_, "a copy between devices", std::move(status),
                   {std::move(from)});
  std::move(done)(std::move(status));
}

}  // namespace millrace::cuda
