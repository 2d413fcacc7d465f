// Kernel of Einsum on GPUs. As in TensorFlow, integers are left to the host.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/product/einsum_kernel.h"
#include "millrace/ops/product/matrix_product.gpu.h"
#include "millrace/ops/reduction/reduce.gpu.h"

namespace millrace::ops {
namespace {

class GpuEinsumProducts {
 public:
  static StatusOr<GpuEinsumProducts> Make(const KernelInit& init) {
    GpuEinsumProducts p;
    p.product_ = GpuMatrixProduct(init, init.output_type(0));
    MR_ASSIGN_OR_RETURN(p.sum_,
                        GpuReducer::Make(init, init.output_type(0), "AddOf"));
    return p;
  }
  Status Run(KernelContext& ctx, const MatrixProblem& p, const Tensor& a,
             const Tensor& b, Tensor* c) const {
    return product_.Run(ctx, p, GpuInput(a), GpuInput(b), GpuOutput(*c));
  }
  Status SumRows(KernelContext& ctx, const Mover&, const Tensor& terms,
                 int64_t rows, int64_t row, Tensor* out) const {
    return sum_.Reduce(ctx, terms.Reshaped(TensorShape({rows, row})),
                       {false, true}, out);
  }

 private:
  GpuMatrixProduct product_;
  GpuReducer sum_;
};

}  // namespace

MR_KERNELS(Einsum, Gpu){
    {.types = "T: bfloat16, half, float, double, complex64, complex128",
     .make = MakeOnGpu<EinsumKernel<GpuEinsumProducts>>,
     .views = "inputs"},
    kOnHostIfAsked};

}  // namespace millrace::ops
