#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/lu_factors.h"

namespace millrace::ops {
namespace {

enum class Result { kPlain, kLogarithm };

// Returns the sign (or phase) of a determinant, and the logarithm of its
// absolute value. If that is not finite, it is the nearest limit, with sign 0.
template <class S>
std::pair<S, RealType<S>> SignAndLog(const LuFactors<S>& f) {
  using R = RealType<S>;
  S sign = f.odd ? S(-1) : S(1);
  R log = 0;
  for (int64_t i = 0; i < f.lu.rows(); ++i) {
    const S d = f.lu(i, i);
    const R size = std::abs(d);
    sign *= d / size;
    log += std::log(size);
  }
  if (std::isfinite(log)) return {sign, log};
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  return {S(0), log > 0 ? kInfinity : -kInfinity};
}

template <Result kResult>
Status RunDeterminant(KernelContext& ctx) {
  constexpr bool kLog = kResult == Result::kLogarithm;
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
  Tensor* outs[2] = {};
  for (int i = 0; i < (kLog ? 2 : 1); ++i) {
    MR_ASSIGN_OR_RETURN(outs[i], AllocateBatch(ctx, i, b, {}));
  }
  if (b.count == 0) return OkStatus();
  const int64_t n = b.rows;
  return Dispatch(MatrixTypes{}, x.dtype(), [&]<class T>() -> Status {
    const T* from = x.flat<T>().data();
    T* first = outs[0]->mutable_flat<T>().data();
    T* second = kLog ? outs[1]->mutable_flat<T>().data() : nullptr;
    return ForMatrices(ctx, b.count, n, "", [&](int64_t i, StopFlag& stop) {
      const auto [sign, log] =
          SignAndLog(FactorLu(ReadMatrix<T>(from + i * n * n, n, n), stop));
      first[i] = kLog ? sign : sign * T(std::exp(log));
      if (kLog) second[i] = T(log);
      return true;
    });
  });
}

}  // namespace

MR_KERNELS(MatrixDeterminant,
           Cpu){{.types = MR_MATRIX_TYPES,
                 .make = MakeFunctionKernel<RunDeterminant<Result::kPlain>>}};

MR_KERNELS(BatchMatrixDeterminant,
           Cpu){{.types = MR_MATRIX_TYPES,
                 .make = MakeFunctionKernel<RunDeterminant<Result::kPlain>>}};

MR_KERNELS(LogMatrixDeterminant, Cpu){
    {.types = MR_MATRIX_TYPES,
     .make = MakeFunctionKernel<RunDeterminant<Result::kLogarithm>>}};

}  // namespace millrace::ops
