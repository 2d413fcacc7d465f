// Kernels of parts of complex numbers on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(elementwise_complex);

namespace millrace::ops {
namespace {

constexpr KernelEntry GpuParts(const char* types) {
  return GpuElementwise<OpText<MR_GPU_SOURCE_OF(arithmetic_unary),
                               MR_GPU_SOURCE_OF(elementwise_complex)>>(types);
}
constexpr KernelEntry kGpuParts64 = GpuParts("T: complex64; Tout: float");
constexpr KernelEntry kGpuParts128 = GpuParts("T: complex128; Tout: double");

Status PassVariant(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

}  // namespace

MR_KERNELS(Conj, Gpu){
    GpuParts("T: complex64, complex128"),
    {.types = "T: variant", .make = MakeFunctionKernel<PassVariant>}};
MR_KERNELS(Real, Gpu){kGpuParts64, kGpuParts128};
MR_KERNELS(Imag, Gpu){kGpuParts64, kGpuParts128};
MR_KERNELS(Angle, Gpu){kGpuParts64, kGpuParts128};
MR_KERNELS(ComplexAbs, Gpu){kGpuParts64, kGpuParts128};
MR_KERNELS(Complex, Gpu){GpuParts("T: float; Tout: complex64"),
                         GpuParts("T: double; Tout: complex128")};

}  // namespace millrace::ops
