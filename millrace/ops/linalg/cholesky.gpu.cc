#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/factor.gpu.h"

namespace millrace::ops {
namespace {

class CholeskyGpu {
 public:
  static StatusOr<CholeskyGpu> Make(const KernelInit& init) {
    CholeskyGpu k;
    MR_ASSIGN_OR_RETURN(k.factors_, GpuFactors::Make(init, init.input_type(0)));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(factors_.CopyTo(ctx, x, b.count, b.rows, false, out));
    return factors_.Cholesky(ctx, b.count, b.rows, out);
  }

 private:
  GpuFactors factors_;
};

}  // namespace

MR_KERNELS(Cholesky,
           Gpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<CholeskyGpu>}};

}  // namespace millrace::ops
