// Kernels that solve by triangular factors, and solve triangular matrices.
#include "millrace/ops/linalg/solve.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/lu_factors.h"

namespace millrace::ops {
namespace {

class SolveKernel {
 public:
  static StatusOr<SolveKernel> Make(const KernelInit& init) {
    SolveKernel k;
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const SolvePlan plan, PlanSolve(a, rhs));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = plan.n, k = plan.columns;
    return Dispatch(MatrixTypes{}, a.dtype(), [&]<class T>() -> Status {
      const T* from = a.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(
          ctx, plan.count, std::max(n, k), "Input matrix is not invertible.",
          [&](int64_t i, StopFlag& stop) {
            Matrix<T> m = ReadMatrix<T>(from + i * n * n, n, n);
            if (adjoint_) m = m.Adjoint();
            const LuFactors<T> f = FactorLu(std::move(m), stop);
            if (!f.IsInvertible()) return false;
            WriteMatrix(SolveLu(f, ReadMatrix<T>(y + i * n * k, n, k), stop), n,
                        k, to + i * n * k);
            return true;
          });
    });
  }

 private:
  bool adjoint_ = false;
};

class TriangularSolveKernel {
 public:
  static StatusOr<TriangularSolveKernel> Make(const KernelInit& init) {
    TriangularSolveKernel k;
    MR_ASSIGN_OR_RETURN(k.options_, TriangularOptions::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& rhs = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const SolvePlan plan,
                        PlanTriangularSolve(ctx, options_));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = plan.n, k = plan.columns;
    return Dispatch(MatrixTypes{}, a.dtype(), [&]<class T>() -> Status {
      const T* from = a.flat<T>().data();
      const T* y = rhs.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(
          ctx, plan.count, std::max(n, k), "", [&](int64_t i, StopFlag& stop) {
            const T* const given = from + plan.Place(0, i) * n * n;
            Matrix<T> adjoint;
            if (options_.adjoint) {
              adjoint = ReadMatrix<T>(given, n, n).Adjoint();
            }
            const T* const b = y + plan.Place(1, i) * n * k;
            const Block<T> x(to + i * n * k, n, k, k);
            std::copy(b, b + n * k, x.at);
            SolveTriangle<T>(
                Block<const T>(options_.adjoint ? adjoint.data() : given, n, n,
                               n),
                options_.lower != options_.adjoint ? Triangle::kLower
                                                   : Triangle::kUpper,
                Diagonal::kAsGiven, x, stop);
            return true;
          });
    });
  }

 private:
  TriangularOptions options_;
};

}  // namespace

MR_KERNELS(MatrixSolve,
           Cpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<SolveKernel>}};
MR_KERNELS(BatchMatrixSolve,
           Cpu){{.types = "T: float, double", .make = MakeKernel<SolveKernel>}};
MR_KERNELS(MatrixTriangularSolve, Cpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TriangularSolveKernel>}};
MR_KERNELS(BatchMatrixTriangularSolve, Cpu){
    {.types = "T: float, double", .make = MakeKernel<TriangularSolveKernel>}};

}  // namespace millrace::ops
