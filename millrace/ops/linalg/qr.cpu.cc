#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/qr_factors.h"

namespace millrace::ops {
namespace {

class QrKernel {
 public:
  static StatusOr<QrKernel> Make(const KernelInit& init) {
    QrKernel k;
    MR_ASSIGN_OR_RETURN(k.full_, init.Attr<bool>("full_matrices"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadBatch(x));
    const int64_t m = b.rows, n = b.cols;
    const int64_t p = full_ ? m : std::min(m, n);
    MR_ASSIGN_OR_RETURN(Tensor* const q, AllocateBatch(ctx, 0, b, {m, p}));
    MR_ASSIGN_OR_RETURN(Tensor* const r, AllocateBatch(ctx, 1, b, {p, n}));
    if (q->num_elements() == 0) return OkStatus();
    return Dispatch(MatrixTypesWithHalf{}, x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* from = x.flat<T>().data();
      T* to_q = q->mutable_flat<T>().data();
      T* to_r = r->mutable_flat<T>().data();
      return ForMatrices(
          ctx, b.count, std::max(m, n), "", [&](int64_t i, StopFlag& stop) {
            Matrix<S> mq, mr;
            FactorQr(ReadMatrix<S>(from + i * m * n, m, n), p, &mq, &mr, stop);
            WriteMatrix(mq, m, p, to_q + i * m * p);
            WriteMatrix(mr, p, n, to_r + i * p * n);
            return true;
          });
    });
  }

 private:
  bool full_ = false;
};

}  // namespace

MR_KERNELS(Qr, Cpu){
    {.types = MR_MATRIX_TYPES ", half", .make = MakeKernel<QrKernel>}};

}  // namespace millrace::ops
