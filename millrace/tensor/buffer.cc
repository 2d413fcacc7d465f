#include "millrace/tensor/buffer.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/sim/sim.h"
#include "millrace/tensor/handle.h"
#include "millrace/tensor/host_allocator.h"
#include "millrace/tensor/own_bytes.h"
#include "millrace/tensor/string_element.h"

namespace millrace {
namespace {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(char* data, size_t size, MemoryBudget& budget)
      : Buffer(data, size), budget_(budget) {}
  ~HostBuffer() override {
    std::free(data_);
    budget_.Release(static_cast<int64_t>(size_ + kBufferOverhead));
  }

 private:
  // The budget that was charged: in a simulation another process may be the
  // last owner.
  MemoryBudget& budget_;
};

class HostAllocatorImpl final : public Allocator {
 public:
  constexpr explicit HostAllocatorImpl(bool limited) : limited_(limited) {}
  absl::string_view name() const override { return "host"; }

  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    const size_t rounded = (size_bytes + kBufferAlignment - 1) /
                           kBufferAlignment * kBufferAlignment;
    MemoryBudget& budget = MemoryBudget::Process();
    const auto counted = static_cast<int64_t>(rounded + kBufferOverhead);
    if (limited_) {
      MR_RETURN_IF_ERROR(budget.Reserve(counted));
    } else {
      budget.ReserveAlways(counted);
    }
    void* p = std::aligned_alloc(kBufferAlignment,
                                 rounded ? rounded : kBufferAlignment);
    if (p == nullptr) {
      budget.Release(counted);
      return ResourceExhausted("OOM when allocating ", size_bytes, " bytes");
    }
    return Ref<Buffer>(
        MakeRef<HostBuffer>(static_cast<char*>(p), rounded, budget));
  }

 private:
  const bool limited_;
};

// Handles and variants hold tensors of handles and variants, nested as deeply
// as a client likes. At most this many such buffers are destroyed within each
// other on the stack; the last of these destroys the deeper ones one by one.
constexpr int kMaxNestedReleases = 8;

struct Release {
  Ref<Buffer> raw;
  int64_t count;
  void (*destroy)(char* elements, int64_t count);
};
constinit thread_local int nested_releases = 0;
constinit thread_local std::vector<Release>* deferred_releases = nullptr;

void DestroyNested(Release release) {
  if (nested_releases == kMaxNestedReleases) {
    return deferred_releases->push_back(std::move(release));
  }
  std::vector<Release> deferred;
  if (++nested_releases == kMaxNestedReleases) deferred_releases = &deferred;
  release.destroy(release.raw->data(), release.count);
  while (!deferred.empty()) {
    release = std::move(deferred.back());
    deferred.pop_back();
    release.destroy(release.raw->data(), release.count);
  }
  --nested_releases;
}

template <class T>
void DestroyElements(char* elements, int64_t count) {
  std::destroy_n(reinterpret_cast<T*>(elements), count);
}

// Constructed elements in raw memory from an allocator.
template <class T>
class ElementBuffer final : public Buffer {
 public:
  ElementBuffer(Ref<Buffer> raw, int64_t count)
      : Buffer(raw->data(), raw->size_bytes()),
        raw_(std::move(raw)),
        count_(count) {
    std::uninitialized_value_construct_n(reinterpret_cast<T*>(data_), count_);
  }
  ~ElementBuffer() override {
    if constexpr (std::is_same_v<T, StringElement>) {
      DestroyElements<T>(data_, count_);
    } else {
      DestroyNested({std::move(raw_), count_, DestroyElements<T>});
    }
  }

 private:
  Ref<Buffer> raw_;
  int64_t count_;
};

// Stateless and therefore constant-initialized: nothing in it could block.
constinit HostAllocatorImpl plain_allocator(/*limited=*/true);
constinit HostAllocatorImpl unlimited_allocator(/*limited=*/false);
constinit std::atomic<Allocator*> host_allocator{&plain_allocator};

}  // namespace

Status Allocator::Copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return OkStatus();
}

Status Allocator::Clear(void* to, size_t bytes) {
  if (bytes > 0) std::memset(to, 0, bytes);
  return OkStatus();
}

Allocator* HostAllocator() {
  // A simulated process has a budget of its own.
  if (SimWorld::Current()) return &plain_allocator;
  return host_allocator.load(std::memory_order_acquire);
}

Allocator* UnlimitedHostAllocator() { return &unlimited_allocator; }

void SetHostAllocator(Allocator* allocator) {
  host_allocator.store(allocator, std::memory_order_release);
}

StatusOr<Ref<Buffer>> AllocateElements(Allocator* allocator, DataType type,
                                       int64_t count) {
  MR_ASSIGN_OR_RETURN(
      Ref<Buffer> raw,
      allocator->Allocate(static_cast<size_t>(count) * SizeOf(type)));
  switch (type) {
    case DataType::kString:
      return Ref<Buffer>(
          MakeRef<ElementBuffer<StringElement>>(std::move(raw), count));
    case DataType::kResource:
      return Ref<Buffer>(
          MakeRef<ElementBuffer<ResourceElement>>(std::move(raw), count));
    case DataType::kVariant:
      return Ref<Buffer>(
          MakeRef<ElementBuffer<VariantElement>>(std::move(raw), count));
    default:
      return raw;
  }
}

}  // namespace millrace
