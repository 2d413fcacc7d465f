#include "millrace/ops/linalg/batch.h"

#include <atomic>

namespace millrace::ops {

StatusOr<MatrixBatch> ReadBatch(const Tensor& t, int input) {
  if (t.rank() < 2) {
    return InvalidArgument("Input tensor ", input, " must have rank >= 2, got ",
                           t.rank());
  }
  MatrixBatch b;
  b.rows = t.dim(t.rank() - 2);
  b.cols = t.dim(t.rank() - 1);
  b.dims = t.shape().dims();
  b.dims.pop_back();
  b.dims.pop_back();
  b.count = t.shape().NumElements(0, t.rank() - 2);
  return b;
}

StatusOr<MatrixBatch> ReadSquareBatch(const Tensor& t) {
  MR_ASSIGN_OR_RETURN(MatrixBatch b, ReadBatch(t));
  if (b.rows != b.cols) return InvalidArgument("Input matrix must be square.");
  return b;
}

StatusOr<MatrixBatch> ReadLuBatch(const Tensor& t) {
  if (t.rank() < 2) {
    return InvalidArgument("Input tensor must have rank >= 2, got ", t.rank());
  }
  return ReadSquareBatch(t);
}

Status ExpectSameBatches(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) {
    return InvalidArgument("All input tensors must have the same rank.");
  }
  for (int i = 0; i < a.rank() - 2; ++i) {
    if (a.dim(i) != b.dim(i)) {
      return InvalidArgument(
          "All input tensors must have the same outer dimensions.");
    }
  }
  return OkStatus();
}

StatusOr<MatrixBatch> ReadRightSides(const Tensor& t, const MatrixBatch& a) {
  if (t.rank() != static_cast<int>(a.dims.size()) + 2) {
    return InvalidArgument("All input tensors must have the same rank.");
  }
  MR_ASSIGN_OR_RETURN(MatrixBatch b, ReadBatch(t, 1));
  if (b.dims != a.dims) {
    return InvalidArgument(
        "All input tensors must have the same outer dimensions.");
  }
  if (b.rows != a.rows) {
    return InvalidArgument("Input matrix and rhs are incompatible.");
  }
  return b;
}

StatusOr<Tensor*> AllocateBatch(KernelContext& ctx, int output,
                                const MatrixBatch& batch,
                                std::initializer_list<int64_t> last) {
  DimVector dims = batch.dims;
  dims.insert(dims.end(), last.begin(), last.end());
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  return ctx.AllocateOutput(output, std::move(shape));
}

void StopFlag::Share(
    int64_t total, int64_t nanos_each,
    absl::FunctionRef<void(int64_t begin, int64_t end, StopFlag& stop)> f) {
  if (threads_ == nullptr) return f(0, total, *this);
  const Status status =
      threads_->ParallelFor(total, nanos_each, [&](int64_t begin, int64_t end) {
        StopFlag part(scope_);
        f(begin, end, part);
      });
  set_ = set_ || !status.ok();
}

Status ForMatrices(KernelContext& ctx, int64_t count, int64_t n,
                   const char* failure,
                   absl::FunctionRef<bool(int64_t, StopFlag& stop)> f) {
  const CancelScope* const scope = ctx.to_end ? nullptr : ctx.step().cancel;
  if (count == 1) {  // which has all threads for its largest products
    StopFlag stop(scope, &ctx);
    const bool has_result = f(0, stop);
    if (scope != nullptr) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    return has_result ? OkStatus() : InvalidArgument(failure);
  }
  std::atomic<bool> failed{false};
  const double work =
      static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const auto nanos = static_cast<int64_t>(std::min(work, 1e12)) + 100;
  MR_RETURN_IF_ERROR(
      ctx.ParallelFor(count, nanos, [&](int64_t begin, int64_t end) {
        StopFlag stop(scope);
        for (int64_t i = begin; i < end; ++i) {
          if (!f(i, stop)) failed.store(true, std::memory_order_relaxed);
        }
      }));
  if (failed.load(std::memory_order_relaxed)) return InvalidArgument(failure);
  return OkStatus();
}

}  // namespace millrace::ops
