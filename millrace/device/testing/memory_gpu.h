// MemoryGpu: a GPU without hardware that has a memory of its own, for tests of
// graphs over two memories.
#pragma once

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/resource.h"

namespace millrace {

// Its addresses lie where no processor reads, so a host that reads them dies.
// Work is done in the order in which it was enqueued: at random times, by
// threads of the pool, but before copies that follow it. Memory that is freed
// is taken again at once, and holds garbage before it is written. Thread-safe.
class MemoryGpu final : public Device {
 public:
  static constexpr uintptr_t kOffset = uintptr_t{1} << 60;
  static constexpr char kGarbage = 0x5a;

  // Returns where the host finds the elements, for work of kernels.
  template <class T>
  static T* Elements(const Tensor& t) {
    return reinterpret_cast<T*>(t.device_address() - kOffset);
  }

  MemoryGpu(const std::string& task, int index, uint64_t seed,
            size_t limit_bytes = size_t{1} << 30)
      : MemoryGpu(absl::StrCat(task, "/device:GPU:", index), seed,
                  limit_bytes) {}
  ~MemoryGpu() override {
    while (true) {
      MutexLock lock(mu_);
      if (running_ == 0) break;
      idle_.Wait(mu_);
    }
  }

  // Enqueues work of a kernel, which may use the memory of tensors that it has
  // seen. Returns the error that Poison has set.
  Status Enqueue(absl::AnyInvocable<void()> work) {
    {
      MutexLock lock(mu_);
      MR_RETURN_IF_ERROR(error_);
      work_.push_back(std::move(work));
    }
    Later([this] { DoWork(); });
    return OkStatus();
  }

  // From now on everything fails with `error`, as of a device that is lost.
  void Poison(Status error) {
    MutexLock lock(mu_);
    error_ = std::move(error);
  }

  Allocator* allocator() override { return &memory_; }
  Allocator* host_allocator() override { return HostAllocator(); }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(
      int64_t total, int64_t cost_nanos,
      absl::FunctionRef<void(int64_t begin, int64_t end)> f) override {
    lanes().intra_op.ParallelFor(total, cost_nanos, f);
  }
  int intra_op_width() const override {
    return Lanes::Process().intra_op.width();
  }
  IntraOpPool* intra_op_pool() override { return &Lanes::Process().intra_op; }
  Lanes& lanes() override { return Lanes::Process(); }

  void CopyToHost(Tensor from, Tensor* to, Done done) override {
    ++copies_to_host_;
    Copy(std::move(from), to->mutable_data(), std::move(done));
  }
  void CopyFromHost(Tensor from, Tensor* to, Done done) override {
    ++copies_from_host_;
    Copy(std::move(from), Elements<char>(*to), std::move(done));
  }
  void CopyFromPeer(Tensor from, Tensor* to, Done done) override {
    ++copies_from_peers_;
    Copy(std::move(from), Elements<char>(*to), std::move(done));
  }
  void WhenIdle(Done done) override {
    ++waits_;
    Later([this, done = std::move(done)]() mutable {
      DoWork();
      std::move(done)(error());
    });
  }

  int copies_to_host() const { return copies_to_host_; }
  int copies_from_host() const { return copies_from_host_; }
  int copies_from_peers() const { return copies_from_peers_; }
  int waits() const { return waits_; }
  size_t in_use_bytes() { return memory_.in_use_bytes(); }

 private:
  class Memory;

  // Freed blocks are kept as long as the device, since work may still use them.
  class Memory final : public Allocator {
   public:
    Memory(MemoryGpu* gpu, size_t limit) : gpu_(gpu), limit_(limit) {}
    absl::string_view name() const override { return "GPU_0_bfc"; }
    bool is_host() const override { return false; }
    StatusOr<Ref<Buffer>> Allocate(size_t size) override {
      MutexLock lock(mu_);
      if (in_use_ + size > limit_) {
        return ResourceExhausted("OOM when allocating ", size, " bytes of ",
                                 limit_);
      }
      std::unique_ptr<Host> host;
      for (auto& free : free_) {
        if (free->bytes.size() < size + kBufferAlignment) continue;
        host = std::move(free);
        free = std::move(free_.back());
        free_.pop_back();
        break;
      }
      if (host == nullptr) {
        host = std::make_unique<Host>();
        host->bytes.assign(size + kBufferAlignment, kGarbage);
      }
      in_use_ += size;
      char* const data = reinterpret_cast<char*>(
          (reinterpret_cast<uintptr_t>(host->bytes.data()) + kBufferAlignment -
           1) /
              kBufferAlignment * kBufferAlignment +
          kOffset);
      return Ref<Buffer>(MakeRef<Block>(this, std::move(host), data, size));
    }
    Status Copy(void* to, const void* from, size_t bytes) override {
      return gpu_->Enqueue([=] { std::memcpy(At(to), At(from), bytes); });
    }
    Status Clear(void* to, size_t bytes) override {
      return gpu_->Enqueue([=] { std::memset(At(to), 0, bytes); });
    }
    size_t in_use_bytes() {
      MutexLock lock(mu_);
      return in_use_;
    }
    // Returns the device in whose memory the tensor is; null: it is in the
    // host's.
    static MemoryGpu* OwnerOf(const Tensor& t) {
      if (!t.on_device()) return nullptr;
      return static_cast<const Block*>(t.buffer())->owner()->gpu_;
    }

