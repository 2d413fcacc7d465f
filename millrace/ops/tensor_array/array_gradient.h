// Making arrays of gradients, and the handles of arrays.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/tensor_array/tensor_array.h"

namespace millrace::ops {

// Sets output 0 to the handle of an array, of the kind that the schema has, and
// the flow behind it, which the first two generations do not have.
Status SetArrayHandle(KernelContext& ctx, absl::string_view kind,
                      const std::string& name);

// The kernel of all forms; TensorArrayGradWithShape has a shape as input 2.
class TensorArrayGradKernel {
 public:
  // `device_sum` is of the arrays that it makes.
  static StatusOr<TensorArrayGradKernel> Make(
      const KernelInit& init, TensorArray::DeviceSum device_sum);
  static StatusOr<TensorArrayGradKernel> Make(const KernelInit& init) {
    return Make(init, nullptr);
  }
  Status Run(KernelContext& ctx) const;

 private:
  std::string source_;
  TensorArray::DeviceSum device_sum_;
};

}  // namespace millrace::ops
