#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/cholesky_factor.h"
#include "millrace/ops/linalg/qr_factors.h"

namespace millrace::ops {
namespace {

// Solves the normal equations, with `l2` added to their diagonal: those of x
// or, for a wide matrix, those of the smallest x. Returns false if they are not
// positive definite.
template <class S>
bool SolveNormalEquations(const Matrix<S>& a, const Matrix<S>& b, double l2,
                          Matrix<S>* x, StopFlag& stop) {
  const Matrix<S> adjoint = a.Adjoint();
  const bool tall = a.rows() >= a.cols();
  Matrix<S> gram = tall ? Product(adjoint, a, stop) : Product(a, adjoint, stop);
  for (int64_t i = 0; i < gram.rows(); ++i) {
    gram(i, i) += S(static_cast<RealType<S>>(l2));
  }
  if (!FactorCholesky(&gram, stop)) return false;
  Matrix<S> y = tall ? Product(adjoint, b, stop) : b;
  SolveTriangle(gram, Triangle::kLower, Diagonal::kAsGiven, &y, stop);
  SolveTriangle(gram.Adjoint(), Triangle::kUpper, Diagonal::kAsGiven, &y, stop);
  *x = tall ? std::move(y) : Product(adjoint, y, stop);
  return true;
}

// Returns the number of the column in [k, n) whose elements from row k on have
// the largest sum of squares.
template <class S>
int64_t LargestRest(const Matrix<S>& a, int64_t k) {
  CountedVector<RealType<S>> squares(static_cast<size_t>(a.cols()));
  for (int64_t i = k; i < a.rows(); ++i) {
    for (int64_t j = k; j < a.cols(); ++j) squares[j] += SquareOf(a(i, j));
  }
  return std::max_element(squares.begin() + k, squares.end()) - squares.begin();
}

// Returns the smallest x for which A x is closest to b. Factors A P = Q R with
// columns in an order that makes the diagonal of R decrease; what is as small
// as a rounding error counts as zero.
template <class S>
Matrix<S> SolveByRank(Matrix<S> a, Matrix<S> b, StopFlag& stop) {
  using R = RealType<S>;
  const int64_t m = a.rows(), n = a.cols(), k = b.cols();
  const int64_t steps = std::min(m, n);
  CountedVector<int64_t> order(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  CountedVector<S> work(static_cast<size_t>(std::max(n, k)));
  R largest = 0;
  for (int64_t i = 0; i < steps; ++i) {
    if (stop.IsSet(4 * (m - i) * (n - i + k))) break;
    const int64_t pivot = LargestRest(a, i);
    if (pivot != i) {
      for (int64_t r = 0; r < m; ++r) std::swap(a(r, i), a(r, pivot));
      std::swap(order[i], order[pivot]);
    }
    const S tau = MakeReflection(a.row(i) + i, m - i, n);
    ApplyReflection(a, i, tau, i + 1, n, work.data(), &a);
    ApplyReflection(a, i, tau, 0, k, work.data(), &b);
    largest = std::max(largest, std::abs(a(i, i)));
  }
  const R least =
      largest * static_cast<R>(steps) * std::numeric_limits<R>::epsilon();
  int64_t rank = 0;
  for (int64_t i = 0; i < steps; ++i) rank += std::abs(a(i, i)) > least;

  Matrix<S> y(rank, k);
  std::copy(b.data(), b.data() + rank * k, y.data());
  if (rank < n) {
    // The first rows of R are L Q^H: the smallest solution is Q L^-1 y.
    Matrix<S> rows(n, rank), q, upper;
    for (int64_t i = 0; i < rank; ++i) {
      for (int64_t j = i; j < n; ++j) rows(j, i) = ConjugateOf(a(i, j));
    }
    FactorQr(std::move(rows), rank, &q, &upper, stop);
    Matrix<S> lower(rank, rank);
    for (int64_t i = 0; i < rank; ++i) {
      for (int64_t j = 0; j <= i; ++j) lower(i, j) = ConjugateOf(upper(j, i));
    }
    SolveTriangle(lower, Triangle::kLower, Diagonal::kAsGiven, &y, stop);
    y = Product(q, y, stop);
  } else {
    Matrix<S> upper(n, n);
    for (int64_t i = 0; i < n; ++i) {
      std::copy(a.row(i) + i, a.row(i) + n, upper.row(i) + i);
    }
    SolveTriangle(upper, Triangle::kUpper, Diagonal::kAsGiven, &y, stop);
  }
  Matrix<S> x(n, k);
  for (int64_t i = 0; i < n; ++i) {
    std::copy(y.row(i), y.row(i) + k, x.row(order[i]));
  }
  return x;
}

class LeastSquaresKernel {
 public:
  static StatusOr<LeastSquaresKernel> Make(const KernelInit& init) {
    LeastSquaresKernel k;
    MR_ASSIGN_OR_RETURN(k.fast_, init.Attr<bool>("fast"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    const Tensor& l2_input = ctx.input(2);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(a));
    if (rhs.rank() != a.rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
    MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadRightSides(rhs, b));
    if (l2_input.rank() != 0) {
      return InvalidArgument("l2_regularizer must be scalar, got shape ",
                             l2_input.shape().DebugString());
    }
    const double l2 = l2_input.scalar<double>();
    if (!(l2 >= 0)) return InvalidArgument("l2_regularizer must be >= 0.");
    const int64_t m = b.rows, n = b.cols, k = r.cols;
    MR_ASSIGN_OR_RETURN(Tensor* const out, AllocateBatch(ctx, 0, b, {n, k}));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch(MatrixTypes{}, a.dtype(), [&]<class T>() -> Status {
      const T* from = a.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(
          ctx, b.count, std::max({m, n, k}),
          "Input matrix was rank deficient or ill-conditioned. Try setting "
          "fast=False or provide a larger l2_regularizer > 0.",
          [&](int64_t i, StopFlag& stop) {
            Matrix<T> matrix = ReadMatrix<T>(from + i * m * n, m, n);
            Matrix<T> right = ReadMatrix<T>(y + i * m * k, m, k);
            Matrix<T> x;
            if (!fast_) {
              x = SolveByRank(std::move(matrix), std::move(right), stop);
            } else if (!SolveNormalEquations(matrix, right, l2, &x, stop)) {
              return false;
            }
            WriteMatrix(x, n, k, to + i * n * k);
            return true;
          });
    });
  }

 private:
  bool fast_ = true;
};

}  // namespace

MR_KERNELS(MatrixSolveLs, Cpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<LeastSquaresKernel>}};
MR_KERNELS(BatchMatrixSolveLs, Cpu){
    {.types = "T: float, double", .make = MakeKernel<LeastSquaresKernel>}};

}  // namespace millrace::ops
