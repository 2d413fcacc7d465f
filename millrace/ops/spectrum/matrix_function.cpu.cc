// Kernels of functions of matrices, by the algorithms of Higham, "Functions of
// Matrices" (2008).
#include <cmath>
#include <initializer_list>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/lu_factors.h"
#include "millrace/ops/spectrum/schur.h"

namespace millrace::ops {
namespace {

// Returns the largest sum of a column's absolute values.
template <class S>
RealType<S> LargestColumn(const Matrix<S>& m) {
  CountedVector<RealType<S>> sums(static_cast<size_t>(m.cols()));
  for (int64_t i = 0; i < m.rows(); ++i) {
    for (int64_t j = 0; j < m.cols(); ++j) sums[j] += std::abs(m(i, j));
  }
  RealType<S> largest = 0;
  for (const RealType<S> sum : sums) {
    if (sum > largest || std::isnan(sum)) largest = sum;
  }
  return largest;
}

template <class S>
void AddTimes(double factor, const Matrix<S>& x, Matrix<S>* y) {
  SubtractTimes(S(static_cast<RealType<S>>(-factor)), x.data(), x.size(),
                y->data());
}

// Returns exp(A) as a quotient of polynomials whose coefficients are given,
// that of A^k at k; there are at most ten, or 14.
template <class S>
Matrix<S> ExponentialQuotient(const Matrix<S>& a,
                              std::initializer_list<double> coefficients,
                              StopFlag& stop) {
  const int64_t n = a.rows();
  const auto b = coefficients.begin();
  const auto size = static_cast<int>(coefficients.size());
  // powers[i] is A to the power of 2 i.
  std::vector<Matrix<S>> powers = {Matrix<S>::Identity(n, n),
                                   Product(a, a, stop)};
  const int most = size > 10 ? 3 : (size - 1) / 2;
  while (static_cast<int>(powers.size()) <= most) {
    powers.push_back(Product(powers.back(), powers[1], stop));
  }
  Matrix<S> even(n, n), odd(n, n);
  if (size > 10) {
    for (int i = 1; i <= 3; ++i) {
      AddTimes(b[6 + 2 * i], powers[i], &even);
      AddTimes(b[7 + 2 * i], powers[i], &odd);
    }
    even = Product(powers[3], even, stop);
    odd = Product(powers[3], odd, stop);
  }
  for (int i = 0; i <= most; ++i) {
    AddTimes(b[2 * i], powers[i], &even);
    AddTimes(b[2 * i + 1], powers[i], &odd);
  }
  odd = Product(a, odd, stop);
  Matrix<S> below = even;
  AddTimes(-1, odd, &below);
  AddTimes(1, odd, &even);
  return SolveLu(FactorLu(std::move(below), stop), even, stop);
}

// Chooses the smallest degree that is exact to the precision of S; beyond all,
// computes exp(A / 2^k) and squares it k times.
template <class S>
Matrix<S> Exponential(Matrix<S> a, StopFlag& stop) {
  constexpr bool kIsDouble = std::is_same_v<RealType<S>, double>;
  static constexpr std::initializer_list<double> kDegree3 = {120, 60, 12, 1};
  static constexpr std::initializer_list<double> kDegree5 = {30240, 15120, 3360,
                                                             420,   30,    1};
  static constexpr std::initializer_list<double> kDegree7 = {
      17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
  static constexpr std::initializer_list<double> kDegree9 = {
      17643225600.0, 8821612800.0, 2075673600, 302702400, 30270240,
      2162160,       110880,       3960,       90,        1};
  static constexpr std::initializer_list<double> kDegree13 = {
      64764752532480000.0,
      32382376266240000.0,
      7771770303897600.0,
      1187353796428800.0,
      129060195264000.0,
      10559470521600.0,
      670442572800.0,
      33522128640.0,
      1323241920,
      40840800,
      960960,
      16380,
      182,
      1};
  const double norm = LargestColumn(a);
  if (norm < (kIsDouble ? 1.495585217958292e-2 : 4.258730016922831e-1)) {
    return ExponentialQuotient(a, kDegree3, stop);
  }
  if (norm < (kIsDouble ? 2.539398330063230e-1 : 1.880152677804762)) {
    return ExponentialQuotient(a, kDegree5, stop);
  }
  if (kIsDouble && norm < 9.504178996162932e-1) {
    return ExponentialQuotient(a, kDegree7, stop);
  }
  if (kIsDouble && norm < 2.097847961257068) {
    return ExponentialQuotient(a, kDegree9, stop);
  }
  int squarings = 0;
  if (std::isfinite(norm)) {
    std::frexp(norm / (kIsDouble ? 5.371920351148152 : 3.925724783138660),
               &squarings);
  }
  squarings = std::max(squarings, 0);
  for (int64_t i = 0; i < a.size(); ++i) {
    if constexpr (kIsReal<S>) {
      a.data()[i] = std::ldexp(a.data()[i], -squarings);
    } else {
      a.data()[i] = {std::ldexp(a.data()[i].real(), -squarings),
                     std::ldexp(a.data()[i].imag(), -squarings)};
    }
  }
  Matrix<S> result =
      ExponentialQuotient(a, kIsDouble ? kDegree13 : kDegree7, stop);
  for (int i = 0; i < squarings && !stop.IsSet(0); ++i) {
    result = Product(result, result, stop);
  }
  return result;
}

// Returns the square root of an upper triangular matrix.
template <class S>
Matrix<S> TriangularRoot(const Matrix<S>& t, StopFlag& stop) {
  const int64_t n = t.rows();
  Matrix<S> root(n, n);
  for (int64_t j = 0; j < n; ++j) {
    if (stop.IsSet(j * j)) break;
    root(j, j) = std::sqrt(t(j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      S rest = t(i, j);
      for (int64_t k = i + 1; k < j; ++k) rest -= root(i, k) * root(k, j);
      root(i, j) = rest / (root(i, i) + root(j, j));
    }
  }
  return root;
}

// Returns the logarithm of an upper triangular matrix without zeros on its
// diagonal: 2^k times that of the root which is taken k times, until it is
// close to I. That is a sum of 7 quotients (Gauss's quadrature of the integral
// of (A - I) / (I + x (A - I))).
template <class S>
Matrix<S> TriangularLogarithm(const Matrix<S>& t, StopFlag& stop) {
  using R = RealType<S>;
  constexpr R kClose = R(0.264);
  constexpr int kMostRoots = 100;
  constexpr double kPlaces[] = {0,
                                0.4058451513773971669,
                                -0.4058451513773971669,
                                0.7415311855993944399,
                                -0.7415311855993944399,
                                0.9491079123427585245,
                                -0.9491079123427585245};
  constexpr double kWeights[] = {0.4179591836734693878, 0.3818300505051189450,
                                 0.3818300505051189450, 0.2797053914892766679,
                                 0.2797053914892766679, 0.1294849661688696933,
                                 0.1294849661688696933};
  const int64_t n = t.rows();
  const Matrix<S> one = Matrix<S>::Identity(n, n);
  Matrix<S> x = t;
  AddTimes(-1, one, &x);
  int roots = 0;
  for (Matrix<S> root = t; roots < kMostRoots && LargestColumn(x) > kClose;
       ++roots) {
    if (stop.IsSet(n * n)) return x;
    root = TriangularRoot(root, stop);
    x = root;
    AddTimes(-1, one, &x);
  }
  Matrix<S> sum(n, n);
  for (int i = 0; i < 7; ++i) {
    Matrix<S> below = one;
    AddTimes((1 + kPlaces[i]) / 2, x, &below);
    Matrix<S> part = x;
    SolveTriangle(below, Triangle::kUpper, Diagonal::kAsGiven, &part, stop);
    AddTimes(std::ldexp(kWeights[i] / 2, roots), part, &sum);
  }
  for (int64_t i = 0; i < n; ++i) sum(i, i) = std::log(t(i, i));
  return sum;
}

template <class S>
Matrix<S> NotNumbers(int64_t n) {
  Matrix<S> m(n, n);
  constexpr auto kNan = std::numeric_limits<RealType<S>>::quiet_NaN();
  S nan(kNan);
  if constexpr (!kIsReal<S>) nan = S(kNan, kNan);
  std::fill(m.data(), m.data() + m.size(), nan);
  return m;
}

template <class S>
Matrix<S> Logarithm(Matrix<S> a, StopFlag& stop) {
  const int64_t n = a.rows();
  Matrix<S> u;
  if (!FactorSchur(&a, &u, stop)) return NotNumbers<S>(n);
  for (int64_t i = 0; i < n; ++i) {
    if (a(i, i) == S(0)) return NotNumbers<S>(n);
  }
  const Matrix<S> t = TriangularLogarithm(a, stop);
  return Product(Product(u, t, stop), u.Adjoint(), stop);
}

// Prepares the eigenvalues of a real matrix for a real root. Returns false if
// one is negative, so that there is none. One that only rounding made negative
// becomes 0.
template <class C>
bool HasRealRoot(Matrix<C>* t) {
  using R = RealType<C>;
  const int64_t n = t->rows();
  const R tolerance = 4 * static_cast<R>(n) *
                      std::numeric_limits<R>::epsilon() * t->LargestElement();
  for (int64_t i = 0; i < n; ++i) {
    C& value = (*t)(i, i);
    if (!(value.real() < 0) || std::abs(value.imag()) > tolerance) continue;
    if (n == 1 || std::abs(value) > tolerance) return false;
    value = C(0);
  }
  return true;
}

template <class S>
Matrix<S> SquareRoot(const Matrix<S>& a, StopFlag& stop) {
  using C = std::complex<RealType<S>>;
  const int64_t n = a.rows();
  Matrix<C> t(n, n), u;
  std::copy(a.data(), a.data() + a.size(), t.data());
  if (!FactorSchur(&t, &u, stop)) return NotNumbers<S>(n);
  if constexpr (kIsReal<S>) {
    if (!HasRealRoot(&t)) return NotNumbers<S>(n);
  }
  t = Product(Product(u, TriangularRoot(t, stop), stop), u.Adjoint(), stop);
  if constexpr (kIsReal<S>) {
    Matrix<S> real(n, n);
    for (int64_t i = 0; i < t.size(); ++i) real.data()[i] = t.data()[i].real();
    return real;
  } else {
    return t;
  }
}

enum class MatrixFunction { kExponential, kLogarithm, kSquareRoot };

template <MatrixFunction kFunction>
Status RunMatrixFunction(KernelContext& ctx) {
  using AllTypes = std::conditional_t<kFunction == MatrixFunction::kLogarithm,
                                      ComplexTypes, MatrixTypes>;
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t n = b.rows;
  return Dispatch(AllTypes{}, x.dtype(), [&]<class T>() -> Status {
    const T* from = x.flat<T>().data();
    T* to = out->mutable_flat<T>().data();
    return ForMatrices(ctx, b.count, n, "", [&](int64_t i, StopFlag& stop) {
      Matrix<T> m = ReadMatrix<T>(from + i * n * n, n, n);
      if constexpr (kFunction == MatrixFunction::kExponential) {
        m = Exponential(std::move(m), stop);
      } else if constexpr (kFunction == MatrixFunction::kLogarithm) {
        m = Logarithm(std::move(m), stop);
      } else {
        m = SquareRoot(m, stop);
      }
      WriteMatrix(m, n, n, to + i * n * n);
      return true;
    });
  });
}

}  // namespace

MR_KERNELS(MatrixExponential, Cpu){
    {.types = MR_MATRIX_TYPES,
     .make =
         MakeFunctionKernel<RunMatrixFunction<MatrixFunction::kExponential>>}};

MR_KERNELS(MatrixLogarithm, Cpu){
    {.types = "T: complex64, complex128",
     .make =
         MakeFunctionKernel<RunMatrixFunction<MatrixFunction::kLogarithm>>}};

MR_KERNELS(MatrixSquareRoot, Cpu){
    {.types = MR_MATRIX_TYPES,
     .make =
         MakeFunctionKernel<RunMatrixFunction<MatrixFunction::kSquareRoot>>}};

}  // namespace millrace::ops
