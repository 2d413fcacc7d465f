// Kernel of Einsum.
#include "millrace/base/check.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/product/einsum_kernel.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

// Returns a scalar one of the type.
Tensor OneOf(DataType type) {
  Tensor one = Tensor::New(type, TensorShape({}));
  const Status status =
      Dispatch(einsum::EinsumTypes{}, type, [&]<class T>() -> Status {
        one.mutable_flat<T>()[0] = T(1.0f);
        return OkStatus();
      });
  MR_CHECK(status.ok(), status.message());
  return one;
}

class CpuEinsumProducts {
 public:
  static StatusOr<CpuEinsumProducts> Make(const KernelInit&) {
    return CpuEinsumProducts();
  }
  Status Run(KernelContext& ctx, const MatrixProblem& p, const Tensor& a,
             const Tensor& b, Tensor* c) const {
    return product_.Run(ctx, p, a.data(), b.data(), c->mutable_data());
  }
  // As a product with ones.
  Status SumRows(KernelContext& ctx, const Mover& mover, const Tensor& terms,
                 int64_t rows, int64_t row, Tensor* out) const {
    const MatrixProblem p{.type = out->dtype(), .m = rows, .k = row, .n = 1};
    MR_ASSIGN_OR_RETURN(Tensor ones,
                        ctx.AllocateTemp(p.type, TensorShape({row})));
    MR_RETURN_IF_ERROR(mover.Fill(ctx, &ones, OneOf(p.type)));
    return Run(ctx, p, terms, ones, out);
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
