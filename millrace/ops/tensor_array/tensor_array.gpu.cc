// Arrays keep tensors where they lie. The flow lies on the device, since it
// passes through loops like any float.
#include <array>
#include <memory>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/tensor_array/array_gradient.h"

MR_GPU_SOURCE(tensor_array_tensor_array);

namespace millrace::ops {
namespace {

struct SumOfType {
  DataType type;
  const char* entry;
};
constexpr SumOfType kSums[] = {{DataType::kFloat, "AddFloat"},
                               {DataType::kDouble, "AddDouble"},
                               {DataType::kHalf, "AddHalf"},
                               {DataType::kBfloat16, "AddBfloat16"},
                               {DataType::kInt8, "AddInt8"},
                               {DataType::kInt16, "AddInt16"},
                               {DataType::kInt64, "AddInt64"},
                               {DataType::kUint8, "AddUint8"},
                               {DataType::kUint16, "AddUint16"},
                               {DataType::kUint32, "AddUint32"},
                               {DataType::kUint64, "AddUint64"},
                               {DataType::kComplex64, "AddComplex64"},
                               {DataType::kComplex128, "AddComplex128"}};

// The types of an array's elements are known when it runs, so there is a
// function for each. One that could not be loaded is an error where it is
// needed: most arrays of gradients are written once.
class GpuSums {
 public:
  static std::shared_ptr<const GpuSums> Load(const KernelInit& init) {
    auto sums = std::make_shared<GpuSums>();
    for (size_t i = 0; i < std::size(kSums); ++i) {
      sums->functions_[i] = LoadGpuFunction(
          init, MR_GPU_SOURCE_OF(tensor_array_tensor_array), kSums[i].entry);
    }
    return sums;
  }

  Status Add(KernelContext& ctx, Tensor* sum, const Tensor& x) const {
    for (size_t i = 0; i < std::size(kSums); ++i) {
      if (kSums[i].type != x.dtype()) continue;
      MR_RETURN_IF_ERROR(functions_[i].status());
      const int64_t n = x.num_elements();
      return LaunchGpu(ctx, *functions_[i], GridOver(n), GpuOutput(*sum),
                       GpuInput(x), n);
    }
    return Unimplemented("values of type ", DataTypeName(x.dtype()),
                         " are not added on a GPU");
  }

 private:
  std::array<StatusOr<GpuFunction>, std::size(kSums)> functions_;
};

StatusOr<std::unique_ptr<Kernel>> MakeGradientOnGpu(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(
      TensorArrayGradKernel kernel,
      TensorArrayGradKernel::Make(
          init, [sums = GpuSums::Load(init)](KernelContext& ctx, Tensor* sum,
                                             const Tensor& x) {
            return sums->Add(ctx, sum, x);
          }));
  return std::unique_ptr<Kernel>(
      new internal::KernelOf<TensorArrayGradKernel>(std::move(kernel)));
}

}  // namespace

MR_KERNELS(TensorArray, Gpu){{.make = OnHost, .host = "size, handle"}};
MR_KERNELS(TensorArrayV2, Gpu){{.make = OnHost, .host = "size, handle"}};
MR_KERNELS(TensorArrayV3, Gpu){{.make = OnHost, .host = "size, handle"}};
MR_KERNELS(TensorArrayGrad,
           Gpu){{.make = MakeGradientOnGpu, .host = "handle, grad_handle"}};
MR_KERNELS(TensorArrayGradV2,
           Gpu){{.make = MakeGradientOnGpu, .host = "handle, grad_handle"}};
MR_KERNELS(TensorArrayGradV3,
           Gpu){{.make = MakeGradientOnGpu, .host = "handle, grad_handle"}};
MR_KERNELS(TensorArrayGradWithShape,
           Gpu){{.make = MakeGradientOnGpu,
                 .host = "handle, shape_to_prepend, grad_handle"}};
MR_KERNELS(TensorArrayWrite,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArrayWriteV2,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArrayWriteV3,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArrayRead,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArrayReadV2,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArrayReadV3,
           Gpu){{.make = OnHost, .host = "handle, index, int32"}};
MR_KERNELS(TensorArraySize, Gpu){{.make = OnHost, .host = "handle, size"}};
MR_KERNELS(TensorArraySizeV2, Gpu){{.make = OnHost, .host = "handle, size"}};
MR_KERNELS(TensorArraySizeV3, Gpu){{.make = OnHost, .host = "handle, size"}};
MR_KERNELS(TensorArrayClose, Gpu){{.make = OnHost, .host = "handle"}};
MR_KERNELS(TensorArrayCloseV2, Gpu){{.make = OnHost, .host = "handle"}};
MR_KERNELS(TensorArrayCloseV3, Gpu){{.make = OnHost, .host = "handle"}};

}  // namespace millrace::ops
