// Kernel of SparseMatMul.
#include <cmath>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

// Returns a matrix as rows of floats, transposed if asked. It is `t` itself if
// nothing changes.
StatusOr<Tensor> FloatRows(KernelContext& ctx, const Tensor& t,
                           bool transpose) {
  if (t.dtype() == DataType::kFloat && !transpose) return t;
  const int64_t rows = t.dim(transpose ? 1 : 0),
                cols = t.dim(transpose ? 0 : 1);
  MR_ASSIGN_OR_RETURN(Tensor copy, ctx.AllocateTemp(DataType::kFloat,
                                                    TensorShape({rows, cols})));
  float* to = copy.mutable_flat<float>().data();
  const auto fill = [&](const auto* from) {
    return ctx.ParallelFor(rows, cols + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < cols; ++j) {
          to[i * cols + j] =
              static_cast<float>(from[transpose ? j * rows + i : i * cols + j]);
        }
      }
    });
  };
  MR_RETURN_IF_ERROR(t.dtype() == DataType::kFloat
                         ? fill(t.flat<float>().data())
                         : fill(t.flat<Bfloat16>().data()));
  return copy;
}

bool HasManyZeros(const Tensor& t) {
  int64_t zeros = 0;
  for (const float x : t.flat<float>()) zeros += x == 0;
  return zeros > t.num_elements() / 4 * 3;
}

bool IsFinite(const Tensor& t) {
  // The products with 0 are 0, or else NaN.
  float sum = 0;
  for (const float x : t.flat<float>()) sum += x * 0.0f;
  return sum == 0;
}

class SparseMatMulKernel {
 public:
  static StatusOr<SparseMatMulKernel> Make(const KernelInit& init) {
    SparseMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    MR_ASSIGN_OR_RETURN(k.a_is_sparse_, init.Attr<bool>("a_is_sparse"));
    MR_ASSIGN_OR_RETURN(k.b_is_sparse_, init.Attr<bool>("b_is_sparse"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.rank() != 2) return InvalidArgument("a is not a matrix");
    if (b.rank() != 2) return InvalidArgument("b is not a matrix");
    MatrixProblem p;
    p.type = DataType::kFloat;
    p.m = a.dim(transpose_a_ ? 1 : 0);
    p.k = a.dim(transpose_a_ ? 0 : 1);
    p.n = b.dim(transpose_b_ ? 0 : 1);
    if (p.k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument(
          "Matrix size incompatible: a: ", a.shape().DebugString(),
          ", b: ", b.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const c,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (p.m == 0 || p.n == 0 || p.k == 0) return ZeroTensor(ctx, c);
    MR_ASSIGN_OR_RETURN(const Tensor x, FloatRows(ctx, a, transpose_a_));
    MR_ASSIGN_OR_RETURN(const Tensor y, FloatRows(ctx, b, transpose_b_));
    const bool skips = a_is_sparse_   ? HasManyZeros(x) || !IsFinite(y)
                       : b_is_sparse_ ? HasManyZeros(y) || !IsFinite(x)
                                      : false;
    if (skips) return MultiplySkipping(ctx, p, x, y, c);
    return product_.Run(ctx, p, x.data(), y.data(), c->mutable_data());
  }

 private:
  // Leaves out the products with zeros of a or, if only b is sparse, of b.
  Status MultiplySkipping(KernelContext& ctx, const MatrixProblem& p,
                          const Tensor& a, const Tensor& b, Tensor* c) const {
    const float* x = a.flat<float>().data();
    const float* y = b.flat<float>().data();
    float* z = c->mutable_flat<float>().data();
    const bool skip_a = a_is_sparse_;
    return ctx.ParallelFor(
        p.m, p.k * p.n / 8 + 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            float* to = z + i * p.n;
            std::fill(to, to + p.n, 0.0f);
            for (int64_t d = 0; d < p.k; ++d) {
              const float factor = x[i * p.k + d];
              const float* row = y + d * p.n;
              if (!skip_a) {
                for (int64_t j = 0; j < p.n; ++j) {
                  to[j] += row[j] == 0 ? 0.0f : factor * row[j];
                }
              } else if (factor != 0) {
                for (int64_t j = 0; j < p.n; ++j) to[j] += factor * row[j];
              }
            }
          }
        });
  }

  bool transpose_a_ = false, transpose_b_ = false;
  bool a_is_sparse_ = false, b_is_sparse_ = false;
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(SparseMatMul, Cpu){{.make = MakeKernel<SparseMatMulKernel>}};

}  // namespace millrace::ops
