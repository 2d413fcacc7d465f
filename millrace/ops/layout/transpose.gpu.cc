#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

MR_GPU_SOURCE(layout_transpose);

namespace millrace::ops {
namespace {

class ConjugateTransposeGpu {
 public:
  static StatusOr<ConjugateTransposeGpu> Make(const KernelInit& init) {
    ConjugateTransposeGpu k;
    const DataType type = RemoveRef(init.input_type(0));
    k.complex_ = IsComplex(type);
    if (!k.complex_) return k;
    MR_ASSIGN_OR_RETURN(
        k.conjugate_,
        LoadGpuFunction(
            init, MR_GPU_SOURCE_OF(layout_transpose), "Conjugate",
            {{"R", type == DataType::kComplex64 ? "float" : "double"}}));
    return k;
  }
  Status Run(KernelContext& ctx, const Mover& mover) const {
    if (!complex_) return RunTranspose(ctx, mover);
    MR_ASSIGN_OR_RETURN(Tensor* const y, TransposedCopy(ctx, mover));
    const int64_t n = y->num_elements();
    if (n == 0) return OkStatus();
    return LaunchGpu(ctx, conjugate_, GridOver(n), GpuOutput(*y),
                     static_cast<uint64_t>(n));
  }

 private:
  bool complex_ = false;
  GpuFunction conjugate_;
};

}  // namespace

MR_KERNELS(Transpose, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                            .make = MakeOnGpu<MoveBy<RunTranspose>>,
                            .host = "perm",
                            .views = "x"}};
MR_KERNELS(ConjugateTranspose, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                                     .make = MakeOnGpu<ConjugateTransposeGpu>,
                                     .host = "perm"}};
MR_KERNELS(InvertPermutation, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
