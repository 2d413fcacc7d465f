#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/factor.gpu.h"

namespace millrace::ops {
namespace {

template <bool kLog>
class DeterminantGpu {
 public:
  static StatusOr<DeterminantGpu> Make(const KernelInit& init) {
    DeterminantGpu k;
    MR_ASSIGN_OR_RETURN(k.factors_, GpuFactors::Make(init, init.input_type(0)));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
    Tensor* outs[2] = {};
    for (int i = 0; i < (kLog ? 2 : 1); ++i) {
      MR_ASSIGN_OR_RETURN(outs[i], AllocateBatch(ctx, i, b, {}));
    }
    if (b.count == 0) return OkStatus();
    GpuLuFactors f{.count = b.count, .n = b.rows};
    MR_ASSIGN_OR_RETURN(f.matrices,
                        factors_.Copy(ctx, x, b.count, b.rows, false));
    MR_RETURN_IF_ERROR(factors_.Lu(ctx, &f));
    return factors_.Determinants(ctx, f, outs[0], outs[1]);
  }

 private:
  GpuFactors factors_;
};

}  // namespace

MR_KERNELS(MatrixDeterminant, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<DeterminantGpu<false>>}};
MR_KERNELS(LogMatrixDeterminant, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<DeterminantGpu<true>>}};

}  // namespace millrace::ops
