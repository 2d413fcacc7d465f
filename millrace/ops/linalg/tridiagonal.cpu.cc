#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/tridiagonal_product.h"

namespace millrace::ops {
namespace {

// The diagonals of one matrix, each with n elements: upper[i] is right of
// main[i], and lower[i] left of it.
template <class S>
struct ThreeDiagonals {
  const S* upper;
  const S* main;
  const S* lower;
};

// Computes y = factor * x.
template <class S>
void SetTimes(S factor, const S* x, int64_t n, S* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

Status RunTridiagonalMatMul(KernelContext& ctx) {
  const Tensor& rhs = ctx.input(3);
  MR_ASSIGN_OR_RETURN(const MatrixBatch r, CheckTridiagonalProduct(ctx));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, rhs.shape()));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t n = r.rows, k = r.cols;
  return Dispatch(MatrixTypes{}, rhs.dtype(), [&]<class T>() -> Status {
    const T* from[3];
    for (int i = 0; i < 3; ++i) from[i] = ctx.input(i).flat<T>().data();
    const T* x = rhs.flat<T>().data();
    T* z = out->mutable_flat<T>().data();
    return ctx.ParallelFor(
        r.count * n, 3 * k + 5, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t i = row % n;
            T* to = z + row * k;
            SetTimes(from[1][row], x + row * k, k, to);
            if (i > 0) SubtractTimes(-from[2][row], x + (row - 1) * k, k, to);
            if (i + 1 < n) {
              SubtractTimes(-from[0][row], x + (row + 1) * k, k, to);
            }
          }
        });
  });
}

template <class S>
void FillNan(int64_t n, int64_t k, S* x) {
  constexpr auto kNan = std::numeric_limits<RealType<S>>::quiet_NaN();
  if constexpr (kIsReal<S>) {
    std::fill(x, x + n * k, kNan);
  } else {
    std::fill(x, x + n * k, S(kNan, kNan));
  }
}

// Solves in place of the right sides x, n rows of k numbers, without exchanging
// rows. Returns false if a pivot is 0.
template <class S>
bool SolveInOrder(const ThreeDiagonals<S>& d, int64_t n, int64_t k, S* x) {
  CountedVector<S> above(static_cast<size_t>(n));  // of U, whose diagonal is 1
  for (int64_t i = 0; i < n; ++i) {
    S pivot = d.main[i];
    S* row = x + i * k;
    if (i > 0) {
      pivot -= d.lower[i] * above[i - 1];
      SubtractTimes(d.lower[i], row - k, k, row);
    }
    if (pivot == S(0)) return false;
    if (i + 1 < n) above[i] = d.upper[i] / pivot;
    for (int64_t j = 0; j < k; ++j) row[j] /= pivot;
  }
  for (int64_t i = n - 2; i >= 0; --i) {
    SubtractTimes(above[i], x + (i + 1) * k, k, x + i * k);
  }
  return true;
}

// The upper triangular factor of a matrix with three diagonals: row i has
// elements in columns i to i + 2.
template <class S>
struct UpperBand {
  S at[3] = {};
};

enum class PivotRule { kLargest, kLargestInItsRow };

// Factors the matrix, exchanging neighbouring rows for larger pivots (compared
// with the sum of their rows, if the rule says so), and does to the right sides
// x what it does to rows. Returns false if a pivot is 0 and `rule` does not
// allow it.
template <PivotRule kRule, class S>
bool FactorBand(const ThreeDiagonals<S>& d, int64_t n, int64_t k,
                CountedVector<UpperBand<S>>* factor, S* x) {
  using R = RealType<S>;
  constexpr bool kScaled = kRule == PivotRule::kLargestInItsRow;
  CountedVector<UpperBand<S>>& u = *factor;
  u.assign(static_cast<size_t>(n), {});
  u[0].at[0] = d.main[0];
  if (n > 1) u[0].at[1] = d.upper[0];
  R scale = std::abs(u[0].at[0]) + std::abs(u[0].at[1]);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const S lower = d.lower[i + 1], main = d.main[i + 1];
    const S upper = i + 2 < n ? d.upper[i + 1] : S(0);
    S* row = x + i * k;
    S* next = row + k;
    R size = std::abs(u[i].at[0]), next_size = std::abs(lower);
    R next_scale = 0;
    if (kScaled) {
      next_scale = next_size + std::abs(main) + std::abs(upper);
      if (size != 0) size /= scale;
      if (next_size != 0) next_size /= next_scale;
    }
    if (next_size <= size || (kScaled && next_size == 0)) {
      scale = next_scale;
      u[i + 1].at[0] = main;
      u[i + 1].at[1] = upper;
      if (!kScaled && size == 0) return false;
      if (next_size == 0) continue;
      const S f = lower / u[i].at[0];
      u[i + 1].at[0] = main - f * u[i].at[1];
      SubtractTimes(f, row, k, next);
    } else {
      const S f = u[i].at[0] / lower;
      u[i + 1].at[0] = u[i].at[1] - f * main;
      u[i + 1].at[1] = -f * upper;
      u[i].at[0] = lower;
      u[i].at[1] = main;
      u[i].at[2] = upper;
      std::swap_ranges(row, row + k, next);
      SubtractTimes(f, row, k, next);
    }
  }
  return kScaled || u[n - 1].at[0] != S(0);
}

