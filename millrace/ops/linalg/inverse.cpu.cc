#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/lu_factors.h"

namespace millrace::ops {
namespace {

class InverseKernel {
 public:
  static StatusOr<InverseKernel> Make(const KernelInit& init) {
    InverseKernel k;
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = b.rows;
    return Dispatch(MatrixTypesWithHalf{}, x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* from = x.flat<T>().data();
      T* to = out->mutable_flat<T>().data();
      return ForMatrices(ctx, b.count, n, "Input is not invertible.",
                         [&](int64_t i, StopFlag& stop) {
                           Matrix<S> m = ReadMatrix<S>(from + i * n * n, n, n);
                           if (adjoint_) m = m.Adjoint();
                           const LuFactors<S> f = FactorLu(std::move(m), stop);
                           if (!f.IsInvertible()) return false;
                           WriteMatrix(
                               SolveLu(f, Matrix<S>::Identity(n, n), stop), n,
                               n, to + i * n * n);
                           return true;
                         });
    });
  }

 private:
  bool adjoint_ = false;
};

}  // namespace

MR_KERNELS(MatrixInverse, Cpu){
    {.types = MR_MATRIX_TYPES ", half", .make = MakeKernel<InverseKernel>}};

MR_KERNELS(BatchMatrixInverse, Cpu){
    {.types = "T: float, double", .make = MakeKernel<InverseKernel>}};

}  // namespace millrace::ops
