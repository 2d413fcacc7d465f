#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/cholesky_factor.h"

namespace millrace::ops {
namespace {

Status RunCholesky(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t n = b.rows;
  return Dispatch(MatrixTypes{}, x.dtype(), [&]<class T>() -> Status {
    const T* from = x.flat<T>().data();
    T* to = out->mutable_flat<T>().data();
    return ForMatrices(ctx, b.count, n, "", [&](int64_t i, StopFlag& stop) {
      Matrix<T> m = ReadMatrix<T>(from + i * n * n, n, n);
      if (!FactorCholesky(&m, stop)) {
        // A matrix that is not positive definite is not an error, since a
        // training step may have one temporarily.
        const T nan(std::numeric_limits<RealType<T>>::quiet_NaN());
        for (int64_t r = 0; r < n; ++r) {
          std::fill(m.row(r), m.row(r) + r + 1, nan);
          std::fill(m.row(r) + r + 1, m.row(r) + n, T(0));
        }
      }
      WriteMatrix(m, n, n, to + i * n * n);
      return true;
    });
  });
}

// Computes L^-H tril(L^H dL, half its diagonal) L^-1, made symmetric, where L
// is the result of Cholesky.
Status RunCholeskyGrad(KernelContext& ctx) {
  const Tensor& l = ctx.input(0);
  const Tensor& grad = ctx.input(1);
  MR_RETURN_IF_ERROR(ReadBatch(l).status());
  MR_RETURN_IF_ERROR(ExpectSameBatches(l, grad));
  if (l.shape() != grad.shape()) {
    return InvalidArgument("Inputs (L and grad) must have the same shape.");
  }
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(l));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, l.shape()));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t n = b.rows;
  return Dispatch<float, double>(l.dtype(), [&]<class T>() -> Status {
    const T* from = l.flat<T>().data();
    const T* dy = grad.flat<T>().data();
    T* to = out->mutable_flat<T>().data();
    return ForMatrices(ctx, b.count, n, "", [&](int64_t i, StopFlag& stop) {
      Matrix<T> lower = ReadMatrix<T>(from + i * n * n, n, n);
      Matrix<T> d = ReadMatrix<T>(dy + i * n * n, n, n);
      for (int64_t r = 0; r < n; ++r) {
        std::fill(lower.row(r) + r + 1, lower.row(r) + n, T(0));
        std::fill(d.row(r) + r + 1, d.row(r) + n, T(0));
      }
      const Matrix<T> upper = lower.Adjoint();
      Matrix<T> p = Product(upper, d, stop);
      for (int64_t r = 0; r < n; ++r) {
        p(r, r) /= 2;
        std::fill(p.row(r) + r + 1, p.row(r) + n, T(0));
      }
      SolveTriangle(upper, Triangle::kUpper, Diagonal::kAsGiven, &p, stop);
      p = p.Adjoint();
      SolveTriangle(upper, Triangle::kUpper, Diagonal::kAsGiven, &p, stop);
      T* z = to + i * n * n;
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) z[r * n + c] = (p(r, c) + p(c, r)) / 2;
      }
      return true;
    });
  });
}

}  // namespace

MR_KERNELS(Cholesky, Cpu){
    {.types = MR_MATRIX_TYPES, .make = MakeFunctionKernel<RunCholesky>}};

MR_KERNELS(BatchCholesky, Cpu){
    {.types = "T: float, double", .make = MakeFunctionKernel<RunCholesky>}};

MR_KERNELS(CholeskyGrad, Cpu){
    {.types = "T: float, double", .make = MakeFunctionKernel<RunCholeskyGrad>}};

MR_KERNELS(BatchCholeskyGrad, Cpu){
    {.types = "T: float, double", .make = MakeFunctionKernel<RunCholeskyGrad>}};

}  // namespace millrace::ops
