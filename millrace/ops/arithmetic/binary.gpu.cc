// Kernels of binary ops on GPUs.
#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_binary);

namespace millrace::ops {
namespace {

constexpr char kGpuFloats[] = "T: half, bfloat16, float, double";
constexpr char kGpuFloatsOrComplex[] =
    "T: half, bfloat16, float, double, complex64, complex128";
constexpr char kGpuReals[] =
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64";
constexpr char kGpuNumbers[] =
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64, complex64, complex128";
constexpr char kGpuAddNumbers[] =
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, complex64, "
    "complex128";

constexpr KernelEntry GpuBinary(const char* types) {
  return GpuElementwise<OpText<MR_GPU_SOURCE_OF(arithmetic_unary),
                               MR_GPU_SOURCE_OF(arithmetic_binary)>>(types);
}
constexpr KernelEntry GpuSlowBinary(const char* types) {
  return GpuElementwise<SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary),
                                   MR_GPU_SOURCE_OF(arithmetic_binary)>>(types);
}

// Quotients that are cut to whole numbers.
StatusOr<ElementwiseText> CutQuotientText(const KernelInit& init) {
  ElementwiseText text =
      TextOfName(init, {&MR_GPU_SOURCE_OF(arithmetic_unary),
                        &MR_GPU_SOURCE_OF(arithmetic_binary)});
  text.expression =
      absl::StrCat("op::DivideAndCut<op::", init.node().op->name, ">($0, $1)");
  return text;
}

}  // namespace

MR_KERNELS(Add, Gpu){GpuBinary(kGpuAddNumbers), kInt32OnHost};
MR_KERNELS(AddV2, Gpu){GpuBinary(kGpuNumbers), kInt32OnHost};
MR_KERNELS(Sub, Gpu){GpuBinary(kGpuNumbers), kInt32OnHost};
MR_KERNELS(Mul, Gpu){GpuBinary(kGpuNumbers), kInt32OnHost};
MR_KERNELS(Div, Gpu){GpuBinary(kGpuNumbers), kInt32OnHost};
MR_KERNELS(TruncateDiv, Gpu){GpuElementwise<CutQuotientText>(kGpuReals),
                             kInt32OnHost};
MR_KERNELS(FloorDiv, Gpu){GpuElementwise<CutQuotientText>(kGpuReals),
                          kInt32OnHost};
MR_KERNELS(Maximum, Gpu){GpuBinary(kGpuReals), kInt32OnHost};
MR_KERNELS(Minimum, Gpu){GpuBinary(kGpuReals), kInt32OnHost};
MR_KERNELS(FloorMod, Gpu){GpuSlowBinary(kGpuReals), kInt32OnHost};
MR_KERNELS(Mod, Gpu){GpuSlowBinary("T: int64, float, double"), kInt32OnHost};
MR_KERNELS(TruncateMod, Gpu){GpuSlowBinary("T: int64, float, double"),
                             kInt32OnHost};
MR_KERNELS(SquaredDifference, Gpu){
    GpuBinary("T: half, bfloat16, float, double, int64, complex64, complex128"),
    kInt32OnHost};
MR_KERNELS(Pow, Gpu){
    GpuSlowBinary("T: half, bfloat16, float, double, int8, int16, int64, "
                  "complex64, complex128"),
    kInt32OnHost};
MR_KERNELS(RealDiv, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(MulNoNan, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(DivNoNan, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(Xdivy, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(Xlogy, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(Xlog1py, Gpu){GpuBinary(kGpuFloatsOrComplex)};
MR_KERNELS(Atan2, Gpu){GpuSlowBinary(kGpuFloats)};

}  // namespace millrace::ops
