#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/factor.gpu.h"

namespace millrace::ops {
namespace {

// Asynchronous: whether there is an inverse is copied to the host.
class InverseGpu {
 public:
  static StatusOr<InverseGpu> Make(const KernelInit& init) {
    InverseGpu k;
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    MR_ASSIGN_OR_RETURN(k.factors_, GpuFactors::Make(init, init.input_type(0)));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    FinishInvertible(ctx, Enqueue(ctx), "Input is not invertible.",
                     std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return Tensor();
    GpuLuFactors f{.count = b.count, .n = b.rows};
    MR_ASSIGN_OR_RETURN(f.matrices,
                        factors_.Copy(ctx, x, b.count, b.rows, adjoint_));
    MR_RETURN_IF_ERROR(factors_.Lu(ctx, &f));
    MR_RETURN_IF_ERROR(factors_.Solve(ctx, f, nullptr, b.rows, out));
    return factors_.FindSingular(ctx, f);
  }

  bool adjoint_ = false;
  GpuFactors factors_;
};

}  // namespace

MR_KERNELS(MatrixInverse, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<InverseGpu>}, kOnHostIfAsked};

}  // namespace millrace::ops
