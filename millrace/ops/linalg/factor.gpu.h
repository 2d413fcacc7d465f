// Triangular factors of batches of matrices in the memory of a GPU, and what is
// computed by them.
#pragma once

#include <cstdint>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/array/device_read.gpu.h"

namespace millrace::ops {

// P A = L U of each matrix, as in lu_factors.h.
struct GpuLuFactors {
  int64_t count = 0, n = 0;
  Tensor matrices;  // [count, n, n]: L and U
  Tensor orders;    // int32 [count, n]
  Tensor states;    // int32 [count, 2]
};

// Thread-safe. Lives no longer than the kernel of its KernelInit.
class GpuFactors {
 public:
  // `type` is that of the matrices: float, double, complex64 or complex128.
  static StatusOr<GpuFactors> Make(const KernelInit& init, DataType type);

  // Returns `x`, `count` matrices of n * n, or their adjoints, in memory that
  // may be written.
  StatusOr<Tensor> Copy(KernelContext& ctx, const Tensor& x, int64_t count,
                        int64_t n, bool adjoint) const;
  Status CopyTo(KernelContext& ctx, const Tensor& x, int64_t count, int64_t n,
                bool adjoint, Tensor* to) const;

  // Factors matrices in place of `f->matrices`, whose count and n are set.
  // Allocates the states, and the orders unless they are there.
  Status Lu(KernelContext& ctx, GpuLuFactors* f) const;
  // Writes the orders as int64.
  Status WidenOrders(KernelContext& ctx, const GpuLuFactors& f,
                     Tensor* out) const;
  // Returns a tensor of one int32 on the device: whether a matrix is taken as
  // one without an inverse.
  StatusOr<Tensor> FindSingular(KernelContext& ctx,
                                const GpuLuFactors& f) const;
  // Solves A x = b for `columns` right sides of each matrix; for those of the
  // identity if `b` is null.
  Status Solve(KernelContext& ctx, const GpuLuFactors& f, const Tensor* b,
               int64_t columns, Tensor* x) const;
  // `logs` may be null, as of determinants.
  Status Determinants(KernelContext& ctx, const GpuLuFactors& f, Tensor* signs,
                      Tensor* logs) const;

  struct Triangles {
    const Tensor* matrices = nullptr;  // of n * n
    // int64: the matrix of each result. Null: that of its number.
    const Tensor* places = nullptr;
    bool lower = true, ones = false, adjoint = false;
  };
  // Solves for right sides in place of `x`, [count, n, columns].
  Status SolveTriangles(KernelContext& ctx, const Triangles& t, int64_t count,
                        int64_t n, int64_t columns, Tensor* x) const;
  // Copies matrices of `size` elements: that of place i becomes number i. All
  // in their order, if `places` is null.
  Status TakePlaces(KernelContext& ctx, const Tensor& from,
                    const Tensor* places, int64_t size, Tensor* to) const;

  // Factors A = L L^H in place. A matrix that is not positive definite becomes
  // NaN.
  Status Cholesky(KernelContext& ctx, int64_t count, int64_t n,
                  Tensor* matrices) const;

 private:
  DataType type_ = DataType::kInvalid;
  GpuFunction copy_, start_lu_, factor_lu_, lu_columns_, subtract_rest_,
      find_singular_, widen_, order_rows_, determinants_, triangles_, take_,
      factor_cholesky_, cholesky_columns_, subtract_squares_, finish_cholesky_;
};

// Completes `done` when the host has what FindSingular found: with
// INVALID_ARGUMENT `failure`, or OK.
inline void FinishInvertible(KernelContext& ctx, StatusOr<Tensor> found,
                             const char* failure, Done done) {
  if (!found.ok()) return std::move(done)(found.status());
  if (!found->valid()) return std::move(done)(OkStatus());
  ReadOnHost(
      ctx, *std::move(found),
      [failure](const Tensor& singular) {
        return singular.flat<int32_t>()[0] == 0 ? OkStatus()
                                                : InvalidArgument(failure);
      },
      std::move(done));
}

}  // namespace millrace::ops