   private:
    struct Host {
      std::vector<char> bytes;
    };
    class Block final : public Buffer {
     public:
      Block(Memory* owner, std::unique_ptr<Host> host, char* data, size_t size)
          : Buffer(data, size), owner_(owner), host_(std::move(host)) {}
      ~Block() override {
        MutexLock lock(owner_->mu_);
        owner_->in_use_ -= size_;
        owner_->free_.push_back(std::move(host_));
      }
      const Memory* owner() const { return owner_; }

     private:
      Memory* const owner_;
      std::unique_ptr<Host> host_;
    };
    static char* At(const void* address) {
      return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) -
                                     kOffset);
    }

    MemoryGpu* const gpu_;
    const size_t limit_;
    Mutex mu_;                                 // guards all below
    std::vector<std::unique_ptr<Host>> free_;  // newest last
    size_t in_use_ = 0;
  };

  MemoryGpu(const std::string& name, uint64_t seed, size_t limit)
      : Device({name, "GPU", static_cast<int64_t>(limit), 1, "memory GPU"},
               DeviceName::Parse(name).value(), /*has_own_memory=*/true),
        random_(seed),
        memory_(this, limit),
        resources_("localhost") {}

  Status error() {
    MutexLock lock(mu_);
    return error_;
  }

  void DoWork() {
    MutexLock order(working_);
    while (true) {
      absl::AnyInvocable<void()> work;
      {
        MutexLock lock(mu_);
        if (work_.empty()) return;
        work = std::move(work_.front());
        work_.pop_front();
      }
      work();
    }
  }

  static char* HostAddress(const Tensor& t) {
    return t.on_device() ? Elements<char>(t) : const_cast<char*>(t.data());
  }

  void Copy(Tensor from, char* to, Done done) {
    if (Status failed = error(); !failed.ok()) {
      return std::move(done)(std::move(failed));
    }
    Later([this, from = std::move(from), to, done = std::move(done)]() mutable {
      if (MemoryGpu* const peer = memory_.OwnerOf(from)) peer->DoWork();
      DoWork();
      if (from.size_bytes() > 0) {
        std::memcpy(to, HostAddress(from), from.size_bytes());
      }
      from = Tensor();
      std::move(done)(error());
    });
  }

  // Runs `task` on a thread of the pool after some other tasks.
  void Later(absl::AnyInvocable<void()> task) {
    uint32_t turns;
    {
      MutexLock lock(mu_);
      ++running_;
      turns = random_()[0] % 4;
    }
    Turn(std::move(task), turns);
  }
  void Turn(absl::AnyInvocable<void()> task, uint32_t turns) {
    lanes().inter_op.Schedule([this, task = std::move(task), turns]() mutable {
      if (turns > 0) return Turn(std::move(task), turns - 1);
      task();
      task = nullptr;
      MutexLock lock(mu_);
      if (--running_ == 0) idle_.NotifyAll();
    });
  }

  Mutex working_;  // held while work is done; acquired before mu_
  Mutex mu_;       // guards all below
  Philox4x32 random_;
  std::deque<absl::AnyInvocable<void()>> work_;
  Status error_;
  int running_ = 0;
  CondVar idle_;
  Memory memory_;
  std::atomic<int> copies_to_host_{0};
  std::atomic<int> copies_from_host_{0};
  std::atomic<int> copies_from_peers_{0};
  std::atomic<int> waits_{0};
  ResourceStore resources_;
};

}  // namespace millrace
