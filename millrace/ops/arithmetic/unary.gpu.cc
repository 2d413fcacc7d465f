// Kernels of unary ops on GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_special_functions_shared);
MR_GPU_SOURCE(arithmetic_gamma_slope_shared);
MR_GPU_SOURCE(arithmetic_special);

namespace millrace::ops {
namespace {

constexpr char kGpuFloating[] = "T: half, bfloat16, float, double";
constexpr char kGpuFloatingOrComplex[] =
    "T: half, bfloat16, float, double, complex64, complex128";
constexpr char kGpuReciprocal[] =
    "T: half, bfloat16, float, double, int64, complex64, complex128";
constexpr char kGpuSigned[] =
    "T: half, bfloat16, float, double, int8, int16, int64";
constexpr char kGpuSignedOrComplex[] =
    "T: half, bfloat16, float, double, int8, int16, int64, complex64, "
    "complex128";

constexpr KernelEntry GpuUnary(const char* types) {
  return GpuElementwise<OpText<MR_GPU_SOURCE_OF(arithmetic_unary)>>(types);
}
constexpr KernelEntry GpuSlowUnary(const char* types) {
  return GpuElementwise<SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary)>>(types);
}

}  // namespace

MR_KERNELS(Neg, Gpu){GpuUnary(kGpuSignedOrComplex), kInt32OnHost};
MR_KERNELS(Abs, Gpu){GpuUnary(kGpuSigned), kInt32OnHost};
MR_KERNELS(Sign, Gpu){GpuUnary(kGpuSignedOrComplex), kInt32OnHost};
MR_KERNELS(Square, Gpu){
    GpuUnary("T: half, bfloat16, float, double, int8, int16, int64, uint8, "
             "uint16, uint32, uint64, complex64, complex128"),
    kInt32OnHost};
MR_KERNELS(Round,
           Gpu){GpuUnary("T: half, bfloat16, float, double, int32, int64")};
MR_KERNELS(Rint, Gpu){GpuUnary("T: half, float, double")};
MR_KERNELS(Sqrt, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Rsqrt, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Reciprocal, Gpu){GpuUnary(kGpuReciprocal)};
MR_KERNELS(Inv, Gpu){GpuUnary(kGpuReciprocal)};
MR_KERNELS(Exp, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Expm1, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Log, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Log1p, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Sin, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Cos, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Tan, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Sinh, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Cosh, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Tanh, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Sigmoid, Gpu){GpuUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Asin, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Acos, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Atan, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Asinh, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Acosh, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Atanh, Gpu){GpuSlowUnary(kGpuFloatingOrComplex)};
MR_KERNELS(Floor, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(Ceil, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(IsNan, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(IsInf, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(IsFinite, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(Erf, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(Erfc, Gpu){GpuUnary(kGpuFloating)};
MR_KERNELS(Lgamma, Gpu){GpuSlowUnary("T: half, float, double")};
MR_KERNELS(Digamma, Gpu){GpuElementwise<
    SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary),
               MR_GPU_SOURCE_OF(arithmetic_special_functions_shared),
               MR_GPU_SOURCE_OF(arithmetic_gamma_slope_shared),
               MR_GPU_SOURCE_OF(arithmetic_special)>>(
    "T: half, float, double")};

}  // namespace millrace::ops
