// Parts of kernels of recurrent cells on GPUs.
#pragma once

#include <cstdint>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Return where the elements of a tensor begin in the device's memory; null for
// one without elements.
template <class T>
const T* ReadOnGpu(const Tensor& t) {
  return reinterpret_cast<const T*>(GpuInput(t).address);
}
template <class T>
T* WriteOnGpu(Tensor* t) {
  return reinterpret_cast<T*>(GpuOutput(*t).address);
}
inline GpuPointer AtGpu(const void* address) {
  return {reinterpret_cast<uint64_t>(address)};
}

// Makes the inputs of products, rows [x, h].
class GpuInputJoin {
 public:
  static StatusOr<GpuInputJoin> Make(const KernelInit& init, DataType type);

  // `h` has the first rows of h, `more` those from row `first_rows` on.
  struct Rows {
    int64_t rows = 0, input = 0, cell = 0, first_rows = 0;
    const void *x = nullptr, *h = nullptr, *more = nullptr;
  };
  StatusOr<Tensor> Run(KernelContext& ctx, const Rows& r) const;

 private:
  DataType type_ = DataType::kInvalid;
  GpuFunction function_;
};

}  // namespace millrace::ops
