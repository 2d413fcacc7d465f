// Kernels of MatMul, BatchMatMul and BatchMatMulV2.
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/broadcast.h"
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

// Returns the leading dimensions.
TensorShape BatchShape(const Tensor& t) {
  const DimVector dims = t.shape().dims();
  return TensorShape(absl::MakeConstSpan(dims).first(dims.size() - 2));
}

enum class Batches { kEqual, kBroadcast };

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
    MR_RETURN_IF_ERROR(CheckRanks(x, y));
    const TensorShape x_batch = BatchShape(x);
    const TensorShape y_batch = BatchShape(y);
    StatusOr<Broadcast> batch = Broadcast::Make({&x_batch, &y_batch});
    if (!batch.ok()) {
      return InvalidArgument(
          "In[0] and In[1] must have compatible batch dimensions: ",
          x.shape().DebugString(), " vs. ", y.shape().DebugString());
    }
    MatrixProblem p;
    p.type = x.dtype();
    p.transpose_a = p.conjugate_a = adj_x_;
    p.transpose_b = p.conjugate_b = adj_y_;
    p.m = x.dim(x.rank() - (adj_x_ ? 1 : 2));
    p.k = x.dim(x.rank() - (adj_x_ ? 2 : 1));
    p.n = y.dim(y.rank() - (adj_y_ ? 2 : 1));
    if (p.k != y.dim(y.rank() - (adj_y_ ? 1 : 2))) {
      return InvalidArgument(
          "Matrix size-incompatible: In[0]: ", x.shape().DebugString(),
          ", In[1]: ", y.shape().DebugString(), " ", adj_x_ ? 1 : 0, " ",
          adj_y_ ? 1 : 0);
    }
    DimVector dims = batch->shape().dims();
    dims.push_back(p.m);
    dims.push_back(p.n);
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, std::move(shape)));
    p.batches = batch->total();
    if (z->num_elements() == 0 || p.k == 0) return ZeroTensor(ctx, z);
    std::vector<int64_t> x_index, y_index;
    if (batch->IsDense(0) && y_batch.num_elements() == 1 && !adj_x_) {
      // All products share one matrix, so the rows of the other ones form one
      // tall matrix.
      p.m *= p.batches;
      p.batches = 1;
    } else if (!batch->IsDense(0) || !batch->IsDense(1)) {
      x_index = Index(*batch, 0);
      y_index = Index(*batch, 1);
      p.a_index = x_index;
      p.b_index = y_index;
    }
    return product_.Run(ctx, p, x.data(), y.data(), z->mutable_data());
  }

 private:
  static Status CheckRanks(const Tensor& x, const Tensor& y) {
    if (kBatches == Batches::kEqual) {
      if (x.rank() != y.rank()) {
        return InvalidArgument(
            "In[0] and In[1] has different ndims: ", x.shape().DebugString(),
            " vs. ", y.shape().DebugString());
      }
      for (int d = 0; d < x.rank() - 2; ++d) {
        if (x.dim(d) != y.dim(d)) {
          return InvalidArgument(
              "In[0].dim(", d, ") and In[1].dim(", d,
              ") must be the same: ", x.shape().DebugString(), " vs ",
              y.shape().DebugString());
        }
      }
    }
    if (x.rank() < 2) {
      return InvalidArgument("In[0] ndims must be >= 2: ", x.rank());
    }
    if (y.rank() < 2) {
      return InvalidArgument("In[1] ndims must be >= 2: ", y.rank());
    }
    return OkStatus();
  }

  // Returns the index of the operand's matrix for each product.
  static std::vector<int64_t> Index(const Broadcast& batch, int operand) {
    std::vector<int64_t> index(batch.total());
    const bool scalar = batch.inner_is_scalar(operand);
    batch.ForEachSpan(0, batch.total(),
                      [&](const int64_t* offsets, int64_t begin, int64_t n) {
                        for (int64_t i = 0; i < n; ++i) {
                          index[begin + i] =
                              offsets[operand] + (scalar ? 0 : i);
                        }
                      });
    return index;
  }

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