// Subtracts from row i of x what the rows below contribute.
template <class S>
void SubtractBelow(const CountedVector<UpperBand<S>>& u, int64_t i, int64_t n,
                   int64_t k, S* x) {
  for (int64_t j = 1; j < 3 && i + j < n; ++j) {
    SubtractTimes(u[i].at[j], x + (i + j) * k, k, x + i * k);
  }
}

template <class S>
bool SolvePivoted(const ThreeDiagonals<S>& d, int64_t n, int64_t k, S* x) {
  CountedVector<UpperBand<S>> u;
  if (!FactorBand<PivotRule::kLargest>(d, n, k, &u, x)) return false;
  for (int64_t i = n - 1; i >= 0; --i) {
    SubtractBelow(u, i, n, k, x);
    for (int64_t j = 0; j < k; ++j) x[i * k + j] /= u[i].at[0];
  }
  return true;
}

// Makes a pivot of 0, and one by which x would overflow, larger, by steps that
// double. Numbers and order are those of LAPACK's dlagts; the first step
// follows from the factor's elements without the last row but one, as in stock.
template <class S>
void SolvePerturbed(const ThreeDiagonals<S>& d, int64_t n, int64_t k, S* x) {
  using R = RealType<S>;
  constexpr R kLeast = std::numeric_limits<R>::min();
  CountedVector<UpperBand<S>> u;
  FactorBand<PivotRule::kLargestInItsRow>(d, n, k, &u, x);
  R largest = std::abs(u[n - 1].at[0]);
  const int64_t rows = n == 2 ? 1 : n - 2;
  for (int64_t i = 0; i < rows; ++i) {
    for (const S& element : u[i].at) {
      largest = std::max(largest, std::abs(element));
    }
  }
  const R first = std::max(kLeast, std::numeric_limits<R>::epsilon() * largest);
  for (int64_t i = n - 1; i >= 0; --i) {
    SubtractBelow(u, i, n, k, x);
    S* row = x + i * k;
    R most = 0;
    for (int64_t j = 0; j < k; ++j) most = std::max(most, std::abs(row[j]));
    S pivot = u[i].at[0];
    S by(first);
    if (pivot != S(0)) by = pivot / std::abs(pivot) * first;
    while (true) {
      const R size = std::abs(pivot);
      if (!(size < 1)) break;
      if (size < kLeast ? size != 0 && !(most * kLeast > size)
                        : !(most > size / kLeast)) {
        break;
      }
      pivot += by;
      by += by;
    }
    for (int64_t j = 0; j < k; ++j) row[j] /= pivot;
  }
}

class TridiagonalSolveKernel {
 public:
  static StatusOr<TridiagonalSolveKernel> Make(const KernelInit& init) {
    TridiagonalSolveKernel k;
    MR_ASSIGN_OR_RETURN(k.pivoting_, init.Attr<bool>("partial_pivoting"));
    MR_ASSIGN_OR_RETURN(k.perturb_, init.Attr<bool>("perturb_singular"));
    if (k.perturb_ && !k.pivoting_) {
      return InvalidArgument(
          "Setting perturb_singular requires also setting partial_pivoting.");
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& diagonals = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const MatrixBatch d, ReadBatch(diagonals));
    if (rhs.rank() != diagonals.rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
    MR_ASSIGN_OR_RETURN(const MatrixBatch r, ReadBatch(rhs, 1));
    if (r.dims != d.dims) {
      return InvalidArgument(
          "All input tensors must have the same outer dimensions.");
    }
    if (d.rows != 3) {
      return InvalidArgument(
          "Expected diagonals to be provided as a matrix with 3 rows, got ",
          d.rows, " rows.");
    }
    if (d.cols != r.rows) {
      return InvalidArgument(
          "Expected the same number of left-hand sides and right-hand sides, "
          "got ",
          d.cols, " and ", r.rows, ".");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, rhs.shape()));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = r.rows, k = r.cols;
    return Dispatch(MatrixTypes{}, rhs.dtype(), [&]<class T>() -> Status {
      const T* from = diagonals.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          r.count, n * (5 * k + 40), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const T* at = from + i * 3 * n;
              T* x = z + i * n * k;
              std::copy(y + i * n * k, y + (i + 1) * n * k, x);
              Solve<T>({at, at + n, at + 2 * n}, n, k, x);
            }
          });
    });
  }

 private:
  template <class T>
  void Solve(const ThreeDiagonals<T>& d, int64_t n, int64_t k, T* x) const {
    bool solved = true;
    if (perturb_) {
      SolvePerturbed(d, n, k, x);
    } else if (pivoting_) {
      solved = SolvePivoted(d, n, k, x);
    } else {
      solved = SolveInOrder(d, n, k, x);
    }
    if (!solved) FillNan(n, k, x);
  }

  bool pivoting_ = true, perturb_ = false;
};

}  // namespace

MR_KERNELS(TridiagonalMatMul,
           Cpu){{.types = MR_MATRIX_TYPES,
                 .make = MakeFunctionKernel<RunTridiagonalMatMul>}};

MR_KERNELS(TridiagonalSolve, Cpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TridiagonalSolveKernel>}};

}  // namespace millrace::ops
