#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/spectrum/singular_values.h"

namespace millrace::ops {
namespace {

class SvdKernel {
 public:
  static StatusOr<SvdKernel> Make(const KernelInit& init) {
    SvdKernel k;
    MR_ASSIGN_OR_RETURN(k.vectors_, init.Attr<bool>("compute_uv"));
    MR_ASSIGN_OR_RETURN(k.full_, init.Attr<bool>("full_matrices"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(x));
    const int64_t m = b.rows, n = b.cols, p = std::min(m, n);
    const int64_t u_cols = full_ ? m : p, v_cols = full_ ? n : p;
    MR_ASSIGN_OR_RETURN(Tensor* const s, AllocateBatch(ctx, 0, b, {p}));
    Tensor* u = nullptr;
    Tensor* v = nullptr;
    if (vectors_) {
      MR_ASSIGN_OR_RETURN(u, AllocateBatch(ctx, 1, b, {m, u_cols}));
      MR_ASSIGN_OR_RETURN(v, AllocateBatch(ctx, 2, b, {n, v_cols}));
    } else {
      MR_ASSIGN_OR_RETURN(u, ctx.AllocateOutput(1, TensorShape({0})));
      MR_ASSIGN_OR_RETURN(v, ctx.AllocateOutput(2, TensorShape({0})));
    }
    const bool is_empty = s->num_elements() == 0 &&
                          (!vectors_ || u->num_elements() == 0) &&
                          (!vectors_ || v->num_elements() == 0);
    if (is_empty) return OkStatus();
    return Dispatch(MatrixTypes{}, x.dtype(), [&]<class T>() -> Status {
      using R = RealType<T>;
      const T* from = x.flat<T>().data();
      T* to_s = s->mutable_flat<T>().data();
      T* to_u = u->mutable_flat<T>().data();
      T* to_v = v->mutable_flat<T>().data();
      return ForMatrices(
          ctx, b.count, 3 * std::max(m, n), "", [&](int64_t i, StopFlag& stop) {
            Matrix<T> a = ReadMatrix<T>(from + i * m * n, m, n);
            CountedVector<R> list;
            Matrix<T> left, right;
            if (!Factor(std::move(a), u_cols, v_cols, &list, &left, &right,
                        stop)) {
              const R nan = std::numeric_limits<R>::quiet_NaN();
              list.assign(static_cast<size_t>(p), nan);
              left = Matrix<T>(m, vectors_ ? u_cols : 0);
              right = Matrix<T>(n, vectors_ ? v_cols : 0);
              std::fill(left.data(), left.data() + left.size(), T(nan));
              std::fill(right.data(), right.data() + right.size(), T(nan));
            }
            for (int64_t k = 0; k < p; ++k) {
              to_s[i * p + k] = T(list[k]);
            }
            if (vectors_) {
              WriteMatrix(left, m, u_cols, to_u + i * m * u_cols);
              WriteMatrix(right, n, v_cols, to_v + i * n * v_cols);
            }
            return true;
          });
    });
  }

 private:
  // Returns false if elements are NaN or infinite, or if it does not converge.
  template <class S>
  bool Factor(Matrix<S> a, int64_t u_cols, int64_t v_cols,
              CountedVector<RealType<S>>* values, Matrix<S>* u, Matrix<S>* v,
              StopFlag& stop) const {
    for (int64_t i = 0; i < a.size(); ++i) {
      if (!std::isfinite(std::abs(a.data()[i]))) return false;
    }
    // A wide matrix is the adjoint of a tall one.
    const Vectors wanted = vectors_ ? Vectors::kBoth : Vectors::kNone;
    return a.rows() >= a.cols()
               ? FactorTallSvd(std::move(a), u_cols, wanted, values, u, v, stop)
               : FactorTallSvd(a.Adjoint(), v_cols, wanted, values, v, u, stop);
  }

  bool vectors_ = true, full_ = false;
};

}  // namespace

MR_KERNELS(Svd, Cpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<SvdKernel>}};
MR_KERNELS(BatchSvd,
           Cpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<SvdKernel>}};

}  // namespace millrace::ops
