// Kernels of MatMul, BatchMatMul and BatchMatMulV2.
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/product/batch_problem.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

class MatMulKernel {
 public:
  static StatusOr<MatMulKernel> Make(const KernelInit& init) {
    MatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    MR_RETURN_IF_ERROR(ExpectMatrices(a, b));
    MR_ASSIGN_OR_RETURN(const MatrixProblem p,
                        ProblemOfMatrices(a, transpose_a_, b, transpose_b_));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor * c, ctx.AllocateOutput(0, std::move(shape)));
    // A sum of no products is 0.
    if (p.m == 0 || p.n == 0 || p.k == 0) return ZeroTensor(ctx, c);
    return product_.Run(ctx, p, a.data(), b.data(), c->mutable_data());
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
  MatrixProduct product_;
};

template <Batches kBatches>
class BatchMatMulKernel {
 public:
  static StatusOr<BatchMatMulKernel> Make(const KernelInit& init) {
    BatchMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.adj_x_, init.Attr<bool>("adj_x"));
    MR_ASSIGN_OR_RETURN(k.adj_y_, init.Attr<bool>("adj_y"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const BatchProblem batch,
                        BatchProblem::Of(x, adj_x_, y, adj_y_, kBatches));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, batch.shape()));
    const MatrixProblem& p = batch.problem();
    if (z->num_elements() == 0 || p.k == 0) return ZeroTensor(ctx, z);
    return product_.Run(ctx, p, x.data(), y.data(), z->mutable_data());
  }

 private:
  bool adj_x_ = false;
  bool adj_y_ = false;
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(MatMul, Cpu){{
    .types =
        "T: bfloat16, half, float, double, int32, int64, complex64, complex128",
    .make = MakeKernel<MatMulKernel>,
}};
MR_KERNELS(BatchMatMul, Cpu){{
    .types =
        "T: bfloat16, half, float, double, int32, int64, complex64, complex128",
    .make = MakeKernel<BatchMatMulKernel<Batches::kEqual>>,
}};
MR_KERNELS(BatchMatMulV2, Cpu){{
    .types =
        "T: bfloat16, half, float, double, int16, int32, int64, complex64, "
        "complex128",
    .make = MakeKernel<BatchMatMulKernel<Batches::kBroadcast>>,
}};

}  // namespace millrace::ops
