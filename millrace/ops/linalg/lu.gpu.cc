#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/factor.gpu.h"

namespace millrace::ops {
namespace {

// Asynchronous: whether there are factors is copied to the host.
class LuGpu {
 public:
  static StatusOr<LuGpu> Make(const KernelInit& init) {
    LuGpu k;
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
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadLuBatch(x));
    MR_ASSIGN_OR_RETURN(Tensor* const lu, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const order,
                        AllocateBatch(ctx, 1, b, {b.rows}));
    if (lu->num_elements() == 0) return Tensor();
    MR_RETURN_IF_ERROR(factors_.CopyTo(ctx, x, b.count, b.rows, false, lu));
    GpuLuFactors f{.count = b.count, .n = b.rows, .matrices = *lu};
    const bool wide = order->dtype() == DataType::kInt64;
    if (!wide) f.orders = *order;
    MR_RETURN_IF_ERROR(factors_.Lu(ctx, &f));
    if (wide) MR_RETURN_IF_ERROR(factors_.WidenOrders(ctx, f, order));
    return factors_.FindSingular(ctx, f);
  }

  GpuFactors factors_;
};

}  // namespace

MR_KERNELS(Lu, Gpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<LuGpu>}};

}  // namespace millrace::ops
