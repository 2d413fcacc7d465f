// Kernels of Fill, ZerosLike and OnesLike on GPUs.
#include <array>
#include <cstring>
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/tensor/dispatch.h"

MR_GPU_SOURCE(array_constant_fill);

namespace millrace::ops {
namespace {

// The bits of an element, from the front.
struct alignas(16) ElementBits {
  char bytes[16] = {};
};

// Returns the type as which elements of `type` are moved.
const char* MovedType(DataType type) {
  switch (SizeOf(type)) {
    case 1:
      return "uint8_t";
    case 2:
      return "uint16_t";
    case 4:
      return "uint32_t";
    case 8:
      return "uint64_t";
    default:
      return "complex128";
  }
}

StatusOr<GpuFunction> FillFunction(const KernelInit& init, const char* entry) {
  return LoadGpuFunction(init, MR_GPU_SOURCE_OF(array_constant_fill), entry,
                         {{"T", MovedType(RemoveRef(init.output_type(0)))}});
}

// Returns a grid for stores of 16 bytes.
GpuGrid GridOfStores(const Tensor& t) {
  return GridOver(static_cast<int64_t>(t.size_bytes() + 15) / 16);
}

class GpuFillKernel {
 public:
  static StatusOr<GpuFillKernel> Make(const KernelInit& init) {
    GpuFillKernel k;
    MR_ASSIGN_OR_RETURN(k.fill_, FillFunction(init, "FillFrom"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& dims = ctx.input(0);
    const Tensor& value = ctx.input(1);
    if (dims.rank() > 1) {
      return InvalidArgument("dims must represent a vector, got shape ",
                             dims.shape().DebugString());
    }
    if (value.rank() > 1 || value.num_elements() != 1) {
      return InvalidArgument("value must represent a scalar, got shape ",
                             value.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(dims)));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.AllocateOutput(0, std::move(shape)));
    return LaunchGpu(ctx, fill_, GridOfStores(*z), GpuOutput(*z),
                     GpuInput(value), z->num_elements());
  }

 private:
  GpuFunction fill_;
};

Status GpuZerosLike(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.ForwardOrAllocateOutput(
                                           {0}, 0, ctx.input(0).shape()));
  return FillGpuBytes(ctx, GpuOutput(*z), 0,
                      static_cast<int64_t>(z->size_bytes()));
}

class GpuOnesLikeKernel {
 public:
  static StatusOr<GpuOnesLikeKernel> Make(const KernelInit& init) {
    GpuOnesLikeKernel k;
    MR_RETURN_IF_ERROR(Dispatch(Join<NumericTypes, Types<bool>>{},
                                RemoveRef(init.output_type(0)),
                                [&]<class T>() -> Status {
                                  const T one = static_cast<T>(1);
                                  std::memcpy(k.one_.bytes, &one, sizeof(one));
                                  return OkStatus();
                                }));
    MR_ASSIGN_OR_RETURN(k.fill_, FillFunction(init, "FillBits"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.ForwardOrAllocateOutput(
                                             {0}, 0, ctx.input(0).shape()));
    return LaunchGpu(ctx, fill_, GridOfStores(*z), GpuOutput(*z), one_,
                     z->num_elements());
  }

 private:
  GpuFunction fill_;
  ElementBits one_;
};

#define MR_FILLED_TYPES                                                \
  "half, bfloat16, float, double, int8, int16, int64, uint8, uint16, " \
  "uint32, uint64, complex64, complex128, bool"

// Only the shape of the input is read.
constexpr KernelEntry kInt32ResultOnHost = {
    .types = "T: int32", .make = OnHost, .host = "y"};

}  // namespace

MR_KERNELS(Fill, Gpu){{.types = "T: " MR_FILLED_TYPES,
                       .make = MakeKernel<GpuFillKernel>,
                       .host = "dims"},
                      kInt32OnHost};
MR_KERNELS(ZerosLike, Gpu){
    {.types = "T: " MR_FILLED_TYPES, .make = MakeFunctionKernel<GpuZerosLike>},
    kInt32ResultOnHost,
    {.types = "T: variant", .make = OnHost, .host = "*"}};
MR_KERNELS(OnesLike, Gpu){
    {.types = "T: " MR_FILLED_TYPES, .make = MakeKernel<GpuOnesLikeKernel>},
    kInt32ResultOnHost};
}  // namespace millrace::ops
