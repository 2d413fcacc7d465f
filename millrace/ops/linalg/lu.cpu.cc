#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/linalg/lu_factors.h"

namespace millrace::ops {
namespace {

Status RunLu(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadLuBatch(x));
  const int64_t n = b.rows;
  MR_ASSIGN_OR_RETURN(Tensor* const lu, ctx.AllocateOutput(0, x.shape()));
  MR_ASSIGN_OR_RETURN(Tensor* const order, AllocateBatch(ctx, 1, b, {n}));
  if (lu->num_elements() == 0) return OkStatus();
  return Dispatch(MatrixTypes{}, x.dtype(), [&]<class T>() -> Status {
    const T* from = x.flat<T>().data();
    T* to = lu->mutable_flat<T>().data();
    char* rows = order->mutable_data();
    const bool wide = order->dtype() == DataType::kInt64;
    return ForMatrices(ctx, b.count, n, "Input is not invertible.",
                       [&](int64_t i, StopFlag& stop) {
                         const LuFactors<T> f = FactorLu(
                             ReadMatrix<T>(from + i * n * n, n, n), stop);
                         if (!f.IsInvertible()) return false;
                         WriteMatrix(f.lu, n, n, to + i * n * n);
                         for (int64_t k = 0; k < n; ++k) {
                           if (wide) {
                             reinterpret_cast<int64_t*>(rows)[i * n + k] =
                                 f.order[k];
                           } else {
                             reinterpret_cast<int32_t*>(rows)[i * n + k] =
                                 static_cast<int32_t>(f.order[k]);
                           }
                         }
                         return true;
                       });
  });
}

}  // namespace

MR_KERNELS(Lu,
           Cpu){{.types = MR_MATRIX_TYPES, .make = MakeFunctionKernel<RunLu>}};

}  // namespace millrace::ops
