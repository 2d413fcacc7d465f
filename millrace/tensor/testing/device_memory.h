// DeviceMemory: an allocator whose memory the host cannot read, for tests.
#pragma once

#include <cstring>
#include <utility>

#include "millrace/tensor/tensor.h"

namespace millrace {

// Its addresses are those of host memory, moved to where no processor reads.
// Thread-safe.
class DeviceMemory final : public Allocator {
 public:
  static constexpr uintptr_t kOffset = uintptr_t{1} << 60;

  // Returns where a test finds the elements.
  template <class T>
  static T* Elements(const Tensor& t) {
    return reinterpret_cast<T*>(t.device_address() - kOffset);
  }

  absl::string_view name() const override { return "device"; }
  bool is_host() const override { return false; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    MR_ASSIGN_OR_RETURN(Ref<Buffer> host,
                        HostAllocator()->Allocate(size_bytes));
    return Ref<Buffer>(MakeRef<Block>(std::move(host)));
  }
  Status Copy(void* to, const void* from, size_t bytes) override {
    std::memcpy(At(to), At(from), bytes);
    return OkStatus();
  }
  Status Clear(void* to, size_t bytes) override {
    std::memset(At(to), 0, bytes);
    return OkStatus();
  }

 private:
  class Block final : public Buffer {
   public:
    explicit Block(Ref<Buffer> host)
        : Buffer(host->data() + kOffset, host->size_bytes()),
          host_(std::move(host)) {}

   private:
    const Ref<Buffer> host_;
  };
  static char* At(const void* address) {
    return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) -
                                   kOffset);
  }
};

}  // namespace millrace
