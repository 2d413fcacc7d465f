// Kernels of CheckNumerics and CheckNumericsV2 on GPUs. They are asynchronous:
// what the device has found is copied to the host.
#include <memory>
#include <string>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/abnormal_numbers.h"

MR_GPU_SOURCE(array_check_numerics);

namespace millrace::ops {
namespace {

using abnormal_numbers::Infinities;

StatusOr<std::vector<GpuDefine>> BitsOf(DataType type) {
  switch (type) {
    case DataType::kHalf:
      return std::vector<GpuDefine>{{"U", "uint16_t"}, {"EXPONENT", "0x7c00"}};
    case DataType::kBfloat16:
      return std::vector<GpuDefine>{{"U", "uint16_t"}, {"EXPONENT", "0x7f80"}};
    case DataType::kFloat:
      return std::vector<GpuDefine>{{"U", "uint32_t"},
                                    {"EXPONENT", "0x7f800000"}};
    case DataType::kDouble:
      return std::vector<GpuDefine>{{"U", "uint64_t"},
                                    {"EXPONENT", "0x7ff0000000000000"}};
    default:
      return Internal("no numbers of type ", DataTypeName(type));
  }
}

template <Infinities kInfinities>
class GpuCheckNumericsKernel {
 public:
  static StatusOr<GpuCheckNumericsKernel> Make(const KernelInit& init) {
    GpuCheckNumericsKernel k;
    MR_ASSIGN_OR_RETURN(k.message_, init.Attr<std::string>("message"));
    MR_ASSIGN_OR_RETURN(const std::vector<GpuDefine> defines,
                        BitsOf(RemoveRef(init.input_type(0))));
    MR_ASSIGN_OR_RETURN(
        k.look_, LoadGpuFunction(init, MR_GPU_SOURCE_OF(array_check_numerics),
                                 "Look", defines));
    return k;
  }

  void RunAsync(KernelContext& ctx, Done done) const {
    auto found = std::make_unique<Tensor>();
    StatusOr<Tensor> on_device = Enqueue(ctx, found.get());
    if (!on_device.ok()) return std::move(done)(on_device.status());
    Tensor* const to = found.get();
    ctx.device().CopyToHost(
        *std::move(on_device), to,
        Done([this, &ctx, found = std::move(found),
              done = std::move(done)](Status status) mutable {
          if (status.ok()) status = Finish(ctx, *found);
          std::move(done)(std::move(status));
        }));
  }

 private:
  // Returns what will have been found, on the device, and allocates its copy.
  StatusOr<Tensor> Enqueue(KernelContext& ctx, Tensor* found) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(*found,
                        Tensor::Allocate(ctx.device().host_allocator(),
                                         DataType::kInt32, TensorShape({1})));
    MR_ASSIGN_OR_RETURN(Tensor on_device,
                        ctx.AllocateTemp(DataType::kInt32, TensorShape({1})));
    MR_RETURN_IF_ERROR(
        FillGpuBytes(ctx, GpuOutput(on_device), 0, sizeof(int32_t)));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, look_, GridOver(x.num_elements()),
                                 GpuInput(x), GpuOutput(on_device),
                                 x.num_elements()));
    return on_device;
  }

  Status Finish(KernelContext& ctx, const Tensor& found) const {
    if (const int32_t f = found.flat<int32_t>()[0]) {
      return InvalidArgument(message_, " : Tensor had ",
                             abnormal_numbers::Words(f, kInfinities),
                             " values");
    }
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }

  std::string message_;
  GpuFunction look_;
};

constexpr char kGpuChecked[] = "T: half, bfloat16, float, double";

}  // namespace

MR_KERNELS(CheckNumerics, Gpu){
    {.types = kGpuChecked,
     .make = MakeKernel<GpuCheckNumericsKernel<Infinities::kAlike>>}};
MR_KERNELS(CheckNumericsV2, Gpu){
    {.types = kGpuChecked,
     .make = MakeKernel<GpuCheckNumericsKernel<Infinities::kBySign>>}};

}  // namespace millrace::ops
