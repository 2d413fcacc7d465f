// Kernels of MatMul, BatchMatMul and BatchMatMulV2 for GPUs. As in TensorFlow,
// integers are multiplied on the host.
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/product/batch_problem.h"
#include "millrace/ops/product/matrix_product.gpu.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

class GpuMatMulKernel {
 public:
  static StatusOr<GpuMatMulKernel> Make(const KernelInit& init) {
    GpuMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    k.product_ = GpuMatrixProduct(init, init.input_type(0));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    MR_RETURN_IF_ERROR(ExpectMatrices(a, b));
    MR_ASSIGN_OR_RETURN(const MatrixProblem p,
                        ProblemOfMatrices(a, transpose_a_, b, transpose_b_));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const c,
                        ctx.AllocateOutput(0, std::move(shape)));
    return product_.RunOrZero(ctx, p, GpuInput(a), GpuInput(b), GpuOutput(*c));
  }

 private:
  bool transpose_a_ = false, transpose_b_ = false;
  GpuMatrixProduct product_;
};

template <Batches kBatches>
class GpuBatchMatMulKernel {
 public:
  static StatusOr<GpuBatchMatMulKernel> Make(const KernelInit& init) {
    GpuBatchMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.adj_x_, init.Attr<bool>("adj_x"));
    MR_ASSIGN_OR_RETURN(k.adj_y_, init.Attr<bool>("adj_y"));
    k.product_ = GpuMatrixProduct(init, init.input_type(0), k.adj_x_, k.adj_y_);
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const BatchProblem batch,
                        BatchProblem::Of(x, adj_x_, y, adj_y_, kBatches));
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, batch.shape()));
    return product_.RunOrZero(ctx, batch.problem(), GpuInput(x), GpuInput(y),
                              GpuOutput(*z));
  }

 private:
  bool adj_x_ = false, adj_y_ = false;
  GpuMatrixProduct product_;
};

}  // namespace

#define MR_GPU_PRODUCT_TYPES \
  "T: bfloat16, half, float, double, complex64, complex128"

MR_KERNELS(MatMul, Gpu){
    {.types = MR_GPU_PRODUCT_TYPES, .make = MakeKernel<GpuMatMulKernel>},
    {.types = "T: int32, int64", .make = OnHost, .host = "*"},
};
MR_KERNELS(BatchMatMul, Gpu){
    {.types = MR_GPU_PRODUCT_TYPES,
     .make = MakeKernel<GpuBatchMatMulKernel<Batches::kEqual>>},
    {.types = "T: int32", .make = OnHost, .host = "*"},
};
MR_KERNELS(BatchMatMulV2, Gpu){
    {.types = MR_GPU_PRODUCT_TYPES,
     .make = MakeKernel<GpuBatchMatMulKernel<Batches::kBroadcast>>},
    {.types = "T: int32", .make = OnHost, .host = "*"},
};

}  // namespace millrace::ops
