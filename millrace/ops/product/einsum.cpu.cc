// Kernel of Einsum.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/product/einsum_kernel.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

class CpuEinsumProducts {
 public:
  static StatusOr<CpuEinsumProducts> Make(const KernelInit&) {
    return CpuEinsumProducts();
  }
  Status Run(KernelContext& ctx, const MatrixProblem& p, const Tensor& a,
             const Tensor& b, Tensor* c) const {
    return product_.Run(ctx, p, a.data(), b.data(), c->mutable_data());
  }

 private:
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(Einsum, Cpu){{
    .types = "T: bfloat16, half, float, double, int32, int64, complex64, "
             "complex128",
    .make = MakeOnCpu<EinsumKernel<CpuEinsumProducts>>,
    .views = "inputs",
}};

}  // namespace millrace::ops
